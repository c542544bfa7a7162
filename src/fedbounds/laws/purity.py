"""Laws of a function that should only compute: no sampling, nothing changed, shapes kept.

The function under test and its arguments are the caller's: ``deterministic(step, x, draws, K)``.
"""

from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from .base import Law, LawBroken, agree

DETERMINISTIC = Law("no sampling inside", "two calls with equal arguments give equal results")
UNCHANGED = Law("inputs unchanged", "a call leaves its arguments as they were")
SHAPE = Law("shapes", "the result has the shape of the first argument")


def deterministic(call: Callable[..., Any], *arguments: Any, **keywords: Any) -> None:
    """Two calls with equal arguments return equal numbers, to the bit.

    Arguments are copied before each call. Results may be numbers, arrays, and tuples, lists,
    mappings or dataclasses of these. A generator seeded inside the function is not seen.

    Raises
    ------
    LawBroken
        With the place in the result that differs.
    """
    once, again = (call(*deepcopy(arguments), **deepcopy(keywords)) for _ in range(2))
    one, other = dict(_leaves(once, "result")), dict(_leaves(again, "result"))
    for place in one | other:
        where = {"place": place, "arguments": arguments}
        if place not in one or place not in other:
            seen = f"{place} is there in one of the two results only"
            raise LawBroken(DETERMINISTIC, one.get(place), other.get(place), where, seen)
        agree(DETERMINISTIC, one[place], other[place], where, 0)


def keeps_inputs(call: Callable[..., Any], *arguments: Any, **keywords: Any) -> None:
    """Arrays, numbers, containers and random generators among the arguments stay as they were.

    Objects of other kinds are not looked into.

    Raises
    ------
    LawBroken
        With the argument that was changed.
    """
    given = (*arguments, keywords)
    before = dict(_leaves(deepcopy(given), "arguments"))
    call(*arguments, **keywords)
    after = dict(_leaves(given, "arguments"))
    for place in before | after:
        where = {"changed": place}
        if place not in before or place not in after:
            seen = f"{place} was {'added' if place in after else 'removed'}"
            raise LawBroken(UNCHANGED, before.get(place), after.get(place), where, seen)
        if not _same(before[place], after[place]):
            raise LawBroken(UNCHANGED, before[place], after[place], where)


def keeps_shape(call: Callable[..., Any], x: Any, *arguments: Any, **keywords: Any) -> None:
    """The result has the shape of ``x``, the first argument.

    Raises
    ------
    LawBroken
        With both shapes.
    """
    result = call(*deepcopy((x, *arguments)), **deepcopy(keywords))
    if np.shape(result) != np.shape(x):
        seen = f"the result has shape {np.shape(result)}, x has shape {np.shape(x)}"
        raise LawBroken(SHAPE, np.shape(result), np.shape(x), {"x": x}, seen)


def _leaves(value: Any, place: str) -> Iterator[tuple[str, Any]]:
    """Numbers and arrays inside a value, each with its place."""
    if isinstance(value, np.ndarray | np.generic | bool | int | float | complex):
        yield place, value
    elif isinstance(value, np.random.Generator):
        yield f"{place}.state", repr(value.bit_generator.state)
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _leaves(item, f"{place}[{key!r}]")
    elif isinstance(value, tuple | list):
        for index, item in enumerate(value):
            yield from _leaves(item, f"{place}[{index}]")
    elif is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            yield from _leaves(getattr(value, field.name), f"{place}.{field.name}")


def _same(one: Any, other: Any) -> bool:
    """Equal to the bit; two NaN in one place are equal."""
    first, second = np.asarray(one), np.asarray(other)
    if first.shape != second.shape or first.dtype != second.dtype:
        return False
    both_nan = (first != first) & (second != second)
    return bool(((first == second) | both_nan).all())
