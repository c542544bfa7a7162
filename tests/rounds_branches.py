"""What can happen in one round of sub-model training: masks, noise signs, and their chances."""

from dataclasses import dataclass
from functools import reduce, singledispatch
from itertools import product
from math import prod
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.algorithms.random_masks import RandomMasks
from fedbounds.algorithms.rolling_masks import RollingMasks
from fedbounds.errors import FedboundsError, require
from fedbounds.problems import Noise, NoiseLaw
from fedbounds.problems.linear import rational

Array = Any
Mask = tuple[int, ...]
Visited = tuple[frozenset[int], ...]  # per client, or one for all; empty where nothing is visited


@dataclass(frozen=True)
class Choice:
    """Masks that some of the clients may get, and what is visited then.

    Attributes
    ----------
    chance : rational
    masks : tuple of masks
    visited : sets of sub-models
    """

    chance: fmpq
    masks: tuple[Mask, ...]
    visited: Visited = ()


@dataclass(frozen=True, eq=False)
class Branches:
    """Every outcome b of a round.

    Attributes
    ----------
    chance : array of rationals, shape (B,)
    masks : bool array, shape (n, B, d)
    noise : array of rationals, shape (K, n, B, d), or None
        Zero off the masks, where nothing follows it.
    visited : list of B sets per client
    """

    chance: Array
    masks: Array
    noise: Array | None
    visited: list[Visited]


def nothing_visited(algorithm: Any) -> Visited:
    """The sets at the start of an epoch."""
    if not isinstance(algorithm, RollingMasks):
        return ()
    return (frozenset(),) * (1 if algorithm.shared_order else algorithm.participants)


@singledispatch
def groups_of(algorithm: Any, visited: Visited, d: int) -> list[list[Choice]]:
    """Independent groups of clients, in order, and the choices of each."""
    kind = type(algorithm).__name__
    raise FedboundsError(f"algorithm is a {kind}; expected random or rolling masks")


@groups_of.register
def _(algorithm: RandomMasks, visited: Visited, d: int) -> list[list[Choice]]:
    return [_bernoulli(rational(p), d) for p in algorithm.keep]


def _bernoulli(p: fmpq, d: int) -> list[Choice]:
    found = [Choice(p ** sum(m) * (1 - p) ** (d - sum(m)), (m,)) for m in product((0, 1), repeat=d)]
    return [choice for choice in found if choice.chance != 0]


@groups_of.register
def _(algorithm: RollingMasks, visited: Visited, d: int) -> list[list[Choice]]:
    owned = [algorithm.masks] if algorithm.shared_order else [(own,) for own in algorithm.masks]
    return [_next(own, seen) for own, seen in zip(owned, visited, strict=True)]


def _next(own: tuple[tuple[Mask, ...], ...], seen: frozenset[int]) -> list[Choice]:
    """The sub-models that are left, equally likely; the last one ends the epoch."""
    left = [s for s in range(len(own[0])) if s not in seen]
    over = len(left) == 1
    return [
        Choice(fmpq(1, len(left)), tuple(masks[s] for masks in own),
               (frozenset() if over else seen | {s},))
        for s in left
    ]  # fmt: skip


def signs_of(noise: Noise, kept: int, steps: int) -> int:
    """How many outcomes the noise on so many coordinates has."""
    return int(2 ** (kept * steps)) if noise.scale_u != 0 else 1


def count_branches(algorithm: Any, noise: Noise, visited: Visited, d: int) -> int:
    """B, without listing the outcomes."""
    steps = algorithm.local_steps
    return prod(
        sum(signs_of(noise, sum(map(sum, choice.masks)), steps) for choice in group)
        for group in groups_of(algorithm, visited, d)
    )


def branches(algorithm: Any, noise: Noise, visited: Visited, d: int) -> Branches:
    """Every outcome of a round from these visited sets.

    Raises
    ------
    FedboundsError
        If the noise has infinitely many outcomes.
    """
    noisy = noise.scale_u != 0
    if noisy:
        require(noise.law is NoiseLaw.RADEMACHER, "noise law", noise.law,
                f"{NoiseLaw.RADEMACHER} to enumerate it")  # fmt: skip
    groups = groups_of(algorithm, visited, d)
    every = [_expanded(group, noise, algorithm.local_steps, d) for group in groups]
    at = np.indices([len(chance) for chance, _, _, _ in every]).reshape(len(every), -1)
    chances = (own[0][i] for own, i in zip(every, at, strict=True))
    seen = ([own[3][j] for j in i] for own, i in zip(every, at, strict=True))
    return Branches(
        chance=reduce(lambda a, b: a * b, chances),
        masks=np.concatenate([own[1][:, i] for own, i in zip(every, at, strict=True)]),
        noise=np.concatenate([own[2][:, :, i] for own, i in zip(every, at, strict=True)], axis=1)
        if noisy
        else None,
        visited=[sum(parts, ()) for parts in zip(*seen, strict=True)],
    )


def _expanded(
    group: list[Choice], noise: Noise, steps: int, d: int
) -> tuple[Array, Array, Array, list[Visited]]:
    """Choices times signs: chances (B,), masks (g, B, d), noise (K, g, B, d) and visited sets."""
    scale = rational(noise.scale_u)
    chances, masks, noises, visited = [], [], [], []
    for choice in group:
        mask = np.array(choice.masks, dtype=bool)
        live = np.flatnonzero(np.broadcast_to(mask, (steps, *mask.shape)))
        count = signs_of(noise, int(mask.sum()), steps)
        for signs in product((-scale, scale), repeat=len(live)) if count > 1 else [()]:
            rows = np.full(steps * mask.size, fmpq(0), dtype=object)
            rows[live[: len(signs)]] = signs
            chances.append(choice.chance / count)
            masks.append(mask)
            noises.append(rows.reshape(steps, *mask.shape))
            visited.append(choice.visited)
    return (
        np.array(chances, dtype=object),
        np.stack(masks, axis=1),
        np.stack(noises, axis=2),
        visited,
    )
