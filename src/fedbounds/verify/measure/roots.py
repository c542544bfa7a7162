"""Exact sums of real roots of rationals: c_1 r_1^(1/q_1) + c_2 r_2^(1/q_2) + ..., every r positive.

Real roots of rationals no two of which have a rational quotient are linearly independent over the
rationals (Siegel, Algebraische Abhaengigkeit von Wurzeln, Acta Arithmetica 21, 1972). So a sum in
which such terms are merged is zero only if no term is left, and the sign of any other shows in
balls at some precision.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from math import lcm
from typing import Any

from flint import arb, ctx, fmpq, fmpz

_FIRST_BITS = 64
_EXACT = (fmpq, fmpz, int)


class IrrationalError(ArithmeticError):
    """A number is not of the kind in use: evaluate in a wider one, at last in balls."""


class UndefinedError(ArithmeticError):
    """An expression has no real value: the root of a negative number."""


@dataclass(frozen=True)
class Root:
    """coefficient * radicand^(1/degree)."""

    coefficient: fmpq
    radicand: fmpq
    degree: int


@dataclass(frozen=True, eq=False)
class Roots:
    """A sum of roots, no two of which have a rational quotient; the empty sum is zero."""

    terms: tuple[Root, ...]

    def __add__(self, other: Any) -> Any:
        if isinstance(other, arb):
            return self.ball() + other
        if not isinstance(other, (Roots, *_EXACT)):
            return NotImplemented  # an array goes through its entries
        return total((self, as_roots(other)))

    def __neg__(self) -> "Roots":
        return Roots(tuple(Root(-x.coefficient, x.radicand, x.degree) for x in self.terms))

    def __sub__(self, other: Any) -> Any:
        if isinstance(other, arb):
            return self.ball() - other
        if not isinstance(other, (Roots, *_EXACT)):
            return NotImplemented  # an array goes through its entries
        return self + -as_roots(other)

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, arb):
            return self.ball() * other
        if not isinstance(other, (Roots, *_EXACT)):
            return NotImplemented  # an array goes through its entries
        own = as_roots(other).terms
        return _merged(_times(a, b) for a in self.terms for b in own)

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, arb):
            return self.ball() / other
        if not isinstance(other, (Roots, *_EXACT)):
            return NotImplemented  # an array goes through its entries
        divisor = as_roots(other).terms
        if not divisor:
            raise ZeroDivisionError("division by a sum of roots that is zero")
        if len(divisor) == 2 and all(x.degree <= 2 for x in divisor):
            one, less = (Roots((x,)) for x in divisor)  # whose squares are rational, and differ
            found: Roots = self * (one - less) / (one * one - less * less)
            return found
        if len(divisor) > 1:
            raise IrrationalError("the inverse of a sum of roots is not written as one")
        (x,) = divisor
        return self * Roots((Root(1 / x.coefficient, 1 / x.radicand, x.degree),))

    def __pow__(self, power: int) -> "Roots":
        if power < 0:
            inverse: Roots = 1 / self**-power
            return inverse
        found = as_roots(1)
        for _ in range(power):
            found = found * self
        return found

    __radd__ = __add__
    __rmul__ = __mul__

    def __rsub__(self, other: Any) -> Any:
        if isinstance(other, arb):
            return other - self.ball()
        if not isinstance(other, (Roots, *_EXACT)):
            return NotImplemented  # an array goes through its entries
        return as_roots(other) - self

    def __rtruediv__(self, other: Any) -> Any:
        if isinstance(other, arb):
            return other / self.ball()
        if not isinstance(other, (Roots, *_EXACT)):
            return NotImplemented  # an array goes through its entries
        return as_roots(other) / self

    def __abs__(self) -> "Roots":
        return -self if self < 0 else self

    def root(self, degree: int) -> "Roots":
        """The real root of a single term that is not negative."""
        if self < 0:
            raise UndefinedError(f"{self}**(1/{degree}) is not real")
        if len(self.terms) > 1:
            raise IrrationalError("the root of a sum of roots is not written as one")
        if not self.terms:
            return self
        (x,) = self.terms
        return _single(x.coefficient**x.degree * x.radicand, x.degree * degree)

    def ball(self) -> arb:
        """An enclosure at the working precision."""
        total = arb(0)
        for x in self.terms:
            total += arb(x.coefficient) * arb(x.radicand).root(x.degree)
        return total

    def rational(self) -> fmpq | None:
        """The sum as a rational; None if it is none."""
        if not self.terms:
            return fmpq(0)
        first, *more = self.terms
        return first.coefficient if first.radicand == 1 and not more else None

    def sign(self) -> int:
        """-1, 0 or 1."""
        if len(self.terms) < 2:  # roots are positive
            return sum((x.coefficient > 0) - (x.coefficient < 0) for x in self.terms)
        before = ctx.prec
        try:
            ctx.prec = _FIRST_BITS
            while (ball := self.ball()).contains(0):
                ctx.prec *= 2  # ends: the sum is not zero
            return 1 if ball > 0 else -1
        finally:
            ctx.prec = before

    def _against(self, other: Any) -> int:
        """The sign of the difference."""
        return self.sign() if other == 0 else (self + -as_roots(other)).sign()

    def __lt__(self, other: Any) -> bool:
        return self._against(other) < 0

    def __gt__(self, other: Any) -> bool:
        return self._against(other) > 0

    def __le__(self, other: Any) -> bool:
        return self._against(other) <= 0

    def __ge__(self, other: Any) -> bool:
        return self._against(other) >= 0

    def __eq__(self, other: object) -> bool:
        return not (self + -as_roots(other)).terms

    def __int__(self) -> int:
        found = self.rational()
        if found is None:
            raise IrrationalError(f"{self} is not rational")
        return int(found)

    def __float__(self) -> float:
        return float(self.ball().mid())

    def __str__(self) -> str:
        found = self.rational()
        return str(self.ball().str(6, radius=False)) if found is None else str(found)


def as_roots(number: Any) -> Roots:
    """An exact number as a sum of roots.

    Raises
    ------
    IrrationalError
        If it is a ball or a float.
    """
    if isinstance(number, Roots):
        return number
    if not isinstance(number, _EXACT):
        raise IrrationalError(f"{number} is no exact number")
    value = fmpq(number)
    return Roots((Root(value, fmpq(1), 1),) if value != 0 else ())


def exact_root(number: fmpz, degree: int) -> fmpz | None:
    """The exact root of a non-negative integer, or None."""
    if number < 0:
        return None
    found = number.root(degree)
    return found if found**degree == number else None


def rational_root(number: fmpq, degree: int) -> fmpq | None:
    """The exact root of a rational that is not negative, or None if it is not rational."""
    p, q = (exact_root(x, degree) for x in (number.p, number.q))
    return None if p is None or q is None else fmpq(p, q)


def _single(radicand: fmpq, degree: int) -> Roots:
    found = rational_root(radicand, degree)
    return Roots((Root(fmpq(1), radicand, degree),)) if found is None else as_roots(found)


def _times(a: Root, b: Root) -> Root:
    degree = lcm(a.degree, b.degree)
    radicand = a.radicand ** (degree // a.degree) * b.radicand ** (degree // b.degree)
    coefficient = a.coefficient * b.coefficient
    whole = rational_root(radicand, degree)
    if whole is not None:
        return Root(coefficient * whole, fmpq(1), 1)
    return Root(coefficient, radicand, degree)


# odd primes: a quotient of roots that is rational is a square to all of them
_PRIMES = (2147483647, 2147483629, 2147483587, 2147483579, 2147483563, 2147483549, 2147483543)
_FEW = 8  # terms, of which each may be held against each


def total(numbers: Iterable[Any]) -> Roots:
    """The sum of exact numbers, however many."""
    return _merged(term for number in numbers for term in as_roots(number).terms)


def plain(found: Roots) -> Any:
    """Rational where it can be."""
    number = found.rational()
    return found if number is None else number


def _merged(terms: Iterable[Root]) -> Roots:
    """Terms with a rational quotient as one; those that cancel are left out."""
    same: dict[tuple[fmpz, fmpz, int], Root] = {}
    for term in terms:
        key = (term.radicand.p, term.radicand.q, term.degree)  # of a rational itself it is slow
        if key in same:
            coefficient = same[key].coefficient + term.coefficient
            same[key] = Root(coefficient, term.radicand, term.degree)
        else:
            same[key] = term
    every = [term for term in same.values() if term.coefficient != 0]
    if len(every) < 2:
        return Roots(tuple(every))
    kinds: dict[Any, list[Root]] = {}
    few = len(every) <= _FEW
    for term in every:
        kind = None if few else _kind(term.radicand.p, term.radicand.q, term.degree)
        # those of no kind may belong to any
        near = kinds.values() if kind is None else [kinds.get(kind, []), kinds.get(None, [])]
        if not any(_joined(own, term) for own in near):
            kinds.setdefault(kind, []).append(term)
    return Roots(tuple(term for own in kinds.values() for term in own if term.coefficient != 0))


def _joined(own: list[Root], term: Root) -> bool:
    """Whether a term was added to one of these, with which it has a rational quotient."""
    for at, one in enumerate(own):
        quotient = _times(Root(fmpq(1), term.radicand, term.degree),
                          Root(fmpq(1), 1 / one.radicand, one.degree))  # fmt: skip
        if quotient.degree == 1:
            more = term.coefficient * quotient.coefficient
            own[at] = Root(one.coefficient + more, one.radicand, one.degree)
            return True
    return False


@lru_cache(maxsize=65_536)  # sums of many have the same roots again and again
def _kind(numerator: fmpz, denominator: fmpz, degree: int) -> tuple[int, ...] | None:
    """Of square roots with a rational quotient the same; None if that is not known."""
    if degree > 2:
        return None
    whole = int(numerator * denominator)
    found = tuple(pow(whole % p, (p - 1) // 2, p) for p in _PRIMES)
    return found if all(found) else None
