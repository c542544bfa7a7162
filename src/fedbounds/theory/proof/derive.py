"""Final bounds from one round: unrolled over rounds, averaged, their constants beside the stated.

One round gives f(t+1) <= f(t) - a M(t) + c + d X(t), and a theorem bounds the mean of M. A memory
X >= 0 obeys X(t) <= r X(t-1) + g M(t-1) + e. The largest step size is put in where that leaves a
number. This computes constants and proves nothing: the steps do.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import sympy as sp

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.claims import Condition, Part
from fedbounds.theory.language.symbols import (
    B_0,
    F_0,
    K,
    Mean_t,
    T,
    b2,
    f,
    gamma,
    m,
    n,
    t,
    variance_u,
    variance_v,
)

_DIGITS = 10**4  # e^c is rounded up to so many parts
CONSTANTS = (F_0, B_0, b2, variance_u, variance_v)


@dataclass(frozen=True)
class Memory:
    """A quantity X of earlier rounds: X(t) <= r X(t-1) + g M(t-1) + e, from X(0) = start."""

    recursion: Part
    start: sp.Expr


@dataclass(frozen=True)
class Row:
    """A constant of a bound, derived and as stated, and the term that it multiplies."""

    term: sp.Expr
    derived: sp.Expr
    stated: sp.Expr

    @property
    def name(self) -> str:
        """The term as text, with n - m as the paper has it."""
        named = self.term.xreplace({m - n: -sp.Symbol("(n - m)"), n - m: sp.Symbol("(n - m)")})
        return str(named)

    @property
    def ratio(self) -> sp.Expr:
        """derived / stated."""
        return sp.simplify(self.derived / self.stated)


@dataclass(frozen=True)
class Average:
    """kept * mean of M <= right; both over K gamma."""

    kept: sp.Expr
    right: sp.Expr


def averaged(theorem: Part, descent: Part, memory: Memory | None = None) -> Average:
    """One round, summed over all rounds and divided by T K gamma; f(T) is at least 0."""
    measured = _measured(theorem)
    own = sp.expand(descent.right - f(t))
    lost = _coefficient(own, measured)
    rest = own - sp.expand(lost * measured)
    kept, right = -lost / (K * gamma), F_0 / (T * K * gamma)
    if memory is not None:
        x = memory.recursion.left
        weight = rest.coeff(x)
        rest -= sp.expand(weight * x)
        on_mean, on_start, constant = _unrolled(memory, measured)
        weight /= K * gamma
        kept -= weight * on_mean
        right += weight * (on_start * memory.start / T + constant)
    if rest.has(sp.core.function.AppliedUndef):
        raise FedboundsError(f"one round leaves {rest} that nothing bounds")
    return Average(sp.expand(kept), sp.expand(right + rest / (K * gamma)))


def _measured(theorem: Part) -> sp.Expr:
    if theorem.left.func != Mean_t:
        raise FedboundsError(f"{theorem.left} is no mean over rounds")
    return theorem.left.args[0]


def _coefficient(expression: sp.Expr, measured: sp.Expr) -> sp.Expr:
    """x with expression = x measured + what has none of its quantities."""
    names = sorted(measured.atoms(sp.core.function.AppliedUndef), key=str)
    found = {sp.simplify(expression.coeff(q) / sp.expand(measured).coeff(q)) for q in names}
    if len(found) > 1:
        raise FedboundsError(f"{expression} is no multiple of {measured}")
    return found.pop()


def _unrolled(memory: Memory, measured: sp.Expr) -> tuple[sp.Expr, sp.Expr, sp.Expr]:
    """(1/T) sum of X(t) <= on_mean mean of M + on_start X(0)/T + constant."""
    x = memory.recursion.left
    before, right = x.subs(t, t - 1), sp.expand(memory.recursion.right)
    ratio = right.coeff(before)
    added = right - sp.expand(ratio * before)
    earlier = sp.expand(measured.subs(t, t - 1))
    gain = _coefficient(added, earlier)
    constant = sp.expand(added - sp.expand(gain * earlier))
    first, later = _powers(sp.simplify(ratio))
    return later * gain, first, later * constant


def _powers(ratio: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    """Bounds on 1 + r + ..., over all T rounds and over all but the last."""
    growth = sp.simplify((ratio - 1) * (T - 1))
    if growth.is_number and growth > 0:
        # r = 1 + c/(T - 1): r^(T-1) <= e^c; the first over T falls in T, from T = 2 on
        most_ = sp.Rational(sp.ceiling(sp.exp(growth) * _DIGITS), _DIGITS)
        all_but_last = T * (most_ - 1) / growth
        return T * (most_ - 1 + growth * most_) / (2 * growth), all_but_last
    kept = sp.simplify(1 - ratio)
    if not kept.is_positive:
        raise FedboundsError(f"the powers of {ratio} are not bounded")
    return 1 / kept, 1 / kept


# ---- step sizes at their edges

Edges = Mapping[sp.Symbol, tuple[sp.Expr, ...]]


def edges(conditions: tuple[Condition, ...]) -> Edges:
    """What bounds each parameter: gamma from above, outer steps from below, by every argument."""
    found: dict[sp.Symbol, tuple[sp.Expr, ...]] = {}
    for c in conditions:
        if c.left.is_Symbol and c.relation in ("<=", ">="):
            found[c.left] = tuple(_arguments(c.right, sp.Min if c.relation == "<=" else sp.Max))
    return found


def _arguments(expression: sp.Expr, extreme: Any) -> Iterator[sp.Expr]:
    (call,) = expression.atoms(extreme) or (None,)
    if call is None:
        yield expression
        return
    for argument in sorted(call.args, key=str):
        yield expression.subs(call, argument)


def most(quotient: sp.Expr, limits: Edges) -> sp.Expr | None:
    """A number that a product is at most, the parameters at some of their edges; None if none.

    A parameter with a bound from above occurs with a positive power, one from below with a
    negative power; and K - 1 is at most K.
    """
    quotient = sp.factor(quotient)
    if quotient.is_number or quotient.as_coeff_Mul()[0] < 0:
        return quotient if quotient.is_number else None
    names = [x for x in limits if quotient.has(x)]
    powers = quotient.as_powers_dict()
    if any(powers[x] == 0 or (powers[x] > 0) != (x == gamma) for x in names):
        return None
    for chosen in product(*(limits[x] for x in names)):
        at = sp.powdenest(quotient.subs(dict(zip(names, chosen, strict=True))), force=True)
        at = sp.factor(at)
        steps = at.as_powers_dict()[K - 1]
        for value in (at, at * (K / (K - 1)) ** steps if steps > 0 else at):
            value = sp.simplify(value)
            if value.is_number:
                return value
    return None


# ---- the tables

_Terms = dict[tuple[sp.Symbol, sp.Expr], sp.Expr]


def _terms(expression: sp.Expr) -> _Terms:
    """Its parts by constant and power of gamma."""
    found: _Terms = {}
    for constant in CONSTANTS:
        for term in sp.Add.make_args(sp.expand(sp.diff(expression, constant))):
            power = term.as_powers_dict()[gamma]
            if term != 0:
                key = constant, power
                found[key] = found.get(key, sp.Integer(0)) + term * constant
    if sp.expand(expression - sp.Add(*found.values())) != 0:
        raise FedboundsError(f"{expression} is not linear in {', '.join(map(str, CONSTANTS))}")
    return {key: sp.factor(term) for key, term in found.items()}


def derived_bound(theorem: Part, descent: Part, memory: Memory | None = None) -> sp.Expr:
    """The mean of M is at most this, for every step size that the theorem admits."""
    found, limits = averaged(theorem, descent, memory), edges(theorem.conditions)
    lost = sp.Integer(0)
    (kept, rest) = found.kept.as_independent(gamma, as_Add=True)
    for term in sp.Add.make_args(rest):
        at_most = most(-term, limits)
        if at_most is None:
            raise FedboundsError(f"{term} is no number at the largest step size")
        lost += at_most
    if not kept.is_number or sp.N(kept - lost) <= 0:
        raise FedboundsError(f"nothing is left of {found.kept}")
    return sp.expand(found.right / (kept - lost))


def derive(theorem: Part, descent: Part, memory: Memory | None = None) -> tuple[Row, ...]:
    """The constants of the derived bound beside the stated ones, by constant and power of gamma.

    Raises
    ------
    FedboundsError
        Where a derived term is no multiple of a stated one, or nothing is left of the descent.
    """
    bound, limits = derived_bound(theorem, descent, memory), edges(theorem.conditions)
    wanted = _terms(theorem.right)
    derived = {key: sp.Integer(0) for key in wanted}
    for key, term in _terms(bound).items():
        for target in (*(k for k in wanted if k == key), *(k for k in wanted if k != key)):
            share = most(term / wanted[target], limits)
            if share is not None:
                derived[target] += share
                break
        else:
            raise FedboundsError(f"{term} is in no term of {theorem.right}")
    return tuple(row_of(wanted[key], share) for key, share in derived.items())


def row_of(stated: sp.Expr, share: sp.Expr) -> Row:
    number, term = sp.factor(stated).as_coeff_Mul()
    sign = sp.sign(number)
    return Row(sign * term, sign * number * share, sign * number)


def total(rows: tuple[Row, ...]) -> sp.Expr:
    """The derived bound."""
    return sp.Add(*(row.derived * row.term for row in rows))
