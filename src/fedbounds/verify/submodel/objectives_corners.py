"""Windows in rationals, and arrays of them."""

from typing import Any

import numpy as np

from fedbounds.problems.masked_laws import Rolling
from fedbounds.problems.spectrum import in_rationals

Array = Any


def exact(numbers: Any) -> Array:
    """An array of rationals."""
    return in_rationals(np.asarray(numbers, dtype=object))


def windows(n: int, d: int, size: int, *, shift: bool = False) -> Rolling:
    """Cyclic windows of `size` coordinates, each client's begun one further where shifted."""
    return Rolling(
        [
            [[int((j - s - i * shift) % d < size) for j in range(d)] for s in range(d)]
            for i in range(n)
        ]
    )
