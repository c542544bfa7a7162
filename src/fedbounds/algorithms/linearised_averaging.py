"""FedAvg of a network beside that of its linearisation at the start, with the same clients.

The linearised model's outputs are f(theta(0)) + J(0)(z - theta(0)): every client's K steps on z
have the derivative J(0) of the start, and residuals zeta. Parameters: as in `scheduled_averaging`.
"""

from collections.abc import Mapping
from typing import Any

from .scheduled_averaging import draw, draw_clients, local_steps, mean_of, on_schedule
from .traced import Algorithm, State

Array = Any


def init(problem: Any, start: Array) -> State:
    """Both models, and what they are at the start, which stays."""
    return {"x": start, "x0": start * 1, "z": start * 1}


def step(problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any) -> State:
    """A round of the clients that the schedule names."""
    return _round(problem, p, state, on_schedule(problem, p, state), see)


def step_sampled(problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any) -> State:
    """A round of those that are drawn."""
    return _round(problem, p, state, drawn["present"], see)


def _round(problem: Any, p: Mapping[str, Any], state: State, present: Array, see: Any) -> State:
    x, x0, z = state["x"], state["x0"], state["z"]
    start, at_first = problem.spread(x0), problem.residual(x0)
    see(x=x, x0=x0, res=problem.residual(x), still=at_first + problem.tangent(x0, z - x0))
    zs = problem.spread(z)
    for _ in range(p["K"]):
        missed = at_first + problem.tangent(start, zs - start)
        zs = zs - problem.cotangent(start, missed) * p["eta"]
    after, *_ = local_steps(problem, p, x, present, see)
    return {"x": after, "x0": x0, "z": mean_of(problem, zs, present)}


ROUNDS = Algorithm(init, draw, step, "FedAvg on a schedule, beside its linearisation")
SAMPLED = Algorithm(
    init, draw_clients, step_sampled, "FedAvg, clients at random, beside its linearisation"
)
