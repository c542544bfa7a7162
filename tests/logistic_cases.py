"""Logistic problems to test on, and their gradients sample by sample, without batching."""

import math

import numpy as np

from fedbounds.problems import Start, everyone
from fedbounds.problems.logistic import FederatedLogistic
from fedbounds.problems.logistic_data import federated_logistic


def synthetic(**options):
    sizes = {"clients": 3, "shared_dimension": 2, "personal_dimension": 3, "samples": 4}
    return federated_logistic(**({"heterogeneity": 0.7, "batch": 2, "seed": 1} | sizes | options))


CASES = {
    "n=3": synthetic(),
    "n=1": synthetic(clients=1, seed=2),
    "no personal block": synthetic(personal_dimension=0, seed=3),
    "no shared block": synthetic(shared_dimension=0, seed=4),
    "one sample": synthetic(samples=1, seed=5),
    "no regulariser": synthetic(regularisation=0.0, seed=6),
    "one direction": synthetic(shared_dimension=1, personal_dimension=1, samples=2, seed=7),
}


def by_hand(shared, personal, labels, rho=0.0, batch=None):
    arrays = (np.array(x, dtype=np.float64) for x in (shared, personal, labels))
    return FederatedLogistic(*arrays, regularisation=rho, batch=batch)


def width(problem):
    return problem.shared_dimension + problem.personal_dimension


def random_rows(problem, replicas, seed=0, size=3.0):
    shape = (problem.clients * replicas, width(problem))
    return np.random.default_rng(seed).standard_normal(shape) * size


def origin(problem):
    shape = (problem.clients, problem.personal_dimension)
    return Start(np.zeros(problem.shared_dimension), np.zeros(shape))


def constants(problem):
    return {name: found.value for name, found in problem.constants(origin(problem)).items()}


def parts(problem):
    d_u = problem.shared_dimension
    return slice(0, d_u), slice(d_u, None)


def sample_slopes(problem, i, z):
    """One gradient per sample of client i at the row z, without the regulariser; no batching."""
    rows = []
    for a, b, c in zip(
        problem.shared_features[i], problem.personal_features[i], problem.labels[i], strict=True
    ):
        x = [float(c * e) for e in (*a, *b)]
        score = math.fsum(e * p for e, p in zip(x, z, strict=True))
        weight = 1.0 / (1.0 + math.exp(score)) if score < 700.0 else 0.0
        rows.append([-weight * e for e in x])
    return np.array(rows)


def shrinkage(problem, z):
    blocks = [z[part] for part in parts(problem)]
    return np.concatenate(
        [2.0 * problem.regularisation * block / (1.0 + block @ block) ** 2 for block in blocks]
    )


def spread_of_points(problem, seed):
    """Rows near, at and far from the origin, many of them with weights near 0 and 1; 4000 each."""
    rng = np.random.default_rng(seed)
    z = rng.standard_normal((problem.clients, 4000, width(problem)))
    sizes = rng.choice([0.0, 1e-3, 0.3, 1.0, 10.0, 300.0], (problem.clients, 4000, 1))
    return z * sizes


def deviation(problem, z):
    """(1/n) sum_i ||grad_u f_i - mean||^2 in each replica, all clients at the first's u."""
    n, replicas, _ = z.shape
    shared = parts(problem)[0]
    z = z.copy()
    z[:, :, shared] = z[:1, :, shared]
    found = problem.gradient(z.reshape(n * replicas, -1), everyone(n, replicas))
    found = found.reshape(z.shape)[:, :, shared]
    return ((found - found.mean(axis=0)) ** 2).sum(axis=2).mean(axis=0), (found**2).sum(
        axis=2
    ).mean(axis=0)


def all_batches(problem, z):
    """Stochastic gradients of every client at its row of z, over all draws: (n, outcomes, d)."""
    draws = problem.noise_outcomes(1)[:, 0, :]
    count = len(draws)
    noise = np.tile(draws, (problem.clients, 1))
    found = problem.disturbed(
        np.repeat(z, count, axis=0), None, everyone(problem.clients, count), noise
    )
    return found.reshape(problem.clients, count, -1)
