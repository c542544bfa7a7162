"""Quantities given as functions of the state: a number per row, for outcomes and for unknowns."""

from collections.abc import Callable
from typing import Any

import numpy as np

from fedbounds.errors import FedboundsError

from .contract import Parameters, State, called, place, same, takes
from .enumerated import Rows
from .subject import Subject

Array = Any
OfState = Callable[..., Array]  # (problem, state) or (problem, state, p): one number per row


def values_of(function: OfState, subject: Subject, p: Parameters, state: State, name: str) -> Array:
    """One number per row.

    Raises
    ------
    FedboundsError
        If the function fails, or returns anything else.
    """
    arguments = (subject.problem, state, p) if takes(function, 3) else (subject.problem, state)
    values = called(function, *arguments)
    rows = int(next(iter(state.values())).shape[0])
    shape = tuple(getattr(values, "shape", ()))
    if shape != (rows,):
        raise FedboundsError(
            f"{_where(function, name)} has shape {shape}; expected one number per row, ({rows},)"
        )
    return values


def mean_of(function: OfState, subject: Subject, rows: Rows, t: int, name: str) -> Any:
    """Expectation over states, each of which must have the number that it has by itself.

    Raises
    ------
    FedboundsError
        If it is not one number per row, in rationals where the run is; or if it mixes rows.
    """
    p = subject.parameters(t)
    values = values_of(function, subject, p, rows.state, name)
    where = _where(function, name)
    exact = rows.chances.dtype == object
    if exact and (values.dtype.kind not in "Oiu" or any(isinstance(x, float) for x in values)):
        raise FedboundsError(f"{where} is in floats; exact runs have rationals")
    last = len(rows) - 1
    for order in ([last], [last, 0]) if last else ():
        alone = {key: x[np.array(order)] for key, x in rows.state.items()}
        if not same(values_of(function, subject, p, alone, name), values[np.array(order)]):
            raise FedboundsError(
                f"{where} gives a row another number by itself than among the others; it must "
                "not mix rows (the first axis)"
            )
    return (values * rows.chances).sum()


def _where(function: OfState, name: str) -> str:
    return f"{place(function)}: the quantity {name}"
