"""Exact moments in float64: long runs, divergence, symmetry, and what is refused."""

from dataclasses import replace

import numpy as np
import pytest
import small_quadratics as small

from fedbounds.algorithms import fedavg_p
from fedbounds.algorithms.fedavg_p import Carry, with_effective_step
from fedbounds.errors import FedboundsError
from fedbounds.problems import (
    FederatedQuadratic,
    Noise,
    NoiseLaw,
    Start,
    federated_quadratic,
    to_rational,
)
from fedbounds.verify.affine import driver_of, read_off, state_size
from fedbounds.verify.moments import advance, exact_moments, initial_moment

NAMES = frozenset(small.TABLE_ONE)

# ---- long runs


@pytest.mark.parametrize("coupling", [0.0, 0.5])
def test_floats_and_rationals_agree(coupling):
    problem = federated_quadratic(
        clients=4, shared_dimension=2, personal_dimension=2, coupling=coupling,
        noise=Noise(NoiseLaw.GAUSSIAN, 0.5, 0.25), seed=5,
    )  # fmt: skip
    parameters = with_effective_step(2, 3, 0.1, 2.0, 1.5)
    rng = np.random.default_rng(0)
    start = Start(u=rng.standard_normal(2), v=rng.standard_normal((4, 2)))
    floats = exact_moments(problem, parameters, start, 6).series
    rationals = exact_moments(
        to_rational(problem), to_rational(parameters), to_rational(start), 6
    ).series
    for name in NAMES:
        expected = np.array([float(x) for x in rationals[name]])
        np.testing.assert_allclose(floats[name], expected, rtol=1e-12, err_msg=name)


def test_ten_thousand_rounds_with_noise_become_stationary():
    problem = federated_quadratic(
        clients=4, shared_dimension=2, personal_dimension=2, coupling=0.5,
        noise=Noise(NoiseLaw.GAUSSIAN, 1.0, 1.0), seed=2,
    )  # fmt: skip
    parameters = with_effective_step(2, 3, 0.1, 2.0, 2.0)
    start = Start(u=np.full(2, 10.0), v=np.full((4, 2), -10.0))
    found = exact_moments(problem, parameters, start, 10_000, names=NAMES)
    assert found.diverged_at is None
    for name in NAMES:
        series = found.series[name]
        assert series.shape == (10_001,)
        assert np.isfinite(series).all()
        np.testing.assert_allclose(series[5000:], series[-1], rtol=1e-11, err_msg=name)
    for name in ("f", "G_u", "G_v", "B", "T_2u", "T_2v", "T_3u", "E"):
        assert (found.series[name] > 0).all()


@pytest.mark.parametrize(("coupling", "floor"), [(0.0, 1e-150), (0.5, 1e-30)])
def test_a_noise_free_homogeneous_run_decays_to_nothing_and_never_below(coupling, floor):
    # with coupling the minimiser's rounding leaves slopes of 1e-17 that differ between clients
    one = federated_quadratic(
        clients=1, shared_dimension=2, personal_dimension=1, coupling=coupling,
        strong_convexity=0.2, seed=6,
    )  # fmt: skip
    problem = FederatedQuadratic(
        np.repeat(one.hessian, 4, axis=0), np.repeat(one.linear, 4, axis=0), 2
    )
    start = Start(u=np.array([1.0, -2.0]), v=np.full((4, 1), 0.5))
    found = exact_moments(
        problem, with_effective_step(2, 2, 0.1, 1.5, 1.5), start, 10_000, names=NAMES
    )
    assert found.diverged_at is None
    gap = found.series["f"]
    assert (np.diff(gap)[gap[:-1] > 2 * floor] < 0).all()
    for name in ("f", "G_u", "G_v", "B", "E"):
        assert (found.series[name] >= 0).all(), name
        assert found.series[name][-1] <= floor * max(1.0, found.series[name][0]), name


@pytest.mark.parametrize("seed", [1, 3])
def test_a_converged_tail_still_obeys_smoothness(seed):
    """G_u <= 2 L (f - inf f) and G_v likewise, although both have sunk to the squared rounding."""
    problem = federated_quadratic(
        clients=5, shared_dimension=2, personal_dimension=1, dissimilarity=4.0,
        strong_convexity=0.2, seed=seed,
    )  # fmt: skip
    start = Start(u=np.ones(2), v=np.ones((5, 1)))
    found = exact_moments(problem, with_effective_step(5, 1, 0.4), start, 3000, names=NAMES).series
    assert found["f"][-1] <= 1e-30
    for name in ("G_u", "G_v"):
        assert (found[name] >= 0).all()
        assert (found[name] <= 2 * found["f"] * (1 + 1e-9)).all(), name


def test_divergence_is_reported_with_its_round():
    hessian, linear = np.ones((1, 1, 1)), np.zeros((1, 1))
    problem = FederatedQuadratic(hessian, linear, shared_dimension=1)
    start = Start(u=np.ones(1), v=np.zeros((1, 0)))
    # u+ = -10 u, so G_u = u^2 = 10^(2t) overflows between t = 150 and 155
    found = exact_moments(problem, with_effective_step(1, 1, 11.0), start, 200)
    assert 150 <= found.diverged_at <= 155
    expected = 10.0 ** (2 * np.arange(found.diverged_at))
    np.testing.assert_allclose(found.series["G_u"], expected, rtol=1e-10)


def test_second_moments_stay_exactly_symmetric():
    """Else rounding feeds an antisymmetric part that may grow."""
    problem = federated_quadratic(
        clients=4, shared_dimension=2, personal_dimension=2, coupling=0.5,
        noise=Noise(NoiseLaw.GAUSSIAN, 1.0, 1.0), seed=2,
    )  # fmt: skip
    algorithm = with_effective_step(2, 3, 0.1, 2.0, 2.0)
    driver = driver_of(problem, algorithm)
    found = read_off(driver)
    moment = initial_moment(driver, problem, Start(u=np.ones(2), v=np.ones((4, 2))))
    for _ in range(50):
        moment = advance(found, moment)
        np.testing.assert_array_equal(moment, moment.T)


# ---- refusals


def test_a_state_too_large_is_refused():
    """Of many clients with few coordinates each, which are made in no time."""
    problem = FederatedQuadratic(np.zeros((751, 2, 2)), np.zeros((751, 2)), shared_dimension=0)
    driver = driver_of(problem, with_effective_step(1, 1, 0.1))
    assert state_size(driver) == 1502
    with pytest.raises(FedboundsError, match="its size is 1502, at most 1500 .* use sampling"):
        read_off(driver)


def clip_server(original):
    def server(algorithm, carry, drawn, reached):
        moved = original(algorithm, carry, drawn, reached)
        return Carry(u=np.clip(moved.u, -3.0, 3.0), v=moved.v)

    return server


def sign_of_participation(original):
    def server(algorithm, carry, drawn, reached):
        moved = original(algorithm, carry, drawn, reached)
        return Carry(u=moved.u, v=moved.v * drawn.present[:1, :, None])

    return server


@pytest.mark.parametrize("plant", [clip_server, sign_of_participation])
def test_a_round_that_is_not_affine_is_refused(plant, monkeypatch):
    problem = federated_quadratic(clients=3, shared_dimension=1, personal_dimension=1, seed=1)
    start = Start(u=np.ones(1), v=np.ones((3, 1)))
    parameters = with_effective_step(2, 2, 0.1)
    exact_moments(problem, parameters, start, 1)
    monkeypatch.setattr(fedavg_p, "server", plant(fedavg_p.server))
    with pytest.raises(FedboundsError, match="not affine in state, noise and participation"):
        exact_moments(problem, parameters, start, 1)


def test_a_round_that_is_not_affine_in_the_noise_is_refused(monkeypatch):
    """e^3 answers a unit probe as e does, and so would go unnoticed."""
    original = fedavg_p.local

    def local(problem, algorithm, carry, drawn, *visit):
        cubed = None if drawn.noise is None else drawn.noise**3
        return original(problem, algorithm, carry, replace(drawn, noise=cubed), *visit)

    problem = federated_quadratic(
        clients=3,
        shared_dimension=1,
        personal_dimension=1,
        noise=Noise(NoiseLaw.GAUSSIAN, 1.0, 1.0),
    )
    monkeypatch.setattr(fedavg_p, "local", local)
    with pytest.raises(FedboundsError, match="not affine"):
        exact_moments(
            problem, with_effective_step(2, 2, 0.1), Start(np.ones(1), np.ones((3, 1))), 1
        )


def test_wrong_shapes_and_too_many_participants_are_refused():
    problem = federated_quadratic(clients=3, shared_dimension=1, personal_dimension=1)
    start = Start(u=np.ones(1), v=np.ones((3, 1)))
    with pytest.raises(FedboundsError, match="participants m is 4"):
        exact_moments(problem, with_effective_step(4, 1, 0.1), start, 1)
    with pytest.raises(FedboundsError, match="shape of the start"):
        exact_moments(problem, with_effective_step(2, 1, 0.1), Start(start.u, start.v[:2]), 1)


def test_whole_outer_steps_serve_rationals_too():
    """`with_effective_step` has outer steps 1 unless told otherwise."""
    problem = federated_quadratic(clients=3, shared_dimension=1, personal_dimension=1)
    start = Start(u=np.ones(1), v=np.ones((3, 1)))
    parameters = with_effective_step(2, 2, 0.125)
    found = exact_moments(to_rational(problem), to_rational(parameters), to_rational(start), 2)
    expected = exact_moments(problem, parameters, start, 2)
    for name in NAMES:
        np.testing.assert_allclose(
            [float(x) for x in found.series[name]], expected.series[name], rtol=1e-12
        )


def test_a_start_too_far_to_square_diverges_at_once():
    problem = federated_quadratic(
        clients=1, shared_dimension=1, personal_dimension=0, strong_convexity=1.0
    )
    start = Start(u=np.array([1e200]), v=np.zeros((1, 0)))
    assert exact_moments(problem, with_effective_step(1, 1, 0.1), start, 3).diverged_at == 0
