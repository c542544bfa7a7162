"""FedAvg-P: local steps on a shared and a personal block, and an average of both at the end.

Parameters: ``cohort``, how many clients take part or a list of cohorts; ``K`` local steps; step
sizes ``gamma_u``, ``gamma_v`` of these and ``eta_u``, ``eta_v`` of the average. With eta = 1 it is
FedSim, and `ALTERNATING` is FedAlt, of ``K_v`` steps on v and ``K_u`` on u; without personal
coordinates it is FedAvg.
"""

from collections.abc import Callable, Mapping
from typing import Any

from .traced import Algorithm, State

Array = Any
Shown = dict[str, Array]
Stepped = Callable[[int], tuple[Any, Any]]  # step sizes of a local step, by block


def init(problem: Any, start: Array) -> State:
    """Both blocks."""
    u, v = problem.blocks(start)
    return {"u": u, "v": v}


def draw(random: Any, problem: Any, p: Mapping[str, Any]) -> State:
    """Who takes part, with which weight, and noise of every client and local step."""
    return _drawn(random, problem, p, p["K"])


def _drawn(random: Any, problem: Any, p: Mapping[str, Any], steps: int) -> State:
    present, weight = random.cohort(problem.clients, p["cohort"])
    noise = {"xi_u": random.noise(problem, steps), "xi_v": random.personal_noise(problem, steps)}
    return {"present": present, "weight": weight, **noise}


def step(problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any) -> State:
    """K `local` steps of every client; then the `average`."""
    reached, shown = local(problem, state, drawn, lambda k: (p["gamma_u"], p["gamma_v"]), p["K"])
    see(present=drawn["present"], **shown)
    return average(p, state, drawn, *reached)


def local(
    problem: Any,
    state: State,
    drawn: State,
    sizes: Stepped,
    steps: int,
    correction: Array | int = 0,
) -> tuple[tuple[Array, Array], Shown]:
    """What every client reaches, and the vectors of its local steps.

    Parameters
    ----------
    correction : array, shape (rows, n, d), or 0
        Added to the gradients by u.
    """
    xp, u, v = problem.xp, problem.spread(state["u"]), state["v"]
    points: list[tuple[Array, ...]] = []
    for k in range(steps):
        hu, hv = problem.gradients(u, v)
        points.append((u, v, hu, hv))
        one, other = sizes(k)
        u = u - (hu + drawn["xi_u"][:, :, k, :] + correction) * one
        v = v - (hv + drawn["xi_v"][:, :, k, :]) * other  # at the u before the step
    each = zip(("uh", "vh", "hu", "hv"), zip(*points, strict=True), strict=True)
    shown = {name: xp.stack(list(arrays), axis=2) for name, arrays in each}
    return (u, v), {**shown, "xu": drawn["xi_u"], "au": points[0][2], "av": points[0][3]}


def average(p: Mapping[str, Any], state: State, drawn: State, u: Array, v: Array) -> State:
    """u <- (1 - eta_u) u + eta_u (mean of the participants'); their v_i <- likewise, alone."""
    mean = (u * drawn["weight"][:, :, None]).sum(axis=1)
    moved = (v - state["v"]) * drawn["present"][:, :, None]
    return {
        "u": state["u"] * (1 - p["eta_u"]) + mean * p["eta_u"],
        "v": state["v"] + moved * p["eta_v"],
    }


def draw_alternating(random: Any, problem: Any, p: Mapping[str, Any]) -> State:
    """The same for all local steps on either block."""
    return _drawn(random, problem, p, p["K_v"] + p["K_u"])


def alternate(problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any) -> State:
    """K_v local steps on v at the server's u, then K_u on u; the average is plain."""

    def sizes(k: int) -> tuple[Any, Any]:
        return (0, p["gamma_v"]) if k < p["K_v"] else (p["gamma_u"], 0)

    reached, shown = local(problem, state, drawn, sizes, p["K_v"] + p["K_u"])
    see(present=drawn["present"], **shown)
    return average({"eta_u": 1, "eta_v": 1}, state, drawn, *reached)


ROUNDS = Algorithm(init, draw, step, "FedAvg-P")
ALTERNATING = Algorithm(init, draw_alternating, alternate, "FedAlt")
