"""The vectors of a scope in Coq: functions of round, step and client, on a space of its own."""

import ast
from collections.abc import Collection, Iterator

from fedbounds.theory.checker.data import Need, Scope, Theory
from fedbounds.theory.checker.text import parsed_anew

ALL = "t k i"  # what vectors and values are functions of


def number_of(theory: Theory, scope: str) -> int:
    """Which of the theory's scopes it is."""
    return sorted(theory.scopes).index(scope)


def space_of(theory: Theory, scope: str) -> str:
    """The name of its space."""
    return f"space_{number_of(theory, scope)}"


def name_in(theory: Theory, scope: str, name: str) -> str:
    """A vector, or a value, of a scope as a function."""
    return f"{name}''{number_of(theory, scope)}"


def of_scope(theory: Theory, scope: str, name: str) -> str:
    """A vector, or a value, at a round, step and client."""
    return f"({name_in(theory, scope, name)} {ALL})"


def mask(scope: Scope, sources: Collection[str]) -> str:
    """A set of sources: bit by bit."""
    return f"{sum(1 << at for at, one in enumerate(scope.sources) if one in sources)}%N"


class _Inlined(ast.NodeTransformer):
    def __init__(self, scope: Scope) -> None:
        self._derived = dict(scope.derived)

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id not in self._derived:
            return node
        found: ast.expr = self.visit(parsed_anew(self._derived[node.id]))
        return found


def inlined(theory: Theory, scope: str, text: str) -> str:
    """An expression in atoms: vectors that are derived give place to what they are."""
    if not scope:
        return text
    found: ast.expr = _Inlined(theory.scopes[scope]).visit(parsed_anew(text))
    return ast.unparse(found)


def supposed(theory: Theory, scope: str, atom: str) -> Iterator[Need]:
    """What a vector's dependence and its vanishing mean suppose."""
    yield from (need for need in theory.scopes[scope].needs if atom in need.vectors)
