"""Scaffold-P: FedAvg-P whose gradients by u are corrected by c - c_i, the control variates.

Parameters are those of `personal_averaging`. Without personal coordinates it is Scaffold.
`OBSERVED` also keeps and shows what its analysis speaks of: the iterates and the noise of every
client's last participation, ``al``, ``be`` and ``Wh`` of shape (rows, n, K, d). `SPLIT` draws the
noise before local step ``k``, of it and after it apart. `SETTLING` keeps nothing that stays as it
is from round to round, so that its moments have a limit.
"""

from collections.abc import Mapping
from typing import Any

from .personal_averaging import Shown, analysed, average, draw, draw_split, local, models
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
    after, _, shown = _round(problem, p, state, drawn)
    see(present=drawn["present"], **shown)
    return after


def _round(
    problem: Any, p: Mapping[str, Any], state: State, drawn: State
) -> tuple[State, tuple[Array, Array], Shown]:
    c, ci = problem.spread(state["c"]), state["ci"]
    sizes = p["gamma_u"], p["gamma_v"]
    (u, v), shown = local(problem, state, drawn, lambda k: sizes, p["K"], c - ci)
    followed = (problem.spread(state["u"]) - u) / (p["K"] * p["gamma_u"])
    change = (followed - c) * drawn["present"][:, :, None]
    after = average(p, state, drawn, u, v)
    after |= {"ci": ci + change, "c": state["c"] + change.sum(axis=1) / problem.clients}
    return after, (u, v), shown


# ---- without c, which is the mean of all c_i before and after every round


def init_settling(problem: Any, start: Array, random: Any, p: Mapping[str, Any]) -> State:
    """The same start."""
    state = init(problem, start, random, p)
    return {name: state[name] for name in ("u", "v", "ci")}


def step_settling(
    problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any
) -> State:
    """The round, from a state none of whose numbers stays as it is."""
    whole = {**state, "c": state["ci"].sum(axis=1) / problem.clients}
    after = step(problem, p, whole, drawn, see)
    return {name: after[name] for name in state}


# ---- with the memory of every client's last participation


def init_remembering(problem: Any, start: Array, random: Any, p: Mapping[str, Any]) -> State:
    """Before round 0 it was at the start: its K gradients there are those of c_i^0."""
    noise = random.noise(problem, p["K"])
    state, stack = _begun(problem, start, noise), problem.xp.stack
    u, v = problem.spread(state["u"]), state["v"]
    past = {"al": stack([u] * p["K"], axis=2), "be": stack([v] * p["K"], axis=2)}
    return {**state, **past, "Wh": noise}


def step_observed(
    problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any
) -> State:
    """The round; participants remember its local iterates, the others what they knew."""
    after, reached, shown = _round(problem, p, state, drawn)
    present, made = drawn["present"][:, :, None, None], (shown["uh"], shown["vh"], drawn["xi_u"])
    for name, new in zip(("al", "be", "Wh"), made, strict=True):
        after[name] = state[name] + (new - state[name]) * present
    see(present=drawn["present"], xv=drawn["xi_v"], **shown, **models(problem, shown, *reached))
    see(**analysed(problem, state, after), **_everybody(problem, state, shown["au"]))
    return after


def _everybody(problem: Any, state: State, gradients: Array) -> Shown:
    """Gradients by u at the last participation; and by names of any client what one's own are."""
    al, be = state["al"], state["be"]
    past = [problem.gradients(al[:, :, k], be[:, :, k])[0] for k in range(al.shape[2])]
    eu = problem.xp.stack(past, axis=2)
    own = {"alj": al, "bej": be, "ej": eu, "Wj": state["Wh"]}
    return {"eu": eu, **own, "vj": state["v"], "aj": gradients}


ROUNDS = Algorithm(init, draw, step, "Scaffold-P")
SETTLING = Algorithm(init_settling, draw, step_settling, "Scaffold-P, without what stays")
OBSERVED = Algorithm(
    init_remembering, draw, step_observed, "Scaffold-P, with what its analysis speaks of"
)
SPLIT = Algorithm(
    init_remembering, draw_split, step_observed, "Scaffold-P, looked at in one local step"
)
