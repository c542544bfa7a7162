"""Numbers that are known between two ends: the end with which a script shows no more than is so.

A part that is broken, or a premise that holds, with the end of a number that is worst for it, is so
with the number itself.
"""

from collections.abc import Iterable, Sequence

import sympy as sp
from flint import arb, ctx, fmpq

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.claims import Part
from fedbounds.theory.language.setups import Says
from fedbounds.vocabulary import Relation

from ..decide.part import rounds_of
from ..decide.sides import where
from ..measure.evaluate import Numbers, evaluate, in_balls

EXACT, BELOW, ABOVE = "==", "<=", ">="  # of what is given, to the true number
_BITS = 128


def ends_of(
    part: Part, numbers: Numbers, premises: Iterable[Says], needed: Sequence[tuple[str, str]]
) -> dict[str, tuple[str, fmpq]]:
    """Of all numbers that are known between two ends: on which side of it one is, and the end.

    Parameters
    ----------
    needed : sequence of (name, side)
        What is asked of numbers besides.

    Raises
    ------
    FedboundsError
        If one is needed from both sides.
    """
    between = {x: ball for x, ball in numbers.constants.items() if isinstance(ball, arb)}
    sides: dict[str, set[str]] = {name: set() for name in between}
    for name, side in needed:
        sides.get(name, set()).add(side)
    broken = Says(part.left, "==" if part.relation is Relation.EQUAL else ">=", part.right)
    for says in (broken, *premises):
        rounds = rounds_of(part, numbers) if says is broken else None
        for name in {x.name for x in says.left.free_symbols | says.right.free_symbols} & {*between}:
            equal = says.relation == "=="
            sides[name] |= (
                {BELOW, ABOVE} if equal else {_worst(_slack(says), name, numbers, rounds)}
            )
    for name, own in sides.items():
        if len(own) > 1:
            raise FedboundsError(f"no script for {name}, which is known between two ends alone")
    chosen = {name: min(own, default=BELOW) for name, own in sides.items()}
    return {name: (side, _end(between[name], side)) for name, side in chosen.items()}


def _slack(says: Says) -> sp.Expr:
    """What is not negative where it holds."""
    slack = says.right - says.left
    return slack if says.relation[0] == "<" else -slack


def _end(ball: arb, side: str) -> fmpq:
    found: fmpq = (ball.lower() if side == BELOW else ball.upper()).fmpq()
    return found


def _worst(expression: sp.Expr, name: str, numbers: Numbers, rounds: range | None) -> str:
    """The end of a number at which an expression is least."""
    (symbol,) = (x for x in expression.free_symbols if x.name == name)
    before, ctx.prec = ctx.prec, _BITS
    try:
        slope = evaluate(sp.diff(expression, symbol), in_balls(numbers), rounds)
    finally:
        ctx.prec = before
    for side, holds in ((BELOW, lambda x: x >= 0), (ABOVE, lambda x: x <= 0)):
        if where(slope, holds).all():
            return side
    raise FedboundsError(f"no script for {name}: no end of it is the worst")
