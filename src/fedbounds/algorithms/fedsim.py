"""FedSim (Pillutla et al. 2022, algorithm 2): both blocks take their local steps at once.

Parameters: ``m`` clients take part, ``K`` steps of sizes ``gamma_u`` on the shared model u and
``gamma_v`` on a client's own v_i.
"""

from collections.abc import Mapping
from typing import Any

from .traced import Algorithm, State

Array = Any


def init(problem: Any, start: Array) -> State:
    """The shared model and everybody's own."""
    u, v = problem.blocks(start)
    return {"u": u, "v": v}


def draw(random: Any, problem: Any, p: Mapping[str, Any]) -> State:
    """Who takes part; and the noise of every gradient, block by block."""
    return {
        "present": random.participants(problem.clients, p["m"]),
        "xi_u": random.noise(problem, p["K"]),
        "xi_v": random.personal_noise(problem, p["K"]),
    }


def step(problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any) -> State:
    """LocalSim of every participant, who keeps its v_i; the server averages their u_i."""
    u, v = problem.spread(state["u"]), state["v"]
    for k in range(p["K"]):
        g_u, g_v = problem.gradients(u, v)  # both at the old point
        v = v - (g_v + drawn["xi_v"][:, :, k, :]) * p["gamma_v"]
        u = u - (g_u + drawn["xi_u"][:, :, k, :]) * p["gamma_u"]
    see(present=drawn["present"], ui=u, vi=v)
    chosen = drawn["present"][:, :, None]
    return {
        "u": problem.xp.sum(u * chosen, axis=1) / p["m"],
        "v": v * chosen + state["v"] * (1 - chosen),
    }


ROUNDS = Algorithm(init, draw, step, "FedSim")
