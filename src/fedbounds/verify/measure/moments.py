"""Exact second moments over many rounds, where the step is affine in the state.

With z+ = sum over monomials s^a of the sources of B_a (1, z), every moment of degree two at most
after the round is a linear function of those before: m+ = R m. Nothing is declared: the polynomials
show that the degree is one, and laws of sources give E of their monomials.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flint import fmpq

from .beginnings import beginning
from .round_maps import Form as Form
from .round_maps import Pair as Pair
from .round_maps import forms_of, round_maps
from .subject import Subject
from .unknowns import Refused, Variables
from .unrolled import Unrolling, unroll

MOST_WORK = 4_000_000  # products of rationals, over all rounds


@dataclass(frozen=True, eq=False)
class Moments:
    """E of all products of two entries of (1, z), round by round.

    Attributes
    ----------
    values : tuple of dicts from pair to rational
        Of rounds 0, ..., T.
    unrolled : tuple of Unrolling
        One for every round 0, ..., T - 1; the same one, unless the step asks for the round.
    """

    values: tuple[dict[Pair, fmpq], ...]
    unrolled: tuple[Unrolling, ...]


def moments(subject: Subject) -> Moments:
    """Second moments of every round.

    Raises
    ------
    Refused
        If there is no round, the step is not affine in the state, or the work is too much.
    """
    if subject.problem.irrational:
        raise Refused("gradients are no polynomials")
    if not subject.rounds:
        raise Refused("no round is run: there is no step to look at")
    first = beginning(subject)
    values, traces = [first.moments()], list[Unrolling]()
    step: dict[Pair, Form] = {}
    work = 0
    for t in range(subject.rounds):
        if t == 0 or traces[-1].asked_round:
            trace = unroll(subject, first.shapes, t, carries=True)
            step = round_map(trace)
        traces.append(trace)
        work += sum(map(len, step.values()))
        if work > MOST_WORK:
            raise Refused(f"more than {MOST_WORK} products of rationals within {t + 1} rounds")
        values.append({pair: applied(form, values[-1]) for pair, form in step.items()})
    return Moments(tuple(values), tuple(traces))


def round_map(trace: Unrolling) -> dict[Pair, Form]:
    """Moments after a round as linear functions of those before.

    Raises
    ------
    Refused
        If the step is not affine in the state.
    """
    return {pair: forms.get((), {}) for pair, forms in round_maps(trace).items()}


def form(named: Variables, value: Any) -> Form:
    """A polynomial of degree two at most in the state as a linear function of the moments.

    Raises
    ------
    Refused
        If the degree is higher, or a source or a parameter is left.
    """
    if named.parameters:
        raise Refused("a parameter is left that changes from round to round")
    return forms_of(named, value).get((), {})


def applied(own: Form, values: Mapping[Pair, fmpq]) -> fmpq:
    """The number that a linear function of the moments has."""
    return sum((factor * values[pair] for pair, factor in own.items()), fmpq(0))


def series(own: Form, values: Sequence[Mapping[Pair, fmpq]]) -> list[fmpq]:
    """The numbers of all rounds."""
    return [applied(own, each) for each in values]
