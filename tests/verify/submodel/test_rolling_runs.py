"""Epochs of rolling masks: quantities against plain loops, exact values, and planted errors."""

import json
from dataclasses import replace
from fractions import Fraction as F
from functools import cache
from itertools import permutations, product
from math import sqrt
from pathlib import Path

import numpy as np
import pytest
from flint import fmpq

from fedbounds.algorithms import rolling_models
from fedbounds.errors import FedboundsError
from fedbounds.theory.language.claims import Part
from fedbounds.theory.language.registry import claim, encoded_claims
from fedbounds.theory.language.setups import Objective, Planned, Run, Setup
from fedbounds.theory.language.symbols import t
from fedbounds.theory.submodel import assumed, rolling_measured
from fedbounds.theory.submodel.names import ROLLING
from fedbounds.theory.submodel.rolling_setups import planned as rolling_planned
from fedbounds.theory.submodel.symbols import D_dom, D_opt
from fedbounds.verify.decide.case import find
from fedbounds.verify.judge.judge import judge
from fedbounds.verify.setups.plan import case_of
from fedbounds.verify.setups.script import program_of
from fedbounds.vocabulary import Verdict

DATA = Path(__file__).parents[2] / "data" / "submodel_rolling_exact.json"
HESSIAN = [[[2, 1], [1, 2]], [[3, -1], [-1, 2]]]
SLOPE = [[1, -1], [2, F(1, 2)]]
MASKS = (((1, 0), (0, 1)), ((1, 1), (1, 1)))
ETA, START = F(1, 40), (F(1, 4), F(-1, 4))
BOX = (F(-1, 4), F(1, 4))


def setup(view="epochs", *, masks=MASKS, orders=1, epochs=2, noise=0, **more):
    data = (("hessians", HESSIAN), ("slopes", SLOPE), ("noise", noise))
    parameters = {"sub_models": masks, "orders": orders, "K": 2, "eta": ETA, **more}
    run = Run(Objective("quadratics", data), START, tuple(parameters.items()), epochs)
    return Setup("submodel", view, run)


# ---- a slow oracle: one client, one step, one coordinate at a time


def slope(i, mask, w):
    """m o grad f_i(m o w)."""
    own = [x * kept for x, kept in zip(w, mask, strict=True)]
    full = [sum(F(a) * x for a, x in zip(row, own, strict=True)) + F(b)
            for row, b in zip(HESSIAN[i], SLOPE[i], strict=True)]  # fmt: skip
    return [g * kept for g, kept in zip(full, mask, strict=True)]


def square(x):
    return sum(a * a for a in x)


def mean_slope(masks, w):
    both = [slope(i, m, w) for i, m in enumerate(masks)]
    return [sum(g) / len(both) for g in zip(*both, strict=True)]


def epoch(x, orders):
    """Where an epoch ends, its deviations from x, and the starts of its rounds."""
    w, drift, starts = list(x), F(0), []
    for s in range(2):
        starts.append(w)
        total = [F(0), F(0)]
        for i in range(2):
            mask, y = MASKS[i][orders[i][s]], list(w)
            for _ in range(2):
                drift += square([a - b for a, b in zip(y, x, strict=True)]) / 2
                y = [a - ETA * g for a, g in zip(y, slope(i, mask, y), strict=True)]
            total = [a + b / 2 for a, b in zip(total, y, strict=True)]
        w = total
    return w, drift, starts


@cache
def oracle(own):
    """V_bar, B_M^2(x), the squared moves within an epoch and E ||grad F_M||^2, of two epochs."""
    single = list(permutations(range(2)))
    orders = list(product(single, single)) if own else [(o, o) for o in single]
    law, rows = {START: F(1)}, []
    for _ in range(2):
        found, after = dict.fromkeys(("V_bar", "B_M2_x", "Rs_2", "Us_2", "g_Fp"), F(0)), {}
        for x, chance in law.items():
            every = [slope(i, mask, x) for i in range(2) for mask in MASKS[i]]
            mean = [sum(g) / len(every) for g in zip(*every, strict=True)]
            found["g_Fp"] += chance * square(mean)
            found["B_M2_x"] += chance * sum(
                square([a - b for a, b in zip(g, mean, strict=True)]) for g in every
            ) / len(every)  # fmt: skip
            for both in orders:
                odds = chance / len(orders)
                end, drift, starts = epoch(x, both)
                moves = [square([a - b for a, b in zip(w, x, strict=True)])
                         for w in (*starts[1:], end)]  # fmt: skip
                found["V_bar"] += odds * drift
                found["Rs_2"] += odds * sum(moves)
                found["Us_2"] += odds * moves[-1]
                after[tuple(end)] = after.get(tuple(end), F(0)) + odds
        rows.append(found)
        law = after
    return rows


def fraction(x):
    return F(int(x.p), int(x.q))


@pytest.mark.parametrize("own", [False, True])
def test_quantities_of_epochs_are_those_of_plain_loops(own):
    found = find(setup(orders=2 if own else 1))
    for at, row in enumerate(oracle(own)):
        assert {name: fraction(found.series[name][at]) for name in row} == row


def test_norms_have_a_number_for_every_start_and_order():
    found = find(setup())
    assert found.series["A_part"].shape == (4, 2)  # the second epoch has two starts
    first = sorted(float(x) for x in found.series["A_part"][:2, 0])
    slopes = [mean_slope([own[s] for own in MASKS], START) for s in range(2)]
    assert first == pytest.approx(sorted(sqrt(square(g)) for g in slopes))
    whole = [a + b for a, b in zip(*slopes, strict=True)]
    assert float(found.series["A_all"][0, 0]) == pytest.approx(sqrt(square(whole)))


def test_of_epochs_with_fewer_outcomes_the_first_is_repeated():
    series = find(setup()).series
    assert len(set(map(str, series["A_sum"][:, 1]))) == 4
    assert {str(x) for x in series["A_sum"][2:, 0]} == {str(series["A_sum"][0, 0])}


# ---- exact values of an earlier engine


@cache
def stored():
    return json.loads(DATA.read_text())


@cache
def named():
    return {one.name: one.setup for one in rolling_planned()}


def not_equal(name, kept):
    found = find(named()[name])
    numbers = {x.value: y.value for x, y in found.constants.items()} | dict(found.parameters)
    for key, value in kept["constants"].items():
        # of rolling masks a share is told as a mean over clients, and nothing speaks of d
        if str(numbers.get(key)) != value and (key in numbers or key not in ("dim", "q")):
            yield key
    for key, values in kept["series"].items():
        series = found.series[key]
        if series.ndim == 1:
            same = [str(x) for x in series] == values[: len(series)]
        else:
            pairs = zip(series.T, values, strict=True)
            same = all(set(_near(each)) == set(_near(own)) for each, own in pairs)
        if not same:
            yield key


def _near(numbers):
    return (f"{float(x):.8g}" for x in numbers)


def test_exact_values_are_those_of_the_earlier_engine():
    for name, kept in stored().items():
        assert list(not_equal(name, kept)) == [], name


def test_what_is_kept_has_masks_noise_a_box_and_enough_numbers():
    told = " ".join(stored())
    words = ("noise", "own orders", "windows", "in a box", "projected", "saddle", "of nothing")
    assert all(word in told for word in words)
    every = {name for kept in stored().values() for name in kept["series"]}
    defined = {
        **rolling_measured.QUANTITIES,
        **rolling_measured.UNPROJECTED,
        **rolling_measured.OF_OUTCOMES,
        **rolling_measured.BESIDE_FULL,
    }
    assert every == defined.keys()
    count = sum(len(x) for kept in stored().values() for x in kept["series"].values())
    assert count + sum(len(kept["constants"]) for kept in stored().values()) >= 1000


def test_a_number_that_is_another_is_seen():
    name, kept = next(iter(stored().items()))
    series = {"V_bar": ["0", *kept["series"]["V_bar"][1:]], "A_sum": [["1"], ["1"]]}
    wrong = {"constants": {"nu_M2": "1"}, "series": series}
    assert list(not_equal(name, wrong)) == ["nu_M2", "V_bar", "A_sum"]


# ---- what is drawn, and what is said of it


def holding(one):
    return {name for name, evidence in find(one).evidence.items() if evidence.holds}


def test_orders_are_shared_or_own_and_a_single_client_has_either():
    shared, own = assumed.SHARED_ORDER, assumed.OWN_ORDERS
    assert {shared, own} & holding(setup()) == {shared}
    assert {shared, own} & holding(setup(orders=2)) == {own}
    whole = (((1, 1),), ((1, 1),))
    assert {shared, own} <= holding(setup(masks=whole))
    with pytest.raises(FedboundsError, match="has the draws of permutation"):
        find(setup(orders=3))


def test_coverage_that_differs_by_coordinate_is_seen():
    assert assumed.COVERAGE in holding(setup())
    assert assumed.COVERAGE not in holding(setup(masks=(((1, 0), (1, 1)), MASKS[1])))


def test_noise_counts_where_a_client_trains():
    found = find(setup(noise=F(1, 2), epochs=1, K=1))
    assert found.parameters["sigma^2"] == fmpq(2, 4)  # two coordinates of one client
    halves = find(setup(masks=(MASKS[0],) * 2, noise=F(1, 2), epochs=1, K=1))
    assert halves.parameters["sigma^2"] == fmpq(1, 4)


def test_rounds_that_are_projected_say_nothing_about_unprojected_ones():
    found = find(setup("epochs in a box, every round projected", box=BOX, epochs=1))
    assert not {"Rc_2", "Un_2", "V_bar", "A_sum"} & found.series.keys()
    assert {"Ev_2", "Ea_2"} <= found.series.keys()
    assert not found.evidence[assumed.EPOCH_PROJECTION].holds


# ---- scripts


def test_a_root_from_above_is_given_and_asserted():
    far = Part(name="far", left=D_opt(t), right=D_dom**2)
    defined = program_of(setup("epochs in a box", box=BOX), far, (None, None)).defined
    assert defined.side(far.right) == "D_dom**2"
    assert "D_dom" in defined.numbers
    assert any("assert D_dom**2 >= sq(" in line for line in defined.lines)


def test_numbers_of_every_outcome_have_no_script():
    norm = claim("submodel/lem-10").part("norm")
    with pytest.raises(FedboundsError, match="no script for numbers of every outcome"):
        program_of(setup(), norm, (None, None))


# ---- planted errors: the claim and part that catch each

CLAIMS = [one for one in encoded_claims("submodel") if ROLLING in one.algorithms]


def broken(looked_at, claims=CLAIMS):
    found = judge(claims, case_of(Planned("planted", replace(looked_at)), ROLLING))
    return {
        (each.claim.id.removeprefix("submodel/"), outcome.part)
        for each in found.judgements
        for outcome in each.outcomes
        if outcome.verdict is Verdict.VIOLATED
    }


def anew(view="epochs", **more):
    """A set-up that is measured anew, with nothing kept of another."""
    return setup(view, **more)


CAUGHT = {("lem-9", "recursion"), ("lem-10", "unrolled"), ("claim-virtual", "average")}


def test_nothing_planted_nothing_broken():
    assert not broken(anew())
    assert not broken(anew("epochs in a box", box=BOX))


def test_old_coordinates_left_out_of_the_mean(monkeypatch):
    monkeypatch.setattr(rolling_models, "filled", lambda masks, own, models: masks * own)
    assert broken(anew()) >= CAUGHT


def test_the_mask_on_the_gradient_only(monkeypatch):
    def local(noisy, masks, eta, steps, models):
        every = [models]
        for k in range(steps):
            every.append(every[-1] - masks * noisy(k, every[-1]) * eta)
        return every

    monkeypatch.setattr(rolling_models, "local", local)
    assert broken(anew()) >= {
        ("lem-9", "recursion"), ("lem-10", "unrolled"), ("claim-virtual", "local iterates")
    }  # fmt: skip


def test_a_projection_that_is_skipped(monkeypatch):
    projected, calls = rolling_models.projected, []

    def every_other(problem, p, w):  # of the next model, not of virtual iterates
        calls.append(w)
        return w if len(calls) % 2 else projected(problem, p, w)

    monkeypatch.setattr(rolling_models, "projected", every_other)
    made = anew("epochs in a box", box=BOX, epochs=1)
    made = replace(made, run=replace(made.run, start=(F(-1, 4), F(-1, 4))))
    assert ("claim-virtual", "average") in broken(made, [claim("submodel/claim-virtual")])


def test_one_order_for_all_epochs_breaks_the_deviation_of_many_sub_models(monkeypatch):
    # client 1 is held in the first 24 rounds, client 2 in the others; at w*(M) their pulls cancel
    masks = (((1,),) * 24 + ((0,),) * 24, ((0,),) * 24 + ((1,),) * 24)
    data = {"hessians": (((1,),), ((1,),)), "slopes": ((1,), (-1,)), "noise": 0}
    parameters = {"sub_models": masks, "orders": 1, "K": 1, "eta": F(1, 480)}
    run = Run(Objective("quadratics", tuple(data.items())), (0,), tuple(parameters.items()), 1)

    def draw(random, problem, p):
        order = np.arange(48)[None, None].repeat(2, axis=1)
        return {"order": order, "noise": order[:, :, :, None, None] * fmpq(0)}

    algorithm = replace(rolling_models.BESIDE_FULL, draw=draw)
    monkeypatch.setattr(rolling_models, "BESIDE_FULL", algorithm)
    assert ("lem-11", "convex") in broken(
        Setup("submodel", "epochs", run), [claim("submodel/lem-11")]
    )
