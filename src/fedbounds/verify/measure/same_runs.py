"""Two algorithms side by side on equal draws, and the first difference that their runs show."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import arb, fmpq

from .balls import enclosed
from .contract import BLOCK_U, BLOCK_V, MODEL, State, drawn_by, started, stepped
from .random import Drawn, Random
from .same_draws import Calls
from .sources import Source
from .subject import Subject

Array = Any
_COPIES = 4  # of every first outcome of what is listed, each followed by others


@dataclass(frozen=True)
class Difference:
    """The first that is seen: see `same.Comparison`."""

    round: int
    deviation: str
    where: str


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
    start = np.repeat(both[0].start[None, :], rows, axis=0)
    first = _answers(initial, rng, noisy, rng.integers(0, len(initial.listed.chances), rows))
    now = starts_of(both, start, initial, first)
    told: list[Drawn] = []
    for t in range(both[0].rounds):
        chosen = np.arange(rows) % count if t == 0 else rng.integers(0, count, rows)
        answers = _answers(calls, rng, noisy, chosen)
        drawn = drawn_of(both, t, calls, answers, rows)
        told.append({name: drawn[0][name] for name in draws})
        now = [
            stepped(one.algorithm, one.problem, one.parameters(t), state, own)[0]
            for one, state, own in zip(both, now, drawn, strict=True)
        ]
        found = _first_difference(now, states)
        if found is not None:
            row, place, size, values = found
            noise = _noise(first, told, row) if noisy[row] else "no noise"
            where = (
                f"from {_point(both[0])}; {_outcomes(told, row)}; {noise}; "
                f"{place} is {_told(values[0])} against {_told(values[1])}"
            )
            return Difference(t, _told(size), where)
    return None


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
    begun = [f"at the start {_numbers(answer[row])}" for answer in first if answer[row].size]
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
