"""Moments under masks: coordinates in blocks, and sets of sub-models in place of orders."""

import time
from dataclasses import replace
from typing import Any

import numpy as np

from fedbounds.algorithms import rolling_models, sub_models
from fedbounds.algorithms.traced import Algorithm, Stages, in_stages
from fedbounds.theory.language.setups import Objective, Run, Shown, View
from fedbounds.verify.measure.float_moments import in_floats
from fedbounds.verify.measure.many_rounds import rounds_of, traced
from fedbounds.verify.measure.trace import subject_of

from .workloads import Row

_SHOWN = Shown(vectors={"x": ()})
_ROUNDS = 500


def random_round(problem: Any, p: Any, state: Any, drawn: Any, see: Any) -> Any:
    """A round of random masks that shows where it starts."""
    see(x=state["x"])
    noisy, models = sub_models.noisy(problem, drawn["noise"]), problem.spread(state["x"])
    own = sub_models.local(noisy, drawn["masks"], p["eta"], p["K"], models)
    return {"x": sub_models.server(problem, p, state["x"], drawn["masks"], own[-1])}


def begin(problem: Any, p: Any, state: Any, see: Any) -> None:
    """Where an epoch starts."""
    see(x=state["x"])


RANDOM = Algorithm(sub_models.init, sub_models.draw, random_round)
ROLLING = in_stages(
    rolling_models.init, rolling_models.draw, Stages("order", begin, rolling_models.round_of)
)


def quadratics(clients: int, dimension: int, block: int) -> Objective:
    """Strongly convex, with Hessians that couple coordinates of a block; small whole numbers."""
    rng = np.random.default_rng(0)
    raw = rng.integers(-1, 2, (clients, dimension, dimension))
    group = np.arange(dimension) // block
    near = (raw + raw.transpose(0, 2, 1)) * (group[:, None] == group[None, :])
    hessian = near * (1 - np.eye(dimension, dtype=int)) + 3 * block * np.eye(dimension, dtype=int)
    slopes = rng.integers(-2, 3, (clients, dimension))
    data = {"hessians": nested(hessian), "slopes": nested(slopes), "noise": "1/10"}
    return Objective("quadratics", tuple(data.items()))


def nested(array: Any) -> Any:
    """As data."""
    return tuple(map(nested, array)) if array.ndim else int(array)


def times(
    algorithm: Algorithm, problem: Objective, dimension: int, own: dict[str, Any]
) -> tuple[float, float]:
    """Seconds of preparation in rationals, and per round in floats with their proved bound."""
    run = Run(problem, (1,) * dimension, tuple(own.items()), _ROUNDS)
    subject = subject_of(run, View("masks", "sub_models.RANDOM", _SHOWN))
    subject = replace(subject, algorithm=algorithm)
    began = time.perf_counter()
    rounds = rounds_of(subject, traced(subject))
    prepared = time.perf_counter()
    in_floats(rounds)
    return prepared - began, (time.perf_counter() - prepared) / _ROUNDS


def rows() -> list[Row]:
    """Lines of the benchmark table."""
    found = []
    for n, d, block, steps in ((10, 30, 6, 5), (10, 32, 4, 5), (10, 100, 5, 1)):
        own = {"keep": ("1/2",) * n, "K": steps, "eta": "1/200"}
        name = f"random masks, d={d} in blocks of {block}, n={n}, K={steps}"
        found.append((name, times(RANDOM, quadratics(n, d, block), d, own), "<= 50"))
    for n, d, steps in ((10, 10, 5), (1, 8, 2)):
        masks = ((tuple(map(nested, np.eye(d, dtype=int)))),) * n
        own = {"sub_models": masks, "orders": 1, "K": steps, "eta": "1/200"}
        name = f"rolling masks, d=S={d}, n={n}, K={steps}"
        found.append((name, times(ROLLING, quadratics(n, d, d), d, own), ""))
    return [
        row
        for name, (prepared, spent), limit in found
        for row in (
            Row(f"{name}, preparation", prepared, "s"),
            Row(f"{name}, per round", spent * 1e3, "ms", limit),
        )
    ]
