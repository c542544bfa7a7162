"""How large or small a number gets anywhere that a run may visit: certified bounds, round by round.

A state is its mean and a deviation. The mean is followed, with what rounding did to it; deviations
stay in a ball that a round maps into the next one, as wide as the supports of the sources allow.
A vector of a round is affine in the state and in the sources, and so has such a ball too.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.problems.linear import rational

from .float_moments import SAFE, UNIT, InFloats, Table, norms, table
from .many_rounds import InRationals, Rounds
from .monomials import Monomial
from .round_maps import BySource, Line, Lines, by_source, flat
from .sources import Entries, Source
from .unknowns import Exponents, Refused, Unknown, Variables

Array = Any
_UP = 1 + 2.0**-40  # what a bound computed in floats is enlarged by
_MOST_SPECTRA = 2_000  # matrices whose 2-norms are computed; of more, a bound is


@dataclass(frozen=True, eq=False)
class Visited:
    """A vector at every round and index.

    Attributes
    ----------
    mean : array, shape (rounds, ..., coordinates)
        Rationals, or floats.
    away : array, shape (rounds, ...)
        How far it may be from that in the 2-norm: draws, and rounding; in floats. Zero where the
        mean is all that is visited, in rationals.
    """

    mean: Array
    away: Array

    @property
    def exact(self) -> bool:
        """Whether it is known."""
        return bool(self.mean.dtype == object)


@dataclass(frozen=True, eq=False)
class Range:
    """Numbers at every round and index, from both sides."""

    low: Array
    high: Array


@dataclass(frozen=True, eq=False)
class Reach:
    """What a run may visit.

    Attributes
    ----------
    rounds : Rounds
    centre : sequence of rationals
        From where its moments are measured.
    found : InRationals or InFloats
        Its moments.
    """

    rounds: Rounds
    centre: Sequence[fmpq]
    found: InRationals | InFloats
    _kept: dict[Any, Any] = field(default_factory=dict)

    @property
    def count(self) -> int:
        """Rounds whose draws are looked at: 0, ..., T - 1."""
        return self.rounds.subject.rounds

    @cached_property
    def silent(self) -> bool:
        """Whether the mean is all that is visited."""
        named, trace = self.rounds.named, self.rounds.trace
        drawn = len(trace.listed.chances) > 1 or trace.ends is None
        drawn = drawn or any(source.count != 1 for source in named.sources)
        return not drawn and not any(self.spread)

    @cached_property
    def spread(self) -> tuple[fmpq, ...]:
        """Variances of the start: states that ``init`` draws have none of the bounds below."""
        size, start = self.rounds.named.entries, self.rounds.start
        return tuple(start[i, i] - start[0, i] ** 2 for i in range(1, size + 1))

    @cached_property
    def means(self) -> tuple[Array, Array]:
        """E x of rounds 0, ..., T - 1, and what rounding did to it in the 2-norm."""
        own = self.found.means()[: self.count]
        if isinstance(self.found, InFloats):
            return own, self.found.mean_wrong[: self.count]
        if self.silent:
            return own, np.zeros(len(own))
        floats = own.astype(float)
        return floats, np.linalg.norm(floats, axis=1) * 2 * UNIT

    @cached_property
    def powers(self) -> Array:
        """Parameters of each round, or of all at once; rationals where the means are."""
        kind: Any = object if self.exact else float
        rows = self.rounds.parameters[: max(1, self.count)]
        found = np.empty((len(rows), len(self.rounds.named.parameters)), dtype=kind)
        for at, row in enumerate(rows):
            found[at] = list(row) if self.exact else [float(x) for x in row]
        return found

    @property
    def exact(self) -> bool:
        """Whether what is visited is known in rationals."""
        return self.silent and isinstance(self.found, InRationals)

    @cached_property
    def radius(self) -> Array:
        """How far a state may be from its mean, at the start of every round.

        Raises
        ------
        Refused
            If nothing bounds it.
        """
        found = np.zeros(self.count)
        if self.silent:
            return found
        if any(self.spread):
            raise Refused("its start is drawn: where a state may be is not bounded")
        grows = np.max([own.stretch for own in self._next], axis=0) * _UP
        pushed = np.max([own.pushed(self.bounds) for own in self._next], axis=0) * _UP
        last, moved = len(grows) - 1, self._moved
        with np.errstate(over="ignore", invalid="ignore"):
            for t in range(self.count - 1):
                at = min(t, last)
                found[t + 1] = grows[at] * found[t] + pushed[at] + moved[t]
        return found

    @cached_property
    def _moved(self) -> Array:
        """How far outcomes that are listed may move the mean state from the next mean."""
        if len(self._next) == 1:
            return np.zeros(self.count)
        means, wrong = self.means
        ends = [own.at(means) for own in self._next]
        chances = [float(x) for x in self.rounds.trace.listed.chances]
        mean = sum(chance * value for chance, (value, _) in zip(chances, ends, strict=True))
        size = sum(np.linalg.norm(value, axis=-1) for value, _ in ends)
        off = max_of([np.linalg.norm(value - mean, axis=-1) + own for value, own in ends])
        spread = max_of([own for _, own in ends]) + size * (len(ends) + 4) * UNIT
        grows = max_of([own.stretch for own in self._next])
        moved: Array = (off + spread + 2 * grows * wrong) * _UP
        return moved

    @cached_property
    def _next(self) -> "list[_Map]":
        """x+ from x and the sources, for every outcome that is listed."""
        named, trace = self.rounds.named, self.rounds.trace
        found = []
        for row in range(len(trace.listed.chances)):
            after = flat({name: array[row : row + 1] for name, array in trace.after.items()})
            own = [by_source(named, value, self.centre) for value in after]
            found.append(_Map.of(own, (), self.powers, named))
        return found

    @cached_property
    def bounds(self) -> Array:
        """Of every entry of the sources, how far it may be from its mean 0.

        Raises
        ------
        Refused
            If nothing bounds one, or its mean is not 0.
        """
        every = [_largest(source) for source in self.rounds.named.sources]
        sizes = [prod(source.shape) for source in self.rounds.named.sources]
        return np.repeat(every, sizes)

    def visited(self, entries: Array) -> Visited:
        """Of a vector's polynomials, shape (..., coordinates); the past and draws have no axis.

        Raises
        ------
        Refused
            If it is not affine in the state, or nothing bounds it.
        """
        named, shape = self.rounds.named, entries.shape
        own = [by_source(named, value, self.centre) for value in entries.reshape(-1)]
        if not any(any(lines.values()) for one in own for lines in one.values()):
            zero = fmpq(0) if self.exact else 0.0  # it vanishes, as a polynomial
            return Visited(np.full((1, *shape), zero), np.full((1, *shape[:-1]), zero))
        if self.exact:
            return self._known(own, shape)
        found = _Map.of(own, shape[:-1], self.powers, named)
        means, wrong = self.means
        value, off = found.at(means)
        away = found.stretch * (self.radius + wrong).reshape(-1, *(1,) * (len(shape) - 1)) + off
        if not self.silent:
            away = away + found.pushed(self.bounds)
        return Visited(value, away * _UP)

    def _known(self, own: Sequence[BySource], shape: tuple[int, ...]) -> Visited:
        """Without draws, in rationals."""
        means, _ = self.means
        points = np.concatenate([means[:, :1] * 0 + 1, means], axis=1)
        columns = points.shape[1]
        total = np.empty((self.count, len(own)), dtype=object)
        for at, one in enumerate(own):
            lines = one.get((), {})
            value = points[:, 0] * 0
            for powers, line in lines.items():
                weight = np.prod(self.powers ** np.array(powers, dtype=object), axis=1)
                row = [line.get(column, fmpq(0)) for column in range(columns)]
                value = value + (points * np.array(row, dtype=object)).sum(axis=1) * weight
            total[:, at] = value
        return Visited(
            total.reshape(self.count, *shape), np.zeros((self.count, *shape[:-1]), dtype=object)
        )


def _largest(source: Source) -> float:
    if source.count == 1:
        return 0.0
    if source.count is None:
        raise Refused(f"{source.name} is unbounded, and so is what is visited")
    if not isinstance(source, Entries) or source.moment({0: 1}):
        raise Refused(f"how far {source.name} may be from its mean is not known here")
    return float(max(abs(value) for value, _ in source.values))


def max_of(arrays: Sequence[Array]) -> Array:
    """Entry by entry."""
    found: Array = np.max(arrays, axis=0)
    return found


@dataclass(frozen=True, eq=False)
class _Map:
    """Vectors as affine functions of the state and of the sources, per round or for all.

    Attributes
    ----------
    linear : Table
        Shape (rounds or 1, entries, 1 + state): from (1, x).
    driven : Table
        Shape (rounds or 1, entries, draws).
    draws : array of int
        Which entries of the sources occur.
    groups : array of int
        Which block of its source each is in: all but the last axis of its shape.
    shape : tuple of int
        Of the vectors, without coordinates.
    """

    linear: Table
    driven: Table
    draws: Array
    groups: Array
    shape: tuple[int, ...]

    @classmethod
    def of(
        cls, own: Sequence[BySource], shape: tuple[int, ...], powers: Array, named: Variables
    ) -> "_Map":
        """Of entries by source."""
        floats = powers.astype(float)
        plain = [one.get((), {}) for one in own]
        linear = table(plain, floats, named.entries + 1)
        every = [
            (row, _single(named, *item)) for row, one in enumerate(own) for item in one.items()
        ]
        single = sorted({draw for _, (draw, _) in every if draw is not None})
        columns = {draw: at for at, draw in enumerate(single)}
        rows: list[dict[Exponents, Line]] = [{} for _ in own]
        for row, (draw, factors) in every:
            if draw is not None:
                for powers, factor in factors.items():
                    rows[row].setdefault(powers, {})[columns[draw]] = factor
        driven = table(rows, floats, len(single))
        return cls(linear, driven, np.array(single, dtype=int), _groups(named, single), shape)

    def _by_vector(self, array: Array) -> Array:
        """Entries as (rounds or 1, *shape, coordinates, columns)."""
        length = array.shape[1] // prod(self.shape)
        return array.reshape(len(array), *self.shape, length, array.shape[-1])

    def at(self, means: Array) -> tuple[Array, Array]:
        """Values at the means, and what rounding did to them in the 2-norm."""
        points = np.concatenate([np.ones((len(means), 1)), means], axis=1)
        matrix, wrong = self.linear.values, self.linear.errors
        size = abs(matrix) * ((matrix.shape[2] + 4) * UNIT) + wrong
        both = [
            (points @ x[0].T if len(x) == 1 else np.einsum("tij,tj->ti", x[: len(means)], y))
            for x, y in ((matrix, points), (size, abs(points)))
        ]
        if len(matrix) == 1:
            both[1] = abs(points) @ size[0].T
        value, off = (x.reshape(len(means), *self.shape, -1) for x in both)
        return value, np.linalg.norm(off, axis=-1)

    @cached_property
    def stretch(self) -> Array:
        """||A|| of every vector."""
        values, wrong = (
            self._by_vector(x)[..., 1:] for x in (self.linear.values, self.linear.errors)
        )
        return _spectra(values, wrong)

    def pushed(self, bounds: Array) -> Array:
        """How far the sources may push every vector: the less of two bounds, of many the first."""
        values, wrong = (self._by_vector(x) for x in (self.driven.values, self.driven.errors))
        if not len(self.draws):
            return np.zeros(values.shape[:-2])
        own = bounds[self.draws]
        each = np.linalg.norm((abs(values) + wrong) @ own, axis=-1)
        if prod(values.shape[:-2]) > _MOST_SPECTRA:
            return each
        together = np.zeros(values.shape[:-2])
        for group in np.unique(self.groups):
            at = self.groups == group
            together += _spectra(values[..., at], wrong[..., at]) * np.linalg.norm(own[at])
        return np.minimum(each, together)


def _single(
    named: Variables, source: Monomial, lines: Lines
) -> tuple[int | None, dict[Exponents, fmpq]]:
    """The one entry of the sources that a monomial is, with its factors; none for 1.

    Raises
    ------
    Refused
        If it is a product, or multiplies the state.
    """
    if not source:
        return None, {}
    if len(source) > 1:
        raise Refused("a product of draws: how far it may go is not bounded here")
    if any(line.keys() - {0} for line in lines.values()):
        raise Refused("a draw multiplies the state: how far it may go is not bounded here")
    return source[0] - named.entries, {powers: line[0] for powers, line in lines.items()}


def _groups(named: Variables, single: Sequence[int]) -> Array:
    """A number for every block along the last axis of a source."""
    every: list[int] = []
    for number, source in enumerate(named.sources):
        length = source.shape[-1] if source.shape else 1
        every += [number * 10**6 + at // max(1, length) for at in range(prod(source.shape))]
    return np.array([every[at] for at in single], dtype=int)


def _spectra(values: Array, wrong: Array) -> Array:
    """2-norms from above; of many matrices, sqrt(||A||_1 ||A||_oo), which is equal on diagonals."""
    if prod(values.shape[:-2]) <= _MOST_SPECTRA:
        return norms(values, wrong)
    sizes = abs(values) + wrong
    rows, columns = (sizes.sum(axis=axis).max(axis=-1, initial=0.0) for axis in (-1, -2))
    return np.sqrt(rows * columns) * SAFE


# ---- products and ratios


def product(left: Visited, right: Visited) -> Range:
    """<x, y>."""
    value = (left.mean * right.mean).sum(axis=-1)
    if left.exact:
        return Range(value, value)
    one, other = (np.linalg.norm(x.mean, axis=-1) for x in (left, right))
    own = (left.mean.shape[-1] + 4) * UNIT * one * other
    off = (own + one * right.away + left.away * (other + right.away)) * _UP
    return Range(value - off, value + off)


def square(of: Visited) -> Range:
    """||x||^2."""
    if of.exact:
        value = (of.mean * of.mean).sum(axis=-1)
        return Range(value, value)
    length = np.linalg.norm(of.mean, axis=-1)
    own = (of.mean.shape[-1] + 4) * UNIT * length
    low, high = np.maximum(length - own - of.away, 0), length + own + of.away
    return Range(low**2 / _UP, high**2 * _UP)


def ratio(top: Range, bottom: Range) -> Range:
    """A quotient, NaN where the divisor may be 0."""
    if top.low.dtype == object:
        divisor = np.where(bottom.low == 0, None, bottom.low)
        value = np.frompyfunc(lambda a, b: float("nan") if b is None else a / b, 2, 1)(
            top.low, divisor
        )
        return Range(value, value)
    sure = (bottom.low > 0) | (bottom.high < 0)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ends = [a / b for a in (top.low, top.high) for b in (bottom.low, bottom.high)]
    low, high = np.min(ends, axis=0), np.max(ends, axis=0)
    low, high = low - abs(low) * 2.0**-40, high + abs(high) * 2.0**-40
    return Range(np.where(sure, low, np.nan), np.where(sure, high, np.nan))


def multiples(left: Array, right: Array) -> Array:
    """Of vectors of polynomials, shape (..., coordinates): c where x = c y identically, or None."""
    left, right = np.broadcast_arrays(left, right)
    found = np.empty(left.shape[:-1], dtype=object)
    for at in np.ndindex(found.shape):
        found[at] = _multiple(left[at], right[at])
    return found


def _multiple(left: Array, right: Array) -> fmpq | None:
    own = next(((a, b) for a, b in zip(left, right, strict=True) if _leading(b)), None)
    if own is None:
        return None
    c = _leading(own[0]) / _leading(own[1])
    same = all(not _leading(a - b * c) for a, b in zip(left, right, strict=True))
    return c if same else None


def _leading(value: Any) -> fmpq:
    """The coefficient of the first monomial; 0 of a polynomial that vanishes."""
    if not isinstance(value, Unknown):
        return rational(value)
    zero = value.polynomial.is_zero()
    return fmpq(0) if zero else value.polynomial.leading_coefficient()
