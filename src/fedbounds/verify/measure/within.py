"""Between which numbers all is that a run visits: certified, whatever the step, round by round.

The traced step is run on numbers of which a range is known: the state of a round, and draws within
their supports; those with few outcomes are listed. What single replicas are measured by is
evaluated on them.
"""

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from .contract import State, drawn_by, one_step, started
from .enumerated import sources_of_init
from .forms import Form, ends, ranging
from .random import Random, answered
from .regions import support
from .rows import Alike, Pattern, sources_in, space_of
from .samples import Rows
from .sources import Source, listed
from .subject import Subject
from .unknowns import Refused

Array = Any
_FEW = 16  # outcomes of a source that are listed
_MOST = 64  # rows


def within(subject: Subject, pattern: Pattern) -> Rows:
    """Rounds of which every row holds all outcomes of some draws.

    Parameters
    ----------
    subject : Subject
        In floats.

    Raises
    ------
    Refused
        If draws have no bounds, or the step needs more than a range of a number.
    """
    state, spaces = _begun(subject), []
    for at in range(subject.rounds + 1):
        space, state = _round(subject, pattern, state, at)
        spaces.append(space)
    return Rows(subject, tuple(spaces), pattern)


def _begun(subject: Subject) -> Mapping[str, tuple[Array, Array]]:
    """The least and the largest of every entry of the state before round 0."""
    sources = sources_of_init(subject)
    count = _entries(sources)
    answers = _ranges(sources, 0, count)
    rows = len(answers[0]) if answers else 1
    start = np.repeat(_known(subject.start[None, :], count), rows, axis=0)

    def init(random: Random) -> State:
        return started(subject.algorithm, subject.problem, start, random, subject.parameters())

    return _hull(answered(init, sources, answers))


def _round(
    subject: Subject, pattern: Pattern, state: Mapping[str, tuple[Array, Array]], at: int
) -> tuple[Alike, Mapping[str, tuple[Array, Array]]]:
    p, sources = subject.parameters(at), sources_in(subject, at)
    size = sum(low.size for low, _ in state.values())
    count, before, first = size + _entries(sources), {}, 0
    for name, (low, high) in state.items():
        before[name] = ranging(low, high, first, count)
        first += low.size
    answers = _ranges(sources, size, count)
    rows = len(answers[0]) if answers else 1
    before = {name: np.repeat(array, rows, axis=0) for name, array in before.items()}

    def draw(random: Random) -> State:
        return drawn_by(subject.algorithm, random, subject.problem, p)

    drawn = answered(draw, sources, answers)
    after, shown = one_step(subject.algorithm, subject.problem, p, before, drawn)
    space = space_of(subject, before, after, shown, pattern.space.draws)
    return space, _hull(after)


def _hull(state: State) -> Mapping[str, tuple[Array, Array]]:
    """Over rows."""
    every = {name: ends(array) for name, array in state.items()}
    return {
        name: (low.min(axis=0, keepdims=True), high.max(axis=0, keepdims=True))
        for name, (low, high) in every.items()
    }


def _known(numbers: Array, count: int) -> Array:
    """As numbers that depend on nothing."""
    found: Array = np.frompyfunc(lambda x: Form(x, np.zeros(count)), 1, 1)(numbers)
    return found


def _entries(sources: Sequence[Source]) -> int:
    return sum(prod(source.shape) for source in sources)


def _ranges(sources: Sequence[Source], first: int, count: int) -> list[Array]:
    """Of every source its outcomes, a row for each of those that are listed; or its support."""
    if any(source.selects for source in sources):
        raise Refused("draws that select have no range")
    every: list[Any] = []
    for source in sources:  # the first ones that have few outcomes
        rows = prod(len(own or [None]) for own in every)
        few = source.count is not None and source.count <= _FEW and rows * source.count <= _MOST
        every.append(listed(source) if few else None)
    rows = prod(len(own or [None]) for own in every)
    digits = np.unravel_index(np.arange(rows), [len(own or [None]) for own in every] or [1])
    found = []
    for source, own, places in zip(sources, every, digits, strict=False):
        if own is None:
            low, high = (np.full((1, *source.shape), float(end)) for end in support(source))
            found.append(np.repeat(ranging(low, high, first, count), rows, axis=0))
            first += prod(source.shape)
        else:
            array = np.array([own[at][0] for at in places], dtype=object)
            found.append(_known(array, count).reshape(rows, *source.shape))
    return found
