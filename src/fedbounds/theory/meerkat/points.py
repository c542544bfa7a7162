"""Parts about numbers alone, of which nothing is run: bounds, bytes, tables."""

import sympy as sp

from fedbounds.facts import Fact
from fedbounds.theory.language.claims import Condition, Part
from fedbounds.theory.language.symbols import L
from fedbounds.vocabulary import Index, Relation

NOTHING_RUN = ("bound",)
_SUPPOSED = (Fact.SMOOTH, Fact.BOUNDED_BELOW)  # of what L and F_0 are constants of


def at_most(name: str, left: sp.Expr, right: sp.Expr, *conditions: Condition) -> Part:
    """left <= right."""
    return _part(name, left, right, Relation.AT_MOST, conditions)


def equal(name: str, left: sp.Expr, right: sp.Expr, *conditions: Condition) -> Part:
    """left == right."""
    return _part(name, left, right, Relation.EQUAL, conditions)


def _part(
    name: str,
    left: sp.Expr,
    right: sp.Expr,
    relation: Relation,
    conditions: tuple[Condition, ...],
) -> Part:
    return Part(
        name=name,
        left=left,
        right=right,
        relation=relation,
        index=Index.POINT,
        conditions=conditions,
        assumptions=_SUPPOSED if L in (left - right).free_symbols else (),
    )
