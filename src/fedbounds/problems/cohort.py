"""Which (client, replica) pairs take part in a computation, sorted by client.

Rows are sorted by client so that a gradient kernel is one matrix product per client over all
replicas in which that client takes part, instead of one gathered matrix per replica.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import array_api_compat
import numpy as np

Array = Any  # any array of the array-API standard, or a NumPy object array of exact numbers


@dataclass(frozen=True, eq=False)
class Cohort:
    """The rows of a batched computation.

    Attributes
    ----------
    clients, replicas : int
        Number of clients n and of replicas R that the rows are drawn from.
    bounds : tuple of int, length n + 1
        Rows of client i are ``bounds[i]:bounds[i + 1]``.
    replica, pair : integer arrays, shape (rows,)
        Replica of each row; flat index ``client * R + replica`` of each row.
    row : integer array, shape (n * R,)
        Row of each flat (client, replica) index; 0 where the pair is absent.
    """

    clients: int
    replicas: int
    bounds: tuple[int, ...]
    replica: Array
    pair: Array
    row: Array

    @property
    def everyone(self) -> bool:
        """Whether every client takes part in every replica."""
        return self.bounds[-1] == self.clients * self.replicas


def cohort_of(present: np.ndarray, xp: Any = np) -> Cohort:
    """The cohort of the pairs marked in ``present``.

    Parameters
    ----------
    present : host array, shape (n, R)
        Non-zero where client i takes part in replica r.
    xp : array namespace
        Where the index arrays are to live.
    """
    n, replicas = present.shape
    flat = np.flatnonzero(present.reshape(-1))
    row = np.zeros(n * replicas, dtype=np.int64)
    row[flat] = np.arange(flat.size)
    bounds = (0, *np.cumsum(np.count_nonzero(present, axis=1)).tolist())
    return Cohort(
        clients=n,
        replicas=replicas,
        bounds=bounds,
        replica=xp.asarray(flat % replicas),
        pair=xp.asarray(flat),
        row=xp.asarray(row),
    )


@lru_cache(maxsize=32)  # a gradient is asked for in it again and again
def everyone(clients: int, replicas: int, xp: Any = np) -> Cohort:
    """The cohort of all clients in all replicas."""
    return cohort_of(np.ones((clients, replicas), dtype=bool), xp)


def affine(z: Array, cohort: Cohort, matrices: Array, offsets: Array) -> Array:
    """Rows z M_i + c_i, with M_i and c_i of each row's client: one matrix product per client."""
    xp = array_api_compat.array_namespace(z)
    if cohort.everyone:
        stacked = xp.reshape(z, (cohort.clients, cohort.replicas, z.shape[1]))
        found = xp.matmul(stacked, matrices) + offsets[:, None, :]
        return xp.reshape(found, (z.shape[0], found.shape[2]))
    spans = zip(cohort.bounds[:-1], cohort.bounds[1:], strict=True)
    rows = [
        xp.matmul(z[a:b, :], matrices[i, :, :]) + offsets[i, :] for i, (a, b) in enumerate(spans)
    ]
    return xp.concat(rows, axis=0)


def products_by_client(rows: Array, cohort: Cohort, matrices: Array) -> Array:
    """A M_i of every row's matrix A, shapes (rows, a, b), (n, b, c): one product per client."""
    xp = array_api_compat.array_namespace(rows)
    count, high, inner = rows.shape
    shape = (count, high, matrices.shape[2])
    if cohort.everyone:
        stacked = xp.reshape(rows, (cohort.clients, cohort.replicas * high, inner))
        return xp.reshape(xp.matmul(stacked, matrices), shape)
    flat = xp.reshape(rows, (count * high, inner))
    spans = zip(cohort.bounds[:-1], cohort.bounds[1:], strict=True)
    found = [
        xp.matmul(flat[a * high : b * high, :], matrices[i, :, :]) for i, (a, b) in enumerate(spans)
    ]
    return xp.reshape(xp.concat(found, axis=0), shape)
