"""f(w) = a/2 ||w - v 1||^2 + c (w_1 w_2 + w_1 w_3 + w_2 w_3) - k w_1 w_2 w_3, in rationals.

Masked, a monomial is multiplied by p to the number of its coordinates, so that the pull of the
couplings need not grow with p. Hess f has a on its diagonal and c - k w_j off it: on [0, b]^3 its
eigenvalues are within 2 max(|c|, |c - k b|) of a.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from fedbounds.errors import require
from fedbounds.facts import Constant, Fact

from .cohort import Cohort
from .constants import Constants, ConstantValue, Evidence, not_known
from .noise import SILENT
from .problem import Start
from .shown import Shown

Array = Any


@dataclass(frozen=True, repr=False)
class Trilinear(Shown):
    """One client, three coordinates, strongly convex where all are between 0 and b.

    Attributes
    ----------
    curvature, centre, pairs, triple : rational
        a, v, c and k.
    reach : rational
        b: constants are those of [0, b]^3.
    """

    curvature: Any
    centre: Any
    pairs: Any
    triple: Any
    reach: Any

    clients = 1
    shared_dimension = 3
    personal_dimension = 0
    exact = True
    noise = SILENT

    def __post_init__(self) -> None:
        require(self.reach > 0, "reach b", self.reach, "positive")
        require(self.curvature > self.swing, "curvature a", self.curvature, f"above {self.swing}")

    @property
    def swing(self) -> Any:
        """How far eigenvalues on [0, b]^3 are from a, at most."""
        return 2 * max(abs(self.pairs), abs(self.pairs - self.triple * self.reach))

    def numbers(self, start: Array | None) -> dict[str, Any]:
        """Of its own, besides the constants."""
        return {"reach": self.reach}

    def gradient(self, z: Array, cohort: Cohort) -> Array:
        """Rows of the gradient."""
        x, y, w = z.T
        products = np.stack([y * w, x * w, x * y], axis=1)
        others = z.sum(axis=1)[:, None] - z
        return self.curvature * (z - self.centre) + self.pairs * others - self.triple * products

    def value(self, z: Array, cohort: Cohort) -> Array:
        """Rows of f."""
        x, y, w = z.T
        away = z - self.centre
        bowl = (away * away).sum(axis=1) * self.curvature / 2
        return bowl + self.pairs * (x * y + x * w + y * w) - self.triple * x * y * w

    def constants(self, start: Start) -> Constants:
        """L and mu on [0, b]^3."""
        return {
            Constant.SMOOTHNESS: ConstantValue(self.curvature + self.swing),
            Constant.STRONG_CONVEXITY: ConstantValue(self.curvature - self.swing),
        }

    def satisfies(self, assumption: str) -> Evidence:
        """On [0, b]^3."""
        if assumption in (Fact.SMOOTH, Fact.CONVEX, Fact.STRONGLY_CONVEX):
            return Evidence(True, "eigenvalues of Hess f are within a swing of a")
        if assumption == Fact.QUADRATIC:
            return Evidence(False, "w_1 w_2 w_3 is not")
        return not_known(assumption)
