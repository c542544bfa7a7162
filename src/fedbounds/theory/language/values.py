"""Numbers of formulas: exact where they are rational, else certified by a ball.

A name stands for a rational number, or for a formula in other names (a step size that a condition
gives). Formulas are walked, never simplified: a power such as (1 - x)^T costs nothing for large T.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from math import isfinite
from typing import Any

import sympy as sp
from flint import arb, ctx, fmpq, fmpz
from sympy.core.function import AppliedUndef

from fedbounds.errors import FedboundsError
from fedbounds.vocabulary import Provenance

from .claims import Condition
from .symbols import RunOperator

Values = Mapping[str, sp.Expr]

_DIGITS = 60  # bits to which a ball is narrowed before it is shown as a float
_MOST_BITS = 4096
_LONGEST = 20_000  # bits of a rational power; a longer one is a ball


class _NotRational(ArithmeticError):
    """A number is irrational, or too long to write as a fraction."""


@dataclass(frozen=True)
class Value:
    """A number with its provenance.

    Attributes
    ----------
    number : Fraction or float
        A fraction is exact; a float is correct to 1e-15 of its size, by a ball around it (0.0
        where no float is as small).
    """

    number: Fraction | float

    @property
    def provenance(self) -> Provenance:
        """Exact for a fraction, certified for a float."""
        return Provenance.EXACT if isinstance(self.number, Fraction) else Provenance.CERTIFIED

    def __float__(self) -> float:
        return float(self.number)


def is_measured(e: sp.Basic) -> bool:
    """Whether a formula is a measured number: G_u(t), D_opt(0), Sum_t(B(t))."""
    return isinstance(e, AppliedUndef | RunOperator)


def names_in(expression: sp.Basic) -> frozenset[str]:
    """Names of what a formula needs: symbols, the round t, and measured numbers as written."""
    if is_measured(expression):
        return frozenset({spelt(expression)})
    if isinstance(expression, sp.Symbol):
        return frozenset({expression.name})
    found = frozenset().union(*(names_in(argument) for argument in expression.args))
    if isinstance(expression, sp.Sum):
        return found - {limits[0].name for limits in expression.limits}
    return found


def spelt(measured: sp.Basic) -> str:
    """Name of a measured number, without spaces: "f(t+1)"."""
    return str(measured).replace(" ", "")


def replaced(expression: sp.Expr, values: Values) -> sp.Expr:
    """A formula with every name that stands for another formula written out."""
    symbols = {s: values[s.name] for s in expression.free_symbols if s.name in values}
    formulas = {s: replaced(e, values) for s, e in symbols.items() if not e.is_Rational}
    return expression.xreplace(formulas)


def number(expression: sp.Expr, values: Values) -> Value:
    """Value of a formula.

    Raises
    ------
    FedboundsError
        If it is not a finite real number: a division by zero, a root of a negative number.
    """
    expression = replaced(expression, values)  # so that sqrt(m)^2 is m
    try:
        found = _walk(expression, values, _ratio, {})
        value = Value(Fraction(int(found.p), int(found.q)))
    except _NotRational:
        value = Value(float(narrow(expression, values).mid()))
    except ZeroDivisionError as error:
        raise FedboundsError(f"{expression} divides by zero for these numbers") from error
    if not _fits(value):
        raise FedboundsError(f"{expression} is beyond 1e308 for these numbers")
    return value


def _fits(value: Value) -> bool:
    try:
        return isfinite(float(value))
    except OverflowError:
        return False


def narrow(expression: sp.Expr, values: Values) -> arb:
    """A ball around the value of a formula, narrow enough for a float."""

    def settled(ball: arb) -> bool:
        return bool(ball.rad() <= abs(ball.mid()) * arb(2) ** -_DIGITS)

    ball = _refined(lambda: in_ball(expression, values), settled)
    if not ball.is_finite():
        raise FedboundsError(f"{expression} is no real number for these numbers")
    return ball


def in_ball(expression: sp.Expr, values: Values) -> arb:
    """A ball around the value of a formula, at the working precision."""
    return arb(_walk(expression, values, _ball, {}))


def sign(expression: sp.Expr, values: Values) -> int:
    """Sign of a formula: -1, 0 or 1, exactly.

    Raises
    ------
    FedboundsError
        If 4096 bits and SymPy's simplification do not tell it from zero.
    """
    expression = replaced(expression, values)
    try:
        found = _walk(expression, values, _ratio, {})
        return int(found > 0) - int(found < 0)
    except _NotRational:
        pass
    except ZeroDivisionError as error:
        raise FedboundsError(f"{expression} divides by zero for these numbers") from error
    ball = in_ball(expression, values)
    if ball.contains(0) and _numeric(expression, values) == 0:
        return 0
    ball = _refined(lambda: in_ball(expression, values), lambda b: bool(b < 0 or b > 0))
    if ball < 0 or ball > 0:
        return 1 if ball > 0 else -1
    if ball.is_finite() and sp.simplify(_numeric(expression, values)) == 0:
        return 0
    raise FedboundsError(f"cannot tell the sign of {expression} for these numbers")


def holds(condition: Condition, values: Values) -> bool:
    """Whether a condition holds, decided exactly; at equality it does unless it is strict."""
    found = sign(condition.left - condition.right, values)
    told = {"<=": found <= 0, ">=": found >= 0, "==": found == 0, "<": found < 0, ">": found > 0}
    return told[condition.relation]


def failure(condition: Condition, values: Values) -> str | None:
    """None if the condition holds, else a sentence with both sides."""
    if holds(condition, values):
        return None
    left, right = (float(number(side, values)) for side in (condition.left, condition.right))
    return f"{condition} fails: {left:.6g} against {right:.6g}"


def _refined(evaluate: Callable[[], arb], settled: Callable[[arb], bool]) -> arb:
    """A ball, its precision doubled until it is settled or the limit is reached."""
    before = ctx.prec
    try:
        ctx.prec = 2 * _DIGITS
        while not settled(found := evaluate()) and ctx.prec < _MOST_BITS:
            ctx.prec *= 2
        return found
    finally:
        ctx.prec = before


def _numeric(expression: sp.Expr, values: Values) -> sp.Expr:
    """The formula with all numbers put in; SymPy cancels what it sees to be equal."""
    kinds = (sp.Symbol, AppliedUndef, RunOperator)
    atoms = {e for e in expression.atoms(*kinds) if _known(e, values)}
    return expression.xreplace({e: values[_name(e)] for e in atoms}).doit()


def _known(e: sp.Basic, values: Values) -> bool:
    return _name(e) in values


def _name(e: sp.Basic) -> str:
    return str(e.name) if isinstance(e, sp.Symbol) else spelt(e)


def _ratio(p: int, q: int) -> fmpq:
    return fmpq(p, q)


def _ball(p: int, q: int) -> arb:
    return arb(fmpq(p, q))


def _walk(
    e: sp.Basic, values: Values, rational: Callable[[int, int], Any], done: dict[sp.Basic, Any]
) -> Any:
    """Value of a formula in rationals or balls; ``done`` holds the parts already evaluated."""
    if e.is_Rational:
        return rational(int(e.p), int(e.q))
    if e not in done:
        done[e] = _compound(e, values, rational, done)
    return done[e]


def _compound(
    e: sp.Basic, values: Values, rational: Callable[[int, int], Any], done: dict[sp.Basic, Any]
) -> Any:
    def walk(argument: sp.Basic) -> Any:
        return _walk(argument, values, rational, done)

    if isinstance(e, sp.Symbol) or is_measured(e):
        if not _known(e, values):
            raise FedboundsError(f"no value for {_name(e)!r}")
        return walk(values[_name(e)])
    if isinstance(e, sp.Mul):
        return _product(e, walk)
    if isinstance(e, sp.Pow):
        return _power(walk(e.base), e.exp if e.exp.is_Rational else walk(e.exp))
    if isinstance(e, sp.log):
        return _logarithm(walk(e.args[0]))
    if isinstance(e, sp.Sum):
        return _sum(e, values, rational)
    arguments = [walk(argument) for argument in e.args]
    if isinstance(e, sp.Add):
        return reduce(lambda a, b: a + b, arguments)
    if isinstance(e, sp.Max | sp.Min):
        return reduce(_larger if isinstance(e, sp.Max) else _smaller, arguments)
    raise FedboundsError(f"{type(e).__name__} in {e} has no value outside a run")


def _product(e: sp.Mul, walk: Callable[[sp.Basic], Any]) -> Any:
    """All square roots of a product under one: sqrt(n) / sqrt(m) is rational at n = 4 m."""
    halves = [a for a in e.args if a.is_Pow and a.exp in (sp.S.Half, -sp.S.Half)]
    factors = [walk(a) for a in e.args if a not in halves]
    if halves:
        inside = reduce(lambda a, b: a * b, (_power(walk(a.base), 2 * a.exp) for a in halves))
        factors.append(_root(inside, 2))
    return reduce(lambda a, b: a * b, factors)


def _power(base: Any, exponent: Any) -> Any:
    if isinstance(exponent, arb):
        whole = exponent.unique_fmpz()
        if whole is None or exponent != whole:
            return base**exponent
        exponent = fmpq(whole)
    p, q = int(exponent.p), int(exponent.q)
    if isinstance(base, fmpq):
        if abs(p) * max(int(base.p).bit_length(), int(base.q).bit_length()) > _LONGEST:
            raise _NotRational
        if p < 0 and base == 0:
            raise ZeroDivisionError
    return _root(base, q) ** p


def _root(base: Any, degree: int) -> Any:
    if degree == 1:
        return base
    if isinstance(base, arb):
        return base.root(degree)
    if base < 0:
        raise FedboundsError(f"the root of {base} is no real number")
    above, below = (fmpz(x).root(degree) for x in (base.p, base.q))
    if above**degree != base.p or below**degree != base.q:
        raise _NotRational
    return fmpq(above, below)


def _logarithm(x: Any) -> Any:
    if isinstance(x, arb):
        return x.log()
    if x == 1:
        return fmpq(0)
    raise _NotRational


def _larger(a: Any, b: Any) -> Any:
    return a.max(b) if isinstance(a, arb) else max(a, b)


def _smaller(a: Any, b: Any) -> Any:
    return a.min(b) if isinstance(a, arb) else min(a, b)


_MOST_TERMS = 100_000


def _sum(e: sp.Sum, values: Values, rational: Callable[[int, int], Any]) -> Any:
    """A finite sum over one index, term by term."""
    ((index, low, high),) = e.limits
    first, last = (number(end, values).number for end in (low, high))
    if first != int(first) or last != int(last) or last - first > _MOST_TERMS:
        raise FedboundsError(f"{e} runs from {first} to {last}; expected at most {_MOST_TERMS}")
    total = rational(0, 1)
    for at in range(int(first), int(last) + 1):
        inside = {**values, index.name: sp.Integer(at)}
        total = total + _walk(e.function, inside, rational, {})
    return total
