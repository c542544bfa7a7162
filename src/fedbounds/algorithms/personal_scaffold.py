"""Scaffold-P: FedAvg-P whose gradients by u are corrected by c - c_i, the control variates.

Parameters are those of `personal_averaging`. Without personal coordinates it is Scaffold.
`REMEMBERING` also keeps what its analysis speaks of: the iterates and the noise of every client's
last participation, ``al``, ``be`` and ``Wh`` of shape (rows, n, K, d).
"""

from collections.abc import Mapping
from typing import Any

from .personal_averaging import Shown, average, draw, local
from .traced import Algorithm, State

Array = Any


def init(problem: Any, start: Array, random: Any, p: Mapping[str, Any]) -> State:
    """c_i^0 is the mean of K stochastic gradients by u of client i at the start, c^0 their mean."""
    return _begun(problem, start, random.noise(problem, p["K"]))


def _begun(problem: Any, start: Array, noise: Array) -> State:
    u, v = problem.blocks(start)
    controls = problem.gradients(u, v)[0] + noise.sum(axis=2) / noise.shape[2]
    return {"u": u, "v": v, "ci": controls, "c": controls.sum(axis=1) / problem.clients}


def step(problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any) -> State:
    """A round of FedAvg-P with the correction; then participants' c_i, and with them c."""
    after, shown = _round(problem, p, state, drawn)
    see(present=drawn["present"], **shown)
    return after


def _round(problem: Any, p: Mapping[str, Any], state: State, drawn: State) -> tuple[State, Shown]:
    c, ci = problem.spread(state["c"]), state["ci"]
    sizes = p["gamma_u"], p["gamma_v"]
    (u, v), shown = local(problem, state, drawn, lambda k: sizes, p["K"], c - ci)
    followed = (problem.spread(state["u"]) - u) / (p["K"] * p["gamma_u"])
    change = (followed - c) * drawn["present"][:, :, None]
    after = average(p, state, drawn, u, v)
    after |= {"ci": ci + change, "c": state["c"] + change.sum(axis=1) / problem.clients}
    return after, {**shown, "last_u": u, "last_v": v}


# ---- with the memory of every client's last participation


def init_remembering(problem: Any, start: Array, random: Any, p: Mapping[str, Any]) -> State:
    """Before round 0 it was at the start: its K gradients there are those of c_i^0."""
    noise = random.noise(problem, p["K"])
    state, stack = _begun(problem, start, noise), problem.xp.stack
    u, v = problem.spread(state["u"]), state["v"]
    past = {"al": stack([u] * int(p["K"]), axis=2), "be": stack([v] * int(p["K"]), axis=2)}
    return {**state, **past, "Wh": noise}


def step_remembering(
    problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any
) -> State:
    """The round; participants remember its local iterates, the others what they knew."""
    after, shown = _round(problem, p, state, drawn)
    present, made = drawn["present"][:, :, None, None], (shown["uh"], shown["vh"], drawn["xi_u"])
    for name, new in zip(("al", "be", "Wh"), made, strict=True):
        after[name] = state[name] + (new - state[name]) * present
    see(present=drawn["present"], xv=drawn["xi_v"], **shown, **_analysed(problem, state, after))
    see(**_followed(problem, shown))
    return after


def _analysed(problem: Any, state: State, after: State) -> Shown:
    """Gradients by u at the last participation, after the round, and with the new v alone."""
    al, be = state["al"], state["be"]
    past = [problem.gradients(al[:, :, k], be[:, :, k])[0] for k in range(al.shape[2])]
    u, v = state["u"], state["v"]
    return {
        "eu": problem.xp.stack(past, axis=2),
        "nu": problem.gradients(after["u"], after["v"])[0],
        "wu": problem.gradients(u, after["v"])[0],
        "values": problem.value(u, v),
        "one": u[:, 0] * 0 + 1 if problem.dimension else v[:, 0, 0] * 0 + 1,
    }


def _followed(problem: Any, shown: Shown) -> Shown:
    """The iterates after every local step."""
    found = {}
    for name, each, last in (("up", "uh", "last_u"), ("vp", "vh", "last_v")):
        found[name] = problem.xp.concat([shown[each][:, :, 1:], shown[last][:, :, None]], axis=2)
    return found


ROUNDS = Algorithm(init, draw, step, "Scaffold-P")
REMEMBERING = Algorithm(init_remembering, draw, step_remembering, "Scaffold-P")
