"""Numbers inside a user's own objective: rationals, balls or unknowns, with floats beside them.

A float in a function is the rational number that it is. Sums and products of rationals are
rational; a sine or a root makes a ball, and arithmetic keeps the number inside.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import wraps
from math import isfinite
from typing import Any

import numpy as np
from flint import arb, fmpq

from fedbounds.problems.linear import rational

from ..measure.balls import Ball
from ..measure.unknowns import Refused, Unknown

Array = Any
MOST_BITS = 2048  # of a numerator or denominator; a longer one becomes a ball


def _operand(value: Any) -> Any:
    """What stands beside an entry, as a number of the same kind."""
    if isinstance(value, Entry):
        return value.value
    if isinstance(value, fmpq | Ball | Unknown):
        return value
    if isinstance(value, bool | int | np.integer | np.bool_):
        return fmpq(int(value))
    if isinstance(value, Fraction):
        return rational(value)
    if isinstance(value, float | np.floating) and isfinite(value):
        return rational(float(value))
    raise Refused(f"the objective mixes its numbers with {value!r}")


def _short(value: Any) -> Any:
    """The number, or a ball with it where its digits are many."""
    if isinstance(value, fmpq) and max(value.p.bit_length(), value.q.bit_length()) > MOST_BITS:
        return Ball(arb(value))
    return value


def _binary(operator: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Of two numbers; arrays are left to NumPy, which takes their entries one by one."""

    @wraps(operator)
    def applied(self: "Entry", other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        return operator(self.value, _operand(other))

    return applied


def _number(operator: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return _binary(lambda one, other: Entry(_short(operator(one, other))))


class Entry:
    """One number; whatever needs a float of it is refused."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    __add__ = __radd__ = _number(lambda one, other: one + other)
    __mul__ = __rmul__ = _number(lambda one, other: one * other)
    __sub__ = _number(lambda one, other: one - other)
    __rsub__ = _number(lambda one, other: other - one)
    __truediv__ = _number(lambda one, other: one / other)
    __rtruediv__ = _number(lambda one, other: other / one)
    __lt__ = _binary(lambda one, other: one < other)
    __le__ = _binary(lambda one, other: one <= other)
    __gt__ = _binary(lambda one, other: one > other)
    __ge__ = _binary(lambda one, other: one >= other)
    __eq__ = _binary(lambda one, other: one == other)
    __ne__ = _binary(lambda one, other: one != other)

    def __neg__(self) -> "Entry":
        return Entry(-self.value)

    def __pos__(self) -> "Entry":
        return self

    def __abs__(self) -> "Entry":
        return Entry(abs(self.value))

    def __pow__(self, power: Any) -> Any:
        if isinstance(power, np.ndarray):
            return NotImplemented
        halves = 2 * _operand(power)
        if not isinstance(halves, fmpq) or halves.q != 1:
            raise Refused(f"the objective takes the power {power!r}")
        whole, half = divmod(abs(int(halves.p)), 2)
        found = Entry(_short(self.value**whole))
        found = found * self.sqrt() if half else found
        return 1 / found if halves < 0 else found

    def __bool__(self) -> bool:
        return bool(self.value != 0)

    def __hash__(self) -> int:
        raise Refused("the objective looks a number up")

    def __float__(self) -> float:
        raise Refused("the objective makes a float of a number")

    def _of_ball(self, name: str) -> "Entry":
        if isinstance(self.value, Unknown):
            raise Refused(f"the objective takes {name} of an entry that is not known")
        ball = self.value if isinstance(self.value, Ball) else Ball(arb(self.value))
        return Entry(getattr(ball, name)())

    # NumPy asks the entries of an array for functions by these names
    def sqrt(self) -> "Entry":
        """The square root."""
        return self._of_ball("sqrt")

    def exp(self) -> "Entry":
        """e to this power."""
        return self._of_ball("exp")

    def log(self) -> "Entry":
        """The natural logarithm."""
        return self._of_ball("log")

    def log1p(self) -> "Entry":
        """The logarithm of 1 more."""
        return self._of_ball("log1p")

    def tanh(self) -> "Entry":
        """The hyperbolic tangent."""
        return self._of_ball("tanh")

    def sin(self) -> "Entry":
        """The sine."""
        return self._of_ball("sin")

    def cos(self) -> "Entry":
        """The cosine."""
        return self._of_ball("cos")


_entries = np.frompyfunc(Entry, 1, 1)
_plain = np.frompyfunc(_operand, 1, 1)


def through(function: Callable[[Array], Array], points: Array) -> Array:
    """What a user's function makes of an array: floats of floats; else exact numbers, or balls.

    Raises
    ------
    Refused
        If it asks of a number what only a float answers.
    """
    if points.dtype != object:
        return np.asarray(function(points))
    found = np.asarray(function(_entries(points)))
    return _plain(found.astype(object)) if found.size else found
