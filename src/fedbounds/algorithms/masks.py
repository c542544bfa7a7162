"""Masks of sub-model training: checked, made and drawn. Host arrays and tuples of 0 and 1."""

from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.errors import require, require_finite
from fedbounds.problems.linear import rational

Masks = tuple[tuple[int, ...], ...]


def checked_masks(given: Any, axes: str) -> Any:
    """Nested tuples of 0 and 1 from any nested sequence or array with the named axes.

    Raises
    ------
    FedboundsError
        If the shape does not have these axes or an entry is neither 0 nor 1.
    """
    masks = np.asarray(given, dtype=object)
    fits = masks.ndim == axes.count(",") + 1 and 0 not in masks.shape
    require(fits, "shape of the masks", masks.shape, axes)
    for place in map(tuple, np.argwhere((masks != 0) & (masks != 1)).tolist()):
        require(False, f"mask entry {place}", masks[place], "0 or 1")
    return _tuples((masks != 0).astype(int).tolist())


def _tuples(nested: Any) -> Any:
    return tuple(map(_tuples, nested)) if isinstance(nested, list) else nested


def checked_keep(given: Any) -> tuple[Any, ...]:
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
    given = checked_keep(shares)
    require(len(given) == clients, "number of shares", len(given), f"n = {clients}")
    widths = [max(1, int((rational(q) * dimension + fmpq(1, 2)).floor())) for q in given]
    return tuple(tuple(int(j < width) for j in range(dimension)) for width in widths)


def bernoulli_masks(
    rng: np.random.Generator, keep: tuple[Any, ...], replicas: int, dimension: int
) -> np.ndarray:
    """m_i ~ Ber(p_i)^d, independent, shape (n, R, d), bool."""
    chances = np.asarray([float(p) for p in keep])
    return rng.random((len(keep), replicas, dimension)) < chances[:, None, None]


def orders(
    rng: np.random.Generator, clients: int, replicas: int, positions: int, shared: bool
) -> np.ndarray:
    """Uniform permutations of {0..S-1}, shape (n, R, S): one per replica, or per client too."""
    asked = rng.random((1 if shared else clients, replicas, positions))
    return np.repeat(np.argsort(asked, axis=-1), clients if shared else 1, axis=0)
