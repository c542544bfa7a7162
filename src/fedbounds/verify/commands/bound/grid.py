"""A bound over a grid of parameters, as CSV: inputs, step size, each term, total, conditions.

Floats, all rows at once. What decides a row (a condition at its edge) is decided in rationals.
"""

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray

from fedbounds.errors import FedboundsError, require
from fedbounds.theory.language.bounds import bounded_parts, reading_named, terms_of
from fedbounds.theory.language.claims import Claim, Condition, Part
from fedbounds.theory.language.inputs import (
    ORDERED,
    Inputs,
    complete,
    exact,
    missing_error,
    recognised,
    sign_conditions,
    step_to_choose,
    used_by,
)
from fedbounds.theory.language.registry import glossary
from fedbounds.theory.language.values import holds, names_in, replaced, sign
from fedbounds.verify.page.exports.render import csv_text
from fedbounds.verify.results.files import write_text

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
    rows = zip(zip(*found.columns, strict=True), found.conditions, strict=True)
    text = csv_text((*found.header, "fails"), ((*map(_cell, row), fails) for row, fails in rows))
    if path is None:
        sys.stdout.write(text)
    else:
        write_text(path, text)


def _cell(value: float) -> float | None:
    if np.isnan(value):
        return None
    number = float(value)
    return int(number) if number.is_integer() and abs(number) < 2**53 else number


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
    every = bounded_parts(claim, reading_named(claim, reading))
    parts = bounded_parts(claim, reading_named(claim, reading), part)
    fixed = recognised(glossary(claim.entry.paper), claim.id, given, every)
    lines = [_axis(claim, every, name, text) for name, text in axes.items()]
    for line in lines:
        require(line.name not in fixed, line.name, "given by --set and by --grid", "one of them")
    one, inputs, step = _chosen(claim, parts, fixed, lines)
    rows = _rows(fixed, lines)
    if step is not None:
        rows[step] = best_steps(one, inputs, used_by(one)[step], rows)
    named = terms_of(claim, one)
    formulas = [*(formula for _, formula in named), one.right]
    columns = [on_arrays(replaced(formula, inputs.values), rows) for formula in formulas]
    fails = _fails(one, inputs, rows, step, lambda row: _exact_row(fixed, lines, row))
    if step is not None:
        fails = [
            "; ".join(filter(None, (text, f"no best {step} shown" if np.isnan(at) else "")))
            for text, at in zip(fails, rows[step], strict=True)
        ]
    real = np.isfinite(columns[-1])
    empty = ~real if outside else ~real | np.array([bool(text) for text in fails])
    for column in columns:
        column[empty] = np.nan
    fails = [text or ("" if ok else "no real number") for text, ok in zip(fails, real, strict=True)]
    header = (*rows, *(name or str(formula) for name, formula in named), "bound")
    return Grid(header, (*rows.values(), *columns), fails)


def _exact_row(fixed: Mapping[str, sp.Expr], lines: list[Axis], row: int) -> dict[str, sp.Expr]:
    """The inputs of one row, as rationals."""
    at = np.unravel_index(row, [len(line.values) for line in lines])
    return {**fixed, **{line.name: line.values[int(i)] for line, i in zip(lines, at, strict=True)}}


def _axis(claim: Claim, parts: tuple[Part, ...], given_name: str, text: str) -> Axis:
    """Values between LOW and HIGH; every whole number if the symbol is whole and no COUNT given."""
    fields = text.split(":")
    logarithmic = fields[-1] == "log"
    fields = fields[: len(fields) - logarithmic]
    if len(fields) not in (2, 3):
        raise FedboundsError(f"--grid {given_name}={text}: expected LOW:HIGH[:COUNT][:log]")
    names = glossary(claim.entry.paper)
    ((name, low),) = recognised(names, claim.id, {given_name: fields[0]}, parts).items()
    ((name, high),) = recognised(names, claim.id, {given_name: fields[1]}, parts).items()
    symbol = next(used_by(one)[name] for one in parts if name in used_by(one))
    whole = bool(getattr(symbol, "is_integer", False))
    require(low <= high, f"--grid {name}", text, "LOW <= HIGH")
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
        values = [low + (high - low) * sp.Rational(i, max(count - 1, 1)) for i in range(count)]
    if whole:
        values = sorted({sp.Integer(round(value)) for value in values})
    return Axis(name, tuple(values))


def _chosen(
    claim: Claim, parts: tuple[Part, ...], fixed: dict[str, sp.Expr], lines: list[Axis]
) -> tuple[Part, Inputs, str | None]:
    """The one part that has all its numbers, and its step size if that is left out."""
    free = frozenset(line.name for line in lines)
    ready: list[tuple[Part, Inputs, str | None]] = []
    missing: set[str] = set()
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
    raise missing_error(glossary(claim.entry.paper), claim.id, missing)


def _rows(fixed: Mapping[str, sp.Expr], lines: list[Axis]) -> dict[str, Floats]:
    """Every input as a column."""
    total = prod(len(line.values) for line in lines)
    require(total <= MOST_ROWS, "the grid", f"{total} rows", f"at most {MOST_ROWS} rows")
    columns = np.meshgrid(*([float(v) for v in line.values] for line in lines), indexing="ij")
    rows = {name: np.full(total, float(value)) for name, value in fixed.items()}
    return rows | {line.name: column.ravel() for line, column in zip(lines, columns, strict=True)}


def _fails(
    part: Part,
    inputs: Inputs,
    rows: Mapping[str, Floats],
    step: str | None,
    exact_row: Callable[[int], dict[str, sp.Expr]],
) -> list[str]:
    """Per row, the conditions that fail; near equality they are decided in rationals."""
    symbols = used_by(part)
    ordered = [Condition(symbols[a], "<=", symbols[b]) for a, b in ORDERED if {a, b} <= rows.keys()]
    signs = sign_conditions(part, inputs)
    found = [""] * len(next(iter(rows.values())))
    for condition in (*inputs.conditions, *ordered, *signs):
        gap = replaced(condition.left - condition.right, inputs.values)
        if gap == 0 or (step is not None and step in names_in(gap)):
            continue  # it holds identically, or the step size was chosen to meet it
        strict = condition in signs
        for row in np.flatnonzero(~_met(condition, strict, inputs, rows, exact_row)):
            found[row] = f"{found[row]}; {condition}".removeprefix("; ")
    return found


def _met(
    condition: Condition,
    strict: bool,
    inputs: Inputs,
    rows: Mapping[str, Floats],
    exact_row: Callable[[int], dict[str, sp.Expr]],
) -> NDArray[np.bool_]:
    left, right = (
        on_arrays(replaced(sp.sympify(side, strict=True), inputs.values), rows)
        for side in (condition.left, condition.right)
    )
    apart = np.abs(left - right) > _NEAR * np.maximum(np.abs(left), np.abs(right))
    met = np.zeros(left.shape, dtype=bool)
    if condition.relation != "==":
        met = apart & (left < right if condition.relation in ("<=", "<") else left > right)
    for row in np.flatnonzero(~apart):
        values = {**inputs.values, **exact_row(int(row))}
        met[row] = sign(condition.left, values) > 0 if strict else holds(condition, values)
    return met
