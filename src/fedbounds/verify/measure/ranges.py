"""Numbers known to lie between two rational ends, and the range of a polynomial over a cube."""

from dataclasses import dataclass, field
from typing import Any

from flint import arb, fmpq

from fedbounds.errors import FedboundsError

from .unknowns import Refused

Number = Any  # a rational, or a Range


@dataclass(frozen=True)
class Range:
    """All numbers from ``low`` to ``high``; without an end where that is None.

    ``where``: in words, what shows an end.
    """

    low: fmpq | None
    high: fmpq | None
    where: str = field(default="", compare=False)

    def __str__(self) -> str:
        ends = ("-oo" if self.low is None else self.low, "oo" if self.high is None else self.high)
        return f"[{ends[0]}, {ends[1]}]"

    def __add__(self, other: Number) -> Number:
        more = as_range(other)
        return narrowed(Range(_sum(self.low, more.low), _sum(self.high, more.high)))

    def __neg__(self) -> "Range":
        return Range(_minus(self.high), _minus(self.low))

    def __sub__(self, other: Number) -> Number:
        return self + -as_range(other)

    def __rsub__(self, other: Number) -> Number:
        return as_range(other) - self

    def __mul__(self, other: Number) -> Number:
        if not isinstance(other, Range):
            if other == 0:
                return fmpq(0)
            low, high = (None if end is None else end * other for end in (self.low, self.high))
            return narrowed(Range(low, high) if other > 0 else Range(high, low))
        ends = [a * b for a in self.ends for b in other.ends]
        return narrowed(Range(min(ends), max(ends)))

    __radd__, __rmul__ = __add__, __mul__

    def __truediv__(self, other: Number) -> Number:
        return self * (1 / other)

    def __rtruediv__(self, other: Number) -> Number:
        low, high = self.ends
        if low <= 0 <= high:
            raise FedboundsError(f"a divisor between {low} and {high} may vanish")
        return narrowed(Range(1 / high, 1 / low)) * other

    def __pow__(self, power: int) -> Number:
        if power < 0:
            return (1 / self) ** -power
        found: Number = fmpq(1)
        for _ in range(power):
            found = self * found
        low, high = as_range(found).ends
        return narrowed(Range(max(fmpq(0), low), high)) if power % 2 == 0 else found

    @property
    def ends(self) -> tuple[fmpq, fmpq]:
        """Both.

        Raises
        ------
        FedboundsError
            If one is not there.
        """
        if self.low is None or self.high is None:
            raise FedboundsError(f"a number in {self} has no finite bounds")
        return self.low, self.high

    def __lt__(self, other: Number) -> bool:
        found = compared(self, "<", other)
        if found is None:
            raise FedboundsError(f"{self} and {other} are not told apart")
        return found

    def __gt__(self, other: Number) -> bool:
        found = compared(self, ">", other)
        if found is None:
            raise FedboundsError(f"{self} and {other} are not told apart")
        return found


class Unbounded(Range):
    """Above all numbers."""


def as_range(number: Number) -> Range:
    """A rational as a range of one number."""
    return number if isinstance(number, Range) else Range(number, number)


def of_ball(ball: arb) -> Number:
    """A range that contains what a ball does."""
    ends = (end.man_exp() for end in (ball.lower(), ball.upper()))
    low, high = (fmpq(int(man)) * fmpq(2) ** int(exp) for man, exp in ends)
    return narrowed(Range(low, high))


def narrowed(found: Range) -> Number:
    """The rational, where both ends are the same."""
    return found.low if found.low is not None and found.low == found.high else found


def compared(left: Number, relation: str, right: Number) -> bool | None:
    """Whether a relation holds wherever both lie, or nowhere; None where it is not decided."""
    if relation in (">", ">="):
        return compared(right, relation.replace(">", "<"), left)
    one, other = as_range(left), as_range(right)
    if relation == "<":
        return _decided(_below(one.high, other.low), _at_most(other.high, one.low))
    if relation == "<=":
        return _decided(_at_most(one.high, other.low), _below(other.high, one.low))
    apart = _below(one.high, other.low) or _below(other.high, one.low)
    same = one.low is not None and one.low == one.high == other.low == other.high
    return _decided(same, apart)


def _decided(yes: bool, no: bool) -> bool | None:
    return True if yes else (False if no else None)


def _below(a: fmpq | None, b: fmpq | None) -> bool:
    return a is not None and b is not None and bool(a < b)


def _at_most(a: fmpq | None, b: fmpq | None) -> bool:
    return a is not None and b is not None and bool(a <= b)


def _sum(a: fmpq | None, b: fmpq | None) -> fmpq | None:
    return None if a is None or b is None else a + b


def _minus(a: fmpq | None) -> fmpq | None:
    return None if a is None else -a


# ---- polynomials


def over_cube(polynomial: Any) -> Number:
    """A range that contains a polynomial whose variables are between -1 and 1.

    Exact where its degree is one: variables are independent.
    """
    if not hasattr(polynomial, "to_dict"):
        return polynomial
    low = high = fmpq(0)
    for exponents, factor in polynomial.to_dict().items():
        powers = [int(power) for power in exponents]
        if not any(powers):
            low, high = low + factor, high + factor
        elif any(power % 2 for power in powers):
            low, high = low - abs(factor), high + abs(factor)
        else:
            low, high = low + min(factor, fmpq(0)), high + max(factor, fmpq(0))
    return narrowed(Range(low, high))


def multiple(top: Any, bottom: Any) -> fmpq | None:
    """c where top = c bottom as polynomials, and bottom is none of degree 0."""
    if not hasattr(bottom, "to_dict") or bottom.total_degree() <= 0:
        return None
    exponents, factor = next(iter(bottom.to_dict().items()))
    own = top.to_dict() if hasattr(top, "to_dict") else {}
    found = own.get(exponents, fmpq(0)) / factor
    return found if top == bottom * found else None


def quotient(top: Any, bottom: Any) -> Number:
    """The range of a quotient over the cube, wherever it is defined.

    Raises
    ------
    Refused
        If its denominator may vanish.
    """
    found = multiple(top, bottom)
    if found is not None:
        return found
    above, below = over_cube(top), over_cube(bottom)
    if compared(below, "==", fmpq(0)) is not False:
        told = "vanishes" if below == 0 else f"in {below} may vanish"
        raise Refused(f"a denominator {told}")
    return above / below
