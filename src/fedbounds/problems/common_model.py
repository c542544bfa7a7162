"""Samples of all clients through one model, and the mean of what clients add to its layers."""

from typing import Any

import array_api_compat

Array = Any


def all_through(samples: Array, matrix: Array) -> Array:
    """Samples of all clients, (rows, n, n_c, a), times a matrix of each row, (rows, a, b)."""
    xp, (rows, n, count, inner) = array_api_compat.array_namespace(matrix), samples.shape
    found = xp.matmul(xp.reshape(samples, (rows, n * count, inner)), matrix)
    return xp.reshape(found, (rows, n, count, -1))


def mean_move(inputs: Array, slopes: Array, shares: Array) -> Array:
    """sum_c w_c B_c' A_c of A and B with rows of all clients, shape (rows, out, in).

    Parameters
    ----------
    inputs, slopes : arrays, shapes (rows, n, count, in) and (rows, n, count, out)
        A and B.
    shares : array, shape (rows, n)
        w.
    """
    xp, rows = array_api_compat.array_namespace(inputs), inputs.shape[0]
    weighed = slopes * shares[:, :, None, None]
    left, right = (xp.reshape(a, (rows, -1, a.shape[3])) for a in (weighed, inputs))
    return xp.matmul(xp.matrix_transpose(left), right)
