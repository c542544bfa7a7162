"""The instance of a witness in words: its numbers as rationals, and both sides."""

import math
from typing import Any

from fedbounds.vocabulary import Relation

from ..numbers import exact, side
from ..rows import SIZES, instance_name, place, sizes

Record = dict[str, Any]

_LONGEST = 400  # characters of the instance's own numbers
_OURS = frozenset({"family", "source", "theory", "moments"})  # of no use to a reader
_BREAKING = {
    Relation.AT_MOST: "larger than",
    Relation.BELOW: "not smaller than",
    Relation.EQUAL: "different from",
}
_MOST = 12  # parameters and constants


def evidence(row: Record) -> str:
    """Where a record is violated, its sides and how they were obtained."""
    if row["left"] is None:
        told = row["reason"] or "the record gives no sides"
        return f"{told} ({instance_name(row)})"
    part = row["at"]["part"]
    where = f", in part {part}" if part else ""
    where += f", at {place(row)}" if place(row) else ""
    relation = next(p["relation"] for p in row["parts"] if p["part"] == part)
    sign = _BREAKING[Relation(relation)]
    return (
        f"on the instance “{instance_name(row)}” ({_numbers(row)}){where}, the "
        f"left side is {exact(row['left'])}, {sign} the right side {exact(row['right'])} "
        f"({row['evidence']['method']}){_premises(row)}{_draws(row)}"
    )


def _draws(row: Record) -> str:
    """On which draws two algorithms differ."""
    apart = row.get("difference")
    return f"; {apart['restriction']}: {apart['where']}" if apart else ""


def _numbers(row: Record) -> str:
    """Sizes, then parameters and constants, then the instance itself where it is short."""
    constants = {name: found["value"] for name, found in row["constants"].items()}
    numbers = row["parameters"] | constants
    names = [name for name in numbers if name not in SIZES and numbers[name] is not None]
    told = [sizes(row), *(f"{name} = {numbers[name]}" for name in names[:_MOST])]
    data = written(row.get("instance") or {})
    own = [data] if data and len(data) <= _LONGEST else []
    return "; ".join([", ".join(filter(None, told)), *own]) or row["problem"]["family"]


def _premises(row: Record) -> str:
    """Conditions of the claim with both sides on the instance."""
    told = [
        f"{p['condition']} ({side(p['left'])} and {side(p['right'])})"
        for p in row.get("premises", ())
    ]
    return f"; its conditions hold: {', '.join(told)}" if told else ""


def written(data: Any) -> str:
    """Data of an instance as text: "vectors = [[0], [1]], participants = 1".

    Examples
    --------
    >>> written({"vectors": [["0"], ["1/2"]], "participants": 1})
    'vectors = [[0], [1/2]], participants = 1'
    >>> written({"type": "a:Start", "fields": {"u": {"array": [1, 2, 3, 4], "shape": [2, 2]}}})
    'u = [[1, 2], [3, 4]]'
    """
    match data:
        case {"rational": value} | {"enum": _, "value": value}:
            return str(value)
        case {"array": values, "shape": [_, *rest]}:
            return _list(_rows(values, rest))
        case {"tuple": values}:
            return _list(values)
        case {"type": _, "fields": fields}:
            return written(fields)
        case dict():
            shown = {name: value for name, value in data.items() if name not in _OURS}
            return ", ".join(f"{name} = {_grouped(value)}" for name, value in shown.items())
        case list():
            return _list(data)
    return str(data)


def _rows(values: list[Any], shape: list[int]) -> list[Any]:
    """The values of an array, row after row, as nested lists; ``shape`` is that of a row."""
    if not shape:
        return values
    size = math.prod(shape)
    rows = [values[first : first + size] for first in range(0, len(values), size or 1)]
    return [_rows(row, shape[1:]) for row in rows]


def _list(values: Any) -> str:
    return "[" + ", ".join(map(written, values)) + "]"


def _grouped(value: Any) -> str:
    text = written(value)
    several = isinstance(value, dict) and not {"rational", "enum", "array", "tuple"} & set(value)
    return f"({text})" if several else text
