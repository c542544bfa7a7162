"""Many rounds from one trace: the map of a round, its parameters and its start, all exact.

What follows them is `float_moments`, or `exact_moments` in rationals.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.problems.linear import rational

from .beginnings import beginning
from .over_one import OverOne, Whole, whole
from .round_maps import ByParameter, Pair, at_values
from .subject import Subject
from .unknowns import Refused, Variables
from .unrolled import Unrolling, unroll
from .whole_rounds import round_maps

Array = Any
MOST_ROUNDS = 100_000


@dataclass(frozen=True, eq=False)
class Rounds:
    """Rounds of a subject.

    Attributes
    ----------
    subject : Subject
    trace : Unrolling
    step : mapping from pair to linear functions
        Moments of (1, x) after a round from those before, x measured from a centre.
    start : mapping from pair to rational
        Moments before round 0, in the order of `round_maps.pairs`.
    parameters : tuple of tuples of rationals
        Of rounds 0, ..., T, those that change; one for all if none does.
    """

    subject: Subject
    trace: Unrolling
    step: Mapping[Pair, ByParameter]
    start: Mapping[Pair, fmpq]
    parameters: tuple[tuple[fmpq, ...], ...]

    @property
    def named(self) -> Variables:
        """Its unknowns."""
        return self.trace.variables


def traced(subject: Subject) -> Unrolling:
    """One round on unknowns, parameters that change among them.

    Raises
    ------
    Refused
        If the step asks for the round itself, or is not run on unknowns.
    """
    trace = unroll(subject, beginning(subject).shapes, unknown=tuple(subject.changing))
    if trace.asked_round:
        raise Refused("the step asks for the round: rounds differ by more than parameters")
    return trace


def rounds_of(subject: Subject, trace: Unrolling, centre: Sequence[fmpq] = ()) -> Rounds:
    """The rounds of a subject that was `traced`.

    Raises
    ------
    Refused
        If the step is not affine in the state, or there are too many rounds.
    """
    if subject.rounds > MOST_ROUNDS:
        raise Refused(f"{subject.rounds} rounds; at most {MOST_ROUNDS} are followed")
    named = trace.variables
    start = beginning(subject).moments(centre)
    times = range(subject.rounds + 1) if named.parameters else range(1)
    changing = [subject.changing[name] for name in named.parameters]
    parameters = tuple(tuple(rational(own(t)) for own in changing) for t in times)
    return Rounds(subject, trace, round_maps(trace, centre), start, parameters)


# ---- in rationals


@dataclass(frozen=True, eq=False)
class InRationals:
    """Moments of (1, x) of rounds 0, ..., T.

    Attributes
    ----------
    rounds : Rounds
    values : tuple of OverOne
    """

    rounds: Rounds
    values: tuple[OverOne, ...]

    def means(self) -> Array:
        """E x of every round."""
        size = self.rounds.named.entries
        found = np.empty((len(self.values), size), dtype=object)
        found[:] = [[own[0, i + 1] for i in range(size)] for own in self.values]
        return found

    def told(self, forms: ByParameter) -> Array:
        """A linear function of the moments in every round."""
        every = self.rounds.parameters
        own = [whole(at_values(forms, values)) for values in every]
        found = np.empty(len(self.values), dtype=object)
        found[:] = [
            values.applied(own[min(t, len(own) - 1)]) for t, values in enumerate(self.values)
        ]
        return found


def in_rationals(rounds: Rounds) -> InRationals:
    """All rounds, one after another."""
    values = [OverOne(rounds.start)]
    step: dict[Pair, Whole] = {}
    for t in range(rounds.subject.rounds):
        if t < len(rounds.parameters):
            own = rounds.parameters[t]
            step = {pair: whole(at_values(forms, own)) for pair, forms in rounds.step.items()}
        after = OverOne()
        after.add({pair: values[-1].total(form) for pair, form in step.items()})
        values.append(after)
    return InRationals(rounds, tuple(values))
