"""Second moments step by step in float64, with a proved bound of what rounding did to each.

The maps of a round are exact, and rounded once. With z+ = B z + b for random B and b, an error of
E z grows by ||E B|| at most, and one of E z z' in the nuclear norm by ||E B'B||; every map adds
what its own sums were rounded by. Norms are those of z in units: an error of the state that a step
keeps beside what it carries need not weigh as much.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from flint import fmpq

from .beginnings import Beginning
from .round_maps import Form, Line, Pair
from .rounded import TINY, UNIT
from .step_maps import StepMap, step_maps
from .unknowns import Refused, Unknown, Variables
from .unrolled import Unrolling

Array = Any
_ROUNDED = 4 * UNIT  # what a rational may be off as a float, relative
_SURE = 1 + 2.0**-30  # for sums of norms and sizes, which are rounded themselves
_LOST = 2.0**-1070  # what is below the normal range, as a number or a product
_KEPT = 2.0**-4  # unit of the state beside what is carried
_MOST_ENTRIES = 40_000_000  # of all moments


@dataclass(frozen=True, eq=False)
class FloatMap:
    """A `StepMap` in floats.

    Attributes
    ----------
    before, after : arrays
        Units of the entries before and after, without the constant.
    """

    of: StepMap
    before: Array
    after: Array

    @cached_property
    def rows(self) -> Array:
        """U."""
        return _floats(self.of.rows, self.of.before)

    @cached_property
    def _places(self) -> Array:
        """Entries after, and rows of U, of every term."""
        return np.array(list(self.of.terms), dtype=int).reshape(-1, 4)

    @cached_property
    def _terms(self) -> tuple[Array, Array, Array]:
        """Entries after, entries of U M U', and weights."""
        i, j, u, v = self._places.T
        weights = np.array([float(x) for x in self.of.terms.values()])
        return i * self.of.after + j, u * len(self.rows) + v, weights

    @cached_property
    def rounded(self) -> float:
        """What a sum is rounded by, relative to the sum of sizes of its terms."""
        to, _, _ = self._terms
        most = int(np.bincount(to, minlength=1).max())
        return (2 * self.of.before + most + 20) * UNIT

    def _sums(self, products: Array, weights: Array) -> Array:
        to, own, _ = self._terms
        size = self.of.after
        found = np.bincount(to, weights * products.reshape(-1)[own], size * size)
        found = found.reshape(size, size)
        return found + np.triu(found, 1).T

    def __call__(self, moment: Array) -> tuple[Array, Array]:
        """E z z' after that before, and bounds of what its entries are rounded by."""
        rows, sizes, (_, _, weights) = self.rows, self._sizes, self._terms
        found = self._sums(rows @ moment @ rows.T, weights)
        products = sizes @ abs(moment) @ sizes.T
        size = self._sums(products, abs(weights))
        # rows, weights and products that are too small to have all their digits
        most = (1 + abs(moment).max()) * (1 + sizes.max()) * self.of.before**2
        lost = self._sums(np.full_like(products, most), abs(weights)) + len(weights) * most
        return found, size * (self.rounded * _SURE) + lost * _LOST + TINY

    @cached_property
    def _sizes(self) -> Array:
        return abs(self.rows)

    @cached_property
    def growth(self) -> tuple[float, float, float]:
        """At least ||E B||, ||E B'B|| and E ||b||^2, in units."""
        _, _, weights = self._terms
        own = (self._places[:, 0] == self._places[:, 1]) & (self._places[:, 0] > 0)
        i, _, u, v = self._places[own].T
        count = len(self.rows)
        weighted = weights[own] * self.after[i - 1] ** 2
        tables = (
            np.bincount(u * count + v, x, count * count).reshape(count, count)
            for x in (weighted, abs(weighted))
        )
        both, sizes = ((x + x.T) / 2 for x in tables)
        rows = self.rows * np.concatenate([[1.0], 1 / self.before])
        square, size = rows.T @ both @ rows, abs(rows).T @ sizes @ abs(rows)
        wrong = size * ((2 * count + len(weights) + 20) * UNIT * _SURE) + TINY
        linear = square[1:, 1:]
        squares = np.linalg.norm(linear, 2) * _SURE + _norm(wrong[1:, 1:])
        shift = abs(square[0, 0]) + wrong[0, 0]
        mean = _floats(self.of.mean, self.of.before)[1:, 1:]
        mean = mean * self.after[:, None] / self.before
        first = np.linalg.norm(mean, 2) * _SURE + _norm(mean) * 2 * _ROUNDED
        return float(first) + TINY, float(squares) + TINY, float(shift) + TINY


def _norm(entries: Array) -> float:
    """The Frobenius norm, or that of a vector; squares of small entries would be 0."""
    largest = float(abs(entries).max(initial=0))
    return largest * float(np.linalg.norm(entries / largest)) if largest else 0.0


def _floats(lines: Sequence[Line], columns: int) -> Array:
    found = np.zeros((len(lines), columns))
    for at, line in enumerate(lines):
        for column, factor in line.items():
            found[at, column] = float(factor)
    return found


@dataclass(frozen=True, eq=False)
class FloatSteps:
    """Moments of all rounds, at the start and after every place where a step carries.

    Attributes
    ----------
    size : int
        Entries of the state.
    behind : sequence of int
        How many numbers were carried before each of these places.
    moments : sequence of arrays, shape (rounds, n, n)
        Of the start, rounds 0, ..., T; of every place, rounds 0, ..., T - 1.
    wrong : sequence of arrays, shape (rounds, 2)
        What rounding may have done: to E z in the 2-norm, to E z z' in the nuclear norm.
    units : sequence of arrays
        In which these are meant.
    """

    size: int
    behind: Sequence[int]
    moments: Sequence[Array]
    wrong: Sequence[Array]
    units: Sequence[Array]

    def told(self, form: Form, rounds: slice) -> tuple[Array, Array]:
        """A linear function of the moments in some rounds, and bounds of its errors."""
        by_place: dict[int, dict[Pair, fmpq]] = {0: {}}
        for pair, factor in form.items():
            at, own = self._place(pair)
            by_place.setdefault(at, {})[own] = factor
        every = [self._told(at, own, rounds) for at, own in by_place.items()]
        values, errors = (sum(own) for own in zip(*every, strict=True))
        sizes = sum(abs(value) for value, _ in every)
        return np.asarray(values), np.asarray(errors + sizes * (len(every) * UNIT)) * _SURE

    def _place(self, pair: Pair) -> tuple[int, Pair]:
        carried = pair[1] - self.size - 1
        if carried < 0:
            return 0, pair
        at = bisect_right(self.behind, carried)
        i, j = (x if x <= self.size else x - self.behind[at - 1] for x in pair)
        return at, (i, j)

    def _told(self, at: int, form: Form, rounds: slice) -> tuple[Array, Array]:
        moments, wrong, units = self.moments[at][rounds], self.wrong[at][rounds], self.units[at]
        table = np.zeros(moments.shape[1:])
        for (i, j), factor in form.items():
            table[i, j] = table[j, i] = float(factor) if i == j else float(factor) / 2
        values = np.einsum("ij,tij->t", table, moments)
        sizes = np.einsum("ij,tij->t", abs(table), abs(moments))
        scaled = table[1:, 1:] / units[:, None] / units
        square = np.linalg.norm(scaled, 2) * _SURE + _norm(scaled) * 2 * _ROUNDED + TINY
        linear = _norm(2 * table[0, 1:] / units) * (_SURE + 2 * _ROUNDED) + TINY
        lost = abs(moments).sum(axis=(1, 2)) * _LOST + TINY
        own = sizes * ((table.size + 20) * UNIT) + lost
        return values, (linear * wrong[:, 0] + square * wrong[:, 1] + own) * _SURE


def float_steps(
    first: Beginning, trace: Unrolling, rounds: int, centres: Sequence[Sequence[fmpq]]
) -> FloatSteps:
    """All rounds, one after another.

    Parameters
    ----------
    centres : sequence of sequences of rationals
        As of `step_maps`.

    Raises
    ------
    Refused
        If the step is not affine in the state, rounds differ, or numbers are too large or many.
    """
    if trace.asked_round:
        raise Refused("the step asks for the round: rounds differ")
    named = trace.variables
    size = named.entries
    exact = step_maps(trace, centres)
    if sum(own.before**2 for own in exact) * (rounds + 1) > _MOST_ENTRIES:
        raise Refused("the moments of all rounds are too large")
    units = [_units(size, own.before) for own in exact]
    maps = [FloatMap(own, units[at], units[(at + 1) % len(exact)]) for at, own in enumerate(exact)]
    columns = range(size + 1)
    start = np.array(
        [
            [float(first.moment((min(i, j), max(i, j)), centres[0][:size])) for j in columns]
            for i in columns
        ]
    )
    moments: list[list[Array]] = [[start], *([] for _ in maps[1:])]
    wrong: list[list[tuple[float, float]]] = [[], *([] for _ in maps[1:])]
    wrong[0].append(_wrong(abs(start) * _ROUNDED + TINY, units[0]))
    with np.errstate(over="ignore", invalid="ignore"):
        for t in range(rounds):
            for at, own in enumerate(maps):
                to = (at + 1) % len(maps)
                found, lost = own(moments[at][t])
                off = _grown(own, wrong[at][t], _wrong(lost, units[to]))
                if not np.isfinite(found).all() or not np.isfinite(off).all():
                    raise Refused(f"moments are too large for floats after round {t}")
                moments[to].append(found)
                wrong[to].append(off)
    behind = [stage.first - named.fresh for stage in named.stages]
    kept, lost = ([np.array(own) for own in every] for every in (moments, wrong))
    return FloatSteps(size, behind, kept, lost, units)


def _units(size: int, count: int) -> Array:
    found = np.ones(count - 1)
    if count > size + 1:
        found[:size] = _KEPT
    return found


def _wrong(entries: Array, units: Array) -> tuple[float, float]:
    """From errors of entries: the nuclear norm is at most sqrt(n) times the Frobenius norm."""
    scaled = entries[1:, 1:] * units[:, None] * units
    square = float(np.sqrt(len(units))) * _norm(scaled)
    return _norm(entries[0, 1:] * units) * _SURE, square * _SURE


def _grown(
    own: FloatMap, before: tuple[float, float], fresh: tuple[float, float]
) -> tuple[float, float]:
    """What there is after a map: E [B e b' + b e' B'] of an error e of E z is of rank two."""
    first, squares, shift = own.growth
    mean, square = before
    cross = 2 * np.sqrt(squares * shift) * mean
    return (first * mean + fresh[0]) * _SURE, float(squares * square + cross + fresh[1]) * _SURE


def centres_of(trace: Unrolling, centre: Sequence[fmpq]) -> list[list[fmpq]]:
    """From where the state, with what is carried, is measured: what a mean step makes of a centre.

    Any centres would do; few digits cancel around these.
    """
    named = trace.variables
    found, known = [list(centre)], dict(enumerate(centre))
    for stage in named.stages:
        own = [_at(named, value, known) for value in stage.values]
        found.append([*centre, *own])
        known = {**dict(enumerate(centre)), **dict(enumerate(own, stage.first))}
    return found


def _at(named: Variables, value: Any, known: dict[int, fmpq]) -> fmpq:
    """The mean over the sources of what is affine in the state, as a float."""
    mean = named.mean(value, range(len(named.sources)))
    if not isinstance(mean, Unknown):
        return fmpq(*float(fmpq(mean)).as_integer_ratio())
    total = fmpq(0)
    for monomial, factor in mean.monomials.items():
        for at in monomial:
            factor *= known[at]
        total += factor
    return fmpq(*float(total).as_integer_ratio())
