"""`==` in a user's file: between a rational of a run and a float it is an error.

By themselves they are never equal, not even 1/2 and 0.5: a branch would be taken in silence that no
run in floats takes.
"""

import ast
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from flint import fmpq, fmpz

from fedbounds.errors import FedboundsError

from .entries import Entry

_COMPARE = "_compared_by_fedbounds_"  # its name among the builtins of such a file
_PLAIN: dict[str, Callable[[Any, Any], Any]] = {
    "Eq": operator.eq,
    "NotEq": operator.ne,
    "In": lambda x, every: x in every,
    "NotIn": lambda x, every: x not in every,
}
_OTHERS: dict[str, Callable[[Any, Any], Any]] = {
    "Lt": operator.lt,
    "LtE": operator.le,
    "Gt": operator.gt,
    "GtE": operator.ge,
    "Is": operator.is_,
    "IsNot": operator.is_not,
}


def watched(text: str, path: str) -> ast.Module:
    """The file's program, in which equality is looked at before it is told."""
    tree = ast.parse(text, path)
    _Watched().visit(tree)
    return ast.fix_missing_locations(tree)


def comparing() -> dict[str, Any]:
    """What such a program calls."""
    return {_COMPARE: _compared}


class _Watched(ast.NodeTransformer):
    """Comparisons for equality as calls; what comes behind the first is asked for in its turn."""

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        names = [type(own).__name__ for own in node.ops]
        if not set(names) & _PLAIN.keys():
            return node
        nothing = ast.arguments([], [], None, [], [], None, [])
        first, *later = node.comparators
        every = [node.left, first, *(ast.Lambda(nothing, own) for own in later)]
        call = ast.Call(ast.Name(_COMPARE, ast.Load()), [ast.Constant(" ".join(names)), *every], [])
        return ast.copy_location(call, node)


def _compared(names: str, left: Any, right: Any, *later: Callable[[], Any]) -> Any:
    """As Python compares, one pair after the other."""
    first, *others = names.split()
    found = _pair(first, left, right)
    for name, own in zip(others, later, strict=True):
        if not found:
            break
        left, right = right, own()
        found = _pair(name, left, right)
    return found


def _pair(name: str, left: Any, right: Any) -> Any:
    if name in _OTHERS:
        return _OTHERS[name](left, right)
    several = "In" in name and isinstance(right, list | tuple | set | frozenset | dict)
    for other in right if several else (right,):
        for one, two in ((left, other), (other, left)):
            if _is_exact(one) and _is_float(two):
                what = f"it asks whether {_short(one)} is equal to the float {_short(two)}"
                raise FedboundsError(
                    f"{what}: exact runs have rationals; write 2 * x == 1, or Fraction(1, 2)"
                )
    return _PLAIN[name](left, right)


def _is_exact(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return value.dtype == object and any(map(_is_exact, value.flat))
    return isinstance(value.value if isinstance(value, Entry) else value, fmpq | fmpz)


def _is_float(value: Any) -> bool:
    return isinstance(value, float) or getattr(getattr(value, "dtype", None), "kind", "") == "f"


def _short(value: Any) -> str:
    return "an array" if isinstance(value, np.ndarray) else str(value)
