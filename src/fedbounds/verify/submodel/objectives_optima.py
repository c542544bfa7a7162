"""Minimisers of masked quadratics and what they lose, in rationals."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.errors import FedboundsError
from fedbounds.problems import FederatedQuadratic
from fedbounds.problems.domain import Domain, project
from fedbounds.problems.linear import is_positive_definite, is_positive_semidefinite, solve
from fedbounds.problems.masked_laws import Bernoulli, Law
from fedbounds.problems.masked_minimiser import quadratic_minimiser
from fedbounds.vocabulary import Quantity

from .objectives_masks import kept
from .objectives_points import diagonal, gradient, own_gradients, square

Array = Any


@dataclass(frozen=True, eq=False)
class Minimisers:
    """w*, w*(p) and w*(p') over the domain; None where there is none, or more than one.

    Of several minimisers of F itself, w* is one: it may then not be used for distances between
    minimisers.
    """

    full: Array | None
    masked: Array | None
    other: Array | None


def full_law(clients: int) -> Bernoulli:
    """Full models."""
    return Bernoulli((fmpq(1),) * clients)


def value(problem: FederatedQuadratic, w: Array) -> Any:
    """F(w)."""
    both = own_gradients(problem, w) + problem.linear
    return (both * w).sum() / (2 * problem.clients)


def minimisers(
    problem: FederatedQuadratic, law: Law, other: Law | None, domain: Domain
) -> Minimisers:
    """All minimisers that are there."""
    own = minimiser(problem, full_law(problem.clients), domain)
    return Minimisers(
        _flat_minimiser(problem) if own is None and domain is None else own,
        minimiser(problem, law, domain),
        None if other is None else minimiser(problem, other, domain),
    )


def minimiser(problem: FederatedQuadratic, law: Law, domain: Domain) -> Array | None:
    """The unique minimiser of F_p over the domain; None if F_p is not strongly convex."""
    try:
        return quadratic_minimiser(problem, law, domain).point
    except FedboundsError:
        return None


def _flat_minimiser(problem: FederatedQuadratic) -> Array | None:
    """One minimiser of a convex F over R^d; None if there is none."""
    matrix = problem.hessian.sum(axis=0)
    if not is_positive_semidefinite(matrix):
        return None
    answer = solve(matrix, -problem.linear.sum(axis=0)[:, None])
    return None if answer is None else answer[:, 0]


def optimum_numbers(
    problem: FederatedQuadratic, law: Law, other: Law | None, domain: Domain, found: Minimisers
) -> dict[str, Any]:
    """Constants at minimisers and at the origin, by the names of their symbols."""
    n, d = problem.clients, problem.shared_dimension
    zero = np.full(d, fmpq(0), dtype=object)
    numbers = {
        "grad_0_F": square(gradient(problem, full_law(n), zero)),
        "grad_0_Fp": square(gradient(problem, law, zero)),
    }
    best, own, second = found.full, found.masked, found.other
    if own is not None and other is not None and second is not None:
        numbers |= {
            "opt_dist": square(own - second),
            "gap_at_1": _gap(problem, law, other, own),
            "gap_at_2": _gap(problem, law, other, second),
        }
    if own is not None:
        numbers["opt_size"] = square(own)
        numbers["gap_full_at_p"] = _gap(problem, law, full_law(n), own)
    if best is None or own is None:
        return numbers
    numbers |= {
        "full_dist": square(own - best),
        "gap_full_at_1": _gap(problem, law, full_law(n), best),
        "residual": value(problem, own) - value(problem, best),
    }
    if second is not None:
        numbers["residual_2"] = value(problem, second) - value(problem, best)
    keep = kept(law)
    if isinstance(law, Bernoulli) and domain is None and _equal(keep):
        assert keep is not None
        numbers |= _closed_forms(problem, keep[0], best, own)
    return numbers


def _equal(keep: tuple[fmpq, ...] | None) -> bool:
    return keep is not None and len(set(keep)) == 1


def _gap(problem: FederatedQuadratic, law: Law, other: Law, w: Array) -> Any:
    return square(gradient(problem, law, w) - gradient(problem, other, w))


def _closed_forms(problem: FederatedQuadratic, p: fmpq, best: Array, own: Array) -> dict[str, Any]:
    """Lemma 2 for quadratics: F is 1/2 w'Aw - b'w up to a constant."""
    whole = problem.hessian.sum(axis=0) / problem.clients
    if not is_positive_definite(whole):
        return {}
    b = -problem.linear.sum(axis=0) / problem.clients
    scales = diagonal(whole)
    mixed = p * whole + (1 - p) * scales
    shift = (1 - p) * _solved(mixed, (whole - scales) @ best)
    return {
        "closed_err": square(own - _solved(mixed, b)),
        "shift_err": square(own - best - shift),
        "spectral": spectral(whole, p, b),
    }


def spectral(matrix: Array, p: Any, slope: Array) -> Any:
    """The sum over eigenvalues l of C = D^{-1/2} A D^{-1/2}, D = diag A, in rationals.

    It is 1/2 v' phi(C) v with v = D^{-1/2} b = C D^{1/2} w*, phi(l) = (1-p)^2 (l-1)^2 /
    (l (1 + p(l-1))^2), and D^{-1/2} phi(C) D^{-1/2} = phi(D^{-1} A) D^{-1}.
    """
    scales = diagonal(matrix)
    turned = _solved(scales, matrix)
    one = np.eye(len(slope), dtype=np.int64).astype(object)
    off, bent = turned - one, one + p * (turned - one)
    image = (1 - p) ** 2 * (off @ (off @ _solved(scales, slope)))
    for factor in (turned, bent, bent):
        image = _solved(factor, image)
    return (slope @ image) / 2


def _solved(matrix: Array, right: Array) -> Array:
    columns = right if right.ndim == 2 else right[:, None]
    answer = solve(matrix, columns)
    assert answer is not None  # callers have invertible matrices
    return answer if right.ndim == 2 else answer[:, 0]


def distances(
    problem: FederatedQuadratic,
    law: Law,
    domain: Domain,
    found: Minimisers,
    points: Array,
    L: Any,
) -> list[dict[Quantity, Any]]:
    """Distances to minimisers, and what one projected step of F_p loses, at every point."""
    rows = []
    for w in points:
        row: dict[Quantity, Any] = {}
        if found.masked is not None:
            row[Quantity.DISTANCE_MASKED] = square(w - found.masked)
        if found.full is not None:
            row[Quantity.DISTANCE_FULL] = square(w - found.full)
            hat = project(domain, w - gradient(problem, law, w) / L)
            row[Quantity.LOSS_HAT] = value(problem, hat) - value(problem, found.full)
        rows.append(row)
    return rows
