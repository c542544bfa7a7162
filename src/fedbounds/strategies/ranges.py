"""Sizes that a caller fixes or bounds, and arrays of small whole numbers."""

from typing import Any

import numpy as np
from flint import fmpq
from hypothesis import strategies as st

from fedbounds.errors import require

Array = Any
Range = int | tuple[int, int]


def bounds_of(name: str, given: Range, least: int = 1) -> tuple[int, int]:
    """The smallest and the largest size; an error if there is none, or one below ``least``."""
    low, high = (given, given) if isinstance(given, int) else given
    require(least <= low <= high, name, given, f"a size, or a range (low, high), from {least} on")
    return low, high


def counts(bounds: tuple[int, int]) -> st.SearchStrategy[int]:
    """Sizes between the bounds; the smallest is the simplest."""
    return st.integers(*bounds)


def whole(draw: st.DrawFn, shape: tuple[int, ...], low: int, high: int) -> Array:
    """An array of integers, drawn at once."""
    size = int(np.prod(shape, dtype=int))
    flat = draw(st.lists(st.integers(low, high), min_size=size, max_size=size))
    return np.array(flat, dtype=np.int64).reshape(shape)


def as_numbers(integers: Array, exact: bool) -> Array:
    """Integers as rationals in an object array, or as float64."""
    if not exact:
        return integers.astype(np.float64)
    out = np.empty(integers.shape, dtype=object)
    out.reshape(-1)[:] = [fmpq(int(x)) for x in integers.reshape(-1)]
    return out


def number(value: int, exact: bool) -> Any:
    """An integer as a rational or a float."""
    return fmpq(value) if exact else float(value)
