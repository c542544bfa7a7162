"""Hessians of masked objectives: E[D_m Hess f_i(m . w) D_m]."""

from typing import Any, Protocol

import numpy as np

from .cohort import Cohort, everyone
from .linear import is_exact
from .masked_enumeration import dimension_of
from .masked_laws import Law, check_law, outcomes
from .masked_quadratic import masked_quadratic
from .problem import Problem
from .quadratic import FederatedQuadratic

Array = Any


class Curved(Problem, Protocol):
    """A problem that knows its Hessians."""

    def hessians(self, z: Array, cohort: Cohort) -> Array:
        """Hessians of f_i at the rows ``z``, shape (rows, d, d)."""


def masked_hessians(problem: FederatedQuadratic | Curved, law: Law, w: Array) -> Array:
    """Hess F_i(p_i, w) of every client, shape (n, d, d)."""
    if isinstance(problem, FederatedQuadratic):
        return masked_quadratic(problem, law).hessian
    return enumerated_hessians(problem, law, w)


def enumerated_hessians(problem: Curved, law: Law, w: Array) -> Array:
    """The same by visiting every mask."""
    n, d = problem.clients, dimension_of(problem)
    check_law(law, n, d)
    masks, weights = outcomes(law, d, is_exact(w))
    found = problem.hessians((masks * w).reshape(-1, d), everyone(n, masks.shape[1]))
    found = found.reshape(*masks.shape, d) * masks[:, :, :, None] * masks[:, :, None, :]
    return (weights[:, :, None, None] * found).sum(axis=1)


def masked_hessian(problem: FederatedQuadratic | Curved, law: Law, w: Array) -> Array:
    """Hess F_p(w)."""
    return np.asarray(masked_hessians(problem, law, w).sum(axis=0) / problem.clients)
