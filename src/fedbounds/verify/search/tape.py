"""Answers that are remembered, so that one or two of them may be others the next time."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.theory.language.sought import Counts

from ..setups.inside import rounded
from .seeking import Asking, Space

Key = tuple[str, int]  # what was asked, and for which time
Answers = Mapping[Key, float]  # a number of an option, or a coordinate from 0 to 1
FULL_BITS = 8
COUNTS = "counts", 0  # which of all
DOUBLINGS = "doublings", 0  # of the number of rounds
_OF_STEP = "step "
_OUTER, _INNER = 16, 1000  # how far from their edges step sizes go
_TRIES = 20  # to find a neighbour


class Tape(Asking):
    """Past answers, and new ones where there are none.

    Parameters
    ----------
    space : Space
    past : mapping
    random : Generator
        Of new answers.
    bits : int
        Significant binary digits of every number.
    corner : int or None
        Which of the counts is a new answer: the first ones show every single count.
    """

    def __init__(
        self,
        space: Space,
        past: Answers,
        random: np.random.Generator,
        bits: int = FULL_BITS,
        corner: int | None = None,
    ) -> None:
        super().__init__(space, bits)
        self.made: dict[Key, float] = {}
        self.widths: dict[Key, int] = {}  # how many options there were
        self._past, self._random, self._corner = past, random, corner
        self._times: Counter[str] = Counter()
        self._at_edges: bool | None = None

    def _answer(self, what: str, fresh: Callable[[], float]) -> float:
        key = what, self._times[what]
        self._times[what] += 1
        self.made[key] = value = self._past[key] if key in self._past else fresh()
        return value

    def which(self, options: Sequence[Any], what: str) -> int:
        """See `Asking.which`."""
        self.widths[what, self._times[what]] = len(options)
        found = int(self._answer(what, lambda: self._some(options, what)))
        return found % len(options)  # there were more, perhaps, beside other answers

    def _some(self, options: Sequence[Any], what: str) -> int:
        if what == COUNTS[0] and self._corner is not None:
            order = corners_first(self.space)
            return order[self._corner % len(order)]
        return int(self._random.integers(len(options)))

    def share(self) -> Fraction:
        """See `Asking.share`."""
        return Fraction(rounded(self._answer("share", self._coordinate), self.bits))

    def size(self, least: Any, most: Any) -> Fraction:
        """See `Asking.size`."""
        at = self._answer(f"size {least} {most}", self._coordinate)
        low, high = Fraction(least), Fraction(most)
        if at in (0, 1):
            return low if at == 0 else high
        near = rounded(float(low) * float(high / low) ** at, self.bits)
        return min(max(Fraction(near), low), high)

    def doublings(self, most: int) -> int:
        """See `Asking.doublings`; none at first."""
        self.widths[DOUBLINGS] = most + 1
        return min(most, int(self._answer(DOUBLINGS[0], lambda: 0.0)))

    def factors(self, *, rising: Sequence[str], falling: Sequence[str]) -> dict[str, fmpq]:
        """See `Asking.factors`."""
        found = {}
        for name in rising:
            found[name] = self._rational(_OUTER ** self._answer(_OF_STEP + name, self._step))
        for name in falling:
            found[name] = self._rational(_INNER ** -self._answer(_OF_STEP + name, self._step))
        return found

    def _rational(self, number: float) -> fmpq:
        near = Fraction(rounded(number, self.bits))
        return fmpq(near.numerator, near.denominator)

    def _coordinate(self) -> float:
        """Uniform; every third time at an end."""
        if self._random.uniform() < 1 / 3:
            return float(self._random.integers(2))
        return float(self._random.uniform())

    def _step(self) -> float:
        """All at their edges, twice in three times."""
        if self._at_edges is None:
            self._at_edges = bool(self._random.uniform() < 2 / 3)
        return 0.0 if self._at_edges else self._coordinate()


def moved(
    space: Space,
    made: Answers,
    widths: Mapping[Key, int],
    random: np.random.Generator,
    width: float,
) -> dict[Key, float]:
    """Other answers: one option, or one or two coordinates."""
    found = dict(made)
    several = [key for key, count in widths.items() if count > 1]
    coordinates = [key for key in made if key not in widths]
    if several and (not coordinates or random.uniform() < 1 / 3):
        key = several[int(random.integers(len(several)))]
        if key == COUNTS and random.uniform() < 0.75:
            found[key] = _neighbour(space.counts, int(made[key]), random)
        else:
            found[key] = (made[key] + 1 + random.integers(widths[key] - 1)) % widths[key]
        return found
    count = min(len(coordinates), int(random.integers(1, 3)))
    for at in random.choice(len(coordinates), size=count, replace=False):
        key = coordinates[int(at)]
        found[key] = float(np.clip(made[key] + width * random.standard_normal(), 0.0, 1.0))
    return found


def _neighbour(every: Sequence[Counts], at: int, random: np.random.Generator) -> int:
    """One that differs in one count; the same if none is met soon."""
    for _ in range(_TRIES):
        other = int(random.integers(len(every)))
        name = list(every[at])[int(random.integers(len(every[at])))]
        wanted = {**every[at], name: every[other][name]}
        if wanted != every[at] and wanted in every:
            return every.index(wanted)
    return at


def beside(every: Sequence[Counts], at: int, name: str, sign: int) -> int | None:
    """The number of the counts that differ in one alone, the next less (-1) or more (1) there is.

    None if there are none, or it is no number.
    """
    own = every[at][name]
    if not isinstance(own, int):
        return None
    rest = {x: value for x, value in every[at].items() if x != name}
    found = {
        value: number
        for number, other in enumerate(every)
        if isinstance(value := other[name], int)
        and {x: y for x, y in other.items() if x != name} == rest
    }
    further = [sign * value for value in found if sign * value > sign * own]
    return found[sign * min(further)] if further else None


@lru_cache(maxsize=64)
def corners_first(space: Space) -> tuple[int, ...]:
    """All counts by number, in an order without a pattern that shows each single one early."""
    every = space.counts
    seen: set[tuple[str, Any]] = set()
    first, late = list[int](), list[int]()
    for at in np.random.default_rng(0).permutation(len(every)).tolist():
        new = set(every[at].items()) - seen
        seen |= new
        (first if new else late).append(at)
    return (*first, *late)
