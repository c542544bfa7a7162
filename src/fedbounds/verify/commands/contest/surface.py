"""A bound as a function of its symbols, in float64 for many choices of them at once.

A step size that is left to choose is the best admissible one, found by `verify.commands.bound`.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp

from fedbounds.theory.language.claims import Condition, Part
from fedbounds.theory.language.inputs import ORDERED, Inputs, complete, step_to_choose, used_by
from fedbounds.theory.language.values import names_in, replaced
from fedbounds.verify.commands.bound.grid_steps import best_steps
from fedbounds.verify.commands.bound.vectors import on_arrays
from fedbounds.verify.decide.conditions import EQUALITY

Array = Any
Rows = dict[str, Array]  # float64 arrays of shape (rows,) by name of symbol


@dataclass(frozen=True, eq=False)
class Surface:
    """A bound whose symbols will have values.

    Attributes
    ----------
    part : Part
    inputs : Inputs
        What conditions give, as formulas in the symbols that will have values.
    step : symbol or None
        The step size to choose; None if there is none.
    """

    part: Part
    inputs: Inputs
    step: sp.Symbol | None

    @property
    def missing(self) -> tuple[str, ...]:
        """Names that have no value yet."""
        return self.inputs.missing

    @property
    def right(self) -> sp.Expr:
        """The bound in the symbols that will have values, and the step size."""
        return replaced(self.part.right, self.inputs.values)


@dataclass(frozen=True, eq=False)
class Heights:
    """Values of a bound, NaN where its conditions fail; ``step`` is None if none is chosen."""

    value: Array
    step: Array | None


def surface(part: Part, names: frozenset[str]) -> Surface:
    """The bound of a part, once the symbols of these names will have values."""
    symbols = used_by(part)
    known = {name: e for name, e in symbols.items() if name in names}
    chosen = step_to_choose(part, known)
    free = frozenset(known) | ({chosen} if chosen else frozenset())
    return Surface(part, complete(part, {}, free), symbols[chosen] if chosen else None)


def heights(one: Surface, rows: Rows, *, checked: bool = True) -> Heights:
    """Values of the bound, each at its own best step size if that is left to choose.

    Parameters
    ----------
    rows : dict of arrays
        Values of all symbols but the step size to choose.
    checked : bool
        Leave out where conditions fail; False where that is checked elsewhere.

    Raises
    ------
    FedboundsError
        If the best step size cannot be shown to be the best.
    """
    count = len(next(iter(rows.values())))
    fits = _fits(one, rows, count) if checked else np.ones(count, dtype=bool)
    value = np.full(count, np.nan)
    step = None if one.step is None else value.copy()
    if fits.any():
        inside = {name: column[fits] for name, column in rows.items()}
        if one.step is not None and step is not None:
            step[fits] = best_steps(one.part, one.inputs, one.step, inside)
            inside[one.step.name] = step[fits]
        value[fits] = on_arrays(one.right, inside)
    return Heights(value, step)


def _fits(one: Surface, rows: Rows, count: int) -> Array:
    """Where the conditions hold that do not speak of the step size to choose."""
    symbols = used_by(one.part)
    order = [Condition(symbols[a], "<=", symbols[b]) for a, b in ORDERED if {a, b} <= rows.keys()]
    fits = np.ones(count, dtype=bool)
    for c in (*one.inputs.conditions, *order):
        left, right = (
            replaced(sp.sympify(e, strict=True), one.inputs.values) for e in (c.left, c.right)
        )
        names = names_in(left) | names_in(right)
        if left == right or (one.step is not None and one.step.name in names):
            continue  # it holds identically, or the step size is chosen to meet it
        fits &= _holds(on_arrays(left, rows), on_arrays(right, rows), c.relation)
    return fits


def _holds(left: Array, right: Array, relation: str) -> Array:
    """As `decide.conditions` has it: floats this close count as equal, so that edges can be met."""
    slack = EQUALITY * np.maximum(abs(left), abs(right))
    match relation:
        case "<=":
            return left <= right + slack
        case ">=":
            return left >= right - slack
        case "<":
            return left < right - slack
        case ">":
            return left > right + slack
    return abs(left - right) <= slack
