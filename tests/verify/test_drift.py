"""Drift per client and local step: against a slow recursion of means and variances."""

import numpy as np
import pytest
from flint import fmpq

from fedbounds.algorithms.fedavg_p import with_effective_step
from fedbounds.algorithms.scaffold_p import ScaffoldP
from fedbounds.problems import (
    FederatedQuadratic,
    Noise,
    NoiseLaw,
    Start,
    federated_quadratic,
    to_rational,
)
from fedbounds.verify.moments import exact_drift, exact_moments

NOISE = Noise(NoiseLaw.GAUSSIAN, 0.4, 0.2)


@pytest.mark.parametrize("steps", [1, 2, 5])
@pytest.mark.parametrize("kind", ["FedAvg-P", "Scaffold-P"])
def test_it_adds_up_to_the_whole_drift(steps, kind):
    problem = federated_quadratic(
        clients=3, shared_dimension=2, personal_dimension=1, coupling=0.3, noise=NOISE
    )
    start = Start(np.ones(2), np.ones((3, 1)))
    algorithm = with_effective_step(2, steps, 0.1, 1.5, 2.0)
    if kind == "Scaffold-P":
        algorithm = ScaffoldP(**vars(algorithm))
    drift = exact_drift(problem, algorithm, start, 4)
    assert drift.shape == (3, steps, 5)
    assert not drift[:, 0].any()
    whole = exact_moments(problem, algorithm, start, 4).series["E"]
    np.testing.assert_allclose(drift.sum(axis=(0, 1)), whole, rtol=1e-12, atol=1e-300)


def test_the_first_round_is_the_recursion_of_mean_and_variance():
    """u_{k+1} = u_k - g (A_i u_k + a_i + noise): mean and variance by hand, client by client."""
    curvature, slope, inner, scale = [2.0, 0.5], [1.0, -3.0], 0.1, 0.4
    problem = FederatedQuadratic(
        np.array(curvature)[:, None, None], np.array(slope)[:, None], 1,
        Noise(NoiseLaw.GAUSSIAN, scale, 0.0),
    )  # fmt: skip
    algorithm = with_effective_step(1, 4, inner)
    drift = exact_drift(problem, algorithm, Start(np.ones(1), np.zeros((2, 0))), 0)
    for i in range(2):
        mean, variance = 1.0, 0.0
        for k in range(4):
            expected = (mean - 1.0) ** 2 + variance
            assert drift[i, k, 0] == pytest.approx(expected, rel=1e-12, abs=1e-15)
            mean -= inner * (curvature[i] * mean + slope[i])
            variance = (1 - inner * curvature[i]) ** 2 * variance + (inner * scale) ** 2


def test_rationals_are_exact():
    problem = to_rational(
        federated_quadratic(clients=2, shared_dimension=1, personal_dimension=1, noise=NOISE)
    )
    start = to_rational(Start(np.ones(1), np.ones((2, 1))))
    algorithm = with_effective_step(1, 3, fmpq(1, 16), fmpq(3, 2), fmpq(2))
    drift = exact_drift(problem, algorithm, start, 2)
    whole = exact_moments(problem, algorithm, start, 2).series["E"]
    assert list(drift.sum(axis=(0, 1))) == list(whole)
