"""Move a dataclass of arrays to another array library or to exact numbers."""

from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

import numpy as np
from flint import fmpq

from .linear import rational

T = TypeVar("T")


def map_numbers(
    data: T, on_array: Callable[[Any], Any], on_number: Callable[[Any], Any] = lambda number: number
) -> T:
    """Copy a (nested) dataclass, mapping its arrays and its real-valued fields.

    Fields holding an ``int``, an enumeration or a string are kept.
    """
    source: Any = data  # protocols of problems do not say that they are dataclasses
    changed: dict[str, Any] = {}
    for field in fields(source):
        value = getattr(source, field.name)
        if hasattr(value, "shape"):
            changed[field.name] = on_array(value)
        elif is_dataclass(value):
            changed[field.name] = map_numbers(value, on_array, on_number)
        elif isinstance(value, float | fmpq):
            changed[field.name] = on_number(value)
    copied: T = replace(source, **changed)
    return copied


def to_namespace(data: T, xp: Any) -> T:
    """The same data with its arrays in the array namespace ``xp``."""
    return map_numbers(data, lambda array: xp.asarray(array))


def to_rational(data: T) -> T:
    """The same data in exact rationals: every float64 is one."""

    def convert(array: Any) -> np.ndarray:
        out = np.empty(array.shape, dtype=object)
        out.reshape(-1)[:] = [rational(x) for x in array.reshape(-1)]
        return out

    return map_numbers(data, convert, rational)


def to_float(data: T) -> T:
    """The same data in float64, rounded to nearest."""
    return map_numbers(data, lambda array: array.astype(np.float64), float)
