"""Parallel SGD where nothing is shared: every client takes one step of SGD on its own v_i.

Parameter: ``gamma``, the step size.
"""

from collections.abc import Mapping
from typing import Any

from fedbounds.errors import require

from .traced import Algorithm, State

Array = Any


def init(problem: Any, start: Array) -> State:
    """Everybody's own model; the shared one has no coordinates."""
    d_u = problem.dimension
    require(d_u == 0, "shared dimension d_u", d_u, "0: parallel SGD has no shared variables")
    u, v = problem.blocks(start)
    return {"u": u, "v": v}


def draw(random: Any, problem: Any, p: Mapping[str, Any]) -> State:
    """The noise of everybody's gradient."""
    return {"xi": random.personal_noise(problem, 1)}


def step(problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any) -> State:
    """v_i <- v_i - gamma (grad f_i(v_i) + xi_i)."""
    _, gradient = problem.gradients(state["u"], state["v"])
    see(g=gradient)
    return {"u": state["u"], "v": state["v"] - (gradient + drawn["xi"][:, :, 0, :]) * p["gamma"]}


ROUNDS = Algorithm(init, draw, step, "parallel SGD")
