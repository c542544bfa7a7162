"""Epochs of rolling masks as the proofs speak of them: vectors under every order and noise."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations, product
from typing import Any

import numpy as np

from fedbounds.algorithms import rolling_masks
from fedbounds.algorithms.rolling_masks import RollingMasks
from fedbounds.problems import FederatedQuadratic, to_float
from fedbounds.problems.masked_laws import Rolling
from fedbounds.problems.spectrum import to_floats
from fedbounds.theory.submodel.names import ROLLING
from fedbounds.theory.submodel.proofs.definitions_rounds import (
    EPOCH,
    FREE_EPOCH,
    UNROLLED,
    WITHIN,
)
from fedbounds.vocabulary import Assumption

from ..case import find
from .frame import Frame, Objective
from .rolling_runs import RollingRun
from .step_driving import (
    before_each,
    drive,
    every_noise,
    masked_gradients,
    masked_values,
    merged,
)
from .step_spaces import StepCase, shown, space, uniform

Array = Any
MOST_ROWS = 20_000
SOURCES = ("past", "perm", "xi", "i", "s", "k")
_NORMS = ("A_sum", "A_all", "A_part", "A_diff")


@dataclass(frozen=True, eq=False)
class Epoch:
    """Everything in one epoch; axes are `SOURCES` and coordinates, of length one where constant.

    Attributes
    ----------
    masks : array, shape (1, Q, 1, n, S, 1, d)
    before, after : arrays
        w_s and w_{s+1} without projection, shape (P, Q, X, 1, S, 1, d).
    points, exact, noisy : arrays, shape (P, Q, X, n, S, K, d)
    end : array, shape (rows, d)
        Where the next epoch starts.
    """

    masks: Array
    before: Array
    after: Array
    points: Array
    exact: Array
    noisy: Array
    end: Array


def epoch_cases(name: str, setup: RollingRun) -> Iterator[StepCase]:
    """Cases of every epoch of a run, as long as there are few outcomes."""
    seen = shown(find(setup))
    norms = {x: seen.series.pop(x) for x in _NORMS if x in seen.series}
    problem, algorithm = to_float(setup.problem), to_float(setup.algorithm)
    masked = Frame(setup.problem, Rolling(setup.algorithm.masks), setup.algorithm.domain).masked
    n, steps, rounds = problem.clients, algorithm.local_steps, algorithm.epoch
    orders, noise = _orders(algorithm), _noises(problem, algorithm)
    pasts, weight = to_floats(setup.start.u)[None], np.ones(1)
    for t in range(setup.epochs):
        sizes = (len(pasts), orders.shape[1], len(noise))
        if np.prod(sizes) > MOST_ROWS:
            break
        epoch = _driven(problem, algorithm, pasts, orders, noise)
        weights = (weight, *(uniform(x) for x in (*sizes[1:], n, rounds, steps)))
        vectors = _vectors(problem, masked, epoch, pasts)
        values = seen.values | _values(problem, masked, epoch, vectors, weights)
        scopes = {EPOCH, FREE_EPOCH, ""}
        if Assumption.EPOCH_PROJECTION in seen.assumptions:
            scopes.add(WITHIN)
            own = _unrolled(problem, values["eta"] * steps, epoch, vectors)
            yield StepCase(
                f"{name}, epoch {t} unrolled", ROLLING, frozenset({UNROLLED}),
                space((*SOURCES[:3], "s"), (*weights[:3], weights[4]), own, seen.series, t=t,
                      terms=n * steps * rounds),
                values, seen.assumptions,
            )  # fmt: skip
        yield StepCase(
            f"{name}, epoch {t}", ROLLING, frozenset(scopes),
            space(SOURCES, weights, vectors, seen.series, t=t, terms=n * steps * rounds),
            values, seen.assumptions,
        )  # fmt: skip
        p, _, _ = (index.reshape(-1) for index in np.indices(sizes))
        pasts, weight = merged(epoch.end, weight[p] / np.prod(sizes[1:]))
    yield from _outcomes(name, norms, seen.values, seen.assumptions)


def _outcomes(
    name: str, norms: dict[str, Array], values: dict[str, float], holding: frozenset[Assumption]
) -> Iterator[StepCase]:
    """Norms of Lemma 10, a case for each of the different outcomes."""
    if not norms:
        return
    rows = np.unique(np.stack([array.reshape(-1) for array in norms.values()], axis=1), axis=0)
    for at, row in enumerate(rows):
        series = {x: np.array([number]) for x, number in zip(norms, row, strict=True)}
        there = space(("past",), (np.ones(1),), {"one": np.full((1, 1), row.max())}, series)
        yield StepCase(f"{name}, outcome {at}", ROLLING, frozenset({""}), there, values, holding)


def _orders(algorithm: RollingMasks) -> Array:
    """Every order of every client, shape (n, Q, S)."""
    n, single = algorithm.participants, list(permutations(range(algorithm.epoch)))
    if algorithm.shared_order:
        return np.repeat(np.array(single)[None], n, axis=0)
    return np.array(list(product(single, repeat=n))).transpose(1, 0, 2)


def _noises(problem: FederatedQuadratic, algorithm: RollingMasks) -> Array:
    """Every noise of an epoch, shape (X, n, S, K, d).

    Where sub-models are single coordinates, one sign for all coordinates has the same law.
    """
    n, d = problem.clients, problem.shared_dimension
    single = all(sum(mask) == 1 for own in algorithm.masks for mask in own)
    shape = (n, algorithm.epoch, algorithm.local_steps, 1 if single else d)
    found = every_noise(problem, int(np.prod(shape))).reshape(-1, *shape)
    return np.broadcast_to(found, (*found.shape[:-1], d))


def _driven(
    problem: FederatedQuadratic, algorithm: RollingMasks, pasts: Array, orders: Array, noise: Array
) -> Epoch:
    sizes = (len(pasts), orders.shape[1], len(noise))
    n, d = problem.clients, problem.shared_dimension
    p, q, x = (index.reshape(-1) for index in np.indices(sizes))
    model = pasts[p]
    every: dict[str, list[Array]] = {name: [] for name in Epoch.__annotations__}
    for s in range(algorithm.epoch):
        masks = rolling_masks.masks_at(algorithm, orders[:, q], s).astype(float)
        own = noise[x, :, s].transpose(2, 1, 0, 3)
        driven = drive(problem, algorithm, model, masks, own, s)
        for name in ("points", "exact", "noisy"):
            array = getattr(driven, name)
            every[name].append(array.transpose(2, 1, 0, 3).reshape(*sizes, n, -1, d))
        every["before"].append(model.reshape(*sizes, 1, 1, d))
        every["after"].append(driven.free.reshape(*sizes, 1, 1, d))
        few = rolling_masks.masks_at(algorithm, orders, s).astype(float)
        every["masks"].append(few.transpose(1, 0, 2).reshape(1, sizes[1], 1, n, 1, d))
        model = driven.after
    joined = {name: np.stack(each, axis=4) for name, each in every.items() if each}
    return Epoch(**joined, end=model)


def _vectors(
    problem: FederatedQuadratic, masked: Objective, epoch: Epoch, pasts: Array
) -> dict[str, Array]:
    d = pasts.shape[1]
    n, rounds, steps = epoch.points.shape[3:6]
    x = pasts.reshape(-1, 1, 1, 1, 1, 1, d)
    xo = to_floats(masked.minimiser).reshape(1, 1, 1, 1, 1, 1, d)
    hx, hw, ho = (_gradients(problem, epoch.masks, at) for at in (x, epoch.before, xo))
    hy, nz = epoch.masks * epoch.exact, epoch.masks * (epoch.noisy - epoch.exact)
    k = np.arange(steps, dtype=float).reshape(1, 1, 1, 1, 1, steps, 1)
    update = (hy + nz).sum(axis=(3, 4, 5), keepdims=True) / n

    def earlier(array: Array) -> Array:
        """Over all rounds before, averaged over clients; shape (..., 1, S, 1, d)."""
        full = np.broadcast_to(array, (*array.shape[:5], steps, d))
        return before_each(full.sum(axis=(3, 5), keepdims=True) / n, 4)

    def both(array: Array) -> Array:
        """These, and the client's own steps before."""
        full = np.broadcast_to(array, (*array.shape[:5], steps, d))
        return earlier(array) + before_each(full, 5)

    sizes = epoch.points.shape[:3]
    return {
        "x": x, "xo": xo, "xn": epoch.end.reshape(*sizes, 1, 1, 1, d), "y": epoch.points,
        "wf": epoch.after[:, :, :, :, -1:], "hx": hx, "hy": hy, "ho": ho, "nz": nz,
        "Pn": both(nz), "Pd": both(hy - hx), "Pt": both(hx - ho), "Pa": earlier(ho), "Pk": k * ho,
        "Qa": earlier(hx), "Qk": k * hx,
        "Um": update - rounds * steps * to_floats(masked.at_minimiser),
        "ws": epoch.before, "wv": epoch.after, "hw": hw,
        "Hz": _times(_hessians(problem, epoch), epoch.before - x),
    }  # fmt: skip


def _gradients(problem: FederatedQuadratic, masks: Array, points: Array) -> Array:
    """m o grad f_i(m o w) with the axes of an epoch; one step."""
    shape = np.broadcast_shapes(masks.shape, points.shape)
    n, d = shape[3], shape[6]
    flat = [
        np.broadcast_to(array, shape).transpose(3, 0, 1, 2, 4, 5, 6).reshape(n, -1, d)
        for array in (masks, points)
    ]
    found = masked_gradients(problem, *flat)
    sizes = tuple(shape[axis] for axis in (3, 0, 1, 2, 4, 5, 6))
    return found.reshape(sizes).transpose(1, 2, 3, 0, 4, 5, 6)


def _hessians(problem: FederatedQuadratic, epoch: Epoch) -> Array:
    """H_s = (1/n) sum_i D A_i D, shape (1, Q, 1, 1, S, 1, d, d)."""
    both = epoch.masks[..., :, None] * epoch.masks[..., None, :]
    n, d = problem.clients, problem.shared_dimension
    own = both * problem.hessian.reshape(1, 1, 1, n, 1, 1, d, d)
    found: Array = own.sum(axis=3, keepdims=True) / n
    return found


def _times(matrices: Array, vectors: Array) -> Array:
    return (matrices * vectors[..., None, :]).sum(axis=-1)


def _unrolled(
    problem: FederatedQuadratic, step: float, epoch: Epoch, vectors: dict[str, Array]
) -> dict[str, Array]:
    """A_s = (I - step H_{S-1}) ... (I - step H_{s+1}) times what Lemma 10 multiplies by it."""
    hessians = _hessians(problem, epoch)[:, :, :, 0, :, 0]  # (1, Q, 1, S, d, d)
    one, rounds = np.eye(problem.shared_dimension), hessians.shape[3]
    weights = [np.broadcast_to(one, hessians[:, :, :, 0].shape)]
    for s in range(rounds - 1, 0, -1):
        weights.append(weights[-1] @ (one - step * hessians[:, :, :, s]))
    A = np.stack(weights[::-1], axis=3)

    def mean(array: Array) -> Array:
        """Over clients, shape (P, Q, X, S, d), summed over steps."""
        return array.mean(axis=3).sum(axis=4)

    x, w, after = (vectors[name][:, :, :, 0, :, 0] for name in ("x", "ws", "wv"))
    hx, drift = vectors["hx"], vectors["hy"] - vectors["hw"] + vectors["nz"]
    return {
        "x": x,
        "Az": _times(A, w - x),
        "AHz": _times(A, _times(hessians, w - x)),
        "Aa": _times(A, mean(hx)),
        "Aen": _times(A, mean(drift)),
        "Aw": _times(A, after - x),
        "wS": after[:, :, :, -1:],
    }


def _values(
    problem: FederatedQuadratic,
    masked: Objective,
    epoch: Epoch,
    vectors: dict[str, Array],
    weights: tuple[Array, ...],
) -> dict[str, float]:
    """Fx, Fy and Fo of the masked clients; Fn of F_M."""

    def mean(points: Array) -> float:
        shape = np.broadcast_shapes(epoch.masks.shape, points.shape)
        n, d = shape[3], shape[6]
        masks, at = (
            np.broadcast_to(array, shape).transpose(3, 0, 1, 2, 4, 5, 6).reshape(n, -1, d)
            for array in (epoch.masks, points)
        )
        values = masked_values(problem, masks, at).mean(axis=0).reshape(len(points), -1)
        return float(weights[0] @ values.mean(axis=1)) if len(points) > 1 else float(values.mean())

    matrix, slope = to_floats(masked.matrix), to_floats(masked.slope)
    after = vectors["xn"][:, :, :, 0, 0, 0]
    value = (after * (after @ matrix / 2 + slope)).sum(axis=-1)
    return {
        "Fx": mean(vectors["x"]),
        "Fy": mean(vectors["y"]),
        "Fo": mean(vectors["xo"]),
        "Fn": float(weights[0] @ value.mean(axis=(1, 2))),
    }
