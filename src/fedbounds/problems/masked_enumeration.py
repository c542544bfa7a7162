"""Masked objectives by visiting every mask: any problem of few coordinates."""

from dataclasses import dataclass
from typing import Any

from fedbounds.errors import require

from .cohort import everyone
from .linear import is_exact
from .masked_laws import Law, check_law, outcomes
from .problem import Problem

Array = Any


@dataclass(frozen=True, eq=False)
class MaskedClients:
    """Moments over the masks at a point w, client by client.

    Attributes
    ----------
    values : array, shape (n,)
        F_i(p_i, w).
    gradients : array, shape (n, d)
        grad F_i(p_i, w).
    variances : array, shape (n,)
        E || grad h_i^m(w) - grad F_i(p_i, w) ||^2.
    """

    values: Array
    gradients: Array
    variances: Array


def dimension_of(problem: Problem) -> int:
    """d of a fully shared problem.

    Raises
    ------
    FedboundsError
        If the problem has a personal block: masks are defined on the shared model.
    """
    own = problem.personal_dimension
    require(own == 0, "personal dimension of a masked problem", own, "0: all coordinates shared")
    return problem.shared_dimension


def enumerated(problem: Problem, law: Law, w: Array) -> MaskedClients:
    """The same by visiting every mask: any problem, Bernoulli masks of at most 12 coordinates."""
    values, gradients, weights = by_mask(problem, law, w)
    mean = (weights[:, :, None] * gradients).sum(axis=1)
    deviation = gradients - mean[:, None, :]
    squares = (deviation * deviation).sum(axis=2)
    return MaskedClients((weights * values).sum(axis=1), mean, (weights * squares).sum(axis=1))


def by_mask(problem: Problem, law: Law, w: Array) -> tuple[Array, Array, Array]:
    """h_i^m(w), shape (n, S), grad h_i^m(w), shape (n, S, d), and the masks' probabilities."""
    n, d = problem.clients, dimension_of(problem)
    check_law(law, n, d)
    require(tuple(w.shape) == (d,), "shape of the point w", tuple(w.shape), f"({d},)")
    masks, weights = outcomes(law, d, is_exact(w))
    rows = (masks * w).reshape(-1, d)
    cohort = everyone(n, masks.shape[1])
    gradients = problem.gradient(rows, cohort).reshape(masks.shape) * masks
    return problem.value(rows, cohort).reshape(weights.shape), gradients, weights
