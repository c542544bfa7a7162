"""Rounds of random masks as the proofs speak of them: vectors under every mask and noise."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from fedbounds.problems import FederatedQuadratic, to_float
from fedbounds.problems.masked_laws import Bernoulli
from fedbounds.problems.spectrum import to_floats
from fedbounds.theory.submodel.bounds import RANDOM_FLOOR
from fedbounds.theory.submodel.names import RANDOM
from fedbounds.theory.submodel.proofs.definitions_rounds import ROUND
from fedbounds.theory.submodel.random_convex import SHRINKS

from ..case import find
from ..evaluate import Numbers
from ..evaluate import evaluate as number
from .frame import Frame, Objective
from .random_long import LongRandomRun
from .random_runs import RandomRun
from .step_driving import (
    Driven,
    before_each,
    drive,
    every_mask,
    every_noise,
    masked_gradients,
    masked_values,
    merged,
)
from .step_spaces import Shown, StepCase, shown, space, uniform

Array = Any
MOST_ROWS = 20_000
SOURCES = ("past", "mask", "xi", "i", "k")


def round_cases(name: str, setup: RandomRun) -> Iterator[StepCase]:
    """A case per round of a run, as long as there are few outcomes."""
    seen = with_excess(shown(find(setup)))
    problem, algorithm = to_float(setup.problem), to_float(setup.algorithm)
    masked = Frame(setup.problem, Bernoulli(setup.algorithm.keep), setup.algorithm.domain).masked
    n, d, steps = problem.clients, problem.shared_dimension, algorithm.local_steps
    masks, chance = every_mask(setup.algorithm.keep, d)
    noise = every_noise(problem, n * steps * d).reshape(-1, steps, n, d)
    pasts, weight = to_floats(setup.start.u)[None], np.ones(1)
    for t in range(setup.rounds):
        sizes = (len(pasts), len(chance), len(noise))
        if np.prod(sizes) > MOST_ROWS:
            break
        p, m, x = (index.reshape(-1) for index in np.indices(sizes))
        driven = drive(problem, algorithm, pasts[p], masks[:, m], noise[x].transpose(1, 2, 0, 3))
        vectors = _vectors(problem, masked, driven, masks, pasts, sizes)
        weights = (weight, chance, uniform(sizes[2]), uniform(n), uniform(steps))
        values = _values(problem, masked, masks, vectors, weights)
        yield StepCase(
            f"{name}, round {t}", RANDOM, frozenset({ROUND, ""}),
            space(SOURCES, weights, vectors, seen.series, t=t, terms=n * steps),
            seen.values | values, seen.assumptions,
        )  # fmt: skip
        pasts, weight = merged(driven.after, weight[p] * chance[m] / sizes[2])


def _vectors(
    problem: FederatedQuadratic,
    masked: Objective,
    driven: Driven,
    masks: Array,
    pasts: Array,
    sizes: tuple[int, int, int],
) -> dict[str, Array]:
    """Every vector, one axis per source."""
    n, count, d = masks.shape
    steps, best = len(driven.points), to_floats(masked.minimiser)

    def by_source(array: Array) -> Array:
        """From shape (K or 1, n or 1, rows, d)."""
        each, clients = array.shape[:2]
        return array.transpose(2, 1, 0, 3).reshape(*sizes, clients, each, d)

    def at(points: Array) -> Array:
        """grad h_i at the same points whatever the masks: shape (P, M, 1, n, 1, d)."""
        many = len(points)
        own = masked_gradients(
            problem, np.tile(masks, (1, many, 1)), np.repeat(points, count, axis=0)
        )
        return own.transpose(1, 0, 2).reshape(many, count, 1, n, 1, d)

    mask = masks.transpose(1, 0, 2)[None, :, None, :, None]
    x, xo = pasts[:, None, None, None, None], best.reshape(1, 1, 1, 1, 1, d)
    hx, ho = at(pasts), at(best[None])
    hy = mask * by_source(driven.exact)
    nz = mask * (by_source(driven.noisy) - by_source(driven.exact))
    k = np.arange(steps, dtype=float).reshape(1, 1, 1, 1, steps, 1)
    update = (hy + nz).sum(axis=(3, 4), keepdims=True) / n
    return {
        "x": x, "xo": xo, "xn": by_source(driven.after[None, None]),
        "y": by_source(driven.points), "wf": by_source(driven.free[None, None]),
        "hx": hx, "hy": hy, "ho": ho, "nz": nz,
        "Pn": before_each(nz, 4), "Pd": before_each(hy - hx, 4), "Ph": k * hx,
        "Um": update - steps * to_floats(masked.at_minimiser),
    }  # fmt: skip


def _values(
    problem: FederatedQuadratic, masked: Objective, masks: Array, vectors: Any, weights: Any
) -> dict[str, float]:
    """Expected values of the objective: Fx, Fy and Fo of the masked clients, Fn of F_p."""
    past, chance, xi, _, _ = weights
    p, m, x = (len(each) for each in weights[:3])
    y = vectors["y"]
    d = y.shape[5]
    rows = np.repeat(masks, x, axis=1)

    def mean(points: Array) -> float:
        """E h_i at points of shape (P, M, X, n or 1, K or 1, d)."""
        full = np.broadcast_to(points, (p, m, x, len(masks), points.shape[4], d))
        total = 0.0
        for k in range(full.shape[4]):
            own = full[:, :, :, :, k].transpose(3, 0, 1, 2, 4).reshape(len(masks), -1, d)
            values = masked_values(problem, np.tile(rows, (1, p, 1)), own).mean(axis=0)
            total += np.einsum("abc,a,b,c", values.reshape(p, m, x), past, chance, xi)
        return float(total / full.shape[4])

    matrix, slope = to_floats(masked.matrix), to_floats(masked.slope)
    after = vectors["xn"][:, :, :, 0, 0]
    value = (after * (after @ matrix / 2 + slope)).sum(axis=-1)
    return {
        "Fx": mean(vectors["x"]),
        "Fy": mean(y),
        "Fo": mean(vectors["xo"]),
        "Fn": float(np.einsum("abc,a,b,c", value, past, chance, xi)),
    }


def long_cases(name: str, setup: LongRandomRun) -> Iterator[StepCase]:
    """The ends of a run and the round in the middle, without vectors."""
    seen = with_excess(shown(find(setup)))
    for t in (0, setup.rounds // 2, setup.rounds - 1):
        there = space(("past",), (np.ones(1),), {"one": np.ones((1, 1))}, seen.series, t=t)
        yield StepCase(
            f"{name}, round {t}", RANDOM, frozenset({""}), there, seen.values, seen.assumptions
        )


def with_excess(seen: Shown) -> Shown:
    """The same with the distance's excess over its floor, where there is a floor."""
    if "mu" not in seen.values or "p_mean" not in seen.values:
        return seen
    numbers = Numbers(seen.values, {})
    floor, shrinks = (float(number(x, numbers)) for x in (RANDOM_FLOOR, SHRINKS))
    if not shrinks < 1:
        return seen
    distance = seen.series["D_opt"]
    excess = (distance - floor) / (1 - shrinks) ** np.arange(len(distance))
    return Shown(seen.values, {**seen.series, "Z_ex": excess}, seen.assumptions)
