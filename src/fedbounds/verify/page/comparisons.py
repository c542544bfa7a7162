"""Comparisons of bounds on the page: a word per pair and reading, and what each rests on."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .numbers import NONE, exact, number, to_float

Record = dict[str, Any]

_MOST_POINTS = 8  # of a comparison that are shown
_FIRST = ("s", "parameters", "ours", "theirs", "ratio")  # of a point, in the order of reading


@dataclass(frozen=True)
class Ground:
    """Where one comparison holds and what shows it."""

    pair: str
    reading: str
    word: str
    region: str
    ray: str
    points: tuple[str, ...]
    left_out: int
    certificate: str


@dataclass(frozen=True)
class ComparisonView:
    """A word per pair (row) and reading (column), and the grounds of each."""

    readings: tuple[str, ...]
    rows: tuple[tuple[str, tuple[str, ...]], ...]
    grounds: tuple[Ground, ...]


def comparison_view(readings: Sequence[Record], records: Sequence[Record]) -> ComparisonView | None:
    """The comparisons among the records of a claim; None if there are none."""
    rows = [row for row in records if row.get("comparison")]
    if not rows:
        return None
    names = [reading["name"] for reading in readings]
    names += sorted({row["reading"] for row in rows} - set(names))
    names = [name for name in names if any(row["reading"] == name for row in rows)]
    words: dict[str, dict[str, list[str]]] = {}
    for row in rows:
        cells = words.setdefault(_pair(row), {})
        said = cells.setdefault(row["reading"], [])
        if row["comparison"]["word"] not in said:
            said.append(row["comparison"]["word"])
    return ComparisonView(
        tuple(names),
        tuple(
            (pair, tuple("; ".join(cells.get(name, [NONE])) for name in names))
            for pair, cells in words.items()
        ),
        tuple(_ground(row) for row in rows),
    )


def _pair(row: Record) -> str:
    pair = row["comparison"]["pair"]
    return pair if isinstance(pair, str) else " against ".join(map(str, pair))


def _ground(row: Record) -> Ground:
    found = row["comparison"]
    points = [_told(point) for point in found.get("points") or ()]
    return Ground(
        _pair(row),
        row["reading"],
        found["word"],
        _told(found.get("region")),
        _told(found.get("ray")),
        tuple(points[:_MOST_POINTS]),
        max(0, len(points) - _MOST_POINTS),
        _certificate(found.get("certificate")),
    )


def _certificate(found: Any) -> str:
    """The certificate as text: its own words, or JSON that reads the same from any order."""
    if not found:
        return ""
    return found if isinstance(found, str) else json.dumps(found, sort_keys=True)


def _rank(name: str) -> tuple[int, str]:
    return (_FIRST.index(name) if name in _FIRST else len(_FIRST), name)


def _told(value: Any) -> str:
    """A value of a record in words: "n = 3, b^2 = 1/2"."""
    if value is None:
        return ""
    if isinstance(value, dict):
        pairs = ((name, _told(value[name])) for name in sorted(value, key=_rank))
        return ", ".join(
            f"at {text}" if name == "parameters" else f"{name} = {text}" for name, text in pairs
        )
    if isinstance(value, (list, tuple)):
        return ", ".join(map(_told, value))
    if isinstance(value, str) and to_float(value) is not None:
        return exact(value)
    return value if isinstance(value, str) else number(value)
