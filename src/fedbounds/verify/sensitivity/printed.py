"""The rational numbers that a part prints, each with the family in which it can be varied."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from fedbounds.theory.claims import Condition, Part
from fedbounds.theory.proof.repair import THETA
from fedbounds.theory.proof.vectors import ip, sq
from fedbounds.theory.symbols import RunOperator

Rebuild = Callable[[sp.Expr], sp.Expr]
_SAMPLES = 3  # points at which the sign of a coefficient is looked at


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
        opposite = self.condition is not None and self.condition.relation == ">="
        return self.left - self.right if opposite else self.right - self.left

    @property
    def times(self) -> sp.Expr | None:
        """What it multiplies in the gap; None where the gap is not affine in it."""
        slope = sp.diff(self.gap, THETA)
        return None if slope.has(THETA) else slope

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


def printed(part: Part) -> tuple[Printed, ...]:
    """Every number of the right side but exponents and 1, and those of conditions that bound."""
    found = [
        Printed(part, size, part.left, family, None, -_sign(family))
        for size, family in _families(part.right)
    ]
    for condition in part.conditions:
        if condition.relation != "==":
            found += _of_condition(part, condition)
    return tuple(found)


def _of_condition(part: Part, condition: Condition) -> Iterator[Printed]:
    left, right = sp.sympify(condition.left), sp.sympify(condition.right)
    wanted = 1 if condition.relation == "<=" else -1  # the sign of a side that may grow
    for size, family in _families(left):
        yield Printed(part, size, family, right, condition, -wanted * _sign(family))
    for size, family in _families(right):
        yield Printed(part, size, left, family, condition, wanted * _sign(family))


def _families(side: sp.Expr) -> Iterator[tuple[Fraction, sp.Expr]]:
    terms = sp.Add.make_args(sp.sympify(side))
    for at, term in enumerate(terms):
        others = sp.Add(*terms[:at], *terms[at + 1 :])
        for value, rebuild in _numbers(term):
            sign = 1 if value > 0 else -1
            yield Fraction(int(abs(value).p), int(value.q)), others + rebuild(sign * THETA)


def _numbers(node: sp.Expr) -> Iterator[tuple[sp.Rational, Rebuild]]:
    """Numbers below a node, with the node as a function of each."""
    if node.is_Rational:
        if abs(node) not in (0, 1):
            yield node, lambda x: x
    elif node.is_Mul:
        yield from _of_product(node)
    elif node.is_Add:
        yield from _of_sum(node)
    elif node.is_Pow and not node.base.is_number:
        for value, inner in _numbers(node.base):
            yield value, lambda x, f=inner: f(x) ** node.exp
    elif isinstance(node, sp.Max | sp.Min | RunOperator):
        for at, argument in enumerate(node.args):
            for value, inner in _numbers(argument):
                yield (
                    value,
                    lambda x, f=inner, i=at: node.func(*node.args[:i], f(x), *node.args[i + 1 :]),
                )


def _of_product(node: sp.Mul) -> Iterator[tuple[sp.Rational, Rebuild]]:
    factor, rest = node.as_coeff_Mul()
    if abs(factor) != 1:
        yield factor, lambda x: x * rest
    factors = sp.Mul.make_args(rest)
    for at, one in enumerate(factors):
        others = sp.Mul(factor, *factors[:at], *factors[at + 1 :])
        for value, inner in _numbers(one):
            yield value, lambda x, f=inner, o=others: o * f(x)


def _of_sum(node: sp.Add) -> Iterator[tuple[sp.Rational, Rebuild]]:
    """SymPy writes 4 (n - m) as 4 n - 4 m: a common factor is one number."""
    content, inner = node.primitive()
    common = content != 1 and all(abs(a.as_coeff_Mul()[0]) == 1 for a in inner.args)
    if common:
        yield content, lambda x: x * inner
    outside, terms = (content, inner.args) if common else (sp.S.One, node.args)
    for at, term in enumerate(terms):
        others = sp.Add(*terms[:at], *terms[at + 1 :])
        for value, rebuild in _numbers(term):
            yield value, lambda x, f=rebuild, o=others: outside * (o + f(x))


def _sign(family: sp.Expr) -> int:
    """Whether an expression grows (1) or falls (-1) with `THETA`; 0 where that depends.

    It only says in which direction to look; what is found there is proved on its own.
    """
    slope = sp.diff(family, THETA)
    if slope.has(sq, ip):
        slope = slope.replace(lambda e: isinstance(e, sq), lambda e: sp.Dummy(positive=True))
        if slope.has(ip):
            return 0
    operators = slope.replace(lambda e: isinstance(e, RunOperator), lambda e: e.args[0])
    atoms = sorted(operators.atoms(AppliedUndef) | operators.free_symbols, key=str)
    signs = set()
    for number in range(_SAMPLES):
        # n before m, and both above 1: later names get smaller values where that matters
        values = {a: sp.Rational(_value(str(a), number), 7) for a in atoms}
        signs.add(int(sp.sign(operators.xreplace(values).evalf())))
    return signs.pop() if len(signs) == 1 else 0


def _value(name: str, number: int) -> int:
    """Sevenths: n = 10 and m = 3, say, and sizes below 1 for what a condition keeps small."""
    fixed = {"n": 70, "m": 21, "K": 28, "T": 84, "N": 70}
    return fixed.get(name, 0) + 7 * number if name in fixed else 1 + (len(name) + 2 * number) % 6
