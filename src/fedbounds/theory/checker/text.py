"""Text to syntax trees, by Python's parser; nothing is run."""

import ast
import re
from functools import cache

from .errors import Refused

_SHOWN = 200  # characters of an expression in a message
# Python's parser reads more: 1_000, 0x10, comments, letters that it takes for others
_WRITTEN = re.compile(r"[A-Za-z0-9_+*/(), -]*")
_NO_NUMBER = re.compile(r"\b([0-9]+[A-Za-z_]|0[0-9])")
_NO_CALL = re.compile(r", *\)|\) *\(")  # f(x,) and (f)(x)


@cache
def parsed(text: str) -> ast.expr:
    """The syntax tree of an expression, which nobody changes."""
    return parsed_anew(text)


def parsed_anew(text: str) -> ast.expr:
    """A syntax tree of one's own: to parse is quicker than to copy."""
    if not _WRITTEN.fullmatch(text) or _NO_NUMBER.search(text) or _NO_CALL.search(text):
        raise Refused(f"cannot read {text[:_SHOWN]!r}")
    try:
        tree = ast.parse(text, mode="eval").body
        read = _is_expression(tree)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise Refused(f"cannot read {text[:_SHOWN]!r}") from error
    if not read:
        raise Refused(f"cannot read {text[:_SHOWN]!r}")
    return tree


def _is_expression(node: ast.expr) -> bool:
    """Whether a tree is of the grammar of certificates, which is less than Python's."""
    match node:
        case ast.Constant(value=value):
            return type(value) is int
        case ast.Name():
            return True
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return _is_expression(operand)
        case ast.BinOp(
            left=left, op=ast.Add() | ast.Sub() | ast.Mult() | ast.Div() | ast.Pow(), right=right
        ):
            return _is_expression(left) and _is_expression(right)
        case ast.Call(func=ast.Name(id="Sum"), args=[inner, ast.Tuple(elts=limits)], keywords=[]):
            return _is_expression(inner) and all(map(_is_expression, limits))
        case ast.Call(func=ast.Name(), args=arguments, keywords=[]):
            return all(map(_is_expression, arguments))
    return False


def words(*texts: str) -> set[str]:
    """The names in expressions."""
    return {name for text in texts for name in _words(text)}


@cache
def _words(text: str) -> frozenset[str]:
    return frozenset(node.id for node in ast.walk(parsed(text)) if isinstance(node, ast.Name))
