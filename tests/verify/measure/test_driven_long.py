"""Driven moments over thousands of rounds: stationary, decaying to nothing, diverging."""

import numpy as np
import pytest
import small_quadratics as small
from personal_cases import alike, case, coupled, quadratics, run, sizes

from fedbounds.verify.decide.case import find
from fedbounds.verify.decide.measurement import measure
from fedbounds.verify.setups.found import driven_of, view_of

NAMES = small.TABLE_ONE


def test_ten_thousand_rounds_with_noise_become_stationary():
    problem = coupled(3, noise=1, law="gaussian")
    own = run(problem, sizes(2, 3, "1/10", 2, 2), 10_000, (10, 10, -10, -10, -10))
    found = measure(case(own, many=True))
    assert found.diverged_at is None
    for name in NAMES:
        series = found.numbers.series[name].reshape(-1)
        assert len(series) in (10_000, 10_001)
        assert np.isfinite(series).all()
        np.testing.assert_allclose(series[5000:], series[-1], rtol=1e-9, err_msg=name)
    for name in ("f", "G_u", "G_v", "B", "T_2u", "T_2v", "T_3u", "E"):
        assert (found.numbers.series[name] > 0).all()


@pytest.mark.parametrize("coupling", [0, "1/4"])
def test_a_noise_free_homogeneous_run_decays_and_is_below_nothing_by_its_bound_alone(coupling):
    hessian = (("1/2", 0, coupling), (0, 1, 0), (coupling, 0, "1/2"))
    problem = quadratics([hessian] * 4, [(1, -1, 2)] * 4)
    own = run(problem, sizes(2, 2, "1/10", "3/2", "3/2"), 10_000, (1, -2, *["1/2"] * 4))
    found = measure(case(own, many=True))
    assert found.diverged_at is None
    series, errors = found.numbers.series, found.numbers.errors
    gap, doubt = series["f"], errors["f"]
    told = gap[:-1] > 2 * (doubt[:-1] + doubt[1:])
    assert told.sum() > 50
    assert (np.diff(gap)[told] < 0).all()
    for name in ("f", "G_u", "G_v", "B", "E"):
        assert (series[name] >= -errors[name]).all(), name
        assert series[name][-1] <= errors[name][-1] + 1e-150, name


@pytest.mark.parametrize("seed", [1, 3])
def test_a_converged_tail_still_obeys_smoothness(seed):
    """G_u <= 2 L (f - inf f) and G_v likewise within bounds of rounding, however small both are."""
    own = run(alike(5, seed=seed, apart=2), sizes(5, 1, "2/5"), 3000)
    found = measure(case(own, many=True)).numbers
    series, errors = found.series, found.errors
    assert series["G_v"][-1] <= 1e-20 * series["G_v"][0]
    assert series["f"][-1] <= errors["f"][-1] <= 1e-12 * series["f"][0]
    for name in ("G_u", "G_v"):
        doubt = errors[name] + 2 * errors["f"]
        assert (series[name] >= -errors[name]).all()
        assert (series[name] <= 2 * series["f"] * (1 + 1e-9) + doubt).all(), name


def test_divergence_is_reported_with_its_round():
    """u+ = -10 u, so G_u = u^2 = 10^(2t) overflows between t = 150 and 155."""
    own = run(quadratics([((1,),)], [(0,)], personal=0), sizes(1, 1, 11), 200, (1,))
    found = measure(case(own))
    assert 150 <= found.diverged_at <= 155
    series = found.numbers.series["G_u"]
    expected = 10.0 ** (2 * np.arange(found.diverged_at))
    np.testing.assert_allclose(series[: found.diverged_at], expected, rtol=1e-10)
    drift = found.numbers.series["E_ik"][..., : found.diverged_at - 1]
    assert np.isfinite(drift).all()


def test_second_moments_stay_exactly_symmetric():
    """Else rounding feeds an antisymmetric part that may grow."""
    own = run(coupled(3, noise=1), sizes(2, 3, "1/10", 2, 2), 50)
    setup = case(own).setup.setup
    moments = driven_of(setup, view_of(setup)).trace.moments
    assert len(moments) >= 50
    for moment in moments:
        np.testing.assert_array_equal(moment, moment.T)


def test_a_state_too_large_is_told_not_tried():
    problem = quadratics([((1, 0), (0, 1))] * 751, [(0, 0)] * 751, personal=2)
    found = find(case(run(problem, sizes(1, 1, "1/10"), 1), many=True).setup)
    assert not found.series
    assert any("1502" in why or "1,502" in why for why in found.missing.values()), found.missing


def test_heterogeneity_leaves_no_floor_where_averaging_has_one():
    """Own curvature, no noise, one of three clients a round: the controls remove the floor."""
    own = run(coupled(3), sizes(1, 3, "1/10"), 3000)
    corrected, plain = (
        measure(case(own, rule=rule, many=True)).numbers for rule in ("Scaffold-P", "FedAvg-P")
    )
    last = [one.series["G_u"][-1] for one in (corrected, plain)]
    assert last[0] < 1e-9 < 1e-4 < last[1]


def test_a_start_whose_squares_are_beyond_floats_is_refused_and_told():
    at = f"1{'0' * 200}"
    own = run(coupled(3), sizes(2, 2, "1/10"), 5, [at] * 5)
    found = find(case(own, many=True).setup)
    assert not found.series
    assert set(found.missing.values()) == {
        "squares of the start are beyond floats; moments are too large for floats"
    }
