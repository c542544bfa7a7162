"""No algorithm: masked objectives at one point, under random masks of several laws; t counts laws.

Parameters: under law t client i keeps every coordinate with probability ``keeps[t, i]``; ``point``
(d,). A client may have J samples, each equally likely: ``more_hessians`` (n, J, d, d) and
``more_slopes`` (n, J, d) are what theirs have more than f_i. A ``box`` (2, d) is the domain, else
it is R^d. Where minimisers are not solved for, ``least`` (T, d) are stationary points of every law,
and ``least_full`` (d,) is one of full models.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from .points import (
    domain,
    identity,
    in_rows,
    init,
    minimum_of,
    nested,
    one_least,
    value_at,
    vertices,
)
from .traced import Algorithm, State

Array = Any


def _law(p: Mapping[str, Any]) -> int:
    return int(p["t"]) % len(p["keeps"])


def draw(random: Any, problem: Any, p: Mapping[str, Any]) -> State:
    """A mask of every client; those of smaller probabilities are within the others."""
    keep = p["keeps"][_law(p)]
    kept = nested(random, problem, {"keep": keep})
    masks = np.stack([kept[chance] for chance in keep.tolist()], axis=1)
    return {"masks": masks, "drawn": masks.reshape(len(masks), -1)}


def _of_law(p: Mapping[str, Any], w: Array) -> State:
    """What tells a law: whether clients keep more under the next one."""
    at = _law(p)
    after = p["keeps"][min(at + 1, len(p["keeps"]) - 1)]
    return {"grown": after - p["keeps"][at], "one": w[:1] * 0 + 1, "ones": w * 0 + 1}


# ---- quadratics


def step(problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any) -> State:
    """What the point shows under every mask, and the minimisers of the law."""
    w, m = p["point"], drawn["masks"]
    hessians, slopes = _parts(problem, w)
    more, extra = _samples(p, hessians, slopes)
    apart = (more * (m * w)[:, :, None, None, :]).sum(axis=4) + extra
    see(m=m, laws=m[:, None], g_m=problem.gradient(m * w), more=apart)
    top = _farthest(problem, p, w)
    if top is not None:
        see(g_top=problem.gradient(m * top))
    opt, opt_s = minimum_of(problem.masked(p["keeps"][_law(p)]), p), one_least(problem, p)
    fixed = {
        **_of_law(p, w),
        **{"at": w, "value_opt": value_at(problem, opt), "value_opt_s": value_at(problem, opt_s)},
        **{"coupled": _coupled(hessians, opt_s), **domain(problem, p)},
        **_largest("pulls", "ends", hessians, slopes, w),
        **_largest("pulls_each", "ends_each", hessians[:, None] + more, slopes[:, None] + extra, w),
    }
    see(**in_rows(fixed, len(state["x"])))
    return state


def _parts(problem: Any, w: Array) -> tuple[Array, Array]:
    """A_i and h_i of x' A_i x / 2 + h_i' x."""
    eye, slopes = identity(w), problem.gradient(w[None] * 0)[0]
    return np.moveaxis(problem.gradient(eye) - slopes, 0, -1), slopes  # column by column


def _samples(p: Mapping[str, Any], hessians: Array, slopes: Array) -> tuple[Array, Array]:
    """What samples have more; nothing of one."""
    if "more_hessians" in p:
        return p["more_hessians"], p["more_slopes"]
    return hessians[:, None] * 0, slopes[:, None] * 0


def _largest(pulls: str, ends: str, hessians: Array, slopes: Array, w: Array) -> State:
    """A_ab w_b for b other than a; slope_a + A_aa w_a, with their sum over b or without it."""
    inner = hessians - hessians * identity(w)
    alone = slopes + (hessians * identity(w) * w).sum(axis=-1)
    moved = alone + (inner * w).sum(axis=-1)
    larger = np.where(moved * moved > alone * alone, moved, alone)
    return {pulls: np.swapaxes(inner * w, -1, -2), ends: larger}


def _coupled(hessians: Array, best: Array | None) -> Array | None:
    """(A - diag A) w*."""
    if best is None:
        return None
    A = hessians.sum(axis=0) / len(hessians)
    return (A - A * identity(best)) @ best


def _farthest(problem: Any, p: Mapping[str, Any], w: Array) -> Array | None:
    """Where masked clients deviate most from their mean: a vertex of the box, by convexity.

    On R^d they do so anywhere, or without bound: None, where that is so of some law.
    """
    at = vertices(*p["box"]) if "box" in p else np.concatenate([w[None] * 0, identity(w)])
    every = [_deviations(problem.masked(keep), at) for keep in p["keeps"]]
    if "box" in p:
        own = every[_law(p)]
        return at[int((own * own).sum(axis=(1, 2)).argmax())]
    return at[0] if all((own == own[0]).all() for own in every) else None


def _deviations(F: Any, points: Array) -> Array:
    """Of clients' gradients from their mean, shape (points, n, d)."""
    slopes = F.gradient(points)
    return slopes - slopes.sum(axis=1)[:, None] / F.clients


OVER = Algorithm(init, draw, step, "masked quadratics over p")


# ---- minimisers that are given


def step_at_least(
    problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any
) -> State:
    """Gradients and values at them."""
    m, w, full = drawn["masks"], p["least"][_law(p)], p["least_full"]
    see(m=m, laws=m[:, None], g_o=problem.gradient(m * w))
    fixed = {
        **_of_law(p, w),
        **{"opt": w, "opt_s": full, "g_s": problem.gradient(full[None])[0]},
        **{"value_opt": value_at(problem, w), "value_opt_s": value_at(problem, full)},
    }
    see(**in_rows(fixed, len(state["x"])))
    return state


AT_LEAST = Algorithm(init, draw, step_at_least, "masked objectives over p, minimisers given")
