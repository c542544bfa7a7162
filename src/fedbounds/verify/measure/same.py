"""Whether two algorithms are one, on equal draws.

Both are run on unknowns: polynomials in the start, in the state and in the noise, for each outcome
of all other draws. Equal polynomials are equal at all states and noises; with equal starts, so are
all runs. Polynomials that differ prove nothing yet, since the state may be out of reach: a
difference is reported from a run of both, in rationals, or in balls that do not overlap.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.errors import FedboundsError, require
from fedbounds.vocabulary import Verdict

from .balls import precise
from .contract import State, same, stepped
from .same_draws import Calls, Unlike, of_draws, of_starts
from .same_runs import Difference, differing_run, drawn_of, run_again, starts_of
from .subject import Subject
from .unknowns import Refused, variables
from .unrolled import MOST_VARIABLES

Array = Any
Fields = tuple[tuple[str, str], ...]  # what a field of the state is called in either


@dataclass(frozen=True)
class Comparison:
    """What one problem says about two algorithms.

    Attributes
    ----------
    verdict : Verdict
    reason : str
        What was compared.
    deviation : str or None
        Largest difference of a coordinate of the model, "p/q" where exact; None if nothing was run.
    difference : Difference or None
        Of two that differ.
    """

    verdict: Verdict
    reason: str
    deviation: str | None = None
    difference: Difference | None = None


@dataclass(frozen=True, eq=False)
class Two:
    """Two algorithms on one problem from one start.

    Attributes
    ----------
    general, special : Subject
    states, draws : mapping from name to name
        Fields of the general algorithm's state, and arrays that it draws, with what they are
        called in the special one.
    """

    general: Subject
    special: Subject
    states: Mapping[str, str]
    draws: Mapping[str, str]

    @property
    def both(self) -> tuple[Subject, Subject]:
        return self.general, self.special


def compare(two: Two) -> Comparison:
    """Decide for all starts, states and draws of a problem.

    Raises
    ------
    FedboundsError
        If it is in floats, draws cannot be shared, or states cannot be matched.
    """
    for subject in two.both:
        exact = subject.exact and subject.problem.exact
        require(exact, "arithmetic", "float64", "exact rationals")
    with precise():
        try:
            calls = of_draws(*two.both, two.draws)
        except Unlike as unlike:
            return Comparison(Verdict.VIOLATED, str(unlike), difference=_of_laws(unlike))
        initial = of_starts(*two.both)
        states = _matched(two, _one_state(two, initial))
        try:
            alike = _starts_agree(two, initial, states)
            same_rounds, count = _rounds_agree(two, initial, calls, states)
        except Refused as error:
            return _seen(two, initial, calls, states, f"not all states are looked at: {error}")
    if alike and same_rounds:
        reason = "starts agree, and rounds agree as polynomials in the state and the noise"
        reason += f", for each of {count} outcomes of all other draws" if count > 1 else ""
        return Comparison(Verdict.NOT_VIOLATED, reason, deviation="0")
    return _seen(two, initial, calls, states, "rounds differ at some state")


def _seen(two: Two, initial: Calls, calls: Calls, states: Fields, why: str) -> Comparison:
    """A difference of runs; where there is none, all is open, and ``why`` says what is known."""
    with precise():
        found = differing_run(two.both, states, tuple(two.draws), initial, calls)
    if found is None:
        runs = f"no run of {two.general.rounds} rounds was seen to differ"
        return Comparison(Verdict.UNDECIDED, f"{why}, but {runs}")
    return Comparison(
        Verdict.VIOLATED,
        f"runs on equal draws differ after round {found.round}",
        found.deviation,
        found,
    )


def seen_again(two: Two, seen: Difference) -> Difference | None:
    """The difference that runs on the same draws show; None if they show none.

    Raises
    ------
    FedboundsError
        If they are no draws of these algorithms.
    """
    with precise():
        try:
            calls = of_draws(*two.both, two.draws)
        except Unlike as unlike:
            return _of_laws(unlike)
        initial = of_starts(*two.both)
        states = _matched(two, _one_state(two, initial))
        return run_again(two.both, states, tuple(two.draws), initial, calls, seen)


def _of_laws(unlike: Unlike) -> Difference:
    return Difference(None, None, unlike.place, unlike.chances, unlike.where)


# ---- states


def _one_state(two: Two, initial: Calls) -> list[State]:
    """Of both, of one outcome whichever."""
    answers = [np.zeros((1, *x.shape), dtype=int).astype(object) + fmpq(0) for x in initial.sources]
    return starts_of(two.both, two.general.start[None, :], initial, answers)


def _matched(two: Two, states: list[State]) -> Fields:
    """Names of the fields that hold something, in either.

    Raises
    ------
    FedboundsError
        If one has no counterpart of its shape: such algorithms cannot be compared by rounds.
    """
    shapes = [{x: y.shape[1:] for x, y in own.items() if y.size} for own in states]
    found = tuple((x, y) for x, y in two.states.items() if x in shapes[0] or y in shapes[1])
    given = [{x: shapes[0].get(x) for x, _ in found}, {y: shapes[1].get(y) for _, y in found}]
    fit = list(given[0].values()) == list(given[1].values())
    if not fit or given[0] != shapes[0] or given[1] != shapes[1]:
        raise FedboundsError(
            f"states of the two have {shapes[0]} and {shapes[1]}; expected the same parts, which "
            f"are called {dict(two.states)}"
        )
    return found


def _agree(both: list[State], states: Fields) -> bool:
    return all(same(both[0][x], both[1][y]) for x, y in states)


# ---- polynomials


def _unknown(
    calls: Calls, shapes: Mapping[str, tuple[int, ...]]
) -> tuple[dict[str, Array], list[Array], int]:
    """Arrays of unknowns of these shapes; an answer to each source; and how many rows they have."""
    free = [source for source in calls.sources if source.independent]
    size = sum(map(prod, (*shapes.values(), *(source.shape for source in free))))
    if size > MOST_VARIABLES:
        raise Refused(f"{size} unknowns; at most {MOST_VARIABLES}")
    named, every = variables(shapes, free), calls.listed
    rows = len(every.chances)
    blocks, known = iter(named.answers()), iter(every.answers)
    answers = [
        np.repeat(next(blocks), rows, axis=0) if source.independent else next(known)
        for source in calls.sources
    ]
    return {x: np.repeat(y, rows, axis=0) for x, y in named.state().items()}, answers, rows


def _starts_agree(two: Two, initial: Calls, states: Fields) -> bool:
    """Whether both make the same state of every start and every draw of it."""
    found, answers, _ = _unknown(initial, {"start": (1, two.general.problem.entries)})
    return _agree(starts_of(two.both, found["start"], initial, answers), states)


def _rounds_agree(two: Two, initial: Calls, calls: Calls, states: Fields) -> tuple[bool, int]:
    """Whether both make the same of every state and draw, and how many outcomes are listed."""
    first, second = _one_state(two, initial)
    general, answers, rows = _unknown(calls, {name: first[name].shape for name, _ in states})
    empty = [{x: np.repeat(y, rows, axis=0) for x, y in own.items()} for own in (first, second)]
    befores = [empty[0] | general, empty[1] | {y: general[x] for x, y in states}]
    afters = []
    for one, before, drawn in zip(
        two.both, befores, drawn_of(two.both, 0, calls, answers, rows), strict=True
    ):
        p = one.parameters()
        afters.append(stepped(one.algorithm, one.problem, p, before, drawn)[0])
        if p.asked_round:
            raise Refused("rounds are not all the same")
    return _agree(afters, states), rows
