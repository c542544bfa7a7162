"""Bounds as sums of monomials, which is all that matters to their order of magnitude.

A root of a sum is of the order of the sum of the roots, a maximum of the order of the sum, and a
product of sums is the sum of the products. Differences (n - m, K - 1) are variables of their own.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import product

import sympy as sp

from fedbounds.errors import FedboundsError

from .symbols import K, m, n

DIFFERENCES = {"n - m": n - m, "K - 1": K - 1}  # never negative for admissible parameters


@dataclass(frozen=True, order=True)
class Monomial:
    """A product of rational powers of positive variables: sorted (name, power), none zero."""

    powers: tuple[tuple[str, Fraction], ...] = ()

    def __mul__(self, other: "Monomial") -> "Monomial":
        powers = dict(self.powers)
        for name, power in other.powers:
            powers[name] = powers.get(name, Fraction(0)) + power
        return Monomial(tuple(sorted((k, v) for k, v in powers.items() if v)))

    def __pow__(self, exponent: Fraction | int) -> "Monomial":
        return Monomial(tuple((k, v * exponent) for k, v in self.powers if exponent))

    def degree(self, ray: Mapping[str, Fraction]) -> Fraction:
        """Its power of s where every variable x is s^ray[x]."""
        return sum((power * ray.get(name, 0) for name, power in self.powers), Fraction(0))

    def __str__(self) -> str:
        parts = [f"({k})" if not k.isidentifier() else k for k, _ in self.powers]
        shown = zip(parts, self.powers, strict=True)
        return " ".join(k if v == 1 else f"{k}^({v})" for k, (_, v) in shown) or "1"


def variable(name: str, power: Fraction | int = 1) -> Monomial:
    """A power of one variable."""
    return Monomial(((name, Fraction(power)),))


@dataclass(frozen=True)
class Rate:
    """A bound and its monomials; their positive coefficients do not matter to its order."""

    expression: sp.Expr
    monomials: tuple[Monomial, ...]

    @property
    def variables(self) -> frozenset[str]:
        """Names of its variables, with n, m and K wherever a difference of them occurs."""
        names = {name for monomial in self.monomials for name, _ in monomial.powers}
        return frozenset(names | {s.name for s in self.expression.free_symbols})


def rate(expression: sp.Expr) -> Rate:
    """The rate of a formula; refused unless it is a sum of terms that are never negative."""
    return Rate(expression, tuple(sorted(set(_monomials(sp.sympify(expression, strict=True))))))


def _monomials(e: sp.Expr) -> Iterator[Monomial]:
    for name, difference in DIFFERENCES.items():
        if e == difference:
            yield variable(name)
            return
    if e.is_Rational and e >= 0:
        yield from (Monomial(),) if e else ()
    elif e.is_Symbol and e.is_nonnegative:
        yield variable(e.name)
    elif isinstance(e, sp.Max) or (e.is_Add and not any(map(_negative, e.args))):
        for argument in e.args:
            yield from _monomials(argument)
    elif e.is_Add and (factored := sp.factor(sp.together(e))) != e:
        yield from _monomials(factored)
    elif e.is_Mul:
        for chosen in product(*(tuple(_monomials(f)) for f in _signs_matched(e))):
            yield reduce(Monomial.__mul__, chosen)
    elif e.is_Pow and e.exp.is_Rational:
        inside = tuple(_monomials(e.base))
        if e.exp < 0 and len(inside) != 1:
            raise FedboundsError(f"{e.base} is no single product: its inverse has no monomials")
        yield from (monomial ** Fraction(int(e.exp.p), int(e.exp.q)) for monomial in inside)
    else:
        raise FedboundsError(f"{e} is not a sum of non-negative products, roots and maxima")


def _negative(e: sp.Expr) -> bool:
    return bool(e.as_coeff_Mul()[0] < 0)


def _signs_matched(e: sp.Expr) -> list[sp.Expr]:
    """Factors with m - n turned into n - m, and the sign moved into the coefficient."""
    coefficient, rest = e.as_coeff_Mul()
    factors = []
    for factor in sp.Mul.make_args(rest):
        turned = -factor in DIFFERENCES.values()
        coefficient, factor = (-coefficient, -factor) if turned else (coefficient, factor)
        factors.append(factor)
    return [coefficient, *factors]
