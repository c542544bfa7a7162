"""Scaffold (Karimireddy et al. 2020, algorithm 1 with option II), where all is shared.

Parameters: ``m`` clients take part, ``K`` local steps of size ``eta_l``, a global one of ``eta_g``.
Control variates c_i may start anywhere: here at the mean of K stochastic gradients at the start.
"""

from collections.abc import Mapping
from typing import Any

from .traced import Algorithm, State

Array = Any


def init(problem: Any, start: Array, random: Any, p: Mapping[str, Any]) -> State:
    """The server's model x, every c_i, and their mean c."""
    xp, noise = problem.xp, random.noise(problem, p["K"])
    controls = problem.gradient(start) + xp.sum(noise, axis=2) / p["K"]
    return {"x": start, "ci": controls, "c": xp.sum(controls, axis=1) / problem.clients}


def draw(random: Any, problem: Any, p: Mapping[str, Any]) -> State:
    """S, m clients; and the noise of every gradient."""
    return {
        "present": random.participants(problem.clients, p["m"]),
        "xi": random.noise(problem, p["K"]),
    }


def step(problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any) -> State:
    """K times y_i <- y_i - eta_l (g_i(y_i) - c_i + c); c_i+ = c_i - c + (x - y_i) / (K eta_l).

    Participants send y_i - x and c_i+ - c_i: x moves by eta_g times the mean of the ones, c by m/n
    times that of the others.
    """
    xp, x, ci = problem.xp, problem.spread(state["x"]), state["ci"]
    c, y = problem.spread(state["c"]), x
    for k in range(p["K"]):
        y = y - (problem.gradient(y) + drawn["xi"][:, :, k, :] - ci + c) * p["eta_l"]
    renewed = ci - c + (x - y) / (p["K"] * p["eta_l"])
    chosen = drawn["present"][:, :, None]
    sent, change = (y - x) * chosen, (renewed - ci) * chosen
    see(present=drawn["present"], y=y, renewed=renewed)
    mean_change = xp.sum(change, axis=1) / p["m"]
    return {
        "x": state["x"] + xp.sum(sent, axis=1) / p["m"] * p["eta_g"],
        "ci": ci + change,
        "c": state["c"] + mean_change * p["m"] / problem.clients,
    }


ROUNDS = Algorithm(init, draw, step, "Scaffold")
