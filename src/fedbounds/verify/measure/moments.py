"""Exact second moments over many rounds, where the step is affine in the state.

With z+ = sum over monomials s^a of the sources of B_a (1, z), every moment of degree two at most
after the round is a linear function of those before: m+ = R m. Nothing is declared: the polynomials
show that the degree is one, and laws of sources give E of their monomials.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import Any

from flint import fmpq

from fedbounds.problems.linear import rational

from .beginnings import Pair, beginning, flat
from .subject import Subject
from .unknowns import Refused, Variables
from .unrolled import Unrolling, unroll

MOST_WORK = 4_000_000  # products of rationals, over all rounds
MOST_STATE = 60  # numbers of a state

Form = dict[Pair, fmpq]  # a linear function of the moments
Line = dict[int, fmpq]  # a linear function of (1, z)


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
        If the step is not affine in the state, or the work is too much.
    """
    first = beginning(subject)
    values, traces = [first.moments()], list[Unrolling]()
    step: dict[Pair, Form] = {}
    work = 0
    for t in range(subject.rounds):
        if t == 0 or traces[-1].asked_round:
            trace = unroll(subject, first.shapes, t)
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
    size = trace.variables.entries + 1
    if size > MOST_STATE:
        raise Refused(f"{size - 1} numbers of state; at most {MOST_STATE - 1}")
    found: dict[Pair, Form] = {pair: {} for pair in combinations_with_replacement(range(size), 2)}
    found[0, 0] = {(0, 0): fmpq(1)}
    for row, chance in enumerate(trace.listed.chances):
        after = flat({name: array[row : row + 1] for name, array in trace.after.items()})
        entries = [_by_source(trace.variables, value) for value in after]
        for at, own in enumerate(entries, 1):
            _add_mean(trace.variables, own, chance, found[0, at])
        for i, j in combinations_with_replacement(range(1, size), 2):
            _add_product(trace.variables, entries[i - 1], entries[j - 1], chance, found[i, j])
    return {pair: {k: v for k, v in form.items() if v} for pair, form in found.items()}


Exponents = tuple[int, ...]


def _by_source(named: Variables, value: Any) -> dict[Exponents, Line]:
    """B_a: per monomial of the sources, what is affine in the state."""
    size = named.entries
    polynomial = getattr(value, "polynomial", None)
    if polynomial is None:
        return {(): {0: rational(value)}}
    found: dict[Exponents, Line] = {}
    for exponents, factor in polynomial.to_dict().items():
        powers = [int(e) for e in exponents]
        state, source = powers[:size], tuple(powers[size:])
        if sum(state) > 1:
            raise Refused("the step is not affine in the state")
        line = found.setdefault(source if any(source) else (), {})
        line[1 + state.index(1) if any(state) else 0] = factor
    return found


def _add_mean(named: Variables, own: Mapping[Exponents, Line], chance: fmpq, total: Form) -> None:
    for exponents, line in own.items():
        weight = named.expectation(exponents) * chance
        if weight:
            for column, factor in line.items():
                _add(total, (0, column), factor * weight)


def _add_product(
    named: Variables,
    left: Mapping[Exponents, Line],
    right: Mapping[Exponents, Line],
    chance: fmpq,
    total: Form,
) -> None:
    for one, first in left.items():
        for other, second in right.items():
            weight = named.expectation(_joined(one, other)) * chance
            if weight:
                for a, x in first.items():
                    for b, y in second.items():
                        _add(total, (min(a, b), max(a, b)), x * y * weight)


def _joined(one: Exponents, other: Exponents) -> Exponents:
    if not one or not other:
        return one or other
    return tuple(a + b for a, b in zip(one, other, strict=True))


def _add(total: Form, key: Pair, amount: fmpq) -> None:
    total[key] = total.get(key, fmpq(0)) + amount


def form(named: Variables, value: Any) -> Form:
    """A polynomial of degree two at most in the state as a linear function of the moments.

    Raises
    ------
    Refused
        If the degree is higher, or a source is left.
    """
    found: Form = {}
    for exponents, factor in named.terms(value).items():
        at = [i + 1 for i, power in enumerate(exponents) for _ in range(power)]
        if len(at) > 2:
            raise Refused("it is not quadratic in the state")
        i, j = [0] * (2 - len(at)) + at
        found[i, j] = factor
    return found


def applied(own: Form, values: Mapping[Pair, fmpq]) -> fmpq:
    """The number that a linear function of the moments has."""
    return sum((factor * values[pair] for pair, factor in own.items()), fmpq(0))


def series(own: Form, values: Sequence[Mapping[Pair, fmpq]]) -> list[fmpq]:
    """The numbers of all rounds."""
    return [applied(own, each) for each in values]
