"""FedPLT: every client trains a fixed subset of the coordinates; the problem is fully shared.

All clients take part, client k with the share c_k = n_k / sum_j n_j. The server divides each
coordinate's weighted sum by the weight of those who train it.

Parameters: ``masks`` (n, d) of 0 and 1, ``weights`` (n,), ``tau`` local steps, the step size
``eta``; or ``steps``, one for every round. Three algorithms are looked at: `ROUNDS`; `LOCAL_STEPS`,
which aggregates virtually after each; and `ONE_STEP`, from ``models`` (n, d) that are given.
"""

from collections.abc import Callable, Mapping
from typing import Any

import array_api_compat

from .traced import Algorithm, State

Array = Any
Shown = dict[str, Array]


# ---- the parts


def shares(weights: Array) -> Array:
    """c_k = n_k / sum_j n_j."""
    return weights / array_api_compat.array_namespace(weights).sum(weights)


def held(trained: Array, c: Array) -> Array:
    """sum_k c_k m_k, shape (d,)."""
    xp = array_api_compat.array_namespace(c)
    return xp.sum(xp.where(trained, c[:, None], c[:, None] * 0), axis=0)


def compensation(trained: Array, c: Array) -> Array:
    """psi_i = 1 / sum_k c_k (m_k)_i; 1 where nobody trains i, which changes no iterate."""
    return _inverse(held(trained, c))


def _inverse(weight: Array) -> Array:
    xp = array_api_compat.array_namespace(weight)
    return 1 / xp.where(weight > 0, weight, weight * 0 + 1)


def local(
    noisy: Callable[[int, Array], Array], trained: Array, eta: Any, steps: int, models: Array
) -> Array:
    """W_k <- W_k - eta (m_k o g), so many times; ``noisy`` gives g of a step at models."""
    xp = array_api_compat.array_namespace(models)
    for s in range(steps):
        models = xp.where(trained, models - noisy(s, models) * eta, models)
    return models


def server(W: Array, updates: Array, trained: Array, c: Array) -> Array:
    """W <- W + psi o sum_k c_k (m_k o U_k), U of shape (rows, n, d)."""
    xp = array_api_compat.array_namespace(W)
    sent = xp.where(trained, updates, updates * 0)
    return W + xp.sum(sent * c[:, None], axis=1) * compensation(trained, c)


# ---- rounds


def init(problem: Any, start: Array) -> State:
    """W^0."""
    return {"x": start}


def draw(random: Any, problem: Any, p: Mapping[str, Any]) -> State:
    """Noise of every client and local step."""
    return {"noise": random.noise(problem, p["tau"])}


def step(problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any) -> State:
    """A round: `local` steps of every client, then the `server`."""
    after, shown = _round(problem, p, state["x"], drawn["noise"])
    see(**shown)
    return {"x": after}


def _round(
    problem: Any, p: Mapping[str, Any], W: Array, noise: Array, done: int | None = None
) -> tuple[Array, Shown]:
    """W^{t+1} and the vectors of a round, or of its first local steps."""
    xp, trained, c, eta = problem.xp, p["masks"] > 0, shares(p["weights"]), _step_size(p)
    points, gradients = [], []

    def noisy(s: int, models: Array) -> Array:
        points.append(models)
        gradients.append(problem.gradient(models))
        return gradients[-1] + noise[:, :, s, ...]

    count = p["tau"] if done is None else done
    Wk = local(noisy, trained, eta, count, problem.spread(W))
    Ws, gs, ns = xp.stack(points, axis=2), xp.stack(gradients, axis=2), noise[:, :, :count, ...]
    U, Ub = xp.sum(gs + ns, axis=2) * -eta, xp.sum(gs, axis=2) * -eta
    Wn = server(W, U, trained, c)
    wide = xp.stack([problem.wide_gradient(models, c) for models in points], axis=2)
    shown = {
        **{"Wn": Wn, "Ws": Ws, "gs": gs, "ns": ns, "Gs": wide},
        **{"U": U, "Ub": Ub, "D": Wn - W, "Db": server(W, Ub, trained, c) - W},
        "pace": W[:, 0] * 0 + eta,
    }
    return Wn, shown | _at(problem, p, W, Wk, c)


def _step_size(p: Mapping[str, Any]) -> Any:
    """eta^t; of the round after the last one only the start is looked at."""
    return p["steps"][min(int(p["t"]), len(p["steps"]) - 1)] if "steps" in p else p["eta"]


# ---- what the analysis takes for a round


def draw_with_step(random: Any, problem: Any, p: Mapping[str, Any]) -> State:
    """Noise of a round, and of the one step that the analysis takes after it."""
    return draw(random, problem, p) | {"fresh": random.noise(problem, 1)}


def step_and_analysed(
    problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any
) -> State:
    """A round; W1 is where one step from W^t with new gradients at W_k^{t,tau} leads."""
    after, shown = _round(problem, p, state["x"], drawn["noise"])
    noise, trained, c = drawn["fresh"][:, :, 0, ...], p["masks"] > 0, shares(p["weights"])
    W1 = server(state["x"], (shown["g"] + noise) * -_step_size(p), trained, c)
    see(noise=noise, W1=W1, **shown)
    return {"x": after}


def step_unsent(problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any) -> State:
    """A round, seen after ``j`` local steps: W0 was sent out, W is their virtual aggregate."""
    after, _ = _round(problem, p, state["x"], drawn["noise"])
    W, shown = _round(problem, p, state["x"], drawn["noise"], int(p["j"]))
    see(W0=state["x"], **{**shown, "W": W})
    return {"x": after}


# ---- one step, from models of the clients


def init_models(problem: Any, start: Array) -> State:
    """W^0, which every client has."""
    return {"x": start, "models": problem.spread(start)}


def draw_step(random: Any, problem: Any, p: Mapping[str, Any]) -> State:
    """Noise of every client in one local step."""
    return {"noise": random.noise(problem, 1)}


def draw_free(random: Any, problem: Any, p: Mapping[str, Any]) -> State:
    """The same; or, where ``common`` is 1, one noise of +-scale for all clients."""
    if not p["common"]:
        return draw_step(random, problem, p)
    one = random.signs(1, 1, problem.dimension) * problem.noise_scale
    return {"noise": problem.xp.concat([one] * problem.clients, axis=1)}


def local_step(problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any) -> State:
    """A local step, aggregated virtually; where tau divides t + 1, every client gets W^{t+1}."""
    after, models, shown = _step(problem, p, state["x"], state["models"], drawn["noise"])
    see(**shown)
    sent = (int(p["t"]) + 1) % int(p["tau"]) == 0
    return {"x": after, "models": problem.spread(after) if sent else models}


def free_step(problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any) -> State:
    """One step from W and from models W_k that are given."""
    models = state["x"][:, None, :] * 0 + p["models"]
    after, _, shown = _step(problem, p, state["x"], models, drawn["noise"])
    see(**shown)
    return {"x": after}


def _step(
    problem: Any, p: Mapping[str, Any], W: Array, Wk: Array, noise: Array
) -> tuple[Array, Array, Shown]:
    """W^{t+1}, W_k^{t+1} and the vectors of a step."""
    trained, c, eta = p["masks"] > 0, shares(p["weights"]), p["eta"]
    noise, g = noise[:, :, 0, ...], problem.gradient(Wk)
    models = local(lambda s, models: g + noise, trained, eta, 1, Wk)
    U, Ub = (g + noise) * -eta, g * -eta
    Wn = server(W, U, trained, c)
    shown = {
        **{"Wn": Wn, "noise": noise, "U": U, "Ub": Ub},
        **{"D": Wn - W, "Db": server(W, Ub, trained, c) - W},
    }
    return Wn, models, shown | _at(problem, p, W, Wk, c)


def _at(problem: Any, p: Mapping[str, Any], W: Array, Wk: Array, c: Array) -> Shown:
    """Gradients, gaps and factors at W^t and W_k^t, a row each."""
    xp, trained = problem.xp, p["masks"] > 0
    best, lowest = problem.best(c), problem.lowest
    Wstar = W * 0 + best
    at_best = problem.value(Wstar) - lowest
    # F* - F_k*, F* = sum_k c_k F_k(W*)
    gap = xp.sum((at_best + lowest) * c, axis=1)[:, None] - lowest
    masks, weight = p["masks"], held(trained, c)
    constant = {
        "one": xp.sum(c),
        "ones": best * 0 + 1,
        "corner": xp.concat([best[:1] * 0 + 1, best[1:] * 0], axis=0),
        "held": weight,
        "psi": _inverse(weight)[xp.any(trained, axis=0)],
        "mask": masks,
        "comp": _inverse(weight),
        "share": c,
        "apart": 1 / c,
        # min(1, sqrt(||m_k||_0)), a whole number, unless alpha_k is chosen
        "attenuate": p["attenuation"] if "attenuation" in p else xp.max(masks, axis=1),
    }
    return {
        **{name: xp.stack([xp.asarray(x)] * W.shape[0], axis=0) for name, x in constant.items()},
        **{"W": W, "Wk": Wk, "Wstar": Wstar, "gap": gap},
        **{"g": problem.gradient(Wk), "g0": problem.gradient(W)},
        **{"Gk": problem.wide_gradient(Wk, c), "G0": problem.wide_gradient(W, c)},
        **{"Ek": problem.value(Wk) - lowest, "E0": problem.value(W) - lowest, "Es": at_best},
    }


ROUNDS = Algorithm(init, draw, step, "FedPLT")
WITH_STEP = Algorithm(init, draw_with_step, step_and_analysed, "FedPLT, and the analysis's step")
UNSENT = Algorithm(init, draw, step_unsent, "FedPLT between two rounds")
LOCAL_STEPS = Algorithm(init_models, draw_step, local_step, "FedPLT, local steps")
ONE_STEP = Algorithm(init, draw_free, free_step, "FedPLT, one step")
