"""Where a bound per round starts: at t = 0 its sides may coincide before anything has run.

D(t) <= q^t D(0) + B reads D(0) <= D(0) + B there. Where B vanishes both sides are the same initial
value, and that they are equal says nothing of how tight the bound is.
"""

from functools import cache
from typing import Any

import numpy as np
import sympy as sp
from sympy.core.function import AppliedUndef

from fedbounds.theory.language.claims import Part
from fedbounds.theory.language.symbols import RunOperator, t
from fedbounds.vocabulary import Index, Relation

_PER_ROUND = (Index.ROUND, Index.CLIENT, Index.STEP)


def idle(part: Part, rounds: range | None, equal: Any) -> Any:
    """The cases that say nothing of tightness: equal sides at t = 0, by the initial value.

    Parameters
    ----------
    part : Part
    rounds : range or None
        Those of the last axis.
    equal : array of bool
        Where both sides are equal.
    """
    if rounds is None or not starts(part):
        return np.zeros_like(equal)
    return equal & (np.array(rounds) == 0)


def starts(part: Part) -> bool:
    """Whether at t = 0 the right side repeats the left side's initial values, or is a chosen bound.

    A constant that a condition sets above the initial value, as C >= D(0) in D(t) <= C / (t + 1),
    is such a bound: where it is as small as it may be, both sides are equal by choice.
    """
    if (
        part.relation is not Relation.AT_MOST
        or part.index not in _PER_ROUND
        or part.first_round > 0
    ):
        return False
    larger = {c.left if c.relation in (">=", ">") else c.right for c in part.conditions}
    return _coincide(part.left, part.right, frozenset(larger))


@cache
def is_one_number(left: sp.Expr, right: sp.Expr) -> bool:
    """Whether both sides are the same expression at t = 0, whatever its value is.

    Not asked where one runs over rounds: the t in a sum is another one.
    """
    if left.has(RunOperator) or right.has(RunOperator):
        return False
    first, bound = (sp.sympify(side, strict=True).subs(t, 0) for side in (left, right))
    return bool(sp.expand(bound - first) == 0)


@cache
def _coincide(left: sp.Expr, right: sp.Expr, chosen: frozenset[sp.Expr]) -> bool:
    first, bound = (sp.sympify(side, strict=True).subs(t, 0) for side in (left, right))
    initial = first.atoms(AppliedUndef)
    if not initial or any(atom.args[0] != 0 for atom in initial):
        return False
    repeats = initial <= bound.atoms(AppliedUndef)
    return bound in chosen or (
        repeats and not initial & sp.expand(bound - first).atoms(AppliedUndef)
    )
