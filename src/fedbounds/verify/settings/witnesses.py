"""Points at which an assumption on all of R^d fails, beside the proofs that there are always some.

The length along a coordinate doubles until the point shows it, in rationals.
"""

from itertools import count

import numpy as np
from flint import fmpq

from fedbounds.algorithms.fedplt_rows import shares

from .alignment import products
from .exhibits import Exhibit
from .iterates import Box, minimiser

_BOUND = fmpq(10**6)  # a G^2 to exceed; any other number is exceeded farther away


def large_gradient(exhibit: Exhibit) -> str:
    """A point with ||grad F||^2 above a given bound; exists where F is strongly convex."""
    problem, best = exhibit.problem, minimiser(exhibit.problem, exhibit.algorithm)
    c = np.array(shares(exhibit.algorithm), dtype=object)
    hessian, slope = np.tensordot(c, problem.hessian, 1), np.tensordot(c, problem.linear, 1)
    for power in count():
        W = best.copy()
        W[0] += fmpq(2) ** power
        gradient = hessian @ W + slope
        if gradient @ gradient > _BOUND:
            return (
                f"||grad F||^2 = {gradient @ gradient} > {_BOUND} at W = {_shown(W)}, and grows "
                "with the distance from W*"
            )
    raise AssertionError("unreachable")


def far_from_alignment(exhibit: Exhibit) -> str:
    """A point along a coordinate that a mask leaves out, where rho_k is 0."""
    best = minimiser(exhibit.problem, exhibit.algorithm)
    k, i = next(
        (k, mask.index(0)) for k, mask in enumerate(exhibit.algorithm.masks) if not all(mask)
    )
    for power in count():
        W = best.copy()
        W[i] += fmpq(2) ** power
        whole, masked = products(exhibit, k, Box(W, W * 0), best)
        if whole.low > 0:
            return (
                f"at W = {_shown(W)} client {k} has <m_k o grad F_k, W - W*> = {masked.low} and "
                f"<grad F_k, W - W*> = {whole.low}, so rho_k = {masked.low / whole.low}"
            )
    raise AssertionError("unreachable")


def _shown(W: np.ndarray) -> str:
    return f"({', '.join(map(str, W))})"
