"""Exact second moments over many rounds, where the step is affine in the state.

With z+ = sum over monomials s^a of the sources of B_a (1, z), every moment of degree two at most
after the round is a linear function of those before: m+ = R m. Nothing is declared: the polynomials
show that the degree is one, and laws of sources give E of their monomials.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from flint import fmpq

from fedbounds.errors import FedboundsError

from .beginnings import Beginning, beginning
from .enumerated import one_state
from .round_maps import Form as Form
from .round_maps import Pair as Pair
from .round_maps import check_state, forms_of, pair_map, pairs
from .subject import Subject
from .unknowns import Refused, Variables
from .unrolled import Unrolling, unroll
from .whole_rounds import listed_rows, round_maps

MOST_WORK = 4_000_000  # products of rationals, over all rounds
_FEW = 16  # outcomes of ``init`` that are listed: of more, all products take longer


class TooMuchError(FedboundsError):
    """A moment takes more work than is done for a run."""


@dataclass(frozen=True, eq=False)
class Moments:
    """E of all products of two entries of (1, z), round by round.

    Attributes
    ----------
    values : tuple of mappings from pair to rational
        Of rounds 0, ..., T; each is computed when it is first asked for, with those that it needs.
    unrolled : tuple of Unrolling
        One for every round 0, ..., T - 1; the same one, unless the step asks for the round.
    """

    values: tuple[Mapping[Pair, fmpq], ...]
    unrolled: tuple[Unrolling, ...]


def moments(subject: Subject, most: int | None = None) -> Moments:
    """Second moments of every round.

    Parameters
    ----------
    most : int or None
        Products of rationals, each counted as often as its round says: digits grow with that.

    Raises
    ------
    Refused
        If there is no round, or the step is not affine in the state.
    """
    if subject.problem.irrational:
        raise Refused("gradients are no polynomials")
    if not subject.rounds:
        raise Refused("no round is run: there is no step to look at")
    first = beginning(subject, _FEW)
    traces, steps = list[Unrolling](), list[_Step]()
    for t in range(subject.rounds):
        if t == 0 or traces[-1].asked_round:
            trace = unroll(subject, first.shapes, t, carries=True)
            step = _Step(trace)
        traces.append(trace)
        steps.append(step)
    every = _Every(first, steps, pairs(traces[0].variables), most)
    return Moments(tuple(_Round(every, t) for t in range(subject.rounds + 1)), tuple(traces))


class _Step:
    """What a round makes of moments: each form is made when it is first asked for."""

    def __init__(self, trace: Unrolling) -> None:
        self._named = trace.variables
        self._forms: dict[Pair, Form] = {}
        if trace.by is not None:  # its outcomes are not listed
            self._forms = round_map(trace)
            return
        if self._named.stages:  # then all pairs with what is carried are looked at
            check_state(self._named)
        self._rows = listed_rows(trace)

    def form(self, pair: Pair) -> Form:
        """One moment after the round."""
        if pair not in self._forms:
            self._forms[pair] = pair_map(self._named, self._rows, pair).get((), {})
        return self._forms[pair]


class _Every:
    """The moments of all rounds that were asked for so far."""

    def __init__(
        self, first: Beginning, steps: list[_Step], every: list[Pair], most: int | None
    ) -> None:
        self.first, self.steps, self.pairs, self.most = first, steps, every, most
        self.known: list[dict[Pair, fmpq]] = [{} for _ in range(len(steps) + 1)]
        self.work, self.weighed = 0, 0

    def value(self, pair: Pair, at: int) -> fmpq:
        """One of them; with it those before on which it depends."""
        if pair not in self.known[at]:
            self._find(pair, at)
        return self.known[at][pair]

    def _find(self, pair: Pair, at: int) -> None:
        asked = [{pair}]  # of round at, of the round before it, ...
        while asked[-1] and at >= len(asked):
            step, known = self.steps[at - len(asked)], self.known[at - len(asked)]
            asked.append({x for own in asked[-1] for x in step.form(own) if x not in known})
        for back, own in reversed(list(enumerate(asked))):
            for one in own:
                self.known[at - back][one] = self._of(one, at - back)

    def _of(self, pair: Pair, at: int) -> fmpq:
        if not at:
            return self.first.moment(pair)
        form, before = self.steps[at - 1].form(pair), self.known[at - 1]
        self.work, self.weighed = self.work + len(form), self.weighed + len(form) * at
        if self.work > MOST_WORK or (self.most is not None and self.weighed > self.most):
            most = MOST_WORK if self.most is None else self.most
            raise TooMuchError(f"more than {most} products of rationals within {at} rounds")
        return applied(form, before)


class _Round(Mapping[Pair, fmpq]):
    """The moments of one round."""

    def __init__(self, every: _Every, at: int) -> None:
        self._every, self._at = every, at

    def __getitem__(self, pair: Pair) -> fmpq:
        return self._every.value(pair, self._at)

    def __iter__(self) -> Iterator[Pair]:
        return iter(self._every.pairs)

    def __len__(self) -> int:
        return len(self._every.pairs)


def products_of_rounds(subject: Subject) -> int:
    """Of rationals, in all rounds, if every moment is in that of every other."""
    size = sum(prod(x.shape[1:]) for x in one_state(subject).values())
    pairs = (size + 1) * (size + 2) // 2
    return int(pairs**2 * subject.rounds)


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
