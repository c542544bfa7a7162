"""Sparse zeroth-order rounds: 10 clients, 10 local steps, 100 coordinates, 256 replicas."""

import time
from typing import Any

import numpy as np

from fedbounds.algorithms import virtual_path
from fedbounds.algorithms.traced import Algorithm
from fedbounds.problems import LowRank
from fedbounds.verify.measure.clients import Clients

from .workloads import Row

CLIENTS, STEPS, KEPT, REPLICAS, RANK = 10, 10, 100, 256, 2
SIZES = (1_000, 10_000, 100_000)


def restricted(dimension: int) -> LowRank:
    """Objectives of low rank, of which a mask keeps 100 coordinates."""
    rng = np.random.default_rng(0)
    factors = rng.standard_normal((CLIENTS, dimension, RANK)) / np.sqrt(dimension)
    mask = rng.permutation(dimension) < KEPT
    targets = rng.standard_normal((CLIENTS, RANK))
    return LowRank(factors, targets).restrict(mask, np.zeros(dimension))


def a_round(problem: Clients, rng: np.random.Generator, algorithm: Algorithm, x: Any) -> Any:
    """Draws and a step of all replicas."""
    z = rng.standard_normal((REPLICAS, 1, STEPS, KEPT))
    drawn = {"z": z, "noise": np.zeros((REPLICAS, CLIENTS, STEPS, 1))}
    p = {"mask": np.ones(KEPT), "eta": 1e-3, "epsilon": 1e-3, "K": STEPS, "own": 0}
    return algorithm.step(problem, p, {"x": x}, drawn, lambda **_: None)["x"]


def steps_a_second(dimension: int, algorithm: Algorithm, count: int = 10) -> float:
    """Millions of clients' local steps, best of three."""
    problem, best = Clients(restricted(dimension)), np.inf
    for _ in range(3):
        rng, x = np.random.default_rng(1), np.zeros((REPLICAS, KEPT))
        began = time.perf_counter()
        for _ in range(count):
            x = a_round(problem, rng, algorithm, x)
        best = min(best, time.perf_counter() - began)
    return count * REPLICAS * CLIENTS * STEPS / best / 1e6


def rows() -> list[Row]:
    found = []
    for d in SIZES:
        v = steps_a_second(d, virtual_path.VIRTUAL)
        found.append(
            Row(f"sparse rounds, d={d:,}, 100 kept, n=T=10, replayed", v, "M local steps/s", ">= 1")
        )
    return found


if __name__ == "__main__":
    for row in rows():
        print(row)
