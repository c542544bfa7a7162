"""Masked objectives E f_i(m o .) whose masks are listed: of any problem of few coordinates."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from .arrays import to_float
from .cohort import Cohort, everyone
from .domain import Ball
from .masked_hessian import masked_hessians
from .masked_laws import Law, outcomes
from .masked_minimiser import convex_minimiser

Array = Any


@dataclass(frozen=True, eq=False)
class ListedMasks:
    """F_i(w) = E f_i(m o w) of problems in rationals, whose gradients may be known to within balls.

    Attributes
    ----------
    problem : problem
        All coordinates are shared.
    law : Bernoulli or Rolling
    """

    problem: Any
    law: Law
    exact = True
    personal_dimension = 0

    @property
    def irrational(self) -> bool:
        """Whether gradients at rational points are no rationals."""
        return bool(self.problem.irrational)

    @property
    def clients(self) -> int:
        """Number of clients n."""
        return int(self.problem.clients)

    @property
    def shared_dimension(self) -> int:
        """d."""
        return int(self.problem.shared_dimension)

    @cached_property
    def _listed(self) -> tuple[Array, Array]:
        return outcomes(self.law, self.shared_dimension, exact=True)

    def gradient(self, z: Array, cohort: Cohort) -> Array:
        """Rows E m o grad f_i(m o z)."""
        masks, weights = self._listed
        rows, inner = self._masked(z, cohort)
        slopes = self.problem.gradient(rows, inner).reshape(self.clients, -1, *masks.shape[1:])
        weighted = slopes * (masks * weights[:, :, None])[:, None]
        return weighted.sum(axis=2).reshape(z.shape)

    def value(self, z: Array, cohort: Cohort) -> Array:
        """Rows E f_i(m o z)."""
        _, weights = self._listed
        found = self.problem.value(*self._masked(z, cohort)).reshape(
            self.clients, -1, weights.shape[1]
        )
        return (found * weights[:, None]).sum(axis=2).reshape(-1)

    def _masked(self, z: Array, cohort: Cohort) -> tuple[Array, Cohort]:
        """Every row under every mask of its client; all clients are asked for."""
        masks, _ = self._listed
        n, count, d = masks.shape
        rows = z.reshape(n, -1, 1, d) * masks[:, None]
        return rows.reshape(-1, d), everyone(n, cohort.replicas * count)

    # ---- of its minimiser

    @property
    def strong_convexity(self) -> Any:
        """A mu of the mean over the clients, where each has one: times the least mean coverage."""
        mu = self.problem.strong_convexity
        masks, weights = self._listed
        held = (masks * weights[:, :, None]).sum(axis=(0, 1)) / self.clients
        return None if mu is None else mu * min(held)

    def near_minimiser(self, radius: Any = None) -> Array:
        """A point near argmin F over R^d or a ball, in floats."""
        plain = to_float(self.problem)
        domain = None if radius is None else Ball(float(radius))
        mu = float(self.strong_convexity)
        top = plain.smoothness
        return convex_minimiser(
            plain, plain, self.law, domain, smoothness=top, strong_convexity=mu
        ).point

    def curvature(self, w: Array) -> Array:
        """The Hessian of F at a point, in floats."""
        return np.asarray(masked_hessians(to_float(self.problem), self.law, w).mean(axis=0))
