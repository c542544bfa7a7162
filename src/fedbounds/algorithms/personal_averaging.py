"""FedAvg-P: local steps on a shared and a personal block, and an average of both at the end.

Parameters: ``cohort``, how many clients take part or a list of cohorts; ``K`` local steps; step
sizes ``gamma_u``, ``gamma_v`` of these and ``eta_u``, ``eta_v`` of the average. With eta = 1 it is
FedSim, and `ALTERNATING` is FedAlt, of ``K_v`` steps on v and ``K_u`` on u; without personal
coordinates it is FedAvg. `OBSERVED` also shows what its analysis speaks of; `SPLIT` draws the noise
before local step ``k``, of it and after it apart. The gradients of `SAMPLED` are those of
minibatches; the others' have noise that is added.
"""

from collections.abc import Callable, Mapping
from typing import Any

from .traced import Algorithm, State

Array = Any
Shown = dict[str, Array]
Stepped = Callable[[int], tuple[Any, Any]]  # step sizes of a local step, by block
# what is added to a local step's gradients at (u, v), by block
Noise = Callable[[int, tuple[Array, Array], tuple[Array, Array]], tuple[Array, Array]]


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
    reached, shown = local(problem, state, added(drawn), constant(p), p["K"])
    see(present=drawn["present"], **shown)
    return average(problem, p, state, drawn, *reached)


def draw_split(random: Any, problem: Any, p: Mapping[str, Any]) -> State:
    """The same, in calls of their own before step k, at it, and after it."""
    xp, at = problem.xp, p["k"]
    present, weight = random.cohort(problem.clients, p["cohort"])
    counts = [count for count in (at, 1, p["K"] - at - 1) if count]
    xi_u = xp.concat([random.noise(problem, count) for count in counts], axis=2)
    xi_v = xp.concat([random.personal_noise(problem, count) for count in counts], axis=2)
    found = {"present": present, "weight": weight, "xi_u": xi_u, "xi_v": xi_v}
    for block, noise in (("u", xi_u), ("v", xi_v)):
        found[f"old_{block}"] = noise[:, :, :at, ...]
        found[f"new_{block}"] = noise[:, :, at : at + 1, ...]
        found[f"rest_{block}"] = noise[:, :, at + 1 :, ...]
    return found


def step_observed(
    problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any
) -> State:
    """A round, with all that its analysis speaks of."""
    return _observed(problem, p, state, drawn, added(drawn), see)


def _observed(
    problem: Any, p: Mapping[str, Any], state: State, drawn: State, noise: Noise, see: Any
) -> State:
    reached, shown = local(problem, state, noise, constant(p), p["K"])
    after = average(problem, p, state, drawn, *reached)
    see(present=drawn["present"], **shown, **models(problem, shown, *reached))
    see(**analysed(problem, state, after))
    return after


def draw_sampled(random: Any, problem: Any, p: Mapping[str, Any]) -> State:
    """Who takes part, with which weight, and a minibatch of every client and local step."""
    present, weight = random.cohort(problem.clients, p["cohort"])
    batch = random.samples(problem, p["K"], problem.batch)
    return {"present": present, "weight": weight, "batch": batch}


def step_batches(problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any) -> State:
    """A round on minibatches."""
    noise = sampled(problem, drawn["batch"])
    reached, shown = local(problem, state, noise, constant(p), p["K"])
    see(present=drawn["present"], **shown)
    return average(problem, p, state, drawn, *reached)


def step_sampled(problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any) -> State:
    """A round on minibatches, with all that its analysis speaks of."""
    return _observed(problem, p, state, drawn, sampled(problem, drawn["batch"]), see)


def models(problem: Any, shown: Shown, u: Array, v: Array) -> Shown:
    """The local models from step 0 to step K, and those after every step."""
    last = {"uh": u, "vh": v}
    um, vm = (problem.xp.concat([shown[x], y[:, :, None, ...]], axis=2) for x, y in last.items())
    return {"um": um, "vm": vm, "up": um[:, :, 1:, ...], "vp": vm[:, :, 1:, ...]}


def analysed(problem: Any, state: State, after: State) -> Shown:
    """Gradients by u after the round, and at the new v alone; values before, between, after."""
    u, v = state["u"], state["v"]
    value = problem.value(u, v)
    return {
        "nu": problem.gradients(after["u"], after["v"])[0],
        "wu": problem.gradients(u, after["v"])[0],
        "value00": value,
        "value01": problem.value(u, after["v"]),
        "value11": problem.value(after["u"], after["v"]),
        "one": value[:, 0] * 0 + 1,
    }


def constant(p: Mapping[str, Any]) -> Stepped:
    """The same step sizes in every local step."""
    return lambda k: (p["gamma_u"], p["gamma_v"])


def added(drawn: State) -> Noise:
    """Noise that does not depend on where gradients are taken."""
    return lambda k, point, gradients: (drawn["xi_u"][:, :, k, :], drawn["xi_v"][:, :, k, :])


def sampled(problem: Any, batch: Array) -> Noise:
    """What gradients of minibatches, shape (rows, n, K, n_s), have more than those of all."""

    def noise(
        k: int, point: tuple[Array, Array], gradients: tuple[Array, Array]
    ) -> tuple[Array, Array]:
        own = problem.sampled_gradients(*point, batch[:, :, k, :])
        return own[0] - gradients[0], own[1] - gradients[1]

    return noise


def local(
    problem: Any,
    state: State,
    noise: Noise,
    sizes: Stepped,
    steps: int,
    correction: Array | int = 0,
) -> tuple[tuple[Array, Array], Shown]:
    """What every client reaches, and the vectors of its local steps.

    Parameters
    ----------
    noise : function
        See `added` and `sampled`.
    correction : array, shape (rows, n, d), or 0
        Added to the gradients by u.
    """
    xp, u, v = problem.xp, problem.spread(state["u"]), state["v"]
    points: list[tuple[Array, ...]] = []
    for k in range(steps):
        hu, hv = problem.gradients(u, v)
        xu, xv = noise(k, (u, v), (hu, hv))
        points.append((u, v, hu, hv, xu, xv))
        one, other = sizes(k)
        u = u - (hu + xu + correction) * one
        v = v - (hv + xv) * other  # at the u before the step
    each = zip(("uh", "vh", "hu", "hv", "xu", "xv"), zip(*points, strict=True), strict=True)
    shown = {name: xp.stack(list(arrays), axis=2) for name, arrays in each}
    return (u, v), {**shown, "au": points[0][2], "av": points[0][3]}


def average(
    problem: Any, p: Mapping[str, Any], state: State, drawn: State, u: Array, v: Array
) -> State:
    """u <- (1 - eta_u) u + eta_u (mean of the participants'); their v_i <- likewise, alone."""
    xp = problem.xp
    mean = xp.sum(u * drawn["weight"][:, :, None], axis=1)
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

    reached, shown = local(problem, state, added(drawn), sizes, p["K_v"] + p["K_u"])
    see(present=drawn["present"], **shown)
    return average(problem, {"eta_u": 1, "eta_v": 1}, state, drawn, *reached)


ROUNDS = Algorithm(init, draw, step, "FedAvg-P")
OBSERVED = Algorithm(init, draw, step_observed, "FedAvg-P, with what its analysis speaks of")
BATCHES = Algorithm(init, draw_sampled, step_batches, "FedAvg-P on minibatches")
SPLIT = Algorithm(init, draw_split, step_observed, "FedAvg-P, looked at in one local step")
SAMPLED = Algorithm(
    init, draw_sampled, step_sampled, "FedAvg-P on minibatches, with what its analysis speaks of"
)
ALTERNATING = Algorithm(init, draw_alternating, alternate, "FedAlt")
