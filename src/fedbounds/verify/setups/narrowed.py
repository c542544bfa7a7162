"""A view of some quantities, where each that is measured costs more."""

from dataclasses import replace
from functools import lru_cache

import sympy as sp

from fedbounds.theory.language.setups import Says, View, Where
from fedbounds.theory.language.symbols import quantities_in


@lru_cache(maxsize=256)  # a search asks for the same quantities of many set-ups
def narrowed(view: View, names: frozenset[str]) -> View:
    """The view with these quantities, and those of which its definitions speak."""
    every = (
        *(x for x in view.constants.values() if not callable(x) or isinstance(x, sp.Basic)),
        *(x for own in view.choices.values() for x in own.values()),
        *(says for own in view.assumptions.values() for says in own),
        *view.requires,
    )
    sides = (side for one in every for side in sides_of(one))
    waiting = {*names, *(x for side in sides for x in names_in(side))}
    kept: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name in view.quantities and name not in kept:
            kept.add(name)
            waiting |= names_in(view.quantities[name])
    return replace(
        view,
        quantities={x: y for x, y in view.quantities.items() if x in kept},
        states=tuple(x for x in view.states if x in kept),
        later=tuple(x for x in view.later if x in kept),
        each={x: y for x, y in view.each.items() if x in kept},
        outcomes={x: y for x, y in view.outcomes.items() if x in kept},
    )


def names_in(expression: sp.Expr) -> set[str]:
    """Names in it, some of which may be quantities."""
    symbols = {symbol.name for symbol in expression.free_symbols}
    return symbols | quantities_in(expression)


def sides_of(one: sp.Expr | Where | Says) -> tuple[sp.Expr, ...]:
    """Expressions of which a definition or a statement is made."""
    if isinstance(one, Says):
        return one.left, one.right
    if isinstance(one, Where):
        return one.value, *(side for says in one.holds for side in sides_of(says))
    return (one,)
