"""Moments of a round over one denominator: sums of products are reduced once, not term by term.

Rationals grow with every round, and each sum of two looks for common divisors; whole numbers do
not.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce

from flint import arb, arb_mat, fmpq, fmpz

from .balls import Ball
from .round_maps import Form, Pair

_DENSE = 16  # entries of a matrix take as long as one product in a loop


@dataclass(frozen=True, eq=False)
class Whole:
    """A linear function of moments over one denominator.

    Attributes
    ----------
    below : whole number
        The denominator.
    above : tuple of pairs with whole numbers
        The factors of moments, times that.
    """

    below: fmpz
    above: tuple[tuple[Pair, fmpz], ...]

    @cached_property
    def in_balls(self) -> tuple[tuple[Pair, arb], ...]:
        """The factors themselves, as balls."""
        return tuple((pair, arb(fmpq(x, self.below))) for pair, x in self.above)


def whole(form: Form) -> Whole:
    """The same function."""
    below = _common(factor.q for factor in form.values())
    return Whole(below, tuple((x, y.p * (below // y.q)) for x, y in form.items()))


class OverOne(Mapping[Pair, fmpq]):
    """Moments of one round, as far as they are known: more may be added.

    Attributes
    ----------
    above : dict from pair to whole number
        Numerators.

    Parameters
    ----------
    values : mapping or None
        The first of them.
    reduced : bool
        Whether what numbers share is looked for, which takes longer than they do.
    """

    def __init__(self, values: Mapping[Pair, fmpq] | None = None, *, reduced: bool = True) -> None:
        self._reduced = reduced
        self.above: dict[Pair, fmpz] = {}
        self._below = fmpz(1)
        if values:
            self.add({pair: (value.p, value.q) for pair, value in values.items()})

    def add(self, fractions: Mapping[Pair, tuple[fmpz, fmpz]]) -> None:
        """More of them, as numerators and denominators."""
        if not fractions:
            return
        below = _common(own for _, own in fractions.values())
        more = {pair: value * (below // own) for pair, (value, own) in fractions.items()}
        shared = reduce(fmpz.gcd, more.values(), below) if self._reduced else fmpz(1)
        below //= shared
        if self._below % below:
            common = self._below.lcm(below)
            factor, self._below = common // self._below, common
            self.above = {pair: value * factor for pair, value in self.above.items()}
        factor = self._below // below
        self.above |= {pair: value // shared * factor for pair, value in more.items()}

    def total(self, form: Whole) -> tuple[fmpz, fmpz]:
        """What a linear function of them is: a numerator and a denominator."""
        above = self.above
        return sum((x * above[pair] for pair, x in form.above), fmpz(0)), form.below * self._below

    def applied(self, form: Whole) -> fmpq:
        """The same as one number."""
        return fmpq(*self.total(form))

    def squared(self, forms: Sequence[Whole]) -> fmpq:
        """The sum of the squares of some."""
        below = _common(form.below for form in forms)
        found = fmpz(0)
        for form in forms:
            above, _ = self.total(form)
            found += (above * (below // form.below)) ** 2
        return fmpq(found, (below * self._below) ** 2)

    def __getitem__(self, pair: Pair) -> fmpq:
        return fmpq(self.above[pair], self._below)

    def __contains__(self, pair: object) -> bool:
        return pair in self.above

    def __iter__(self) -> Iterator[Pair]:
        return iter(self.above)

    def __len__(self) -> int:
        return len(self.above)


@dataclass(frozen=True, eq=False)
class BallMap:
    """Linear functions of moments, several at once, in balls.

    Attributes
    ----------
    rows, columns : lists of pairs
        The moments that they are of the next round, and those of which they are functions.
    matrix : arb_mat
    """

    rows: list[Pair]
    columns: list[Pair]
    matrix: arb_mat


def ball_map(forms: Mapping[Pair, Form]) -> BallMap | None:
    """Of the forms of the next moments; None where most factors are 0: loops are faster."""
    rows, columns = list(forms), sorted({pair for form in forms.values() for pair in form})
    if len(rows) * len(columns) > _DENSE * sum(map(len, forms.values())):
        return None
    place = {pair: at for at, pair in enumerate(columns)}
    matrix = arb_mat(len(rows), len(columns))
    for row, form in enumerate(forms.values()):
        for pair, factor in form.items():
            matrix[row, place[pair]] = factor
    return BallMap(rows, columns, matrix)


class InBalls:
    """The same in balls, whose digits do not grow with the round."""

    def __init__(self) -> None:
        self.above: dict[Pair, arb] = {}

    def add(self, balls: Mapping[Pair, arb]) -> None:
        """More of them."""
        self.above |= balls

    def through(self, forms: BallMap) -> dict[Pair, arb]:
        """The next moments."""
        column = arb_mat(len(forms.columns), 1, [self.above[pair] for pair in forms.columns])
        return dict(zip(forms.rows, (forms.matrix * column).entries(), strict=True))

    def total(self, form: Whole) -> arb:
        """What a linear function of them is."""
        above, found = self.above, arb(0)
        for pair, factor in form.in_balls:  # a loop is faster than a sum of what one yields
            found += above[pair] * factor
        return found

    def applied(self, form: Whole) -> Ball:
        """The same as one number."""
        return Ball(self.total(form))

    def squared(self, forms: Sequence[Whole]) -> Ball:
        """The sum of the squares of some."""
        return Ball(sum((self.total(form) ** 2 for form in forms), arb(0)))

    def __getitem__(self, pair: Pair) -> Ball:
        return Ball(self.above[pair])


def _common(every: Iterable[fmpz]) -> fmpz:
    """The least common multiple."""
    return reduce(fmpz.lcm, set(every), fmpz(1))
