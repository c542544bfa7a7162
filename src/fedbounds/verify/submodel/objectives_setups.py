"""What is set up to judge claims about masked objectives alone: plain data, nothing is run."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from fedbounds.errors import require
from fedbounds.problems import FederatedQuadratic
from fedbounds.problems.domain import Ball, Box, check_inside
from fedbounds.problems.linear import is_exact
from fedbounds.problems.masked_enumeration import dimension_of
from fedbounds.problems.masked_laws import Bernoulli, Law, check_law
from fedbounds.problems.pl_composed import ComposedBowls
from fedbounds.problems.ridge_logistic import RidgeLogistic
from fedbounds.problems.sine import SineBowls

from .objectives_trilinear import Trilinear

Array = Any
Smooth = RidgeLogistic | SineBowls | ComposedBowls


@dataclass(frozen=True, eq=False)
class SmoothObjective:
    """Clients that are not quadratic, one or two laws of masks, points of the domain; in floats.

    Attributes
    ----------
    problem : RidgeLogistic, SineBowls or ComposedBowls
    law, other : Bernoulli or Rolling
        p and p', or M and M'.
    points : array, shape (T, d)
        The point w of each t. The pair x, y of t is w of t and of t + 1, the last with the first.
    domain : Ball or None
    """

    problem: Smooth
    law: Law
    points: Array
    domain: Ball | None = None
    other: Law | None = None

    def __post_init__(self) -> None:
        d = dimension_of(self.problem)
        for law in (self.law, self.other):
            if law is not None:
                check_law(law, self.problem.clients, d)
        shape = tuple(self.points.shape)
        require(len(shape) == 2 and shape[0] >= 1 and shape[1] == d, "shape of the points", shape,
                f"(T, {d}), T at least 1")  # fmt: skip
        check_inside(self.domain, self.points)


@dataclass(frozen=True, eq=False)
class Rungs:
    """Quadratic samples, and Bernoulli masks whose keep probabilities grow from rung to rung.

    Attributes
    ----------
    samples : FederatedQuadratic
        One quadratic per sample, all samples of the first client first; f_i is the mean of its own.
    each : int
        Samples per client, equally likely in a stochastic gradient.
    laws : tuple of Bernoulli
    point : array, shape (d,)
        The fixed w.
    domain : Box or None
    """

    samples: FederatedQuadratic
    each: int
    laws: tuple[Bernoulli, ...]
    point: Array
    domain: Box | None = None

    def __post_init__(self) -> None:
        rows, d = self.samples.clients, dimension_of(self.samples)
        require(self.each >= 1 and rows % self.each == 0, "samples per client", self.each,
                f"a divisor of {rows}")  # fmt: skip
        require(is_exact(self.samples.hessian), "type of the samples", "float64", "rationals")
        require(len(self.laws) >= 2, "number of rungs", len(self.laws), "at least 2")
        for law in self.laws:
            check_law(law, rows // self.each, d)
        for low, high in zip(self.laws[:-1], self.laws[1:], strict=True):
            grows = all(a <= b for a, b in zip(low.keep, high.keep, strict=True))
            require(grows, f"keep probabilities after {low.keep}", high.keep, "none smaller")
        require(tuple(self.point.shape) == (d,), "shape of w", self.point.shape, f"({d},)")
        check_inside(self.domain, self.point)


@dataclass(frozen=True)
class TrilinearRungs:
    """A trilinear objective over [0, b]^3, whose minimisers s 1 are interior points.

    Attributes
    ----------
    problem : Trilinear
    reach : rational
        b.
    keep : tuple of rationals
        p of every rung; the last is 1.
    minimisers : tuple of rationals
        s of every rung.
    """

    problem: Trilinear
    reach: Any
    keep: tuple[Any, ...]
    minimisers: tuple[Any, ...]

    def __post_init__(self) -> None:
        require(self.problem.curvature > self.problem.swing(self.reach), "curvature a",
                self.problem.curvature, f"above {self.problem.swing(self.reach)}")  # fmt: skip
        require(self.keep[-1] == 1, "last keep probability", self.keep[-1], "1")
        growing = all(low < high for low, high in pairwise(self.keep))
        require(growing, "keep probabilities", self.keep, "growing")
        for p, s in zip(self.keep, self.minimisers, strict=True):
            require(0 < s < self.reach, f"minimiser at p = {p}", s, f"inside (0, {self.reach})")
            slope = self.problem.slope(p, s)
            require(slope == 0, f"slope at the minimiser for p = {p}", slope, "0")

    @property
    def laws(self) -> tuple[Bernoulli, ...]:
        """Of every rung."""
        return tuple(Bernoulli((p,)) for p in self.keep)
