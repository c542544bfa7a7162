"""Bound against bound: where each of two is the smaller one, over a grid of their symbols."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp

from fedbounds.errors import FedboundsError, require
from fedbounds.theory.language.bounds import bounded_parts, reading_named
from fedbounds.theory.language.claims import Claim, Part
from fedbounds.theory.language.inputs import missing_error, recognised, spelling, used_by
from fedbounds.theory.language.registry import glossary

from .axes import Axis, axis
from .surface import Heights, Rows, Surface, heights, surface

Array = Any
EQUAL = 1e-9  # relative difference of bounds that float64 is not asked to tell apart
_HALVINGS = 45
_MOST_POINTS = 1_000_000


@dataclass(frozen=True, eq=False)
class Side:
    """One of the two: a part of a claim."""

    name: str
    claim: Claim
    part: Part


@dataclass(frozen=True)
class Boundary:
    """Between ``low`` and ``high`` of the first axis the smaller bound changes.

    Attributes
    ----------
    at : tuple of (name, value)
        Values on the other axes.
    below, above : str
        The name with the smaller bound at ``low``, and at ``high``.
    """

    at: tuple[tuple[str, float], ...]
    low: float
    high: float
    below: str
    above: str


@dataclass(frozen=True, eq=False)
class Regions:
    """Two bounds over a grid.

    Attributes
    ----------
    sides : pair of Side
    axes : tuple of Axis
    rows : dict of arrays
        Values of every symbol, one entry per point; the first axis changes slowest.
    found : pair of Heights
    smaller : array of int8
        -1 where the first is smaller, 1 where the second is, 0 where they are equal to `EQUAL`,
        2 where the conditions of one of them fail.
    boundaries : tuple of Boundary
        In the order of the other axes; none across points where conditions fail.
    """

    sides: tuple[Side, Side]
    axes: tuple[Axis, ...]
    rows: Rows
    found: tuple[Heights, Heights]
    smaller: Array
    boundaries: tuple[Boundary, ...]


def sides(first: tuple[str, Claim, str | None], second: tuple[str, Claim, str | None]) -> Any:
    """The parts that bound the same left side, of two claims given as (name, claim, part or None).

    Raises
    ------
    FedboundsError
        If left sides differ, or several parts could be meant.
    """
    every = [
        [Side(name, claim, p) for p in bounded_parts(claim, reading_named(claim, ""), part)]
        for name, claim, part in (first, second)
    ]
    pairs = [(a, b) for a in every[0] for b in every[1] if a.part.left == b.part.left]
    if not pairs:
        a, b = (one[0] for one in every)
        raise FedboundsError(
            f"left sides differ: {a.name} bounds {a.part.left}, {b.name} bounds {b.part.left}"
        )
    if len(pairs) > 1:
        told = ", ".join(f"{a.part.name or '-'} and {b.part.name or '-'}" for a, b in pairs)
        raise FedboundsError(
            f"several parts have the same left side ({told}); name them as CLAIM:PART"
        )
    return pairs[0]


def regions(pair: tuple[Side, Side], given: Mapping[str, str], over: Mapping[str, str]) -> Regions:
    """Both bounds over the product of the axes, each at its own best step size if it is left out.

    Parameters
    ----------
    given : mapping from name to number as typed
    over : mapping from name to "LOW:HIGH[:COUNT][:log]"

    Raises
    ------
    FedboundsError
        If a symbol is unknown, missing or given twice, an axis is malformed, or no point of the
        grid is inside the conditions of both.
    """
    parts = [side.part for side in pair]
    what = f"{pair[0].name} and {pair[1].name}"
    require(bool(over), "number of axes", 0, "at least one --over NAME=LOW:HIGH")
    for name in over:
        clash = [other for other in given if spelling(other) == spelling(name)]
        require(not clash, name, "given by --set and by --over", "one of the two")
    symbols: dict[str, sp.Basic] = used_by(parts[0]) | used_by(parts[1])
    ends = {name: text.partition(":")[0] for name, text in over.items()}
    first, second = (glossary(side.claim.entry.paper) for side in pair)
    names = first | second
    recognised(names, what, {**given, **ends}, parts)
    known = recognised(names, what, given, parts)
    typed = {spelling(name): name for name in symbols}
    axes = tuple(axis(names, symbols[typed[spelling(name)]], text) for name, text in over.items())
    surfaces = [surface(part, frozenset(known) | {a.name for a in axes}) for part in parts]
    missing = {name for one in surfaces for name in one.missing}
    if missing:
        raise missing_error(names, "the comparison", missing)
    rows = _rows(known, axes)
    found = [heights(one, rows) for one in surfaces]
    smaller = _smaller(found[0].value, found[1].value)
    if (smaller == 2).all():
        raise FedboundsError(
            f"no point of the grid is inside the conditions of both: {_conditions(pair)}"
        )
    boundaries = _boundaries(pair, surfaces, axes, rows, smaller)
    return Regions(pair, axes, rows, (found[0], found[1]), smaller, boundaries)


def _conditions(pair: tuple[Side, Side]) -> str:
    return "; ".join(str(c) for c in dict.fromkeys(c for s in pair for c in s.part.conditions))


def _rows(known: Mapping[str, sp.Expr], axes: tuple[Axis, ...]) -> Rows:
    count = int(np.prod([len(a.values) for a in axes]))
    require(count <= _MOST_POINTS, "points of the grid", count, f"at most {_MOST_POINTS}")
    columns = np.meshgrid(*(a.values for a in axes), indexing="ij")
    rows: Rows = {name: np.full(count, float(value)) for name, value in known.items()}
    return rows | {a.name: column.ravel() for a, column in zip(axes, columns, strict=True)}


def _smaller(first: Array, second: Array) -> Array:
    found = np.sign(first - second)
    close = abs(first - second) <= EQUAL * np.maximum(abs(first), abs(second))
    found = np.where(close, 0, found)
    return np.where(np.isnan(first) | np.isnan(second), 2, found).astype(np.int8)


def _boundaries(
    pair: tuple[Side, Side],
    surfaces: list[Surface],
    axes: tuple[Axis, ...],
    rows: Rows,
    smaller: Array,
) -> tuple[Boundary, ...]:
    """Halve every interval of the first axis at whose ends another bound is smaller."""
    first, others = axes[0], axes[1:]
    grid = smaller.reshape(len(first.values), -1)
    i, j = np.nonzero(grid[:-1] * grid[1:] == -1)  # 2 times anything is not -1
    if not len(i):
        return ()
    width = grid.shape[1]
    here = {name: column[i * width + j] for name, column in rows.items()}
    low, high, below = first.values[i], first.values[i + 1], grid[i, j]
    inside = np.ones(len(i), dtype=bool)
    for _ in range(_HALVINGS):
        if first.whole and (high - low <= 1).all():
            break
        middle = np.sqrt(low * high) if first.log else (low + high) / 2
        middle = np.floor(middle) if first.whole else middle
        side = _smaller(*(heights(one, here | {first.name: middle}).value for one in surfaces))
        inside &= side != 2
        low, high = np.where(side == below, middle, low), np.where(side == below, high, middle)
    names = {-1: pair[0].name, 1: pair[1].name}
    return tuple(
        Boundary(
            tuple((a.name, float(here[a.name][k])) for a in others),
            float(low[k]),
            float(high[k]),
            names[int(below[k])],
            names[-int(below[k])],
        )
        for k in np.lexsort((low, *(here[a.name] for a in reversed(others))))
        if inside[k]
    )
