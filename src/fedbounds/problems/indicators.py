"""Whether numbers are at least 0, as numbers of the same kind: what a neuron's slope is."""

from typing import Any

import array_api_compat
import numpy as np
from flint import fmpq

from fedbounds.errors import require

from .linear import is_exact

Array = Any


def indicators(products: Array) -> Array:
    """1{s >= 0} as numbers of the same kind; those that are not compared may tell it themselves.

    Raises
    ------
    FedboundsError
        If s is a ball that does not tell.
    """
    xp = array_api_compat.array_namespace(products)
    if is_exact_array(products) and hasattr(products.flat[0], "indicator"):
        found: Array = np.frompyfunc(lambda s: s.indicator(), 1, 1)(products)
        return found
    on = products >= 0
    if not is_exact_array(products):
        return xp.astype(on, products.dtype)
    unknown = products[on == (products < 0)]
    require(unknown.size == 0, "w_r'x_j", unknown[:1], "a number whose sign is known")
    return numbers(on, 1, 0)


def numbers(which: Array, yes: int, no: int) -> Array:
    """Rationals: one where it is so, the other elsewhere."""
    return np.where(which, np.array(fmpq(yes), dtype=object), np.array(fmpq(no), dtype=object))


def is_exact_array(array: Array) -> bool:
    """Whether it has exact numbers or balls, no floats."""
    return isinstance(array, np.ndarray) and is_exact(array)
