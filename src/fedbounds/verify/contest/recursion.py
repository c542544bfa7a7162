"""The expectation of an error in every round, without sampling, fast enough for a grid of runs.

Second moments M follow the linear recursion of `verify.moments`. An error is a linear form of M,
so only the entries of M that it depends on, directly or through later rounds, are carried; the
others are left out by which entries of the round's matrices are zero. Many rounds are then one
matrix product: with O the rows w, wP, ..., wP^(B-1), the values of B rounds are O x.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from fedbounds.algorithms.fedavg_p import FedAvgP
from fedbounds.errors import FedboundsError
from fedbounds.problems import FederatedQuadratic, Start
from fedbounds.verify.affine import AffineRound, driver_of, only, read_off
from fedbounds.verify.moments import initial_moment

Array = Any
_BLOCK = 256  # rounds per matrix product
_MOST = 2500  # entries of M: P is then 50 MB


@dataclass(frozen=True, eq=False)
class Recursion:
    """x^(t+1) = P x^t, and the error of round t is w x^t + c.

    Attributes
    ----------
    matrix : array, shape (N, N)
        P.
    weights : array, shape (N,)
        w.
    offset : float
        c, from noise within the round.
    first : array, shape (N,)
        x^0: second moments of the start, one for each unordered pair of coordinates.
    """

    matrix: Array
    weights: Array
    offset: float
    first: Array

    def values(self) -> Iterator[Array]:
        """Errors of the rounds in order, block by block; endless."""
        rows, power, x = self.weights[None, :], self.matrix, self.first
        with np.errstate(over="ignore", invalid="ignore"):  # divergence shows in the values
            yield rows @ x + self.offset
            while len(rows) < _BLOCK:
                yield rows @ (power @ x) + self.offset
                rows, power = np.concatenate([rows, rows @ power]), power @ power
            while True:
                x = power @ x
                yield rows @ x + self.offset


def error_recursion(
    problem: FederatedQuadratic, algorithm: FedAvgP, start: Start, error: dict[str, float]
) -> Recursion:
    """The recursion of sum_q error[q] E q, q the names of measured quantities.

    Raises
    ------
    FedboundsError
        If a round is not affine in state, noise and participation, or the state is too large.
    """
    driver = driver_of(problem, algorithm)
    found = only(read_off(driver), frozenset(error))
    share = np.array([error[name.value] for name in found.names])
    form = np.tensordot(share, found.quadratic, axes=1)
    pairs = np.argwhere(np.triu(_needed(found, form)))
    if len(pairs) > _MOST:
        raise FedboundsError(
            f"exact expectations need {len(pairs)} second moments here, with n = "
            f"{problem.clients} and d_u = {problem.shared_dimension}; at most {_MOST} are "
            "supported: take fewer clients or shared dimensions"
        )
    moment = initial_moment(driver, problem, start)
    doubled = np.where(pairs[:, 0] == pairs[:, 1], 1.0, 2.0)
    return Recursion(
        matrix=_on_pairs(found, pairs),
        weights=form[pairs[:, 0], pairs[:, 1]] * doubled,
        offset=float(share @ found.constant),
        first=moment[pairs[:, 0], pairs[:, 1]],
    )


def _needed(found: AffineRound, form: Array) -> Array:
    """Which entries of M the form depends on, now or through later rounds; symmetric 0/1."""
    last = form.shape[0] - 1
    reads = (found.absent != 0) | (found.total != 0)
    for client in found.blocks:
        reads[np.ix_(client.rows, client.columns)] |= client.values != 0
    steps = reads.astype(float)
    needed = form != 0
    needed[last, last] = True  # what noise adds is carried by E 1
    while True:
        wider = needed | (steps.T @ needed @ steps > 0)
        if (wider == needed).all():
            return needed | needed.T
        needed = wider


def _on_pairs(found: AffineRound, pairs: Array) -> Array:
    """P: what `moments.advance` does to the entries (i, j), i <= j, listed in ``pairs``."""
    single, pair = found.single, found.pair
    mean = found.absent + found.total * single
    matrix = _product(mean, pairs)
    if single != 1:
        matrix += _product(found.total, pairs) * (pair - single * single)
        for client in found.blocks:
            own = np.zeros_like(mean)
            own[np.ix_(client.rows, client.columns)] = client.values
            matrix += _product(own, pairs) * (single - pair)
    last = len(mean) - 1
    constant = np.flatnonzero((pairs == last).all(axis=1))[0]
    matrix[:, constant] += found.covariance[pairs[:, 0], pairs[:, 1]] * single
    return matrix


def _product(a: Array, pairs: Array) -> Array:
    """The map M -> a M a' on symmetric M, in the entries of ``pairs``."""
    left, right = a[pairs[:, 0]], a[pairs[:, 1]]
    i, j = pairs[:, 0], pairs[:, 1]
    off = np.where(i == j, 0.0, 1.0)
    return left[:, i] * right[:, j] + left[:, j] * right[:, i] * off
