"""What points of the domain show of a masked objective, in rationals: one entry per point.

Where there are few masks each is visited, so that closed forms are held against the definition.
"""

from typing import Any

import numpy as np

from fedbounds.problems import FederatedQuadratic
from fedbounds.problems.cohort import everyone
from fedbounds.problems.masked import at
from fedbounds.problems.masked_enumeration import MaskedClients, enumerated
from fedbounds.problems.masked_laws import Bernoulli, Law
from fedbounds.vocabulary import Quantity

from .objectives_masks import kept, root, total

Array = Any
_FEW = 5  # coordinates, for which all masks are visited
_MOST = 6  # coordinates, for the largest gradient over all masks


def moments(problem: FederatedQuadratic, law: Law, w: Array) -> MaskedClients:
    """Moments over the masks of every client."""
    visited = len(w) <= _FEW
    return enumerated(problem, law, w) if visited else at(problem, law, w)


def gradient(problem: FederatedQuadratic, law: Law, w: Array) -> Array:
    """grad F_p."""
    return moments(problem, law, w).gradients.sum(axis=0) / problem.clients


def own_gradients(problem: FederatedQuadratic, w: Array) -> Array:
    """grad f_i of every client."""
    return (problem.hessian * w).sum(axis=2) + problem.linear


def square(vector: Array) -> Any:
    """||vector||^2."""
    return (vector * vector).sum()


def point_rows(
    problem: FederatedQuadratic, law: Law, other: Law | None, points: Array
) -> list[dict[Quantity, Any]]:
    """Quantities of every point, and of its pair with the next."""
    slopes = [gradient(problem, law, w) for w in points]
    rows = []
    for t, w in enumerate(points):
        after = (t + 1) % len(points)
        move, turn = w - points[after], slopes[t] - slopes[after]
        row = {
            Quantity.MASKED_SLOPE: (turn * move).sum(),
            Quantity.PAIR_DISTANCE: square(move),
            Quantity.PAIR_GRADIENTS: square(turn),
        }
        rows.append(row | _at_point(problem, law, other, w, slopes[t]))
    return rows


def _at_point(
    problem: FederatedQuadratic, law: Law, other: Law | None, w: Array, slope: Array
) -> dict[Quantity, Any]:
    own = own_gradients(problem, w)
    full = own.sum(axis=0) / problem.clients
    found = {
        Quantity.MASK_GAP: square(slope - full),
        Quantity.POINT_NORM: square(w),
        Quantity.POINT_ABSOLUTE: abs(w).sum(),
        Quantity.GRADIENT_FULL: square(full),
        Quantity.GRADIENT_MASKED: square(slope),
    }
    keep = kept(law)
    if keep is not None:
        missed = [(1 - p) * root(square(g)) for p, g in zip(keep, own, strict=True)]
        found[Quantity.MISSED_GRADIENTS] = total(missed) / len(keep)
    if len(w) <= _MOST:
        found[Quantity.MASKED_GRADIENT_MAX] = largest_gradient(problem, w)
    if other is not None:
        found[Quantity.MASK_GAP_PAIR] = square(slope - gradient(problem, other, w))
    return found | _closed_forms(problem, law, w, full)


def largest_gradient(problem: Any, w: Array) -> Any:
    """Largest ||grad f_i(m . w)||^2 over clients and all masks."""
    n, d = problem.clients, len(w)
    masks = (np.arange(2**d)[:, None] >> np.arange(d)) & 1
    rows = np.concatenate([masks * w] * n)
    slopes = problem.gradient(rows, everyone(n, len(masks)))
    return (slopes * slopes).sum(axis=1).max()


def diagonal(matrices: Array) -> Array:
    """The same matrices, shape (..., d, d), without what is off their diagonals."""
    return matrices * np.eye(matrices.shape[-1], dtype=np.int64).astype(object)


def _closed_forms(
    problem: FederatedQuadratic, law: Law, w: Array, full: Array
) -> dict[Quantity, Any]:
    """How far the closed forms of quadratics are off; of Bernoulli masks and few coordinates."""
    if not isinstance(law, Bernoulli) or len(w) > _FEW:
        return {}
    keep = np.array(kept(law), dtype=object)[:, None]
    visited = enumerated(problem, law, w).gradients
    curved, scaled = (problem.hessian * w).sum(axis=2), (diagonal(problem.hessian) * w).sum(axis=2)
    closed = keep * keep * curved + keep * (1 - keep) * scaled + keep * problem.linear
    found = {
        Quantity.QUADRATIC_ERROR: square(visited - closed) / problem.clients,
        Quantity.QUADRATIC_SIZE: square(visited) / problem.clients,
    }
    if len(set(law.keep)) == 1:
        p = keep[0, 0]
        off = (curved - scaled).sum(axis=0) / problem.clients
        masked = visited.sum(axis=0) / problem.clients
        found[Quantity.STATIONARY_ERROR] = square(full - masked / p - (1 - p) * off)
    return found
