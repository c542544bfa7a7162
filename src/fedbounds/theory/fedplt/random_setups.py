"""Runs of random numbers: with as many rounds as can be listed, at most 4; and long ones."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from fedbounds.theory.language.drawn import Chance, Drawn
from fedbounds.theory.language.setups import Planned, Run

from . import long_runs
from .setups import WAYS, free_step, planned, run_of

_MOST = 300  # outcomes of a run
_HESSIANS = {
    1: (((1,),), ((2,),)),
    2: (((1, 0), (0, 1)), ((1, 0), (0, 3)), ((2, 1), (1, 2)), ((2, -1), (-1, 2))),
}

# ---- small ones


def small_runs(chance: Chance, count: int) -> Iterator[Planned]:
    """In all ways that their views have."""
    for view in WAYS:
        for number in range(count):
            name = f"random {number + 1} of seed {chance.given}"
            yield from planned(name, view, small_run(view, chance), quick=True)


def small_run(view: str, chance: Chance) -> Run:
    """A run in a view; its clients' models are near their mean, or their mean is the start."""
    n, d, tau = chance.choice((1, 2, 2, 3)), chance.choice((1, 2, 2)), chance.choice((1, 2, 2, 3))
    masks = [_mask(d, chance) for _ in range(n)]
    start = [chance.randint(-3, 3) * chance.choice((1, 1, 6)) for _ in range(d)]
    own = [[x + Fraction(chance.randint(-4, 4), 2) for x in start] for _ in range(n)]
    noise = chance.choice(("0", "0", "1/4", "1"))
    samples = 2 ** (n * d * (tau if view == "rounds" else 1)) if noise != "0" else 1
    counts = [count for count in (1, 2, 3, 4) if samples**count <= _MOST]
    weights = [chance.choice((1, 1, 2, 3)) for _ in range(n)]
    average = view == "one step" and chance.random() < 0.75
    hessians = [chance.choice(_HESSIANS[d]) for _ in range(n)]
    slopes = [[chance.randint(-3, 3) for _ in range(d)] for _ in range(n)]
    eta = f"1/{chance.choice((2, 4, 8, 16, 32, 64, 128))}"
    if view == "one step":
        at = _mean(own, weights) if average else start
        return free_step(hessians, slopes, masks, at, own, eta=eta, tau=tau, noise=noise,
                         weights=weights)  # fmt: skip
    rounds = chance.choice(counts or [1])
    silent = view == "rounds" and not counts
    return run_of(hessians, slopes, masks, start, rounds, eta=eta, tau=tau,
                  noise="0" if silent else noise, weights=weights)  # fmt: skip


def _mean(own: list[list[Fraction]], weights: list[int]) -> list[Fraction]:
    columns = zip(*own, strict=True)
    return [
        sum(x * w for x, w in zip(column, weights, strict=True)) / Fraction(sum(weights))
        for column in columns
    ]


def _mask(d: int, chance: Chance) -> list[int]:
    mask = [chance.choice((0, 1, 1)) for _ in range(d)]
    return mask if any(mask) else [1] * d


# ---- long ones

_CURVATURES = (Fraction(1, 2), Fraction(1), Fraction(2))
_NUMBERS = range(3)


def long_runs_of(chance: Chance, count: int) -> Iterator[Planned]:
    """Three clients, three coordinates, coupled; without noise where masks are partial."""
    for at in range(count):
        hessians = [_definite(chance.integers(1, 4, 3)) for _ in _NUMBERS]
        minimisers = chance.integers(-3, 4, (3, 3))
        weights = chance.integers(1, 4, 3)
        for partial in (False, True):
            masks = chance.integers(0, 2, (3, 3)) if partial else [[1] * 3] * 3
            masks = [[int(i == j or masks[i][j]) for j in _NUMBERS] for i in _NUMBERS]
            slopes = [
                [-sum(a * x for a, x in zip(row, least, strict=True)) * (not partial) for row in h]
                for h, least in zip(hessians, minimisers, strict=True)
            ]
            tau, start = chance.integers(1, 4), chance.integers(1, 5, 3)
            run = long_runs.run_of(hessians, slopes, start, 1_000, noise=0 if partial else "1/4",
                                   masks=masks, weights=weights, tau=tau, eta="1/512")  # fmt: skip
            label = f"random {at + 1}, {'partial' if partial else 'full'} masks"
            yield long_runs.planned(label, run, floats=True)


def _definite(v: list[int]) -> Any:
    """Coupled, with curvatures 1/2, 1 and 2: a reflection of a diagonal matrix."""
    size = sum(x * x for x in v)
    turned = [[int(i == j) - Fraction(2 * v[i] * v[j], size) for j in _NUMBERS] for i in _NUMBERS]
    return [
        [sum(a * c * b for a, c, b in zip(row, _CURVATURES, column, strict=True))
         for column in turned]
        for row in turned
    ]  # fmt: skip


DRAWN = (Drawn(small_runs, 1, 5, 60), Drawn(long_runs_of, 0, 1, 6, floats=True))
