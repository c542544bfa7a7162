"""Scaffold-P: FedAvg-P whose gradients by u are corrected by c - c_i, the control variates.

Parameters are those of `personal_averaging`. Without personal coordinates it is Scaffold.
`OBSERVED` also keeps and shows what its analysis speaks of: the iterates and the noise of every
client's last participation, ``al``, ``be`` and ``Wh`` of shape (rows, n, K, d). `SPLIT` draws the
noise before local step ``k``, of it and after it apart. The gradients of `SAMPLED` are those of
minibatches. `AVERAGING` keeps means of ``al`` and ``be`` over local steps, where clients are many.
`SETTLING` keeps nothing that stays as it is from round to round, so that its moments have a limit.
"""

from collections.abc import Mapping
from typing import Any

from .personal_averaging import (
    Noise,
    Shown,
    added,
    analysed,
    average,
    constant,
    draw,
    draw_sampled,
    draw_split,
    local,
    models,
    sampled,
)
from .traced import Algorithm, State

Array = Any


def init(problem: Any, start: Array, random: Any, p: Mapping[str, Any]) -> State:
    """c_i^0 is the mean of K stochastic gradients by u of client i at the start, c^0 their mean."""
    return _begun(problem, start, random.noise(problem, p["K"]))


def _begun(problem: Any, start: Array, noise: Array) -> State:
    u, v = problem.blocks(start)
    controls = problem.gradients(u, v)[0] + problem.xp.sum(noise, axis=2) / noise.shape[2]
    return {"u": u, "v": v, "ci": controls, "c": problem.xp.sum(controls, axis=1) / problem.clients}


def step(problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any) -> State:
    """A round of FedAvg-P with the correction; then participants' c_i, and with them c."""
    after, _, shown = _round(problem, p, state, drawn, added(drawn))
    see(present=drawn["present"], **shown)
    return after


def _round(
    problem: Any, p: Mapping[str, Any], state: State, drawn: State, noise: Noise
) -> tuple[State, tuple[Array, Array], Shown]:
    c, ci = problem.spread(state["c"]), state["ci"]
    (u, v), shown = local(problem, state, noise, constant(p), p["K"], c - ci)
    followed = (problem.spread(state["u"]) - u) / (p["K"] * p["gamma_u"])
    change = (followed - c) * drawn["present"][:, :, None]
    after = average(problem, p, state, drawn, u, v)
    after |= {"ci": ci + change, "c": state["c"] + problem.xp.sum(change, axis=1) / problem.clients}
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
    whole = {**state, "c": problem.xp.sum(state["ci"], axis=1) / problem.clients}
    after = step(problem, p, whole, drawn, see)
    return {name: after[name] for name in state}


# ---- with the memory of every client's last participation


def init_remembering(problem: Any, start: Array, random: Any, p: Mapping[str, Any]) -> State:
    """Before round 0 it was at the start: its K gradients there are those of c_i^0."""
    return _remembering(problem, start, random.noise(problem, p["K"]), p)


def _remembering(problem: Any, start: Array, noise: Array, p: Mapping[str, Any]) -> State:
    state, stack = _begun(problem, start, noise), problem.xp.stack
    u, v = problem.spread(state["u"]), state["v"]
    past = {"al": stack([u] * p["K"], axis=2), "be": stack([v] * p["K"], axis=2)}
    return {**state, **past, "Wh": noise}


def step_observed(
    problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any
) -> State:
    """The round; participants remember its local iterates, the others what they knew."""
    return _observed(problem, p, state, drawn, added(drawn), see)


def init_sampled(problem: Any, start: Array, random: Any, p: Mapping[str, Any]) -> State:
    """The same start, of minibatches."""
    return _remembering(problem, start, _of_batches(problem, start, random, p), p)


def _of_batches(problem: Any, start: Array, random: Any, p: Mapping[str, Any]) -> Array:
    """What gradients of minibatches at the start have more than those of all samples."""
    u, v = problem.blocks(start)
    point, batch = (problem.spread(u), v), random.samples(problem, p["K"], problem.batch)
    noise, gradients = sampled(problem, batch), problem.gradients(u, v)
    every = [noise(k, point, gradients)[0] for k in range(p["K"])]
    return problem.xp.stack(every, axis=2)


def init_batches(problem: Any, start: Array, random: Any, p: Mapping[str, Any]) -> State:
    """The same, and nothing is remembered."""
    return _begun(problem, start, _of_batches(problem, start, random, p))


def step_batches(problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any) -> State:
    """A round on minibatches."""
    after, _, shown = _round(problem, p, state, drawn, sampled(problem, drawn["batch"]))
    see(present=drawn["present"], **shown)
    return after


def step_sampled(problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any) -> State:
    """The round on minibatches."""
    return _observed(problem, p, state, drawn, sampled(problem, drawn["batch"]), see)


def _observed(
    problem: Any, p: Mapping[str, Any], state: State, drawn: State, noise: Noise, see: Any
) -> State:
    see(**_remembered(problem, state))
    after, reached, shown = _round(problem, p, state, drawn, noise)
    present, made = drawn["present"][:, :, None, None], (shown["uh"], shown["vh"], shown["xu"])
    for name, new in zip(("al", "be", "Wh"), made, strict=True):
        after[name] = state[name] + (new - state[name]) * present
    see(present=drawn["present"], **shown, **models(problem, shown, *reached))
    see(**analysed(problem, state, after), aj=shown["au"])
    return after


# ---- with the mean of that memory over local steps


def init_averaging(problem: Any, start: Array, random: Any, p: Mapping[str, Any]) -> State:
    """The same start."""
    state = init(problem, start, random, p)
    return {**state, "al": problem.spread(state["u"]), "be": state["v"]}


def step_averaging(
    problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any
) -> State:
    """The round; of their local iterates participants remember the means.

    Where gradients are affine, that by u at the mean is the mean of gradients.
    """
    after, _, shown = _round(problem, p, state, drawn, added(drawn))
    present = drawn["present"][:, :, None]
    for name, made in (("al", "uh"), ("be", "vh")):
        mean = problem.xp.sum(shown[made], axis=2) / shown[made].shape[2]
        after[name] = state[name] + (mean - state[name]) * present
    see(present=drawn["present"], **shown, **analysed(problem, state, after))
    see(eu=problem.gradients(state["al"], state["be"])[0])
    return after


def _remembered(problem: Any, state: State) -> Shown:
    """Gradients by u at the last participation; and by names of any client what one's own are."""
    al, be = state["al"], state["be"]
    past = [problem.gradients(al[:, :, k, ...], be[:, :, k, ...])[0] for k in range(al.shape[2])]
    eu = problem.xp.stack(past, axis=2)
    own = {"alj": al, "bej": be, "ej": eu, "Wj": state["Wh"]}
    return {"eu": eu, **own, "vj": state["v"]}


ROUNDS = Algorithm(init, draw, step, "Scaffold-P")
BATCHES = Algorithm(init_batches, draw_sampled, step_batches, "Scaffold-P on minibatches")
SETTLING = Algorithm(init_settling, draw, step_settling, "Scaffold-P, without what stays")
OBSERVED = Algorithm(
    init_remembering, draw, step_observed, "Scaffold-P, with what its analysis speaks of"
)
AVERAGING = Algorithm(
    init_averaging, draw, step_averaging, "Scaffold-P, with the mean of what is remembered"
)
SPLIT = Algorithm(
    init_remembering, draw_split, step_observed, "Scaffold-P, looked at in one local step"
)
SAMPLED = Algorithm(
    init_sampled,
    draw_sampled,
    step_sampled,
    "Scaffold-P on minibatches, with what its analysis speaks of",
)
