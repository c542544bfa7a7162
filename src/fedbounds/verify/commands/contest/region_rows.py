"""Regions of two bounds: for the terminal, as data, and as a diagram."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from fedbounds.verify.page.exports.table import Table, table
from fedbounds.verify.page.listing import columns, console

from .phase import Panel
from .regions import EQUAL, Boundary, Regions

EQUALLY, OUTSIDE = "equal", "outside conditions"
_MOST_LINES = 30


def _names(found: Regions) -> dict[int, str]:
    first, second = found.sides
    return {-1: first.name, 1: second.name, 0: EQUALLY, 2: OUTSIDE}


def data(found: Regions) -> Table:
    """A row per point: its axes, both bounds with their step sizes, and which is smaller."""
    heads = [a.name for a in found.axes]
    cells: list[list[Any]] = [[_number(x) for x in found.rows[name]] for name in heads]
    for side, one in zip(found.sides, found.found, strict=True):
        heads.append(side.name)
        cells.append([_number(x) for x in one.value])
        if one.step is not None:
            heads.append(f"step of {side.name}")
            cells.append([_number(x) for x in one.step])
    names = _names(found)
    heads.append("smaller")
    cells.append([names[int(x)] for x in found.smaller])
    return table(heads, list(zip(*cells, strict=True)))


def _number(x: float) -> Any:
    """A JSON value: a whole number without its point, None for none."""
    if np.isnan(x):
        return None
    return int(x) if x == int(x) and abs(x) < 2**53 else float(x)


def panels(found: Regions) -> list[list[Panel]]:
    """A diagram over the first two axes, first across; a third axis would be lost."""
    names = _names(found)
    across, *rest = found.axes
    up = rest[0].values if rest else np.zeros(1)
    grid = found.smaller.reshape(len(across.values), len(up))
    winner = {
        (float(x), float(y)): names[int(grid[i, j])]
        for i, x in enumerate(across.values)
        for j, y in enumerate(up)
    }
    axes = tuple(map(float, across.values)), tuple(map(float, up))
    return [[Panel("the smaller bound", *axes, winner)]]


def print_regions(found: Regions, files: Sequence[str]) -> None:
    """Shares of the grid, where the smaller bound changes, and what it rests on."""
    out = console()
    names = _names(found)
    out.print(_grid(found, names))
    out.print()
    if found.boundaries:
        out.print(_changes(found))
        more = len(found.boundaries) - _MOST_LINES
        if more > 0:
            out.print(f"and {more} more changes")
        out.print()
    for line in (*_notes(found), *files):
        out.print(line)


def _grid(found: Regions, names: dict[int, str]) -> Any:
    first, second = (one.value for one in found.found)
    grid = columns("smaller bound", "points", "share", "most, second / first", "where")
    for code, name in names.items():
        here = found.smaller == code
        if not here.any():
            continue
        most, where = "", ""
        if code in (-1, 1):
            with np.errstate(divide="ignore", invalid="ignore"):  # a bound may be zero
                ratio = np.where(here, second / first, np.nan)
            at = int(np.nanargmax(ratio) if code == -1 else np.nanargmin(ratio))
            most = f"{ratio[at]:.4g}"
            where = ", ".join(f"{a.name} = {found.rows[a.name][at]:.6g}" for a in found.axes)
        grid.add_row(name, str(int(here.sum())), f"{here.mean():.1%}", most, where)
    return grid


def _changes(found: Regions) -> Any:
    first, *others = found.axes
    where = f"{first.name} between" if first.whole else first.name
    grid = columns(*(a.name for a in others), where, "smaller below", "above")
    for b in found.boundaries[:_MOST_LINES]:
        grid.add_row(*(f"{x:.6g}" for _, x in b.at), _between(b, first.whole), b.below, b.above)
    return grid


def _between(b: Boundary, whole: bool) -> str:
    return f"{b.low:.0f} and {b.high:.0f}" if whole else f"{b.low:.10g}"


def _notes(found: Regions) -> list[str]:
    notes = []
    for side, one in zip(found.sides, found.found, strict=True):
        chosen = "the best admissible step size at every point" if one.step is not None else "as is"
        notes.append(
            f"{side.name}: {side.part.left} {side.part.relation} {side.part.right}, {chosen}"
        )
    notes.append(
        f"float64; bounds within {EQUAL:g} of each other count as equal; an outer step size that "
        "is left out is the least that the conditions allow"
    )
    return notes
