"""Quotients of polynomials with rational coefficients, in variables of known sign."""

import re
from dataclasses import dataclass, field
from functools import cached_property
from math import comb
from typing import Any

from flint import Ordering, fmpq, fmpq_mpoly_ctx

from .errors import Refused

Polynomial = Any
_LARGEST = 10**7  # digits of a power that is multiplied out
_FACTORED = 500  # degree
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True)
class Notes:
    """What a reading met, for who writes the identity out: it decides nothing.

    Attributes
    ----------
    divisors : list of polynomials that were divided by
    roots : list of triples (what, degree, root)
    opened : dict from a further variable to what it is, and of which quotients
    """

    divisors: list[Polynomial] = field(default_factory=list)
    roots: list[tuple["Ratio", int, "Ratio"]] = field(default_factory=list)
    opened: dict[str, tuple[str, tuple["Ratio", ...]]] = field(default_factory=dict)


@dataclass(frozen=True)
class Ring:
    """Variables that are non-negative, of which some are positive.

    Attributes
    ----------
    names : tuple of str
    positive : frozenset of str
        Those that are never zero.
    varying : frozenset of str
        Those that each round has its own of.
    notes : Notes
    """

    names: tuple[str, ...]
    positive: frozenset[str]
    varying: frozenset[str] = frozenset()
    notes: Notes = field(default_factory=Notes, compare=False)

    @cached_property
    def _context(self) -> Any:
        return fmpq_mpoly_ctx.get([f"x{i}" for i in range(len(self.names))], Ordering.lex)

    @cached_property
    def _one(self) -> Polynomial:
        return self._context.constant(1)

    @cached_property
    def _weak(self) -> tuple[int, ...]:
        """Places of the variables that may be zero."""
        return tuple(i for i, name in enumerate(self.names) if name not in self.positive)

    @cached_property
    def _spoken(self) -> tuple[frozenset[str], ...]:
        """The names in each variable: a power has those of its base and of its exponent.

        What varies depends on the round.
        """
        every = (frozenset(_IDENTIFIER.findall(name)) for name in self.names)
        return tuple(own | {"t"} if own & self.varying else own for own in every)

    def number(self, value: Any) -> "Ratio":
        """A rational number."""
        return Ratio(self, self._context.constant(fmpq(value)), self._one)

    def variable(self, name: str) -> "Ratio":
        """A variable of the ring."""
        return Ratio(self, self._context.gen(self.names.index(name)), self._one)

    def sign(self, polynomial: Polynomial) -> int | None:
        """1 if positive, -1 if negative, 0 if zero, None if the coefficients do not tell."""
        if polynomial.is_zero():
            return 0
        coefficients = polynomial.coeffs()
        sign = 1 if coefficients[0] > 0 else -1
        same = all(c > 0 for c in coefficients) if sign > 0 else all(c < 0 for c in coefficients)
        return sign if same and self._has_strict_term(polynomial) else None

    def one_sided(self, polynomial: Polynomial) -> int | None:
        """1 if all coefficients are non-negative, -1 if none is positive; None if mixed."""
        coefficients = polynomial.coeffs()
        if all(c > 0 for c in coefficients):
            return 1
        return -1 if all(c < 0 for c in coefficients) else None

    def _has_strict_term(self, polynomial: Polynomial) -> bool:
        weak = self._weak
        if not weak or polynomial.is_constant():
            return True
        every = map(polynomial.monomial, range(len(polynomial)))  # the first is often one
        return any(not any(powers[i] for i in weak) for powers in every)


@dataclass(frozen=True, eq=False)
class Ratio:
    """numerator / denominator; the denominator is positive wherever the variables may be."""

    ring: Ring
    above: Polynomial
    below: Polynomial

    def __add__(self, other: "Ratio") -> "Ratio":
        if self.below == other.below:
            return _reduced(self.ring, self.above + other.above, self.below)
        above = _product(self.above, other.below) + _product(other.above, self.below)
        return _reduced(self.ring, above, _product(self.below, other.below))

    def __neg__(self) -> "Ratio":
        return Ratio(self.ring, -self.above, self.below)

    def __sub__(self, other: "Ratio") -> "Ratio":
        return self + (-other)

    def __mul__(self, other: "Ratio") -> "Ratio":
        above = _product(self.above, other.above)
        return _reduced(self.ring, above, _product(self.below, other.below))

    def __truediv__(self, other: "Ratio") -> "Ratio":
        sign = other.ring.sign(other.above)
        if sign not in (1, -1):
            raise Refused(f"division by {other}, which may vanish or change its sign")
        self.ring.notes.divisors.append(other.above)
        above, below = _product(self.above, other.below), _product(self.below, other.above)
        return _reduced(self.ring, above * sign, below * sign)

    def power(self, exponent: fmpq) -> "Ratio":
        """A rational power; fractional ones of perfect powers of what is not negative."""
        if exponent.q == 1:
            if exponent < 0:
                return self.ring.number(1) / self.power(-exponent)
            whole = int(exponent.p)
            if max(_size(part, whole) for part in (self.above, self.below)) > _LARGEST:
                raise Refused(f"a power of {whole} is too large to be multiplied out")
            return Ratio(self.ring, self.above**whole, self.below**whole)
        root = int(exponent.q)
        base = Ratio(self.ring, _root(self.above, root), _root(self.below, root))
        self.ring.notes.roots.append((self, root, base))
        return base.power(fmpq(exponent.p))

    def is_zero(self) -> bool:
        """Identically zero."""
        return bool(self.above.is_zero())

    def nonnegative(self) -> bool:
        """All coefficients of the numerator say so."""
        return self.above.is_zero() or self.ring.one_sided(self.above) == 1

    def positive(self) -> bool:
        """Never zero, and not negative."""
        return self.ring.sign(self.above) == 1

    def has(self, name: str) -> bool:
        """Whether a variable occurs, also in the base or the exponent of a power."""
        return name in self.names()

    def names(self) -> set[str]:
        """The variables that occur, also in the base or the exponent of a power."""
        found: set[str] = set()
        for part in (self.above, self.below):
            if not part.is_constant():
                degrees = zip(self.ring._spoken, part.degrees(), strict=True)
                found.update(*(own for own, degree in degrees if degree > 0))
        return found

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ratio) and (self - other).is_zero()

    def __hash__(self) -> int:
        raise TypeError("not hashable")

    def __str__(self) -> str:
        named = {f"x{i}": name for i, name in enumerate(self.ring.names)}

        def shown(polynomial: Polynomial) -> str:
            terms = []
            for powers, coefficient in polynomial.terms():
                factors = [
                    named[f"x{i}"] + (f"**{p}" if p > 1 else "") for i, p in enumerate(powers) if p
                ]
                terms.append("*".join([str(coefficient), *factors]))
            return " + ".join(terms) or "0"

        return f"({shown(self.above)}) / ({shown(self.below)})"


def _product(left: Polynomial, right: Polynomial) -> Polynomial:
    if len(left) * len(right) > _LARGEST:
        raise Refused("a product is too large to be multiplied out")
    return left * right


def _reduced(ring: Ring, above: Polynomial, below: Polynomial) -> Ratio:
    """Cancel the common factor, unless the denominator's sign can no longer be read off."""
    if above.is_zero():
        return Ratio(ring, above, ring._one)
    common = ring._one if below.is_constant() else above.gcd(below)
    if not common.is_constant():
        simpler = below // common
        if ring.sign(simpler) == 1 or ring.sign(simpler) == -1:
            above, below = above // common, simpler
    leading = below.leading_coefficient()
    return (
        Ratio(ring, above, below) if leading == 1 else Ratio(ring, above / leading, below / leading)
    )


def _root(polynomial: Polynomial, degree: int) -> Polynomial:
    """The root of a product of perfect powers of factors that are not negative."""
    if polynomial.is_zero():
        return polynomial
    if max(polynomial.degrees(), default=0) > _FACTORED:
        raise Refused(f"a root of what has a degree above {_FACTORED}")
    coefficient, factors = polynomial.factor()
    if coefficient < 0 or any(c < 0 for factor, _ in factors for c in factor.coeffs()):
        raise Refused(f"a root of degree {degree} of what may be negative")
    if any(power % degree for _, power in factors):
        raise Refused(f"a root of degree {degree} of what is not such a power")
    above = _integer_root(int(coefficient.p), degree)
    below = _integer_root(int(coefficient.q), degree)
    root = polynomial.context().constant(fmpq(above, below))
    for factor, power in factors:
        root *= factor ** (int(power) // degree)
    return root


def _size(polynomial: Polynomial, power: int) -> int:
    """Bounds what a power takes: monomials times digits of their coefficients."""
    coefficients = polynomial.coeffs()
    digits = [int(c.p).bit_length() + int(c.q).bit_length() for c in coefficients]
    return comb(max(len(digits), 1) + power - 1, power) * power * max(digits, default=0)


def _integer_root(value: int, degree: int) -> int:
    if value > 1 and degree >= value.bit_length():
        raise Refused(f"{value} is no perfect power of degree {degree}")
    low, high = 0, max(value, 1)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if middle**degree <= value else (low, middle - 1)
    if low**degree != value:
        raise Refused(f"{value} is no perfect power of degree {degree}")
    return low
