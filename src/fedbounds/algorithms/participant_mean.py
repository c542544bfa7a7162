"""The mean of the participants' vectors: what a server computes, without an optimiser.

A client's vector is its gradient at the start, which does not move. Parameter: ``m``, how many take
part, drawn without replacement.
"""

from collections.abc import Mapping
from typing import Any

from .traced import Algorithm, State

Array = Any


def init(problem: Any, start: Array) -> State:
    """Where the vectors are had."""
    return {"x": start}


def draw(random: Any, problem: Any, p: Mapping[str, Any]) -> State:
    """Who takes part."""
    return {"present": random.participants(problem.clients, p["m"])}


def step(problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any) -> State:
    """The vectors, and the mean of the participants'."""
    vectors, present = problem.gradient(problem.spread(state["x"])), drawn["present"]
    mean = problem.xp.sum(vectors * present[:, :, None], axis=1) / p["m"]
    see(X=vectors, X_S=mean, present=present)
    return state


MEAN = Algorithm(init, draw, step, "the participants' mean")
