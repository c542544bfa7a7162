"""Minimisers of a strongly convex quadratic 1/2 w' A w + b' w over R^d, a box or a ball.

Everything is computed in rationals (a float is one), and what is returned has passed the
optimality conditions in rationals. Box: each coordinate is free, at its lower or at its upper
bound; all 3^d cases are tried until primal and dual signs agree. Ball of radius r: outside the
free minimiser there is one t > 0 with ||w(t)|| = r, w(t) = -(A + t I)^{-1} b; ||w(t)|| decreases,
so rational ends t_1 < t_2 of an interval are certified by the sign of ||w||^2 - r^2, and
||w(t) - w(t')|| <= |t - t'| ||w(t_1)|| / t_1 on it, from dw/dt = -(A + t I)^{-1} w.
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.errors import FedboundsError, require

from .domain import Box, Domain
from .linear import is_positive_definite, rational, solve
from .spectrum import in_rationals, square_root, to_floats

Array = Any
MOST_BOX_COORDINATES = 6  # 3^d cases
_BITS = 70  # relative width 2^-70 of the last interval of t


@dataclass(frozen=True, eq=False)
class Minimum:
    """A point of the domain and a certified bound of its distance to the minimiser."""

    point: Array
    error: Any = 0

    @property
    def exact(self) -> bool:
        """Whether the point is the minimiser itself."""
        return bool(self.error == 0)


def minimise_quadratic(matrix: Array, slope: Array, domain: Domain) -> Minimum:
    """The minimiser of 1/2 w' matrix w + slope' w, in rationals.

    Raises
    ------
    FedboundsError
        If the matrix is not positive definite (the minimiser is then not unique or absent).
    """
    a, b = in_rationals(matrix), in_rationals(slope)
    if not is_positive_definite(a):
        raise FedboundsError(
            "the mean Hessian is not positive definite; expected a strongly convex objective, or "
            "its minimiser is not unique"
        )
    if domain is None:
        return Minimum(_point(a, b))
    if isinstance(domain, Box):
        bounds = np.array(domain.bounds(len(b)), dtype=object)
        return Minimum(_over_box(a, b, bounds[:, 0], bounds[:, 1]))
    return _over_ball(a, b, rational(domain.radius))


def _point(matrix: Array, slope: Array) -> Array:
    answer = solve(matrix, -slope[:, None])
    assert answer is not None  # the matrix is positive definite
    return answer[:, 0]


def _over_box(a: Array, b: Array, lower: Array, upper: Array) -> Array:
    d = len(b)
    require(d <= MOST_BOX_COORDINATES, "coordinates", d, f"at most {MOST_BOX_COORDINATES} on a box")
    for sides in product((0, -1, 1), repeat=d):
        side = np.array(sides)
        w: Array = np.where(side < 0, lower, upper)
        free = np.flatnonzero(side == 0)
        if free.size:
            held = np.flatnonzero(side)
            rest = b[free] + (a[np.ix_(free, held)] @ w[held] if held.size else 0)
            w[free] = _point(a[np.ix_(free, free)], rest)
        if is_box_minimiser(a, b, lower, upper, w):
            return w
    raise AssertionError("a strongly convex quadratic has a minimiser on a box")


def is_box_minimiser(a: Array, b: Array, lower: Array, upper: Array, w: Array) -> bool:
    """The optimality conditions: feasible, and the slope points into the box nowhere."""
    slope = a @ w + b
    feasible = bool((w >= lower).all() and (w <= upper).all())
    return feasible and all(
        (g <= 0 or x == low) and (g >= 0 or x == high)
        for g, x, low, high in zip(slope, w, lower, upper, strict=True)
    )


def _over_ball(a: Array, b: Array, radius: fmpq) -> Minimum:
    free = _point(a, b)
    square = radius**2
    if free @ free <= square:
        return Minimum(free)
    identity = np.eye(len(b), dtype=int).astype(object)

    def at(t: fmpq) -> Array:
        return _point(a + identity * t, b)

    guess = _guess(to_floats(a), to_floats(b), float(Fraction(int(radius.p), int(radius.q))))
    simple = Fraction(guess).limit_denominator(10**4)
    if simple > 0:
        w = at(fmpq(simple.numerator, simple.denominator))
        if w @ w == square:
            return Minimum(w)
    low, high = _enclosed(at, guess, square)
    first, last = at(low), at(high)
    size = square_root(first @ first).upper
    return Minimum(last, (high - low) * size / low)


def _enclosed(at: Any, guess: float, square: fmpq) -> tuple[fmpq, fmpq]:
    """t_1 < t_2, of relative distance 2^-70, with ||w(t_1)|| > r >= ||w(t_2)||."""
    step = rational(guess) / 2**44
    low, high = rational(guess) - step, rational(guess) + step
    while (w := at(low)) @ w <= square:
        low = low / 2 if low < 4 * step else low - step
        step = 2 * step
    step = rational(guess) / 2**44
    while (w := at(high)) @ w > square:
        high, step = high + step, 2 * step
    while (high - low) * 2**_BITS > high:
        middle = (low + high) / 2
        w = at(middle)
        low, high = (middle, high) if w @ w > square else (low, middle)
    return low, high


def _guess(a: Array, b: Array, radius: float) -> float:
    """The multiplier t of the ball, in floats."""
    values, basis = np.linalg.eigh(a)
    weights = (basis.T @ b) ** 2
    low, high = 0.0, float(np.sqrt(weights.sum())) / radius
    for _ in range(200):
        middle = (low + high) / 2.0
        if float((weights / (values + middle) ** 2).sum()) > radius**2:
            low = middle
        else:
            high = middle
    return high
