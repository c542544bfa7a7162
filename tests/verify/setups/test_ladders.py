"""Families over one parameter: exact limits, exponents beside the bound's; courses over time."""

import json
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from flint import fmpq
from many_runs import many

from fedbounds.theory.fedplt.ladders import FLOORS, RATES, RECURSIONS
from fedbounds.theory.fedplt.long_runs import (
    DECAYING,
    LONGER,
    PARTIAL,
    own_minimisers,
    partial_masks,
    run_of,
    setup,
    shared_minimiser,
)
from fedbounds.theory.fedplt.symbols import psi_max, rho_min
from fedbounds.theory.language.registry import displayed
from fedbounds.theory.language.symbols import eta, mu, t, tau
from fedbounds.verify.decide.profile import Profile
from fedbounds.verify.measure.evaluate import Numbers, evaluate
from fedbounds.verify.measure.unknowns import Refused
from fedbounds.verify.setups import ladders as module
from fedbounds.verify.setups.ladders import course, exponent, ladder, ladder_cases, limit, rungs

FLOOR = FLOORS[0]


def floor(run):
    return limit(FLOOR, setup(run))


def test_the_floor_of_one_curvature_is_the_closed_form():
    """One coordinate at a time: eta^2 s^2 sum_k c_k^2 / (1 - (1 - eta h)^2), and 0 bias."""
    same = ((1, 0), (0, 2))
    run = run_of((same, same), ((0, 0), (0, 0)), (3, 1), 5, noise="1/2", eta="1/8")
    step, total = fmpq(1, 8), fmpq(0)
    for h in (1, 2):
        total += step**2 * fmpq(1, 4) * fmpq(5, 9) / (1 - (1 - step * h) ** 2)
    assert floor(run) == total


@pytest.mark.parametrize(
    ("noise", "tau", "masks"),
    [("1/2", 3, ((1, 1), (1, 1))), ("1/2", 2, PARTIAL), (0, 4, ((1, 1), (1, 1)))],
)
def test_the_floor_is_where_a_long_run_ends(noise, tau, masks):
    run = own_minimisers(600, noise=noise, tau=tau, eta="1/8", masks=masks)
    known = many(setup(run), floats=True)
    last, error = known.series("D_W")[-1], known.errors_of("D_W")[-1]
    assert abs(last - float(floor(run))) <= error + 1e-15


def test_ten_thousand_rounds_end_at_the_exact_limit():
    run = own_minimisers(10_000, noise="1/2", tau=5, eta="1/64")
    known = many(setup(run), floats=True)
    assert abs(known.series("D_W")[-1] - float(floor(run))) <= known.errors_of("D_W")[-1]


def test_what_has_no_limit_is_a_record_that_says_why():
    run = own_minimisers(5, noise="1/2", eta=3)
    with pytest.raises(Refused, match="no power of a round is shown to contract"):
        floor(run)
    with pytest.raises(Refused, match="eta changes from round to round"):
        floor(own_minimisers(5, eta=DECAYING, z=1))
    shown = ladder(replace(FLOOR, setups=(setup(run),), values=(3,)), Profile.QUICK)
    assert shown["series"]["floor of D^t"] == [None]
    assert "not measured: no power" in shown["name"]


def test_the_limit_with_partial_masks_is_the_owners_minimiser_at_any_step_size():
    assert {floor(partial_masks(5, f"1/{2**power}")) for power in (3, 6, 9)} == {fmpq(1)}


def test_powers_of_the_bound():
    large = {tau, psi_max}
    every = (eta, tau, psi_max, rho_min, mu)
    found = [exponent(FLOOR.power, x, large=x in large) for x in every]
    assert found == ["1", "2", "2", "-1", "-1"]


@cache
def shown():
    return [ladder(family, Profile.QUICK) for family in FLOORS]


def test_records_are_plain_json_with_an_exponent():
    assert json.loads(json.dumps(shown())) == shown()
    for record in shown():
        assert {len(record["values"])} == {len(own) for own in record["series"].values()}
        assert record["fit"]["low"] <= record["fit"]["exponent"] <= record["fit"]["high"]


def test_measured_exponents():
    """Linear in eta with noise, quadratic without; none with partial masks; none in 1/rho."""
    fits = [round(record["fit"]["exponent"], 1) for record in shown()]
    names = [record["parameter"] for record in shown()]
    assert list(zip(names[:3], fits[:3], strict=True)) == [("eta", 1.0), ("eta", 2.0), ("eta", 0.0)]
    assert (names[3], fits[3], names[-1], fits[-1]) == ("tau", 0.0, "rho_min", 0.0)
    for record in (shown()[0], shown()[3], shown()[-1]):
        bound = module._fit(record["values"], record["series"]["bound on it"])
        assert float(record["fit"]["symbolic"]) == pytest.approx(bound["exponent"], abs=0.05)


def test_values_that_set_ups_show_ascend():
    values = [value for value, _ in rungs(FLOORS[-1], Profile.QUICK)]
    assert FLOORS[-1].over == rho_min
    assert values == sorted(values)
    assert len(set(values)) == len(values) == 4


def test_the_first_rungs_are_cases_of_their_own():
    cases = list(ladder_cases("fedplt", "FedPLT", Profile.QUICK))
    assert len({case.name for case in cases}) == len(cases) == 8 * 3


def test_a_wrong_limit_is_seen(monkeypatch):
    """Planted: the noise of a round counted once too often."""
    run = shared_minimiser(800, noise="1/2", eta="1/8")
    known = many(setup(run), floats=True)
    right = module.limit_of
    monkeypatch.setattr(module, "limit_of", lambda rounds, forms: 2 * right(rounds, forms))
    assert abs(known.series("D_W")[-1] - float(floor(run))) > 100 * known.errors_of("D_W")[-1]


# ---- over time


def closed(steps, at):
    return evaluate(RECURSIONS[steps], Numbers({"t": fmpq(at)}, {}, fmpq))


@pytest.mark.parametrize("start", [fmpq(0), fmpq(7)])
def test_closed_forms_of_the_recursion(start):
    """Whatever D^0 is: the first step forgets it."""
    for steps, step in (
        (DECAYING, lambda at: fmpq(1) / (at + 1)),
        (LONGER, lambda at: fmpq(2) / (at + 2)),
    ):
        D = start
        for at in range(30):
            D = (1 - step(at)) * D + step(at) ** 2
            assert closed(steps, at + 1) == D


def test_the_recursion_alone_is_slower_than_one_over_t():
    """t D^t = H_t grows without bound, so no C is large enough for all t."""
    assert closed(DECAYING, 10_000) * 10_000 > 9
    assert all(at * closed(LONGER, at) < 4 for at in (1, 100, 10_000))


def test_courses_over_time():
    found = {one.name: course(one, Profile.QUICK) for one in RATES}
    fits = {name: record["fit"] for name, record in found.items()}
    alone = fits["recursion with equality, steps 1/(z(t+1))"]
    assert alone["high"] < -0.8
    assert alone["low"] > -0.95
    near = {
        "recursion with equality, steps 2/(z(t+2))": -1,
        "full masks, own minimisers, noise, steps 1/(z(t+1))": -1,
        "partial masks, own minimisers, noise, steps 1/(z(t+1))": 0,
    }
    for name, power in near.items():
        assert fits[name]["exponent"] == pytest.approx(power, abs=0.03), name
    for record in found.values():
        assert np.all(np.diff(record["values"]) > 0)
    planted = course(replace(RATES[0], what=1 / t), Profile.QUICK)
    assert planted["fit"]["exponent"] == pytest.approx(-1, abs=1e-9)


def test_what_stands_beside_claims_is_data_of_the_theory():
    assert set(displayed("fedplt")) == {
        "fedplt/constant-step-floor", "fedplt/decaying-step", "fedplt/exact-convergence",
    }  # fmt: skip
    assert set(displayed("submodel")) == {
        "submodel/claim-residual", "submodel/claim-variance", "submodel/claim-def2",
    }  # fmt: skip
