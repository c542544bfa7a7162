"""Numbers of a cell of Gaussian draws with their slopes along the draws, for means over the cell.

F(z) = F(c) + sum_e F_e(x) (z_e - c_e), with x between z and c. Where every slope F_e over the whole
cell is in a ball of middle s_e and radius r_e, and c_e is near the mean of z_e in the cell, then
E F = F(c) + sum_e s_e E(z_e - c_e) within sum_e r_e E|z_e - c_e|: this is of second order in the
width of the cell, where the ball of F is of first.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from flint import arb

from .balls import Ball, as_arb
from .tails import Tail
from .unknowns import entrywise


@dataclass(frozen=True, eq=False)
class Draw:
    """One entry of the draws, in one of its cells.

    Attributes
    ----------
    ball : arb
        The cell.
    centre : arb
        c, exact.
    bias, spread : arb
        E(z - c) of the cell, and no less than E|z - c|.
    """

    ball: arb
    centre: arb
    bias: arb
    spread: arb


Slopes = Mapping[Draw, arb]


class Sloped(Ball):
    """A number that depends on draws of one cell.

    Parameters
    ----------
    ball : arb
        Of all of the cell.
    at : arb
        Where every draw is at its centre.
    slopes : mapping from Draw to arb, or None
        Of all of the cell; draws that are not there have none. None if they are not known.
    """

    __slots__ = ("at", "slopes")

    def __init__(self, ball: arb, at: arb, slopes: Slopes | None) -> None:
        super().__init__(ball)
        self.at, self.slopes = at, slopes

    @staticmethod
    def of(draw: Draw) -> "Sloped":
        """The draw itself."""
        return Sloped(draw.ball, draw.centre, {draw: arb(1)})

    @property
    def mean(self) -> Ball:
        """Over all draws of the cell."""
        if self.slopes is None:
            return Ball(self.ball)
        found = self.at
        for draw, slope in self.slopes.items():
            off = arb(slope.rad()) * draw.spread
            found += arb(slope.mid()) * draw.bias + arb(0, off.upper())
        return Ball(found if found.rad() < self.ball.rad() else self.ball)

    @property
    def without(self) -> "Sloped":
        """The same where some draws are averaged: no slopes are known of such a mean."""
        return Sloped(self.ball, self.ball, None)

    @entrywise
    def __add__(self, other: Any) -> Any:
        return self._joined(other, self.ball + as_arb(other), lambda a, b: a + b, 1, 1)

    @entrywise
    def __sub__(self, other: Any) -> Any:
        if other is self:  # the same number, whichever it is
            return Ball(arb(0))
        return self._joined(other, self.ball - as_arb(other), lambda a, b: a - b, 1, -1)

    @entrywise
    def __rsub__(self, other: Any) -> Any:
        return -self + other

    @entrywise
    def __mul__(self, other: Any) -> Any:
        ball = as_arb(other)
        return self._joined(other, self.ball * ball, lambda a, b: a * b, ball, self.ball)

    __radd__, __rmul__ = __add__, __mul__

    @entrywise
    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, Sloped):
            return self * (1 / other)
        if isinstance(other, Tail):
            return NotImplemented
        by = Ball(arb(1)) / other
        return self * by

    @entrywise
    def __rtruediv__(self, other: Any) -> Any:
        inverse = (Ball(arb(1)) / Ball(self.ball)).ball
        return self._of(lambda x: 1 / x, -inverse * inverse) * other

    def __neg__(self) -> Any:
        return self * -1

    def __pos__(self) -> "Sloped":
        return self

    def __pow__(self, power: int) -> Any:
        whole = int(power)
        if whole < 0:
            return 1 / self ** (-whole)
        if not whole:
            return Ball(arb(1))
        return self._of(lambda x: x**whole, whole * self.ball ** (whole - 1))

    def __abs__(self) -> Any:
        if self.ball > 0 or self.ball < 0:
            return self if self.ball > 0 else -self
        return Sloped(abs(self.ball), abs(self.at), None)

    def sqrt(self) -> Any:
        """The square root."""
        root = Ball(self.ball).sqrt().ball
        return (
            Sloped(root, self.at.sqrt(), None)
            if root.contains(0)
            else self._of(lambda x: x.sqrt(), 1 / (2 * root))
        )

    def exp(self) -> Any:
        """e to this power."""
        return self._of(lambda x: x.exp(), self.ball.exp())

    def log(self) -> Any:
        """The natural logarithm."""
        Ball(self.ball).log()  # which refuses
        return self._of(lambda x: x.log(), 1 / self.ball)

    def log1p(self) -> Any:
        """The logarithm of 1 more."""
        Ball(self.ball).log1p()  # which refuses
        return self._of(lambda x: x.log1p(), 1 / (1 + self.ball))

    def tanh(self) -> Any:
        """The hyperbolic tangent."""
        return self._of(lambda x: x.tanh(), 1 - self.ball.tanh() ** 2)

    def sin(self) -> Any:
        """The sine."""
        return self._of(lambda x: x.sin(), self.ball.cos())

    def cos(self) -> Any:
        """The cosine."""
        return self._of(lambda x: x.cos(), -self.ball.sin())

    def _of(self, function: Callable[[arb], arb], slope: arb) -> "Sloped":
        """A function of it, with that function's slope over the cell."""
        own = None if self.slopes is None else {x: y * slope for x, y in self.slopes.items()}
        return Sloped(function(self.ball), function(self.at), own)

    def _joined(
        self,
        other: Any,
        ball: arb,
        made: Callable[[arb, arb], arb],
        by_self: Any,
        by_other: Any,
    ) -> Any:
        """Of two numbers, with the slopes along each of them."""
        if isinstance(other, Tail):
            return NotImplemented  # that draw is in no cell
        if not isinstance(other, Sloped):
            at = made(self.at, as_arb(other))
            own = None if self.slopes is None else {x: y * by_self for x, y in self.slopes.items()}
            return Sloped(ball, at, own)
        at = made(self.at, other.at)
        if self.slopes is None or other.slopes is None:
            return Sloped(ball, at, None)
        slopes = {draw: slope * by_self for draw, slope in self.slopes.items()}
        for draw, slope in other.slopes.items():
            more = slope * by_other
            slopes[draw] = slopes[draw] + more if draw in slopes else more
        return Sloped(ball, at, slopes)


def over_all(number: Any) -> Any:
    """A number before a mean over all draws: its mean in a cell."""
    return number.mean if isinstance(number, Sloped) else number


def over_some(number: Any) -> Any:
    """A number before a mean over some draws, which is not known by its slopes."""
    return number.without if isinstance(number, Sloped) else number
