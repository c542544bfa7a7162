"""Figures of the page as numbers the template draws: no picture library, nothing to load."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from .numbers import number, to_float

Record = dict[str, Any]

WIDTH = 1000  # of a strip, in its own units
SMALLEST = 1e-12  # smaller values are drawn at the left end
_MARGIN = 0.04  # free space at both ends
_MOST_LABELS = 7


@dataclass(frozen=True)
class Strip:
    """One row of ticks: its label, three numbers, and the ticks as paths."""

    label: str
    count: int
    least: str
    middle: str
    largest: str
    ticks: str
    violations: str


@dataclass(frozen=True)
class Strips:
    """Rows on one logarithmic axis.

    Attributes
    ----------
    rows : tuple of Strip
    labels : tuple of (percent, power)
        Decades that carry a label.
    grid : str
        Path of all decades.
    one : float or None
        Where the value 1 is, in percent; None if the axis does not reach it.
    clipped : int
        How many values are below the axis.
    """

    rows: tuple[Strip, ...]
    labels: tuple[tuple[float, int], ...]
    grid: str
    one: float | None
    clipped: int


Point = tuple[float, bool]  # a value, and whether the claim is violated there


def strips(groups: Mapping[str, Sequence[Point]]) -> Strips | None:
    """Rows of ticks, one per group; None if there is nothing to draw."""
    values = [value for points in groups.values() for value, _ in points]
    if not values:
        return None
    drawn = [value for value in values if value >= SMALLEST] or [1.0]
    low, high = math.floor(math.log10(min(drawn))), math.ceil(math.log10(max(drawn)))
    low, high = (low - 1, high) if low == high else (low, high)
    step = math.ceil((high - low + 1) / _MOST_LABELS)
    decades = range(low, high + 1)
    return Strips(
        rows=tuple(_strip(label, points, low, high) for label, points in groups.items() if points),
        labels=tuple((round(_at(10.0**k, low, high) / 10, 1), k) for k in decades[::-1][::step]),
        grid="".join(_tick(10.0**k, low, high, 0, 24) for k in decades),
        one=round(_at(1.0, low, high) / 10, 1) if low <= 0 <= high else None,
        clipped=sum(1 for value in values if value < SMALLEST),
    )


def _strip(label: str, points: Sequence[Point], low: int, high: int) -> Strip:
    values = [value for value, _ in points]
    held = sorted({_tick(value, low, high, 6, 18) for value, violated in points if not violated})
    broken = sorted({_tick(value, low, high, 2, 22) for value, violated in points if violated})
    return Strip(
        label,
        len(values),
        number(min(values)),
        number(median(values)),
        number(max(values)),
        "".join(held),
        "".join(broken),
    )


def _at(value: float, low: int, high: int) -> float:
    """Place on the axis, 0 to `WIDTH`."""
    share = (math.log10(max(value, 10.0**low)) - low) / (high - low)
    return WIDTH * (_MARGIN + (1 - 2 * _MARGIN) * share)


def _tick(value: float, low: int, high: int, top: int, bottom: int) -> str:
    return f"M{_at(value, low, high):.0f} {top}V{bottom}"


@dataclass(frozen=True)
class Step:
    """One bar of a waterfall: where it starts and how long it is, in percent of the bound."""

    name: str
    amount: str
    share: str
    spread: str
    start: float
    length: float


@dataclass(frozen=True)
class Waterfall:
    """From the measured left side, loss by loss, to the bound, on the tightest instance.

    Attributes
    ----------
    regime : str
        Which term dominates the bound on its instances; empty if that is not told.
    """

    regime: str
    instance: str
    instances: int
    left: str
    right: str
    measured: float
    steps: tuple[Step, ...]


REGIMES = ("transient", "noise", "heterogeneity")


def by_regime(records: Sequence[Record]) -> list[Sequence[Record]]:
    """The records of each regime that they name; all of them if none is named."""
    found: dict[str, list[Record]] = {}
    for row in records:
        found.setdefault(row.get("regime") or "", []).append(row)
    named = [name for name in found if name]
    named.sort(key=lambda name: (REGIMES.index(name) if name in REGIMES else len(REGIMES), name))
    return [found[name] for name in named] or [records]


def decomposed(records: Sequence[Record]) -> tuple[Record, list[Record]] | None:
    """The tightest record with slack shares, and all that have some; None if none has."""
    rows = [row for row in records if row["slack"] and (to_float(row["right"]) or 0.0) > 0]
    if not rows:
        return None
    return max(rows, key=lambda r: (r["tightness"] or 0.0, r["key"])), rows


def waterfalls(records: Sequence[Record]) -> tuple[Waterfall, ...]:
    """One per regime that the records name, on one scale; one of the rest if none is named."""
    found = [waterfall(own) for own in by_regime(records)]
    return tuple(one for one in found if one is not None)


def waterfall(records: Sequence[Record]) -> Waterfall | None:
    """The slack shares of the tightest record that has some; None if none has."""
    found = decomposed(records)
    if found is None:
        return None
    row, rows = found
    right = to_float(row["right"]) or 1.0
    place = (to_float(row["left"]) or 0.0) / right
    measured, steps = place, []
    for loss in row["slack"]:
        length = loss["amount"] / right
        steps.append(
            Step(
                loss["name"],
                number(loss["amount"]),
                _percent(loss["share"]),
                _spread(loss["name"], rows),
                round(100 * min(place, place + length), 2),
                round(100 * abs(length), 2),
            )
        )
        place += length
    return Waterfall(
        row.get("regime") or "",
        row["problem"]["instance"],
        len(rows),
        number(row["left"]),
        number(row["right"]),
        round(100 * measured, 2),
        tuple(steps),
    )


def _spread(name: str, rows: Sequence[Record]) -> str:
    """Smallest and largest share of a loss over all records; 0 where it does not occur."""
    shares = [
        next((loss["share"] for loss in row["slack"] if loss["name"] == name), 0.0) for row in rows
    ]
    return f"{_percent(min(shares))} to {_percent(max(shares))}"


def _percent(share: float) -> str:
    text = f"{100 * share:.1f} %".replace("-", "−")
    return "0.0 %" if text == "−0.0 %" else text
