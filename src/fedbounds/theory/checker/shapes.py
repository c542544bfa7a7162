"""Whether what was read from a file is what its dataclass says, field by field."""

from dataclasses import is_dataclass
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints


def fits(value: Any, hint: Any) -> bool:
    """Whether a value has a type; tuples, dicts, sets and dataclasses are looked into."""
    inside = get_args(hint)
    match get_origin(hint):
        case origin if origin is tuple:
            if not isinstance(value, tuple):
                return False
            each = inside[:1] * len(value) if inside[-1] is Ellipsis else inside
            return len(value) == len(each) and all(map(fits, value, each))
        case origin if origin is dict:
            return isinstance(value, dict) and all(
                fits(k, inside[0]) and fits(v, inside[1]) for k, v in value.items()
            )
        case origin if origin is frozenset:
            return isinstance(value, frozenset) and all(fits(one, inside[0]) for one in value)
        case origin if origin is UnionType:
            return any(fits(value, one) for one in inside)
    if is_dataclass(hint):
        fields = get_type_hints(hint)
        return type(value) is hint and all(fits(getattr(value, x), h) for x, h in fields.items())
    return type(value) is hint  # True is no number
