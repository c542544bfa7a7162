"""Which given statements are definitions: they introduce a name, and so suppose nothing."""

import ast

from .data import Statement, Theory
from .text import parsed, words


def is_definition(theory: Theory, statement: Statement, spoken: frozenset[str]) -> bool:
    """Whether a given statement only says what one quantity or constant stands for.

    Parameters
    ----------
    spoken : frozenset of str
        What earlier statements of the same scope name; see `spoken_of`.
    """
    named = _introduced(theory, statement.left)
    return (
        statement.relation == "=="
        and named is not None
        and named not in spoken
        and _head(named) not in words(statement.right)
        and not statement.conditions
        and not statement.assumptions
    )


def spoken_of(statement: Statement) -> frozenset[str]:
    """Every quantity at its round, and every constant, that a statement names."""
    sides = (parsed(side) for side in (statement.left, statement.right))
    nodes = [node for side in sides for node in ast.walk(side)]
    return frozenset(ast.unparse(n) for n in nodes if isinstance(n, ast.Call | ast.Name))


def _introduced(theory: Theory, left: str) -> str | None:
    """The quantity at a round, or the constant, that stands alone on the left."""
    match parsed(left):
        case ast.Call(func=ast.Name(id=name)) as call if name in theory.quantities:
            return ast.unparse(call)
        case ast.Name(id=name) if name in theory.symbols:
            return name
    return None


def _head(named: str) -> str:
    return named.partition("(")[0]
