"""Small quadratics for sub-model training, and moments of enumerated runs."""

import numpy as np
import rounds_enumerated
from flint import fmpq

from fedbounds.algorithms import sub_models
from fedbounds.algorithms.random_masks import RandomMasks
from fedbounds.algorithms.sub_models import RANDOM
from fedbounds.problems import FederatedQuadratic, Noise, NoiseLaw, Start, to_rational
from fedbounds.verify.measure.clients import Clients
from fedbounds.verify.measure.moments import moments
from fedbounds.verify.measure.subject import Subject


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


def traced(problem, algorithm, begun, rounds):
    """The same of random or static masks, by exact moments of the traced algorithm."""
    found = moments(subject(problem, algorithm, begun, rounds)).values
    d = problem.shared_dimension
    means = np.array([[each[0, 1 + a] for a in range(d)] for each in found], dtype=object)
    seconds = [
        [[each[1 + min(a, b), 1 + max(a, b)] for b in range(d)] for a in range(d)] for each in found
    ]
    return means, np.array(seconds, dtype=object) - means[:, :, None] * means[:, None, :]


def subject(problem, algorithm, begun, rounds):
    """What is traced of such a run."""
    values = {"K": algorithm.local_steps, "eta": algorithm.inner_step_u}
    if isinstance(algorithm, RandomMasks):
        return Subject(RANDOM, Clients(problem), begun.u, values | {"keep": algorithm.keep}, rounds)
    rule = sub_models.OVER_HOLDERS if algorithm.average_over_holders else sub_models.STATIC
    return Subject(rule, Clients(problem), begun.u, values | {"masks": algorithm.masks}, rounds)


def same(found, expected):
    """Moments in rationals equal those of an enumeration."""
    mean, covariance = expected
    assert (found.mean + found.centre == mean).all()
    assert (found.covariance == covariance).all()
