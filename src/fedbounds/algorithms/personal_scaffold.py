"""Scaffold-P: FedAvg-P whose gradients by u are corrected by c - c_i, the control variates.

Parameters are those of `personal_averaging`. Without personal coordinates it is Scaffold.
"""

from collections.abc import Mapping
from typing import Any

from .personal_averaging import average, draw, local
from .traced import Algorithm, State

Array = Any


def init(problem: Any, start: Array, random: Any, p: Mapping[str, Any]) -> State:
    """c_i^0 is the mean of K stochastic gradients by u of client i at the start, c^0 their mean."""
    u, v = problem.blocks(start)
    noise = random.noise(problem, p["K"]).sum(axis=2) / p["K"]
    controls = problem.gradients(u, v)[0] + noise
    return {"u": u, "v": v, "ci": controls, "c": controls.sum(axis=1) / problem.clients}


def step(problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any) -> State:
    """A round of FedAvg-P with the correction; then participants' c_i, and with them c."""
    c, ci = problem.spread(state["c"]), state["ci"]
    sizes = p["gamma_u"], p["gamma_v"]
    reached, shown = local(problem, state, drawn, lambda k: sizes, p["K"], c - ci)
    see(present=drawn["present"], **shown)
    u, v = reached
    followed = (problem.spread(state["u"]) - u) / (p["K"] * p["gamma_u"])
    change = (followed - c) * drawn["present"][:, :, None]
    after = average(p, state, drawn, u, v)
    return {**after, "ci": ci + change, "c": state["c"] + change.sum(axis=1) / problem.clients}


ROUNDS = Algorithm(init, draw, step, "Scaffold-P")
