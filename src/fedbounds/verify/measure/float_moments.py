"""Second moments of many rounds in float64, with a proved bound of what rounding did to each.

The map of a round is exact, read off polynomials, and rounded once. With x the state measured from
a centre, x+ = A x + b for random A and b, an error of E x grows by ||E A|| at most, and one of
E x x' in the nuclear norm by ||E A'A||; every round adds what its own sums were rounded by.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import fmpq

from .many_rounds import Rounds, rounds_of
from .round_maps import ByParameter, Form, forms_of, pairs
from .subject import Subject
from .unknowns import Exponents, Refused, Variables
from .unrolled import Unrolling

Array = Any
UNIT = 2.0**-53
SAFE = 1 + 1e-12  # of a norm that NumPy computes
_MOST_ENTRIES = 40_000_000  # of the matrices of all rounds


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


def float_moments(
    subject: Subject, trace: Unrolling, asked: Mapping[str, Any], centre: Sequence[fmpq]
) -> FloatMoments:
    """Quantities that are quadratic in the state, round by round.

    Parameters
    ----------
    trace : Unrolling
        From `many_rounds.traced`.
    asked : mapping from name to polynomial
        Of the state; expectations over sources are taken.
    centre : sequence of rationals
        From where the state is measured: near where it ends up, so that little cancels.

    Raises
    ------
    Refused
        If the step is not affine in the state, or a quantity not quadratic, or they are too large.
    """
    found = in_floats(rounds_of(subject, trace, centre))
    over = range(len(trace.variables.sources))
    told = {
        name: found.told(forms_of(trace.variables, trace.variables.mean(value, over), centre))
        for name, value in asked.items()
    }
    counts = [len(series) for series, _ in told.values()]
    length = min(counts, default=subject.rounds + 1)
    return FloatMoments(
        {name: series[:length] for name, (series, _) in told.items()},
        {name: errors[:length] for name, (_, errors) in told.items()},
        None if length > subject.rounds else length,
    )


@dataclass(frozen=True, eq=False)
class InFloats:
    """Moments of (1, x), x measured from a centre, as far as they are finite.

    Attributes
    ----------
    rounds : Rounds
    values : array, shape (rounds + 1 or fewer, pairs)
    mean_wrong, square_wrong : arrays
        What rounding may have done: to E x in the 2-norm, to E x x' in the nuclear norm.
    powers : array, shape (rounds + 1 or 1, parameters)
    """

    rounds: Rounds
    values: Array
    mean_wrong: Array
    square_wrong: Array
    powers: Array

    @property
    def diverged_at(self) -> int | None:
        """The first round whose moments are not finite."""
        return len(self.values) if len(self.values) <= self.rounds.subject.rounds else None

    def means(self) -> Array:
        """E x of every round."""
        return self.values[:, 1 : self.rounds.named.entries + 1]

    def told(self, forms: ByParameter) -> tuple[Array, Array]:
        """A linear function of the moments in every round, and bounds of its errors.

        It ends before the first that overflows.
        """
        count = len(self.values)
        table = table_of([forms], self.powers, self.rounds.named)
        rows, wrong = (x[:count, 0] for x in (table.values, table.errors))
        square, linear = _weights(rows, wrong, self.rounds.named)
        with np.errstate(over="ignore", invalid="ignore"):
            value = (rows * self.values).sum(axis=1)
            own = ((abs(rows) * ((rows.shape[1] + 4) * UNIT) + wrong) * abs(self.values)).sum(
                axis=1
            )
            error = (square * self.square_wrong + linear * self.mean_wrong + own) * SAFE
        finite = np.isfinite(value) & np.isfinite(error)
        length = count if finite.all() else int(np.argmin(finite))
        return value[:length], error[:length]


def in_floats(rounds: Rounds) -> InFloats:
    """All rounds, one after another.

    Raises
    ------
    Refused
        If the matrices of the rounds are too large.
    """
    named, count = rounds.named, rounds.subject.rounds
    powers = np.array([[float(x) for x in row] for row in rounds.parameters])
    powers = powers.reshape(len(rounds.parameters), len(named.parameters))
    maps = table_of([rounds.step[pair] for pair in pairs(named)], powers, named)
    values = np.empty((count + 1, len(rounds.start)))
    values[0] = [float(x) for x in rounds.start.values()]
    last = len(maps.values) - 1
    with np.errstate(over="ignore", invalid="ignore"):
        for t in range(count):
            values[t + 1] = maps.values[min(t, last)] @ values[t]
        finite = np.isfinite(values).all(axis=1)
        length = count + 1 if finite.all() else int(np.argmin(finite))
        mean, square = _wrong(maps, values[:length], named)
    return InFloats(rounds, values[:length], mean, square, powers)


# ---- matrices


@dataclass(frozen=True, eq=False)
class Table:
    """Linear functions of numbers, one per row, for every round or for all at once.

    Attributes
    ----------
    values, errors : arrays, shape (rounds or 1, rows, columns)
    """

    values: Array
    errors: Array


def table_of(rows: Sequence[ByParameter], powers: Array, named: Variables) -> Table:
    """Of linear functions of the moments."""
    place = {pair: at for at, pair in enumerate(pairs(named))}
    return table([{p: _placed(form, place) for p, form in own.items()} for own in rows],
                 powers, len(place))  # fmt: skip


def _placed(form: Form, place: Mapping[tuple[int, int], int]) -> dict[int, fmpq]:
    return {place[pair]: factor for pair, factor in form.items()}


def table(
    rows: Sequence[Mapping[Exponents, Mapping[int, fmpq]]], powers: Array, columns: int
) -> Table:
    """Rows as numbers by column, per monomial of the parameters.

    Raises
    ------
    Refused
        If it is too large.
    """
    every = sorted({exponents for own in rows for exponents in own})
    if len(every) * len(rows) * columns * len(powers) > _MOST_ENTRIES:
        raise Refused("the matrices of all rounds are too large")
    matrices = np.zeros((len(every), len(rows), columns))
    for row, own in enumerate(rows):
        for exponents, line in own.items():
            for column, factor in line.items():
                matrices[every.index(exponents), row, column] = float(factor)
    degrees = np.array(every, dtype=float).reshape(len(every), powers.shape[1])
    weights = np.prod(powers[:, None, :] ** degrees[None], axis=2)
    values = np.tensordot(weights, matrices, axes=(1, 0))
    size = np.tensordot(abs(weights), abs(matrices), axes=(1, 0))
    steps = 4 + len(every) + 4 * degrees.sum(axis=1).max(initial=0.0)
    return Table(values, size * steps * UNIT)


def norms(matrices: Array, wrong: Array) -> Array:
    """Of matrices with errors of their entries, from above, in the 2-norm."""
    own = np.linalg.norm(matrices, 2, axis=(-2, -1)) * SAFE
    return own + np.linalg.norm(wrong, axis=(-2, -1))


# ---- what rounding did


def _wrong(maps: Table, values: Array, named: Variables) -> tuple[Array, Array]:
    """What it may have done to E x and E x x', round by round."""
    size, every = named.entries, pairs(named)
    linear = list(range(1, size + 1))
    place = {pair: at for at, pair in enumerate(every)}
    traces = [place[i, i] for i in linear]
    means = norms(maps.values[:, linear][:, :, linear], maps.errors[:, linear][:, :, linear])
    trace, trace_wrong = (x[:, traces].sum(axis=1) for x in (maps.values, maps.errors))
    squares = norms(_as_matrix(trace, named), _as_matrix(trace_wrong, named))
    shift = abs(trace[:, 0]) * SAFE + trace_wrong[:, 0]
    twice = np.sqrt([1.0 if i == j else 2.0 for i, j in every if i])
    root = float(np.sqrt(size))

    def both(each: Array) -> tuple[Array, Array]:
        """From entry errors: the nuclear norm is at most sqrt(N) times the Frobenius norm."""
        length = _length(each[:, linear]) * SAFE
        return length, root * _length(each[:, size + 1 :] * twice) * SAFE

    sizes = abs(values)
    rounded = abs(maps.values) * ((len(every) + 4) * UNIT) + maps.errors
    count = len(values) - 1
    grown = (
        sizes[:-1] @ rounded[0].T
        if len(rounded) == 1
        else np.einsum("tij,tj->ti", rounded[:count], sizes[:-1])
    )
    fresh_mean, fresh_square = both(grown + sizes[1:] * UNIT)
    (mean,), (square,) = both(sizes[:1] * 2 * UNIT)
    cross = 2 * np.sqrt(squares * shift)
    found = [(float(mean), float(square))]
    last = len(means) - 1
    for t, add, more in zip(range(count), fresh_mean.tolist(), fresh_square.tolist(), strict=True):
        at = min(t, last)
        before, own = found[-1]
        found.append((means[at] * before + add, squares[at] * own + cross[at] * before + more))
    every_mean, every_square = np.array(found).T
    return every_mean, every_square


def _length(values: Array) -> Array:
    """2-norms along the last axis, of numbers whose squares may overflow."""
    largest = abs(values).max(axis=-1, initial=0.0)
    usual = (largest > 0) & (largest < np.inf)
    scaled = values / np.where(usual, largest, 1.0)[..., None]
    return np.where(usual, largest * np.linalg.norm(scaled, axis=-1), largest)


def _as_matrix(rows: Array, named: Variables) -> Array:
    """Weights of products of two entries as symmetric matrices."""
    size = named.entries
    found = np.zeros((len(rows), size, size))
    for at, (i, j) in enumerate(pairs(named)):
        if i:
            found[:, i - 1, j - 1] = found[:, j - 1, i - 1] = rows[:, at] * (1.0 if i == j else 0.5)
    return found


def _weights(rows: Array, wrong: Array, named: Variables) -> tuple[Array, Array]:
    """A quantity's norms against errors of E x x' and of E x."""
    every = np.linalg.norm(wrong, axis=1)
    square = np.linalg.norm(_as_matrix(rows, named), 2, axis=(1, 2)) * SAFE + every
    linear = np.linalg.norm(rows[:, 1 : named.entries + 1], axis=1) * SAFE + every
    return square, linear
