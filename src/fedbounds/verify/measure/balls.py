"""Numbers known to within a ball: a comparison that the balls do not decide is a refusal."""

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb, ctx, fmpq

from fedbounds.problems.linear import rational

from .unknowns import Refused, entrywise

Array = Any
BITS = 128  # of the arithmetic on balls, unless more are needed


class Ball:
    """A real number between two ends; sums, products, quotients and roots keep it inside."""

    __slots__ = ("ball",)

    def __init__(self, ball: arb) -> None:
        self.ball = ball

    # balls and exact numbers first: nearly all operations are on these
    def __add__(self, other: Any) -> "Ball":
        if type(other) is Ball:
            return Ball(self.ball + other.ball)
        if type(other) is fmpq or type(other) is int:
            return Ball(self.ball + other)
        return NotImplemented if isinstance(other, np.ndarray) else Ball(self.ball + as_arb(other))

    def __mul__(self, other: Any) -> "Ball":
        if type(other) is Ball:
            return Ball(self.ball * other.ball)
        if type(other) is fmpq or type(other) is int:
            return Ball(self.ball * other)
        return NotImplemented if isinstance(other, np.ndarray) else Ball(self.ball * as_arb(other))

    def __sub__(self, other: Any) -> "Ball":
        if other is self:  # the same number, whichever it is
            return Ball(arb(0))
        if type(other) is Ball:
            return Ball(self.ball - other.ball)
        return NotImplemented if isinstance(other, np.ndarray) else Ball(self.ball - as_arb(other))

    @entrywise
    def __rsub__(self, other: Any) -> "Ball":
        return Ball(as_arb(other) - self.ball)

    __radd__, __rmul__ = __add__, __mul__

    def __truediv__(self, other: Any) -> "Ball":
        if type(other) is int and other:
            return Ball(self.ball / other)
        if isinstance(other, np.ndarray):
            return NotImplemented
        return Ball(self.ball / _nonzero(as_arb(other)))

    @entrywise
    def __rtruediv__(self, other: Any) -> "Ball":
        return Ball(as_arb(other) / _nonzero(self.ball))

    def __neg__(self) -> "Ball":
        return Ball(-self.ball)

    def __pos__(self) -> "Ball":
        return self

    def __pow__(self, power: int) -> "Ball":
        return Ball(raised(self.ball, int(power)))

    def __abs__(self) -> "Ball":
        return Ball(abs(self.ball))

    @entrywise
    def __lt__(self, other: Any) -> bool:
        return _decided(self.ball < as_arb(other), self.ball >= as_arb(other))

    @entrywise
    def __le__(self, other: Any) -> bool:
        return _decided(self.ball <= as_arb(other), self.ball > as_arb(other))

    @entrywise
    def __gt__(self, other: Any) -> bool:
        return _decided(self.ball > as_arb(other), self.ball <= as_arb(other))

    @entrywise
    def __ge__(self, other: Any) -> bool:
        return _decided(self.ball >= as_arb(other), self.ball < as_arb(other))

    def __eq__(self, other: object) -> bool:
        if other is self:
            return True
        return _decided(self.ball == as_arb(other), self.ball != as_arb(other))

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        raise Refused("a ball is no key")

    def __bool__(self) -> bool:
        return self != 0

    @property
    def bare(self) -> tuple[Any, Any]:
        """Its middle and its radius: the same computation gives the same ones."""
        return self.ball.mid().man_exp(), self.ball.rad().man_exp()

    def __repr__(self) -> str:
        return str(self.ball.str(6))

    def __float__(self) -> float:
        raise Refused("the step makes a float of a number that is known to within a ball")

    def sqrt(self) -> "Ball":
        """The square root; NumPy asks for it by this name."""
        if not bool(self.ball >= 0):
            raise Refused("the step takes the root of a number that may be negative")
        return Ball(self.ball.sqrt())

    def exp(self) -> "Ball":
        """e to this power."""
        return Ball(self.ball.exp())

    def log(self) -> "Ball":
        """The natural logarithm."""
        if not bool(self.ball > 0):
            raise Refused("the step takes the logarithm of a number that may not be positive")
        return Ball(self.ball.log())

    def log1p(self) -> "Ball":
        """The logarithm of 1 more."""
        if not bool(self.ball > -1):
            raise Refused("the step takes the logarithm of a number that may not be positive")
        return Ball(self.ball.log1p())

    def tanh(self) -> "Ball":
        """The hyperbolic tangent."""
        return Ball(self.ball.tanh())

    def sin(self) -> "Ball":
        """The sine."""
        return Ball(self.ball.sin())

    def cos(self) -> "Ball":
        """The cosine."""
        return Ball(self.ball.cos())


def raised(number: arb, power: int) -> arb:
    """A whole power; flint has none of a ball that contains 0."""
    if power < 0:
        return 1 / raised(number, -power)
    if not number.contains(0):
        return number**power
    found = arb(1)
    while power:
        found, number, power = found * number if power % 2 else found, number * number, power // 2
    return found


def enclosed(value: Any) -> Any:
    """What is certain of a number: the arb of a ball, whose comparisons say yes if that is so."""
    if isinstance(value, np.ndarray) and value.dtype == object:
        return np.frompyfunc(enclosed, 1, 1)(value) if value.size else value
    return value.ball if isinstance(value, Ball) else value


@contextmanager
def precise(bits: int = BITS) -> Iterator[None]:
    """Arithmetic on balls with at least so many bits."""
    before = ctx.prec
    ctx.prec = max(before, bits)
    try:
        yield
    finally:
        ctx.prec = before


def balls(numbers: Any) -> Any:
    """An array of balls, of numbers that are exact or balls."""
    return np.frompyfunc(lambda x: x if isinstance(x, Ball) else Ball(as_arb(x)), 1, 1)(numbers)


def as_arb(value: Any) -> arb:
    """A ball, or an exact number.

    Raises
    ------
    Refused
        If it is neither.
    """
    if type(value) is Ball:
        return value.ball
    if type(value) is fmpq or type(value) is int or type(value) is arb:
        return arb(value)
    if isinstance(value, int | np.integer):
        return arb(int(value))
    if isinstance(value, Fraction):
        return arb(rational(value))
    if isinstance(value, Ball):
        return value.ball
    raise Refused(f"the step mixes balls with {type(value).__name__}")


def _nonzero(ball: arb) -> arb:
    if ball.contains(0):
        raise Refused("the step divides by a number that may be zero")
    return ball


def _decided(yes: bool, no: bool) -> bool:
    if yes == no:
        raise Refused("two balls overlap: a comparison is not decided")
    return bool(yes)
