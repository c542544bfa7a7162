"""A set-up of a case as JSON data, and back. Only dataclasses of this package are ever made."""

import sys
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.errors import FedboundsError

_PACKAGE = "fedbounds."


def encoded(value: Any) -> Any:
    """Plain JSON data with everything needed to make the value again, exactly."""
    if isinstance(value, Enum):
        return {"enum": _name(type(value)), "value": value.value}
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, fmpq):
        return {"rational": str(value)}
    if isinstance(value, float):
        return {"float": value.hex()}
    if isinstance(value, tuple):
        return {"tuple": [encoded(item) for item in value]}
    if isinstance(value, np.ndarray):
        flat = [encoded(item) for item in value.reshape(-1).tolist()]
        return {"array": flat, "shape": list(value.shape), "dtype": value.dtype.str}
    if is_dataclass(value):
        rows = {f.name: encoded(getattr(value, f.name)) for f in fields(value) if f.init}
        return {"type": _name(type(value)), "fields": rows}
    raise FedboundsError(f"cannot store {type(value).__name__}; expected a dataclass of plain data")


def decoded(data: Any) -> Any:
    """The value that `encoded` stored; anything else is refused."""
    if data is None or isinstance(data, bool | int | str):
        return data
    match data:
        case {"enum": str(name), "value": value}:
            return _class(name, Enum)(value)
        case {"rational": str(text)}:
            p, _, q = text.partition("/")
            return fmpq(int(p), int(q or 1))
        case {"float": str(text)}:
            return float.fromhex(text)
        case {"tuple": list(items)}:
            return tuple(decoded(item) for item in items)
        case {"array": list(items), "shape": list(shape), "dtype": str(kind)}:
            found = np.empty(len(items), dtype=np.dtype(kind))
            found[:] = [decoded(item) for item in items]
            return found.reshape(shape)
        case {"type": str(name), "fields": dict(rows)}:
            return _class(name, object)(**{key: decoded(item) for key, item in rows.items()})
    raise FedboundsError(f"not data of a stored instance: {str(data)[:60]!r}")


def _name(kind: type) -> str:
    return f"{kind.__module__}:{kind.__qualname__}"


def _class(name: str, base: type) -> Any:
    """A dataclass or enumeration of this package that is loaded; a name in data imports nothing."""
    module, _, own = name.partition(":")
    if module.startswith(_PACKAGE) and own.isidentifier():
        found: Any = getattr(sys.modules.get(module), own, None)
        known = isinstance(found, type) and (is_dataclass(found) or issubclass(found, Enum))
        if known and issubclass(found, base) and found.__module__ == module:
            return found
    raise FedboundsError(f"no class of a stored instance: {name!r}")
