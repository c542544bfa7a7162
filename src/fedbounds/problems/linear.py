"""Linear algebra on float64 arrays and, exactly, on object arrays of rationals."""

from typing import Any

import numpy as np
from flint import fmpq, fmpq_mat

from fedbounds.vocabulary import Provenance, Side

from .constants import ConstantValue

Array = Any
_SLACK = fmpq(1, 2**20)  # relative width of a certified rational bound


def is_exact(array: Array) -> bool:
    """Whether the array holds exact numbers rather than floats."""
    return bool(array.dtype == np.dtype(object))


def rational(number: Any) -> fmpq:
    """The exact rational value of an int, float, fraction or rational."""
    if isinstance(number, fmpq):
        return number
    numerator, denominator = number.as_integer_ratio()
    return fmpq(int(numerator), int(denominator))


def _matrix(array: Array) -> fmpq_mat:
    rows, columns = array.shape
    return fmpq_mat(rows, columns, [rational(x) for x in array.reshape(-1)])


def multiplied(left: Array, right: Array) -> Array:
    """The product of two matrices of exact numbers, which may be large."""
    found = _matrix(left) * _matrix(right)
    out = np.empty((left.shape[0], right.shape[1]), dtype=object)
    out.reshape(-1)[:] = found.entries()
    return out


def solve(matrix: Array, right: Array) -> Array | None:
    """A solution x of ``matrix @ x = right``, or None if there is none.

    Parameters
    ----------
    matrix : array, shape (d, d)
        Symmetric; may be singular.
    right : array, shape (d, k)
    """
    if matrix.shape[0] == 0:
        return right
    if is_exact(matrix):
        return _solve_exactly(matrix, right)
    solution = np.linalg.lstsq(matrix, right, rcond=1e-13)[0]
    scale = np.abs(matrix).max() * np.abs(solution).max(initial=0.0)
    scale += np.abs(right).max(initial=0.0)
    if np.abs(matrix @ solution - right).max(initial=0.0) > 1e-9 * scale:
        return None
    return solution


def _solve_exactly(matrix: Array, right: Array) -> Array | None:
    size = matrix.shape[0]
    reduced, rank = _matrix(np.concatenate([matrix, right], axis=1)).rref()
    solution = np.full(right.shape, fmpq(0), dtype=object)
    for row in range(rank):
        pivot = next(j for j in range(reduced.ncols()) if reduced[row, j] != 0)
        if pivot >= size:
            return None
        solution[pivot] = [reduced[row, size + j] for j in range(right.shape[1])]
    return solution


def pivots(matrix: Array) -> list[Any] | None:
    """Pivots of symmetric elimination of exact numbers; None if one rules out semidefiniteness."""
    left, found = matrix.copy(), []
    for k in range(len(left)):
        pivot = left[k, k]
        if pivot < 0 or (pivot == 0 and any(x != 0 for x in left[k, k:])):
            return None
        if pivot != 0:
            left[k + 1 :] = left[k + 1 :] - np.outer(left[k + 1 :, k] / pivot, left[k])
        found.append(pivot)
    return found


def is_positive_definite(matrix: Array) -> bool:
    """Whether a symmetric matrix is positive definite: exact on rationals, eigenvalues else."""
    if is_exact(matrix):
        found = pivots(matrix)
        return found is not None and all(pivot > 0 for pivot in found)
    return bool(np.all(np.linalg.eigvalsh(matrix) > 0.0))


def is_positive_semidefinite(matrix: Array) -> bool:
    """Whether a symmetric matrix has no negative eigenvalue (to rounding, on floats)."""
    if is_exact(matrix):
        return pivots(matrix) is not None
    values = np.linalg.eigvalsh(matrix)
    return bool(np.all(values >= -1e-13 * np.abs(values).max(initial=0.0)))


def spectral_norm(matrices: Array) -> ConstantValue:
    """The largest spectral norm of a stack of matrices, shape (count, rows, columns).

    On rationals a scalar is exact, and anything larger is a rational upper bound certified by a
    positive-definiteness test; on floats it is the norm to rounding.
    """
    if 0 in matrices.shape:
        return ConstantValue(fmpq(0) if is_exact(matrices) else 0.0)
    if not is_exact(matrices):
        return ConstantValue(float(np.linalg.norm(matrices, 2, axis=(1, 2)).max()))
    largest = max(abs(rational(x)) for x in matrices.reshape(-1))
    if largest == 0 or _is_diagonal(matrices):
        return ConstantValue(largest)
    guess = np.linalg.norm(matrices.astype(np.float64), 2, axis=(1, 2)).max()
    bound = rational(float(guess))
    while not all(_norm_below(matrix, bound) for matrix in matrices):
        bound = bound * (1 + _SLACK) + _SLACK * _SLACK
    return ConstantValue(bound, Provenance.CERTIFIED, Side.UPPER)


def _is_diagonal(matrices: Array) -> bool:
    rows, columns = matrices.shape[1:]
    return rows == columns and all(
        matrix[i, j] == 0 for matrix in matrices for i in range(rows) for j in range(rows) if i != j
    )


def _norm_below(matrix: Array, bound: fmpq) -> bool:
    identity = np.eye(matrix.shape[1], dtype=int).astype(object)
    return is_positive_definite(identity * bound**2 - matrix.T @ matrix)


def numbers_like(exact: tuple[fmpq, ...], like: Array, xp: Any) -> Array:
    """Rationals in the number type of an array."""
    if isinstance(like, np.ndarray) and is_exact(like):
        return np.asarray(exact, dtype=object)
    return xp.asarray([float(number) for number in exact], dtype=like.dtype)
