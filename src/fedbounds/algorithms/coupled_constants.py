"""What coupled runs show for constants: of the masks, of every data set, and beside a domain."""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

Array = Any
State = dict[str, Array]
P = Mapping[str, Any]


def of_masks(problem: Any, p: P, x: Array) -> State:
    """Counts and shares of the masks, a box, and the steepest gradients of all samples."""
    one = x[:, 0, 0] * 0 + 1
    return {
        **{"one": one, "ones": x[:, 0] * 0 + 1},
        **_shares(problem, p, one),
        **_ends(p, x),
        **_steepest(problem, p, one),
    }


def of_client(problem: Any, p: P, x: Array, i: int) -> State:
    """The share of one client."""
    one = x[:, 0, 0] * 0 + 1
    if "keep" in p:
        return {"keep_own": one * p["keep"][i]}
    return {"share_own": one * problem.xp.sum(p["sub_models"][i, :, 0]) / p["sub_models"].shape[1]}


def _shares(problem: Any, p: P, one: Array) -> State:
    if "keep" in p:
        return {"keep": one[:, None] * p["keep"]}
    masks = p["sub_models"]
    share = problem.xp.sum(masks, axis=1) / masks.shape[1]
    return {
        "share": one[:, None, None] * share,
        "even": one[:, None, None] * share[:, :1] * (share * 0 + 1),
        "turns": one[:, None] * (masks[0, :, 0] * 0 + 1),
    }


def _ends(p: P, x: Array) -> State:
    if "box" not in p:
        return {}
    (low, high), (least, most), nothing = p["box"], p["hull"], x[:, 0] * 0
    return {
        **{"low": nothing + low, "high": nothing + high},
        **{"hull_low": nothing + least, "hull_high": nothing + most},
    }


def _steepest(problem: Any, p: P, one: Array) -> State:
    """Gradients none of which a sample exceeds: at corners, or where Huber's losses are linear."""
    xp, d = problem.xp, problem.dimension
    if "box" in p:
        ends = zip(p["hull"][0].tolist(), p["hull"][1].tolist(), strict=True)
        points = xp.stack([xp.stack(list(own), axis=0) for own in product(*ends)], axis=0)
        every = [problem.gradients_of(i, points) for i in range(int(problem.clients))]
        return {"steep": one[:, None, None] * xp.reshape(xp.stack(every, axis=0), (-1, d))}
    if problem.threshold is not None and problem.ridge == 0:
        limits = xp.reshape(problem.features, (-1, d)) * problem.threshold
        return {"steep": one[:, None, None] * limits}
    return {}


# ---- of every data set


def of_data(problem: Any, p: P, own: Sequence[Any], x: Array, ys: Array, masks: Array) -> State:
    """Losses, and what is known of the objective of every data set."""
    xp, each = problem.xp, range(len(own))
    losses = {
        "V_pop": xp.stack([mean_of(problem, x[:, s]) for s in each], axis=1),
        "V_own": xp.stack([mean_of(own[s], x[:, s]) for s in each], axis=1),
    }
    if problem.threshold is None:
        points = xp.reshape(ys, (*ys.shape[:2], -1, ys.shape[-1]))  # of every client and step
        return {
            **losses,
            **_noise(xp, own, points),
            **_masked(p, own, x[:, :, None], masks),
            **_of_squares(problem, p, own, x, masks),
        }
    if problem.dimension == 1 and problem.ridge == 0:
        at = x[:, :, None] * 0 + _all_kinks(xp, own)
        return {
            **losses,
            **_noise(xp, own, at),
            **_masked(p, own, at, masks),
            **_of_huber(p, own, x),
        }
    return {**losses}


def mean_of(problem: Any, x: Array) -> Array:
    """f(x)."""
    return problem.xp.sum(problem.value(x), axis=1) / problem.clients


def _all_kinks(xp: Any, own: Sequence[Any]) -> Array:
    """Of every data set, the last one repeated where there are fewer, shape (data, at, 1)."""
    every = [one.kinks.tolist() for one in own]
    most = max(map(len, every))
    rows = [xp.stack(ends + ends[-1:] * (most - len(ends)), axis=0) for ends in every]
    return xp.stack(rows, axis=0)[..., None]


def _noise(xp: Any, own: Sequence[Any], points: Array) -> State:
    """How far gradients of samples are from their mean, under every mask, at some points.

    Of shape (rows, data, point, kept, i, j, d).
    """
    nothing = points[0, 0, 0, 0] * 0
    bits = list(product((nothing, nothing + 1), repeat=points.shape[-1]))
    noise = []
    for s, one in enumerate(own):
        every = []
        for bit in bits:
            mask = xp.stack(list(bit), axis=0)
            slopes = [one.gradients_of(i, points[:, s] * mask) for i in range(int(one.clients))]
            means = [xp.sum(g, axis=2)[:, :, None] / g.shape[2] for g in slopes]
            pairs = zip(slopes, means, strict=True)
            every.append(xp.stack([(g - mean) * mask for g, mean in pairs], axis=2))
        noise.append(xp.stack(every, axis=2))
    return {"noise_at": xp.stack(noise, axis=1)}


def _masked(p: P, own: Sequence[Any], at: Array, masks: Array) -> State:
    """Masked gradients at some points, shape (rows, data, at, i, d), or of all masks that roll."""
    if "keep" in p:
        return {"hx": _under(own, at, masks[:, None, :, None])[:, :, :, :, 0]}
    return {"hs": _under(own, at, p["sub_models"][None, None])}


def _under(own: Sequence[Any], at: Array, held: Array) -> Array:
    """m o grad f_i(m o w), shape (rows, data, at, i, s, d), of masks (rows, 1, i, s, d)."""
    xp, found = own[0].xp, []
    for s, one in enumerate(own):
        inside = held * at[:, s, :, None, None]
        rows, count, n, turns, d = inside.shape
        every = [one.gradient(xp.reshape(inside[:, :, :, k], (-1, n, d))) for k in range(turns)]
        back = [xp.reshape(slopes, (rows, count, n, d)) for slopes in every]
        found.append(held * xp.stack(back, axis=3))
    return xp.stack(found, axis=1)


def _of_squares(problem: Any, p: P, own: Sequence[Any], x: Array, masks: Array) -> State:
    """Minimisers of F_p, or F_M, and of F on every data set, and gradients and values there."""
    xp, each, nothing = problem.xp, range(len(own)), x[:, 0] * 0
    objectives = [
        one.masked(p["keep"]) if "keep" in p else one.rolled(p["sub_models"]) for one in own
    ]
    free = [F.only_minimiser() for F in objectives]
    best, full = ([_least(p, F) for F in every] for every in (objectives, own))
    if any(point is None for point in (*free, *best, *full)):
        return {}
    at = [nothing + point for point in best]
    hats = [_stepped(problem, p, x[:, s], objectives[s]) for s in each]
    held = [masks * own[s].gradient(masks * own[s].spread(at[s])) for s in each]
    return {
        "xo": xp.stack(at, axis=1),
        "Mx": xp.stack([mean_of(objectives[s], x[:, s]) for s in each], axis=1),
        "Mo": xp.stack([mean_of(objectives[s], nothing + free[s]) for s in each], axis=1),
        "ho": xp.stack(held, axis=1),
        "go": xp.stack([own[s].gradient(at[s]) for s in each], axis=1),
        "V_low": xp.stack([mean_of(own[s], nothing + full[s]) for s in each], axis=1),
        "V_hat": xp.stack([mean_of(problem, hat) for hat in hats], axis=1),
    }


def _least(p: P, problem: Any) -> Array | None:
    """Where f is least, in the box where there is one."""
    return problem.only_minimiser(p["box"]) if "box" in p else problem.only_minimiser()


def _stepped(problem: Any, p: P, x: Array, masked: Any) -> Array:
    """A projected step of size 1/L."""
    after = x - masked.full_gradient(x) / problem.smoothness
    return problem.project(after, p["box"]) if "box" in p else after


def _of_huber(p: P, own: Sequence[Any], x: Array) -> State:
    """F_p, or F_M, on the line, and its infimum, on every data set."""
    xp, here, lowest = own[0].xp, [], []
    for s, one in enumerate(own):
        kept, nothing = one.value(x[:, s]), one.value(x[:, s] * 0)
        if "keep" in p:
            lowest.append(one.lowest_masked(p["keep"]))
            share = p["keep"]
        else:
            lowest.append(one.lowest_rolled(p["sub_models"]))
            share = xp.sum(p["sub_models"][:, :, 0], axis=1) / p["sub_models"].shape[1]
        here.append(xp.sum(kept * share + nothing * (1 - share), axis=1) / one.clients)
    values = xp.stack(here, axis=1)
    return {"Mx": values, "Mo": values * 0 + xp.stack(lowest, axis=0)}
