"""Small quadratics for sub-model training, and moments of enumerated runs."""

import numpy as np
import rounds_enumerated
from flint import fmpq

from fedbounds.problems import FederatedQuadratic, Noise, NoiseLaw, Start, to_rational


def quadratic(n, d, noise=0.0, seed=0, groups=None):
    """Entries are small eighths, so that floats are the same numbers."""
    rng = np.random.default_rng(seed)
    hessian = rng.integers(-2, 3, (n, d, d))
    hessian = hessian + hessian.transpose(0, 2, 1) + 8 * np.eye(d, dtype=int)
    if groups is not None:
        hessian = hessian * (np.array(groups)[:, None] == np.array(groups)[None, :])
    linear = rng.integers(-3, 4, (n, d))
    law = Noise(NoiseLaw.RADEMACHER, noise, 0.0)
    return to_rational(FederatedQuadratic(hessian / 8, linear / 2, d, law))


def start(n, d):
    u = np.array([fmpq(3 - 2 * j, 4) for j in range(d)], dtype=object)
    return Start(u, np.zeros((n, 0), dtype=object))


def floats(array):
    flat = [float(fmpq(x)) for x in np.asarray(array, dtype=object).reshape(-1)]
    return np.array(flat).reshape(np.shape(array))


def float_start(given):
    return Start(floats(given.u), np.zeros(given.v.shape))


def enumerated(problem, algorithm, begun, rounds):
    """E w^r and Cov w^r of every round of rolling masks, in every order."""
    run = rounds_enumerated.enumerate_rounds(problem, algorithm, begun, rounds)
    means, covariances = [], []
    for states in run.states:
        mean = rounds_enumerated.expectation(states, states.points)
        apart = states.points - mean
        second = rounds_enumerated.expectation(states, apart[:, :, None] * apart[:, None, :])
        means.append(mean)
        covariances.append(second)
    return np.stack(means), np.stack(covariances)


def same(found, expected):
    """Moments in rationals equal those of an enumeration."""
    mean, covariance = expected
    assert (found.mean + found.centre == mean).all()
    assert (found.covariance == covariance).all()
