"""Numbers as JSON holds them."""

import math
from typing import Any

from flint import fmpq


def plain(value: Any) -> Any:
    """A JSON value: rationals as "p/q", floats as they are, infinities and NaN refused as None."""
    if isinstance(value, fmpq):
        return str(value)
    if isinstance(value, bool | int | str) or value is None:
        return value
    number = float(value)
    return number if math.isfinite(number) else None
