"""Numbers of which it is known how they depend on others that range over [-1, 1].

x = c + sum_k a_k s_k + e, |s_k| <= 1 and |e| at most an error, which holds what is not linear, and
the rounding of what was computed. A difference of numbers that depend on the same s is no larger
than it is, which intervals alone do not show: u + eta (y - u) stays near u.
"""

from typing import Any

import numpy as np

from .unknowns import Refused, entrywise

Array = Any
_ROUNDING = 4 * 2.0**-53  # of sums of products with two factors, generously
_UP = 1 + 2.0**-40  # sums of sizes are rounded up


class Form:
    """A number c + sum_k a_k s_k + e.

    Parameters
    ----------
    middle : float
        c.
    slopes : array
        a.
    error : float
        The largest |e|.
    """

    __slots__ = ("_size", "error", "middle", "slopes")

    def __init__(self, middle: float, slopes: Array, error: float = 0.0) -> None:
        self.middle, self.slopes = float(middle), slopes
        self._size = float(np.abs(slopes).sum()) * _UP
        self.error = error * _UP + _ROUNDING * (abs(self.middle) + self._size)

    @property
    def radius(self) -> float:
        """How far from c it may be."""
        return self._size + self.error

    @property
    def low(self) -> float:
        """It is no less."""
        return self.middle - self.radius

    @property
    def high(self) -> float:
        """It is no more."""
        return self.middle + self.radius

    @property
    def bare(self) -> tuple[Any, ...]:
        """What can be compared."""
        return (self.middle, self.slopes.tobytes(), self.error)

    @entrywise
    def __add__(self, other: Any) -> "Form":
        if isinstance(other, Form):
            return Form(
                self.middle + other.middle, self.slopes + other.slopes, self.error + other.error
            )
        return Form(self.middle + float(other), self.slopes, self.error)

    @entrywise
    def __sub__(self, other: Any) -> "Form":
        if other is self:
            return Form(0.0, self.slopes * 0.0)
        return Form.__add__(self, -other)

    @entrywise
    def __rsub__(self, other: Any) -> "Form":
        return Form.__add__(-self, other)

    @entrywise
    def __mul__(self, other: Any) -> "Form":
        if not isinstance(other, Form):
            factor = float(other)
            return Form(self.middle * factor, self.slopes * factor, self.error * abs(factor))
        if other is self:
            return self._square()
        linear = self.slopes * other.middle + other.slopes * self.middle
        error = self.error * abs(other.middle) + other.error * abs(self.middle)
        return Form(self.middle * other.middle, linear, error + self.radius * other.radius)

    def _square(self) -> "Form":
        """What is beyond the linear is between 0 and the square of the radius."""
        half = self.radius**2 / 2
        error = 2 * self.error * abs(self.middle) + half
        return Form(self.middle**2 + half, self.slopes * (2 * self.middle), error)

    __radd__, __rmul__ = __add__, __mul__

    @entrywise
    def __truediv__(self, other: Any) -> "Form":
        if isinstance(other, Form):
            raise Refused("a division by a number of which a range is known")
        return self * (1.0 / float(other))

    def __neg__(self) -> "Form":
        return Form(-self.middle, -self.slopes, self.error)

    def __pow__(self, power: int) -> "Form":
        if power != 2:
            raise Refused(f"a power {power} of a number of which a range is known")
        return self._square()

    def sin(self) -> "Form":
        """The sine; its second derivative is at most 1, and so is it."""
        return self._bent(float(np.sin(self.middle)), float(np.cos(self.middle)))

    def cos(self) -> "Form":
        """The cosine."""
        return self._bent(float(np.cos(self.middle)), -float(np.sin(self.middle)))

    def _bent(self, value: float, slope: float) -> "Form":
        error = self.error * abs(slope) + self.radius**2 / 2 + _ROUNDING
        if self._size * abs(slope) + error >= 1 + abs(value):
            return Form(0.0, self.slopes * 0.0, 1.0)
        return Form(value, self.slopes * slope, error)

    def _unknown(self) -> "Form":
        raise Refused("a function of a number of which a range is known")

    __abs__ = sqrt = exp = log = log1p = tanh = _unknown

    def __lt__(self, other: Any) -> bool:
        raise Refused("a comparison of a number of which a range is known")

    __le__ = __gt__ = __ge__ = __lt__

    def __eq__(self, other: object) -> bool:
        if other is self:
            return True
        raise Refused("a comparison of a number of which a range is known")

    __hash__ = None  # type: ignore[assignment]


def ranging(low: Array, high: Array, first: int, count: int) -> Array:
    """Numbers between these, each with an s of its own: those from ``first`` on, of so many."""
    found = np.empty(low.shape, dtype=object)
    for at, place in enumerate(np.ndindex(low.shape), first):
        middle = (float(low[place]) + float(high[place])) / 2
        # rounded outwards
        reach = max(float(high[place]) - middle, middle - float(low[place])) * (1 + _ROUNDING)
        slopes = np.zeros(count)
        slopes[at] = reach
        found[place] = Form(middle, slopes)
    return found


def ends(forms: Array) -> tuple[Array, Array]:
    """The least and the largest that each may be; numbers are themselves."""
    low = np.frompyfunc(lambda x: x.low if isinstance(x, Form) else float(x), 1, 1)(forms)
    high = np.frompyfunc(lambda x: x.high if isinstance(x, Form) else float(x), 1, 1)(forms)
    return np.asarray(low, dtype=float), np.asarray(high, dtype=float)
