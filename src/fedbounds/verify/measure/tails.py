"""Numbers beyond the last cell of a Gaussian draw: at most so large in the mean of their squares.

There |z| has the moments E|z|^j <= M^j for j up to `MOST_DEGREE`. Whatever is at most P(|z|), P a
polynomial with no negative coefficient, has a mean square of at most P(M)^2 as long as twice the
degree of P is no more: so much is a ball around 0 that stands for it in products of two.
"""

from typing import Any

from flint import arb

from .balls import Ball, as_arb
from .unknowns import Refused, entrywise

MOST_DEGREE = 16


class Tail(Ball):
    """P(M), in a ball around 0 of that size, with the degree of P.

    Parameters
    ----------
    size : arb
        P(M), or more.
    degree : int
    """

    __slots__ = ("degree",)

    def __init__(self, size: arb, degree: int) -> None:
        self.degree = degree if size != 0 else 0
        if 2 * self.degree > MOST_DEGREE:
            raise Refused(f"moments of a tail are known up to degree {MOST_DEGREE} alone")
        super().__init__(arb(0, size.upper()))

    @property
    def plain(self) -> Ball:
        """The same as any other number that is between these ends."""
        return Ball(self.ball)

    @entrywise
    def __add__(self, other: Any) -> "Tail":
        size, degree = _of(other)
        return Tail(_size(self.ball) + size, max(self.degree, degree))

    @entrywise
    def __mul__(self, other: Any) -> "Tail":
        size, degree = _of(other)
        return Tail(_size(self.ball) * size, self.degree + degree)

    @entrywise
    def __sub__(self, other: Any) -> "Tail":
        size, degree = _of(other)
        return Tail(_size(self.ball) + size, max(self.degree, degree))

    __radd__, __rmul__, __rsub__ = __add__, __mul__, __sub__

    @entrywise
    def __truediv__(self, other: Any) -> "Tail":
        if isinstance(other, Tail):
            raise Refused("it divides by a number of a tail")
        return Tail(_size((Ball(self.ball) / other).ball), self.degree)

    @entrywise
    def __rtruediv__(self, other: Any) -> "Tail":
        raise Refused("it divides by a number of a tail")

    def __neg__(self) -> "Tail":
        return self

    def __pow__(self, power: int) -> "Tail":
        return Tail(_size(self.ball) ** int(power), self.degree * int(power))

    def __abs__(self) -> "Tail":
        return self

    def _asked(self, *_: object) -> Any:
        raise Refused("it asks more of a number of a tail than sums and products")

    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = _asked
    __hash__ = __bool__ = sqrt = exp = log = log1p = _asked

    def sin(self) -> "Tail":
        """The sine."""
        return Tail(arb(1), 0) if self.ball != 0 else self

    tanh = sin

    def cos(self) -> "Tail":
        """The cosine."""
        return Tail(arb(1), 0)


def _size(ball: arb) -> arb:
    return abs(ball).upper()


def _of(other: Any) -> tuple[arb, int]:
    return _size(as_arb(other)), other.degree if isinstance(other, Tail) else 0
