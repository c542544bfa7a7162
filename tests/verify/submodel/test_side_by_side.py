"""Two kinds of masks side by side: values of another program, plain loops, scripts, planted errors."""

import json
from dataclasses import replace
from fractions import Fraction as F
from itertools import permutations, product
from pathlib import Path

import pytest
from quick_plans import verdicts
from stored_setups import alike, read_again

from fedbounds.algorithms import side_by_side
from fedbounds.errors import FedboundsError
from fedbounds.theory.language.registry import besides, claim
from fedbounds.theory.language.setups import Run
from fedbounds.theory.submodel.side_setups import Cohort, beside_random, beside_static
from fedbounds.verify.decide.case import Case, find
from fedbounds.verify.judge.judge import judge
from fedbounds.verify.setups import found as of_setups
from fedbounds.vocabulary import Method, Verdict

STORED = Path(__file__).parents[2] / "data" / "submodel_sides_exact.json"
HESSIAN = (((2, 1), (1, 2)), ((2, -1), (-1, 3)))
SLOPES = ((1, -1), (2, "1/2"))
HALVES = ((1, 0), (0, 1))
PLANE = Cohort(HESSIAN, SLOPES, (1, -2), (HALVES,) * 2, "29/8")
ETA, STEPS = F(1, 20), 2


@pytest.fixture(autouse=True)
def _anew():
    of_setups.followed.cache_clear()
    yield
    of_setups.followed.cache_clear()


def setup(kind="random", shared=True, epochs=2, eta=ETA):
    beside = beside_random if kind == "random" else beside_static
    return beside(PLANE, 1 if shared else 2, STEPS, eta, epochs)


def edited(given, at, rounds=None, **parameters):
    """With other parameters, or rounds, of one side."""
    every = list(given.setups)
    run = every[at].run
    own = {**dict(run.parameters), **parameters}
    run = Run(run.problem, run.start, tuple(own.items()), rounds or run.rounds)
    every[at] = replace(every[at], run=run)
    return replace(given, setups=tuple(every))


def test_stored_values_are_found_again():
    planned = {one.name: one for one in besides("submodel")}
    compared = 0
    for name, wanted in json.loads(STORED.read_text()).items():
        found = find(planned[name].beside)
        for constant, value in wanted["constants"].items():
            assert str(found.parameters[constant]) == value, (name, constant)
        for quantity, value in wanted["last"].items():
            assert str(found.series[quantity][-1]) == value, (name, quantity)
        compared += len(wanted["constants"]) + len(wanted["last"])
    assert compared > 500


# ---- a slow oracle: every path, one client, step and coordinate at a time


def slope(i, mask, w):
    own = [x * kept for x, kept in zip(w, mask, strict=True)]
    return [
        kept * (sum(F(a) * x for a, x in zip(row, own, strict=True)) + F(h))
        for kept, row, h in zip(mask, HESSIAN[i], SLOPES[i], strict=True)
    ]


def round_of(masks, w):
    total = [F(0), F(0)]
    for i, mask in enumerate(masks):
        y = list(w)
        for _ in range(STEPS):
            y = [a - ETA * g for a, g in zip(y, slope(i, mask, y), strict=True)]
        total = [a + b / 2 for a, b in zip(total, y, strict=True)]
    return total


def rolling_law(shared):
    orders = list(permutations(HALVES))
    pairs = [(o, o) for o in orders] if shared else list(product(orders, repeat=2))
    return [(F(1, len(pairs)), list(zip(*pair, strict=True))) for pair in pairs]


def random_law():
    return [(F(1, 16), [masks]) for masks in product(product((0, 1), repeat=2), repeat=2)]


def every_end(law, times):
    """All ends with their chances, without merging."""
    ends = [(F(1), [F(1), F(-2)])]
    for _ in range(times):
        found = []
        for (p, w), (q, rounds) in product(ends, law):
            for masks in rounds:
                w = round_of(masks, w)
            found.append((p * q, w))
        ends = found
    return ends


def root(gradient):
    """Where an affine map of the plane vanishes."""
    b, x, y = gradient([F(0), F(0)]), gradient([F(1), F(0)]), gradient([F(0), F(1)])
    a, c, e, d = x[0] - b[0], y[0] - b[0], x[1] - b[1], y[1] - b[1]
    det = a * d - c * e
    return [(-b[0] * d + c * b[1]) / det, (e * b[0] - a * b[1]) / det]


def minimiser(law):
    def gradient(w):
        total = [F(0), F(0)]
        for p, rounds in law:
            for masks in rounds:
                for i, mask in enumerate(masks):
                    total = [a + p * g for a, g in zip(total, slope(i, mask, w), strict=True)]
        return total

    return root(gradient)


def loss(w):
    both = [(slope(i, (1, 1), w)[j] + F(SLOPES[i][j])) * w[j] for i in range(2) for j in range(2)]
    return sum(both) / 4


def expected(law, times):
    """E F - F(w*) and E of the squared distance to the law's own minimiser."""
    best, own = minimiser([(F(1), [((1, 1), (1, 1))])]), minimiser(law)
    ends = every_end(law, times)
    lost = sum(p * loss(w) for p, w in ends) - loss(best)
    away = sum(p * sum((a - b) ** 2 for a, b in zip(w, own, strict=True)) for p, w in ends)
    return lost, away


def fraction(x):
    return F(int(x.p), int(x.q))


@pytest.mark.parametrize("shared", [True, False])
def test_rolling_and_random_runs_are_those_of_plain_loops(shared):
    found = find(setup(shared=shared, epochs=1)).series
    rolled = expected(rolling_law(shared), 1)
    assert (fraction(found["L_roll"][2]), fraction(found["D_roll"][2])) == rolled
    drawn = expected(random_law(), 2)
    assert (fraction(found["L_rand"][2]), fraction(found["D_rand"][2])) == drawn


def test_static_runs_are_those_of_plain_loops():
    found = find(setup("static", epochs=2)).series
    static = [(F(1), [((1, 0), (1, 0))])]
    ends = every_end(static, 4)
    best = minimiser([(F(1), [((1, 1), (1, 1))])])
    assert fraction(found["L_stat"][4]) == loss(ends[0][1]) - loss(best)
    assert list(found["Eu_2"]) == [0] * 5
    assert list(found["Su_2"]) == [5] * 5


def test_rounds_inside_an_epoch_have_no_value():
    rolled = find(setup(epochs=2)).series["L_roll"]
    assert [x != x for x in rolled] == [False, True, False, True, False]


def test_limits_are_where_late_losses_are():
    pairs = {
        "random": (("roll_loss", "L_roll"), ("rand_loss", "L_rand"), ("roll_floor", "D_roll"),
                   ("rand_floor", "D_rand")),
        "static": (("roll_loss", "L_roll"), ("stat_loss", "L_stat")),
    }  # fmt: skip
    for kind, names in pairs.items():
        near, late = find(setup(kind, epochs=1)), find(setup(kind, epochs=60))
        for limit, name in names:
            last = float(late.series[name][-1])
            assert float(near.parameters[limit]) == pytest.approx(last, 1e-3)
            assert near.parameters[limit] == late.parameters[limit]


def test_a_limit_of_static_masks_by_hand():
    # the first coordinate settles at -3/4, between -1/2 and -1; the other keeps its start, -2
    best = minimiser([(F(1), [((1, 1), (1, 1))])])
    found = find(setup("static", epochs=1)).parameters["stat_loss"]
    ends = [F(0), F(-2)]
    for _ in range(200):
        ends = [float(x) for x in round_of(((1, 0), (1, 0)), ends)]
    assert float(found) == pytest.approx(loss(ends) - float(loss(best)))
    assert ends[1] == -2


def test_steps_without_a_limit_have_no_limits():
    found = find(setup(eta=F(2)))
    names = {"roll_loss", "rand_loss", "roll_floor", "rand_floor"}
    assert names.isdisjoint(found.parameters)
    assert all("contract" in found.undefined[name] for name in names)


# ---- what the plan decides


def test_the_quick_plan_decides_every_part(quick_plan):
    ours = {one.name for one in besides("submodel") if one.quick and "against" in one.name}
    rows = [row for row in quick_plan("submodel") if row["problem"]["instance"] in ours]
    assert {row["claim"] for row in rows} == {
        "submodel/claim-roll-vs-random",
        "submodel/claim-static",
    }
    both = {Verdict.VIOLATED, Verdict.NOT_VIOLATED}
    for key, seen in verdicts(rows).items():
        holds = key[2] in ("unheld", "distance, limit, full gradients")
        assert both & seen == ({Verdict.NOT_VIOLATED} if holds else both), key


def test_setups_survive_storage():
    for kind in ("random", "static"):
        given = setup(kind)
        assert alike(read_again(given, f"rolling against {kind} masks"), given)


def test_names_of_cases_are_unique():
    names = [one.name for one in besides("submodel")]
    assert len(set(names)) == len(names)


# ---- planted errors


def test_another_number_of_steps_is_an_error():
    with pytest.raises(FedboundsError, match="what random has unlike the first is .*K"):
        find(edited(setup(), 1, K=STEPS + 1))


def test_another_share_is_an_error():
    third = ("1/3", "1/3")
    with pytest.raises(FedboundsError, match="what random has unlike the first is .*keep"):
        find(edited(setup(), 1, keep=third))
    with pytest.raises(FedboundsError, match="set-up"):
        find(edited(edited(setup(), 1, keep=third), 0, keep=third))
    with pytest.raises(FedboundsError, match="set-up"):
        find(edited(setup("static"), 1, masks=((1, 1), (1, 0))))


def test_other_rounds_are_an_error():
    with pytest.raises(FedboundsError, match="side by side"):
        find(edited(setup(), 1, rounds=6))


def test_one_order_for_all_clients_is_no_order_of_their_own():
    found = find(setup(shared=True, epochs=1)).series
    assert fraction(found["L_roll"][2]) != expected(rolling_law(False), 1)[0]


def test_one_sub_model_instead_of_all_is_caught(monkeypatch):
    monkeypatch.setattr(side_by_side, "taken", lambda table, turn, xp: table[:, :, 0])
    found = find(setup(epochs=1)).series
    assert fraction(found["L_roll"][2]) != expected(rolling_law(True), 1)[0]


def test_coordinates_that_move_without_a_holder_break_the_claim(monkeypatch):
    monkeypatch.setattr(side_by_side, "filled", lambda masks, own, models: own)
    name = "submodel/claim-static"
    case = Case("planted", "rolling against static masks", setup("static"), Method.RATIONAL)
    found = judge((claim(name),), case)
    broken = {o.part for j in found.judgements for o in j.outcomes if o.verdict is Verdict.VIOLATED}
    assert "unheld" in broken
