"""What claims about runs of sub-model training measure against: the masked objective, exactly."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.errors import FedboundsError
from fedbounds.problems import ConstantValue, Evidence, FederatedQuadratic
from fedbounds.problems.constrained import Minimum
from fedbounds.problems.domain import Domain, diameter_squared, largest_norm_squared
from fedbounds.problems.linear import is_positive_definite
from fedbounds.problems.masked_laws import Bernoulli, Law, coverage
from fedbounds.problems.masked_minimiser import quadratic_minimiser
from fedbounds.problems.masked_quadratic import masked_quadratic
from fedbounds.problems.spectrum import Bracket, square_root
from fedbounds.problems.submodel_constants import curvature_of, gradient_bound
from fedbounds.problems.submodel_optimum import constants_at
from fedbounds.vocabulary import Assumption

Array = Any


@dataclass(frozen=True, eq=False)
class Objective:
    """1/2 w' matrix w + slope' w with its minimiser over a domain; all rational.

    Attributes
    ----------
    matrix, slope, minimiser : arrays
    """

    matrix: Array
    slope: Array
    minimiser: Array

    def value(self, points: Array) -> Array:
        """The values at the rows, less that at the minimiser."""
        return self._raw(points) - self._raw(self.minimiser[None])[0]

    def _raw(self, points: Array) -> Array:
        return (points * ((points @ self.matrix) / 2 + self.slope)).sum(axis=1)

    def gradient(self, points: Array) -> Array:
        """The gradients at the rows."""
        return points @ self.matrix + self.slope

    @cached_property
    def at_minimiser(self) -> Array:
        """The gradient there: 0 inside the domain."""
        return self.gradient(self.minimiser[None])[0]

    def bregman(self, points: Array) -> Array:
        """D(w) = F(w) - F(x*) - <grad F(x*), w - x*>."""
        return self.value(points) - ((points - self.minimiser) * self.at_minimiser).sum(axis=1)


@dataclass(frozen=True, eq=False)
class Frame:
    """A rational quadratic cohort under a law of masks, over a domain."""

    problem: FederatedQuadratic
    law: Law
    domain: Domain

    @cached_property
    def curvature(self) -> tuple[Bracket, Bracket]:
        """L and mu of all clients."""
        return curvature_of(self.problem)

    @cached_property
    def smoothness(self) -> ConstantValue:
        """L."""
        return self.curvature[0].above()

    @cached_property
    def masked(self) -> Objective:
        """F_p with w*(p), or F_M; an error where it has no single minimiser."""
        return self._objective(self.law)

    @cached_property
    def full(self) -> Objective | None:
        """F with w*; None where it has no single minimiser."""
        mean = self.problem.hessian.sum(axis=0)
        if not is_positive_definite(mean):
            return None
        return self._objective(Bernoulli((fmpq(1),) * self.problem.clients))

    def _objective(self, law: Law) -> Objective:
        found = masked_quadratic(self.problem, law)
        n = self.problem.clients
        lowest = quadratic_minimiser(self.problem, law, self.domain)
        if not lowest.exact:
            raise FedboundsError(f"the minimiser over {self.domain} is not rational")
        matrix, slope = found.hessian.sum(axis=0) / n, found.linear.sum(axis=0) / n
        return Objective(matrix, slope, lowest.point)

    @cached_property
    def shares(self) -> tuple[Any, ...]:
        """p_i, or q_i; an error where the coverage is not uniform."""
        found = coverage(self.law)
        if found is None:
            raise FedboundsError("coverage differs by coordinate; expected uniform coverage")
        return found

    def constants(self) -> dict[str, Any]:
        """L, mu and sigma^2, and what a domain gives: numbers from the side that claims allow."""
        d = self.problem.shared_dimension
        scale = self.problem.noise.scale_u
        spread = [square_root(share * (1 - share)).upper for share in self.shares]
        found = {
            "n": self.problem.clients,
            "dim": d,
            "L": self.smoothness.value,
            "sigma^2": d * scale * scale,
        }
        if self.curvature[1].lower > 0:
            found["mu"] = self.curvature[1].lower
        if self.domain is not None:
            found["D_dom"] = square_root(diameter_squared(self.domain, d)).upper
            found["W_sup"] = square_root(largest_norm_squared(self.domain, d)).upper
            steepest = gradient_bound(self.problem, self.domain)
            assert steepest is not None
            found["G"] = steepest.value
        mean, spread_mean = (sum(x, fmpq(0)) / len(x) for x in (list(self.shares), spread))
        letter = "p" if isinstance(self.law, Bernoulli) else "q"
        found |= {f"{letter}_mean": mean, f"{letter}_spread": spread_mean}
        if len(set(self.shares)) == 1:
            found[letter] = self.shares[0]
        return found

    def evidence(self) -> dict[Assumption, Evidence]:
        """What these problems satisfy; quadratics are smooth, their noise is additive."""
        low = self.curvature[1]
        bounded = self.domain is not None
        bernoulli = isinstance(self.law, Bernoulli)
        alike = len(set(self.shares)) == 1
        facts = {
            Assumption.SMOOTH: (True, "quadratics"),
            Assumption.QUADRATIC: (True, "quadratics"),
            Assumption.NOISE: (True, "additive noise with one law at all points"),
            Assumption.CONVEX: (low.lower >= 0, f"least eigenvalue {_size(low)}"),
            Assumption.STRONGLY_CONVEX: (low.lower > 0, f"least eigenvalue {_size(low)}"),
            Assumption.KEPT: (True, "coverage is uniform"),
            Assumption.COVERAGE: (not bernoulli, "computed from the masks"),
            Assumption.BERNOULLI: (bernoulli, "the law of the masks"),
            Assumption.EQUAL_KEEP: (alike, "the law of the masks"),
            Assumption.UNEQUAL_KEEP: (not alike, "the law of the masks"),
            Assumption.BOUNDED_DOMAIN: (bounded, f"domain {self.domain}"),
            Assumption.BOUNDED_MASKED_GRADIENTS: (bounded, "largest at a vertex of the domain"),
            Assumption.UNCONSTRAINED: (not bounded, f"domain {self.domain}"),
        }
        return {name: Evidence(bool(holds), why) for name, (holds, why) in facts.items()}


def at_optimum(frame: Frame) -> dict[str, Any]:
    """zeta_*^2, nu_*^2 and the gap of the gradients at w*(p)."""
    best = frame.masked.minimiser
    found = constants_at(frame.problem, frame.law, Minimum(best), frame.smoothness.value)
    numbers = {
        "zeta_star2": found.heterogeneity.value,
        "nu_star2": found.mask_variance.value,
    }
    if frame.full is not None:
        gap = frame.masked.at_minimiser - frame.full.gradient(best[None])[0]
        numbers["gap_full_at_p"] = squares(gap)
    return numbers


def _size(bracket: Bracket) -> str:
    return f"{float(bracket.lower.p) / float(bracket.lower.q):.4g}"


def squares(array: Array) -> Array:
    """Sum of squares over the last axis."""
    return (array * array).sum(axis=-1)


def rational_row(numbers: list[Any]) -> np.ndarray:
    """A series of rationals."""
    return np.array(numbers, dtype=object)
