"""Many epochs of rolling masks: against enumerated ones, floats and their bounds, and planted."""

import json
from dataclasses import replace
from fractions import Fraction as F
from pathlib import Path

import numpy as np
import pytest
from flint import fmpq

from fedbounds.theory.language.setups import Objective, Run, Setup
from fedbounds.theory.submodel import assumed, rolling_views
from fedbounds.theory.submodel.rolling_setups import planned
from fedbounds.verify.decide.case import find, without_floats
from fedbounds.verify.measure import reach
from fedbounds.verify.setups.found import InFloats

DATA = Path(__file__).parents[2] / "data" / "submodel_rolling_long.json"
HALVES, TURNED = ((1, 0), (0, 1)), ((0, 1), (1, 0))
WINDOWS = ((1, 1, 0), (0, 1, 1), (1, 0, 1))


PLANE = (((2, 1), (1, 2)), ((2, -1), (-1, 2))), ((1, -1), (2, "1/2"))
# two clients whose pulls cancel: the mean stays where they start
OPPOSED = (((1, 0), (0, 1)), ((1, 0), (0, 1))), ((1, -1), (-1, 1))


def setup(view, **more):
    given = {"cohort": PLANE, "masks": (HALVES, TURNED), "orders": 1, "epochs": 2} | more
    hessians, slopes = given["cohort"]
    data = {"hessians": hessians, "slopes": slopes, "noise": more.get("noise", "1/2")}
    parameters = {"sub_models": given["masks"], "orders": given["orders"], "K": 1}
    parameters["eta"] = more.get("eta", "1/60")
    start = more.get("start", (1, -1))
    problem = Objective("quadratics", tuple(data.items()))
    return Setup("submodel", view, Run(problem, start, tuple(parameters.items()), given["epochs"]))


@pytest.mark.parametrize("orders", [1, 2])
def test_moments_in_rationals_are_those_of_every_outcome(orders):
    long, short = (find(setup(view, orders=orders)) for view in ("many epochs", "epochs"))
    assert long.series.keys() == set(rolling_views.MANY.states)
    for name, series in long.series.items():
        assert (series[: len(short.series[name])] == short.series[name]).all(), name
    for name in ("sigma^2", "S_sub", "q_mean", "nu_M2", "zeta_M2", "nu_own2", "a_bar2", "Phi"):
        assert long.parameters[name] == short.parameters[name], name


def test_floats_of_a_long_run_stay_within_their_bounds():
    one = InFloats(setup("many epochs", epochs=30))
    rough, exact = find(one), find(without_floats(one)[0])
    assert rough.errors.keys() == rough.series.keys()
    for name, errors in rough.errors.items():
        off = abs(rough.series[name] - exact.series[name].astype(float))
        assert (off <= errors + 1e-16 * abs(rough.series[name])).all(), name
        assert errors.max() < 1e-10


def test_a_quantity_that_the_state_does_not_enter_is_a_float_among_floats():
    """Of equal whole models: every gradient is that of F_M, and B_M^2(x) is 0 wherever x is."""
    whole = ((1, 1),)
    alike = tuple(part[:1] * 2 for part in PLANE)
    found = find(InFloats(setup("many epochs", cohort=alike, masks=(whole, whole), epochs=3)))
    assert {series.dtype.kind for series in found.series.values()} == {"f"}
    assert not found.series["B_M2_x"].any()


def test_numbers_are_those_of_the_earlier_engine():
    """Of the first epochs and the last, and the constants."""
    setups = {one.name: one.setup for one in planned()}
    kept = json.loads(DATA.read_text())
    assert len(kept) >= 20
    for name, own in kept.items():
        found = find(InFloats(setups[name]))
        numbers = {x.value: y.value for x, y in found.constants.items()} | dict(found.parameters)
        for key, value in own["constants"].items():
            assert str(numbers[key]) == value, (name, key)
        for key, values in own["series"].items():
            series = found.series[key]
            told = [float(series[at]) for at in (0, 1, 2, -1)]
            assert told == pytest.approx(values, rel=1e-11, abs=1e-12)
        # a bound, which is to be no larger than it was
        assert "B_M2" in numbers
        if "B_M2" in own:
            assert F(str(numbers["B_M2"])) <= F(own["B_M2"])


# ---- how large the dissimilarity may get


def visited(epochs, **more):
    """The largest over every outcome, and the bound."""
    long, short = (find(setup(x, epochs=epochs, **more)) for x in ("many epochs", "epochs"))
    return short.parameters["B_M2"], long.parameters["B_M2"]


CASES = [
    {"noise": 0},
    {"noise": 0, "orders": 2},
    {"noise": 0, "start": (0, 0), "eta": "1/6"},
    {"noise": "1/2", "start": (0, 0), "eta": "1/6"},
    {"noise": "1/2", "orders": 2, "start": (0, -1), "eta": "1/6"},
    {"cohort": OPPOSED, "noise": 0, "orders": 2, "start": (0, 0), "eta": "1/6"},
]


@pytest.mark.parametrize("more", CASES)
def test_what_every_outcome_visits_is_within_the_bound(more):
    for epochs in (1, 2, 3) if more["noise"] == 0 else (1, 2):
        largest, bound = visited(epochs, **more)
        assert largest <= bound
    assert bound < 40 * largest


def test_orders_that_are_thought_to_move_nothing_are_caught(monkeypatch):
    monkeypatch.setattr(reach.Reach, "_moved", property(lambda self: np.zeros(self.count)))
    largest, bound = visited(3, **CASES[-1])
    assert largest > bound


def test_a_run_without_draws_but_orders_is_not_silent():
    found = find(setup("many epochs", noise=0))
    assert found.parameters["B_M2"] > 0
    assert found.evidence[assumed.SHARED_ORDER].holds
    whole = ((1, 1),)
    alone = find(setup("many epochs", masks=(whole, whole), noise=0))
    assert alone.parameters["S_sub"] == fmpq(1)


def test_a_start_that_is_another_has_other_numbers():
    first, second = (find(setup("many epochs", start=start)) for start in ((1, -1), (1, 0)))
    assert (first.series["D_opt"] != second.series["D_opt"]).all()
    assert replace(setup("many epochs")).run.rounds == 2
