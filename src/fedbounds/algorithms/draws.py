"""No algorithm: m of n vectors drawn without replacement; they are the gradients of the clients.

Parameters: ``m``, how many are drawn.
"""

from collections.abc import Mapping
from typing import Any

from .traced import Algorithm, State

Array = Any


def init(problem: Any, start: Array) -> State:
    """Any point: it stays where it is."""
    return {"x": start}


def draw(random: Any, problem: Any, p: Mapping[str, Any]) -> State:
    """Who is drawn."""
    return {"present": random.participants(problem.clients, p["m"])}


def step(problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any) -> State:
    """Shows the vectors, and which of them are drawn."""
    see(drawn=problem.gradient(state["x"]), present=drawn["present"])
    return state


WITHOUT_REPLACEMENT = Algorithm(init, draw, step, "draws without replacement")
