"""Ladders of FedPLT: exact floors, exponents beside the bound's, and rates over time."""

import json
from dataclasses import replace

import numpy as np
import pytest
from flint import fmpq

from fedbounds.errors import FedboundsError
from fedbounds.theory.symbols import eta, mu, psi_max, rho_min, tau
from fedbounds.verify.fedplt import ladders as module
from fedbounds.verify.fedplt.ladders import (
    floor,
    ladder_cases,
    ladder_records,
    rate_records,
    recursion_alone,
    recursion_longer,
    symbolic_exponent,
)
from fedbounds.verify.fedplt.long_runs import run
from fedbounds.verify.fedplt.long_runs_plan import (
    FULL,
    PARTIAL,
    diagonal,
    own_minimisers,
    partial_masks,
    quadratics,
    shared_minimiser,
)
from fedbounds.verify.profile import Profile

HALF = fmpq(1, 2)


def test_the_floor_of_one_curvature_is_the_closed_form():
    """d = 1 coordinate at a time: eta^2 s^2 sum_k c_k^2 / (1 - (1 - eta h)^2), and 0 bias."""
    setup = shared_minimiser(HALF, 1, fmpq(1, 8))
    problem = quadratics(diagonal((1, 2), (1, 2)), [[0, 0], [0, 0]], HALF)
    step, total = fmpq(1, 8), fmpq(0)
    for h in (1, 2):
        total += step**2 * fmpq(1, 4) * fmpq(5, 9) / (1 - (1 - step * h) ** 2)
    assert floor(replace(setup, problem=problem)) == total


@pytest.mark.parametrize("setup", [
    own_minimisers(HALF, 3, fmpq(1, 8)),
    own_minimisers(HALF, 2, fmpq(1, 8), PARTIAL),
    own_minimisers(0, 4, fmpq(1, 8), FULL),
])  # fmt: skip
def test_the_floor_is_where_a_long_run_ends(setup):
    found = run(replace(setup, rounds=600)).moments
    assert abs(found.distance[-1] - float(floor(setup))) <= found.distance_error[-1] + 1e-15


def test_a_run_that_does_not_contract_has_no_floor():
    with pytest.raises(FedboundsError, match="no limit"):
        floor(own_minimisers(HALF, 1, fmpq(3)))


def test_the_limit_with_partial_masks_is_the_owners_minimiser_at_any_step_size():
    assert {floor(partial_masks(fmpq(1, 2**power), 5)) for power in (3, 6, 9)} == {fmpq(1)}


def test_powers_of_the_bound():
    assert [symbolic_exponent(x) for x in (eta, tau, psi_max, rho_min)] == ["1", "2", "2", "-1"]
    assert symbolic_exponent(mu) == "-1"


@pytest.fixture(scope="module")
def records():
    return ladder_records(Profile.QUICK)


def test_records_are_plain_json_with_both_exponents(records):
    assert json.loads(json.dumps(records)) == records
    for record in records:
        lengths = {len(record[name]) for name in ("values", "measured", "bound")}
        assert lengths == {len(record["values"])}
        fit = record["measured_fit"]
        assert fit["low"] <= fit["exponent"] <= fit["high"]


def test_measured_exponents(records):
    """Linear in eta with noise, quadratic without; none with partial masks; none in 1/rho."""
    fits = [round(record["measured_fit"]["exponent"], 1) for record in records]
    names = [record["parameter"] for record in records]
    assert list(zip(names[:3], fits[:3], strict=True)) == [("eta", 1.0), ("eta", 2.0), ("eta", 0.0)]
    assert (names[3], fits[3], names[-1], fits[-1]) == ("tau", 0.0, "rho_min", 0.0)
    for record in (records[0], records[3], records[-1]):
        assert float(record["symbolic"]) == pytest.approx(record["bound_fit"]["exponent"], abs=0.05)


def test_the_first_rungs_are_cases_of_their_own():
    cases = list(ladder_cases(Profile.QUICK, 0))
    assert len({case.name for case in cases}) == len(cases) == 8 * 3


# ---- over time


@pytest.mark.parametrize("start", [fmpq(0), fmpq(7)])
def test_closed_forms_of_the_recursion(start):
    """Whatever D^0 is: the first step forgets it."""
    for closed, step in (
        (recursion_alone, lambda t: fmpq(1) / (t + 1)),
        (recursion_longer, lambda t: fmpq(2) / (t + 2)),
    ):
        D = start
        for t in range(30):
            D = (1 - step(t)) * D + step(t) ** 2
            assert closed(t + 1) == D


def test_the_recursion_alone_is_slower_than_one_over_t():
    """t D^t = H_t grows without bound, so no C is large enough for all t."""
    assert recursion_alone(10_000) * 10_000 > 9
    assert all(t * recursion_longer(t) < 4 for t in (1, 100, 10_000))


def test_rates_over_time(monkeypatch):
    found = {record["name"]: record for record in rate_records(Profile.QUICK)}
    alone = found["recursion with equality, steps 1/(z(t+1))"]
    assert alone["last_decade"]["high"] < -0.8
    assert alone["last_decade"]["low"] > -0.95
    longer = found["recursion with equality, steps 2/(z(t+2))"]
    assert longer["last_decade"]["exponent"] == pytest.approx(-1, abs=0.03)
    noisy = found["full masks, own minimisers, noise, steps 1/(z(t+1))"]
    assert noisy["last_decade"]["exponent"] == pytest.approx(-1, abs=0.03)
    stuck = found["partial masks, own minimisers, noise, steps 1/(z(t+1))"]
    assert stuck["last_decade"]["exponent"] == pytest.approx(0, abs=0.01)
    assert np.all(np.diff(alone["rounds"]) > 0)
    monkeypatch.setattr(module, "recursion_alone", lambda t: fmpq(1, t))  # planted
    planted = rate_records(Profile.QUICK)[0]
    assert planted["last_decade"]["exponent"] == pytest.approx(-1, abs=1e-9)
