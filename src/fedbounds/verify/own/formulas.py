"""What a formula of a user's file is: a condition, or a claim per run or round; and a value."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.claims import Condition
from fedbounds.theory.language.symbols import RunningOperator, RunOperator, T, quantities_in, t
from fedbounds.theory.language.typed import Typed, condition_of
from fedbounds.vocabulary import Index

_TURNED = {"<=": ">=", ">=": "<=", "==": "==", "<": ">", ">": "<"}


def condition_typed(text: Any, typed: Typed) -> Condition:
    """A condition, with a symbol that stands alone on its left.

    Raises
    ------
    FedboundsError
        If it speaks of what is measured.
    """
    found = condition_of(typed)
    if quantities_in(found.left) | quantities_in(found.right):
        raise FedboundsError(f"condition {text!r} has a measured quantity; expected parameters")
    if found.right.is_Symbol and not found.left.is_Symbol:
        return Condition(found.right, _TURNED[found.relation], found.left)
    return found


def index_of(sides: Sequence[sp.Expr]) -> Index:
    """Per round where a quantity stands at t, outside any run operator; else per run."""
    plain = [side.replace(_is_of_run, lambda *_: T) for side in sides]
    if any(t in side.free_symbols or side.has(RunningOperator) for side in plain):
        return Index.ROUND
    measured = any(quantities_in(side) or side.has(RunOperator) for side in sides)
    return Index.RUN if measured else Index.POINT


def _is_of_run(e: Any) -> bool:
    """Whether it is one number for the run."""
    return isinstance(e, RunOperator) and not isinstance(e, RunningOperator)


def some_of(given: Any) -> Any:
    """A value of a parameter, whichever, where only the names of a state matter."""
    first = given[0] if isinstance(given, tuple | list) and given else 1
    if isinstance(first, tuple):
        return tuple(map(_number, first))
    return _number(first)


def _number(given: Any) -> Any:
    """A number as it is, 1 for a formula."""
    return 1 if isinstance(given, str) else given


def without_arrays(values: Any) -> Any:
    """Values of a parameter; an array as the numbers that are in it."""
    if isinstance(values, np.ndarray):
        values = tuple(values.tolist())
    if not isinstance(values, tuple | list):
        return values
    inside = (x.tolist() if isinstance(x, np.ndarray) else x for x in values)
    return tuple(tuple(x) if isinstance(x, list) else x for x in inside)
