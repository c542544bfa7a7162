"""What long runs of FedPLT cost: exact moments, certified constants, and verdicts on them."""

import time
from collections.abc import Callable

import numpy as np

from fedbounds.theory.fedplt.ladders import FLOORS, RATES
from fedbounds.theory.fedplt.long_runs import (
    DECAYING,
    own_minimisers,
    partial_masks,
    planned,
    run_of,
    setup,
)
from fedbounds.theory.language.registry import encoded_claims
from fedbounds.theory.language.setups import Run
from fedbounds.verify.decide.case import find
from fedbounds.verify.decide.profile import Profile
from fedbounds.verify.judge.judge import judge
from fedbounds.verify.setups.found import InFloats, followed, view_of
from fedbounds.verify.setups.ladders import course, ladder
from fedbounds.verify.setups.plan import case_of

from .workloads import Row

CONSTANT = own_minimisers(10_000, noise="1/2", tau=5, eta="1/64")
CHANGING = own_minimisers(10_000, noise="1/2", tau=5, eta=DECAYING, z=1)


def larger() -> Run:
    """Ten clients, ten coordinates, each client trains all."""
    rng = np.random.default_rng(0)
    hessians = [np.diag(row).tolist() for row in rng.integers(1, 4, (10, 10))]
    slopes = rng.integers(-3, 4, (10, 10)).tolist()
    ones = np.ones((10, 10), int).tolist()
    return run_of(hessians, slopes, [1] * 10, 10_000, noise="1/2", masks=ones,
                  weights=[1] * 10, tau=5, eta="1/64")  # fmt: skip


def moments(run: Run) -> None:
    """Of all rounds, with what is followed besides."""
    followed.cache_clear()
    _ = followed(run, view_of(setup(run)), True).found


def found(run: Run, *, floats: bool) -> None:
    """Everything that the run shows, made anew."""
    followed.cache_clear()
    find(InFloats(setup(run)) if floats else setup(run))


def seconds(work: Callable[[], object]) -> float:
    """Best of three."""

    def once() -> float:
        began = time.perf_counter()
        work()
        return time.perf_counter() - began

    return min(once() for _ in range(3))


def rows() -> list[Row]:
    """Lines of the table about FedPLT."""
    claims, case = encoded_claims("fedplt"), case_of(planned("x", CONSTANT, floats=True), "FedPLT")
    exact, big = partial_masks(300, "1/256"), larger()
    timed: tuple[tuple[str, Callable[[], object], str], ...] = (
        ("moments, 10,000 rounds, one step size", lambda: moments(CONSTANT), "<= 1"),
        ("moments, 10,000 rounds, a step size each", lambda: moments(CHANGING), "<= 1"),
        ("moments, n = d = 10, 10,000 rounds", lambda: moments(big), ""),
        ("moments and constants, 10,000 rounds", lambda: found(CONSTANT, floats=True), "<= 1"),
        ("moments and constants in rationals, 300 rounds", lambda: found(exact, floats=False), ""),
        ("all claims on 10,000 rounds", lambda: judge(claims, case), ""),
        ("all ladders", lambda: [ladder(one, Profile.DEFAULT) for one in FLOORS], ""),
        ("rates over four decades", lambda: [course(one, Profile.DEFAULT) for one in RATES], ""),
    )
    return [Row(f"FedPLT, {name}", seconds(work), "s", limit) for name, work, limit in timed]
