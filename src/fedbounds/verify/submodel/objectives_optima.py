"""Minimisers of masked quadratics and values of F, in rationals."""

from typing import Any

from flint import fmpq

from fedbounds.errors import FedboundsError
from fedbounds.problems import FederatedQuadratic
from fedbounds.problems.domain import Domain
from fedbounds.problems.masked_laws import Bernoulli, Law
from fedbounds.problems.masked_minimiser import quadratic_minimiser

Array = Any


def full_law(clients: int) -> Bernoulli:
    """Full models."""
    return Bernoulli((fmpq(1),) * clients)


def value(problem: FederatedQuadratic, w: Array) -> Any:
    """F(w)."""
    both = (problem.hessian * w).sum(axis=2) + 2 * problem.linear
    return (both * w).sum() / (2 * problem.clients)


def minimiser(problem: FederatedQuadratic, law: Law, domain: Domain) -> Array | None:
    """The unique minimiser of F_p over the domain; None if F_p is not strongly convex."""
    try:
        return quadratic_minimiser(problem, law, domain).point
    except FedboundsError:
        return None
