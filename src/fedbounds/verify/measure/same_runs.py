"""Two algorithms side by side on equal draws, and the first difference that their runs show."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import arb, fmpq

from fedbounds.errors import require

from .balls import enclosed
from .contract import BLOCK_U, BLOCK_V, MODEL, State, drawn_by, started, stepped
from .random import Drawn, Random, outcomes
from .same_draws import Calls
from .sources import Source
from .subject import Subject

Array = Any
_RATIONAL = re.compile(r"-?[0-9]{1,99}(/[1-9][0-9]{0,99})?")
_COPIES = 4  # of every first outcome of what is listed, each followed by others


Answers = tuple[Any, ...]  # to every shared draw: nested tuples of numbers as text


@dataclass(frozen=True)
class Difference:
    """The first that is seen of two runs on equal draws: enough to see it again.

    Attributes
    ----------
    round : int or None
        Whose result differs; None if draws that are called the same have different laws.
    deviation : str or None
        The largest of a coordinate of the model.
    place : str
        What differs, such as "u[0]".
    values : pair of str
        There, of the general algorithm and of the special one.
    where : str
        Start, draws and both values, in words.
    starts : Answers
        Of the draws of the start.
    draws : tuple of Answers
        Of those of every round so far.
    """

    round: int | None
    deviation: str | None
    place: str
    values: tuple[str, str]
    where: str
    starts: Answers = ()
    draws: tuple[Answers, ...] = ()


def starts_of(both: Sequence[Subject], start: Array, calls: Calls, answers: Any) -> list[State]:
    """The states of both before round 0, of an answer to each shared draw."""
    found = []
    for side, subject in enumerate(both):
        p = subject.parameters()

        def begin(random: Random, subject: Subject = subject, p: Any = p) -> State:
            return started(subject.algorithm, subject.problem, start, random, p)

        found.append(calls.ask(side, begin, answers, len(start)))
    return found


def drawn_of(both: Sequence[Subject], t: int, calls: Calls, answers: Any, rows: int) -> list[Drawn]:
    """What both draw in a round, likewise."""
    found = []
    for side, subject in enumerate(both):
        p = subject.parameters(t)

        def draw(random: Random, subject: Subject = subject, p: Any = p) -> Drawn:
            return drawn_by(subject.algorithm, random, subject.problem, p)

        found.append(calls.ask(side, draw, answers, rows))
    return found


def differing_run(
    both: Sequence[Subject],
    states: Sequence[tuple[str, str]],
    draws: Sequence[str],
    initial: Calls,
    calls: Calls,
) -> Difference | None:
    """Every outcome of what is listed first, without noise and with it.

    Parameters
    ----------
    both : pair of Subject
    states : pairs of str
        What a field of the state is called in either.
    draws : sequence of str
        Arrays that the first one draws, to be told.
    initial, calls : Calls
        Of the starts, and of a round.
    """
    rng = np.random.default_rng(0)
    count = len(calls.listed.chances)
    rows = 2 * _COPIES * count
    noisy = np.arange(rows) >= rows // 2
    first = _answers(initial, rng, noisy, rng.integers(0, len(initial.listed.chances), rows))

    def answered(t: int) -> list[Array]:
        chosen = np.arange(rows) % count if t == 0 else rng.integers(0, count, rows)
        return _answers(calls, rng, noisy, chosen)

    return _first_of(both, states, draws, initial, calls, first, answered, both[0].rounds)


def run_again(
    both: Sequence[Subject],
    states: Sequence[tuple[str, str]],
    draws: Sequence[str],
    initial: Calls,
    calls: Calls,
    seen: Difference,
) -> Difference | None:
    """The first difference on the draws of one that was seen; arguments as of `differing_run`.

    Raises
    ------
    FedboundsError
        If they are no draws of these algorithms.
    """
    first = _read(initial, seen.starts)
    every = [_read(calls, own) for own in seen.draws]
    return _first_of(both, states, draws, initial, calls, first, every.__getitem__, len(every))


def _first_of(
    both: Sequence[Subject],
    states: Sequence[tuple[str, str]],
    draws: Sequence[str],
    initial: Calls,
    calls: Calls,
    first: list[Array],
    answered: Callable[[int], list[Array]],
    rounds: int,
) -> Difference | None:
    """Of rows of answers to the draws of the start, and of every round."""
    every: list[list[Array]] = []
    told: list[Drawn] = []
    now: list[State] = []
    for t in range(rounds):
        answers = answered(t)
        rows = next((len(x) for x in (*answers, *first)), 1)
        if not now:
            start = np.repeat(both[0].start[None, :], rows, axis=0)
            now = starts_of(both, start, initial, first)
        drawn = drawn_of(both, t, calls, answers, rows)
        every.append(answers)
        told.append({name: drawn[0][name] for name in draws})
        now = [
            stepped(one.algorithm, one.problem, one.parameters(t), state, own)[0]
            for one, state, own in zip(both, now, drawn, strict=True)
        ]
        found = _first_difference(now, states)
        if found is not None:
            row, place, size, values = found
            begun = [answer[row] for answer in first]
            known = tuple(tuple(_kept(x[row]) for x in own) for own in every)
            noise = _noise(begun, told, row) if _is_noisy(calls, every, row) else "no noise"
            sides = _told(values[0]), _told(values[1])
            where = (
                f"from {_point(both[0])}; {_outcomes(told, row)}; {noise}; "
                f"{place} is {sides[0]} against {sides[1]}"
            )
            starts = tuple(map(_kept, begun))
            return Difference(t, _told(size), place, sides, where, starts, known)
    return None


def _is_noisy(calls: Calls, every: Sequence[Sequence[Array]], row: int) -> bool:
    """Whether a run has noise where it may be absent."""
    return any(
        source.independent and answer[row].any()
        for own in every
        for source, answer in zip(calls.sources, own, strict=True)
    )


def _kept(array: Array) -> Any:
    """Nested tuples of numbers as text."""
    return tuple(map(_kept, array)) if np.ndim(array) else str(array)


def _read(calls: Calls, kept: Answers) -> list[Array]:
    """A row of an answer to each source.

    Raises
    ------
    FedboundsError
        If one is none of its outcomes.
    """
    require(len(kept) == len(calls.sources), "draws", len(kept), f"{len(calls.sources)}")
    found = []
    for source, own in zip(calls.sources, kept, strict=True):
        told = f"an outcome of {source.name}"
        if not source.independent:
            every = outcomes((source,), exact=True).answers[0]
            same = [row for row in every if _kept(row) == own]
            require(bool(same), "draw", own, told)
            found.append(same[0][None])
            continue
        shape = _shape_of(own)
        require(shape == source.shape, "shape of a draw", shape, told)
        row = np.array([_number(x) for x in _entries_of(own)], dtype=object)
        known = [fmpq(value) for value, _ in getattr(source, "values", ())]
        known += [] if source.moment({0: 1}) else [fmpq(0)]  # noise may be absent
        free = not hasattr(source, "values")
        require(free or all(x in known for x in row), "draw", own, told)
        found.append(row.reshape(1, *source.shape))
    return found


def _answers(calls: Calls, rng: np.random.Generator, noisy: Array, chosen: Array) -> list[Array]:
    """One for each source: of what is listed the chosen outcomes, of noise some where it is."""
    known = iter(calls.listed.answers)
    return [
        _some(source, rng, noisy) if source.independent else next(known)[chosen]
        for source in calls.sources
    ]


def _some(source: Source, rng: np.random.Generator, noisy: Array) -> Array:
    sampled = source.sample(rng, len(noisy))
    if not source.moment({0: 1}):  # noise that may be absent
        sampled = sampled * noisy[:, None]
    found = np.array([fmpq(int(x)) for x in sampled.reshape(-1)], dtype=object)
    return found.reshape(len(noisy), *source.shape)


def _shape_of(kept: Any) -> tuple[int, ...]:
    """Of nested tuples that are all alike; of others none that an array has."""
    if not isinstance(kept, tuple):
        return ()
    inside = {_shape_of(one) for one in kept}
    return (len(kept), *inside.pop()) if len(inside) == 1 else (-1,)


def _entries_of(kept: Any) -> Iterator[Any]:
    if isinstance(kept, tuple):
        for one in kept:
            yield from _entries_of(one)
    else:
        yield kept


def _number(text: Any) -> fmpq:
    require(bool(_RATIONAL.fullmatch(str(text))), "number", text, '"p" or "p/q"')
    return fmpq(*map(int, text.split("/")))


def _first_difference(
    now: Sequence[State], states: Sequence[tuple[str, str]]
) -> tuple[int, str, Any, tuple[Any, Any]] | None:
    """The first row where models differ, its largest difference, and both values there."""
    models = [pair for pair in states if pair[0] in (MODEL, BLOCK_U, BLOCK_V)]
    for row in range(len(next(iter(now[0].values())))):
        best: tuple[int, str, Any, tuple[Any, Any]] | None = None
        for name, other in models:
            one, two = now[0][name][row], now[1][other][row]
            for at in np.ndindex(one.shape):
                size = enclosed(abs(one[at] - two[at]))
                if size > 0 if best is None else size > best[2]:  # of balls: for certain
                    place = name + "".join(f"[{i}]" for i in at)
                    best = (row, place, size, (one[at], two[at]))
        if best is not None:
            return best
    return None


# ---- in words


def _point(subject: Subject) -> str:
    u, v = subject.problem.blocks(subject.start[None, :])
    blocks = {"u": u[0], "v": v[0]}
    return ", ".join(f"{name} = {_numbers(x)}" for name, x in blocks.items() if x.size)


def _outcomes(told: Sequence[Drawn], row: int) -> str:
    """Arrays of 0 and 1 with an entry for each client: those who are there."""
    every = [{name: own[name][row] for name in own} for own in told]
    kept = [name for name, x in every[0].items() if x.ndim == 1]
    shown = (f"{name} {' then '.join(_entries(own[name]) for own in every)}" for name in kept)
    return ", ".join(shown) or "all the same"


def _entries(array: Array) -> str:
    if all(x in (0, 1) for x in array):
        return "{" + ", ".join(str(i) for i, x in enumerate(array) if x == 1) + "}"
    return _numbers(array)


def _noise(first: Sequence[Array], told: Sequence[Drawn], row: int) -> str:
    """Of the start, if that draws, then of the rounds."""
    begun = [f"at the start {_numbers(answer)}" for answer in first if answer.size]
    names = [name for name, x in told[0].items() if x.ndim > 2 and x[row].size]
    own = (f"{x} {' then '.join(_numbers(each[x][row]) for each in told)}" for x in names)
    return "noise " + ", ".join([*begun, *own])


def _numbers(array: Array) -> str:
    """Nested brackets of exact numbers."""
    if np.ndim(array) == 0:
        return _told(array)
    return "[" + ", ".join(map(_numbers, array)) + "]"


def _told(number: Any) -> str:
    """Exact, or to as many digits as a ball has for certain."""
    known = enclosed(number)
    return known.str(30, radius=False) if isinstance(known, arb) else str(known)
