"""Sparse zeroth-order descent: clients follow two-point estimates on the coordinates of a mask.

A direction z is Gaussian on the coordinates that the mask keeps, and 0 elsewhere. Two values of the
same stochastic objective, at w + eps z and w - eps z, give the scalar g = (difference)/(2 eps), and
the estimate of the gradient is g z.

Parameters: ``mask`` (d,) of 0 and 1, the step size ``eta``, ``epsilon``, and ``K`` local steps per
round. Directions come from seeds that the server sends to all clients: they are the same for all,
unless ``own`` is 1. With ``slopes`` it is the limit of small eps that is looked at: g is the
slope along z.

Four algorithms are looked at: `ROUNDS`, after whose local steps the server averages; `PLAIN`, the
same where no minimiser is known; `STOPPED`,
in which the clients of ``stopped`` (n,) take one local step a round and the others K; and
`LOCAL_STEPS`, which never sends: its rounds are local steps. `WHOLE` and `STOPPED_WHOLE` are the
first two with the draws of all local steps at once, where these are few.
"""

from collections.abc import Callable, Mapping
from typing import Any

from .traced import Algorithm, State

Array = Any
Shown = dict[str, Array]


# ---- the parts


def directions(random: Any, problem: Any, p: Mapping[str, Any], steps: int) -> Array:
    """Of every client and local step, shape (rows, 1 or n, steps, d): Gaussian where kept."""
    problem.check_perturbation(p["epsilon"])
    xp, kept = problem.xp, problem.kept(p["mask"])
    clients = problem.clients if p["own"] else 1
    drawn = random.normal(clients, steps, sum(kept))
    if all(kept):
        return drawn
    places = iter(range(sum(kept)))
    silent = drawn[..., 0] * 0
    return xp.stack([drawn[..., next(places)] if one else silent for one in kept], axis=-1)


def estimate(
    problem: Any, p: Mapping[str, Any], models: Array, direction: Array, noise: Array
) -> tuple[Array, Array]:
    """The scalar g, shape (rows, n), and g z, of models (rows, n, d); noise is of gradients."""
    if "slopes" in p:
        g = inner(problem.xp, problem.gradient(models) + noise, direction)
    else:
        g = difference(problem, p, models, direction, noise)
    return g, g[:, :, None] * direction


def difference(
    problem: Any, p: Mapping[str, Any], models: Array, direction: Array, noise: Array, back: int = 1
) -> Array:
    """g: values at w + eps z and at w - ``back`` eps z, over 2 eps.

    A stochastic objective is f plus noise times the model, so that its gradient has that noise:
    the difference of its values is that of f and (1 + ``back``) eps <noise, z>.
    """
    away = direction * p["epsilon"]
    apart = problem.value(models + away) - problem.value(models - back * away)
    noisy = inner(problem.xp, noise, direction) * (1 + back)
    return apart / (2 * p["epsilon"]) + noisy / 2


def inner(xp: Any, a: Array, b: Array) -> Array:
    """<a, b> of every client, shape (rows, n); in memory client by client, as models are."""
    one, other = (xp.permute_dims(x, (1, 0, 2)) for x in (a, b))
    found = xp.matmul(one[:, :, None, :], other[:, :, :, None])
    return xp.permute_dims(found[:, :, 0, 0], (1, 0))


# ---- rounds


def init(problem: Any, start: Array) -> State:
    """w^0."""
    return {"x": start}


def draw(random: Any, problem: Any, p: Mapping[str, Any]) -> State:
    """Directions and noise of every local step."""
    steps = p["K"]
    return {
        "z": directions(random, problem, p, steps),
        "noise": random.noise(problem, steps),
    }


def step(problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any) -> State:
    """K local steps of every client, and the mean of what they reach."""
    see(**at_best(problem, state["x"]))
    return {"x": averaged(problem, p, state["x"], drawn, see, see.carry)}


def step_plain(problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any) -> State:
    """The same; shows values and gradients alone."""

    def see_alone(**shown: Array) -> None:
        see(**{name: shown[name] for name in ("values", "one", "g0", "gs") if name in shown})

    return {"x": averaged(problem, p, state["x"], drawn, see_alone, as_it_is)}


def step_whole(problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any) -> State:
    """The same."""
    see(**at_best(problem, state["x"]))
    return {"x": averaged(problem, p, state["x"], drawn, see, as_it_is)}


def step_stopped(problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any) -> State:
    """K local steps of the clients that are not stopped, one of the others; the mean of all."""
    return _some_stopped(problem, p, state, drawn, see, see.carry)


def step_stopped_whole(
    problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any
) -> State:
    """The same."""
    return _some_stopped(problem, p, state, drawn, see, as_it_is)


def _some_stopped(
    problem: Any,
    p: Mapping[str, Any],
    state: State,
    drawn: State,
    see: Any,
    carry: Callable[[Array], Array],
) -> State:
    see(**at_best(problem, state["x"]))
    kept = problem.xp.stack([1 - p["stopped"]] * state["x"].shape[0], axis=0)
    return {"x": averaged(problem, p, state["x"], drawn, see, carry, kept)}


def as_it_is(y: Array) -> Array:
    """Carries nothing: the draws of all local steps are taken at once."""
    return y


def averaged(
    problem: Any,
    p: Mapping[str, Any],
    x: Array,
    drawn: State,
    see: Any,
    carry: Callable[[Array], Array],
    kept: Array | None = None,
) -> Array:
    """The mean of what clients reach; those that are not ``kept``, (rows, n), make one step."""
    xp, y, points = problem.xp, problem.spread(x), []
    for s in range(p["K"]):
        noise, z = drawn["noise"][:, :, s, ...], drawn["z"][:, :, s, ...]
        _, estimated = estimate(problem, p, y, y * 0 + z, noise)
        points.append((y, problem.gradient(y), estimated, y * 0 + noise, y * 0 + z))
        move = estimated * p["eta"]
        y = y - (move if kept is None or s == 0 else move * kept[:, :, None])
        if s + 1 < p["K"]:
            y = carry(y)
    after = xp.sum(y, axis=1) / problem.clients
    ys, gs, estimates, ns, zs = (xp.stack(list(own), axis=2) for own in zip(*points, strict=True))
    *_, first, first_noise, first_direction = points[0]
    see(ys=ys, gs=gs, ests=estimates, ns=ns, first=first, reached=y, w_next=after)
    see(dirs_s=zs, n0=first_noise, dirs0=first_direction)
    see(w=x, g0=problem.gradient(x), values=problem.value(x), **_constants(problem, p, x))
    if kept is not None:
        see(kept=kept, taken=xp.stack([kept * 0 + 1, *[kept] * (p["K"] - 1)], axis=2))
    return after


def at_best(problem: Any, x: Array) -> Shown:
    """The minimisers, and values there."""
    star, best = x * 0 + problem.nearest_best, problem.spread(x) * 0 + problem.bests
    return {
        **{"w_star": star, "at_star": problem.value(star)},
        **{"best": best, "lows": problem.value(best)},
    }


def _constants(problem: Any, p: Mapping[str, Any], x: Array) -> Shown:
    """The mask and what it leaves, which are factors; the vector of ones, and the number 1."""
    rows = x.shape[0]
    xp, mask = problem.xp, p["mask"]
    return {
        "mask": xp.stack([mask] * rows, axis=0),
        "rest": xp.stack([1 - mask] * rows, axis=0),
        "ones": xp.stack([mask * 0 + 1] * rows, axis=0),
        "one": x[:, 0] * 0 + 1,
    }


# ---- local steps, seen one by one


def init_models(problem: Any, start: Array) -> State:
    """w^0, which every client has."""
    return {"x": start, "y": problem.spread(start)}


def draw_one(random: Any, problem: Any, p: Mapping[str, Any]) -> State:
    """A direction and noise of every client."""
    return {"z": directions(random, problem, p, 1), "noise": random.noise(problem, 1)}


def local_step(problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any) -> State:
    """One local step of every client, from its own model."""
    y, noise, z = state["y"], drawn["noise"][:, :, 0, ...], drawn["z"][:, :, 0, ...]
    dirs = y * 0 + z
    _, estimated = estimate(problem, p, y, dirs, noise)
    after = y - estimated * p["eta"]
    see(dirs=dirs, y=y, g=problem.gradient(y), noise=noise, est=estimated, after=after)
    see(
        gap=problem.value(y) - problem.value(y * 0 + problem.bests),
        **_constants(problem, p, state["x"]),
    )
    return {"x": state["x"], "y": after}


ROUNDS = Algorithm(init, draw, step, "Meerkat")
WHOLE = Algorithm(init, draw, step_whole, "Meerkat, few local steps")
PLAIN = Algorithm(init, draw, step_plain, "Meerkat, values and gradients")
STOPPED = Algorithm(init, draw, step_stopped, "Meerkat-vp")
STOPPED_WHOLE = Algorithm(init, draw, step_stopped_whole, "Meerkat-vp, few local steps")
LOCAL_STEPS = Algorithm(init_models, draw_one, local_step, "Meerkat, local steps")
