"""Which sub-models of an epoch were visited, as sets: 2^S S transitions instead of S! orders.

Given the set V of visited sub-models their order is uniform, so the last one is uniform in V and
what came before is the law given V without it. With one order per client, V is a set per client.
"""

from dataclasses import dataclass
from itertools import combinations, product
from math import comb
from typing import Any

import numpy as np

from fedbounds.errors import require

MOST_TRANSITIONS = 600_000


@dataclass(frozen=True, eq=False)
class Transition:
    """A round that visits sub-model ``turns[o]`` of owner o: sets ``before`` become ``after``."""

    turns: tuple[int, ...]
    before: np.ndarray
    after: np.ndarray


@dataclass(frozen=True, eq=False)
class Layer:
    """Round s of an epoch: ``count`` sets are possible after it, each reached ``ways`` ways."""

    count: int
    ways: int
    transitions: tuple[Transition, ...]


def layers_of(epoch: int, owners: int) -> tuple[Layer, ...]:
    """The rounds of an epoch of S sub-models in a uniform order, one per owner.

    Raises
    ------
    FedboundsError
        If there are more than `MOST_TRANSITIONS`.
    """
    work = sum((comb(epoch, s) * s) ** owners for s in range(1, epoch + 1))
    require(work <= MOST_TRANSITIONS, "transitions between sets of visited sub-models", work,
            f"at most {MOST_TRANSITIONS}")  # fmt: skip
    found = []
    old = _codes(epoch, owners, 0)
    for s in range(1, epoch + 1):
        new = _codes(epoch, owners, s)
        transitions = []
        for turns in product(range(epoch), repeat=owners):
            bits = sum(1 << (epoch * o + turn) for o, turn in enumerate(turns))
            after = np.flatnonzero((new & bits) == bits)
            transitions.append(Transition(turns, np.searchsorted(old, new[after] - bits), after))
        found.append(Layer(len(new), s**owners, tuple(transitions)))
        old = new
    return tuple(found)


def layers_in(order: tuple[tuple[int, ...], ...]) -> tuple[Layer, ...]:
    """The rounds of an epoch in a given order per owner."""
    one = np.zeros(1, dtype=np.int64)
    turns = zip(*order, strict=True)
    return tuple(Layer(1, 1, (Transition(tuple(at), one, one),)) for at in turns)


def checked_order(given: Any, epoch: int, owners: int) -> tuple[tuple[int, ...], ...]:
    """One permutation of 0, ..., S - 1 per owner; a single one may stand alone."""
    order = np.atleast_2d(np.asarray(given))
    fits = order.shape == (owners, epoch)
    require(fits, "shape of the order", order.shape, f"({owners}, {epoch})")
    for row in order.tolist():
        require(sorted(row) == list(range(epoch)), "order", row, f"each of 0..{epoch - 1} once")
    return tuple(map(tuple, order.tolist()))


def _codes(epoch: int, owners: int, size: int) -> np.ndarray:
    """Every tuple of sets of this size, as sorted numbers."""
    single = np.array(
        [sum(1 << t for t in chosen) for chosen in combinations(range(epoch), size)], dtype=np.int64
    )
    found = np.zeros(1, dtype=np.int64)
    for owner in range(owners):
        found = (found[:, None] + (single << (epoch * owner))[None, :]).reshape(-1)
    return np.sort(found)
