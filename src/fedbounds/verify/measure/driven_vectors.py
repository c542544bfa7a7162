"""Quantities of a round that is driven: what ``sq``, ``ip`` and ``given`` mean there.

A vector is linear in (1, x), in the presence of clients and in noise. An inner product of two is a
matrix that is multiplied with E (1, x)(1, x)', and a number that noise adds.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
import sympy as sp

from fedbounds.errors import FedboundsError

from .answers import combined
from .driven import Driven
from .spaces import PAST, Computed, products_in, vector
from .subject import AFTER
from .unknowns import Refused

Array = Any


@dataclass(frozen=True, eq=False)
class Linear:
    """A vector.

    Attributes
    ----------
    base : array, shape (N + 1, *indices, coordinates)
        Of (1, x).
    moved : mapping from entry of the law to array
        What presence adds to it.
    own : array or None, shape (J, *indices, coordinates)
        Of the noise of the client that is the first index.
    apart : array or None, shape (J, clients, *indices, coordinates)
        Of the noise of every client.
    rows : tuple of (array, number)
        Rows of the next state whose noise it has, each with a factor.
    """

    base: Array
    moved: Mapping[int, Array]
    own: Array | None = None
    apart: Array | None = None
    rows: tuple[tuple[Array, float], ...] = ()
    dtype = np.dtype(np.float64)

    def __add__(self, other: "Linear") -> "Linear":
        """The sum."""
        if self.rows and other.rows:
            raise Refused("two vectors of the next state are added")
        entries = self.moved.keys() | other.moved.keys()
        moved = {at: _sum(self.moved.get(at), other.moved.get(at)) for at in entries}
        one, two = (
            (x.widened() for x in (self, other))
            if (self.own is None) != (other.own is None) or self.apart is not other.apart
            else (self, other)
        )
        return Linear(
            self.base + other.base,
            moved,
            _sum(one.own, two.own),
            _sum(one.apart, two.apart),
            self.rows or other.rows,
        )

    def __mul__(self, number: Any) -> "Linear":
        """A multiple."""
        factor = float(number)
        return Linear(
            self.base * factor,
            {at: array * factor for at, array in self.moved.items()},
            None if self.own is None else self.own * factor,
            None if self.apart is None else self.apart * factor,
            tuple((rows, weight * factor) for rows, weight in self.rows),
        )

    def widened(self) -> "Linear":
        """Noise of every client on an axis of its own."""
        if self.own is None:
            return self
        clients = self.own.shape[1]
        wide = np.zeros((len(self.own), clients, *self.own.shape[1:]))
        every = range(clients)
        wide[:, every, every] = self.own
        return replace(self, own=None, apart=_sum(self.apart, wide))


def _sum(one: Array | None, other: Array | None) -> Array | None:
    if one is None or other is None:
        return other if one is None else one
    return one + other


@dataclass(frozen=True, eq=False)
class DrivenSpace:
    """The vectors of a round that is driven."""

    driven: Driven

    @cached_property
    def sources(self) -> tuple[str, ...]:
        """In the order of the theory."""
        return self.driven.subject.shown.sources

    @cached_property
    def factors(self) -> Mapping[str, Array]:
        """None: presence is no number here."""
        return {}

    @cached_property
    def vectors(self) -> Mapping[str, Linear]:
        """By name."""
        every = self.driven.subject.shown.vectors
        return Computed(every, lambda name: self._vector(name, every[name]))

    def _vector(self, name: str, indices: tuple[str, ...]) -> Linear:
        found = self.driven
        if name in found.shown:
            base = _axes(found.shown[name], indices, 1, self._order)
            noise = found.shown_noise.get(name)
            return Linear(
                base, {}, None if noise is None else _axes(noise, indices, 1, self._order)
            )
        field, after = name.removesuffix(AFTER), name.endswith(AFTER)
        if field not in found.places:
            raise FedboundsError(f"step shows no {name!r}; no field of the state is called so")
        at = np.arange(len(found.absent))[found.places[field]]
        shape = found.shapes[field]

        def placed(matrix: Array) -> Array:
            rows = matrix[at].T.reshape(len(found.absent), *shape)
            return _axes(rows, indices, 1, self._order)

        if not after:
            return Linear(placed(np.eye(len(found.absent))), {})
        moved = {}
        for entry, part in enumerate(found.parts):
            matrix = found.absent * 0
            part.add_to(matrix, 1.0)
            if matrix[at].any():
                moved[entry] = placed(matrix)
        return Linear(placed(found.absent), moved, rows=((at, 1.0),))

    @cached_property
    def _order(self) -> tuple[str, ...]:
        return tuple(self.driven.subject.shown.indices)

    @cached_property
    def weights(self) -> tuple[Array | None, ...]:
        """Of the indices."""
        shown = self.driven.subject.shown
        if any(shown.indices.values()):
            raise Refused("indices with weights are not driven")
        return (None,) * len(self._order)

    def mean(self, array: Linear, kept: tuple[str, ...]) -> Linear:
        """A conditional mean.

        Raises
        ------
        Refused
            If the past is to be integrated.
        """
        if PAST not in kept:
            raise Refused("the mean over the past is not carried")
        found = array
        left = [own for source, own in self.driven.draws.items() if source not in kept]
        if any(noise for _, noise in left):
            found = replace(found, own=None, apart=None, rows=())
        if any(law for law, _ in left):
            found = self._without_presence(found)
        for axis, index in enumerate(self._order, 1):
            if index not in kept:
                found = _averaged(found, axis)
        return found

    def _without_presence(self, array: Linear) -> Linear:
        if array.rows and self.driven.noise.any():
            raise Refused("the noise of the next state is not told apart from presence")
        base = array.base
        for entry, own in array.moved.items():
            base = base + own * self.driven.means[entry]
        return replace(array, base=base, moved={})

    # ---- inner products

    def product(self, node: sp.Expr, values: Mapping[str, Any]) -> tuple[Array, float]:
        """A matrix for E (1, x)(1, x)', and what noise adds."""
        sides = [vector(argument, self, values) for argument in node.args]
        left, right = sides[0], sides[-1]
        if left.base.shape[-1] != right.base.shape[-1]:
            raise FedboundsError(f"{node}: vectors of different lengths")
        matrix = _gram(left.base, right.base)
        means, second = self.driven.means, self.driven.second
        for entry, own in left.moved.items():
            matrix = matrix + _gram(own, right.base) * means[entry]
        for entry, own in right.moved.items():
            matrix = matrix + _gram(left.base, own) * means[entry]
        for one, own in left.moved.items():
            for other, more in right.moved.items():
                matrix = matrix + _gram(own, more) * second[one, other]
        return (matrix + matrix.T) / 2, self._noise(left, right)

    def _noise(self, left: Linear, right: Linear) -> float:
        """What noise adds to an inner product."""
        if left.rows and right.rows:
            (one, weight), (other, more) = left.rows[0], right.rows[0]
            blocks = self.driven.noise[np.ix_(one, other)]
            return float(np.trace(blocks)) * weight * more / float(prod(left.base.shape[1:-1]))
        if (left.rows and _noisy(right)) or (right.rows and _noisy(left)):
            raise Refused("noise of the next state and of a vector are multiplied")
        if left.own is not None and right.own is not None and left.apart is right.apart is None:
            return _mean_square(left.own, right.own, 1)
        one_, two = left.widened().apart, right.widened().apart
        return 0.0 if one_ is None or two is None else _mean_square(one_, two, 2)


@dataclass(frozen=True, eq=False)
class DrivenSeries:
    """Quantities of rounds 0, 1, ..., in floats and without a bound of rounding.

    Attributes
    ----------
    series : mapping from name to array
        As many rounds as the run has; fewer where the numbers overflow.
    missing : mapping from name to reason
    """

    series: Mapping[str, Array]
    missing: Mapping[str, str]


def driven_series(
    found: Driven, definitions: Mapping[str, sp.Expr], values: Mapping[str, Any]
) -> DrivenSeries:
    """Quantities by definition, round by round.

    Parameters
    ----------
    values : mapping from symbol name to number
        Constants that definitions speak of.
    """
    space, subject = DrivenSpace(found), found.subject
    forms: dict[sp.Expr, tuple[Array, float]] = {}
    missing: dict[str, str] = {}
    for name, definition in definitions.items():
        try:
            for node in products_in(definition) - forms.keys():
                forms[node] = space.product(node, values)
        except (FedboundsError, Refused) as error:
            missing[name] = str(error)
    matrices = np.array([matrix.reshape(-1) for matrix, _ in forms.values()])
    added = np.array([number for _, number in forms.values()])
    moment, rows = found.start, list[Array]()
    with np.errstate(over="ignore", invalid="ignore"):
        for _ in range(subject.rounds if forms else 0):
            rows.append(matrices @ moment.reshape(-1) + added)
            if not np.isfinite(rows[-1]).all():
                rows.pop()
                break
            moment = found.after(moment)
    table = dict(zip(forms, np.array(rows).reshape(len(rows), len(forms)).T, strict=True))
    series = {}
    for name in definitions.keys() - missing.keys():
        own = {node: table[node] for node in products_in(definitions[name])}
        series[name] = combined(definitions[name], own, values, subject)
    return DrivenSeries(series, missing)


def _noisy(one: Linear) -> bool:
    return one.own is not None or one.apart is not None


def _axes(array: Array, indices: tuple[str, ...], first: int, order: tuple[str, ...]) -> Array:
    """One axis per index of the theory, behind the first ones."""
    inner = [array.shape[first + indices.index(x)] if x in indices else 1 for x in order]
    return array.reshape(*array.shape[:first], *inner, array.shape[-1])


def _averaged(found: Linear, axis: int) -> Linear:
    """Over an index."""
    if axis == 1 and found.own is not None and found.own.shape[1] > 1:
        found = found.widened()

    def mean(array: Array, at: int) -> Array:
        return array.mean(axis=at, keepdims=True)

    if found.rows and found.base.shape[axis] > 1:
        raise Refused("the noise of the next state is not averaged over an index")
    return replace(
        found,
        base=mean(found.base, axis),
        moved={entry: mean(own, axis) for entry, own in found.moved.items()},
        own=None if found.own is None else mean(found.own, axis),
        apart=None if found.apart is None else mean(found.apart, axis + 1),
    )


def _gram(left: Array, right: Array) -> Array:
    """E over indices of <x, y>, as a matrix."""
    shape = np.broadcast_shapes(left.shape, right.shape)
    count = prod(shape[1:-1])
    one, other = (
        np.broadcast_to(x, (len(x), *shape[1:])).reshape(len(x), -1) for x in (left, right)
    )
    found: Array = one @ other.T
    return found / count


def _mean_square(left: Array, right: Array, first: int) -> float:
    product = left * right
    total: float = product.sum() / prod(product.shape[first:-1])
    return float(total)
