"""Floats or exact rationals: what enumeration needs beyond arithmetic, for either."""

from collections.abc import Sequence
from dataclasses import replace
from math import isqrt
from typing import Any

import numpy as np
from flint import fmpq, fmpq_mat

from fedbounds.algorithms.fedplt_rows import FedPLT
from fedbounds.errors import require
from fedbounds.problems import FederatedQuadratic
from fedbounds.problems.linear import is_exact, rational

from ..enumeration import sample_patterns

Array = Any


def numbers(values: Sequence[Any], like: Array) -> np.ndarray:
    """A vector of numbers of the kind that an array holds."""
    if is_exact(like):
        found = np.empty(len(values), dtype=object)
        found[:] = [rational(value) for value in values]
        return found
    return np.array([float(value) for value in values])


def exact(rows: Any) -> np.ndarray:
    """Nested sequences of whole numbers and rationals as an array."""
    nested = np.asarray(rows, dtype=object)
    found = np.empty(nested.shape, dtype=object)
    found.reshape(-1)[:] = [rational(entry) for entry in nested.reshape(-1)]
    return found


def uniform(size: int, like: Array) -> np.ndarray:
    """Equal probabilities."""
    return numbers([fmpq(1, size)] * size, like)


def samples(problem: FederatedQuadratic, algorithm: FedPLT) -> np.ndarray:
    """Every noise of all clients, shape (outcomes, n, tau, d)."""
    every = sample_patterns(signs(problem), algorithm, range(problem.clients))
    if not is_exact(problem.hessian):
        return every
    scale, found = rational(problem.noise.scale_u), np.empty(every.shape, dtype=object)
    found.reshape(-1)[:] = [int(sign) * scale for sign in every.reshape(-1)]
    return found


def signs(problem: FederatedQuadratic) -> FederatedQuadratic:
    """The same in floats; in rationals with noise of whole numbers, to be scaled."""
    if not is_exact(problem.hessian):
        return problem
    unit = 1 if problem.noise.scale_u else 0
    return replace(problem, noise=replace(problem.noise, scale_u=unit, scale_v=0))


def merged(rows: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where each of the distinct rows stands first, and their probabilities."""
    if not is_exact(rows):
        _, first, which = np.unique(rows, axis=0, return_index=True, return_inverse=True)
        return first, np.bincount(which.reshape(-1), weights=weight)
    known: dict[tuple[Any, ...], int] = {}
    total: list[Any] = []
    first_at: list[int] = []
    for at, (row, chance) in enumerate(zip(rows.tolist(), weight, strict=True)):
        place = known.setdefault(tuple(row), len(known))
        if place == len(total):
            total.append(chance)
            first_at.append(at)
        else:
            total[place] += chance
    return np.array(first_at), numbers(total, rows)


def largest(arrays: Sequence[np.ndarray]) -> float:
    """Largest entry of any array, to which rounding is compared; exact numbers have none."""
    if any(is_exact(array) for array in arrays):
        return 1.0
    return max(float(abs(array).max()) for array in arrays)


def root(number: Any) -> Any | None:
    """The square root; None if the number is rational and its root is not."""
    if not isinstance(number, fmpq):
        return float(np.sqrt(number))
    p, q = (isqrt(int(x)) for x in (number.p, number.q))
    return fmpq(p, q) if fmpq(p, q) ** 2 == number else None


def eigenvalues(matrix: np.ndarray) -> list[fmpq]:
    """Of a symmetric matrix of rationals.

    Raises
    ------
    FedboundsError
        If one is not rational.
    """
    rows, columns = matrix.shape
    entries = [rational(x) for x in matrix.reshape(-1)]
    polynomial = fmpq_mat(rows, columns, entries).charpoly()
    _, factors = polynomial.factor()
    for factor, _ in factors:
        require(factor.degree() == 1, "a factor of a characteristic polynomial", factor, "linear")
    return [-factor[0] / factor[1] for factor, _ in factors]
