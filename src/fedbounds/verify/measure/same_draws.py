"""The draws of two algorithms, of which those that are called the same are answered alike."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from flint import fmpq

from fedbounds.errors import FedboundsError

from .contract import different, drawn_by
from .enumerated import sources_of_init
from .random import Asks, Drawn, Outcomes, Random, answered, outcomes, sampled, sources_of
from .sources import Normal, Source, TooManyError
from .subject import Subject
from .unknowns import bare

Array = Any
_TRIED = 16  # outcomes on which it is seen which call an array rests on
Law = Mapping[tuple[Any, ...], fmpq]


class Unlike(Exception):
    """Draws that are called the same have different laws.

    Attributes
    ----------
    place : str
        An outcome, and that its probability is meant.
    chances : pair of str
        Of it, for the general algorithm and for the special one.
    """

    def __init__(self, told: str, place: str, chances: tuple[str, str]) -> None:
        super().__init__(told)
        self.place, self.chances = place, chances

    @property
    def where(self) -> str:
        """All of that in words."""
        return f"{self.place} {' against '.join(self.chances)}"


@dataclass(frozen=True, eq=False)
class Calls:
    """The calls of two functions; what both ask for is one source.

    Attributes
    ----------
    sources : tuple of Source
        Each is answered once, for both.
    asked : pair of tuples of (Source, int or None)
        Of either function, call by call: what it asks for, and the number of the source that
        answers; None where there is one outcome.
    """

    sources: tuple[Source, ...]
    asked: tuple[tuple[tuple[Source, int | None], ...], ...]

    @property
    def unknown(self) -> list[bool]:
        """Of every source, whether it can be unknown: its entries are independent."""
        return [source.independent for source in self.sources]

    @property
    def listed(self) -> Outcomes:
        """Every outcome of the others together."""
        return outcomes([x for x in self.sources if not x.independent], exact=True)

    def ask(self, side: int, function: Asks, answers: Sequence[Array], rows: int) -> Drawn:
        """What one of the two makes of an answer to each source, with so many rows."""
        own = self.asked[side]
        given = [
            np.repeat(outcomes((source,), exact=True).answers[0], rows, axis=0)
            if number is None
            else _leading(answers[number], source.shape)
            for source, number in own
        ]
        return answered(function, [source for source, _ in own], given)


def _leading(answer: Array, shape: tuple[int, ...]) -> Array:
    """The first entries along every axis: an algorithm with fewer steps leaves the last unused."""
    return answer[(slice(None), *map(slice, shape))]


def of_draws(general: Subject, special: Subject, names: Mapping[str, str]) -> Calls:
    """Of ``draw``; arrays are matched by name.

    Raises
    ------
    Unlike
        If two that are called the same have different laws.
    FedboundsError
        If draws cannot be shared.
    """
    both = [Drawing(subject) for subject in (general, special)]
    shared: list[Source] = []
    numbers: list[dict[int, int]] = [{}, {}]
    for pair in names.items():
        calls = [own.behind(name) for own, name in zip(both, pair, strict=True)]
        known = [at for at in calls if at is not None]
        if not known:
            continue
        one = _common(*(own.source(at) for own, at in zip(both, calls, strict=True)))
        if one is None:
            _refuse(both, pair, calls)
        answered_by = {of.get(at) for of, at in zip(numbers, known, strict=True)}
        if len(answered_by) > 1:
            raise FedboundsError(f"draws {pair} rest on calls that belong to others too")
        if answered_by == {None}:
            shared.append(one)
            for of, at in zip(numbers, known, strict=True):
                of[at] = len(shared) - 1
    return _calls(shared, [own.sources for own in both], numbers)


def of_starts(general: Subject, special: Subject) -> Calls:
    """Of ``init``; calls of more than one outcome are matched in order.

    Raises
    ------
    FedboundsError
        If they cannot be shared.
    """
    every = [sources_of_init(subject) for subject in (general, special)]
    random = [[at for at, source in enumerate(own) if source.count != 1] for own in every]
    pairs = zip(*random, strict=False)
    shared = [_common(every[0][i], every[1][j]) for i, j in pairs]
    if None in shared or len(random[0]) != len(random[1]):
        told = [", ".join(every[at][i].name for i in random[at]) or "nothing" for at in (0, 1)]
        raise FedboundsError(f"starts draw {told[0]} and {told[1]}: draws cannot be shared")
    numbers = [{at: number for number, at in enumerate(own)} for own in random]
    return _calls([one for one in shared if one is not None], every, numbers)


def _calls(
    shared: Sequence[Source], every: Sequence[Sequence[Source]], numbers: Sequence[dict[int, int]]
) -> Calls:
    asked = []
    for sources, own in zip(every, numbers, strict=True):
        left = [x.name for at, x in enumerate(sources) if at not in own and x.count != 1]
        if left:
            raise FedboundsError(f"only one of the two draws {', '.join(left)}")
        asked.append(tuple((source, own.get(at)) for at, source in enumerate(sources)))
    return Calls(tuple(shared), tuple(asked))


def _common(one: Source | None, other: Source | None) -> Source | None:
    """What answers both; None if there is no such source."""
    if one is None or other is None:
        return None
    if one.name == other.name:
        return one
    if _law(one) is None or _law(one) != _law(other) or len(one.shape) != len(other.shape):
        return None
    largest = tuple(map(max, one.shape, other.shape))
    return next((source for source in (one, other) if source.shape == largest), None)


def _law(source: Source) -> Any:
    """Of every entry, where entries are independent."""
    if isinstance(source, Normal):
        return Normal
    return getattr(source, "values", None) if source.independent else None


class Drawing:
    """The draws of one round of an algorithm.

    Parameters
    ----------
    subject : Subject
    """

    def __init__(self, subject: Subject) -> None:
        p = subject.parameters()

        def draw(random: Random) -> Drawn:
            return drawn_by(subject.algorithm, random, subject.problem, p)

        self.draw = draw
        self.sources = sources_of(draw, exact=True)
        self._answers = sampled(self.sources, True, _TRIED)
        self._drawn = answered(draw, self.sources, self._answers)

    def behind(self, name: str) -> int | None:
        """The call that an array rests on; None if there is one outcome."""
        found = self.every_behind(name)
        if len(found) > 1:
            several = ", ".join(self.sources[at].name for at in found)
            raise FedboundsError(f"{name!r} rests on several calls: {several}")
        return found[0] if found else None

    def every_behind(self, name: str) -> list[int]:
        """Likewise, all of them: with other outcomes of one it is another array."""
        if name not in self._drawn:
            raise FedboundsError(f"draw returns no {name!r}; it returns: {', '.join(self._drawn)}")
        return [at for at in range(len(self.sources)) if self._rests_on(name, at)]

    def source(self, call: int | None) -> Source | None:
        """That of a call."""
        return None if call is None else self.sources[call]

    def _rests_on(self, name: str, at: int) -> bool:
        answers = list(self._answers)
        answers[at] = answers[at][::-1]
        again = answered(self.draw, self.sources, answers)
        return different({name: self._drawn[name]}, {name: again[name]}) is not None

    def law(self, name: str) -> Law:
        """Of an array: outcomes with their probabilities.

        Raises
        ------
        TooManyError
            If there are too many.
        """
        calls = self.every_behind(name)
        every = outcomes([self.sources[at] for at in calls], exact=True)
        answers = [np.repeat(own[:1], len(every.chances), axis=0) for own in self._answers]
        for at, own in zip(calls, every.answers, strict=True):
            answers[at] = own
        rows = answered(self.draw, self.sources, answers)[name]
        found: dict[tuple[Any, ...], fmpq] = {}
        for row, chance in zip(rows, every.chances, strict=True):
            key = tuple(bare(x) for x in np.asarray(row).reshape(-1).tolist())
            found[key] = found.get(key, fmpq(0)) + chance
        return found


def _refuse(both: Sequence[Drawing], names: Sequence[str], calls: Sequence[int | None]) -> NoReturn:
    """Raise, as no source answers both; the reason is better if the laws are seen to differ."""
    sources = [own.source(at) for own, at in zip(both, calls, strict=True)]
    every = zip(names, sources, strict=True)
    told = [f"{name} of {'nothing' if x is None else x.name}" for name, x in every]
    message = f"draws cannot be shared: {told[0]} against {told[1]}"
    try:
        laws = [own.law(name) for own, name in zip(both, names, strict=True)]
    except TooManyError as error:
        raise FedboundsError(f"{message}; {error}") from error
    for outcome in sorted(laws[0].keys() | laws[1].keys(), reverse=True):
        chances = [law.get(outcome, fmpq(0)) for law in laws]
        if chances[0] != chances[1]:
            shown = ", ".join(map(str, outcome))
            apart = str(chances[0]), str(chances[1])
            raise Unlike(message, f"{names[0]} is [{shown}] with probability", apart)
    raise FedboundsError(message)
