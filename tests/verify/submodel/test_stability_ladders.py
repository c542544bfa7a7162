"""Ladders in p of coupled runs: values of another program, enumeration, limits, signs, scripts."""

import json
from dataclasses import replace
from fractions import Fraction as F
from functools import cache
from itertools import product
from math import hypot
from pathlib import Path

import pytest
from flint import arb, ctx, fmpq
from stored_setups import alike, read_again

from fedbounds.algorithms import coupled
from fedbounds.errors import FedboundsError
from fedbounds.theory.language.claims import read
from fedbounds.theory.language.registry import claim, encoded_claims, ladders
from fedbounds.theory.submodel.names import COUPLED_LADDER
from fedbounds.theory.submodel.stability_ladders import Parting, over_p
from fedbounds.theory.submodel.stability_setups import Loss
from fedbounds.verify.decide.case import find
from fedbounds.verify.decide.measurement import numbers_of
from fedbounds.verify.judge.judge import judge
from fedbounds.verify.measure.norms import mean_norm, squared
from fedbounds.verify.measure.roots import Roots
from fedbounds.verify.setups import found as of_setups
from fedbounds.verify.setups import rungs as of_rungs
from fedbounds.verify.setups.plan import ladder_case
from fedbounds.verify.setups.script_rendered import script
from fedbounds.vocabulary import Verdict

STORED = Path(__file__).parents[2] / "data" / "submodel_stability_ladders.json"
RIDGE = Loss("1/10")
ENDS = ("1/2", 1)
UP = (((1, 1, 1),),)


def anew():
    of_setups.followed.cache_clear()
    of_setups.analysed.cache_clear()
    of_rungs._measured.cache_clear()


@pytest.fixture(autouse=True)
def _anew():
    anew()
    yield
    anew()


@cache
def planned():
    return {x.name: x for x in ladders("submodel") if x.ladder.rungs == "over p, two data sets"}


def aligned(rounds, keeps=ENDS):
    """One sample with features (1, 1) and a ridge of 1/10, whose target goes from 1 to 2."""
    return over_p(Parting("", UP, (1, 1, 2), RIDGE, rounds=rounds, keeps=keeps))


def on_the_line(**more):
    return over_p(Parting("", (((1, 1), (2, 1)),), (1, 2), inverse_step=2, **more))


def ends(value):
    """Of a ball, of a sum of roots, or of a rational."""
    ball = value.ball() if isinstance(value, Roots) else arb(value)
    return ball.lower(), ball.upper()


# ---- values


def test_stored_values_are_found_again():
    """Of the program that found them before; ends of balls in 25 digits."""
    stored, compared = json.loads(STORED.read_text()), 0
    assert stored.keys() == planned().keys()
    for name, wanted in stored.items():
        found = find(planned()[name].ladder)
        for constant, value in wanted["constants"].items():
            assert str(found.parameters[constant]) == value, (name, constant)
        for quantity, row in wanted["series"].items():
            for value, known in zip(found.series[quantity], row, strict=True):
                compared += 1
                if isinstance(known, str):
                    assert str(value) == known, (name, quantity)
                    continue
                with ctx.workprec(300):
                    both = zip(ends(value), known, strict=True)
                    assert all(abs(end - arb(own)) < 1e-22 for end, own in both), (name, quantity)
    assert compared == 96


def by_hand(ladder):
    """E ||w^R - w'^R|| of one client with one sample, in fractions: every mask, one by one."""
    for setup in ladder.setups:
        own, data = dict(setup.run.parameters), dict(setup.run.problem.data)
        (p,), eta, ridge = map(F, own["keep"]), F(own["eta"]), F(data["ridge"])
        (features,), (targets,) = data["features"], data["targets"]
        laws = {tuple((F(0),) * len(features[0]) for _ in range(2)): F(1)}
        for _ in range(setup.run.rounds):
            new = {}
            masks = product((0, 1), repeat=len(features[0]))
            for (both, chance), mask in product(laws.items(), masks):
                weight = chance
                for m in mask:
                    weight *= p if m else 1 - p
                after = tuple(
                    moved(w, mask, [F(x) for x in a], F(b), eta, ridge)
                    for w, a, b in zip(both, features, targets, strict=True)
                )
                new[after] = new.get(after, 0) + weight
            laws = new
        yield sum(
            float(q) * hypot(*(float(x - y) for x, y in zip(*both, strict=True)))
            for both, q in laws.items()
        )


def moved(w, mask, a, b, eta, ridge):
    off = sum(m * x * y for m, x, y in zip(mask, a, w, strict=True)) - b
    return tuple(
        y - eta * m * (off * x + ridge * m * y) for m, x, y in zip(mask, a, w, strict=True)
    )


@pytest.mark.parametrize("name", ["along aligned features, five rounds", "line, long steps"])
def test_few_rounds_are_those_of_every_mask_one_by_one(name):
    ladder = planned()[name].ladder
    found = [float(x) for x in find(ladder).series["dl_r"]]
    assert found == pytest.approx(list(by_hand(ladder)), rel=1e-12)


def test_balls_hold_the_mean_of_the_norms_that_are_listed(monkeypatch):
    whole = find(aligned(4)).series["dl_r"]
    anew()
    monkeypatch.setattr(of_rungs, "_FEW_OUTCOMES", 0)
    balls = find(aligned(4)).series["dl_r"]
    assert isinstance(whole[0], Roots)
    assert isinstance(balls[0], arb)
    with ctx.workprec(300):
        assert balls[0].contains(whole[0].ball())
        assert balls[0].rad() > 0.01
        assert balls[1].overlaps(whole[1].ball())  # nothing is random


def test_limits_at_full_masks_are_those_of_the_minimisers():
    """delta = A^{-1} a dy with A = aa' + I/10: (1, 1)/(21/10)."""
    ball = find(aligned(2)).series["dl_lim"][1]
    with ctx.workprec(300):
        assert abs(ball - arb(2).sqrt() / arb(fmpq(21, 10))) < arb(2) ** -100


def test_smaller_p_moves_farther_along_aligned_features():
    """||E delta|| = sqrt(2)/(11/10 + p) in the limit: the lower end of the ball."""
    left, right = find(aligned(2)).series["dl_lim"]
    assert left > right
    with ctx.workprec(300):
        low = arb(2).sqrt() / arb(fmpq(16, 10))
        assert abs(left.lower() - low) < 1e-8
    outcomes = judged(aligned(40))
    assert outcomes.keys() == {"rounds", "limit", "rounds, ends", "limit, ends"}
    assert set(outcomes.values()) == {Verdict.VIOLATED}


def test_rounds_that_expand_have_no_limit():
    found = find(over_p(Parting("", (((1, 1),),), (1, 2), inverse_step="1/3", keeps=ENDS)))
    assert "dl_lim" not in found.series
    assert "contract" in found.undefined["dl_lim"]


# ---- signs


def test_a_number_that_keeps_its_sign_has_an_exact_mean():
    """On the line, with samples drawn: the limit is the same for every p."""
    found = find(on_the_line())
    assert len(set(found.series["dl_lim"])) == 1
    assert isinstance(found.series["dl_lim"][0], fmpq)


def test_a_number_that_changes_its_sign_has_a_ball():
    """Steps beyond 1/L: one outcome overshoots, and the mean of |delta| is above |E delta|."""
    ladder = over_p(Parting("", (((1, 1), (2, 1)),), (1, 2), inverse_step="3/4", keeps=ENDS))
    assert all(isinstance(x, arb) for x in find(ladder).series["dl_lim"])
    opposed = over_p(Parting("", (((1, 1), (1, 1)),), (2, 1), inverse_step=2, keeps=ENDS))
    assert any(isinstance(x, arb) for x in find(opposed).series["dl_lim"])


def test_a_mean_of_norms_lies_between_its_moments():
    three, four = fmpq(3), fmpq(4)
    assert mean_norm(squared([three, four]), fmpq(25), signed=False) == 5
    assert mean_norm(squared([three]), fmpq(25), signed=True) == 3
    ball = mean_norm(squared([three]), fmpq(25), signed=False)
    inside = [bool(ball.contains(x)) for x in (fmpq(299, 100), 3, 5, fmpq(501, 100))]
    assert inside == [False, True, True, False]


def test_runs_that_are_coupled_wrongly_are_seen(monkeypatch):
    """With a changed sample that is not changed, runs never part."""
    monkeypatch.setattr(coupled, "both_sets", lambda problem, p: [(0,), (0,)])
    assert find(aligned(3)).series["dl_r"].tolist() == [0, 0]


# ---- verdicts, files, scripts


def judged(ladder):
    case = ladder_case("a case", ladder)
    found = judge((claim("submodel/claim-stability"),), case).judgements
    return {o.part: o.verdict for j in found for o in j.outcomes}


def test_files_give_the_ladders_back():
    for one in planned().values():
        assert alike(read_again(one.ladder, COUPLED_LADDER[0]), one.ladder)


def test_rungs_differ_in_p_alone_and_all_clients_share_it():
    rows = (*UP, ((1, 0, 1),))
    ladder = over_p(Parting("", rows, (1, 1, 2), RIDGE, keeps=ENDS))
    first, second = ladder.setups
    own = dict(second.run.parameters)
    for change, words in (({"eta": "1/9"}, "has unlike"), ({"keep": ("1/2", 1)}, "p_mean")):
        run = replace(second.run, parameters=tuple((own | change).items()))
        with pytest.raises(FedboundsError, match=words):
            find(replace(ladder, setups=(first, replace(second, run=run))))


def broken():
    for one in planned().values():
        if one.quick is None and one.name != "line, another feature":
            continue
        case = ladder_case(one.name, one.ladder)
        for j in judge(encoded_claims("submodel"), case).judgements:
            for part, outcome in zip(read(j.claim, j.reading), j.outcomes, strict=True):
                if outcome.verdict is Verdict.VIOLATED:
                    yield case, j, part


def test_scripts_show_every_broken_reading():
    """A script is only given where it runs by itself and prints the gap."""
    first = {(j.claim.id, j.reading.name): (case, j, part) for case, j, part in broken()}
    for case, j, part in first.values():
        assert "fedbounds" not in script(j, part, numbers_of(case, {}))
    assert len(first) == 4


def test_a_step_beyond_1_over_L_is_taken_by_one_ladder_alone():
    own = {name: find(one.ladder).parameters for name, one in planned().items()}
    assert {name for name, p in own.items() if p["eta"] * p["L"] > 1} == {"line, long steps"}
