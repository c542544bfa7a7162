"""Whether a part holds in every round, however long the run: from finitely many exact values.

Where moments follow a constant linear map, each quantity is a linear recurrence in the round, and
so is a gap that is made of such quantities, constants, powers c^T and the round itself. How long a
recurrence it can be is read off the formula; that many values, twice, determine it.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import sympy as sp
from flint import arb, fmpq
from sympy.core.function import AppliedUndef

from fedbounds.errors import FedboundsError
from fedbounds.problems.linear import rational
from fedbounds.theory.language.claims import Part
from fedbounds.theory.language.symbols import Mean_t, RunOperator, Sum_t, T, t
from fedbounds.vocabulary import Index, Relation

from .evaluate import Numbers, evaluate
from .recurrences import MOST_ORDER, Sign, recurrence, sign
from .unknowns import Refused

_CLOCKS = {Index.RUN: T, Index.ROUND: t}


def holds_forever(part: Part, numbers: Callable[[int], Numbers], moments: int) -> Sign:
    """Whether, and where first, a part fails in a run of any length with these parameters.

    Parameters
    ----------
    numbers : function of T
        Exact constants and series of a run of so many rounds.
    moments : int
        How many numbers the constant map of moments carries from round to round.

    Returns
    -------
    Sign
        Its rounds are t for a part per round, and T for one about a whole run.

    Raises
    ------
    Refused
        If the gap is no recurrence that is short enough, or its sign is not decided.
    """
    gap, clock = _gap(part)
    order = _order_of(gap, clock, moments)
    first = 1 if clock == T else part.first_round
    try:
        values = _values(gap, numbers, clock, first, 2 * order)
    except (FedboundsError, ArithmeticError) as error:
        raise Refused(str(error)) from error
    found = sign(recurrence(values, order))
    at = found.negative_at
    return Sign(None if at is None else at + first, found.looked_at)


def rounds_needed(part: Part, moments: int) -> int:
    """How long a run must be measured to decide a part for ever.

    Raises
    ------
    Refused
        If the gap is no recurrence that is short enough.
    """
    gap, clock = _gap(part)
    return 2 * _order_of(gap, clock, moments) + (0 if clock == T else part.first_round)


def _gap(part: Part) -> tuple[sp.Expr, sp.Symbol]:
    """right - left, and what counts: rounds, or the length of the run."""
    clock = _CLOCKS.get(part.index)
    if clock is None or part.relation is not Relation.AT_MOST:
        raise Refused("only bounds with <=, of a run or of its rounds, are followed for ever")
    gap = sp.expand(part.right - part.left)
    if clock == T and gap.has(Mean_t):
        gap = sp.expand(T * gap)  # of the same sign, and without a division by the length
    if clock == t and (gap.has(T) or gap.has(RunOperator)):
        raise Refused("it speaks of a round and of the whole run")
    return gap, clock


def _order_of(gap: sp.Expr, clock: sp.Symbol, moments: int) -> int:
    order = _order(gap, clock, moments)
    if order > MOST_ORDER:
        raise Refused(f"a recurrence of order up to {order}; at most {MOST_ORDER} is looked for")
    return order


def _values(
    gap: sp.Expr, numbers: Callable[[int], Numbers], clock: sp.Symbol, first: int, count: int
) -> list[fmpq]:
    if clock == T:
        every = (evaluate(gap, numbers(length)) for length in range(1, count + 1))
        return [_exactly(np.asarray(x, dtype=object).item()) for x in every]
    rounds = range(first, first + count)
    found = evaluate(gap, numbers(rounds.stop), rounds)
    return [_exactly(x) for x in found]


def _exactly(value: Any) -> fmpq:
    if isinstance(value, arb):
        raise Refused("a number that is known to within a ball has no closed form")
    return rational(value)


def _order(of: sp.Expr, clock: sp.Symbol, moments: int) -> int:
    """At most how long a recurrence an expression is, as a sequence in the clock."""
    if not of.has(clock) and not of.has(RunOperator):
        return 1  # a constant, or a quantity of a fixed round
    if of == clock:
        return 2
    if isinstance(of, AppliedUndef):
        shift = of.args[0] - clock
        if len(of.args) == 1 and shift.is_Integer:
            return moments
        raise Refused(f"{of} is no quantity of a round")
    if isinstance(of, Sum_t | Mean_t):
        return _order(of.args[0], t, moments) + 1
    if isinstance(of, sp.Add):
        return sum(_order(each, clock, moments) for each in of.args)
    if isinstance(of, sp.Mul):
        return _of_product(of, clock, moments)
    if isinstance(of, sp.Pow):
        return _of_power(of, clock, moments)
    raise Refused(f"{of} is no linear recurrence in {clock}")


def _of_product(of: sp.Mul, clock: sp.Symbol, moments: int) -> int:
    """T Mean_t is a sum over rounds; other products have the product of the orders."""
    means = [each for each in of.args if isinstance(each, Mean_t)]
    others = [each for each in of.args if not isinstance(each, Mean_t)]
    total = 1
    for mean in means:
        if clock not in others:
            raise Refused(f"{mean} divides by the length of the run")
        others.remove(clock)
        total *= _order(mean.args[0], t, moments) + 1
    for other in others:
        total *= _order(other, clock, moments)
    return total


def _of_power(of: sp.Pow, clock: sp.Symbol, moments: int) -> int:
    base, exponent = of.args
    if exponent.is_Integer and exponent > 0:
        return int(_order(base, clock, moments) ** exponent)
    slope = sp.diff(exponent, clock)
    if not base.has(clock) and slope.is_Integer and not sp.diff(slope, clock):
        if base.has(AppliedUndef):
            raise Refused(f"{of} is a power of a quantity")
        return 1  # c^(T + k)
    raise Refused(f"{of} is no linear recurrence in {clock}")
