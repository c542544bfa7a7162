"""One round of the algorithms' own `local` and `server` in floats, under every outcome.

The coordinates of masks and noises are listed in full, whether they matter or not, so that sources
are independent of one another.
"""

from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np

from fedbounds.algorithms import random_masks
from fedbounds.algorithms.fedavg_p import Carry
from fedbounds.algorithms.random_masks import RandomMasks
from fedbounds.algorithms.submodel_parts import drawn_with

Array = Any


@dataclass(frozen=True, eq=False)
class Driven:
    """What a round shows; rows are outcomes.

    Attributes
    ----------
    points : array, shape (K, n, rows, d)
        Virtual iterates y_i^0, ..., y_i^{K-1}.
    exact, noisy : arrays, shape (K, n, rows, d)
        Gradients of f_i at m_i o y, before the mask.
    last : array, shape (n, rows, d)
        y_i^K.
    after, free : arrays, shape (rows, d)
        The next model, and what it is without a domain.
    """

    points: Array
    exact: Array
    noisy: Array
    last: Array
    after: Array
    free: Array


def drive(
    problem: Any, algorithm: RandomMasks, before: Array, masks: Array, noise: Array
) -> Driven:
    """One round from models of shape (rows, d), with masks (n, rows, d), noise likewise."""
    carry = Carry(u=before, v=before[None, :, :0].repeat(len(masks), axis=0))
    steps, kept = algorithm.local_steps, []
    drawn = drawn_with(masks.astype(bool), noise.reshape(steps, -1, *noise.shape[3:]))

    def visit(k: int, y: Array, gradient: Array, noisy: Array) -> None:
        kept.append([a.reshape(masks.shape) for a in (y, gradient, noisy)])

    reached = random_masks.local(problem, algorithm, carry, drawn, visit)
    points, exact, noisy = (np.stack(each) for each in zip(*kept, strict=True))
    unbound = replace(algorithm, domain=None)
    after, free = (random_masks.server(a, carry, drawn, reached).u for a in (algorithm, unbound))
    return Driven(points, exact, noisy, reached.reshape(masks.shape), after, free)


def every_mask(keep: tuple[Any, ...], d: int) -> tuple[Array, Array]:
    """All masks of all clients, shape (n, M, d), and their chances (M,), none of them zero."""
    n = len(keep)
    bits = np.array(list(product((0, 1), repeat=n * d)), dtype=float).reshape(-1, n, d)
    p = np.array([float(x) for x in keep])[:, None]
    chance = np.where(bits == 1, p, 1 - p).prod(axis=(1, 2))
    return bits[chance > 0].transpose(1, 0, 2), chance[chance > 0]


def merged(points: Array, chance: Array) -> tuple[Array, Array]:
    """Distinct points and their chances."""
    found, which = np.unique(points, axis=0, return_inverse=True)
    return found, np.bincount(which.reshape(-1), weights=chance)
