"""Text to syntax trees, by Python's parser; nothing is run."""

import ast
from functools import cache

from .errors import Refused

_SHOWN = 200  # characters of an expression in a message


@cache
def parsed(text: str) -> ast.expr:
    """The syntax tree of an expression, which nobody changes."""
    return parsed_anew(text)


def parsed_anew(text: str) -> ast.expr:
    """A syntax tree of one's own: to parse is quicker than to copy."""
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise Refused(f"cannot read {text[:_SHOWN]!r}") from error


def words(*texts: str) -> set[str]:
    """The names in expressions."""
    return {name for text in texts for name in _words(text)}


@cache
def _words(text: str) -> frozenset[str]:
    return frozenset(node.id for node in ast.walk(parsed(text)) if isinstance(node, ast.Name))
