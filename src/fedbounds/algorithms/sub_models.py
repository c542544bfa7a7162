"""Sub-model training: a client trains the coordinates of its mask; the problem is fully shared.

All clients take part. Client i gets m_i o w and takes K local steps on it; the server fills in its
own values and averages, over all clients or over those that hold a coordinate.

Parameters: ``K`` local steps of size ``eta``. `RANDOM` draws a mask of every client in each round,
coordinates independent, kept with the probabilities ``keep`` (n,). `STATIC` and `OVER_HOLDERS` have
``masks`` (n, d) of 0 and 1. Where a run has a ``box`` (2,), the server projects onto it.
"""

from collections.abc import Callable, Mapping
from itertools import product
from typing import Any

from .traced import Algorithm, State

Array = Any
Noisy = Callable[[int, Array], Array]


# ---- the parts


def local(noisy: Noisy, masks: Array, eta: Any, steps: int, models: Array) -> list[Array]:
    """w_i^0 = m_i o w, then w_i <- w_i - eta m_i o g_i(w_i): all that a client has, in order."""
    every = [masks * models]
    for k in range(steps):
        every.append(every[-1] - masks * noisy(k, every[-1]) * eta)
    return every


def filled(masks: Array, own: Array, models: Array) -> Array:
    """m_i o w_i + (1 - m_i) o w."""
    return masks * own + (1 - masks) * models


def clients_mean(w: Array, masks: Array, models: Array, xp: Any) -> Array:
    """The mean over all clients; as a move from w, so that what nobody trains stays in floats."""
    return w + xp.sum(models - w[:, None, :], axis=1) / models.shape[1]


def holders_mean(w: Array, masks: Array, models: Array, xp: Any) -> Array:
    """Coordinate by coordinate the mean over the clients that hold it."""
    held = xp.sum(masks, axis=-2)
    return w + xp.sum(models - w[:, None, :], axis=1) / xp.where(held > 0, held, held * 0 + 1)


def projected(problem: Any, p: Mapping[str, Any], w: Array) -> Array:
    """P(w), where there is a box."""
    return problem.project(w, p["box"]) if "box" in p else w


def server(
    problem: Any,
    p: Mapping[str, Any],
    w: Array,
    masks: Array,
    own: Array,
    mean: Callable[..., Array] = clients_mean,
) -> Array:
    """The projected mean of the clients' models, filled in."""
    return projected(problem, p, mean(w, masks, filled(masks, own, problem.spread(w)), problem.xp))


# ---- rounds


def init(problem: Any, start: Array) -> State:
    """w^0."""
    return {"x": start}


def draw(random: Any, problem: Any, p: Mapping[str, Any]) -> State:
    """A mask of every client, and noise of every client and local step."""
    masks = [random.bernoulli(keep, problem.dimension) for keep in p["keep"]]
    return {"masks": problem.xp.stack(masks, axis=1), **draw_noise(random, problem, p)}


def draw_noise(random: Any, problem: Any, p: Mapping[str, Any]) -> State:
    """Noise alone."""
    return {"noise": random.noise(problem, p["K"])}


def step(problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any) -> State:
    """A round, and what the analysis of random masks speaks of."""
    after, shown = _round(problem, p, state["x"], drawn["masks"], drawn["noise"])
    see(**shown)
    return {"x": after}


def step_ends(problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any) -> State:
    """A round, and what where it starts shows of F and F_p."""
    x, masks = state["x"], drawn["masks"]
    own = local(noisy(problem, drawn["noise"]), masks, p["eta"], p["K"], problem.spread(x))
    xo, xs = x * 0 + best(problem.masked(p["keep"]), p), x * 0 + best(problem, p)
    see(
        **{"x": x, "xo": xo, "one": x[:, 0] * 0 + 1, "ones": x * 0 + 1},
        **{"hx": masks * problem.gradient(masks * problem.spread(x))},
        **{"ho": masks * problem.gradient(masks * problem.spread(xo)), "go": problem.gradient(xo)},
        **{"Vx": problem.value(x), "Vo": problem.value(xo), "Vs": problem.value(xs)},
        keep=problem.xp.stack([p["keep"]] * x.shape[0], axis=0),
    )
    return {"x": server(problem, p, x, masks, own[-1], clients_mean)}


def step_beside_full(
    problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any
) -> State:
    """The same, with F beside F_p."""
    after, shown = _round(problem, p, state["x"], drawn["masks"], drawn["noise"])
    see(**shown, **full_of(problem, p, state["x"], shown["xo"], problem.masked(p["keep"])))
    return {"x": after}


def step_in_box(problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any) -> State:
    """The same, with the corners of the box and of its masked images."""
    after, shown = _round(problem, p, state["x"], drawn["masks"], drawn["noise"])
    x = state["x"]
    see(**shown, **full_of(problem, p, x, shown["xo"], problem.masked(p["keep"])))
    see(**box_of(problem, p, x), **spreads(problem, p, x))
    return {"x": after}


def step_gaps(problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any) -> State:
    """A round, and at its start and at w*(p) how far F_i(p_i, .) and f_i are apart.

    ``bounds`` (n,) are bounds b_i of that; ``unit`` is the gap over b_i, 0 where b_i is 0.
    """
    x, masks, n = state["x"], drawn["masks"], problem.clients
    after, shown = _round(problem, p, x, masks, drawn["noise"])
    one = shown["one"]
    see(x=x, one=one, keep=shown["keep"], **box_of(problem, p, x), **spreads(problem, p, x))
    see(p_bar=one * sum(p["keep"]) / n, s_bar=one * sum(p["spread"]) / n)
    for end, at in (("", x), ("_o", shown["xo"])):
        see(**gaps_of(problem, p, problem.masked(p["keep"]), at, end))
        drawn_here = masks * problem.gradient(masks * problem.spread(at))
        see(**{f"mean{end}": problem.xp.sum(drawn_here, axis=1) / n})
    return {"x": after}


def gaps_of(problem: Any, p: Mapping[str, Any], masked: Any, at: Array, end: str) -> State:
    """How far gradients of masked clients are from their own, over bounds and as a mean."""
    own, full, bounds = problem.gradient(at), problem.full_gradient(at), p["bounds"]
    positive = problem.xp.where(bounds > 0, bounds, bounds * 0 + 1)[:, None]
    return {
        **{f"unit{end}": (masked.gradient(at) - own) / positive},
        **{f"moved{end}": masked.full_gradient(at) - full, f"full{end}": full},
    }


def step_static(problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any) -> State:
    """A round of fixed masks."""
    return _fixed(problem, p, state["x"], drawn["noise"], see, clients_mean)


def step_over_holders(
    problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any
) -> State:
    """A round of fixed masks; what a client does not hold has no part in the mean."""
    return _fixed(problem, p, state["x"], drawn["noise"], see, holders_mean)


def _fixed(
    problem: Any, p: Mapping[str, Any], x: Array, noise: Array, see: Any, mean: Callable[..., Array]
) -> State:
    masks, models = p["masks"], problem.spread(x)
    own = local(noisy(problem, noise), masks, p["eta"], p["K"], models)
    after = server(problem, p, x, masks, own[-1], mean)
    see(w_k=problem.xp.stack(own, axis=2), xn=after)
    return {"x": after}


def noisy(problem: Any, noise: Array) -> Noisy:
    """Gradients with the noise of a client, of every local step."""
    return lambda k, models: problem.gradient(models) + noise[:, :, k, ...]


def _round(
    problem: Any, p: Mapping[str, Any], x: Array, masks: Array, noise: Array
) -> tuple[Array, State]:
    """w^{t+1}, and the vectors of a round."""
    xp, eta, steps, models = problem.xp, p["eta"], p["K"], problem.spread(x)
    own = local(noisy(problem, noise), masks, eta, steps, models)
    back = filled(masks, own[-1], models)
    after = server(problem, p, x, masks, own[-1])
    ys, exact, sent = virtual_steps(problem, masks, noise, eta, steps, models)
    sgd, plain = _full_models(problem, noise, eta, steps, models)
    hx = masks * problem.gradient(masks * models)
    virtual = projected(problem, p, clients_mean(x, masks, ys[-1], xp))
    every = xp.stack(ys, axis=2)
    shown = {
        **{"x": x, "xn": after, "wf": clients_mean(x, masks, back, xp), "hx": hx},
        **{"y": every[:, :, :-1, ...], "hy": exact, "nz": sent - exact},
        **_before(exact - hx[:, :, None, ...], sent - exact, hx, xp),
        **{"w_k": xp.stack(own, axis=2), "my_k": masks[:, :, None, ...] * every},
        **{"cy_k": (1 - masks)[:, :, None, ...] * every, "cx": (1 - masks) * models},
        **{"server": after, "virtual": virtual, "back": back, "y_K": ys[-1]},
        **{"sgd": projected(problem, p, clients_mean(x, masks, sgd, xp))},
        **{"sgd_step": plain, "masked_step": sent},
    }
    return after, shown | _objective(problem, p, x, masks, shown)


def virtual_steps(
    problem: Any, masks: Array, noise: Array, eta: Any, steps: int, models: Array
) -> tuple[list[Array], Array, Array]:
    """y_i^0, ..., y_i^K; masked gradients at y_i^k, and those with noise."""
    ys, exact, sent = [models], [], []
    for k in range(steps):
        exact.append(masks * problem.gradient(masks * ys[-1]))
        sent.append(exact[-1] + masks * noise[:, :, k, ...])
        ys.append(ys[-1] - sent[-1] * eta)
    return ys, problem.xp.stack(exact, axis=2), problem.xp.stack(sent, axis=2)


def _full_models(
    problem: Any, noise: Array, eta: Any, steps: int, models: Array
) -> tuple[Array, Array]:
    """Local SGD on the same samples: the last models and the steps."""
    gradients = []
    for k in range(steps):
        gradients.append(problem.gradient(models) + noise[:, :, k, ...])
        models = models - gradients[-1] * eta
    return models, problem.xp.stack(gradients, axis=2)


def _before(moved: Array, noise: Array, hx: Array, xp: Any) -> State:
    """Sums over the local steps before each."""
    sums = {"Pd": [hx * 0], "Pn": [hx * 0], "Ph": [hx * 0]}
    for k in range(moved.shape[2] - 1):
        for name, own in (("Pd", moved[:, :, k, ...]), ("Pn", noise[:, :, k, ...]), ("Ph", hx)):
            sums[name].append(sums[name][-1] + own)
    return {name: xp.stack(every, axis=2) for name, every in sums.items()}


# ---- the objectives of the clients and of the masks


def _objective(problem: Any, p: Mapping[str, Any], x: Array, masks: Array, shown: State) -> State:
    """F_p and its minimiser; values of the clients at masked points, and of F_p."""
    xp, masked = problem.xp, problem.masked(p["keep"])
    xo = x * 0 + best(masked, p)
    update = xp.sum(shown["hy"] + shown["nz"], axis=(1, 2)) / problem.clients
    y = shown["y"]
    values = [problem.value(masks * y[:, :, k, ...]) for k in range(y.shape[2])]
    return {
        **{"xo": xo, "ho": masks * problem.gradient(masks * problem.spread(xo))},
        "Um": update - masked.full_gradient(xo) * p["K"],
        **{"Fx": values[0], "Fy": xp.stack(values, axis=2)},
        **{"Fo": problem.value(masks * problem.spread(xo)), "Fn": masked.value(shown["xn"])},
        **{"Mx": masked.value(x), "Mo": masked.value(xo), "gm": masked.gradient(x)},
        "keep": xp.stack([p["keep"]] * x.shape[0], axis=0),
        "one": x[:, 0] * 0 + 1,
    }


def best(problem: Any, p: Mapping[str, Any]) -> Array:
    """The minimiser of the mean over clients, in the box where there is one."""
    equal = problem.xp.asarray([1 / problem.clients] * problem.clients)
    return problem.best(equal, p["box"]) if "box" in p else problem.best(equal)


def full_of(problem: Any, p: Mapping[str, Any], x: Array, xo: Array, masked: Any) -> State:
    """F, its minimiser, and one projected step of F_p."""
    xs = x * 0 + best(problem, p)
    slope = masked.full_gradient(x)
    hat = projected(problem, p, x - slope / problem.smoothness)
    return {
        **{"gx": problem.gradient(x), "go": problem.gradient(xo)},
        **{"Vx": problem.value(x), "Vs": problem.value(xs), "Vh": problem.value(hat)},
    }


def box_of(problem: Any, p: Mapping[str, Any], x: Array) -> State:
    """Its ends, and gradients at the corners of every m o W, where they are longest."""
    xp, ends = problem.xp, {"low": x * 0 + p["box"][0], "high": x * 0 + p["box"][1]}
    low, high = ends["low"][0, ...], ends["high"][0, ...]
    sides = [(low[j], high[j], low[j] * 0) for j in range(problem.dimension)]
    corners = xp.stack([xp.stack(at, axis=0) for at in product(*sides)])
    every = xp.permute_dims(problem.gradient(corners), (1, 0, 2))[None, ...]
    # convex functions are largest at corners
    return {**ends, "gc": xp.concat([every] * x.shape[0], axis=0)}


def spreads(problem: Any, p: Mapping[str, Any], x: Array) -> State:
    """What is at least sqrt(p_i (1 - p_i)) of every client."""
    return {"spread": problem.xp.stack([p["spread"]] * x.shape[0], axis=0)}


RANDOM = Algorithm(init, draw, step, "random masks")
BESIDE_FULL = Algorithm(init, draw, step_beside_full, "random masks, beside full models")
ENDS = Algorithm(init, draw, step_ends, "random masks, where rounds start")
IN_BOX = Algorithm(init, draw, step_in_box, "random masks in a box")
GAPS = Algorithm(init, draw, step_gaps, "random masks, gaps of gradients")
STATIC = Algorithm(init, draw_noise, step_static, "static masks")
OVER_HOLDERS = Algorithm(init, draw_noise, step_over_holders, "static masks, a mean over holders")
