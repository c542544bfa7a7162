"""Masks of sub-models, made as tuples of 0 and 1."""

from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.errors import require, require_finite
from fedbounds.problems.linear import rational

Masks = tuple[tuple[int, ...], ...]


def _checked_keep(given: Any) -> tuple[Any, ...]:
    """Keep probabilities p_i in (0, 1], one for each client.

    Raises
    ------
    FedboundsError
        If there are none, or one is not in (0, 1].
    """
    keep = np.asarray(given)
    require(keep.ndim == 1 and keep.size > 0, "shape of keep", keep.shape, "(n,)")
    for client, p in enumerate(keep.tolist()):
        require_finite(f"keep probability of client {client}", p, positive=True)
        require(p <= 1, f"keep probability of client {client}", p, "at most 1")
    return tuple(keep.tolist())


def window_masks(dimension: int, width: int) -> Masks:
    """The d cyclic windows of ``width`` coordinates: each coordinate is in ``width`` of them."""
    require(
        1 <= width <= dimension, "width of the windows", width, f"between 1 and d = {dimension}"
    )
    return tuple(
        tuple(int((j - s) % dimension < width) for j in range(dimension)) for s in range(dimension)
    )


def partition_masks(dimension: int, parts: int) -> Masks:
    """S disjoint blocks of consecutive coordinates, sizes as equal as can be."""
    require(1 <= parts <= dimension, "parts S", parts, f"between 1 and d = {dimension}")
    return tuple(
        tuple(int(j * parts // dimension == s) for j in range(dimension)) for s in range(parts)
    )


def nested_masks(clients: int, dimension: int, shares: Any) -> Masks:
    """Client i holds the first q_i d coordinates, to the nearest number, and at least one.

    Parameters
    ----------
    shares : n numbers in (0, 1]
        q_i.
    """
    given = _checked_keep(shares)
    require(len(given) == clients, "number of shares", len(given), f"n = {clients}")
    widths = [max(1, int((rational(q) * dimension + fmpq(1, 2)).floor())) for q in given]
    return tuple(tuple(int(j < width) for j in range(dimension)) for width in widths)
