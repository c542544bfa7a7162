"""Certified eigenvalues of symmetric matrices, and square roots, in rationals.

A float matrix is read as the rationals that its entries are, so every bound is a proof: a float
guess is moved until exact elimination confirms it. Meant for small matrices (d up to about 20).
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import Any

import numpy as np
from flint import arb, fmpq

from fedbounds.errors import FedboundsError
from fedbounds.vocabulary import Provenance, Side

from .constants import ConstantValue
from .linear import is_positive_semidefinite, multiplied, pivots, rational

Array = Any
_WIDTH = fmpq(1, 2**40)  # first relative distance of a bound from the float guess
_ROOT_BITS = 60
_LONGEST, _ROUNDED = 400, 100  # bits of entries; of those that are rounded
MOST = 20  # rows of matrices whose eigenvalues are found by exact elimination


@dataclass(frozen=True)
class Bracket:
    """lower <= the number <= upper, both rational; equal where it is known exactly."""

    lower: fmpq
    upper: fmpq

    def below(self) -> ConstantValue:
        """The lower end as a constant, for mu and its like."""
        return self._end(self.lower, Side.LOWER)

    def above(self) -> ConstantValue:
        """The upper end as a constant, for L and its like."""
        return self._end(self.upper, Side.UPPER)

    def _end(self, value: fmpq, side: Side) -> ConstantValue:
        exact = self.lower == self.upper
        return ConstantValue(value) if exact else ConstantValue(value, Provenance.CERTIFIED, side)


def in_rationals(array: Array) -> Array:
    """The array as exact rationals."""
    out = np.empty(array.shape, dtype=object)
    out.reshape(-1)[:] = [rational(x) for x in array.reshape(-1)]
    return out


def to_floats(array: Array) -> Array:
    """Rationals rounded to floats (through the quotient of integers: nearest)."""
    flat = [int(x.p) / int(x.q) for x in map(rational, array.reshape(-1))]
    return np.array(flat, dtype=np.float64).reshape(array.shape)


def smallest_eigenvalue(matrix: Array) -> Bracket:
    """The smallest eigenvalue of a symmetric matrix."""
    exact = in_rationals(matrix)
    identity = _identity(exact)
    guess = float(np.linalg.eigvalsh(to_floats(exact))[0])

    def at_least(bound: fmpq) -> bool:
        return is_positive_semidefinite(exact - identity * bound)

    def attained(bound: fmpq) -> bool:
        found = pivots(exact - identity * bound)
        return found is not None and any(pivot == 0 for pivot in found)

    return _bracket(guess, _scale(exact), at_least, attained)


def largest_eigenvalue(matrix: Array) -> Bracket:
    """The largest eigenvalue of a symmetric matrix."""
    below = smallest_eigenvalue(-matrix)
    return Bracket(-below.upper, -below.lower)


def squared_norm(matrix: Array) -> Bracket:
    """The squared spectral norm of any matrix.

    Of many rows and columns it is told between |A|_F^2 over the fewer of them, and |A|_F^2. Entries
    of many digits are rounded first, and what that may change is added.
    """
    exact = in_rationals(matrix if matrix.shape[0] <= matrix.shape[1] else matrix.T)
    few, largest = exact.shape[0], max(abs(x) for x in exact.reshape(-1))
    if few == 1 or few > MOST:
        total = sum((x * x for x in exact.reshape(-1)), fmpq(0))
        return Bracket(total / few, total)
    if max(x.q.bit_length() for x in exact.reshape(-1)) <= _LONGEST:
        return largest_eigenvalue(multiplied(exact, exact.T))
    step = largest / 2**_ROUNDED
    rounded = np.frompyfunc(lambda x: (x / step).floor() * step, 1, 1)(exact)
    found, away = largest_eigenvalue(multiplied(rounded, rounded.T)), exact.shape[1] * step
    more = 2 * (1 + found.upper) * away  # the norm is below 1 + its square
    return Bracket(max(found.lower - more, fmpq(0)), found.upper + more + away * away)


def smallest_positive_eigenvalue(matrix: Array) -> Bracket:
    """The smallest eigenvalue that is not 0 of a positive semidefinite matrix H.

    All eigenvalues are 0 or at least t exactly if H (H - t I) is positive semidefinite.

    Raises
    ------
    FedboundsError
        If the matrix is zero or has a negative eigenvalue.
    """
    exact = in_rationals(matrix)
    identity = _identity(exact)
    if (exact == 0).all() or not is_positive_semidefinite(exact):
        raise FedboundsError(
            f"matrix is {matrix.tolist()}; expected a positive semidefinite one that is not 0"
        )
    rank = sum(pivot != 0 for pivot in pivots(exact) or ())
    guess = float(np.linalg.eigvalsh(to_floats(exact))[len(exact) - rank])

    def at_least(bound: fmpq) -> bool:
        return is_positive_semidefinite(exact @ (exact - identity * bound))

    def attained(bound: fmpq) -> bool:
        found = pivots(exact @ (exact - identity * bound))
        return found is not None and sum(pivot != 0 for pivot in found) < rank

    return _bracket(guess, _scale(exact), at_least, attained)


def _bracket(
    guess: float, scale: fmpq, at_least: Callable[[fmpq], bool], attained: Callable[[fmpq], bool]
) -> Bracket:
    simple = Fraction(guess).limit_denominator(1000)
    near = fmpq(simple.numerator, simple.denominator)
    if abs(near - rational(guess)) <= _WIDTH * scale and attained(near):
        return Bracket(near, near)
    middle, width = rational(guess), _WIDTH * scale
    lower, upper = middle - width, middle + width
    while not at_least(lower):
        width = 2 * width
        lower = middle - width
    width = _WIDTH * scale
    while at_least(upper):
        width = 2 * width
        upper = middle + width
    return Bracket(lower, upper)


def _identity(matrix: Array) -> Array:
    return np.eye(len(matrix), dtype=int).astype(object)


def _scale(matrix: Array) -> fmpq:
    largest = max(abs(x) for x in matrix.reshape(-1))
    return largest if largest > 0 else fmpq(1)


def square_root(square: Any) -> Bracket:
    """The root of a number >= 0: exact where it is rational, else to a relative 2^-60."""
    x = rational(square)
    number, scale = int(x.p) * int(x.q), 0
    root = isqrt(number)
    if root * root == number:
        return Bracket(fmpq(root, x.q), fmpq(root, x.q))
    scale = max(0, _ROOT_BITS - number.bit_length() // 2)
    root = isqrt(number << (2 * scale))
    step = int(x.q) << scale
    return Bracket(fmpq(root, step), fmpq(root + 1, step))


def in_arbs(array: Array) -> Array:
    """Exact numbers as balls at the current precision."""
    return np.frompyfunc(arb, 1, 1)(array)


def above(ball: arb) -> fmpq:
    """The upper end of a ball, which is a rational."""
    return ball.upper().fmpq()
