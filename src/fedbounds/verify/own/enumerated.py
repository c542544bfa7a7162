"""Every outcome of a few rounds of an own algorithm: exact in rationals, to rounding in floats."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.errors import FedboundsError

from ..measure.clients import Clients
from .algorithm import Algorithm, State, called, draws_of, place, same, started, stepped
from .known import problem_of
from .quantities import OfState, all_of, of_round
from .setup import OwnRun

Array = Any
MOST_ROWS = 8_192  # states times outcomes of a round


@dataclass(frozen=True, eq=False)
class Rows:
    """States with their probabilities."""

    state: State
    chances: Array


def enumerated(run: OwnRun, algorithm: Algorithm, own: Mapping[str, OfState]) -> dict[str, Array]:
    """Expectations of all quantities, by name, over rounds.

    Raises
    ------
    FedboundsError
        If there are too many outcomes, or a function of the user fails.
    """
    problem = Clients(problem_of(run))
    measured = all_of(problem, own)
    begun = started(algorithm, problem, run.start)
    rows = Rows(begun, _numbers([fmpq(1)], run.exact))
    boundary: dict[str, list[Any]] = {name: [] for name in measured}
    within: dict[str, list[Any]] = {}
    anew = False
    for at in range(run.rounds + 1):
        for name, function in measured.items():
            boundary[name].append(_expected(problem, rows, name, function))
        if at == run.rounds:
            break
        p = run.parameters(at)
        if at == 0 or anew:
            draws = draws_of(algorithm, problem, p, run.exact)
            anew = p.asked_round  # draws that ask for the round differ between rounds
        before = _branched(rows, len(draws.chances))
        tiled = {name: np.concatenate([x] * len(rows.chances)) for name, x in draws.drawn.items()}
        after = stepped(algorithm, problem, p, before, tiled)
        weights = np.kron(rows.chances, _numbers(draws.chances, run.exact))
        for name, values in of_round(before, after).items():
            within.setdefault(name, []).append((values * weights).sum())
        rows = _merged(Rows(after, weights)) if run.exact else Rows(after, weights)
    return {name: _numbers(values, run.exact) for name, values in (boundary | within).items()}


def _branched(rows: Rows, outcomes: int) -> State:
    if len(rows.chances) * outcomes > MOST_ROWS:
        raise FedboundsError(
            f"{len(rows.chances)} states times {outcomes} outcomes of a round; at most "
            f"{MOST_ROWS} are enumerated"
        )
    return {name: np.repeat(values, outcomes, axis=0) for name, values in rows.state.items()}


def _expected(problem: Clients, rows: Rows, name: str, function: OfState) -> Any:
    """Expectation of a quantity, whose last row by itself must have the same number.

    Raises
    ------
    FedboundsError
        If it is not one number per row, in rationals where the run is; or if it mixes rows.
    """
    values = called(function, problem, rows.state)
    where = f"{place(function)}: the quantity {name}"
    shape = tuple(getattr(values, "shape", ()))
    if shape != rows.chances.shape:
        raise FedboundsError(
            f"{where} has shape {shape}; expected one number per row, ({len(rows.chances)},)"
        )
    exact = rows.chances.dtype == object
    if exact and (values.dtype.kind not in "Oiu" or any(isinstance(x, float) for x in values)):
        raise FedboundsError(f"{where} is in floats; exact runs have rationals")
    alone = called(function, problem, {key: x[-1:] for key, x in rows.state.items()})
    if not same(alone, values[-1:]):
        raise FedboundsError(
            f"{where} gives the last row another number by itself than among the others; it must "
            "not mix rows (the first axis)"
        )
    return (values * rows.chances).sum()


def _merged(rows: Rows) -> Rows:
    """Equal states once, with the sum of their probabilities."""
    count = len(rows.chances)
    flat = np.concatenate([x.reshape(count, -1) for x in rows.state.values()], axis=1).tolist()
    first: dict[tuple[Any, ...], int] = {}
    total: list[Any] = []
    kept: list[int] = []
    for at, (row, chance) in enumerate(zip(flat, rows.chances, strict=True)):
        place_of = first.setdefault(tuple(row), len(total))
        if place_of == len(total):
            total.append(chance)
            kept.append(at)
        else:
            total[place_of] += chance
    state = {name: values[kept] for name, values in rows.state.items()}
    return Rows(state, _numbers(total, True))


def _numbers(values: list[Any], exact: bool) -> Array:
    if not exact:
        return np.array([float(x) for x in values])
    found = np.empty(len(values), dtype=object)
    found[:] = values
    return found
