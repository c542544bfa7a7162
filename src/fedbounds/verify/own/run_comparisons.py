"""`==` in a user's file: between a rational of a run and a float it is an error.

By themselves they are never equal, not even 1/2 and 0.5: a branch would be taken in silence that no
run in floats takes. Of other kinds of numbers that are no rationals of runs the same is true.
"""

import ast
import operator
from collections.abc import Callable
from itertools import count, pairwise
from numbers import Number
from typing import Any

import numpy as np
from flint import fmpq, fmpz

from fedbounds.errors import FedboundsError

from .entries import Entry
from .run_fractions import RunFraction

_COMPARE = "_compared_by_fedbounds_"  # its name among the builtins of such a file
_BETWEEN = "_between_by_fedbounds_"  # names of what stands in the middle of a chain
_PLAIN: dict[str, Callable[[Any, Any], Any]] = {
    "Eq": operator.eq,
    "NotEq": operator.ne,
    "In": lambda x, every: x in every,
    "NotIn": lambda x, every: x not in every,
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
    """Comparisons for equality as calls; a < b == c is a < (x := b) and _compared("Eq", x, c)."""

    def __init__(self) -> None:
        self._names = (f"{_BETWEEN}{at}" for at in count())

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        if not {type(own).__name__ for own in node.ops} & _PLAIN.keys():
            return node
        sides: list[tuple[ast.expr, ast.expr]] = [(node.left, node.left)]  # as set, and as read
        for inner in node.comparators[:-1]:
            if isinstance(inner, ast.Name):  # in some places no other may be set
                sides.append((inner, inner))
                continue
            name = next(self._names)
            own = ast.NamedExpr(ast.Name(name, ast.Store()), inner)
            sides.append((own, ast.Name(name, ast.Load())))
        sides.append((node.comparators[-1], node.comparators[-1]))
        pairs = pairwise(sides)
        every = [
            _pair(how, left, right)
            for how, ((_, left), (right, _)) in zip(node.ops, pairs, strict=True)
        ]
        found = every[0] if len(every) == 1 else ast.BoolOp(ast.And(), every)
        return ast.copy_location(found, node)


def _pair(how: ast.cmpop, left: ast.expr, right: ast.expr) -> ast.expr:
    name = type(how).__name__
    if name not in _PLAIN:
        return ast.Compare(left, [how], [right])
    return ast.Call(ast.Name(_COMPARE, ast.Load()), [ast.Constant(name), left, right], [])


def _compared(name: str, left: Any, right: Any) -> Any:
    """As Python compares."""
    several = "In" in name and isinstance(right, list | tuple | set | frozenset | dict)
    for other in right if several else (right,):
        for one, two in ((left, other), (other, left)):
            if _is_exact(one) and _is_another(two):
                what = f"it asks whether {_short(one)} is equal to the {_kind(two)} {_short(two)}"
                raise FedboundsError(
                    f"{what}: exact runs have rationals; write 2 * x == 1, or Fraction(1, 2)"
                )
    return _PLAIN[name](left, right)


def _is_exact(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return value.dtype == object and any(map(_is_exact, value.flat))
    return isinstance(value.value if isinstance(value, Entry) else value, fmpq | fmpz)


def _is_another(value: Any) -> bool:
    """Whether it is a number to which no rational of a run is equal, whatever they are."""
    if isinstance(value, np.ndarray) and value.dtype == object:
        return any(map(_is_another, value.flat))
    if getattr(getattr(value, "dtype", None), "kind", "") in ("f", "c"):
        return True
    return isinstance(value, Number) and not isinstance(value, int | np.integer | RunFraction)


def _kind(value: Any) -> str:
    inexact = isinstance(value, np.ndarray | np.floating)
    return "float" if inexact else type(value).__name__


def _short(value: Any) -> str:
    return "an array" if isinstance(value, np.ndarray) else str(value)
