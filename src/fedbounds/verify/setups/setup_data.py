"""A set-up of a case as JSON data; `stored` reads it again."""

from dataclasses import fields, is_dataclass
from enum import Enum
from math import isfinite
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.errors import FedboundsError
from fedbounds.problems.linear import rational


def encoded(value: Any) -> Any:
    """Plain JSON data with everything needed to make the value again; floats as rationals."""
    if isinstance(value, Enum):
        return {"enum": class_name(type(value)), "value": value.value}
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, fmpq) or (isinstance(value, float) and isfinite(value)):
        return {"rational": str(rational(value))}
    if isinstance(value, tuple):
        return {"tuple": [encoded(item) for item in value]}
    if isinstance(value, np.ndarray):
        flat = [encoded(item) for item in value.reshape(-1).tolist()]
        return {"array": flat, "shape": list(value.shape), "dtype": "|O"}
    if is_dataclass(value):
        rows = {f.name: encoded(getattr(value, f.name)) for f in fields(value) if f.init}
        return {"type": class_name(type(value)), "fields": rows}
    raise FedboundsError(f"cannot store {value!r}; expected a dataclass of plain data")


def class_name(kind: Any) -> str:
    """How a class is named in data."""
    return f"{kind.__module__}:{kind.__qualname__}"
