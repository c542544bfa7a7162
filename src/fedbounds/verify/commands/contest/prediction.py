"""Rounds to eps that a theorem promises: the smallest T at which its bound is at most eps."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.inputs import exact
from fedbounds.theory.language.symbols import T
from fedbounds.verify.commands.bound.shape import falls
from fedbounds.verify.decide.conditions import failure
from fedbounds.verify.measure.evaluate import Numbers, evaluate

from .contenders import Contender
from .field import Ground
from .surface import Heights, Rows, Surface, heights, surface

Array = Any
_MOST = 2.0**50  # rounds: beyond them a promise is none


@dataclass(frozen=True)
class Promise:
    """What a theorem says before anything is run.

    Attributes
    ----------
    rounds : int or None
        None if there is no promise.
    step : float
        gamma: the given one, or the best at ``rounds``; the largest admissible one without rounds.
    why : str
        Why there is no promise; empty if there is one.
    """

    rounds: int | None
    step: float
    why: str = ""


def constants(ground: Ground, participants: int, steps: int) -> dict[str, float]:
    """Values of all symbols of a theorem but T and step sizes."""
    problem = ground.problem
    found = {name.value: float(c.value) for name, c in problem.constants(ground.start).items()}
    return found | {
        "n": float(problem.clients),
        "m": float(participants),
        "K": float(steps),
        "d_u": float(problem.shared_dimension),
        "d_v": float(problem.personal_dimension),
    }


def edge(contender: Contender, values: dict[str, float]) -> dict[str, float]:
    """Step sizes at the edge of the theorem's conditions."""
    numbers = Numbers(values, {})
    schedule = contender.claim.schedules[0]
    return {name: float(evaluate(side, numbers)) for name, side in schedule.items()}


def refused(contender: Contender, ground: Ground, values: dict[str, float], step: float) -> str:
    """Which assumption or condition of the theorem fails; empty if none does."""
    for assumption in contender.part.assumptions:
        evidence = ground.problem.satisfies(assumption)
        if evidence.holds is not True:
            return f"{assumption}: {evidence.reason}"
    inner = {name: float(x) for name, x in contender.parameters(values, step).items()}
    numbers = Numbers({**inner, **values, contender.data.step.name: step}, {})
    for condition in contender.part.conditions:
        reason = failure(condition, numbers)
        if reason is not None:
            return reason
    return ""


def promises(
    contender: Contender,
    grounds: list[Ground],
    every: list[dict[str, float]],
    eps: float,
    step: Array | None,
) -> list[Promise]:
    """The promise in each cell, at given step sizes or (None) at the best admissible ones.

    Parameters
    ----------
    every : list of dict
        Values of the symbols in each cell: `constants`, with the outer step sizes.
    """
    rows: Rows = {name: np.array([values[name] for values in every]) for name in every[0]}
    if step is not None:
        rows[contender.data.step.name] = np.asarray(step, dtype=float)
    one = surface(contender.part, frozenset({*rows, T.name}))

    def after(rounds: Array) -> Heights:
        return heights(one, rows | {T.name: rounds}, checked=False)

    for values in every:
        chosen = contender.data.step
        _check_falls(one, values if step is None else values | {chosen.name: 1.0}, chosen)
    rounds = _first(lambda at: after(at).value, eps, len(every))
    best = after(np.where(np.isinf(rounds), _MOST, rounds)).step if step is None else step
    assert best is not None
    return _promises(contender, grounds, every, rounds, best)


def _check_falls(one: Surface, values: dict[str, float], step: sp.Symbol) -> None:
    """Refuse a bound that is not shown to fall with T: it would have no first round to eps."""
    exactly = {name: exact(name, value) for name, value in values.items()}
    if not falls(one.right, T, exactly, step, (None, None)):
        raise FedboundsError(f"the bound {one.right} is not shown to fall with {T}")


def _promises(
    contender: Contender,
    grounds: list[Ground],
    every: list[dict[str, float]],
    rounds: Array,
    step: Array,
) -> list[Promise]:
    found = []
    for ground, values, count, chosen in zip(grounds, every, rounds, step, strict=True):
        why = refused(contender, ground, values, float(chosen))
        if not why and np.isinf(count):
            why = f"the bound stays above eps for {_MOST:.3g} rounds"
        found.append(Promise(None if why else int(count), float(chosen), why))
    return found


def _first(bound: Any, eps: float, cells: int) -> Array:
    """The smallest whole T with bound(T) <= eps, by doubling and halving; inf if above `_MOST`."""
    low, high = np.zeros(cells), np.ones(cells)
    while True:
        above = (bound(high) > eps) & (high < _MOST)
        if not above.any():
            break
        low, high = np.where(above, high, low), np.where(above, 2 * high, high)
    never = bound(high) > eps
    while (high - low > 1).any():
        middle = np.ceil((low + high) / 2)
        enough = bound(middle) <= eps
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return np.where(never, np.inf, high)
