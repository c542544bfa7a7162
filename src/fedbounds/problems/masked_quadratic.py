"""Masked quadratics in closed form, any dimension: f_i(w) = 1/2 w' A_i w + h_i' w.

F_i(w) = 1/2 w' E[D A_i D] w + (E m . h_i)' w with D = diag(m): again a quadratic, so that F_p is
a `FederatedQuadratic` with all that one knows. Bernoulli masks, keep probability q:
E[D A D] = q^2 A + q (1 - q) diag A, E m = q. Coordinate a of grad h^m is m_a X_a with X_a =
h_a + A_aa w_a + sum_{b != a} A_ab m_b w_b independent of m_a, so its variance is
q Var X_a + q (1 - q) (E X_a)^2, and Var X_a = q (1 - q) sum_{b != a} (A_ab w_b)^2.
"""

from typing import Any

import numpy as np

from .linear import is_exact
from .masked_enumeration import MaskedClients, dimension_of, enumerated
from .masked_laws import Bernoulli, Law, check_law, keep_of, outcomes
from .quadratic import FederatedQuadratic

Array = Any


def masked_quadratic(problem: FederatedQuadratic, law: Law) -> FederatedQuadratic:
    """The quadratic whose client i is F_i(p_i, .); its mean is F_p. Its noise is not defined."""
    d = dimension_of(problem)
    check_law(law, problem.clients, d)
    exact = is_exact(problem.hessian)
    if isinstance(law, Bernoulli):
        keep = _column(keep_of(law, exact), exact)[:, None, None]
        whole, diagonal = problem.hessian, _diagonals(problem.hessian)
        hessian = keep * keep * whole + keep * (1 - keep) * diagonal
        return FederatedQuadratic(hessian, keep[:, :, 0] * problem.linear, d)
    masks, weights = outcomes(law, d, exact)
    both = (weights[:, :, None, None] * masks[:, :, :, None] * masks[:, :, None, :]).sum(axis=1)
    first = (weights[:, :, None] * masks).sum(axis=1)
    return FederatedQuadratic(both * problem.hessian, first * problem.linear, d)


def closed_form(problem: FederatedQuadratic, law: Law, w: Array) -> MaskedClients:
    """Moments over the masks without visiting each; of rolling masks there are only S."""
    if not isinstance(law, Bernoulli):
        return enumerated(problem, law, w)
    mean = masked_quadratic(problem, law)
    curved = (mean.hessian * w).sum(axis=2)
    values = (w * (curved / 2 + mean.linear)).sum(axis=1)
    keep = _column(keep_of(law, is_exact(w)), is_exact(w))[:, None]
    off = problem.hessian - _diagonals(problem.hessian)
    moved = off * w
    diagonal = np.diagonal(problem.hessian, axis1=1, axis2=2)
    expected = problem.linear + diagonal * w + keep * moved.sum(axis=2)
    spread = (moved * moved).sum(axis=2)
    variances = keep * (1 - keep) * (keep * spread + expected * expected)
    return MaskedClients(values, curved + mean.linear, variances.sum(axis=1))


def _column(numbers: list[Any], exact: bool) -> Array:
    return np.array(numbers, dtype=object if exact else np.float64)


def _diagonals(matrices: Array) -> Array:
    """The same matrices without what is off their diagonals."""
    keep = np.eye(matrices.shape[1], dtype=np.int64)
    return matrices * (keep.astype(object) if is_exact(matrices) else keep.astype(np.float64))
