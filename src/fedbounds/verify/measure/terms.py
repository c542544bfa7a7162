"""Vectors of a round that is driven: sums of terms that are linear in the state or in noise.

With (1, x) the state, s_ec the presence of client c (of kind e: whether it takes part, and with
which weight), and e_c the noise of client c, independent, of mean 0 and variance 1, a vector is

    y = P (1, x) + sum_c Q_c e_c + sum_ec s_ec (P_ec (1, x) + Q_ec e_c).

Past, presence and noise are independent, so that with M = E (1, x)(1, x)' and W = E s s'

    E <y, z> = sum_ab W_ab (<P_a M, P'_b> + sum_c <Q_ac, Q'_bc>),

a linear function of M and a number. A term of a vector that is one for each client may be tied:
only the presence and the noise of that very client are in it.

Errors. A vector has a `Size`: numbers (a, b) with sqrt(E ||y||^2) <= a + b r for every state with
E ||x||^2 = r^2, the mean over indices included, and numbers (d, f) with sqrt(E ||y - Y||^2) <=
d + f r, Y the vector that exact arithmetic gives. Conditional means and means over indices are
contractions in that norm, sums add, and multiples scale: so do the bounds.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod, sqrt
from typing import Any

import numpy as np

from .rounded import UNIT
from .unknowns import Refused

Array = Any


@dataclass(frozen=True, eq=False)
class Law:
    """Who takes part.

    Attributes
    ----------
    means : array, shape (kinds, n)
        E s_ec.
    second : array, shape (kinds, n, kinds, n)
    common : float
        Covariance that all pairs have.
    pairs : tuple of (entry, entry, float)
        What some have besides.
    total : float or None
        What all of one kind add up to, where that is one number surely.
    """

    means: Array
    second: Array
    common: float
    pairs: tuple[tuple[int, int, float], ...]
    total: float | None = None

    def weight(self, one: int | None, other: int | None) -> Array:
        """E of products of two, shape (n or 1, n or 1); None stands for 1."""
        if one is None:
            return np.ones((1, 1)) if other is None else self.means[other][None, :]
        return self.means[one][:, None] if other is None else self.second[one, :, other, :]


@dataclass(frozen=True, eq=False)
class Term:
    """One of them.

    Attributes
    ----------
    array : array, shape (B, C, *indices, coordinates)
        Of (1, x), or of the noises of a client; C are the clients c, or one where there is but one
        or they are those of an index.
    noise : bool
    kind : int or None
        Of presence.
    tied : int or None
        The axis of the index whose client it is.
    """

    array: Array
    noise: bool
    kind: int | None = None
    tied: int | None = None

    @property
    def alike(self) -> tuple[bool, int | None, int | None]:
        """What terms that are added to one have in common."""
        return self.noise, self.kind, self.tied

    @property
    def spread(self) -> bool:
        """Whether it has clients, tied or not."""
        return self.noise or self.kind is not None

    def untied(self) -> "Term":
        """With the clients on an axis of their own."""
        if self.tied is None:
            return self
        at, n = self.tied, self.array.shape[self.tied]
        wide = np.zeros((self.array.shape[0], n, *self.array.shape[2:]))
        every = np.arange(n)
        moved = np.moveaxis(wide, at, 2)  # a view: clients, and those of the index
        moved[:, every, every] = np.moveaxis(self.array[:, 0], at - 1, 1)
        return replace(self, array=wide, tied=None)


@dataclass(frozen=True)
class Size:
    """Of a vector, as a function of r; see the module's text."""

    size: tuple[float, float]
    wrong: tuple[float, float]

    def plus(self, other: "Size") -> "Size":
        """Of a sum."""
        size = self.size[0] + other.size[0], self.size[1] + other.size[1]
        wrong = (a + b + UNIT * c for a, b, c in zip(self.wrong, other.wrong, size, strict=True))
        return Size(size, tuple(wrong))  # type: ignore[arg-type]

    def times(self, factor: float, lost: float = 16.0) -> "Size":
        """Of a multiple, whose factor was computed in few steps; or of a mean of many."""
        each = abs(factor)
        size = self.size[0] * each, self.size[1] * each
        own = lost * UNIT
        return Size(
            size, (self.wrong[0] * each + own * size[0], self.wrong[1] * each + own * size[1])
        )


@dataclass(frozen=True, eq=False)
class Linear:
    """A vector: terms, of which no two are alike.

    Attributes
    ----------
    law : Law
    terms : tuple of Term
    shape : tuple of int
        Of indices and coordinates.
    bound : Size
    exact : bool
        Whether its terms are those of exact arithmetic.
    """

    law: Law
    terms: tuple[Term, ...]
    bound: Size
    exact: bool = False
    dtype = np.dtype(np.float64)

    @property
    def shape(self) -> tuple[int, ...]:
        """Of indices and coordinates, one row first."""
        return (1, *np.broadcast_shapes(*(x.array.shape[2:] for x in self.terms)))

    def __add__(self, other: "Linear") -> "Linear":
        """The sum; of what is exact, a 0 was not rounded."""
        terms = merged((*self.terms, *other.terms))
        if self.exact and other.exact and not any(x.array.any() for x in terms):
            return Linear(self.law, terms, Size((0.0, 0.0), (0.0, 0.0)), exact=True)
        return Linear(self.law, terms, self.bound.plus(other.bound))

    def __mul__(self, other: Any) -> "Linear":
        """A multiple, or what presence makes of it."""
        if isinstance(other, Factor):
            return other.of(self)
        factor = float(other)
        terms = tuple(replace(x, array=x.array * factor) for x in self.terms)
        exact = self.exact and isinstance(other, int) and abs(other) == 1  # not what rounds to 1
        return Linear(self.law, terms, self.bound.times(factor), exact)

    # ---- means

    def without_noise(self, left: Array) -> "Linear":
        """In the mean over noises; ``left`` are 0 for those, 1 for others."""
        terms = (
            replace(x, array=x.array * left.reshape(-1, *[1] * (x.array.ndim - 1)))
            if x.noise else x for x in self.terms
        )  # fmt: skip
        return replace(self, terms=tuple(x for x in terms if not x.noise or x.array.any()))

    def without_presence(self) -> "Linear":
        """In the mean over who takes part."""
        terms = merged(tuple(self._integrated(x) for x in self.terms))
        return Linear(self.law, terms, self.bound.times(1.0, 2.0 + self._clients))

    @property
    def _clients(self) -> int:
        return int(self.law.means.shape[-1]) if self.law.means.size else 1

    def _integrated(self, x: Term) -> Term:
        if x.kind is None:
            return x
        means = self.law.means[x.kind]
        if x.tied is not None:
            own = means.reshape(-1, *[1] * (x.array.ndim - 1 - x.tied))
            return replace(x, array=x.array * own, kind=None, tied=x.tied if x.noise else None)
        array = x.array * means.reshape(1, -1, *[1] * (x.array.ndim - 2))
        array = array if x.noise else array.sum(axis=1, keepdims=True)
        return replace(x, array=array, kind=None)

    def averaged(self, axis: int) -> "Linear":
        """Over the index of an axis of its terms."""
        terms = tuple(
            replace(own, array=own.array.mean(axis=axis, keepdims=True))
            for own in (x.untied() if x.tied == axis else x for x in self.terms)
        )
        count = self.shape[axis - 1]
        return Linear(self.law, merged(terms), self.bound.times(1.0, 2.0 + count))

    def alone(self, axis: int, at: int) -> "Linear":
        """For one value of the index of an axis."""
        count = self.shape[axis - 1]
        terms = tuple(
            replace(own, array=own.array.take([at], axis=axis))
            if own.array.shape[axis] > 1
            else own
            for own in (x.untied() if x.tied == axis else x for x in self.terms)
        )
        return replace(self, terms=merged(terms), bound=self.bound.times(sqrt(count), 0.0))

    def size(self) -> tuple[float, float]:
        """(a, b) of the vector as it is, whatever cancelled."""
        first = rest = 0.0
        for x in self.terms:
            one, other = sizes(x, self.law)
            first, rest = first + one, rest + other
        return first, rest

    # ---- what depends on what

    def constant(self) -> Array | None:
        """The vector, where it depends on nothing; shape (indices, coordinates)."""
        if any(x.spread or x.array[1:].any() for x in self.terms):
            return None
        return sum(x.array[0, 0] for x in self.terms)


@dataclass(frozen=True, eq=False)
class Factor:
    """Presence, by which vectors are multiplied: sum_e weights_e[i] s_ei of an index' client i.

    Attributes
    ----------
    weights : array, shape (kinds, n)
        All 0 or 1.
    axis : int
    constant : array or None, shape (n,)
        Where nothing is random.
    only : int or None
        The one client that is looked at.
    """

    weights: Array
    axis: int
    constant: Array | None = None
    only: int | None = None

    def of(self, vector: Linear) -> Linear:
        """A vector, multiplied.

        Raises
        ------
        Refused
            If presence is in it, or noise of other clients.
        """
        found = []
        for x in vector.terms:
            if x.kind is not None:
                raise Refused("presence is multiplied with presence")
            alone = x.noise and x.tied is None and self.only is not None and self._of_only(x.array)
            if x.noise and x.tied != self.axis and not alone and self.constant is None:
                raise Refused("presence of a client weighs the noise of another")
            if self.constant is not None:
                found.append(replace(x, array=x.array * self._along(self.constant, x)))
                continue
            for kind, own in enumerate(self.weights):
                if own.any() and self.only is None:
                    found.append(Term(x.array * self._along(own, x), x.noise, kind, self.axis))
                elif own.any() and own[self.only]:
                    found.append(Term(self._wide(x.array), x.noise, kind))
        largest = float(
            np.sqrt(np.max([1.0, *np.einsum("eiei->ei", vector.law.second).reshape(-1)]))
        )
        return Linear(vector.law, tuple(found), vector.bound.times(largest))

    def _along(self, own: Array, x: Term) -> Array:
        if self.only is not None:
            return own[self.only]
        return own.reshape(-1, *[1] * (x.array.ndim - 1 - self.axis))

    def _of_only(self, array: Array) -> bool:
        """Whether no other client has noise in it."""
        others = [c for c in range(array.shape[1]) if c != self.only]
        return not array[:, others].any()

    def _wide(self, array: Array) -> Array:
        if array.shape[1] > 1:
            return array
        found = np.zeros((array.shape[0], self.weights.shape[1], *array.shape[2:]))
        found[:, self.only] = array[:, 0]
        return found


def merged(terms: Sequence[Term]) -> tuple[Term, ...]:
    """Terms that are alike as one."""
    found: dict[Any, Term] = {}
    for x in terms:
        at = x.alike
        found[at] = replace(x, array=found[at].array + x.array) if at in found else x
    return tuple(found.values())


def sizes(x: Term, law: Law) -> tuple[float, float]:
    """(a, b) of a term, by norms of Frobenius; of clients the sum, that of noises of a square."""
    places = float(max(1, prod(x.array.shape[2:-1])))
    every = np.sqrt((x.array**2).sum(axis=tuple(range(2, x.array.ndim))) / places)
    weight = np.ones(1)
    if x.kind is not None:
        weight = np.sqrt(np.diagonal(law.second[x.kind, :, x.kind, :]))
    own = every * (weight.max() if x.tied is not None else weight[None, :]) * 1.001
    if x.noise:
        return float(np.sqrt((own**2).sum())), 0.0
    return float(own[0].sum()), float(np.sqrt((own[1:] ** 2).sum(axis=0)).sum())


# ---- inner products


def inner(left: Linear, right: Linear, size: int) -> tuple[Array, float]:
    """E <x, y> over indices: a matrix of that size for M, and a number."""
    shape = np.broadcast_shapes(left.shape[1:], right.shape[1:])
    places = float(prod(shape[:-1]))
    matrix, number = np.zeros((size, size)), 0.0
    for x in left.terms:
        for y in right.terms:
            if x.noise == y.noise:
                one, other = _weighted(x, y, left.law)
                if x.noise:
                    number += float((one * other).sum()) * _missing(one, other, shape)
                else:
                    matrix += _gram(one, other, shape)
    return (matrix + matrix.T) / (2 * places), number / places


def _missing(one: Array, other: Array, shape: tuple[int, ...]) -> float:
    """How often a product stands for several places."""
    have = prod(np.broadcast_shapes(one.shape[2:], other.shape[2:]))
    return prod(shape) / have if have else 0.0


def _weighted(x: Term, y: Term, law: Law) -> tuple[Array, Array]:
    """Arrays whose product, summed over clients, has the law's moments in it."""
    if x.tied is not None and y.tied is not None and x.tied != y.tied:
        y = y.untied()
    if x.tied is None and y.tied is not None:
        other, one = _weighted(y, x, law)
        return one, other
    weight = law.weight(x.kind, y.kind)
    if x.tied is not None and y.tied is not None:
        own = np.diagonal(weight) if min(weight.shape) > 1 else weight.reshape(-1)
        return x.array, y.array * own.reshape(-1, *[1] * (y.array.ndim - 1 - y.tied))
    if x.tied is not None:
        return x.array, _met(y, weight, x.tied)
    if x.noise:  # of the same client
        own = np.diagonal(weight) if min(weight.shape) > 1 else weight.reshape(-1)
        return x.array, y.array * own.reshape(1, -1, *[1] * (y.array.ndim - 2))
    moved = np.tensordot(weight, y.array, axes=(1, 1)) if weight.size > 1 else None
    if moved is None:
        return x.array, y.array * float(weight.item())
    return x.array, np.moveaxis(moved, 0, 1)


def _met(y: Term, weight: Array, axis: int) -> Array:
    """What a client of the index of an axis meets, times their weight; one row of clients."""
    if y.noise:  # only its own noise
        n = y.array.shape[1]
        own = (
            np.diagonal(weight) if min(weight.shape) > 1 else np.broadcast_to(weight.reshape(-1), n)
        )
        rows = y.array * own.reshape(1, -1, *[1] * (y.array.ndim - 2))
        every = np.arange(n)
        at = axis if y.array.shape[axis] > 1 else None
        if at is None:
            return np.moveaxis(np.squeeze(rows, axis=axis), 1, axis - 1)[:, None]
        return np.moveaxis(np.moveaxis(rows, axis, 2)[:, every, every], 1, axis - 1)[:, None]
    found = np.tensordot(weight, y.array, axes=(1, 1)) if y.array.shape[1] > 1 else (
        weight.reshape(-1, *[1] * (y.array.ndim - 1)) * y.array[:, 0][None])  # fmt: skip
    # clients of the index first: those whose index it is, or all
    if y.array.shape[axis] == 1:
        return np.moveaxis(np.squeeze(found, axis=axis), 0, axis - 1)[:, None]
    n = found.shape[0]
    if n == 1:
        return np.moveaxis(found, 0, 1)
    every = np.arange(n)
    moved = np.moveaxis(found, axis, 1)[every, every]
    return np.moveaxis(moved, 0, axis - 1)[:, None]


def _gram(one: Array, other: Array, shape: tuple[int, ...]) -> Array:
    both = np.broadcast_shapes(one.shape[1:], other.shape[1:], (1, *shape))
    rows = (np.broadcast_to(x, (len(x), *both)).reshape(len(x), -1) for x in (one, other))
    left, right = rows
    found: Array = left @ right.T
    return found


def tied(x: Term, axis: int, n: int) -> Term:
    """A term in which every client of an index is alone, with that said; others as they are."""
    array = x.array
    if array.shape[1] != n or array.shape[axis] != n or n == 1:
        return x
    moved = np.moveaxis(array, axis, 2)
    every = np.arange(n)
    off = moved.any(axis=(0, *range(3, moved.ndim)))
    off[every, every] = False
    if off.any():
        return x
    own = np.moveaxis(moved[:, every, every], 1, axis - 1)[:, None]
    return replace(x, array=own, tied=axis)
