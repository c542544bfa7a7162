"""Exact second moments over many rounds, where the step is affine in the state.

With z+ = sum over monomials s^a of the sources of B_a (1, z), every moment of degree two at most
after the round is a linear function of those before: m+ = R m. Nothing is declared: the polynomials
show that the degree is one, and laws of sources give E of their monomials.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

from flint import arb, fmpq, fmpz

from .balls import Ball
from .beginnings import Beginning, beginning
from .degrees import products_of_round
from .enumerated import one_state
from .exact_steps import InSteps, TooMuchError
from .over_one import BallMap, InBalls, OverOne, Whole, ball_map, whole
from .round_maps import Form as Form
from .round_maps import Pair as Pair
from .round_maps import check_state, forms_of, pair_map, pairs
from .steering import Steered
from .step_maps import is_wide
from .subject import Subject
from .unknowns import Refused, TooManyTerms, Variables
from .unrolled import Unrolling, together, unroll
from .whole_rounds import listed_rows, round_maps

Array = Any
_REDUCED = 8  # rounds: what numbers share is looked for in each of so many
FLOATS = 53  # bits
MOST_WORK = 4_000_000  # products of rationals, over all rounds
_FEW = 16  # outcomes of ``init`` that are listed: of more, all products take longer


@dataclass(frozen=True, eq=False)
class Moments:
    """E of all products of two entries of (1, z), round by round.

    Attributes
    ----------
    values : tuple of MomentsOfRound
        Of rounds 0, ..., T; each is computed when it is first asked for, with those that it needs.
    unrolled : tuple of Unrolling
        One for every round 0, ..., T - 1; the same one, unless the step asks for the round.
    """

    values: tuple["MomentsOfRound", ...]
    unrolled: tuple[Unrolling, ...]


def moments(subject: Subject, most: int | None = None, bits: int = 0) -> Moments:
    """Second moments of every round.

    Parameters
    ----------
    most : int or None
        Products of rationals, each counted as often as its round says: digits grow with that. Of
        other numbers each counts once.
    bits : int
        Of numbers, where no step is wide. 0: rationals; `FLOATS`: floats, whose rounding has no
        bound, to steer a search; more: balls, of as many bits as arithmetic on them has.

    Raises
    ------
    Refused
        If there is no round, or the step is not affine in the state.
    """
    first = begun(subject)
    traces = list[Unrolling]()
    for t in range(subject.rounds):
        if t == 0 or traces[-1].asked_round:
            trace = round_of(subject, first, t)
        traces.append(trace)
    return _moments(first, traces, most, bits, subject.steers)


def _moments(
    first: Beginning,
    traces: Sequence[Unrolling],
    most: int | None,
    bits: int = 0,
    steers: bool = False,
) -> Moments:
    """Of every round from the first on."""
    every: _Every | InSteps | Steered
    if any(is_wide(trace.variables) for trace in traces):
        every = InSteps(first, traces, most)
    else:
        different = {id(trace): trace for trace in traces}  # rounds that do not differ share one
        steps = {key: _Step(trace) for key, trace in different.items()}
        own, names = [steps[id(trace)] for trace in traces], pairs(traces[0].variables)
        if bits == FLOATS:
            every = Steered(first, own, names, most or MOST_WORK)
        else:
            every = _Every(first, own, names, most, balls=bool(bits), steers=steers)
    return Moments(tuple(MomentsOfRound(every, t) for t in range(len(traces) + 1)), tuple(traces))


def begun(subject: Subject) -> Beginning:
    """The state before round 0.

    Raises
    ------
    Refused
        If there is no round, or rounds are no polynomials.
    """
    if subject.problem.irrational:
        raise Refused("gradients are no polynomials")
    if not subject.rounds:
        raise Refused("no round is run: there is no step to look at")
    return beginning(subject, _FEW)


def round_of(subject: Subject, first: Beginning, at: int) -> Unrolling:
    """A round on unknowns, with numbers for what no round moves."""
    start = first.state if len(first.chances) == 1 else None
    return unroll(subject, first.shapes, at, carries=True, start=start)


@dataclass(frozen=True, eq=False)
class FirstRound:
    """The first round of a run, looked at before all are.

    Attributes
    ----------
    subject : Subject
        Of one round.
    """

    subject: Subject

    @cached_property
    def _trace(self) -> Unrolling:
        return round_of(self.subject, beginning(self.subject, _FEW), 0)

    def products(self) -> int:
        """How many of two terms it asks for, from its degrees; 0 where no polynomial tells soon.

        Raises
        ------
        TooManyTerms
            If even powers have too many.
        """
        try:
            first = beginning(self.subject, _FEW)
            if len(first.chances) > 1 or not together(self.subject, first.shapes):
                return 0
            return products_of_round(self.subject, first.state)
        except TooManyTerms:
            raise
        except Refused:  # the round on unknowns says why
            return 0

    def moving(self) -> int:
        """How many entries of the state it changes; all, where no polynomial tells soon."""
        shapes = beginning(self.subject, _FEW).shapes
        every = sum(map(prod, shapes.values()))
        try:
            if not together(self.subject, shapes):
                return every
            fixed = self._trace.variables.fixed.values()
        except Refused:
            return every
        return every - sum(x is not None for own in fixed for x in own)

    def terms(self) -> int:
        """How many the moments of what moves have together, at most, after a round."""
        moving = self.moving()
        squares = moving * (moving + 1) // 2
        return 1 + 2 * squares + squares * (squares + moving + 1)

    def is_wide(self) -> bool:
        """Whether its moments are followed step by step, in rationals whatever is asked for."""
        try:
            return is_wide(self._trace.variables)
        except Refused:
            return False

    def check(self) -> None:
        """Raise `Refused` where `moments` does."""
        _moments(begun(self.subject), (self._trace,), None)


class _Step:
    """What a round makes of moments: each form is made when it is first asked for."""

    def __init__(self, trace: Unrolling) -> None:
        self._named = trace.variables
        forms = _Made(lambda pair: pair_map(self._named, self._rows, pair).get((), {}))
        self.form: Callable[[Pair], Form] = forms.__getitem__  # one moment after the round
        wholes = _Made(lambda pair: whole(self.form(pair)))
        self.whole: Callable[[Pair], Whole] = wholes.__getitem__  # the same over one denominator
        maps = _Made(lambda own: ball_map({one: self.form(one) for one in sorted(own)}))
        self.together: Callable[[frozenset[Pair]], BallMap | None] = maps.__getitem__
        if trace.by is not None:  # its outcomes are not listed
            forms |= round_map(trace)
            return
        if self._named.stages:  # then all pairs with what is carried are looked at
            check_state(self._named)
        self._rows = listed_rows(trace)


class _Made(dict[Any, Any]):
    """Values that are made when they are first asked for."""

    def __init__(self, make: Callable[[Any], Any]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, own: Any) -> Any:
        self[own] = found = self._make(own)
        return found


class _Every:
    """The moments of all rounds that were asked for so far."""

    def __init__(
        self,
        first: Beginning,
        steps: list[_Step],
        every: list[Pair],
        most: int | None,
        *,
        balls: bool,
        steers: bool,
    ) -> None:
        self.first, self.steps, self.pairs, self.most = first, steps, every, most
        self.balls, self._steers = balls, steers
        self.known: list[Any] = [
            InBalls() if balls else OverOne(reduced=t % _REDUCED == 0)
            for t in range(len(steps) + 1)
        ]
        self.start = OverOne()
        self.work, self.weighed = 0, 0

    def value(self, pair: Pair, at: int) -> fmpq | Ball:
        """One of them; with it those before on which it depends."""
        self._find((pair,), at)
        found: fmpq | Ball = self.known[at][pair]
        return found

    def applied(self, form: Whole, at: int) -> fmpq | Ball:
        """A linear function of them."""
        if self.balls and not at:  # differences of rationals: none is lost
            return Ball(arb(self._begun((form,)).applied(form)))
        above = self.known[at].above
        if not all(pair in above for pair, _ in form.above):
            self._find([pair for pair, _ in form.above], at)
        found: fmpq | Ball = self.known[at].applied(form)
        return found

    def squared(self, forms: Sequence[Whole], at: int) -> fmpq | Ball:
        """The sum of the squares of linear functions of them."""
        if self.balls and not at:
            return Ball(arb(self._begun(forms).squared(forms)))
        above = self.known[at].above
        lacking = {pair for form in forms for pair, _ in form.above if pair not in above}
        if lacking:
            self._find(sorted(lacking), at)
        found: fmpq | Ball = self.known[at].squared(forms)
        return found

    def every_round(self, forms: Sequence[Whole], first: int, count: int) -> None:
        """Find what these ask for in so many rounds, all at once if that is not too much.

        Where it is, rounds are found one after another when they are asked for: the first are known
        then. A search has no use for these.
        """
        pairs = sorted({pair for form in forms for pair, _ in form.above})
        if not self._found(pairs, first + count - 1) and self._steers:
            raise self._too_much(first + count - 1)

    def _begun(self, forms: Sequence[Whole]) -> OverOne:
        """The start in rationals, as far as these ask for it."""
        every = {pair for form in forms for pair, _ in form.above} - self.start.above.keys()
        told = {pair: self.first.moment(pair) for pair in sorted(every)}
        self.start.add({pair: (value.p, value.q) for pair, value in told.items()})
        return self.start

    def _find(self, pairs: Sequence[Pair], at: int) -> None:
        """All at once; one after another where it becomes too much, so that the first are known."""
        if self._found(pairs, at):
            return
        if len(pairs) > 1:
            for pair in pairs:
                self._find((pair,), at)
        else:
            self._as_far_as_it_goes(self._asked(pairs, at), at)

    def _found(self, pairs: Sequence[Pair], at: int) -> bool:
        """Whether it was not too much to find all at once."""
        asked = self._asked(pairs, at)
        work = [self._cost(own, at - back) for back, own in enumerate(asked)]
        weighed = sum(self._weight(own, at - back) for back, own in enumerate(work))
        if self._is_too_much(sum(work), weighed):
            return False
        self.work, self.weighed = self.work + sum(work), self.weighed + weighed
        for t, own in enumerate(reversed(asked), at + 1 - len(asked)):
            forms = self.steps[t - 1].together(frozenset(own)) if own and self.balls and t else None
            if forms is None:
                self.known[t].add({one: self._of(one, t) for one in own})
            else:
                self.known[t].add(self.known[t - 1].through(forms))
        return True

    def _as_far_as_it_goes(self, asked: list[set[Pair]], at: int) -> None:
        """Raise, with what was found before it became too much."""
        first = at + 1 - len(asked)
        for t, own in enumerate(reversed(asked), first):
            for one in own:
                cost = self._cost((one,), t)
                self.work, self.weighed = self.work + cost, self.weighed + self._weight(cost, t)
                if self._is_too_much(0, 0):
                    raise self._too_much(t)
                self.known[t].add({one: self._of(one, t)})

    def _too_much(self, at: int) -> TooMuchError:
        most = MOST_WORK if self.most is None else self.most
        return TooMuchError(f"more than {most} products of rationals within {at} rounds")

    def _asked(self, pairs: Iterable[Pair], at: int) -> list[set[Pair]]:
        """What is not known yet, of round ``at``, of the round before it, ..."""
        asked = [{x for x in pairs if x not in self.known[at].above}]
        while asked[-1] and at >= len(asked):
            before = at - len(asked)
            step, known = self.steps[before], self.known[before].above
            if len(asked) > 1 and asked[-1] == asked[-2] and self._are_alike(before):
                asked.append(asked[-1])  # they ask for themselves
            else:
                asked.append({x for own in asked[-1] for x in step.form(own) if x not in known})
        return asked

    def _are_alike(self, before: int) -> bool:
        """Whether this round and the next one have the same step, and nothing of both is known."""
        nothing = not (self.known[before].above or self.known[before + 1].above)
        return nothing and self.steps[before] is self.steps[before + 1]

    def _cost(self, pairs: Iterable[Pair], at: int) -> int:
        return sum(map(len, map(self.steps[at - 1].form, pairs))) if at else 0

    def _is_too_much(self, work: int, weighed: int) -> bool:
        """With so much more."""
        if self.work + work > MOST_WORK:
            return True
        return self.most is not None and self.weighed + weighed > self.most

    def _weight(self, cost: int, at: int) -> int:
        return cost if self.balls else cost * at

    def _of(self, pair: Pair, at: int) -> tuple[fmpz, fmpz] | arb:
        if not at:
            first = self.first.moment(pair)
            return arb(first) if self.balls else (first.p, first.q)
        found: tuple[fmpz, fmpz] | arb = self.known[at - 1].total(self.steps[at - 1].whole(pair))
        return found


class MomentsOfRound(Mapping[Pair, fmpq | Ball]):
    """The moments of one round."""

    def __init__(self, every: _Every | InSteps | Steered, at: int) -> None:
        self._every, self._at = every, at

    def applied(self, form: Whole) -> fmpq | Ball:
        """The number that a linear function of them has."""
        return self._every.applied(form, self._at)

    def onwards(self, form: Whole, count: int) -> list[Any]:
        """The same of so many rounds from this one on."""
        if isinstance(self._every, Steered):
            return self._every.series(form, self._at, count)
        if isinstance(self._every, _Every):
            self._every.every_round((form,), self._at, count)
        return [self._every.applied(form, at) for at in range(self._at, self._at + count)]

    def squared(self, forms: Sequence[Whole], count: int) -> list[Any]:
        """The sum of squares of linear functions, of so many rounds from this one on."""
        if isinstance(self._every, _Every):
            self._every.every_round(forms, self._at, count)
            return [self._every.squared(forms, t) for t in range(self._at, self._at + count)]
        rows = [[x * x for x in self.onwards(form, count)] for form in forms]
        return [sum(column, fmpq(0)) for column in zip(*rows, strict=True)]

    def __getitem__(self, pair: Pair) -> fmpq | Ball:
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

    Products with what a step carries are among these, where it carries much.

    Raises
    ------
    Refused
        If the degree is higher, or a source or a parameter is left.
    """
    if named.parameters:
        raise Refused("a parameter is left that changes from round to round")
    return forms_of(named, value, folded=not is_wide(named)).get((), {})


def series(own: Form, values: Sequence[MomentsOfRound]) -> list[Any]:
    """The numbers that a linear function of moments has in all rounds."""
    once = whole(own)
    return [each.applied(once) for each in values]
