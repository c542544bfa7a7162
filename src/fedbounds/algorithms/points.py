"""No algorithm: masked objectives F_p(w) = (1/n) sum_i E f_i(m_i o w) at points that are given.

Parameters: ``points`` (T, d), the w of each t; the pair x, y of t is w of t and of t + 1, the last
with the first. Masks are of one of two laws. With ``keep`` (n,) client i keeps every coordinate
with its probability, independently of the others; ``sub_models`` (n, S, d) are S masks of a client,
each drawn equally often. ``keep_2`` or ``sub_models_2`` are a second law; `WITH_QUADRATICS`
are quadratics of one law, ``keep``. A ``box`` (2, d) is the domain, else it is R^d. `LISTED` is for
objectives whose gradients are no polynomials: those of F_p are asked for, masks are drawn for what
is said of them alone, and a ``box`` is one number, the radius of a ball round 0.
"""

from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np

from .traced import Algorithm, State

Array = Any
FIRST, SECOND = "", "_2"


def init(problem: Any, start: Array) -> State:
    """Any point: it stays where it is."""
    return {"x": start}


# ---- masks


def draw(random: Any, problem: Any, p: Mapping[str, Any]) -> State:
    """A mask of every client, of both laws.

    Clients share their draws: what one keeps is kept by all who keep more; turns are the same for
    all. No mean over a client and its mask depends on it.
    """
    kept, drawn = nested(random, problem, p), {}
    for law in (FIRST, SECOND):
        if f"keep{law}" in p:
            own = [kept[chance] for chance in p[f"keep{law}"].tolist()]
            drawn[f"masks{law}"] = np.stack(own, axis=1)
        if f"sub_models{law}" in p:
            every = p[f"sub_models{law}"]
            count = every.shape[1]
            same = law == SECOND and "turn" in drawn and drawn["turn"].shape[1] == count
            turn = drawn["turn"] if same else random.participants(count, 1)
            drawn[f"turn{law}"] = turn
            drawn[f"masks{law}"] = np.sum(turn[:, None, :, None] * every, axis=2)
    flat = [own.reshape(len(own), -1) for own in drawn.values()]
    return {**drawn, "drawn": np.concatenate(flat, axis=1)}


def nested(random: Any, problem: Any, p: Mapping[str, Any]) -> dict[Any, Array]:
    """By probability, each coordinate kept with it; those of smaller ones are within the larger."""
    wanted = {x for name in ("keep", "keep_2") if name in p for x in p[name].tolist()}
    found, kept, before = {}, 1, 1
    for chance in sorted(wanted, reverse=True):
        kept = random.bernoulli(chance / before, problem.dimension) * kept
        found[chance], before = kept, chance
    return found


def _shares(problem: Any, p: Mapping[str, Any], law: str) -> Array | None:
    """How often each client holds each coordinate, shape (n, d); None if it is not given."""
    if f"keep{law}" in p:
        return np.stack([p[f"keep{law}"]] * problem.dimension, axis=1)
    if f"sub_models{law}" not in p:
        return None
    return np.sum(p[f"sub_models{law}"], axis=1) / p[f"sub_models{law}"].shape[1]


def _objective(problem: Any, p: Mapping[str, Any], law: str) -> Any:
    """F_p of a law; None if it is not given."""
    if f"keep{law}" in p:
        return problem.masked(p[f"keep{law}"])
    return problem.rolled(p[f"sub_models{law}"]) if f"sub_models{law}" in p else None


# ---- points


def step(problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any) -> State:
    """What a point and its pair show: under every mask, and whatever the mask is."""
    at = int(p["t"]) % len(p["points"])
    w, after = p["points"][at], p["points"][(at + 1) % len(p["points"])]
    see(**_masked(problem, drawn, w, after))
    fixed = {**_fixed(problem, p, w, after), **_minimisers(problem, p, w), **domain(problem, p)}
    see(**in_rows(fixed, len(state["x"])))
    return state


def in_rows(shown: Mapping[str, Any], rows: int) -> State:
    """A row for every outcome; without what is not there."""
    there = {name: np.asarray(x) for name, x in shown.items() if x is not None}
    return {name: np.stack([x] * rows) for name, x in there.items()}


def _masked(problem: Any, drawn: State, w: Array, after: Array) -> State:
    """Under every mask: gradients at m o w and at m o y before they are masked."""
    m, second = drawn["masks"], {}
    if "masks_2" in drawn:
        second = {"g_2": problem.gradient(drawn["masks_2"] * w)}
    return {
        **_of_masks(drawn),
        **{"g_m": problem.gradient(m * w), "g_n": problem.gradient(m * after)},
        **second,
    }


def _of_masks(drawn: State) -> State:
    """Of both laws, where there are two, and the turn of those that roll."""
    both = {"m": drawn["masks"]}
    if "masks_2" in drawn:
        both = {**both, "m_2": drawn["masks_2"]}
    turn = {"turn": drawn["turn"]} if "turn" in drawn else {}
    return {**both, "laws": np.stack(list(both.values()), axis=1), **turn}


def _fixed(problem: Any, p: Mapping[str, Any], w: Array, after: Array) -> Mapping[str, Any]:
    """Whatever the mask is; `steep` is the longest gradient of a client at a masked w."""
    zero, one = w * 0, w[:1] * 0 + 1
    return {
        **{"at": w, "next": after, "one": one, "ones": zero + 1},
        "side": np.where(w < 0, -1, 1).astype(w.dtype),
        "full": problem.full_gradient(w[None])[0],
        **{"g_own": problem.gradient(w[None])[0], "g_0": problem.gradient(zero[None])[0]},
        "steep": longest(problem.gradient(vertices(zero, zero + 1) * w)),
        **{"p_diff": _apart(problem, p), "swap": _swapped(p)},
    }


def vertices(low: Array, high: Array) -> Array:
    """Of a box."""
    return np.array(list(product(*zip(low, high, strict=True))))


def longest(vectors: Array) -> Array:
    """Of vectors whose coordinates are on the last axis."""
    flat = vectors.reshape(-1, vectors.shape[-1])
    return flat[int((flat * flat).sum(axis=1).argmax())]


def _apart(problem: Any, p: Mapping[str, Any]) -> Array | None:
    """|p_i - p'_i|, of the first coordinate: shares are alike wherever it is used."""
    first, second = _shares(problem, p, FIRST), _shares(problem, p, SECOND)
    if second is None:
        return None
    moved = (first - second)[:, :1]
    return np.where(moved < 0, -moved, moved)


def _swapped(p: Mapping[str, Any]) -> Array | None:
    """m_{i,s} - m'_{i,s}, where there are as many of both."""
    both = [p[name] for name in ("sub_models", "sub_models_2") if name in p]
    return both[0] - both[1] if len(both) == 2 and both[0].shape == both[1].shape else None


def _minimisers(problem: Any, p: Mapping[str, Any], w: Array) -> Mapping[str, Any]:
    """Those that there are, gradients and values there, and a projected step of F_p from w."""
    own, other = _objective(problem, p, FIRST), _objective(problem, p, SECOND)
    opt, opt_2, opt_s = minimum_of(own, p), minimum_of(other, p), one_least(problem, p)
    hat = _moved(problem, p, own, w)
    return {
        **{"opt": opt, "opt_2": opt_2, "opt_s": opt_s, "hat": hat},
        **{"gp_o": _slope(own, opt), "gp_2": _slope(own, opt_2), "gp_s": _slope(own, opt_s)},
        **{"gq_o": _slope(other, opt), "gq_2": _slope(other, opt_2)},
        **{"gf_o": _slope(problem, opt), "gf_s": _slope(problem, opt_s)},
        **{"value_opt": value_at(problem, opt), "value_opt_2": value_at(problem, opt_2)},
        **{"value_opt_s": value_at(problem, opt_s), "value_hat": value_at(problem, hat)},
    }


def _moved(problem: Any, p: Mapping[str, Any], F: Any, w: Array) -> Array | None:
    """P(w - grad F(w) / L), where L is not 0."""
    if not problem.smoothness:
        return None
    free = w - F.full_gradient(w[None])[0] / problem.smoothness
    return problem.project(free, p["box"]) if "box" in p else free


def minimum_of(F: Any, p: Mapping[str, Any]) -> Array | None:
    """The only minimiser, where there is one."""
    if F is None:
        return None
    return F.only_minimiser(p["box"]) if "box" in p else F.only_minimiser()


def one_least(problem: Any, p: Mapping[str, Any]) -> Array | None:
    """The only minimiser of F; of several in R^d, one."""
    found = minimum_of(problem, p)
    return problem.minimiser if found is None and "box" not in p else found


def _slope(F: Any, w: Array | None) -> Array | None:
    return None if F is None or w is None else F.full_gradient(w[None])[0]


def value_at(problem: Any, w: Array | None) -> Array | None:
    return None if w is None else problem.value(w[None])[0]


def domain(problem: Any, p: Mapping[str, Any]) -> Mapping[str, Any]:
    """The box's ends, its farthest vertex, and the longest gradient in its masked images.

    Convex functions are largest at vertices; those of all m o W are vertices of W with the origin.
    """
    if "box" not in p:
        return {}
    low, high = p["box"]
    wide = vertices(np.where(low < 0, low, low * 0), np.where(high > 0, high, low * 0))
    return {
        **{"low": low, "high": high, "far": longest(vertices(low, high))},
        "top": longest(problem.gradient(wide)),
    }


# ---- masks that are listed


def step_of_listed(
    problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any
) -> State:
    """What a point and its pair show: gradients of F, F_p and F_p'; the longest in the domain."""
    at = int(p["t"]) % len(p["points"])
    w, after = p["points"][at], p["points"][(at + 1) % len(p["points"])]
    own, other = (_objective(problem, p, law) for law in (FIRST, SECOND))
    see(**_of_masks(drawn))
    fixed = {
        **{"slope_m": _slope(own, w), "slope_n": _slope(own, after), "slope_2": _slope(other, w)},
        **{**_fixed(problem, p, w, after), **_minimisers(problem, p, w), **_ball(problem, p)},
    }
    see(**in_rows(fixed, len(state["x"])))
    return state


def _ball(problem: Any, p: Mapping[str, Any]) -> Mapping[str, Any]:
    """Two of its points that are farthest apart, and the bound of gradients, as numbers."""
    if "box" not in p:
        return {}
    radius = p["points"][0, :1] * 0 + p["box"]
    steepest = problem.gradient_bound(p["box"])
    return {"low": -radius, "high": radius, "far": radius, "top": radius * 0 + steepest}


# ---- quadratics


def step_of_quadratics(
    problem: Any, p: Mapping[str, Any], state: State, drawn: State, see: Any
) -> State:
    """The same, with the parts of the gradients and closed forms of the minimisers."""
    step(problem, p, state, drawn, see)
    w = p["points"][int(p["t"]) % len(p["points"])]
    eye, b = identity(w), -problem.gradient(w[None] * 0)[0]
    hessians = np.moveaxis(problem.gradient(eye) + b, 0, -1)  # column by column
    inner = hessians - hessians * eye
    see(off_m=(inner * (drawn["masks"] * w)[:, :, None]).sum(axis=3))
    solved, moved, coupled, image = _closed(problem, p, hessians, b)
    fixed = {
        **{"off": (inner * w).sum(axis=2), "scaled": (hessians * eye * w).sum(axis=2)},
        **{"slopes": b, "chance": p["keep"]},
        **{"solved": solved, "moved_M": moved, "coupled": coupled, "told_of": image},
    }
    see(**in_rows(fixed, len(state["x"])))
    return state


def _closed(
    problem: Any, p: Mapping[str, Any], hessians: Array, slopes: Array
) -> tuple[Array | None, ...]:
    """M^{-1} b, M^{-1} (A - D) w*, (A - D) w*, phi(D^{-1} A) D^{-1} b; no number in a box.

    M = p A + (1 - p) D, D = diag A, of one keep probability.
    With C = D^{-1/2} A D^{-1/2}, phi(l) = (1 - p)^2 (l - 1)^2 / (l (1 + p (l - 1))^2).
    """
    best, chances = problem.only_minimiser(), set(p["keep"].tolist())
    if "box" in p or len(chances) > 1 or best is None:
        return (None,) * 4
    A, b = (own.sum(axis=0) / problem.clients for own in (hessians, slopes))
    (chance,), D, solved = chances, A * identity(b), problem.solved
    M, coupled, turned = A * chance + D * (1 - chance), (A - D) @ best, solved(D, A)
    off = turned - identity(b)
    bent = off * chance + identity(b)
    image = (1 - chance) ** 2 * (off @ (off @ solved(D, b)))
    image = solved(bent, solved(bent, solved(turned, image)))
    return solved(M, b), solved(M, coupled), coupled, image


def identity(w: Array) -> Array:
    return np.stack([w * 0 + (np.arange(len(w)) == at) for at in range(len(w))])


MASKED = Algorithm(init, draw, step, "masked objectives at points")
WITH_QUADRATICS = Algorithm(init, draw, step_of_quadratics, "masked quadratics at points")
LISTED = Algorithm(init, draw, step_of_listed, "masked objectives at points")
