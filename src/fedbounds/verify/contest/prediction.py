"""Rounds to eps that a theorem promises: the smallest T at which its bound is at most eps."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp

from fedbounds.errors import FedboundsError
from fedbounds.theory.symbols import T, gamma
from fedbounds.verify.conditions import failure
from fedbounds.verify.evaluate import Numbers, evaluate

from .contenders import Contender
from .field import Ground
from .steps import Powers, coefficients, least, powers_of, value

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
    """Step sizes at the edge of the theorem's conditions: gamma, eta_u and eta_v."""
    numbers = Numbers(values, {})
    schedule = contender.claim.schedules[0]
    return {name: float(evaluate(side, numbers)) for name, side in schedule.items()}


def refused(contender: Contender, ground: Ground, values: dict[str, float], step: float) -> str:
    """Which assumption or condition of the theorem fails; empty if none does."""
    for assumption in contender.part.assumptions:
        evidence = ground.problem.satisfies(assumption)
        if evidence.holds is not True:
            return f"{assumption.value}: {evidence.reason}"
    inner = {"gamma_u": step / values["eta_u"], "gamma_v": step / values["eta_v"], "gamma": step}
    numbers = Numbers(values | inner, {})
    for condition in contender.part.conditions:
        reason = failure(condition, numbers)
        if reason is not None:
            return reason
    return ""


def best_promises(
    contender: Contender, grounds: list[Ground], every: list[dict[str, float]], eps: float
) -> list[Promise]:
    """The promise at the best admissible step size, for each cell."""
    largest = np.array([edge(contender, values)["gamma"] for values in every])
    bound = _falling(contender.part.right)

    def least_at(rounds: Array) -> Any:
        return least(bound, _at(bound, every, rounds), largest)

    rounds = _first(lambda at: least_at(at).value, eps, len(every))
    step = least_at(np.where(np.isinf(rounds), _MOST, rounds)).step
    return _promises(contender, grounds, every, rounds, step)


def promises_at(
    contender: Contender,
    grounds: list[Ground],
    every: list[dict[str, float]],
    eps: float,
    step: Array,
) -> list[Promise]:
    """The promise at given step sizes, for each cell."""
    bound = _falling(contender.part.right)
    rounds = _first(lambda at: value(bound, _at(bound, every, at), step), eps, len(every))
    return _promises(contender, grounds, every, rounds, step)


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


def _falling(bound: sp.Expr) -> Powers:
    """The bound in powers of gamma, if every term falls with T or has none of it."""
    for term in sp.Add.make_args(sp.expand(bound)):
        base, power = term.as_independent(T, as_Add=False)[1].as_base_exp()
        if base not in (1, T) or (base == T and not power < 0):
            raise FedboundsError(
                f"the bound has the term {term}, not shown to fall with T: no first round to eps"
            )
    return powers_of(bound, gamma)


def _at(bound: Powers, every: list[dict[str, float]], rounds: Array) -> Array:
    """Coefficients of the bound after these rounds, one column per cell."""
    values: dict[str, Any] = {k: np.array([v[k] for v in every]) for k in every[0]}
    return coefficients(bound, values | {T.name: rounds}, (len(every),))


def _first(bound: Any, eps: float, cells: int) -> Array:
    """The smallest whole T with bound(T) <= eps, by doubling and halving; inf if above `_MOST`."""
    low, high = np.zeros(cells), np.ones(cells)
    while True:
        above = (bound(high) > eps) & (high < _MOST)
        if not above.any():
            break
        low, high = np.where(above, high, low), np.where(above, 2 * high, high)
    never = bound(high) > eps
    for _ in range(int(np.log2(_MOST)) + 1):
        middle = np.ceil((low + high) / 2)
        enough = bound(middle) <= eps
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return np.where(never, np.inf, high)
