"""f(w) = a/2 ||w - v 1||^2 + c (w_1 w_2 + w_1 w_3 + w_2 w_3) - k w_1 w_2 w_3, in rationals.

Masked, a monomial is multiplied by p to the number of its coordinates, so that the pull of the
couplings need not grow with p. Hess f has a on its diagonal and c - k w_j off it: on [0, b]^3 its
eigenvalues are within 2 max(|c|, |c - k b|) of a. By symmetry w*(p) = s 1 where f_p is strongly
convex, with a (s - v) + 2 p c s - p^2 k s^2 = 0.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.errors import FedboundsError
from fedbounds.problems.cohort import Cohort
from fedbounds.problems.linear import solve

Array = Any


@dataclass(frozen=True)
class Trilinear:
    """One client, three coordinates.

    Attributes
    ----------
    curvature, centre, pairs, triple : rational
        a, v, c and k.
    """

    curvature: Any
    centre: Any
    pairs: Any
    triple: Any

    clients = 1
    shared_dimension = 3
    personal_dimension = 0

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

    def swing(self, reach: Any) -> Any:
        """How far eigenvalues on [0, reach]^3 are from a, at most."""
        return 2 * max(abs(self.pairs), abs(self.pairs - self.triple * reach))

    def slope(self, p: Any, s: Any) -> Any:
        """A coordinate of grad F_p(s 1), divided by p."""
        return (
            self.curvature * (s - self.centre)
            + 2 * p * self.pairs * s
            - p * p * self.triple * s * s
        )


def trilinear(minimisers: Sequence[tuple[Any, Any]]) -> Trilinear:
    """a = 1 and the minimisers s 1 of F_p asked for, by three pairs (p, s).

    Raises
    ------
    FedboundsError
        If no such objective exists.
    """
    rows = [[fmpq(1), -2 * p * s, p * p * s * s] for p, s in minimisers]
    answer = solve(
        np.array(rows, dtype=object), np.array([[s] for _, s in minimisers], dtype=object)
    )
    if answer is None:
        raise FedboundsError(f"minimisers are {minimisers}; expected those of some a, v, c, k")
    centre, pairs, triple = answer[:, 0]
    return Trilinear(fmpq(1), centre, pairs, triple)
