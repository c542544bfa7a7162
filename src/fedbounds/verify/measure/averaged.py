"""E A S A' of a random map A = A_0 + sum_l s_l C_l, for a symmetric S, and its adjoint E A' W A.

Let M be the mean of A, T the sum of the C_l, c the covariance that all s_l have, and w_ab what that
of s_a and s_b is besides. Then

    E A S A' = M S M' + c T S T' + sum_ab w_ab C_a S C_b'.

Where the s_l add up to a number m surely, A is I + sum_l s_l (C_l + (A_0 - I)/m) as well: let these
be the C_l, and I be A_0. If all E s_l are p besides, M is I + p T, and

    M S M' + c T S T' = S + H + H',   H = T S (p I + (p^2 + c)/2 T)',

so that one product with T does for two. What a presence changes is also smaller than what it adds
to a state that nobody's presence has taken away.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from .grouped import Grouped, Pairs, grouped, paired
from .rounded import UNIT
from .terms import Law

Array = Any


@dataclass(frozen=True, eq=False)
class Part:
    """A matrix on the rows and columns where it is not zero."""

    rows: Array
    columns: Array
    values: Array

    def add_to(self, matrix: Array, weight: float) -> None:
        """Add a multiple to a matrix, in place."""
        matrix[np.ix_(self.rows, self.columns)] += self.values * weight


@dataclass(frozen=True, eq=False)
class Half:
    """H of a symmetric S: the sum of L S R' for some L and R, and of pairs of parts."""

    products: tuple[tuple[Grouped, Grouped], ...]
    pairs: Pairs | None

    def of(self, symmetric: Array) -> Array:
        """That of a matrix."""
        every = [
            left.times(np.ascontiguousarray(right.times(symmetric).T))
            for left, right in self.products
        ]
        if self.pairs is not None:
            every.append(self.pairs.around(symmetric))
        found: Array = sum(every)
        return found


@dataclass(frozen=True, eq=False)
class Averaged:
    """The map of a round, on (1, x).

    Attributes
    ----------
    absent : array, shape (N + 1, N + 1)
        A_0, the constant first.
    added : tuple of Part
        C_l, per entry of the law.
    law : Law
    owners : sequence
        The client of every entry of (1, x); None for those that are shared.
    """

    absent: Array
    added: tuple[Part, ...]
    law: Law
    owners: Sequence[int | None]

    @cached_property
    def stays(self) -> bool:
        """Whether A_0 is I, or is so for other parts, and all E s_l are one number."""
        means = self.law.means.reshape(-1)
        if not self.added or not (means == means[0]).all():
            return False
        own = np.array([client is not None for client in self.owners])
        shared = not self._alone[own].any() and not self._alone[:, own].any()
        return bool(self.law.total and shared) or not self._alone.any()

    @cached_property
    def _alone(self) -> Array:
        """A_0 less I."""
        return self.absent - np.eye(len(self.absent))

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """C_l, as they are where `stays` is true."""
        if not self.stays or not self._alone.any():
            return self.added
        return tuple(map(self._changing, self.added))

    def _changing(self, part: Part) -> Part:
        alone = self._alone
        rows = np.union1d(part.rows, np.flatnonzero(alone.any(axis=1)))
        columns = np.union1d(part.columns, np.flatnonzero(alone.any(axis=0)))
        values = alone[np.ix_(rows, columns)] / self.law.total
        inside = (np.searchsorted(rows, part.rows), np.searchsorted(columns, part.columns))
        values[np.ix_(*inside)] += part.values
        return Part(rows, columns, values)

    # ---- matrices

    @cached_property
    def mean(self) -> Array:
        """M."""
        base = np.eye(len(self.absent)) if self.stays else self.absent
        return base + self._summed(self.law.means.reshape(-1))

    @cached_property
    def total(self) -> Array:
        """T."""
        return self._summed(np.ones(len(self.parts)))

    def _summed(self, weights: Array) -> Array:
        found = self.absent * 0
        for part, weight in zip(self.parts, weights, strict=True):
            part.add_to(found, weight)
        return found

    @cached_property
    def largest(self) -> Array:
        """Of the matrices that are multiplied for the mean: I + p sum_l |C_l|, or |M|."""
        return self.sizes if self.stays else abs(self.mean)

    @cached_property
    def sizes(self) -> Array:
        """|A_0| + sum_l E s_l |C_l|, entry by entry."""
        found = np.eye(len(self.absent)) if self.stays else abs(self.absent)
        return found + self._absolute(self.parts, abs(self.law.means.reshape(-1)))

    @cached_property
    def lost(self) -> Array:
        """What floats have lost of the map in sums of its parts, in the square mean."""
        count = len(self.added)
        roots = np.sqrt(np.diagonal(self.law.second.reshape(count, count)))  # of E s_l^2
        given = abs(self.absent) + self._absolute(self.added, np.maximum(1.0, roots))
        times = count + 4.0
        if self.stays and self.law.total:
            times = max(times, 3 * roots.sum() / abs(self.law.total))
        return times * UNIT * (given + np.eye(len(given)))

    def _absolute(self, parts: Sequence[Part], weights: Array) -> Array:
        found = self.absent * 0
        for part, weight in zip(parts, weights, strict=True):
            Part(part.rows, part.columns, abs(part.values)).add_to(found, weight)
        return found

    @cached_property
    def _products(self) -> list[tuple[Array, Array]]:
        """L and R of `Half`."""
        common = self.law.common
        if not self.stays:
            found = [(self.mean, self.mean / 2)]
            return [*found, (self.total, common / 2 * self.total)] if common else found
        mean = float(self.law.means.reshape(-1)[0])
        other = mean * np.eye(len(self.absent)) + (mean**2 + common) / 2 * self.total
        return [(self.total, other)]

    # ---- products

    @cached_property
    def _ahead(self) -> Half:
        blocks = [(part.rows, part.columns, part.values) for part in self.parts]
        return self._half(self._products, self.owners, blocks)

    @cached_property
    def _back(self) -> Half:
        """With all transposed, of the state alone."""
        blocks = [
            (part.columns[1:] - 1, part.rows - 1, part.values[:, 1:].T) for part in self.parts
        ]
        products = [(one[1:, 1:].T, other[1:, 1:].T) for one, other in self._products]
        return self._half(products, self.owners[1:], blocks)

    def _half(
        self,
        products: Sequence[tuple[Array, Array]],
        owners: Sequence[int | None],
        blocks: Sequence[tuple[Array, Array, Array]],
    ) -> Half:
        halves = [(one, other, weight / 2) for one, other, weight in self.law.pairs]
        every = ((grouped(one, owners), grouped(other, owners)) for one, other in products)
        return Half(tuple(every), paired(len(owners), blocks, halves))

    def around(self, moment: Array) -> Array:
        """E A S A'."""
        return self._whole(self._ahead, moment)

    def adjoint(self, weight: Array) -> Array:
        """E A' W A of the map of the state alone."""
        return self._whole(self._back, weight)

    def _whole(self, how: Half, symmetric: Array) -> Array:
        half = how.of(symmetric)
        found = half + half.T  # symmetric: an antisymmetric part of rounding would grow
        return found + symmetric if self.stays else found
