"""Every outcome of a few rounds: exact in rationals, to rounding in floats; equal states once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.errors import FedboundsError

from .balls import Ball
from .contract import (
    Parameters,
    State,
    check_rows,
    different,
    drawn_by,
    one_step,
    place,
    started,
    stepped,
)
from .random import (
    MOST_OUTCOMES,
    Drawn,
    Outcomes,
    Random,
    answered,
    count_of,
    outcomes,
    sampled,
    sources_of,
)
from .sources import Source, TooManyError, told
from .subject import Subject, numbers
from .unknowns import Refused, RootError, bare

Array = Any
MOST_ROWS = 8_192  # states times outcomes of a round
MOST_BITS = 2**20  # of a number of the state; those of affine steps grow by some dozens a round


@dataclass(frozen=True, eq=False)
class Rows:
    """States with their probabilities.

    Attributes
    ----------
    state : dict of arrays
        One row per state.
    chances : array
        Of each.
    """

    state: State
    chances: Array

    def __len__(self) -> int:
        return len(self.chances)


@dataclass(frozen=True, eq=False)
class Round:
    """One round under every outcome; rows are states times outcomes, the latter fastest.

    Attributes
    ----------
    t : int
    start : Rows
        The states that the round starts from.
    outcomes : Outcomes
    drawn : dict of arrays
        What ``draw`` made of the outcomes, a row for each.
    before, after, shown : dicts of arrays
        The state before and after, and what the step showed, one row per state and outcome.
    chances : array
        Of every row.
    """

    t: int
    start: Rows
    outcomes: Outcomes
    drawn: Drawn
    before: State
    after: State
    shown: Mapping[str, Array]
    chances: Array


@dataclass(frozen=True, eq=False)
class Enumerated:
    """Rounds 0, ..., T - 1, and the states after the last."""

    rounds: tuple[Round, ...]
    last: Rows


def enumerated(subject: Subject) -> Enumerated:
    """Every round of a subject under every outcome.

    Raises
    ------
    TooManyError
        If there are more than `MOST_ROWS` states times outcomes, or infinitely many.
    """
    rows, found = begun(subject), []
    known: tuple[Outcomes, Drawn] | None = None
    for t in range(subject.rounds):
        p = subject.parameters(t)
        every, drawn = known or draws_of(subject, p)
        one = taken(subject, p, t, rows, every, drawn)
        found.append(one)
        known = None if p.asked_round else (every, drawn)  # draws may differ between rounds
        rows = Rows(one.after, one.chances)
        rows = _merged(rows) if subject.exact else rows
    return Enumerated(tuple(found), rows)


def begun(subject: Subject) -> Rows:
    """The states before round 0: one, unless ``init`` draws."""
    sources = sources_of_init(subject)
    every = outcomes(sources, subject.exact, MOST_ROWS)
    count = len(every.chances)
    state = answered(lambda random: started_from(subject, random, count), sources, every.answers)
    return Rows(state, numbers(every.chances, subject.exact))


def sources_of_init(subject: Subject) -> list[Source]:
    """What ``init`` asks for, whatever roots it takes."""

    def of(own: Subject) -> list[Source]:
        return sources_of(lambda random: started_from(own, random, 1), own.exact)

    try:
        return of(subject)
    except RootError:
        return of(subject.in_balls())


def one_state(subject: Subject) -> State:
    """A state before round 0, of one outcome whichever."""
    sources = sources_of_init(subject)
    answers = sampled(sources, subject.exact, 1)
    return answered(lambda random: started_from(subject, random, 1), sources, answers)


def started_from(subject: Subject, random: Random, rows: int) -> State:
    """The state before round 0, from answers with so many rows."""
    repeated = np.repeat(subject.start[None, :], rows, axis=0)
    return started(subject.algorithm, subject.problem, repeated, random, subject.parameters())


def paths(subject: Subject) -> int:
    """How many outcomes a run has, equal states not counted as one.

    Raises
    ------
    TooManyError
        If there are more than are enumerated; a round that has too many is told alone.
    """
    total, count, anew = count_of(sources_of_init(subject)), 1, True
    for t in range(subject.rounds):
        if anew:
            p = subject.parameters(t)
            count, anew = count_of(_sources(subject, p)), p.asked_round
        if count > MOST_OUTCOMES:
            raise TooManyError(f"a round has {told(count)} outcomes; at most {MOST_OUTCOMES}")
        total *= count
        if total > MOST_ROWS:
            raise TooManyError(f"{subject.rounds} rounds have more than {MOST_ROWS} outcomes")
    return total


def _sources(subject: Subject, p: Parameters) -> list[Source]:
    return sources_of(
        lambda random: drawn_by(subject.algorithm, random, subject.problem, p), subject.exact
    )


def draws_of(subject: Subject, p: Parameters) -> tuple[Outcomes, Drawn]:
    """Every outcome of a round's draws, and what ``draw`` makes of them.

    Raises
    ------
    TooManyError
        If there are too many.
    FedboundsError
        If ``draw`` mixes rows, or its calls depend on outcomes.
    """
    try:
        every = outcomes(_sources(subject, p), subject.exact)
    except TooManyError as error:
        where = place(subject.algorithm.draw).rpartition("/")[2]  # of a record: without the folder
        raise TooManyError(f"{where}: {error}") from error
    return every, drawn_from(subject, p, every.sources, every.answers)


def drawn_from(
    subject: Subject, p: Parameters, sources: Sequence[Source], answers: Sequence[Array]
) -> Drawn:
    """What ``draw`` makes of answers to its calls.

    Raises
    ------
    FedboundsError
        If it mixes rows, or its calls depend on outcomes.
    """

    def draw(random: Random) -> Drawn:
        return drawn_by(subject.algorithm, random, subject.problem, p)

    count = len(answers[0]) if answers else 1
    drawn = answered(draw, sources, answers)
    check_rows(drawn, count, subject.algorithm.draw, "draw")
    for at in {0, count - 1}:
        alone = answered(draw, sources, [rows[at : at + 1] for rows in answers])
        name = different(alone, {key: rows[at : at + 1] for key, rows in drawn.items()})
        if name is not None:
            raise FedboundsError(
                f"{place(subject.algorithm.draw)}: draw gives {name!r} another value where it is "
                "asked for one outcome than where it is asked for all; use `random` only, and "
                "keep rows apart"
            )
    return drawn


def first_outcome(subject: Subject) -> Round:
    """Round 0 under one outcome of everything, however many there are; from one state."""
    p, alone = subject.parameters(), numbers([fmpq(1)], subject.exact)
    sources = _sources(subject, p)
    drawn = drawn_from(subject, p, sources, sampled(sources, subject.exact, 1))
    return taken(subject, p, 0, Rows(one_state(subject), alone), Outcomes((), (), [fmpq(1)]), drawn)


def taken(
    subject: Subject, p: Parameters, t: int, rows: Rows, every: Outcomes, drawn: Drawn
) -> Round:
    """One round from some states.

    Raises
    ------
    TooManyError
        If there are more than `MOST_ROWS` rows.
    """
    count = len(every.chances)
    if len(rows) * count > MOST_ROWS:
        raise TooManyError(
            f"{len(rows)} states times {count} outcomes of a round; at most {MOST_ROWS} are "
            "enumerated"
        )
    before = {name: np.repeat(values, count, axis=0) for name, values in rows.state.items()}
    tiled = {name: np.concatenate([x] * len(rows)) for name, x in drawn.items()}
    step = one_step if subject.steers else stepped
    after, shown = step(subject.algorithm, subject.problem, p, before, tiled)
    _refuse_long(after, t)
    chances = np.kron(rows.chances, numbers(every.chances, subject.exact))
    return Round(t, rows, every, drawn, before, after, shown, chances)


def _refuse_long(state: State, t: int) -> None:
    """Raise where a step that is not affine makes numbers longer and longer."""
    for values in state.values():
        for x in values.reshape(-1) if values.dtype == object else ():
            if isinstance(x, fmpq) and x.q.bit_length() > MOST_BITS:
                raise Refused(f"numbers of more than {MOST_BITS} bits after {t + 1} rounds")


def _merged(rows: Rows) -> Rows:
    """Equal states once, with the sum of their probabilities."""
    flat = np.concatenate([x.reshape(len(rows), -1) for x in rows.state.values()], axis=1)
    first: dict[tuple[Any, ...], int] = {}
    total: list[Any] = []
    kept: list[int] = []
    for at, (row, chance) in enumerate(zip(_keys(flat), rows.chances, strict=True)):
        place_of = first.setdefault(tuple(row), len(total))
        if place_of == len(total):
            total.append(chance)
            kept.append(at)
        else:
            total[place_of] += chance
    if len(kept) == 1 < len(rows) and not all(map(_is_told, flat[0])):
        return rows  # of one row the mean is the row itself: it would be taken for constant
    state = {name: values[kept] for name, values in rows.state.items()}
    return Rows(state, numbers(total, exact=True))


def _is_told(entry: Any) -> bool:
    """Whether it is one number: states in the same ball may be different."""
    return not isinstance(entry, Ball) or bool(entry.ball.rad() == 0)


def _keys(flat: Array) -> Array:
    """Rows of what can be looked up; of balls, those that are the same ball are equal."""
    return np.frompyfunc(_key, 1, 1)(flat).tolist() if flat.size else flat.tolist()


def _key(entry: Any) -> Any:
    """Of a rational both parts: flint makes a `Fraction` of it to find its hash."""
    return (entry.p, entry.q) if type(entry) is fmpq else bare(entry)
