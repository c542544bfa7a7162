"""Steady states against closed forms, long runs, and each way of computing them."""

import numpy as np
import pytest
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st

from fedbounds.algorithms.fedavg_p import FedAvgP, with_effective_step
from fedbounds.algorithms.scaffold_p import ScaffoldP
from fedbounds.problems import (
    FederatedQuadratic,
    Noise,
    NoiseLaw,
    Start,
    federated_quadratic,
    to_rational,
)
from fedbounds.verify import stationary
from fedbounds.verify.moments import exact_moments
from fedbounds.verify.plateau import plateau
from fedbounds.verify.stationary import NoPlateauError
from fedbounds.vocabulary import Quantity

G_U, G_V = Quantity.GRADIENT_U, Quantity.GRADIENT_V
whole = st.integers(1, 5)


def scaffold(algorithm):
    """Scaffold-P with the parameters of FedAvg-P."""
    return ScaffoldP(**vars(algorithm))


def scalar(curvature, slopes, scale, shared):
    """One coordinate per client, shared or personal, with one curvature, in rationals."""
    hessian = np.full((len(slopes), 1, 1), float(curvature))
    law = Noise(NoiseLaw.RADEMACHER, float(scale), float(scale))
    linear = np.array(slopes, dtype=float)[:, None]
    return to_rational(FederatedQuadratic(hessian, linear, int(shared), law))


def mixed(scale=1.0, own=True):
    """Three clients, d_u = d_v = 1, coupled, in float64."""
    shared = [2, 1, 2] if own else [2, 2, 2]
    coupling = [1, 0, -1] if own else [0, 0, 0]
    hessian = [[[a, c], [c, d]] for a, c, d in zip(shared, coupling, [2, 2, 1], strict=True)]
    linear = np.array([[1.0, 1.0], [-2.0, 0.0], [2.0, -1.0]])
    law = Noise(NoiseLaw.RADEMACHER, scale, scale)
    return FederatedQuadratic(np.array(hessian, dtype=float), linear, 1, law)


@given(a=whole, scale=whole, part=whole, K=st.integers(1, 4))
def test_one_client_has_the_stationary_variance_of_sgd(a, scale, part, K):
    gamma = fmpq(part, 6 * a)
    found = plateau(scalar(a, [3], scale, True), FedAvgP(1, K, gamma, gamma, fmpq(1), fmpq(1)))
    # x+ = (1 - gamma a) x + gamma noise, looked at every K steps
    variance = gamma * scale**2 / (a * (2 - gamma * a))
    assert found.quantities == {G_U: a**2 * variance, G_V: 0}
    assert found.rate.overlaps((1 - gamma * a) ** K)
    assert found.rate.rad() < 1e-6


@given(
    a=whole,
    scale=st.integers(0, 3),
    m=st.integers(1, 4),
    slopes=st.lists(whole, min_size=4, max_size=4),
)
def test_sampled_clients_add_their_spread(a, scale, m, slopes):
    gamma = fmpq(1, 3 * a)
    found = plateau(scalar(a, slopes, scale, True), FedAvgP(m, 1, gamma, gamma, fmpq(1), fmpq(1)))
    mean = fmpq(sum(slopes), 4)
    b2 = sum((x - mean) ** 2 for x in slopes) / 4
    noise = fmpq(scale**2, m) + fmpq(4 - m, 3 * m) * b2
    assert found.quantities[G_U] == a * gamma * noise / (2 - gamma * a)


@given(a=whole, scale=whole, m=st.integers(1, 3), part=whole)
def test_absence_slows_personal_models_and_does_not_move_their_steady_state(a, scale, m, part):
    gamma, share = fmpq(part, 3 * a), fmpq(m, 3)
    algorithm = FedAvgP(m, 1, gamma, gamma, fmpq(1), fmpq(1))
    found = plateau(scalar(a, [1, 2, 3], scale, False), algorithm)
    assert found.quantities == {G_U: 0, G_V: a * gamma * scale**2 / (2 - gamma * a)}
    # long steps shrink the mean faster than the square: present or absent, not in between
    first = abs(1 - share * gamma * a)
    second = 1 - share * (1 - (1 - gamma * a) ** 2)
    assert found.rate.overlaps(max(first, second))


CASES = [
    pytest.param(own, m, K, rule, id=f"{'own' if own else 'alike'} m={m} K={K} {name}")
    for own in (True, False)
    for m, K in ((1, 3), (2, 2), (3, 4))
    for name, rule in (("FedAvg-P", lambda a: a), ("Scaffold-P", scaffold))
]


@pytest.mark.parametrize(("own", "m", "K", "rule"), CASES)
def test_a_long_run_settles_there(own, m, K, rule):
    problem = mixed(own=own)
    algorithm = rule(with_effective_step(m, K, 0.1, 1.5, 1.25))
    found = plateau(problem, algorithm)
    start = Start(np.array([2.0]), np.array([[1.0], [-1.0], [0.5]]))
    run = exact_moments(problem, algorithm, start, 700).series
    for name in (G_U, G_V):
        assert found.quantities[name] == pytest.approx(run[name.value][-1], rel=1e-8)
    # the distance shrinks by no less than the rate allows
    distance = np.abs(run["G_u"] - found.quantities[G_U])
    seen = distance > 1e-9 * distance[0]
    last = int(np.flatnonzero(seen).max())
    assert (distance[last] / distance[last // 2]) ** (1 / (last - last // 2)) < found.rate + 1e-3


@pytest.mark.parametrize(("own", "m", "K", "rule"), CASES)
def test_rationals_and_floats_agree(own, m, K, rule):
    parameters = with_effective_step(m, K, fmpq(1, 64), fmpq(2), fmpq(2))
    exact = plateau(to_rational(mixed(own=own)), rule(parameters))
    floats = plateau(mixed(own=own), rule(with_effective_step(m, K, 1 / 64, 2.0, 2.0)))
    for name in (G_U, G_V):
        assert float(exact.quantities[name]) == pytest.approx(floats.quantities[name], rel=1e-11)
    assert float(exact.rate) == pytest.approx(floats.rate, abs=1e-8)
    assert exact.error == 0
    assert 0 <= floats.error < 1e-10


@pytest.mark.parametrize("rule", [lambda a: a, scaffold])
def test_products_with_the_map_give_what_its_matrix_gives(rule, monkeypatch):
    problem = federated_quadratic(
        clients=4, shared_dimension=2, personal_dimension=1, strong_convexity=0.3,
        coupling=0.2, noise=Noise(NoiseLaw.GAUSSIAN, 0.3, 0.2), seed=3,
    )  # fmt: skip
    algorithm = rule(with_effective_step(3, 3, 0.03, 1.5, 1.5))
    matrix = plateau(problem, algorithm)
    monkeypatch.setattr(stationary, "_MOST_DENSE", 0)
    products = plateau(problem, algorithm)
    for name in (G_U, G_V):
        assert products.quantities[name] == pytest.approx(matrix.quantities[name], rel=1e-9)
    assert products.rate == pytest.approx(matrix.rate, rel=1e-9)


def test_an_unstable_step_has_no_plateau():
    for problem, gamma in ((mixed(), 2.5), (to_rational(mixed()), fmpq(5, 2))):
        one = gamma / gamma
        with pytest.raises(NoPlateauError, match="not below one"):
            plateau(problem, FedAvgP(2, 2, gamma, gamma, one, one))


def flat(coupling):
    """One client, a singular Hessian with (1, -1) or (0, 1) in its kernel, and noise."""
    hessian = np.array([[[1.0, coupling], [coupling, coupling]]])
    return FederatedQuadratic(hessian, np.zeros((1, 2)), 1, Noise(NoiseLaw.RADEMACHER, 1.0, 1.0))


def test_a_random_walk_that_no_gradient_sees_is_left_out():
    """v walks off; its gradient is zero, and the shared gradient settles."""
    found = plateau(flat(0.0), FedAvgP(1, 1, 0.5, 0.5, 1.0, 1.0))
    assert found.quantities == {G_U: pytest.approx(1 / 3), G_V: 0}


def test_a_random_walk_of_what_gradients_are_made_of_has_no_plateau():
    for problem, step in ((flat(1.0), 0.25), (to_rational(flat(1.0)), fmpq(1, 4))):
        one = step / step
        with pytest.raises(NoPlateauError, match="no plateau"):
            plateau(problem, FedAvgP(1, 1, step, step, one, one))


@given(factor=whole, m=st.integers(1, 3))
def test_noise_enters_by_its_variance(factor, m):
    """Without drift the steady state is the noise's: a sign or a square lost would show."""
    problem = FederatedQuadratic(mixed(own=False).hessian, np.zeros((3, 2)), 1, mixed().noise)
    louder = FederatedQuadratic(problem.hessian, problem.linear, 1, mixed(float(factor)).noise)
    algorithm = scaffold(with_effective_step(m, 2, fmpq(1, 16), fmpq(2), fmpq(2)))
    one, more = (plateau(to_rational(p), algorithm).quantities for p in (problem, louder))
    assert one[G_U] > 0
    assert more == {name: value * factor**2 for name, value in one.items()}


def test_a_run_without_noise_or_drift_settles_at_zero():
    problem = to_rational(mixed(scale=0.0))
    algorithm = scaffold(with_effective_step(1, 3, fmpq(1, 32), fmpq(2), fmpq(2)))
    assert plateau(problem, algorithm).quantities == {G_U: 0, G_V: 0}
