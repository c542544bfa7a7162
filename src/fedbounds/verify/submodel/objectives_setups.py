"""What is set up to judge claims about masked objectives alone: plain data, nothing is run."""

from dataclasses import dataclass
from typing import Any

from fedbounds.errors import require
from fedbounds.problems.domain import Ball, check_inside
from fedbounds.problems.masked_enumeration import dimension_of
from fedbounds.problems.masked_laws import Law, check_law
from fedbounds.problems.pl_composed import ComposedBowls
from fedbounds.problems.ridge_logistic import RidgeLogistic
from fedbounds.problems.sine import SineBowls

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
