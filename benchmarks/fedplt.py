"""What long runs of FedPLT cost: exact moments, certified constants, and verdicts on them."""

import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from flint import fmpq

from fedbounds.algorithms.fedplt_rows import FedPLT
from fedbounds.theory.registry import encoded_claims
from fedbounds.verify.case import Case, find
from fedbounds.verify.fedplt.ladders import ladder_records, rate_records
from fedbounds.verify.fedplt.long_runs import LongRun, Steps, run
from fedbounds.verify.fedplt.long_runs_plan import (
    diagonal,
    own_minimisers,
    partial_masks,
    quadratics,
    start_at,
)
from fedbounds.verify.judge import judge
from fedbounds.verify.profile import Profile
from fedbounds.vocabulary import Method

from .workloads import Row

HALF = fmpq(1, 2)
CONSTANT = replace(own_minimisers(HALF, 5, fmpq(1, 64)), rounds=10_000)
DECAYING = replace(CONSTANT, steps=Steps.DECAYING, z=fmpq(1))


def larger() -> LongRun:
    """Ten clients, ten coordinates, each client trains all."""
    rng = np.random.default_rng(0)
    hessians = diagonal(*rng.integers(1, 4, (10, 10)).tolist())
    problem = quadratics(hessians, rng.integers(-3, 4, (10, 10)).tolist(), HALF)
    algorithm = FedPLT(np.ones((10, 10), int), (1,) * 10, 5, fmpq(1, 64))
    return LongRun(problem, algorithm, start_at([1] * 10, 10), 10_000)


def seconds(work: Callable[[], object]) -> float:
    """Best of three."""

    def once() -> float:
        began = time.perf_counter()
        work()
        return time.perf_counter() - began

    return min(once() for _ in range(3))


def rows() -> list[Row]:
    """Lines of the table about FedPLT."""
    claims, case = encoded_claims("fedplt"), Case("x", "FedPLT", CONSTANT, Method.MOMENTS)
    exact, big = replace(partial_masks(fmpq(1, 256), 300), exact=True), larger()
    timed: tuple[tuple[str, Callable[[], object], str], ...] = (
        ("moments, 10,000 rounds, one step size", lambda: run(CONSTANT), "<= 1"),
        ("moments, 10,000 rounds, a step size each", lambda: run(DECAYING), "<= 1"),
        ("moments, n = d = 10, 10,000 rounds", lambda: run(big), ""),
        ("moments and constants, 10,000 rounds", lambda: find(CONSTANT), "<= 1"),
        ("moments and constants in rationals, 300 rounds", lambda: find(exact), ""),
        ("all claims on 10,000 rounds", lambda: judge(claims, case), ""),
        ("all ladders", lambda: ladder_records(Profile.DEFAULT), ""),
        ("rates over four decades", lambda: rate_records(Profile.DEFAULT), ""),
    )
    return [Row(f"FedPLT, {name}", seconds(work), "s", limit) for name, work, limit in timed]
