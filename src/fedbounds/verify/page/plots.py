"""Curves on a logarithmic axis as numbers the template draws."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from .numbers import number

Values = Sequence[float | None]

SIZE = 1000  # of a panel, in its own units, both ways
_MOST_TICKS = 6
_STEPS = (1, 2, 5)


@dataclass(frozen=True)
class Line:
    """A named curve: a class of the style sheet, its path and its points as dots."""

    name: str
    style: str
    path: str
    dots: str


@dataclass(frozen=True)
class Panel:
    """Curves on common axes.

    Attributes
    ----------
    said : str
        What it shows, for those who cannot see it.
    x_name : str
    x_ticks, y_ticks : tuple of (percent from the left or the top, text)
    grid : str
        Path of the horizontal lines at the ticks.
    lines : tuple of Line
    band : str
        Outline of a band; empty if there is none.
    left_out : int
        Values that are not positive, which a logarithmic axis cannot show.
    """

    said: str
    x_name: str
    x_ticks: tuple[tuple[float, str], ...]
    y_ticks: tuple[tuple[float, str], ...]
    grid: str
    lines: tuple[Line, ...]
    band: str
    left_out: int


@dataclass(frozen=True)
class Axis:
    """A range of values; a logarithmic one takes positive values only."""

    low: float
    high: float
    log: bool

    def at(self, value: float) -> float:
        """Place of a value, 0 to `SIZE`."""
        low, high, here = ((math.log(v) if self.log else v) for v in (self.low, self.high, value))
        return SIZE * (here - low) / (high - low)

    def ticks(self) -> list[float]:
        """At most a handful of round values inside the range."""
        return _log_ticks(self.low, self.high) if self.log else _even_ticks(self.low, self.high)


def axis(values: Sequence[float], *, log: bool) -> Axis:
    """The range of some values, with a little space; a single value stands in the middle."""
    low, high = min(values), max(values)
    if log:
        space = max((high / low) ** 0.04, 1.0 if high > low * 1.5 else 1.5)
        return Axis(low / space, high * space, log=True)
    space = 0.02 * (high - low) or 0.5
    return Axis(low - space, high + space, log=False)


def _log_ticks(low: float, high: float) -> list[float]:
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    fine = [s * 10.0**k for k in range(first, last + 1) for s in _STEPS]
    fine = [value for value in fine if low <= value <= high]
    if len(fine) < 2:  # so short a range is all but even
        return _even_ticks(low, high)
    if len(fine) <= _MOST_TICKS:
        return fine
    decades = [10.0**k for k in range(first, last + 1) if low <= 10.0**k <= high]
    return decades[:: math.ceil(len(decades) / _MOST_TICKS)]


def _even_ticks(low: float, high: float) -> list[float]:
    rough = (high - low) / (_MOST_TICKS - 1)
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next(s * unit for s in (1, 2, 5, 10) if s * unit >= rough)
    return [step * k for k in range(math.ceil(low / step), math.floor(high / step) + 1)]


@dataclass(frozen=True)
class Curve:
    """Values to draw: a name, a style, and whether the points are dotted too or alone."""

    name: str
    style: str
    values: Values
    line: bool = True
    dots: bool = False


def panel(
    said: str,
    x_name: str,
    x: Sequence[float],
    curves: Sequence[Curve],
    *,
    band: tuple[Values, Values] | None = None,
    log_x: bool = False,
) -> Panel | None:
    """Curves over common values of x; None if there is nothing to draw."""
    every = [v for curve in curves for v in curve.values]
    every += [v for side in band or () for v in side]
    drawn = [value for value in every if value is not None and value > 0]
    if not drawn or (log_x and min(x) <= 0):
        return None
    across, up = axis(x, log=log_x), axis(drawn, log=True)
    marks = sorted(set(x)) if log_x and len(set(x)) <= _MOST_TICKS else across.ticks()
    ticks = [(1 - up.at(value) / SIZE, number(value)) for value in up.ticks()]
    return Panel(
        said=said,
        x_name=x_name,
        x_ticks=tuple((round(across.at(v) / 10, 1), number(v)) for v in marks),
        y_ticks=tuple((round(100 * place, 1), text) for place, text in ticks),
        grid="".join(f"M0 {SIZE * place:.0f}H{SIZE}" for place, _ in ticks),
        lines=tuple(
            Line(
                curve.name,
                curve.style,
                _path(across, up, x, curve.values) if curve.line else "",
                _dots(across, up, x, curve.values) if curve.dots else "",
            )
            for curve in curves
        ),
        band=_band(across, up, x, *band) if band else "",
        left_out=sum(1 for value in every if value is not None and value <= 0),
    )


def _points(across: Axis, up: Axis, x: Sequence[float], values: Values) -> list[str | None]:
    """Points as coordinates; None where there is no positive value."""
    return [
        None if v is None or v <= 0 else f"{across.at(at):.0f} {SIZE - up.at(v):.0f}"
        for at, v in zip(x, values, strict=True)
    ]


def _path(across: Axis, up: Axis, x: Sequence[float], values: Values) -> str:
    """A line through the points, broken where one is missing."""
    found, joined = "", False
    for point in _points(across, up, x, values):
        if point is not None:
            found += f"{'L' if joined else 'M'}{point}"
        joined = point is not None
    return found


def _dots(across: Axis, up: Axis, x: Sequence[float], values: Values) -> str:
    """Lines of no length, which a round cap makes dots of."""
    return "".join(f"M{point}h0" for point in _points(across, up, x, values) if point is not None)


def _band(across: Axis, up: Axis, x: Sequence[float], low: Values, high: Values) -> str:
    """The outline of what lies between, where both sides are known; the axis bounds it below."""
    known = [
        (at, max(a, up.low), b)
        for at, a, b in zip(x, low, high, strict=True)
        if a is not None and b is not None and b > 0
    ]
    there = [f"{across.at(at):.0f} {SIZE - up.at(b):.0f}" for at, _, b in known]
    back = [f"{across.at(at):.0f} {SIZE - up.at(a):.0f}" for at, a, _ in reversed(known)]
    return f"M{'L'.join(there + back)}Z" if known else ""
