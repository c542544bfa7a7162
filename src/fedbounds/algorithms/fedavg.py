"""FedAvg (McMahan et al. 2017, algorithm 1), where all is shared and clients weigh alike.

Parameters: ``m`` clients take part, ``K`` steps of SGD of size ``gamma``, and ``eta``, the server's
step size of Reddi et al. 2021; 1 is the plain average.
"""

from collections.abc import Mapping
from typing import Any

from .traced import Algorithm, State

Array = Any


def init(problem: Any, start: Array) -> State:
    """The server's weights."""
    return {"x": start}


def draw(random: Any, problem: Any, p: Mapping[str, Any]) -> State:
    """S_t, m clients; and the noise of every gradient."""
    return {
        "present": random.participants(problem.clients, p["m"]),
        "xi": random.noise(problem, p["K"]),
    }


def step(problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any) -> State:
    """ClientUpdate of every client in S_t; then the server's step along their mean change."""
    w = problem.spread(state["x"])
    for k in range(p["K"]):
        w = w - (problem.gradient(w) + drawn["xi"][:, :, k, :]) * p["gamma"]
    see(present=drawn["present"], w=w)
    chosen = w * drawn["present"][:, :, None]
    average = problem.xp.sum(chosen, axis=1) / p["m"]
    return {"x": state["x"] + (average - state["x"]) * p["eta"]}


ROUNDS = Algorithm(init, draw, step, "FedAvg")
