"""Sparse zeroth-order rounds: 10 clients, 10 local steps, 100 coordinates, 256 replicas.

And moments of local steps, and of rounds of 3, of 10 clients with few coordinates, all kept.
"""

import time
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from fedbounds.algorithms import virtual_path
from fedbounds.algorithms.traced import Algorithm
from fedbounds.problems import LowRank
from fedbounds.theory.language.setups import Objective, Run, Setup
from fedbounds.verify.measure.clients import Clients
from fedbounds.verify.measure.contract import Parameters, drawn_by, one_step
from fedbounds.verify.measure.random import Random
from fedbounds.verify.measure.samples import CHUNK, stream
from fedbounds.verify.measure.sources import Source
from fedbounds.verify.measure.stepped_run import stepped
from fedbounds.verify.measure.trace import subject_of
from fedbounds.verify.setups.found import known_of, view_of

from .workloads import Row

CLIENTS, STEPS, KEPT, REPLICAS, RANK = 10, 10, 100, 256, 2
SIZES = (1_000, 10_000, 100_000)
FEW = (4, 6, 12)  # coordinates whose moments are followed


def restricted(dimension: int) -> LowRank:
    """Objectives of low rank, of which a mask keeps 100 coordinates."""
    rng = np.random.default_rng(0)
    factors = rng.standard_normal((CLIENTS, dimension, RANK)) / np.sqrt(dimension)
    mask = rng.permutation(dimension) < KEPT
    targets = rng.standard_normal((CLIENTS, RANK))
    return LowRank(factors, targets).restrict(mask, np.zeros(dimension))


def reached(problem: Clients, algorithm: Algorithm, count: int, chunk: int) -> Any:
    """Models of one chunk of replicas after some rounds, with the draws of the engine."""
    random = stream(0, 0, chunk)

    def answer(source: Source) -> Any:
        return source.sample(random, CHUNK).reshape(CHUNK, *source.shape)

    p = Parameters({"mask": np.ones(KEPT), "eta": 1e-3, "epsilon": 1e-3, "K": STEPS, "own": 0})
    draws, state = Random(answer), {"x": np.zeros((CHUNK, KEPT))}
    for _ in range(count):
        drawn = drawn_by(algorithm, draws, problem, p)
        state, _ = one_step(algorithm, problem, p, state, drawn)
    return state["x"]


def steps_a_second(dimension: int, algorithm: Algorithm, count: int = 4, workers: int = 1) -> float:
    """Millions of clients' local steps, best of many short runs."""
    problem, best, chunks = Clients(restricted(dimension)), np.inf, range(REPLICAS // CHUNK)

    def of_chunk(chunk: int) -> None:
        assert np.isfinite(reached(problem, algorithm, count, chunk)).all()

    with threadpool_limits(1, "blas"), ThreadPoolExecutor(workers) as pool:
        for _ in range(20):
            began = time.perf_counter()
            for _ in pool.map(of_chunk, chunks):
                pass
            best = min(best, time.perf_counter() - began)
    return count * REPLICAS * CLIENTS * STEPS / best / 1e6


# ---- moments


def followed(d: int, view: str, rounds: int, steps: int) -> Setup:
    """Quadratics whose Hessians differ, and directions that are the same for all clients."""
    rng, hessians, slopes = np.random.default_rng(0), list[Any](), list[Any]()
    for _ in range(CLIENTS):
        root = rng.integers(-2, 3, (d, d))
        hessians.append(tuple(map(tuple, (root @ root.T + np.eye(d, dtype=int)).tolist())))
        slopes.append(tuple(rng.integers(-3, 4, d).tolist()))
    data = ("hessians", tuple(hessians)), ("slopes", tuple(slopes)), ("noise", 0)
    p = {"mask": (1,) * d, "eta": "1/2048", "epsilon": "1/10", "own": 0}
    if view == "rounds":
        p["K"] = steps
    run = Run(Objective("quadratics", data), tuple(range(1, d + 1)), tuple(p.items()), rounds)
    return Setup("meerkat", view, run)


def seconds(setup: Setup) -> float:
    """All quantities in rationals but the norm, which is no polynomial, with the preparation."""
    view = view_of(setup)
    began = time.process_time()
    known = known_of(setup, view)
    for name in view.quantities.keys() - {"G_1"}:
        known.series(name)
    return time.process_time() - began


def in_floats(d: int) -> float:
    """What one of many local steps takes in floats, of one core."""
    found = dict.fromkeys((10, 210), np.inf)
    for _ in range(3):
        for count in found:
            setup = followed(d, "local steps", count, 1)
            subject = subject_of(setup.run, view_of(setup))
            began = time.process_time()
            with threadpool_limits(1, "blas"):  # others wait busily
                stepped(subject)
            found[count] = min(found[count], time.process_time() - began)
    return (found[210] - found[10]) / 200


def moments() -> list[Row]:
    found = []
    for d in FEW:
        limits = ("<= 20", "<= 2") if d == max(FEW) else ("", "")
        name = f"moments of sparse steps, {d} kept, n=10"
        found.append(Row(f"{name}, floats, a step", 1e3 * in_floats(d), "ms", limits[0]))
        exact = seconds(followed(d, "local steps", 10, 1)) / 10
        found.append(Row(f"{name}, rationals, a step of 10", exact, "s", limits[1]))
        exact = seconds(followed(d, "rounds", 3, 3)) / 9
        found.append(Row(f"{name}, rationals, a step of 3 rounds of 3", exact, "s", limits[1]))
    return found


def rows() -> list[Row]:
    found = moments()
    for d, workers in product(SIZES, (1, 2)):
        speed = steps_a_second(d, virtual_path.VIRTUAL, workers=workers)
        threads = f"{workers} thread{'s' * (workers > 1)}"
        name = f"sparse rounds, d={d:,}, 100 kept, n=T=10, replayed, {threads}"
        found.append(Row(name, speed, "M local steps/s", ">= 1"))
    return found


if __name__ == "__main__":
    for row in rows():
        print(row)
