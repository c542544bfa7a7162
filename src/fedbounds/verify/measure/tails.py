"""Numbers beyond the last cell of a Gaussian draw, where only moments bound it.

There E|z|^j <= M^j for j up to `MOST_DEGREE`. A number of the step is c + F with |F| <= P(|z|), P a
polynomial with no negative coefficient: it is known by the ball of middle c and radius P(M), and by
its degree. Sums and products of such balls are those of sums and products, and a mean over the tail
is in the ball as long as the degree is at most `MOST_DEGREE`. The number itself need not be in it.
"""

from collections.abc import Callable
from typing import Any

from flint import arb

from .balls import Ball, as_arb
from .unknowns import Refused, entrywise

MOST_DEGREE = 16


class Tail(Ball):
    """Such a number; nothing is asked of it but sums, products and bounded functions.

    Parameters
    ----------
    ball : arb
        Of middle c and radius P(M), or more.
    degree : int
        Of P, or more.
    """

    __slots__ = ("degree",)

    def __init__(self, ball: arb, degree: int) -> None:
        if degree > MOST_DEGREE:
            raise Refused(f"moments of a tail are known up to degree {MOST_DEGREE} alone")
        super().__init__(ball)
        self.degree = degree

    @property
    def mean(self) -> Ball:
        """That of the number, which is in the ball."""
        return Ball(self.ball)

    @entrywise
    def __add__(self, other: Any) -> Ball:
        return _made(self.ball + as_arb(other), max(self.degree, _degree(other)))

    @entrywise
    def __sub__(self, other: Any) -> Ball:
        return _made(self.ball - as_arb(other), max(self.degree, _degree(other)))

    @entrywise
    def __rsub__(self, other: Any) -> Ball:
        return _made(as_arb(other) - self.ball, max(self.degree, _degree(other)))

    @entrywise
    def __mul__(self, other: Any) -> Ball:
        return _made(self.ball * as_arb(other), self.degree + _degree(other))

    __radd__, __rmul__ = __add__, __mul__

    @entrywise
    def __truediv__(self, other: Any) -> Ball:
        if isinstance(other, Tail):
            raise Refused("it divides by a number of a tail")
        return _made((Ball(self.ball) / other).ball, self.degree)

    def __neg__(self) -> Ball:
        return _made(-self.ball, self.degree)

    def __pow__(self, power: int) -> Ball:
        found: Ball = Ball(arb(1))
        for _ in range(int(power)):
            found = self * found
        return found

    def _asked(self, *_: object) -> Any:
        raise Refused("it asks more of a number of a tail than sums and products")

    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = __rtruediv__ = _asked
    __hash__ = __bool__ = __abs__ = sqrt = exp = log = log1p = _asked

    def _bounded(self, *_: object) -> Ball:
        return Tail(arb(0, 1), 0)

    sin: Callable[..., Ball] = _bounded
    cos: Callable[..., Ball] = _bounded
    tanh: Callable[..., Ball] = _bounded


def _made(ball: arb, degree: int) -> Ball:
    """Of no size it is 0, whatever is drawn."""
    return Ball(ball) if ball == 0 else Tail(ball, degree)  # both are certain, or say no


def _degree(other: Any) -> int:
    return other.degree if isinstance(other, Tail) else 0
