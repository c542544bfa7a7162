"""Small quadratics for sub-model training."""

import numpy as np
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
