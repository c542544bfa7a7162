"""A first round under Gaussian draws, of any step: a draw is in one of many cells, each a ball.

The chance of a cell is rational, and its ends are the quantiles that have it, within a ball. What
is computed from all of a cell is a ball; a mean over cells is one too, and what is true of it is
true. It is told closely by slopes: see `Sloped`. Beyond the last cells a draw is not bounded: see
`Tail`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from math import prod, sqrt
from statistics import NormalDist
from typing import Any

import numpy as np
from flint import arb, fmpq

from .balls import Ball, precise
from .contract import drawn_by
from .enumerated import Round, begun, drawn_from, sources_of_init, taken
from .random import MOST_OUTCOMES, Drawn, Random, answered, outcomes, sources_of
from .slopes import Draw, Sloped
from .sources import Normal, Source
from .subject import Subject
from .tails import MOST_DEGREE, Tail
from .unknowns import Refused

Array = Any
_FEWEST, _MOST = 8, 256  # cells of a draw
_LAST = 5  # where the last ones end
_DIGITS = 2**64  # of chances
_NEAR = arb(2) ** -40  # of ends
_GRID = 2**10


@dataclass(frozen=True)
class Cells:
    """Independent standard Gaussian entries, by the numbers of their cells.

    Attributes
    ----------
    shape : tuple of int
    cells : int
        Of an entry, with the one beyond all others.
    """

    shape: tuple[int, ...]
    cells: int
    selects = False
    independent = True

    @property
    def name(self) -> str:
        """The call."""
        return f"normal{self.shape} in cells"

    @property
    def count(self) -> int:
        """Joint cells."""
        return int(self.cells ** prod(self.shape))

    def outcomes(self) -> list[tuple[tuple[int, ...], fmpq]]:
        """Every one, with its probability."""
        chances, found = [chance for _, chance in cells(self.cells)], []
        for at in np.ndindex(*[self.cells] * prod(self.shape)):
            found.append((at, prod((chances[own] for own in at), start=fmpq(1))))
        return found

    def moment(self, powers: Any) -> fmpq:
        """Of numbers of cells, of which nothing is asked."""
        raise Refused("cells have no moments")

    def sample(self, random: np.random.Generator, rows: int) -> Array:
        """Numbers of cells, of which nothing is asked."""
        raise Refused("cells are listed")


@lru_cache(maxsize=8)
def cells(count: int) -> tuple[tuple[Draw | Tail, fmpq], ...]:
    """So many cells, the last of them beyond all others, with their chances."""
    with precise():
        law = NormalDist(0, sqrt(2))  # as far apart as makes means of slopes most certain
        share = law.cdf(-_LAST)
        each = (1 - 2 * share) / (count - 1)
        ends = [fmpq(round(law.inv_cdf(share + at * each) * _GRID), _GRID) for at in range(count)]
        below = [fmpq((_below(arb(x)).mid().fmpq() * _DIGITS).floor(), _DIGITS) for x in ends]
        every = [_quantile(end, chance) for end, chance in zip(ends, below, strict=True)]
        found = [
            (_within(one, other, above - under), above - under)
            for (one, other), (under, above) in zip(pairwise(every), pairwise(below), strict=True)
        ]
        outside = below[0] + 1 - below[-1]
        last = min(abs(every[0]).lower(), abs(every[-1]).lower())
        return (*found, (Tail(arb(0, _largest(last, outside)), 1), outside))


def _within(low: arb, high: arb, chance: fmpq) -> Draw:
    """A draw between two quantiles."""
    mean = (_density(low) - _density(high)) / chance
    square = 1 + (low * _density(low) - high * _density(high)) / chance
    centre = mean.mid()
    apart = (square - 2 * centre * mean + centre * centre).abs_upper().sqrt().upper()
    return Draw(low.union(high), centre, mean - centre, apart)


def _density(x: arb) -> arb:
    return (-x * x / 2).exp() / (2 * arb.pi()).sqrt()


def _below(x: arb) -> arb:
    """P(z <= x)."""
    return (-x / arb(2).sqrt()).erfc() / 2


def _quantile(near: fmpq, chance: fmpq) -> arb:
    """A ball that has it."""
    ball = arb(near)
    low, high = ball - _NEAR, ball + _NEAR
    if not (_below(low) < chance < _below(high)):
        raise Refused("a quantile is not enclosed")
    return arb(near, _NEAR)


def _largest(end: arb, chance: fmpq) -> arb:
    """M with E|z|^j <= M^j where |z| > end, for j up to `MOST_DEGREE`: that of the last is most."""
    power = arb(MOST_DEGREE)
    whole = arb(2) ** (power / 2) / arb.pi().sqrt()
    beyond = whole * (end * end / 2).gamma_upper((power + 1) / 2)
    return (beyond / chance) ** (1 / power)


def in_cells(subject: Subject) -> Round:
    """The first round, every joint cell of its draws an outcome.

    Raises
    ------
    Refused
        If more rounds are asked for, the start is drawn, nothing is Gaussian, or cells are few.
    """
    if subject.rounds != 1 or any(source.count != 1 for source in sources_of_init(subject)):
        raise Refused("only a first round from a known start is looked at in cells")
    p = subject.parameters(0)

    def draw(random: Random) -> Drawn:
        return drawn_by(subject.algorithm, random, subject.problem, p)

    asked = sources_of(draw, exact=True)
    count = _cells_of(asked)
    every = outcomes([_in_cells(source, count) for source in asked], exact=True)
    answers = [
        _balls(rows, count) if isinstance(source, Cells) else rows
        for source, rows in zip(every.sources, every.answers, strict=True)
    ]
    found = taken(subject, p, 0, begun(subject), every, drawn_from(subject, p, asked, answers))
    # which draws are behind an array is told by numbers of cells, which compare
    told = answered(draw, asked, every.answers)
    return replace(found, drawn=told)


def _cells_of(asked: Sequence[Source]) -> int:
    """How many an entry may have."""
    entries = sum(prod(source.shape) for source in asked if isinstance(source, Normal))
    others = [source for source in asked if not isinstance(source, Normal)]
    if not entries or any(source.count is None for source in others):
        raise Refused("cells are of Gaussian draws, and all others are listed")
    rows = MOST_OUTCOMES // prod(int(source.count or 1) for source in others)
    count = min(_MOST, int((rows + 1 / 2) ** (1 / entries)))
    if count < _FEWEST:
        raise Refused(f"{entries} Gaussian numbers have too many joint cells")
    return count


def _in_cells(source: Source, count: int) -> Source:
    return Cells(source.shape, count) if isinstance(source, Normal) else source


def _balls(rows: Array, count: int) -> Array:
    """A number of its own for every entry: two draws in one cell are not the same number."""
    every = [one for one, _ in cells(count)]

    def drawn(number: Any) -> Ball:
        one = every[int(number)]
        return Sloped.of(replace(one)) if isinstance(one, Draw) else Tail(one.ball, one.degree)

    found: Array = np.frompyfunc(drawn, 1, 1)(rows)
    return found
