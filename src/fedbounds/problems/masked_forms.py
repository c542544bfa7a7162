"""Largest values of convex quadratic forms over a domain: exact on boxes, certified on balls.

What is bounded over a domain is, for masked quadratics, a form s(w) = w' Q w + 2 c' w + k with Q
positive semidefinite: squared gradients, dissimilarity, variance over the masks. On a box the
maximum is at a vertex. On the ball ||w|| <= r every t > largest eigenvalue of Q gives the bound
s(w) <= k + t r^2 + c' (t I - Q)^{-1} c, and the best t gives the maximum itself.
"""

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.errors import require
from fedbounds.vocabulary import Provenance, Side

from .constants import ConstantValue
from .domain import Box, Domain
from .linear import is_positive_definite, rational, solve
from .spectrum import in_rationals, to_floats

Array = Any
MOST_VERTICES = 12  # 2^d vertices are visited


@dataclass(frozen=True, eq=False)
class Form:
    """w' matrix w + 2 slope' w + constant in rationals, the matrix positive semidefinite."""

    matrix: Array
    slope: Array
    constant: fmpq

    def at(self, w: Array) -> Any:
        """The value at w, a rational."""
        return w @ (self.matrix @ w) + 2 * (self.slope @ w) + self.constant

    def __add__(self, other: "Form") -> "Form":
        """The sum of two forms."""
        return Form(
            self.matrix + other.matrix, self.slope + other.slope, self.constant + other.constant
        )


def squared(matrix: Array, slope: Array) -> Form:
    """|| matrix w + slope ||^2."""
    a, b = in_rationals(matrix), in_rationals(slope)
    return Form(a.T @ a, a.T @ b, b @ b)


def scaled(form: Form, factor: Any) -> Form:
    """factor >= 0 times the form."""
    t = rational(factor)
    return Form(form.matrix * t, form.slope * t, form.constant * t)


def corners(bounds: list[tuple[fmpq, fmpq]]) -> list[Array]:
    """The vertices of a box with these lower and upper bounds."""
    size = len(bounds)
    require(size <= MOST_VERTICES, "coordinates of the box", size, f"at most {MOST_VERTICES}")
    pairs = [(a,) if a == b else (a, b) for a, b in bounds]
    return [np.array(point, dtype=object) for point in product(*pairs)]


def largest(form: Form, domain: Domain) -> ConstantValue | None:
    """The supremum over the domain; None where it is infinite."""
    if domain is None:
        flat = bool((form.matrix == 0).all() and (form.slope == 0).all())
        return ConstantValue(form.constant) if flat else None
    if isinstance(domain, Box):
        return ConstantValue(max(form.at(w) for w in corners(domain.bounds(len(form.slope)))))
    return _largest_on_ball(form, rational(domain.radius))


def _largest_on_ball(form: Form, radius: fmpq) -> ConstantValue:
    if (form.matrix == 0).all() and (form.slope == 0).all():
        return ConstantValue(form.constant)
    identity = np.eye(len(form.slope), dtype=int).astype(object)
    t = rational(_best_multiplier(form, float(to_floats(np.array([radius]))[0])))
    step = (t + form.matrix.trace()) / 2**44
    while not is_positive_definite(identity * t - form.matrix):
        t, step = t + step, 2 * step
    answer = solve(identity * t - form.matrix, form.slope[:, None])
    assert answer is not None  # the matrix is positive definite
    bound = form.constant + t * radius**2 + form.slope @ answer[:, 0]
    return ConstantValue(bound, Provenance.CERTIFIED, Side.UPPER)


def _best_multiplier(form: Form, radius: float) -> float:
    """Where t r^2 + c' (t I - Q)^{-1} c is smallest, t above the spectrum of Q; a float guess."""
    values, basis = np.linalg.eigh(to_floats(form.matrix))
    weights = (basis.T @ to_floats(form.slope)) ** 2
    top = float(values[-1])
    size = max(top, float(np.sqrt(weights.sum())) / radius)
    low, high = top + 1e-13 * size, top + 2.0 * float(np.sqrt(weights.sum())) / radius + size
    for _ in range(200):
        middle = (low + high) / 2.0
        if float((weights / (middle - values) ** 2).sum()) > radius**2:
            low = middle
        else:
            high = middle
    return high
