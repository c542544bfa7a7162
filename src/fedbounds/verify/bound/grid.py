"""A bound over a grid of parameters, as CSV: inputs, step size, each term, total, conditions.

Floats, all rows at once. What decides a row (a condition at its edge) is decided in rationals.
"""

import csv
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from io import StringIO
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import sympy as sp

from fedbounds.errors import FedboundsError, require
from fedbounds.theory.bounds import bounded_parts, reading_named, terms_of
from fedbounds.theory.claims import Claim, Condition, Part
from fedbounds.theory.inputs import (
    ORDERED,
    Inputs,
    check_sign,
    complete,
    exact,
    missing_error,
    recognised,
    spelling,
    step_to_choose,
    used_by,
)
from fedbounds.theory.values import holds, names_in, replaced
from fedbounds.verify.store import write_text

from .grid_steps import best_steps
from .vectors import Floats, on_arrays

MOST_ROWS = 1_000_000
_NEAR = 1e-9  # relative; closer sides of a condition are compared in rationals


@dataclass(frozen=True)
class Axis:
    """Values of one input, as rationals."""

    name: str
    values: tuple[sp.Rational, ...]


@dataclass(frozen=True, eq=False)
class Grid:
    """A computed grid.

    Attributes
    ----------
    header : tuple of str
    columns : tuple of arrays, shape (rows,) each
        Floats; NaN where a row has no value.
    conditions : list of str
        Per row: empty, or what fails.
    """

    header: tuple[str, ...]
    columns: tuple[Floats, ...]
    conditions: list[str]


def write_grid(
    claim: Claim,
    given: Mapping[str, Any],
    axes: Mapping[str, str],
    path: Path | None,
    *,
    reading: str,
    part: str | None,
    outside: bool,
) -> None:
    """Write the table of a claim's part to a file, or to the screen."""
    found = grid(claim, given, axes, reading=reading, part=part, outside=outside)
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow((*found.header, "fails"))
    for row, fails in zip(zip(*found.columns, strict=True), found.conditions, strict=True):
        writer.writerow((*map(_cell, row), fails))
    if path is None:
        sys.stdout.write(text.getvalue())
    else:
        write_text(path, text.getvalue())


def _cell(value: float) -> str:
    if np.isnan(value):
        return ""
    return str(int(value)) if value == int(value) and abs(value) < 2**53 else repr(float(value))


def grid(
    claim: Claim,
    given: Mapping[str, Any],
    axes: Mapping[str, str],
    *,
    reading: str = "",
    part: str | None = None,
    outside: bool = False,
) -> Grid:
    """The right side of one part over the product of the axes.

    Parameters
    ----------
    axes : mapping from name to "LOW:HIGH[:COUNT][:log]"
    outside : bool
        Give values where conditions fail, too.

    Raises
    ------
    FedboundsError
        If an axis is malformed, a number is missing, or several parts could be meant.
    """
    parts = bounded_parts(claim, reading_named(claim, reading), part)
    lows = {name: text.partition(":")[0] for name, text in axes.items()}
    for name in axes:
        clash = [other for other in given if spelling(other) == spelling(name)]
        require(not clash, name, "given by --set and by --grid", "one of the two")
    known = recognised(claim.id, {**given, **lows}, parts)
    names = {spelling(name): name for one in parts for name in used_by(one)}
    lines = [_axis(names[spelling(name)], text, parts) for name, text in axes.items()]
    fixed = {name: value for name, value in known.items() if name not in {a.name for a in lines}}
    one, inputs, step = _chosen(claim, parts, fixed, lines)
    rows = _rows(fixed, lines)
    symbols = used_by(one)
    if step is not None:
        rows[step] = best_steps(one, inputs, symbols[step], rows)
    return _tabulated(claim, one, inputs, rows, step, outside)


def _axis(name: str, text: str, parts: tuple[Part, ...]) -> Axis:
    """Values between LOW and HIGH; every whole number if the symbol is whole and no COUNT given."""
    symbol = next(used_by(one)[name] for one in parts if name in used_by(one))
    fields = text.split(":")
    logarithmic = fields[-1] == "log"
    fields = fields[: len(fields) - logarithmic]
    whole = bool(getattr(symbol, "is_integer", False))
    if len(fields) not in (2, 3):
        raise FedboundsError(f"--grid {name}={text}: expected LOW:HIGH[:COUNT][:log]")
    low, high = (exact(f"--grid {name}", field) for field in fields[:2])
    require(low < high, f"--grid {name}", text, "LOW < HIGH")
    require(not logarithmic or low > 0, f"--grid {name}", text, "LOW > 0 for a log scale")
    if len(fields) == 2:
        require(whole, f"--grid {name}", text, "LOW:HIGH:COUNT, as it is no whole number")
        count = int(high - low) + 1
    else:
        count_given = exact(f"--grid {name}", fields[2])
        require(count_given.is_Integer and count_given >= 2, "COUNT", fields[2], "an integer >= 2")
        count = int(count_given)
    require(count <= MOST_ROWS, f"--grid {name}", f"{count} values", f"at most {MOST_ROWS}")
    if logarithmic:
        inner = np.geomspace(float(low), float(high), count)[1:-1]
        values = [low, *(exact(name, float(x)) for x in inner), high]
    else:
        values = [low + (high - low) * sp.Rational(i, count - 1) for i in range(count)]
    if whole:
        values = sorted({sp.Integer(round(value)) for value in values})
    for value in (values[0], values[-1]):
        check_sign(symbol, name, {name: value})
    return Axis(name, tuple(values))


def _chosen(
    claim: Claim, parts: tuple[Part, ...], fixed: dict[str, sp.Expr], lines: list[Axis]
) -> tuple[Part, Inputs, str | None]:
    """The one part that has all its numbers, and its step size if that is left out."""
    free = frozenset(line.name for line in lines)
    ready, missing = [], set()
    for one in parts:
        step = step_to_choose(one, {**fixed, **{line.name: line.values[0] for line in lines}})
        inputs = complete(one, fixed, free | ({step} if step else set()))
        missing.update(inputs.missing)
        unused = free - used_by(one).keys()
        if not inputs.missing and not unused:
            ready.append((one, inputs, step))
    if len(ready) == 1:
        return ready[0]
    if ready:
        named = ", ".join(repr(one.name) for one, _, _ in ready)
        raise FedboundsError(f"--grid needs one part of {claim.id}: --part with one of {named}")
    raise missing_error(claim.id, missing)


def _rows(fixed: Mapping[str, sp.Expr], lines: list[Axis]) -> dict[str, Floats]:
    """Every input as a column."""
    total = prod(len(line.values) for line in lines)
    require(total <= MOST_ROWS, "the grid", f"{total} rows", f"at most {MOST_ROWS} rows")
    columns = np.meshgrid(*([float(v) for v in line.values] for line in lines), indexing="ij")
    rows = {name: np.full(total, float(value)) for name, value in fixed.items()}
    return rows | {line.name: column.ravel() for line, column in zip(lines, columns, strict=True)}


def _tabulated(
    claim: Claim,
    part: Part,
    inputs: Inputs,
    rows: dict[str, Floats],
    step: str | None,
    outside: bool,
) -> Grid:
    named = terms_of(claim, part)
    formulas = [replaced(formula, inputs.values) for _, formula in named]
    formulas.append(replaced(part.right, inputs.values))
    columns = [on_arrays(formula, rows) for formula in formulas]
    fails = _fails(part, inputs, rows, step)
    real = np.isfinite(columns[-1])
    empty = ~real if outside else ~real | np.array([bool(text) for text in fails])
    for column in columns:
        column[empty] = np.nan
    fails = [text or ("" if ok else "no real number") for text, ok in zip(fails, real, strict=True)]
    header = (*rows, *(name or str(formula) for name, formula in named), "bound")
    return Grid(header, (*rows.values(), *columns), fails)


def _fails(part: Part, inputs: Inputs, rows: dict[str, Floats], step: str | None) -> list[str]:
    """Per row, the conditions that fail; near equality they are decided in rationals."""
    symbols = used_by(part)
    conditions = list(inputs.conditions)
    conditions += [
        Condition(symbols[a], "<=", symbols[b]) for a, b in ORDERED if {a, b} <= rows.keys()
    ]
    conditions += [
        Condition(d.formula, ">=", sp.Integer(0))
        for d in inputs.derived
        if getattr(symbols[d.name], "is_nonnegative", False) and not d.formula.is_nonnegative
    ]
    found = [""] * len(next(iter(rows.values())))
    for condition in conditions:
        rest = replaced(condition.left - condition.right, inputs.values)
        if rest == 0 or (step is not None and step in names_in(rest)):
            continue  # it holds identically, or the step size was chosen to meet it
        for row in np.flatnonzero(~_met(condition, inputs, rows)):
            found[row] = f"{found[row]}; {condition}".removeprefix("; ")
    return found


def _met(condition: Condition, inputs: Inputs, rows: dict[str, Floats]) -> Floats:
    left, right = (
        on_arrays(replaced(sp.sympify(side), inputs.values), rows)
        for side in (condition.left, condition.right)
    )
    apart = np.abs(left - right) > _NEAR * np.maximum(np.abs(left), np.abs(right))
    met = {
        "<=": left < right,
        ">=": left > right,
        "==": np.zeros_like(apart),
    }[condition.relation] & apart
    for row in np.flatnonzero(~apart):
        here = {name: exact(name, float(column[row])) for name, column in rows.items()}
        met[row] = holds(condition, {**inputs.values, **here})
    return met
