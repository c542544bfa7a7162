"""Masked objectives of fully shared problems, at one point and without sampling.

h_i^m(w) = f_i(m . w), F_i(p_i, w) = E h_i^m(w), F_p = (1/n) sum_i F_i(p_i, .); for rolling masks
F_M in their place, with the mean over the S masks of each client as the expectation.

All first and second moments over the masks come from `at`: enumeration of every mask for any
problem, closed forms for quadratics. In rationals both are exact.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fedbounds.errors import require

from .masked_enumeration import MaskedClients as MaskedClients
from .masked_enumeration import by_mask as by_mask
from .masked_enumeration import dimension_of as dimension_of
from .masked_enumeration import enumerated as enumerated
from .masked_laws import Law, Rolling
from .masked_quadratic import closed_form
from .problem import Problem
from .quadratic import FederatedQuadratic

Array = Any


def at(problem: Problem, law: Law, w: Array) -> MaskedClients:
    """Moments over the masks of every client at ``w``, shape (d,)."""
    if isinstance(problem, FederatedQuadratic):
        return closed_form(problem, law, w)
    return enumerated(problem, law, w)


def masked_value(problem: Problem, law: Law, w: Array) -> Any:
    """F_p(w)."""
    return at(problem, law, w).values.sum() / problem.clients


def masked_gradient(problem: Problem, law: Law, w: Array) -> Array:
    """grad F_p(w)."""
    return at(problem, law, w).gradients.sum(axis=0) / problem.clients


def mask_variance(problem: Problem, law: Law, w: Array) -> Any:
    """(1/n) sum_i E || grad h_i^m(w) - grad F_i(p_i, w) ||^2; nu_*^2 at w*(p)."""
    return at(problem, law, w).variances.sum() / problem.clients


def dissimilarity_at(problem: Problem, law: Law, w: Array) -> Any:
    """(1/n) sum_i || grad F_i(p_i, w) - grad F_p(w) ||^2."""
    gradients = at(problem, law, w).gradients
    deviation = gradients - gradients.sum(axis=0) / problem.clients
    return (deviation * deviation).sum() / problem.clients


def rolling_dissimilarity_at(problem: Problem, law: Law, w: Array) -> Any:
    """(1/(n S)) sum_{i,s} || grad h_i^{m_is}(w) - grad F_M(w) ||^2: the two above together."""
    return mask_variance(problem, law, w) + dissimilarity_at(problem, law, w)


def mean_square(problem: Problem, law: Law, w: Array) -> Any:
    """H(w) = (1/n) sum_i E || grad h_i^m(w) ||^2; zeta_*^2 at w*(p)."""
    found = at(problem, law, w)
    return (found.variances.sum() + (found.gradients * found.gradients).sum()) / problem.clients


def largest_discrepancy_at(problem: Problem, law: Law, w: Array) -> Any:
    """max over i, j of || grad F_i(p_i, w) - grad F_j(p_j, w) ||^2."""
    gradients = at(problem, law, w).gradients
    pairs = gradients[:, None, :] - gradients[None, :, :]
    return (pairs * pairs).sum(axis=2).max()


def largest_over(
    quantity: Callable[[Problem, Law, Array], Any], problem: Problem, law: Law, points: Array
) -> Any:
    """The largest value of one of the above at the rows ``points``, such as visited ones."""
    return max(quantity(problem, law, w) for w in points)


def floor_at(problem: Problem, law: Law, w: Array, pl_constant: Any) -> Any:
    """F_p(w) - ||grad F_p(w)||^2 / (2 mu_PL): a lower bound of inf F_p, tight near a minimiser."""
    found = at(problem, law, w)
    slope = found.gradients.sum(axis=0) / problem.clients
    return found.values.sum() / problem.clients - (slope * slope).sum() / (2 * pl_constant)


def gap_between(problem: Problem, law: Law, other: Law, w: Array) -> Any:
    """Delta(p, p'; w)^2 = || grad F_p(w) - grad F_p'(w) ||^2."""
    move = masked_gradient(problem, law, w) - masked_gradient(problem, other, w)
    return (move * move).sum()


def bregman(problem: Problem, law: Law, w: Array, origin: Array) -> Any:
    """D(w) = F_p(w) - F_p(o) - <grad F_p(o), w - o>, o the origin (the minimiser, as a rule)."""
    drop = masked_value(problem, law, w) - masked_value(problem, law, origin)
    return drop - (masked_gradient(problem, law, origin) * (w - origin)).sum()


@dataclass(frozen=True, eq=False)
class Positions:
    """Rolling masks at a point: what one position of the epoch sees, over all clients.

    Attributes
    ----------
    means : array, shape (S, d)
        a_s = (1/n) sum_i grad h_i^{m_is}(w).
    mean : array, shape (d,)
        Their mean a = grad F_M(w).
    spread : number
        nu_M^2 = (1/S) sum_s || a_s - a ||^2.
    own_spread : array, shape (n,)
        nu_j^2 = (1/S) sum_s || grad h_j^{m_js}(w) - grad F_j(w) ||^2.
    """

    means: Array
    mean: Array
    spread: Any
    own_spread: Array


def positions(problem: Problem, law: Law, w: Array) -> Positions:
    """a_s, their mean and nu_M^2 of rolling masks at ``w``."""
    require(isinstance(law, Rolling), "mask law", law, "rolling masks")
    _, gradients, _ = by_mask(problem, law, w)
    n, length, _ = gradients.shape
    means = gradients.sum(axis=0) / n
    mean = means.sum(axis=0) / length
    deviation = means - mean
    own = gradients - (gradients.sum(axis=1) / length)[:, None, :]
    return Positions(
        means, mean, (deviation * deviation).sum() / length, (own * own).sum(axis=(1, 2)) / length
    )
