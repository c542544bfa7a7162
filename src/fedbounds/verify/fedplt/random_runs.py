"""Runs of random numbers: with as many rounds as can be enumerated, at most 4; and long ones."""

from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.theory.fedplt import long_runs
from fedbounds.theory.fedplt.setups import WAYS, free_step, planned, run_of
from fedbounds.theory.setups import Run

from ..case import Case
from ..profile import Profile
from ..setups.plan import case_of

_COUNT = {Profile.QUICK: 1, Profile.DEFAULT: 5, Profile.THOROUGH: 60}  # runs of each view
_LONG = {Profile.QUICK: 0, Profile.DEFAULT: 1, Profile.THOROUGH: 6}  # pairs
_MOST = 300  # outcomes of a random run
_HESSIANS = {
    1: (((1,),), ((2,),)),
    2: (((1, 0), (0, 1)), ((1, 0), (0, 3)), ((2, 1), (1, 2)), ((2, -1), (-1, 2))),
}


def random_cases(profile: Profile, seed: int) -> Iterator[Case]:
    """Random runs in all ways that their views have."""
    random = Random(seed)
    for view in WAYS:
        for number in range(_COUNT[profile]):
            name = f"random {number + 1} of seed {seed}"
            for one in planned(name, view, random_run(view, random), quick=True):
                yield case_of(one, "FedPLT")


def random_long_cases(profile: Profile, seed: int) -> Iterator[Case]:
    """Three clients, three coordinates, coupled; without noise where masks are partial."""
    for at in range(_LONG[profile]):
        rng = np.random.default_rng((seed, at))
        hessians = [_definite(rng) for _ in range(3)]
        minimisers = rng.integers(-3, 4, (3, 3))
        weights = rng.integers(1, 4, 3).tolist()
        for partial in (False, True):
            masks = rng.integers(0, 2, (3, 3)) if partial else np.ones((3, 3), int)
            masks[np.arange(3), np.arange(3)] = 1
            slopes = [-(h @ (x * (not partial))) for h, x in zip(hessians, minimisers, strict=True)]
            tau, start = int(rng.integers(1, 4)), rng.integers(1, 5, 3).tolist()
            run = long_runs.run_of([h.tolist() for h in hessians], [x.tolist() for x in slopes],
                                   start, 1_000, noise=0 if partial else "1/4",
                                   masks=masks.tolist(), weights=weights, tau=tau,
                                   eta="1/512")  # fmt: skip
            label = f"random {at + 1}, {'partial' if partial else 'full'} masks"
            yield case_of(long_runs.planned(label, run, floats=True), "FedPLT")


def _definite(rng: np.random.Generator) -> Any:
    """Coupled, with curvatures 1/2, 1 and 2: a reflection of a diagonal matrix."""
    v = np.array([fmpq(int(x)) for x in rng.integers(1, 4, 3)], dtype=object)
    one = np.eye(3, dtype=int).astype(object)
    turned = one - np.outer(v, v) * (2 / (v @ v))
    return turned @ np.diag(np.array([fmpq(1, 2), fmpq(1), fmpq(2)], dtype=object)) @ turned


def random_run(view: str, random: Random) -> Run:
    """A run in a view; its clients' models are near their mean, or their mean is the start."""
    n, d, tau = random.choice((1, 2, 2, 3)), random.choice((1, 2, 2)), random.choice((1, 2, 2, 3))
    masks = [_mask(d, random) for _ in range(n)]
    start = [fmpq(random.randint(-3, 3) * random.choice((1, 1, 6))) for _ in range(d)]
    own = [[x + fmpq(random.randint(-4, 4), 2) for x in start] for _ in range(n)]
    noise = random.choice(("0", "0", "1/4", "1"))
    samples = 2 ** (n * d * (tau if view == "rounds" else 1)) if noise != "0" else 1
    counts = [count for count in (1, 2, 3, 4) if samples**count <= _MOST]
    weights = [random.choice((1, 1, 2, 3)) for _ in range(n)]
    average = view == "one step" and random.random() < 0.75
    hessians = [random.choice(_HESSIANS[d]) for _ in range(n)]
    slopes = [[random.randint(-3, 3) for _ in range(d)] for _ in range(n)]
    eta = f"1/{random.choice((2, 4, 8, 16, 32, 64, 128))}"
    if view == "one step":
        at = _mean(own, weights) if average else start
        return free_step(hessians, slopes, masks, at, own, eta=eta, tau=tau, noise=noise,
                         weights=weights)  # fmt: skip
    rounds = random.choice(counts or [1])
    silent = view == "rounds" and not counts
    return run_of(hessians, slopes, masks, start, rounds, eta=eta, tau=tau,
                  noise="0" if silent else noise, weights=weights)  # fmt: skip


def _mean(own: list[list[fmpq]], weights: list[int]) -> list[fmpq]:
    columns = zip(*own, strict=True)
    return [
        sum((x * w for x, w in zip(column, weights, strict=True)), fmpq(0)) / sum(weights)
        for column in columns
    ]


def _mask(d: int, random: Random) -> list[int]:
    mask = [random.choice((0, 1, 1)) for _ in range(d)]
    return mask if any(mask) else [1] * d
