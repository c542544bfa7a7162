"""Second moments of many rounds in float64, with a proved bound of what rounding did to each.

The map of a round is exact, read off polynomials, and rounded once. With x the state measured from
a centre, x+ = A x + b for random A and b, an error of E x grows by ||E A|| at most, and one of
E x x' in the nuclear norm by ||E A'A||; every round adds what its own sums were rounded by.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.problems.linear import rational

from .beginnings import Pair, beginning, flat
from .moments import MOST_STATE
from .subject import Subject
from .unknowns import Exponents, Refused, Unknown, Variables
from .unrolled import Unrolling, unroll

Array = Any
UNIT = 2.0**-53
_SAFE = 1 + 1e-12  # of a norm that NumPy computes
MOST_ROUNDS = 100_000
_MOST_ENTRIES = 4_000_000  # of the matrices of a round

ByParameter = dict[Exponents, dict[Pair, fmpq]]  # a linear function of moments per monomial


@dataclass(frozen=True, eq=False)
class FloatMoments:
    """Quantities of every round, each with a bound of its rounding error.

    Attributes
    ----------
    series, errors : mapping from name to array
        Of rounds 0, ..., T, or up to the round before the numbers overflow.
    diverged_at : int or None
    """

    series: Mapping[str, Array]
    errors: Mapping[str, Array]
    diverged_at: int | None


def traced(subject: Subject) -> Unrolling:
    """One round on unknowns, parameters that change among them.

    Raises
    ------
    Refused
        If the step asks for the round itself, or is not run on unknowns.
    """
    trace = unroll(subject, beginning(subject).shapes, unknown=tuple(subject.changing))
    if trace.asked_round:
        raise Refused("the step asks for the round: rounds differ by more than parameters")
    return trace


def float_moments(
    subject: Subject, trace: Unrolling, asked: Mapping[str, Any], centre: Sequence[fmpq]
) -> FloatMoments:
    """Quantities that are quadratic in the state, round by round.

    Parameters
    ----------
    trace : Unrolling
        From `traced`.
    asked : mapping from name to polynomial
        Of the state; expectations over sources are taken.
    centre : sequence of rationals
        From where the state is measured: near where it ends up, so that little cancels.

    Raises
    ------
    Refused
        If the step is not affine in the state, or a quantity not quadratic, or they are too large.
    """
    if subject.rounds > MOST_ROUNDS:
        raise Refused(f"{subject.rounds} rounds; at most {MOST_ROUNDS} are followed")
    named = trace.variables
    step = _round(trace, centre)
    forms = {name: _centred(named, value, centre) for name, value in asked.items()}
    powers = _powers(subject, named)
    maps = _tables([step[pair] for pair in _pairs(named)], powers, named)
    tables = {name: _tables([own], powers, named) for name, own in forms.items()}
    return _followed(subject, maps, tables, _start(subject, centre), named)


def _pairs(named: Variables) -> list[Pair]:
    return list(combinations_with_replacement(range(named.entries + 1), 2))


def _round(trace: Unrolling, centre: Sequence[fmpq]) -> dict[Pair, ByParameter]:
    """Moments of (1, x) after a round as linear functions of those before, in centred entries."""
    named = trace.variables
    if named.entries > MOST_STATE - 1:
        raise Refused(f"{named.entries} numbers of state; at most {MOST_STATE - 1}")
    found: dict[Pair, ByParameter] = {pair: {} for pair in _pairs(named)}
    found[0, 0] = {(0,) * len(named.parameters): {(0, 0): fmpq(1)}}
    over = range(len(named.sources))
    for row, chance in enumerate(trace.listed.chances):
        after = flat({name: array[row : row + 1] for name, array in trace.after.items()})
        moved = [_shifted(named, value, centre) - c for value, c in zip(after, centre, strict=True)]
        for i, j in combinations_with_replacement(range(named.entries + 1), 2):
            if j:
                value = moved[j - 1] if not i else moved[i - 1] * moved[j - 1]
                _add(found[i, j], _by_pair(named, named.mean(value, over)), chance)
    return found


def _add(total: ByParameter, more: ByParameter, chance: fmpq) -> None:
    for powers, form in more.items():
        own = total.setdefault(powers, {})
        for pair, factor in form.items():
            own[pair] = own.get(pair, fmpq(0)) + factor * chance


def _shifted(named: Variables, value: Any, centre: Sequence[fmpq]) -> Any:
    """A polynomial of the state as one of the state measured from the centre."""
    if not isinstance(value, Unknown) or not any(centre):
        return value
    gens = named.context.gens()
    inside = [x + centre[at] if at < named.entries else x for at, x in enumerate(gens)]
    return Unknown(value.polynomial.compose(*inside))


def _by_pair(named: Variables, value: Any) -> ByParameter:
    found: ByParameter = {}
    for powers, terms in named.by_parameter(value).items():
        form = found.setdefault(powers, {})
        for exponents, factor in terms.items():
            at = [i + 1 for i, power in enumerate(exponents) for _ in range(power)]
            if len(at) > 2:
                raise Refused("the degree in the state is higher than moments tell")
            i, j = [0] * (2 - len(at)) + at
            form[i, j] = factor
    return found


def _centred(named: Variables, value: Any, centre: Sequence[fmpq]) -> ByParameter:
    """A quantity, without its sources, in entries measured from the centre."""
    mean = named.mean(value, range(len(named.sources)))
    return _by_pair(named, _shifted(named, mean, centre))


def _powers(subject: Subject, named: Variables) -> Array:
    """Values of the parameters that change, shape (rounds + 1, parameters); one row if none do."""
    if not named.parameters:
        return np.ones((1, 0))
    every = [
        [float(rational(subject.changing[name](t))) for name in named.parameters]
        for t in range(subject.rounds + 1)
    ]
    return np.array(every)


@dataclass(frozen=True, eq=False)
class _Table:
    """Linear functions of the moments, one per row, for every round or for all at once.

    Attributes
    ----------
    values, errors : arrays, shape (rounds or 1, rows, pairs)
    """

    values: Array
    errors: Array

    def at(self, t: int) -> tuple[Array, Array]:
        """Those of a round."""
        place = min(t, len(self.values) - 1)
        return self.values[place], self.errors[place]


def _tables(rows: Sequence[ByParameter], powers: Array, named: Variables) -> _Table:
    place = {pair: at for at, pair in enumerate(_pairs(named))}
    every = sorted({exponents for own in rows for exponents in own})
    if len(every) * len(rows) * len(place) * len(powers) > _MOST_ENTRIES * 10:
        raise Refused("the matrices of all rounds are too large")
    matrices = np.zeros((len(every), len(rows), len(place)))
    for row, own in enumerate(rows):
        for exponents, form in own.items():
            for pair, factor in form.items():
                matrices[every.index(exponents), row, place[pair]] = float(factor)
    degrees = np.array(every, dtype=float).reshape(len(every), -1)
    weights = np.prod(powers[:, None, :] ** degrees[None], axis=2)
    values = np.tensordot(weights, matrices, axes=(1, 0))
    size = np.tensordot(abs(weights), abs(matrices), axes=(1, 0))
    steps = 4 + len(every) + 4 * degrees.sum(axis=1).max(initial=0.0)
    return _Table(values, size * steps * UNIT)


def _start(subject: Subject, centre: Sequence[fmpq]) -> list[fmpq]:
    """Moments of (1, x) before round 0, exact."""
    total = beginning(subject).moments(centre)
    return [total[pair] for pair in combinations_with_replacement(range(len(centre) + 1), 2)]


def _followed(
    subject: Subject,
    maps: _Table,
    tables: Mapping[str, _Table],
    start: list[fmpq],
    named: Variables,
) -> FloatMoments:
    norms = [_norms(*maps.at(t), named) for t in range(len(maps.values))]
    rounded = [_rounded(*maps.at(t)) for t in range(len(maps.values))]
    forms = {name: _Weights(own, named) for name, own in tables.items()}
    moments = np.array([float(x) for x in start])
    doubt = _Doubt(named, moments)
    series: dict[str, list[float]] = {name: [] for name in tables}
    errors: dict[str, list[float]] = {name: [] for name in tables}
    diverged_at = None
    with np.errstate(over="ignore", invalid="ignore"):
        for t in range(subject.rounds + 1):
            told = {name: own.told(t, moments, doubt) for name, own in forms.items()}
            if not np.isfinite(moments).all() or not all(
                np.isfinite(x).all() for x in told.values()
            ):
                diverged_at = t
                break
            for name, (value, error) in told.items():
                series[name].append(value)
                errors[name].append(error)
            if t < subject.rounds:
                place = min(t, len(norms) - 1)
                after = maps.values[place] @ moments
                doubt.grow(norms[place], rounded[place], moments, after)
                moments = after
    return FloatMoments(
        {name: np.array(values) for name, values in series.items()},
        {name: np.array(values) for name, values in errors.items()},
        diverged_at,
    )


@dataclass(frozen=True)
class _Norms:
    """Of a round: ||E A||, ||E A'A|| and E |b|^2, from above."""

    mean: float
    square: float
    shift: float


def _norms(matrix: Array, wrong: Array, named: Variables) -> _Norms:
    size = named.entries
    pairs = _pairs(named)
    place = {pair: at for at, pair in enumerate(pairs)}
    linear = [place[0, j] for j in range(1, size + 1)]
    mean = matrix[np.ix_(linear, linear)]
    mean_wrong = wrong[np.ix_(linear, linear)]
    squares = [place[i, i] for i in range(1, size + 1)]
    trace, trace_wrong = matrix[squares].sum(axis=0), wrong[squares].sum(axis=0)
    inner, inner_wrong = np.zeros((size, size)), np.zeros((size, size))
    for (i, j), at in place.items():
        if i:
            half = 1.0 if i == j else 0.5
            inner[i - 1, j - 1] = inner[j - 1, i - 1] = trace[at] * half
            inner_wrong[i - 1, j - 1] = inner_wrong[j - 1, i - 1] = trace_wrong[at] * half
    return _Norms(
        float(np.linalg.norm(mean, 2) * _SAFE + np.linalg.norm(mean_wrong)),
        float(np.linalg.norm(inner, 2) * _SAFE + np.linalg.norm(inner_wrong)),
        float(abs(trace[place[0, 0]]) * _SAFE + trace_wrong[place[0, 0]]),
    )


class _Doubt:
    """What rounding may have done so far: to E x in the 2-norm, to E x x' in the nuclear norm."""

    def __init__(self, named: Variables, moments: Array) -> None:
        pairs = _pairs(named)
        self._linear = [at for at, (i, j) in enumerate(pairs) if not i and j]
        self._square = [at for at, (i, _) in enumerate(pairs) if i]
        self._twice = np.sqrt([1.0 if i == j else 2.0 for i, j in pairs if i])
        self._root = float(np.sqrt(named.entries))
        self.mean = self._length(abs(moments) * 2 * UNIT)
        self.square = self._nuclear(abs(moments) * 2 * UNIT)

    def _length(self, each: Array) -> float:
        return _root_of_squares(each[self._linear]) * _SAFE

    def _nuclear(self, each: Array) -> float:
        """From entry errors of a symmetric matrix: at most sqrt(N) times its Frobenius norm."""
        return self._root * _root_of_squares(each[self._square] * self._twice) * _SAFE

    def grow(self, norms: _Norms, rounded: Array, before: Array, after: Array) -> None:
        """What a round makes of the errors before it, and adds to them."""
        fresh = rounded @ abs(before) + abs(after) * UNIT
        cross = 2 * np.sqrt(norms.square * norms.shift) * self.mean
        self.square = norms.square * self.square + cross + self._nuclear(fresh)
        self.mean = norms.mean * self.mean + self._length(fresh)


def _root_of_squares(values: Array) -> float:
    """The 2-norm, of numbers whose squares may overflow."""
    largest = float(abs(values).max(initial=0.0))
    if not 0 < largest < np.inf:
        return largest
    return largest * float(np.linalg.norm(values / largest))


def _rounded(matrix: Array, wrong: Array) -> Array:
    """What a product with the sizes of moments bounds the rounding of a round's sums by."""
    return abs(matrix) * ((matrix.shape[1] + 4) * UNIT) + wrong


class _Weights:
    """A quantity's weights, with their norms against errors of the moments."""

    def __init__(self, table: _Table, named: Variables) -> None:
        self._table = table
        pairs = _pairs(named)
        size = named.entries
        self._linear = [at for at, (i, j) in enumerate(pairs) if not i and j]
        self._norms = []
        for place in range(len(table.values)):
            row, wrong = table.values[place][0], table.errors[place][0]
            inner = np.zeros((size, size))
            for at, (i, j) in enumerate(pairs):
                if i:
                    inner[i - 1, j - 1] = inner[j - 1, i - 1] = row[at] * (1.0 if i == j else 0.5)
            square = float(np.linalg.norm(inner, 2)) * _SAFE + float(np.linalg.norm(wrong))
            linear = float(np.linalg.norm(row[self._linear])) * _SAFE
            self._norms.append((square, linear + float(np.linalg.norm(wrong))))

    def told(self, t: int, moments: Array, doubt: _Doubt) -> tuple[float, float]:
        """The quantity in a round, and a bound of its error."""
        rows, wrongs = self._table.at(t)
        row, wrong = rows[0], wrongs[0]
        square, linear = self._norms[min(t, len(self._norms) - 1)]
        value = float(row @ moments)
        own = (abs(row) * ((len(row) + 4) * UNIT) + wrong) @ abs(moments)
        error = square * doubt.square + linear * doubt.mean + float(own)
        return value, error * _SAFE
