"""Norms, diagonals, and the largest gradient over all masks."""

from typing import Any

import numpy as np

from fedbounds.problems.cohort import everyone

Array = Any


def square(vector: Array) -> Any:
    """||vector||^2."""
    return (vector * vector).sum()


def largest_gradient(problem: Any, w: Array) -> Any:
    """Largest ||grad f_i(m . w)||^2 over clients and all masks."""
    n, d = problem.clients, len(w)
    masks = (np.arange(2**d)[:, None] >> np.arange(d)) & 1
    rows = np.concatenate([masks * w] * n)
    slopes = problem.gradient(rows, everyone(n, len(masks)))
    return (slopes * slopes).sum(axis=1).max()


def diagonal(matrices: Array) -> Array:
    """The same matrices, shape (..., d, d), without what is off their diagonals."""
    return matrices * np.eye(matrices.shape[-1], dtype=np.int64).astype(object)
