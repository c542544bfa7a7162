"""What coupled runs show for constants: of the masks, of every data set, and beside a domain."""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

Array = Any
State = dict[str, Array]
P = Mapping[str, Any]


def of_masks(problem: Any, p: P, x: Array) -> State:
    """Counts and shares of the masks, a box, and the steepest gradients of all samples."""
    xp, one = problem.xp, x[:, 0, 0] * 0 + 1
    found = {"one": one, "ones": x[:, 0] * 0 + 1}
    if "keep" in p:
        found["keep"] = one[:, None] * p["keep"]
    else:
        share = xp.sum(p["sub_models"], axis=1) / p["sub_models"].shape[1]
        found["share"] = one[:, None, None] * share
        found["even"] = one[:, None, None] * share[:, :1] * (share * 0 + 1)
        found["turns"] = one[:, None] * (p["sub_models"][0, :, 0] * 0 + 1)
    if "box" in p:
        found["low"], found["high"] = (x[:, 0] * 0 + side for side in p["box"])
        found["least"], found["greatest"] = (x[:, 0] * 0 + side for side in p["hull"])
    steep = _steepest(problem, p)
    return found if steep is None else {**found, "steep": one[:, None, None] * steep}


def of_client(problem: Any, p: P, x: Array, i: int) -> State:
    """The share of one client."""
    one = x[:, 0, 0] * 0 + 1
    if "keep" in p:
        return {"keep_own": one * p["keep"][i]}
    return {"share_own": one * problem.xp.sum(p["sub_models"][i, :, 0]) / p["sub_models"].shape[1]}


def _steepest(problem: Any, p: P) -> Array | None:
    """Gradients none of which a sample exceeds: at corners, or where Huber's losses are linear."""
    if "box" in p:
        low, high = p["hull"]
        corners = list(product(*zip(low.tolist(), high.tolist(), strict=True)))
        points = problem.xp.stack([problem.xp.stack(list(c), axis=0) for c in corners], axis=0)
        every = [problem.gradients_of(i, points) for i in range(int(problem.clients))]
        return problem.xp.reshape(problem.xp.stack(every, axis=0), (-1, points.shape[-1]))
    if problem.threshold is not None and problem.ridge == 0:
        features = problem.xp.reshape(problem.features, (-1, problem.dimension))
        return features * problem.threshold
    return None


# ---- of every data set


def of_data(problem: Any, p: P, own: Sequence[Any], x: Array, ys: Array, masks: Array) -> State:
    """Losses, and what is known of the objective of every data set."""
    xp, each = problem.xp, range(len(own))
    found = {
        "V_pop": xp.stack([_mean(problem, x[:, s]) for s in each], axis=1),
        "V_own": xp.stack([_mean(one, x[:, s]) for s, one in enumerate(own)], axis=1),
    }
    if problem.threshold is None:
        flat = xp.reshape(ys, (*ys.shape[:2], -1, ys.shape[-1]))  # of every client and step
        found |= _spreads(problem, p, own, x[:, :, None], flat, masks)
        found |= _of_squares(problem, p, own, x, masks)
    elif problem.dimension == 1 and problem.ridge == 0:
        count = 2 * own[0].features.shape[0] * own[0].features.shape[1]
        ends = xp.stack([_padded(one.kinks.tolist(), count, xp) for one in own], axis=0)
        at = x[:, :, None] * 0 + ends[..., None]
        found |= _spreads(problem, p, own, at, at, masks) | _of_huber(p, own, x)
    return found


def _mean(problem: Any, x: Array) -> Array:
    """f(x)."""
    return problem.xp.sum(problem.value(x), axis=1) / problem.clients


def _padded(numbers: list[Any], count: int, xp: Any) -> Array:
    return xp.stack(numbers + numbers[-1:] * (count - len(numbers)), axis=0)


def _spreads(
    problem: Any, p: P, own: Sequence[Any], at: Array, points: Array, masks: Array
) -> State:
    """Masked gradients at some points, and how far those of samples are from their mean at others.

    Of shapes (rows, data, at, i, d), or (rows, data, at, i, s, d) for all masks that roll; and
    (rows, data, point, kept, i, j, d) under every mask.
    """
    xp, d = problem.xp, problem.dimension
    bits = [xp.stack(bit, axis=0) for bit in product((points[0, 0, 0, 0] * 0,
            points[0, 0, 0, 0] * 0 + 1), repeat=d)]  # fmt: skip
    noise = []
    for s, one in enumerate(own):
        every = []
        for bit in bits:
            slopes = [one.gradients_of(i, points[:, s] * bit) * bit for i in range(len(masks[0]))]
            every.append(xp.stack([g - xp.sum(g, axis=2)[:, :, None] / g.shape[2]
                                   for g in slopes], axis=2))  # fmt: skip
        noise.append(xp.stack(every, axis=2))
    name, held = (
        ("hx", masks[:, None, :, None]) if "keep" in p else ("hs", p["sub_models"][None, None])
    )
    found = []
    for s, one in enumerate(own):
        inside = held * at[:, s, :, None, None]
        rows, count, n, turns = inside.shape[:4]
        slopes = [one.gradient(xp.reshape(inside[:, :, :, turn], (-1, n, d)))
                  for turn in range(turns)]  # fmt: skip
        back = [xp.reshape(g, (rows, count, n, d)) for g in slopes]
        found.append(held * xp.stack(back, axis=3))
    shown = xp.stack(found, axis=1)
    return {"noise_at": xp.stack(noise, axis=1), name: shown[:, :, :, :, 0] if name == "hx"
            else shown}  # fmt: skip


def _of_squares(problem: Any, p: P, own: Sequence[Any], x: Array, masks: Array) -> State:
    """Minimisers of F_p, or F_M, and of F on every data set, and gradients and values there."""
    xp, box = problem.xp, _box(p)
    objectives = [
        one.masked(p["keep"]) if "keep" in p else one.rolled(p["sub_models"]) for one in own
    ]
    free = [each.only_minimiser() for each in objectives]
    best, full = ([each.only_minimiser(box) for each in every] for every in (objectives, own))
    if any(point is None for point in (*free, *best, *full)):
        return {}
    found: dict[str, list[Array]] = {}
    for s, (one, masked) in enumerate(zip(own, objectives, strict=True)):
        here = x[:, s]
        xo, lowest, at_full = (here * 0 + point[s] for point in (best, free, full))
        hat = here - masked.full_gradient(here) / problem.smoothness
        hat = hat if box is None else problem.project(hat, box)
        for name, array in {
            **{"xo": xo, "Mx": _mean(masked, here), "Mo": _mean(masked, lowest)},
            **{"ho": masks * one.gradient(masks * one.spread(xo)), "go": one.gradient(xo)},
            **{"V_low": _mean(one, at_full), "V_hat": _mean(problem, hat)},
        }.items():
            found.setdefault(name, []).append(array)
    return {name: xp.stack(arrays, axis=1) for name, arrays in found.items()}


def _box(p: P) -> Array | None:
    return p["box"] if "box" in p else None  # noqa: SIM401, what is not given must not be asked for


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
