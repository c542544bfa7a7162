"""Second moments of many rounds in plain floats: fast, and good for steering a search alone.

No bound of what rounding did is known: what a search finds with them is judged otherwise. The state
is measured from where its mean stays, so that what settles there keeps its digits.
"""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb, fmpq

from .balls import Ball
from .beginnings import Beginning
from .exact_steps import TooMuchError
from .over_one import Whole
from .round_maps import Form, Pair
from .unknowns import Refused

Array = Any
_ONE = (0, 0)
_FAR = 10  # times the start
_MOST_ENTRIES = 20_000_000  # of the maps of all rounds, and of the moments
_CLEAR = 1e-10  # of the sizes of all terms, over all rounds: less may be rounding


class UnclearError(ArithmeticError):
    """Floats do not tell."""


class Steered:
    """The moments that were asked for, with all on which they depend.

    Parameters
    ----------
    first : Beginning
    steps : sequence
        What has ``form(pair)``, a moment after a round by those before: of rounds 0, ..., T - 1.
    every : list of pairs
    most : int
        Products that these moments may take: as many balls as may replay them.
    """

    def __init__(self, first: Beginning, steps: Sequence[Any], every: list[Pair], most: int):
        self.pairs = every
        self._first, self._steps, self._most = first, steps, most
        self._different = list({id(step): step for step in steps}.values())
        self._place: dict[Pair, int] = {}
        self._centre: dict[int, fmpq] = {}
        self._values: Array = np.empty((len(steps) + 1, 0))

    def value(self, pair: Pair, at: int) -> Ball:
        """A moment of round ``at``."""
        return self._told({pair: fmpq(1)}, at, 1)[0]

    def applied(self, form: Whole, at: int) -> Ball:
        """A linear function of them."""
        return self.series(form, at, 1)[0]

    def series(self, form: Whole, first: int, count: int) -> list[Ball]:
        """The same of so many rounds."""
        own = {pair: fmpq(factor, form.below) for pair, factor in form.above}
        return self._told(own, first, count)

    def _told(self, form: Form, first: int, count: int) -> list[Ball]:
        self._find(form)
        own = _from(form, self._centre)
        factors = np.array([float(factor) for factor in own.values()])
        rows = self._values[first : first + count, [self._place[pair] for pair in own]]
        with np.errstate(over="ignore", invalid="ignore"):
            values = rows @ factors
            _check(values, abs(rows) @ abs(factors))
        return [Ball(arb(value)) for value in values.tolist()]

    def _find(self, pairs: Iterable[Pair]) -> None:
        """All rounds, of these and of all on which they depend."""
        if all(pair in self._place for pair in pairs):
            return
        place = self._closed(pairs)
        rounds = len(self._steps)
        terms = max(sum(len(step.form(pair)) for pair in place) for step in self._different)
        if terms * rounds > self._most:
            raise TooMuchError(f"more than {self._most} products within {rounds} rounds")
        if len(place) ** 2 * len(self._different) + len(place) * rounds > _MOST_ENTRIES:
            raise Refused("the matrices of all rounds are too large")
        start = {pair: self._first.moment(pair) for pair in place}
        centre = _settled(self._different[0], start)
        maps = {id(step): _map(step, place, centre) for step in self._different}
        values = np.empty((rounds + 1, len(place)))
        values[0] = [float(_about(pair, start, centre)) for pair in place]
        with np.errstate(over="ignore", invalid="ignore"):
            for t, step in enumerate(self._steps):
                values[t + 1] = maps[id(step)] @ values[t]
            if len(maps) == 1:  # where rounds differ, what is read alone is looked at
                (own,) = maps.values()
                every = (abs(values[:-1]) @ abs(own).T).T
                for column, sizes in zip(values[1:].T, every, strict=True):
                    _check(column, sizes)
        self._place, self._centre, self._values = place, centre, values

    def _closed(self, pairs: Iterable[Pair]) -> dict[Pair, int]:
        """With all on which they depend, and first moments of what is in them."""
        place, waiting = dict(self._place), list(pairs)
        while waiting:
            pair = waiting.pop()
            if pair not in place:
                place[pair] = len(place)
                waiting += [x for step in self._different for x in step.form(pair)]
                waiting += [_ONE, (0, pair[0]), (0, pair[1])]
        return place


def _settled(step: Any, start: Mapping[Pair, fmpq]) -> dict[int, fmpq]:
    """Where the means of entries stay, to rounding; the origin if that is far from the start."""
    entries = sorted(j for i, j in start if i == 0 < j)
    at = {(0, j): number for number, j in enumerate(entries)}
    matrix, shift = np.eye(len(entries)), np.zeros(len(entries))
    for pair, row in at.items():
        for other, factor in step.form(pair).items():
            if other == _ONE:
                shift[row] = float(factor)
            else:
                matrix[row, at[other]] -= float(factor)
    if not np.isfinite(matrix).all() or not shift.any():
        return {}
    found = np.linalg.lstsq(matrix, shift, rcond=1e-12)[0]
    if abs(found).max() > _FAR * max(abs(float(start[pair])) for pair in at):
        return {}
    exact = (Fraction(value) for value in found.tolist())
    return {j: fmpq(x.numerator, x.denominator) for j, x in zip(entries, exact, strict=True) if x}


def _from(form: Form, centre: Mapping[int, fmpq]) -> dict[Pair, fmpq]:
    """The same function of moments from a centre."""
    if not centre:
        return dict(form)
    found = dict[Pair, fmpq]()

    def add(pair: Pair, factor: fmpq) -> None:
        found[pair] = found.get(pair, fmpq(0)) + factor

    for (i, j), factor in form.items():
        add((i, j), factor)
        a, b = centre.get(i), centre.get(j)  # the constant, 0, has none
        if b is not None:
            add((0, i), factor * b)
        if a is not None:
            add((0, j), factor * a)
            if b is not None:
                add(_ONE, factor * a * b)
    return {pair: factor for pair, factor in found.items() if factor}


def _about(pair: Pair, moments: Mapping[Pair, fmpq], centre: Mapping[int, fmpq]) -> fmpq:
    """E of the product of two entries, each less its centre."""
    a, b = (centre.get(i, fmpq(0)) for i in pair)
    return moments[pair] - a * moments[0, pair[1]] - b * moments[0, pair[0]] + a * b


def _map(step: Any, place: Mapping[Pair, int], centre: Mapping[int, fmpq]) -> Array:
    """Of moments from the centre."""
    after = {pair: _from(step.form(pair), centre) for pair in place}
    found = np.zeros((len(place), len(place)))
    for pair, row in place.items():
        own = dict(after[pair])
        a, b = (centre.get(i, fmpq(0)) for i in pair)
        for factor, other in ((a, pair[1]), (b, pair[0])):
            for x, y in after[0, other].items() if factor else ():
                own[x] = own.get(x, fmpq(0)) - factor * y
        if a * b:
            own[_ONE] = own.get(_ONE, fmpq(0)) + a * b
        for other_pair, factor in own.items():
            found[row, place[other_pair]] = float(factor)
    return found


def _check(values: Array, sizes: Array) -> None:
    """Raise if numbers are above all floats, or no larger than what rounding makes of them."""
    if not np.isfinite(values).all():
        raise OverflowError("above all floats")
    if 0 < abs(values).max() < _CLEAR * sizes.max():
        raise UnclearError("terms cancel: rounding may be all that is left")
