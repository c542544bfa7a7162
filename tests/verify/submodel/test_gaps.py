"""Train-test gaps of random masks and full models: stored values, by hand, scripts, planted errors."""

import json
from fractions import Fraction as F
from pathlib import Path

import pytest
from flint import arb, fmpq
from stored_setups import alike, read_again

from fedbounds.algorithms import coupled
from fedbounds.errors import FedboundsError
from fedbounds.theory.language.claims import read
from fedbounds.theory.language.registry import besides, claim
from fedbounds.theory.language.symbols import t
from fedbounds.theory.submodel.gap_setups import Gap, beside_full
from fedbounds.theory.submodel.stability_setups import Shape, setup_of
from fedbounds.verify.decide.case import Case, find
from fedbounds.verify.decide.measurement import numbers_of
from fedbounds.verify.judge.judge import judge
from fedbounds.verify.measure.known import MissingError
from fedbounds.verify.setups import found as of_setups
from fedbounds.verify.setups import sides
from fedbounds.verify.setups.plan import beside_case
from fedbounds.verify.setups.rungs import agreed
from fedbounds.verify.setups.script_rendered import script
from fedbounds.vocabulary import Method, Verdict

STORED = Path(__file__).parents[2] / "data" / "submodel_gaps_exact.json"
RUNS, KEEP = "random masks against full models", F(2, 3)
LINE = (((1, 1), (1, -1)),)


@pytest.fixture(autouse=True)
def _anew():
    of_setups.followed.cache_clear()
    yield
    of_setups.followed.cache_clear()


def line(level="1/8", keep="2/3", samples=1):
    return beside_full(Gap("", LINE, level, samples, keep, 2))


def judged(given):
    found = judge((claim("submodel/claim-gap"),), Case("a case", RUNS, given, Method.RATIONAL))
    return {o.part: o.verdict for j in found.judgements for o in j.outcomes}


def fractions(row):
    return [F(str(x)) for x in row]


def test_stored_values_are_found_again():
    planned = {one.name: one for one in besides("submodel")}
    compared = 0
    for name, wanted in json.loads(STORED.read_text()).items():
        found = find(planned[name].beside)
        for quantity, row in wanted["series"].items():
            assert [str(x) for x in found.series[quantity][: len(row)]] == row, (name, quantity)
            compared += len(row)
        for constant in ("gap_rand_eq", "gap_full_eq"):
            told = wanted["constants"].get(constant)
            assert str(found.parameters.get(constant)) == str(told), (name, constant)
    assert compared > 250


def test_losses_on_the_line_by_hand():
    """w/y goes from u to u + m (1 - u)/2; train (1 - u)^2/2 and gap u, at every u."""
    shown = find(line()).series
    assert fractions(shown["tg_rand"]) == [1 - (1 - KEEP / 2) ** t for t in range(3)]
    assert fractions(shown["tg_full"]) == [1 - F(1, 2) ** t for t in range(3)]
    # at p w the gap, which is linear in w, is p times as large
    assert fractions(shown["tg_scaled"]) == [KEEP * x for x in fractions(shown["tg_rand"])]


def test_at_equal_training_loss_random_masks_have_the_larger_gap():
    shown = find(line()).parameters
    assert (shown["gap_rand_eq"], shown["gap_full_eq"]) == (fmpq(5, 9), fmpq(1, 2))
    assert judged(line()) == {
        "rounds, scaled": Verdict.NOT_VIOLATED,
        "rounds": Verdict.NOT_VIOLATED,
        "loss": Verdict.VIOLATED,
    }


def test_levels_between_rounds_give_no_number_where_the_order_is_open():
    for given in (line(level="1/7", keep="3/4"), line(level="1/1000000")):
        found = find(given)
        assert "gap_rand_eq" not in found.parameters
        assert "gap_rand_eq" in found.undefined


@pytest.mark.parametrize("open_one", [arb(1, 1), float("nan")])
def test_a_level_that_may_have_been_reached_before_is_not_known(open_one):
    falling = [fmpq(2), open_one, fmpq(1, 2)]
    with pytest.raises(MissingError, match="in round 1 is not known"):
        sides._first_below(t, falling, fmpq(1))
    assert sides._first_below(t, [fmpq(2), arb("0.9", "0.01")], fmpq(1)) == 1


def test_why_a_constant_has_no_value_is_told():
    own = [{"n": fmpq(2), "p": fmpq(1), "q": MissingError("no q")}, {"n": fmpq(2), "p": fmpq(3)}]
    found, undefined = agreed(own)
    assert found == {"n": 2}
    assert undefined == {"p": "p is not the same in all: 1, 3", "q": "no q"}


def test_gap_of_several_samples_is_that_of_the_enumerated_run():
    shape = Shape("", LINE, ("1/2",), samples=2, rounds=2)
    every = find(setup_of(shape, "1/2")).series["gen"]
    assert list(find(line(keep="1/2", samples=2)).series["tg_rand"]) == [abs(x) for x in every]


def test_scripts_show_every_broken_part_of_the_quick_plan():
    shown = set()
    for one in besides("submodel"):
        if one.quick and one.name.startswith("gap"):
            case = beside_case(one)
            for j in judge((claim("submodel/claim-gap"),), case).judgements:
                for part, outcome in zip(read(j.claim, j.reading), j.outcomes, strict=True):
                    if outcome.verdict is Verdict.VIOLATED:
                        text = script(j, part, numbers_of(case, {}))
                        assert "rounds = run(1)" in text
                        shown.add(part.name)
    assert shown == {"rounds", "loss"}


def test_a_large_state_has_no_script():
    given = beside_full(Gap("", LINE, "1/2", 4, "1/2", 1))
    case = Case("large", RUNS, given, Method.RATIONAL)
    j = judge((claim("submodel/claim-gap"),), case).judgements[0]
    with pytest.raises(FedboundsError, match="too many for a script"):
        script(j, read(j.claim, j.reading)[0], numbers_of(case, {}))


def test_setups_survive_storage():
    assert alike(read_again(line(), RUNS), line())


# ---- planted errors


def test_shares_that_differ_are_an_error():
    two = beside_full(Gap("", LINE * 2, "1/8", 1, "1/2", 1))
    mixed, full = two.setups
    own = dict(mixed.run.parameters) | {"keep": ("1/2", "1/4")}
    run = type(mixed.run)(mixed.run.problem, mixed.run.start, tuple(own.items()), 1)
    mixed = type(mixed)(mixed.theory, mixed.view, run, mixed.chosen)
    with pytest.raises(FedboundsError, match="set-up"):
        find(type(two)(two.theory, two.sides, (mixed, full)))


def test_a_fresh_loss_of_seen_samples_is_caught(monkeypatch):
    seen = coupled.mean_of
    monkeypatch.setattr(coupled, "mean_of", lambda problem, x: 0 * seen(problem, x))
    assert fractions(find(line()).series["tg_rand"])[1:] != [F(1, 3), F(5, 9)]


def test_masks_that_are_ignored_are_caught(monkeypatch):
    original = coupled._round

    def full(problem, p, x, masks, samples, last):
        return original(problem, p, x, masks * 0 + 1, samples, last)

    monkeypatch.setattr(coupled, "_round", full)
    assert fractions(find(line()).series["tg_rand"])[1] == F(1, 2)
