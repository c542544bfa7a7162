"""The rational numbers that a part prints, each with the family in which it can be varied."""

from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from fedbounds.theory.language.claims import Condition, Part
from fedbounds.theory.language.symbols import Mean_t, RunOperator, Sum_t, t
from fedbounds.theory.proof.repair import THETA
from fedbounds.theory.proof.vectors import ip, sq

Rebuild = Callable[[sp.Expr], sp.Expr]
_SAMPLES = 3  # points at which the sign of a coefficient is looked at
_STEP = Fraction(9, 8)


@dataclass(frozen=True, eq=False)
class Printed:
    """A number of a part's right side, or of one of its conditions.

    Attributes
    ----------
    part : Part
    value : Fraction
        Its size, as printed; its sign stays where it is.
    left, right : expressions
        The two sides that it stands in, with `THETA` in its place.
    condition : Condition or None
        The condition that it belongs to; None: the part's right side.
    towards : int
        -1 if smaller values say more, 1 if larger ones do, 0 if the sign of what it multiplies is
        not known. A claim says more if its right side is smaller, and if a condition is weaker.
    """

    part: Part
    value: Fraction
    left: sp.Expr
    right: sp.Expr
    condition: Condition | None
    towards: int

    @property
    def place(self) -> str:
        """ "right side", or the condition."""
        return "right side" if self.condition is None else str(self.condition)

    @property
    def gap(self) -> sp.Expr:
        """What must not be negative."""
        opposite = self.condition is not None and self.condition.relation in (">=", ">")
        return self.left - self.right if opposite else self.right - self.left

    @property
    def times(self) -> sp.Expr | None:
        """What it multiplies in the gap; None where the gap is not affine in it."""
        return _slope(self.gap)

    @property
    def rest(self) -> sp.Expr:
        """The gap without the number."""
        return self.gap.subs(THETA, 0)

    def at(self, value: Fraction) -> Part:
        """The part with another value in its place."""
        left, right = (side.subs(THETA, rational(value)) for side in (self.left, self.right))
        if self.condition is None:
            return replaced(self.part, right=right)
        changed = Condition(left, self.condition.relation, right)
        return replaced(self.part, conditions=swapped(self.part, self.condition, changed))


def rational(value: Fraction) -> sp.Rational:
    """The same number for SymPy."""
    return sp.Rational(value.numerator, value.denominator)


def replaced(part: Part, **changes: Any) -> Part:
    """The part with other fields; no trivial bound, which was named for the printed one."""
    return replace(part, trivial=None, **changes)


def swapped(part: Part, old: Condition, new: Condition | None) -> tuple[Condition, ...]:
    """The part's conditions with another one in place of ``old``, or without it."""
    every = (new if condition == old else condition for condition in part.conditions)
    return tuple(condition for condition in every if condition is not None)


def printed(part: Part, signed: Set[str]) -> tuple[Printed, ...]:
    """Every number of the right side but exponents, and those of conditions that bound.

    A term of the right side without a number has the number 1; no other 1 is one.
    """
    right = sp.sympify(part.right, strict=True)
    found = [
        Printed(part, size, part.left, family, None, -_sign(family, size, signed))
        for size, family in _families(right, ones=True)
    ]
    for condition in part.conditions:
        if condition.relation != "==":
            found += _of_condition(part, condition, signed)
    return tuple(found)


def _of_condition(part: Part, condition: Condition, signed: Set[str]) -> Iterator[Printed]:
    left, right = sp.sympify(condition.left, strict=True), sp.sympify(condition.right, strict=True)
    wanted = 1 if condition.relation in ("<=", "<") else -1  # the sign of a side that may grow
    for size, family in _families(left):
        yield Printed(part, size, family, right, condition, -wanted * _sign(family, size, signed))
    for size, family in _families(right):
        yield Printed(part, size, left, family, condition, wanted * _sign(family, size, signed))


def _families(side: sp.Expr, ones: bool = False) -> Iterator[tuple[Fraction, sp.Expr]]:
    """Sizes of numbers, and the side as a function of each."""
    terms = sp.Add.make_args(side)
    for at, term in enumerate(terms):
        others = sp.Add(*terms[:at], *terms[at + 1 :])
        found = list(_numbers(term))
        if ones and not found and term != 0:
            sign, whole = term.as_coeff_Mul()
            found = [(sign, _product(whole))]
        for value, rebuild in found:
            sign = 1 if value > 0 else -1
            yield Fraction(int(abs(value).p), int(value.q)), others + rebuild(sign * THETA)


def _numbers(node: sp.Expr) -> Iterator[tuple[sp.Rational, Rebuild]]:
    """Numbers below a node, with the node as a function of each."""
    if node.is_Rational:
        if abs(node) not in (0, 1):
            yield node, _product(sp.S.One)
    elif node.is_Mul:
        yield from _of_product(node)
    elif node.is_Add:
        yield from _of_sum(node)
    elif isinstance(node, sp.Max | sp.Min | RunOperator) or (
        node.is_Pow and not node.base.is_number
    ):
        first = node.is_Pow or isinstance(node, RunOperator)
        arguments = node.args[:1] if first else node.args
        for at, argument in enumerate(arguments):
            for value, inner in _numbers(argument):
                yield value, _within(inner, _argument(node, at))


def _of_product(node: sp.Mul) -> Iterator[tuple[sp.Rational, Rebuild]]:
    factor, rest = node.as_coeff_Mul()
    if abs(factor) != 1:
        yield factor, _product(rest)
    factors = sp.Mul.make_args(rest)
    for at, one in enumerate(factors):
        others = sp.Mul(factor, *factors[:at], *factors[at + 1 :])
        for value, inner in _numbers(one):
            yield value, _within(inner, _product(others))


def _of_sum(node: sp.Add) -> Iterator[tuple[sp.Rational, Rebuild]]:
    """SymPy writes 4 (n - m) as 4 n - 4 m: a common factor is one number."""
    content, inner = node.primitive()
    common = content != 1 and all(abs(a.as_coeff_Mul()[0]) == 1 for a in inner.args)
    if common:
        yield content, _product(inner)
    outside, terms = (content, inner.args) if common else (sp.S.One, node.args)
    for at, term in enumerate(terms):
        others = sp.Add(*terms[:at], *terms[at + 1 :])
        for value, rebuild in _numbers(term):
            yield value, _within(_within(rebuild, _sum(others)), _product(outside))


def _product(others: sp.Expr) -> Rebuild:
    return lambda x: x * others


def _sum(others: sp.Expr) -> Rebuild:
    return lambda x: x + others


def _argument(node: sp.Expr, at: int) -> Rebuild:
    return lambda x: node.func(*node.args[:at], x, *node.args[at + 1 :])


def _within(inner: Rebuild, outer: Rebuild) -> Rebuild:
    return lambda x: outer(inner(x))


def _slope(side: sp.Expr) -> sp.Expr | None:
    """What `THETA` multiplies where it occurs once, as a factor; else None."""
    if side == THETA:
        return sp.S.One
    inner = [argument for argument in side.args if argument.has(THETA)]
    if len(inner) != 1 or not isinstance(side, sp.Add | sp.Mul | Mean_t | Sum_t):
        return None
    slope = _slope(inner[0])
    if slope is None or side.is_Add:
        return slope
    if side.is_Mul:
        return sp.Mul(*(slope if argument is inner[0] else argument for argument in side.args))
    return side.func(slope)


def _sign(family: sp.Expr, size: Fraction, signed: Set[str]) -> int:
    """Whether an expression grows (1) or falls (-1) with `THETA` from ``size`` on, 0 if it depends.

    It only says in which direction to look; what is found there is proved on its own.
    """
    plain = family.replace(lambda e: isinstance(e, RunOperator), lambda e: e.args[0])
    vectors = plain.atoms(sq, ip)
    plain = plain.xreplace({v: sp.Function(f"vector_{at}")(t) for at, v in enumerate(vectors)})
    either = {f"vector_{at}" for at, v in enumerate(vectors) if isinstance(v, ip)} | signed
    atoms = sorted(plain.atoms(AppliedUndef) | plain.free_symbols - {THETA, t}, key=str)
    signs = set()
    for number in range(_SAMPLES):
        values = {
            atom: rational(_value(atom, number))
            * (-1 if _name(atom) in either and number % 2 else 1)
            for atom in atoms
        }
        at = plain.xreplace(values).subs(t, 2)
        change = (at.subs(THETA, rational(size * _STEP)) - at.subs(THETA, rational(size))).evalf()
        signs.add(int(sp.sign(change)) if change.is_real else 0)
    return signs.pop() if len(signs) == 1 else 0


def _name(atom: sp.Expr) -> str:
    return str(atom.func) if isinstance(atom, AppliedUndef) else str(atom.name)


def _value(atom: sp.Expr, number: int) -> Fraction:
    """n above m and counts above 1; the rest below 1/2, which conditions keep small."""
    counts = {"n": 10, "N": 10, "m": 3, "K": 4, "T": 12}
    if str(atom) in counts:
        return Fraction(counts[str(atom)] + number)
    return Fraction(1 + (len(str(atom)) + 2 * number) % 6, 14)
