"""Final bounds from one round: unrolled, averaged, with the best step size, and in their order.

One round gives f(t+1) <= f(t) - a M(t) + c + d X(t), where a theorem bounds the mean of M. A memory
X obeys X(t) <= r X(t-1) + g M(t-1) + e. Then the mean of M is at most what `derive` computes, with
the largest step size put in only where the theorem has a number; its constants are compared with
the stated ones, one by one.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import sympy as sp

from fedbounds.errors import FedboundsError
from fedbounds.theory.claims import Condition, Part
from fedbounds.theory.rates import Monomial, rate
from fedbounds.theory.symbols import (
    B_0,
    F_0,
    K,
    L,
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
_CONSTANTS = (F_0, B_0, b2, variance_u, variance_v)


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
        return str(self.term.xreplace({m - n: -sp.Symbol("(n - m)")}))

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
    return 1 / (1 - ratio), 1 / (1 - ratio)


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
    if quotient.is_number:
        return quotient
    names = [x for x in limits if quotient.has(x)]
    for chosen in product(*(limits[x] for x in names)):
        for name in names:
            power = sp.simplify(quotient.as_powers_dict()[name])
            if (power > 0) != (name == gamma):
                return None
        at = sp.powdenest(quotient.subs(dict(zip(names, chosen, strict=True))), force=True)
        at = sp.factor(at)
        for value in (at, at.subs(K - 1, K)):
            value = sp.simplify(value)
            if value.is_number:
                return value
    return None


# ---- the tables

_Terms = dict[tuple[sp.Symbol, sp.Expr], sp.Expr]


def _terms(expression: sp.Expr) -> _Terms:
    """Its parts by constant and power of gamma."""
    found: _Terms = {}
    for constant in _CONSTANTS:
        for term in sp.Add.make_args(sp.expand(sp.diff(expression, constant))):
            power = term.as_powers_dict()[gamma]
            if term != 0:
                key = constant, power
                found[key] = found.get(key, sp.Integer(0)) + term * constant
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
    stated, wanted = theorem.right, _terms(theorem.right)
    derived = {key: sp.Integer(0) for key in wanted}
    for key, term in _terms(bound).items():
        for target in sorted(wanted, key=lambda other, own=key: other != own):
            share = most(term / wanted[target], limits)
            if share is not None:
                derived[target] += share
                break
        else:
            raise FedboundsError(f"{term} is in no term of {stated}")
    return tuple(_row(wanted[key], share) for key, share in derived.items())


def _row(stated: sp.Expr, share: sp.Expr) -> Row:
    number, term = sp.factor(stated).as_coeff_Mul()
    sign = sp.sign(number)
    return Row(sign * term, sign * number * share, sign * number)


def total(rows: tuple[Row, ...]) -> sp.Expr:
    """The derived bound."""
    return sp.Add(*(row.derived * row.term for row in rows))


# ---- the best step size


@dataclass(frozen=True)
class Best:
    """The step size at which A/gamma + B gamma + C gamma^2 is least, and that value."""

    step: sp.Expr
    value: sp.Expr


def best_step(a: sp.Expr, b: sp.Expr, largest: sp.Expr, c: sp.Expr = sp.S.Zero) -> Best:
    """The least of A/gamma + B gamma + C gamma^2 over gamma <= largest; numbers where C > 0."""
    if c == 0:
        step = sp.Min(sp.sqrt(a / b), largest)
    else:
        x = sp.Symbol("x", positive=True)
        (root,) = (r for r in sp.real_roots(2 * c * x**3 + b * x**2 - a) if r > 0)
        step = sp.Min(root, largest)
    return Best(step, a / step + b * step + c * step**2)


def at_best_step(bound: sp.Expr, theorem: Part, stated: Part) -> tuple[Row, ...]:
    """A bound A/gamma + D + B gamma + C gamma^2 at gamma = 1/(1/largest + sqrt(B/A)).

    It is then at most 2 sqrt(A B) + A/largest + D + C largest^2; ``stated`` has the same two
    parts, a root and the rest.
    """
    coefficient = {k: sp.factor(sp.expand(bound).coeff(gamma, k)) for k in (-1, 0, 1, 2)}
    root, rest = _root_and_rest(stated.right)
    inside, own = sp.expand(4 * coefficient[-1] * coefficient[1]), sp.expand(root**2)
    rows = []
    for constant in _CONSTANTS[2:]:
        wanted = sp.factor(sp.diff(own, constant))
        if wanted != 0:
            share = sp.simplify(sp.factor(sp.diff(inside, constant)) / wanted)
            row = _row(wanted * constant, share)
            rows.append(Row(*map(sp.sqrt, (row.term, row.derived, row.stated))))
    largest, limits = _largest(theorem), edges(theorem.conditions)
    limits = {**limits, **edges(stated.conditions)}
    others = sp.Integer(0)
    for power in (-1, 0, 2):
        at = coefficient[power] * (gamma**power if power > 0 else largest**power)
        share = most(at / rest, limits)
        if share is None:
            raise FedboundsError(f"{at} is no multiple of {rest}")
        others += share
    return (*rows, _row(rest, others))


def _largest(theorem: Part) -> sp.Expr:
    """The largest step size, 1/Max(1/x, ...) for Min(x, ...)."""
    (bound,) = (c.right for c in theorem.conditions if c.left == gamma and c.relation == "<=")
    inverse = {call: 1 / sp.Max(*(1 / x for x in call.args)) for call in bound.atoms(sp.Min)}
    return bound.xreplace(inverse)


def _root_and_rest(bound: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    roots = [x for x in sp.Add.make_args(bound) if x.has(variance_u, variance_v, b2)]
    return sp.Add(*roots), bound - sp.Add(*roots)


def leading(bound: sp.Expr) -> tuple[Monomial, ...]:
    """The monomials of a bound that fall most slowly as T grows; L and F_0 left out."""
    found = rate(bound.subs({L: 1, F_0: 1})).monomials
    slowest = max(p.degree({T.name: Fraction(1)}) for p in found)
    return tuple(p for p in found if p.degree({T.name: Fraction(1)}) == slowest)
