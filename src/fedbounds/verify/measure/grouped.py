"""Matrices most of whose rows meet few entries: products by groups of rows that are alike.

Entries of a state are shared or a client's. A client's next entries come of shared ones and its
own, so that the matrix of a round is full in its shared rows alone. Which entries are met is read
off the matrix: where they are more, the same products are only larger.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = Any
_PAIRS = 64  # of blocks, at once


@dataclass(frozen=True, eq=False)
class Group:
    """Blocks of as many rows, each on columns of its own.

    Attributes
    ----------
    rows : array of int, shape (g, a)
    columns : array of int, shape (g, b)
    values : array, shape (g, a, b)
    """

    rows: Array
    columns: Array
    values: Array


@dataclass(frozen=True, eq=False)
class Grouped:
    """A square matrix, none of whose rows is in two groups; those in none are 0."""

    size: int
    groups: tuple[Group, ...]

    def times(self, other: Array) -> Array:
        """The product with a matrix."""
        found = np.zeros((self.size, other.shape[1]))
        for own in self.groups:
            block = own.values @ other[own.columns]
            found[own.rows.reshape(-1)] = block.reshape(-1, other.shape[1])
        return found


def grouped(matrix: Array, owners: Sequence[int | None]) -> Grouped:
    """A matrix, of which rows of a client are as many as of any other.

    Parameters
    ----------
    owners : sequence
        Of every row, its client; None for those that are shared.

    Raises
    ------
    ValueError
        If clients have not as many rows as each other.
    """
    every: dict[int | None, list[int]] = {}
    for row, client in enumerate(owners):
        every.setdefault(client, []).append(row)
    shared = every.pop(None, [])
    if len({len(rows) for rows in every.values()}) > 1:  # `Grouped.times` would write row 0 anew
        raise ValueError(f"rows of clients differ in number: {[*map(len, every.values())]}")
    groups = [_met(matrix, own) for own in ([shared], list(every.values())) if own and own[0]]
    return Grouped(len(matrix), tuple(own for own in groups if own.values.size))


def _met(matrix: Array, every: Sequence[Sequence[int]]) -> Group:
    """Some blocks of rows, on the columns that they meet."""
    blocks = []
    for rows in every:
        own = matrix[list(rows)]
        columns = np.flatnonzero((own != 0).any(axis=0))
        blocks.append((np.array(rows), columns, own[:, columns]))
    return padded(blocks)


def padded(blocks: Sequence[tuple[Array, Array, Array]]) -> Group:
    """Rows, columns and values of blocks; fewer go on with zeros in row 0 and column 0."""
    a, b = (max(x[at].size for x in blocks) for at in (0, 1))
    rows, columns = (np.zeros((len(blocks), x), dtype=int) for x in (a, b))
    values = np.zeros((len(blocks), a, b))
    for at, (own, met, block) in enumerate(blocks):
        rows[at, : len(own)], columns[at, : len(met)] = own, met
        values[at, : len(own), : len(met)] = block
    return Group(rows, columns, values)


@dataclass(frozen=True, eq=False)
class Pairs:
    """The sum of w C_a S C_b' over some pairs of blocks of a group.

    Attributes
    ----------
    size : int
    group : Group
    one, other : arrays of int
    weights : array
    """

    size: int
    group: Group
    one: Array
    other: Array
    weights: Array

    def around(self, symmetric: Array) -> Array:
        """That of a matrix."""
        found, own = np.zeros(self.size**2), self.group
        for a in range(0, len(self.weights), _PAIRS):
            one, other = self.one[a : a + _PAIRS], self.other[a : a + _PAIRS]
            inner = symmetric.take(self._places(own.columns[one], own.columns[other]))
            blocks = (own.values[one] * self.weights[a : a + _PAIRS, None, None]) @ inner
            blocks = blocks @ np.ascontiguousarray(own.values[other].transpose(0, 2, 1))
            places = self._places(own.rows[one], own.rows[other])
            found += np.bincount(places.reshape(-1), blocks.reshape(-1), self.size**2)
        return found.reshape(self.size, self.size)

    def _places(self, rows: Array, columns: Array) -> Array:
        """Of entries, one row after the other."""
        found: Array = rows[:, :, None] * self.size + columns[:, None, :]
        return found


def paired(size: int, blocks: Sequence[tuple[Array, Array, Array]], pairs: Any) -> Pairs | None:
    """Of blocks (rows, columns, values) and pairs (one, other, weight), if there are any."""
    if not len(pairs):
        return None
    one, other, weights = zip(*pairs, strict=True)
    return Pairs(size, padded(blocks), np.array(one), np.array(other), np.array(weights))
