"""Means of vectors that are means over indices too, such as clients, as they are printed.

``sq(Wk - Wstar)`` is a mean over everything of which its vector's scope makes it depend. What is
drawn goes without saying in an expectation; a client or a local step does not.
"""

from collections.abc import Collection, Mapping
from functools import cache

import sympy as sp

from fedbounds.theory.checker.data import Scope
from fedbounds.theory.language.claims import Part
from fedbounds.theory.language.registry import glossary

from .library import book_of, has_book
from .read_text import OF_NUMBERS, read_text
from .vectors import given, ip, over, present, sq

_CLIENT_TAKES_PART = frozenset({"S", "i"})
_FUNCTIONS = {**OF_NUMBERS, "given": given, "present": present}


def printed(part: Part, paper: str) -> tuple[sp.Expr, sp.Expr]:
    """Both sides of a part, with the indices of its means."""
    return written(part.left, part, paper), written(part.right, part, paper)


def written(expression: sp.Expr, part: Part, paper: str) -> sp.Expr:
    """What stands in a part, with the indices of its means."""
    scopes = book_of(paper).theory.scopes if part.scopes and has_book(paper) else {}
    own = next((scopes[name] for name in part.scopes if name in scopes), None)
    return indexed(expression, own, glossary(paper).indices)


def indexed(expression: sp.Expr, scope: Scope | None, indices: Collection[str]) -> sp.Expr:
    """An expression with the indices over which its means are taken.

    Parameters
    ----------
    scope : Scope or None
        Of its vectors; None if it has none.
    indices : collection of str
        Sources that are indices.
    """
    if scope is None or not expression.has(sq, ip, given):
        return expression
    known = _sources(scope)

    def marked(node: sp.Basic) -> sp.Basic:
        if not node.has(sq, ip, given):
            return node
        same = node.func(*map(marked, node.args))
        if not isinstance(node, sq | ip | given):
            return same
        vectors, kept = (
            (node.args[:1], node.args[1:]) if isinstance(node, given) else (node.args, ())
        )
        averaged = frozenset[str]().union(*(_on(x, known) for x in vectors))
        averaged -= {source.name for source in kept}
        own = [sp.Symbol(name) for name in scope.sources if name in averaged & {*indices}]
        return over(same, *own) if own else same

    return marked(expression)


@cache
def _sources(scope: Scope) -> Mapping[str, frozenset[str]]:
    """Of every vector of a scope: what it depends on."""
    found = {name: frozenset(own) for name, own in scope.atoms}
    for name, text in scope.derived:  # each speaks of those before it
        found[name] = _on(read_text(text, sp.Symbol, _FUNCTIONS), found)
    return found


def _on(expression: sp.Basic, known: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """What a vector depends on; an average over something does not depend on it."""
    if isinstance(expression, sp.Symbol):
        return known.get(expression.name, frozenset())
    own = expression.args[:1] if isinstance(expression, given) else expression.args
    found = frozenset[str]().union(*(_on(x, known) for x in own))
    if isinstance(expression, given):
        return found & {str(source) for source in expression.args[1:]}
    return found | _CLIENT_TAKES_PART if isinstance(expression, present) else found
