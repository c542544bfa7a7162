"""Runs on several data sets under the same draws, on R^d with squares: first and second moments.

With squares a client's model after a round is affine in w, given its mask and its indices. The
joint state is x = (w on every data set, 1); clients draw independently, so that E[x x'] follows
from the clients' own first and second moments. All in rationals, for any number of rounds.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import fmpq, fmpq_mat

from fedbounds.algorithms import random_masks, submodel_parts
from fedbounds.algorithms.fedavg_p import Carry
from fedbounds.algorithms.masks import every_mask, mask_chances
from fedbounds.algorithms.random_masks import RandomMasks
from fedbounds.algorithms.submodel_parts import drawn_with
from fedbounds.errors import FedboundsError, require
from fedbounds.problems.linear import is_positive_definite, rational
from fedbounds.problems.sampled_regression import SampledRegression

Array = Any


@dataclass(frozen=True, eq=False)
class AffineRound:
    """x+ = (1/n) sum_i M_i x, the M_i independent: chances (B,) and matrices (B, D, D) of each."""

    clients: tuple[tuple[Array, Array], ...]
    dimension: int

    def mean(self, x: Array) -> Array:
        """E of x after a round."""
        found: Array = sum(means @ x for means in self.means()) / len(self.clients)
        return found

    def means(self) -> list[Array]:
        """E M_i of each client."""
        return [(chance[:, None, None] * maps).sum(axis=0) for chance, maps in self.clients]

    def second(self, moment: Array) -> Array:
        """E[x x'] after a round."""
        means = self.means()
        total: Array = sum(means)
        found = total @ moment @ total.T
        for own, (chance, maps) in zip(means, self.clients, strict=True):
            every = sum(c * (m @ moment @ m.T) for c, m in zip(chance, maps, strict=True))
            found = found + every - own @ moment @ own.T
        return found / len(self.clients) ** 2


def affine_round(problems: tuple[SampledRegression, ...], algorithm: RandomMasks) -> AffineRound:
    """A round on these data sets, driven from w = 0 and from the unit vectors.

    Raises
    ------
    FedboundsError
        If rounds are projected, or losses are not squares.
    """
    require(algorithm.domain is None, "domain", algorithm.domain, "None: rounds are affine")
    require(problems[0].loss.threshold is None, "loss", problems[0].loss, "squares")
    driven = [_client_maps(problem, algorithm) for problem in problems]
    d, sets, zero = problems[0].shared_dimension, len(problems), fmpq(0)
    clients = []
    for i in range(problems[0].clients):
        chance = driven[0][i][0]
        joint = np.full((len(chance), sets * d + 1, sets * d + 1), zero, dtype=object)
        joint[:, -1, -1] = fmpq(1)
        for at, every in enumerate(driven):
            own = slice(at * d, (at + 1) * d)
            joint[:, own, own] = every[i][1][:, :, :-1]
            joint[:, own, -1] = every[i][1][:, :, -1]
        clients.append((chance, joint))
    return AffineRound(tuple(clients), d)


def _client_maps(problem: SampledRegression, algorithm: RandomMasks) -> list[tuple[Array, Array]]:
    """Of each client: chances (B,) and maps (B, d, d + 1), a matrix and a shift."""
    d, n, steps = problem.shared_dimension, problem.clients, algorithm.local_steps
    draws, masks = problem.noise_outcomes(steps), every_mask(d)
    count = len(draws) * len(masks)
    drawn_masks = np.repeat(np.repeat(masks, len(draws), axis=0), d + 1, axis=0)
    indices = np.repeat(np.tile(draws, (len(masks), 1)), d + 1, axis=0)
    basis = np.concatenate([np.eye(d, dtype=int), np.zeros((1, d), dtype=int)]).astype(object)
    states = np.tile(basis * fmpq(1), (count, 1))
    carry = Carry(u=states, v=states[None, :, :0].repeat(n, axis=0))
    draw = drawn_with(np.stack([drawn_masks] * n), np.tile(indices, (n, 1)).T)
    reached = random_masks.local(problem, algorithm, carry, draw)
    models = submodel_parts.filled(carry, draw, reached).reshape(n, count, d + 1, d)
    maps = np.concatenate([models[:, :, :d] - models[:, :, d:], models[:, :, d:]], axis=2)
    found = []
    for i, p in enumerate(algorithm.keep):
        chances = np.array(mask_chances(rational(p), masks), dtype=object)
        each = np.repeat(chances, len(draws)) / len(draws)
        found.append((each, np.swapaxes(maps[i], 1, 2)))
    return found


def contracts(affine: AffineRound, at: int) -> bool:
    """Whether E ||C v||^2 < ||v||^2 for all v, C the matrix of one data set: then limits exist."""
    d = affine.dimension
    own = slice(at * d, (at + 1) * d)
    zero = np.full((d, d), fmpq(0), dtype=object)
    total, squares = zero, zero
    n = len(affine.clients)
    for chance, maps in affine.clients:
        cut = maps[:, own, own]
        mean = (chance[:, None, None] * cut).sum(axis=0)
        total = total + mean
        squares = squares + sum(c * (m.T @ m) for c, m in zip(chance, cut, strict=True))
        squares = squares - mean.T @ mean
    one = np.eye(d, dtype=int).astype(object)
    return is_positive_definite(one - (squares + total.T @ total) / n**2)


def limit(affine: AffineRound) -> Array:
    """The limit of E[x x'] over rounds, whatever the start.

    Raises
    ------
    FedboundsError
        If a round is not seen to contract on every data set.
    """
    size = affine.clients[0][1].shape[1]
    d = affine.dimension
    if not all(contracts(affine, at) for at in range((size - 1) // d)):
        raise FedboundsError("a round does not contract in mean square; no limit is certified")
    means = affine.means()
    n, total = len(means), sum(means)
    kernel: Array = np.kron(total, total)
    for own, (chance, maps) in zip(means, affine.clients, strict=True):
        every = sum(c * np.kron(m, m) for c, m in zip(chance, maps, strict=True))
        kernel = kernel + every - np.kron(own, own)
    kernel = kernel / n**2
    free = [at for at in range(size * size) if at != size * size - 1]
    one = np.eye(len(free), dtype=int).astype(object)
    found = _solved(one - kernel[np.ix_(free, free)], kernel[free, -1])
    return np.concatenate([found, [fmpq(1)]]).reshape(size, size)


def _solved(matrix: Array, right: Array) -> Array:
    rows = len(right)
    flat = fmpq_mat(rows, rows, list(matrix.reshape(-1) * fmpq(1)))
    found = flat.solve(fmpq_mat(rows, 1, list(right * fmpq(1))))
    return np.array([found[at, 0] for at in range(rows)], dtype=object)
