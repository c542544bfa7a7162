"""No algorithm: a sequence that satisfies a recursion with equality.

Parameters: ``z``, ``B_step`` and ``steps``, one of every round; or ``eta`` for all of them.
"""

from collections.abc import Mapping
from typing import Any

from .traced import Algorithm, State

Array = Any


def init(problem: Any, start: Array) -> State:
    """The first number, in one coordinate."""
    return {"x": start}


def draw(random: Any, problem: Any, p: Mapping[str, Any]) -> State:
    """Nothing."""
    return {}


def step(problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any) -> State:
    """x <- (1 - z eta^t) x + (eta^t)^2 B."""
    x, eta = state["x"], _step_size(p)
    one = x[:, 0] * 0 + 1
    see(pace=one * eta, one=one)
    return {"x": x * (1 - p["z"] * eta) + eta**2 * p["B_step"]}


def _step_size(p: Mapping[str, Any]) -> Any:
    """eta^t; of the round after the last one only the start is looked at."""
    return p["steps"][min(int(p["t"]), p["steps"].shape[0] - 1)] if "steps" in p else p["eta"]


EQUALITY = Algorithm(init, draw, step, "a sequence with equality in the recursion")
