"""Limits of rolling masks on quadratics as epochs go on, exact.

An epoch in a given order is x+ = A x + b + noise, around a point c. A random one of these maps,
drawn afresh each time, with E[A'A] < I makes means and second moments tend to the one solution of
their linear equations, from any start; nothing is iterated.
"""

from dataclasses import dataclass, replace
from itertools import permutations, product
from math import factorial
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.algorithms.rolling_masks import RollingMasks
from fedbounds.errors import FedboundsError, require
from fedbounds.problems import FederatedQuadratic
from fedbounds.problems.linear import is_positive_definite, solve

from .rolling_moments import rolling_epoch

Array = Any
MOST_COORDINATES = 4
MOST_ORDERS = 40_000


@dataclass(frozen=True, eq=False)
class Affine:
    """x+ = matrix x + shift + noise of this covariance, with a chance."""

    matrix: Array
    shift: Array
    noise: Array
    chance: fmpq

    def then(self, later: "Affine") -> "Affine":
        """This map, and after it an independent other one; the chance remains."""
        return Affine(
            later.matrix @ self.matrix,
            later.matrix @ self.shift + later.shift,
            later.matrix @ self.noise @ later.matrix.T + later.noise,
            self.chance,
        )


@dataclass(frozen=True, eq=False)
class Rounds:
    """What every sub-model of every owner of an order does to x = w - centre.

    Attributes
    ----------
    centre : array, shape (d,)
        w*(M) over R^d.
    maps : array, shape (owners, S, d, d + 1)
        A round's map is the sum over owners.
    noise : array, shape (owners, S, d, d)
    """

    algorithm: RollingMasks
    centre: Array
    maps: Array
    noise: Array

    def at(self, turns: tuple[int, ...]) -> Affine:
        """The round in which owner o's sub-model turns[o] is trained."""
        both = sum(own[turn] for own, turn in zip(self.maps, turns, strict=True))
        noise = sum(own[turn] for own, turn in zip(self.noise, turns, strict=True))
        return Affine(both[:, :-1], both[:, -1], noise, fmpq(1))

    def epoch(self, orders: Array) -> list[Affine]:
        """The rounds of an epoch in an order of shape (owners, S)."""
        return [self.at(tuple(turns)) for turns in np.asarray(orders).T.tolist()]


def rounds_of(problem: FederatedQuadratic, algorithm: RollingMasks) -> Rounds:
    """The rounds of an algorithm, without its projection."""
    d = problem.shared_dimension
    require(d <= MOST_COORDINATES, "dimension d", d, f"at most {MOST_COORDINATES} for exact limits")
    free = replace(algorithm, domain=None, project_each_round=False)
    first = [tuple(range(algorithm.epoch))] * (1 if algorithm.shared_order else problem.clients)
    found = rolling_epoch(problem, free, first)
    return Rounds(algorithm, found.driver.centre, found.maps, found.noise)


def every_order(rounds: Rounds) -> list[list[Affine]]:
    """The rounds of an epoch in every order, equally likely."""
    orders = orders_of(rounds.algorithm)[: len(rounds.maps)].transpose(1, 0, 2)
    return [rounds.epoch(order) for order in orders]


def joined(rounds: list[Affine], chance: fmpq) -> Affine:
    """Successive rounds as one map."""
    found = replace(rounds[0], chance=chance)
    for each in rounds[1:]:
        found = found.then(each)
    return found


def shuffled(rounds: Rounds) -> list[Affine]:
    """An epoch in a uniform order."""
    orders = every_order(rounds)
    return [joined(order, fmpq(1, len(orders))) for order in orders]


def in_order(rounds: Rounds) -> list[Affine]:
    """An epoch in the order 1, ..., S for everybody."""
    owners, epoch = rounds.maps.shape[:2]
    return [joined(rounds.epoch([list(range(epoch))] * owners), fmpq(1))]


def drawn(rounds: Rounds) -> list[Affine]:
    """A round with a sub-model drawn anew, by each owner."""
    owners, epoch = rounds.maps.shape[:2]
    every = list(product(range(epoch), repeat=owners))
    return [replace(rounds.at(turns), chance=fmpq(1, len(every))) for turns in every]


@dataclass(frozen=True, eq=False)
class Stationary:
    """E x and E x x' that remain."""

    mean: Array
    second: Array

    def distance(self, point: Array) -> fmpq:
        """E ||x - point||^2."""
        found: fmpq = self.second.trace() - 2 * (self.mean @ point) + point @ point
        return found


def stationary(maps: list[Affine]) -> Stationary:
    """Where a random one of these maps, drawn afresh each time, tends to in mean square.

    Raises
    ------
    FedboundsError
        If E[A'A] < I fails, so that this does not show a limit.
    """
    d = len(maps[0].shift)
    if not is_positive_definite(_identity(d) - _mean([m.matrix.T @ m.matrix for m in maps], maps)):
        raise FedboundsError("E[A'A] is not below I; expected an epoch that contracts")
    left = _identity(d) - _mean([m.matrix for m in maps], maps)
    mean = _solved(left, _mean([m.shift for m in maps], maps))
    crossed = [np.outer(m.matrix @ mean, m.shift) for m in maps]
    pushed = _mean(
        [x + x.T + np.outer(m.shift, m.shift) + m.noise
         for x, m in zip(crossed, maps, strict=True)], maps,
    )  # fmt: skip
    doubled = _identity(d * d) - _mean([np.kron(m.matrix, m.matrix) for m in maps], maps)
    return Stationary(mean, _solved(doubled, pushed.reshape(-1)).reshape(d, d))


def spread(maps: list[Affine], x: Array) -> fmpq:
    """Variance over the maps of where they take x, without noise."""
    ends = [m.matrix @ x + m.shift for m in maps]
    mean = _mean(ends, maps)
    found: fmpq = _mean([(end - mean) @ (end - mean) for end in ends], maps)
    return found


def _mean(values: list[Any], maps: list[Affine]) -> Any:
    return sum(m.chance * value for m, value in zip(maps[1:], values[1:], strict=True)) + (
        maps[0].chance * values[0]
    )


def _solved(matrix: Array, right: Array) -> Array:
    found = solve(matrix, right[:, None])
    assert found is not None  # the maps contract
    return found[:, 0]


def _identity(d: int) -> Array:
    return np.array([[fmpq(int(a == b)) for a in range(d)] for b in range(d)], dtype=object)


def orders_of(algorithm: RollingMasks) -> np.ndarray:
    """Every order of an epoch, equally likely, shape (n, B, S)."""
    n, epoch = algorithm.participants, algorithm.epoch
    owners = 1 if algorithm.shared_order else n
    count = factorial(epoch) ** owners
    require(count <= MOST_ORDERS, "number of orders", count, f"at most {MOST_ORDERS}")
    single = list(permutations(range(epoch)))
    every = np.array(list(product(single, repeat=owners)))
    return np.repeat(every.transpose(1, 0, 2), n // owners, axis=0)
