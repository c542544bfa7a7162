"""Where the gradients of a run on quadratics settle: its steady state, without running it.

Only coordinates that the gradients depend on are kept, now or later, and only states that some
start reaches: Scaffold-P's c stays the mean of its c_i, and whatever it does elsewhere is idle.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import fmpq_mat

from fedbounds.algorithms.fedavg_p import FedAvgP
from fedbounds.problems import FederatedQuadratic, Start
from fedbounds.problems.linear import is_exact, rational
from fedbounds.vocabulary import Quantity

from .affine import AffineRound, Block, driver_of, read_off
from .moments import initial_moment, quantities
from .stationary import Recursion, stationary

Array = Any
GRADIENTS = (Quantity.GRADIENT_U, Quantity.GRADIENT_V)
_RANK = 1e-10  # relative size below which a direction is not reached, in float64


@dataclass(frozen=True, eq=False)
class Plateau:
    """What the gradients of a run tend to.

    Attributes
    ----------
    quantities : dict from Quantity to number
        Limits of G_u and G_v.
    rate : float or ball
        Factor per round at which first and second moments approach their limits.
    error : float
        Relative error of the limit's moments; 0 in rationals.
    """

    quantities: dict[Quantity, Any]
    rate: Any
    error: float


def plateau(problem: FederatedQuadratic, algorithm: FedAvgP) -> Plateau:
    """The limit of a run from any start.

    Raises
    ------
    NoPlateauError
        If there is none: second moments grow, or do not shrink.
    FedboundsError
        If float64 does not resolve it.
    """
    driver = driver_of(problem, algorithm)
    found = read_off(driver)
    kept = _needed(found)
    basis, pivots = _reachable(found, kept, _starting_range(driver))
    solved = stationary(_restrict(found, kept, basis, pivots))
    moment = found.absent * 0
    moment[np.ix_(kept, kept)] = basis @ solved.moment @ basis.T
    values = dict(zip(found.names, quantities(found, moment), strict=True))
    return Plateau({name: values[name] for name in GRADIENTS}, solved.rate, solved.error)


def _needed(found: AffineRound) -> np.ndarray:
    """Coordinates that the gradients depend on, now or later; the constant is last."""
    depends = (found.absent != 0).astype(bool)
    for block in found.blocks:
        depends[np.ix_(block.rows, block.columns)] |= (block.values != 0).astype(bool)
    forms = found.quadratic[[found.names.index(name) for name in GRADIENTS]]
    needed = (forms != 0).astype(bool).any(axis=(0, 1))
    needed[-1] = True
    while True:
        grown = needed | depends[needed].any(axis=0)
        if (grown == needed).all():
            return np.flatnonzero(needed)
        needed = grown


def _starting_range(driver: Any) -> Array:
    """A matrix whose columns span (x, 1) at every start, initial noise included."""
    problem = driver.problem
    d_u, d_v = problem.shared_dimension, problem.personal_dimension
    size, n = d_u + problem.clients * d_v, problem.clients
    zero = problem.linear.sum() * 0
    total: Array = 0
    for point in np.concatenate([np.zeros((1, size), dtype=int), np.eye(size, dtype=int)]) + zero:
        start = Start(point[:d_u], point[d_u:].reshape(n, d_v))
        total = total + initial_moment(driver, problem, start)
    return total


def _reachable(found: AffineRound, kept: np.ndarray, begin: Array) -> tuple[Array, np.ndarray]:
    """A basis B of the states that starts and noise reach, and pivots p with x = B x[p]."""
    inside = np.ix_(kept, kept)
    maps = [found.absent[inside]]
    for block in found.blocks:
        dense = found.absent * 0
        dense[np.ix_(block.rows, block.columns)] = block.values
        maps.append(dense[inside])
    basis, pivots = _echelon(np.concatenate([begin[inside], found.covariance[inside]], axis=1))
    while len(pivots) < len(kept):
        grown = _echelon(np.concatenate([basis, *(matrix @ basis for matrix in maps)], axis=1))
        if len(grown[1]) == len(pivots):
            break
        basis, pivots = grown
    return basis, pivots


def _echelon(columns: Array) -> tuple[Array, np.ndarray]:
    """Basis of a column space that is the identity on its pivots, sought from the constant on."""
    size = len(columns)
    order = np.roll(np.arange(size), 1)  # the constant first, then as the carry has them
    rows = columns[order].T
    if is_exact(rows):
        reduced, rank = fmpq_mat([[rational(x) for x in row] for row in rows]).rref()
        found = np.array([[reduced[i, j] for j in range(size)] for i in range(rank)], dtype=object)
        pivots = [next(j for j in range(size) if row[j] != 0) for row in found]
    else:
        found, pivots = _float_echelon(rows)
    basis = np.empty((size, len(pivots)), dtype=columns.dtype)
    basis[order] = found.T
    # the constant last again
    turned = np.roll(np.arange(len(pivots)), -1)
    return basis[:, turned], order[pivots][turned]


def _float_echelon(rows: Array) -> tuple[Array, list[int]]:
    """Reduced row echelon form, from an orthonormal basis of the row space."""
    scaled = rows / np.maximum(np.abs(rows).max(axis=1, keepdims=True), 1e-300)
    _, values, right = np.linalg.svd(scaled, full_matrices=False)
    left = right[values > _RANK * values[0]]
    pivots: list[int] = []
    for column in range(left.shape[1]):
        at = len(pivots)
        if at == len(left):
            break
        best = at + int(np.argmax(np.abs(left[at:, column])))
        if abs(left[best, column]) <= _RANK:
            continue
        left[[at, best]] = left[[best, at]]
        left[at] /= left[at, column]
        others = np.arange(len(left)) != at
        left[others] -= np.outer(left[others, column], left[at])
        pivots.append(column)
    left[np.abs(left) < 1e-12] = 0.0
    return left, pivots


def _restrict(found: AffineRound, kept: np.ndarray, basis: Array, pivots: np.ndarray) -> Recursion:
    """The recursion of the pivots' second moments."""
    lift = found.absent[:, : len(pivots)] * 0
    lift[kept] = basis
    at = kept[pivots]
    blocks = []
    for block in found.blocks:
        rows = np.flatnonzero(np.isin(at, block.rows))
        values = np.zeros((len(found.absent), len(pivots)), dtype=lift.dtype) + lift[0, 0] * 0
        values[block.rows] = block.values @ lift[block.columns]
        values = values[at[rows]]
        columns = np.flatnonzero((values != 0).astype(bool).any(axis=0))
        blocks.append(Block(rows, columns, values[:, columns]))
    return Recursion(
        mean=((found.absent + found.total * found.single) @ lift)[at],
        total=(found.total @ lift)[at],
        blocks=tuple(blocks),
        noise=(found.covariance * found.single)[np.ix_(at, at)],
        between=found.pair - found.single * found.single,
        within=found.single - found.pair,
    )
