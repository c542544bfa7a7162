"""Epochs of rolling masks in full: every order and every noise of an epoch is a row.

Rows keep their history through an epoch; starts of epochs that are equal are merged.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import permutations, product
from math import factorial
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.algorithms import rolling_masks, submodel_parts
from fedbounds.algorithms.rolling_masks import Carry, RollingMasks
from fedbounds.errors import require
from fedbounds.problems import FederatedQuadratic, Noise, NoiseLaw, Start
from fedbounds.problems.linear import rational

from .moments_drive import draws
from .rounds_enumerated import EnumeratedRound

Array = Any
MOST_ROWS = 40_000


@dataclass(frozen=True, eq=False)
class Starts:
    """The law of the start of an epoch: points (P, d) and their chances."""

    points: Array
    chance: Array


@dataclass(frozen=True, eq=False)
class Outcomes:
    """Every outcome b of an epoch from one start.

    Attributes
    ----------
    chance : array of rationals, shape (B,)
    order : array of int, shape (n, B, S)
    noise : array of rationals, shape (S, K, n, B, d), or None
        Zero off the masks, where nothing follows it.
    """

    chance: Array
    order: np.ndarray
    noise: Array | None


@dataclass(frozen=True, eq=False)
class Epoch:
    """All that happens in an epoch; the row axis lists starts times outcomes.

    Attributes
    ----------
    chance : array, shape (rows,)
    start : array, shape (rows, d)
        x.
    order : array of int, shape (n, rows, S)
    rounds : tuple of S rounds with the same rows
    """

    chance: Array
    start: Array
    order: np.ndarray
    rounds: tuple[EnumeratedRound, ...]

    @property
    def end(self) -> Array:
        """Where the algorithm starts the next epoch."""
        return self.rounds[-1].after


@dataclass(frozen=True, eq=False)
class Epochs:
    """Starts of epochs 0, ..., E (of which E is the end of the last), and the E epochs."""

    starts: tuple[Starts, ...]
    epochs: tuple[Epoch, ...]


def orders_of(algorithm: RollingMasks) -> np.ndarray:
    """Every order of an epoch, equally likely, shape (n, B, S)."""
    n, epoch = algorithm.participants, algorithm.epoch
    owners = 1 if algorithm.shared_order else n
    count = factorial(epoch) ** owners
    require(count <= MOST_ROWS, "number of orders", count, f"at most {MOST_ROWS}")
    single = list(permutations(range(epoch)))
    every = np.array(list(product(single, repeat=owners)))
    return np.repeat(every.transpose(1, 0, 2), n // owners, axis=0)


def outcomes_of(algorithm: RollingMasks, noise: Noise, d: int) -> Outcomes:
    """Every order with every sign of the noise on the masks.

    Raises
    ------
    FedboundsError
        If the noise has infinitely many outcomes, or there are too many.
    """
    order = orders_of(algorithm)
    count, scale = order.shape[1], rational(noise.scale_u)
    chance = np.full(count, fmpq(1, count), dtype=object)
    if scale == 0:
        return Outcomes(chance, order, None)
    require(noise.law is NoiseLaw.RADEMACHER, "noise law", noise.law,
            f"{NoiseLaw.RADEMACHER} to enumerate it")  # fmt: skip
    steps = algorithm.local_steps
    kept = steps * int(np.sum(algorithm.masks))
    rows = count * 2**kept
    require(rows <= MOST_ROWS, "number of outcomes of an epoch", rows,
            f"at most {MOST_ROWS} to enumerate them")  # fmt: skip
    signs = np.array(list(product((-scale, scale), repeat=kept)), dtype=object)
    noises = []
    for b in range(count):
        masks = _masks_of(algorithm, order[:, b : b + 1])[:, :, 0]
        live = np.broadcast_to(masks[:, None], (len(masks), steps, *masks.shape[1:]))
        each = np.full((2**kept, live.size), fmpq(0), dtype=object)
        each[:, np.flatnonzero(live)] = signs
        noises.append(each.reshape(-1, *live.shape))
    return Outcomes(
        chance=np.repeat(chance, 2**kept) / 2**kept,
        order=np.repeat(order, 2**kept, axis=1),
        noise=np.concatenate(noises).transpose(1, 2, 3, 0, 4),
    )


def _masks_of(algorithm: RollingMasks, order: np.ndarray) -> np.ndarray:
    """m_{i, pi(s)}, shape (S, n, rows, d)."""
    return np.stack([rolling_masks.masks_at(algorithm, order, s) for s in range(algorithm.epoch)])


def enumerate_epochs(
    problem: FederatedQuadratic, algorithm: RollingMasks, start: Start, epochs: int
) -> Epochs:
    """Every outcome of E epochs on a rational problem.

    Raises
    ------
    FedboundsError
        If there are too many rows, or the noise has infinitely many outcomes.
    """
    require(epochs >= 0, "epochs", epochs, "at least 0")
    algorithm = replace(algorithm, inner_step_u=rational(algorithm.inner_step_u))
    outcomes = outcomes_of(algorithm, problem.noise, problem.shared_dimension)
    begun = rolling_masks.init(problem, algorithm, start, 1).u
    starts = [Starts(begun, np.array([fmpq(1)], dtype=object))]
    found = []
    for _ in range(epochs):
        found.append(_epoch(problem, algorithm, starts[-1], outcomes))
        starts.append(_merged(found[-1]))
    return Epochs(tuple(starts), tuple(found))


def _epoch(
    problem: FederatedQuadratic, algorithm: RollingMasks, starts: Starts, outcomes: Outcomes
) -> Epoch:
    count, each = len(starts.points), len(outcomes.chance)
    rows = count * each
    require(rows <= MOST_ROWS, "number of outcomes of an epoch", rows,
            f"at most {MOST_ROWS} to enumerate them")  # fmt: skip
    state = np.repeat(np.arange(count), each)
    start = starts.points[state]
    order = np.tile(outcomes.order, (1, count, 1))
    chance = starts.chance[state] * np.tile(outcomes.chance, count)
    noise = None if outcomes.noise is None else np.tile(outcomes.noise, (1, 1, 1, count, 1))
    rounds = tuple(_rounds(problem, algorithm, start, order, noise, chance, state))
    return Epoch(chance, start, order, rounds)


def _rounds(
    problem: FederatedQuadratic,
    algorithm: RollingMasks,
    start: Array,
    order: np.ndarray,
    noise: Array | None,
    chance: Array,
    state: Array,
) -> Iterator[EnumeratedRound]:
    v = start[None, :, :0].repeat(problem.clients, axis=0)
    carry = Carry(u=start, v=v)
    for s, masks in enumerate(_masks_of(algorithm, order)):
        drawn = draws(masks, None if noise is None else noise[s])
        kept: list[tuple[Array, ...]] = []

        def visit(k: int, y: Array, gradient: Array, noisy: Array, kept: Any = kept) -> None:
            kept.append((y, gradient, noisy))

        reached = rolling_masks.local(problem, algorithm, carry, drawn, visit)
        y, gradients, noisy = (
            np.stack([a.reshape(masks.shape) for a in each]) for each in zip(*kept, strict=True)
        )
        after = rolling_masks.server(algorithm, carry, drawn, reached)
        last = submodel_parts.filled(carry, drawn, reached)
        yield EnumeratedRound(
            chance=chance,
            state=state,
            before=carry.u,
            after=after.u,
            masks=masks,
            virtual=np.concatenate([y, last[None]]),
            gradients=gradients,
            noisy=noisy,
        )
        carry = after


def _merged(found: Epoch) -> Starts:
    """Where the next epoch starts, equal points added up."""
    chances: dict[tuple[fmpq, ...], fmpq] = {}
    for point, chance in zip(found.end.tolist(), found.chance, strict=True):
        chances[tuple(point)] = chances.get(tuple(point), fmpq(0)) + chance
    return Starts(
        np.array(list(chances), dtype=object), np.array(list(chances.values()), dtype=object)
    )
