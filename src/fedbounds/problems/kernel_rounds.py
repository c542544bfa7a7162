"""Rounds of a linearised network: residuals under a fixed kernel, of any schedule, exactly.

With outputs linear in the model, J J' = P fixed, a client's K steps of size eta turn its residual
xi_c into (I - eta P_cc)^k xi_c, and a round of S turns that of all samples into A_S xi: the mean
over S of A_c = I - eta P_{:,c} (sum_k (I - eta P_cc)^k) E_c. Everything here is in rationals.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from flint import fmpq

from fedbounds.errors import FedboundsError, require

from .deep_linear import Array
from .linear import is_exact
from .spectrum import in_rationals, largest_eigenvalue

MOST = 200_000  # residuals that are looked at for a worst schedule


@dataclass(frozen=True)
class Worst:
    """A schedule on which a squared residual is largest after its last round.

    Attributes
    ----------
    rows : tuple of tuples of int
        1 for the clients of a round.
    value : rational
        The squared residual.
    looked : int
        Residuals that were looked at; all others are certified to end no higher.
    """

    rows: tuple[tuple[int, ...], ...]
    value: fmpq
    looked: int


def client_rounds(kernel: Array, counts: Sequence[int], eta: fmpq, steps: int) -> list[Array]:
    """A_c of every client.

    Parameters
    ----------
    kernel : array, shape (N, N)
        P of all samples, client after client.
    counts : sequence of int
        How many outputs of each client there are; they add up to N.
    """
    size = len(kernel)
    require(tuple(kernel.shape) == (size, size), "shape of the kernel", kernel.shape, "(N, N)")
    fit = sum(counts) == size and min(counts, default=0) >= 1
    require(fit, "outputs of clients", tuple(counts), f"positive, {size} together")
    require(steps >= 1, "local steps K", steps, "at least 1")
    exact = kernel if is_exact(kernel) else in_rationals(kernel)
    found, at = [], 0
    for own in counts:
        block = slice(at, at + own)
        shrink, power = _one(own) - exact[block, block] * eta, _one(own)
        total = power * 0
        for _ in range(steps):
            total, power = total + power, power @ shrink
        move = _one(size)
        move[:, block] = move[:, block] - exact[:, block] @ total * eta
        found.append(move)
        at += own
    return found


def round_of(every: Sequence[Array], row: Sequence[int]) -> Array:
    """A_S, of a row of 0 and 1."""
    taken = [own for own, one in zip(every, row, strict=True) if one]
    require(len(taken) >= 1, "clients of a round", 0, "at least 1")
    found: Array = sum(taken[1:], taken[0]) / fmpq(len(taken))
    return found


def on_schedule(
    every: Sequence[Array], residual: Array, rows: Sequence[Sequence[int]]
) -> list[fmpq]:
    """||xi(t)||^2 of t = 0, ..., T, of these rounds."""
    now, found = residual, [_square(residual)]
    for row in rows:
        now = round_of(every, row) @ now
        found.append(_square(now))
    return found


def in_the_mean(every: Sequence[Array], residual: Array, m: int, rounds: int) -> list[fmpq]:
    """E ||xi(t)||^2 of t = 0, ..., T where m clients are drawn uniformly in every round.

    Of indicators only P(c in S) and P(c, d in S) enter: nothing is listed.
    """
    n = len(every)
    require(1 <= m <= n, "clients of a round", m, f"1 to {n}")
    alone = fmpq(1, m * n)
    pair = fmpq(m - 1, m * n * (n - 1)) if n > 1 else fmpq(0)
    total: Array = sum(every[1:], every[0])
    moment = np.outer(residual, residual)
    found = [sum(np.diagonal(moment))]
    for _ in range(rounds):
        own = [a @ moment @ a.T for a in every]
        moment = sum(own[1:], own[0]) * (alone - pair) + total @ moment @ total.T * pair
        found.append(sum(np.diagonal(moment)))
    return found


def worst_schedule(
    every: Sequence[Array], residual: Array, rounds: int, sizes: Sequence[int], most: int = MOST
) -> Worst:
    """Of all schedules of so many rounds, one with the largest squared residual at the end.

    Branch and bound: a residual is left when what the largest factor of a round could make of it
    in the rounds that are left is no more than what is reached; factors are certified.

    Parameters
    ----------
    sizes : sequence of int
        How many clients a round may have.

    Raises
    ------
    FedboundsError
        If more than ``most`` residuals would have to be looked at.
    """
    require(rounds >= 1, "rounds T", rounds, "at least 1")
    moves = {row: round_of(every, row) for row in _rows(len(every), sizes)}
    top = max(largest_eigenvalue(a.T @ a).upper for a in moves.values())
    best, looked = Worst((), fmpq(-1), 0), 0
    waiting: list[tuple[tuple[tuple[int, ...], ...], Array]] = [((), residual)]
    while waiting:
        rows, now = waiting.pop()
        left, value = rounds - len(rows), _square(now)
        looked += 1
        if looked > most:
            raise FedboundsError(
                f"the worst schedule of {rounds} rounds needs more than {most} residuals"
            )
        if left == 0:
            best = Worst(rows, value, 0) if value > best.value else best
        elif value * top**left > best.value:
            after = [((*rows, row), a @ now) for row, a in moves.items()]
            waiting.extend(sorted(after, key=lambda own: _square(own[1])))  # the largest first
    return Worst(best.rows, best.value, looked)


def _rows(n: int, sizes: Sequence[int]) -> Iterator[tuple[int, ...]]:
    for size in sorted(set(sizes)):
        require(1 <= size <= n, "clients of a round", size, f"1 to {n}")
        for own in combinations(range(n), size):
            yield tuple(int(c in own) for c in range(n))


def _square(x: Array) -> fmpq:
    found: fmpq = x @ x
    return found


def _one(size: int) -> Array:
    found = np.full((size, size), fmpq(0), dtype=object)
    for i in range(size):
        found[i, i] = fmpq(1)
    return found
