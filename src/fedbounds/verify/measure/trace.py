"""A run under every outcome, or by its moments: the space of vectors of each of its rounds."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import import_module
from itertools import groupby
from typing import Any

import numpy as np
import sympy as sp
from flint import fmpq
from sympy.core.function import AppliedUndef

from fedbounds.algorithms.traced import Algorithm
from fedbounds.errors import FedboundsError, require
from fedbounds.problems.spectrum import to_floats
from fedbounds.theory.language.setups import GIVEN, Run, Shown, View, formula, is_formula
from fedbounds.theory.language.symbols import t

from .cells import in_cells
from .clients import Clients
from .contract import shown_first
from .enumerated import (
    Enumerated,
    Round,
    Rows,
    draws_of,
    enumerated,
    one_state,
    sources_of_init,
    taken,
)
from .evaluate import Numbers, evaluate
from .listed import listed_space
from .moments import Moments, MomentsOfRound, form, moments
from .objectives import exact, exact_array, objective
from .objectives import values as of_problem
from .over_one import Whole, whole
from .random import Outcomes
from .spaces import PAST, Listed, Unrolled, depends_on, product
from .subject import Subject
from .tails import Tail
from .undivided import listed_whole, unrolled_whole
from .unknowns import Refused
from .unrolled import Unrolling, unroll, unroll_from, unrolled_space

Array = Any
Entries = Callable[[Unrolled], Sequence[Any]]  # polynomials of the past, round by round


@dataclass(frozen=True, eq=False)
class Trace:
    """A run, with the space of each of its rounds.

    Attributes
    ----------
    subject : Subject
    spaces : tuple of spaces
        Of rounds 0, ..., T - 1.
    ending : function
        Makes that of round T, of which only the start is looked at.
    ending_of : function of names of vectors, or None
        Makes that of round T for these, which were of the past in all rounds before; with all
        outcomes of its draws, unless it is shown that they are in this round too.
    ending_with : function or None
        Makes that of round T for the vectors behind some names alone, whose step goes no further
        than these; or None, where it must be made whole.
    kept : dict
        What was measured of it, by what determines it.
    moments : tuple of MomentsOfRound, or None
        Of the states of rounds 0, ..., T, where vectors are polynomials in them.
    """

    subject: Subject
    spaces: tuple[Listed | Unrolled, ...]
    ending: Callable[[], Listed | Unrolled]
    ending_of: Callable[[frozenset[str]], Listed | Unrolled] | None = None
    ending_with: Callable[[frozenset[str]], Listed | None] | None = None
    kept: dict[Any, Any] = field(default_factory=dict)
    moments: tuple[MomentsOfRound, ...] | None = None

    @cached_property
    def end(self) -> Listed | Unrolled:
        """Made when it is first asked for."""
        return self.ending()

    def end_of(self, names: frozenset[str]) -> Listed | Unrolled:
        """That of round T for some vectors.

        Raises
        ------
        TooManyError, Refused
            If it cannot be listed, or unrolled.
        """
        if self.ending_of is None:
            return self.end
        if ("end of", names) not in self.kept:
            self.kept["end of", names] = self.ending_of(names)
        found: Listed | Unrolled = self.kept["end of", names]
        return found

    def end_with(self, node: sp.Expr) -> Listed | Unrolled:
        """That of round T for a product of vectors of a round's start."""
        if self.ending_with is None:
            return self.end
        names = _behind(self.subject.shown, node)
        if ("end with", names) not in self.kept:
            self.kept["end with", names] = self.ending_with(names)
        found: Listed | None = self.kept["end with", names]
        return self.end if found is None else found

    def measured(
        self, node: sp.Expr, spaces: Sequence[Listed | Unrolled], first: int, values: Any
    ) -> list[Any]:
        """sq(x) or ip(x, y) of rounds ``first``, ..., in these spaces."""
        if self.moments is None:
            found = [product(node, space, values) for space in spaces]
            return [x.mean if isinstance(x, Tail) else x for x in found]
        found = []
        for at, count, (own,) in self._alike(
            lambda space: [product(node, space, values)], spaces, first
        ):
            found += self.moments[at].onwards(own, count)
        return found

    def squared_means(
        self, entries: Entries, spaces: Sequence[Listed | Unrolled], first: int
    ) -> list[Any]:
        """||E v||^2 of rounds ``first``, ..., for a vector with these entries, by moments."""
        assert self.moments is not None
        found: list[Any] = []
        for at, count, own in self._alike(entries, spaces, first):
            found += self.moments[at].squared(own, count)
        return found

    def _alike(
        self, entries: Entries, spaces: Sequence[Listed | Unrolled], first: int
    ) -> Iterator[tuple[int, int, list[Whole]]]:
        """Where rounds begin that do not differ, how many they are, and entries by moments."""
        forms: dict[int, list[Whole]] = {}  # such rounds have one space
        at = first
        for key, (space, *others) in groupby(spaces, key=id):
            assert isinstance(space, Unrolled)
            if key not in forms:
                forms[key] = [whole(form(space.variables, x)) for x in entries(space)]
            yield at, 1 + len(others), forms[key]
            at += 1 + len(others)

    def on_average(self, value: Any, space: Listed | Unrolled, at: int) -> Any:
        """A polynomial of the past at round ``at``, in the mean over the states that a run has."""
        if self.moments is None or not isinstance(space, Unrolled):
            return value
        return self.moments[at].applied(whole(form(space.variables, value)))

    def is_of_the_past(self, node: sp.Expr) -> bool:
        """Whether its vectors are those of a round's start, as far as the rounds show."""
        names = {symbol.name for symbol in node.free_symbols}
        return all(
            depends_on(space, space.vectors[name]) <= {PAST, *space.indices}
            for space in {id(space): space for space in self.spaces}.values()
            for name in names & set(space.vectors)
        )


def _behind(shown: Shown, node: sp.Expr) -> frozenset[str]:
    """Names in a product, and in what its derived vectors stand for."""
    found, waiting = set[str](), [node]
    while waiting:
        own = waiting.pop()
        names = {x.name for x in own.free_symbols}
        fresh = (names | {x.func.__name__ for x in own.atoms(AppliedUndef)}) - found
        found |= fresh
        waiting += [shown.derived[x] for x in fresh & shown.derived.keys() - shown.vectors.keys()]
    return frozenset(found)


def algorithm(name: Any) -> Algorithm:
    """By module and name, or the algorithm itself."""
    if isinstance(name, Algorithm):
        return name
    module, _, own = name.partition(".")
    found = getattr(import_module(f"fedbounds.algorithms.{module}"), own, None)
    if not isinstance(found, Algorithm):
        raise FedboundsError(f"algorithm {name!r}; expected a module of algorithms and its name")
    return found


def problem_of(run: Run, view: View) -> Any:
    """The problem that a run's data stand for."""
    if run.problem.family != GIVEN:
        return objective(run.problem)
    number = dict(run.problem.data)["number"]
    require(number < len(view.problems), "problem", number, f"below {len(view.problems)}")
    return view.problems[number]


def subject_of(run: Run, view: View) -> Subject:
    """What is traced, in rationals; in floats where the problem is."""
    problem = Clients(problem_of(run, view))
    values = {name: exact(value) for name, value in run.parameters if not is_formula(value)}
    start = exact_array(run.start)
    start = start if problem.exact or not view.problems else to_floats(start)
    changing = {
        name: _by_round(name, rule, run.rounds) for name, rule in rules_of(run, view).items()
    }
    return Subject(
        algorithm(view.algorithm), problem, start, values, run.rounds, view.shown, changing
    )


def rules_of(run: Run, view: View) -> dict[str, sp.Expr]:
    """Parameters that change with the round, as expressions in t alone.

    Those of the view, and formulas of the run in constants of the problem and other parameters.
    """
    texts = {name: formula(value) for name, value in run.parameters if is_formula(value)}
    if not texts and not view.changing:
        return {}
    given = {
        name: sp.Rational(value)
        for name, value in run.parameters
        if not isinstance(value, tuple) and name not in texts
    }
    if texts:
        known = of_problem(problem_of(run, view))
        given = {x: sp.Rational(int(y.p), int(y.q)) for x, y in known.items()} | given
    return {
        name: rule.subs({symbol: _given(name, symbol, given) for symbol in rule.free_symbols - {t}})
        for name, rule in {**view.changing, **texts}.items()
    }


def _given(name: str, symbol: sp.Symbol, given: Mapping[str, sp.Rational]) -> sp.Rational:
    if symbol.name not in given:
        raise FedboundsError(
            f"parameter {name} names {symbol.name}; expected t or one of {', '.join(sorted(given))}"
        )
    return given[symbol.name]


def _by_round(name: str, rule: sp.Expr, rounds: int) -> Callable[[int], fmpq]:
    """In rounds 0, ..., T."""
    try:
        found = evaluate(rule, Numbers({}, {}, lambda p, q: fmpq(p, q)), range(rounds + 1))
    except ZeroDivisionError as error:
        raise FedboundsError(f"parameter {name} = {rule} divides by 0") from error
    each = np.broadcast_to(found, rounds + 1)

    def value(at: int) -> fmpq:
        own: fmpq = each[at]
        return own

    return value


def integrated(subject: Subject) -> Trace:
    """Draws as unknowns, whose monomials have expectations: what is defined is a mean over them.

    Raises
    ------
    FedboundsError
        If the algorithm asks of an unknown more than sums and products.
    """
    shapes = {name: (1, *own.shape[1:]) for name, own in one_state(subject).items()}

    def space(at: int) -> Unrolled:
        try:
            return unrolled_space(subject, unroll(subject, shapes, at))
        except Refused as error:
            raise FedboundsError(f"draws are not integrated: {error}") from error

    return Trace(subject, tuple(map(space, range(subject.rounds))), lambda: space(subject.rounds))


def first_round(subject: Subject) -> Trace:
    """One round from a start that is known, draws as unknowns: whatever degree the step has.

    Where it is no polynomial, Gaussian draws are in cells.

    Raises
    ------
    Refused
        If there are more rounds, the start is drawn, or the algorithm asks of an unknown more than
        sums and products.
    """
    if subject.rounds != 1 or any(source.count != 1 for source in sources_of_init(subject)):
        raise Refused("only a first round from a known start is integrated whatever its degree")
    space: Listed | Unrolled
    if subject.problem.irrational:
        space = _listed(subject, in_cells(subject))
    else:
        space = space_of(subject, unroll_from(subject, one_state(subject)))

    def ending() -> Unrolled:
        raise Refused("what a step that is not affine leaves is not followed")

    return Trace(subject, (space,), ending)


def followed(subject: Subject, most: int | None = None, bits: int = 0) -> Trace:
    """Draws as unknowns, and the moments of the states; for the rest see `moments`.

    Raises
    ------
    Refused
        If the step is not affine in the state, sources must be listed, or the work is too much.
    """
    return of_moments(subject, moments(subject, most, bits))


def of_moments(subject: Subject, found: Moments) -> Trace:
    """The same, of moments that are had."""
    different = {id(trace): trace for trace in found.unrolled}
    known = {key: space_of(subject, trace) for key, trace in different.items()}

    def ending() -> Unrolled:
        last = found.unrolled[-1]
        if not last.asked_round:
            return known[id(last)]
        shapes = last.variables.shapes
        return space_of(subject, unroll(subject, shapes, subject.rounds, carries=True))

    spaces = tuple(known[id(trace)] for trace in found.unrolled)
    return Trace(subject, spaces, ending, moments=found.values)


def traced(subject: Subject) -> Trace:
    """Every outcome of every round.

    Raises
    ------
    TooManyError
        If there are more than are enumerated.
    """
    return of_outcomes(subject, enumerated(subject))


def of_outcomes(subject: Subject, found: Enumerated) -> Trace:
    """The same, of outcomes that are listed."""
    spaces = tuple(_listed(subject, one) for one in found.rounds)

    def ending_of(names: frozenset[str]) -> Listed:
        return _end(subject, found, alone=_is_before(subject, found.last, names))

    def ending_with(names: frozenset[str]) -> Listed | None:
        return _end_with(subject, found, spaces, names)

    return Trace(subject, spaces, lambda: _end(subject, found, alone=True), ending_of, ending_with)


def _listed(subject: Subject, one: Round) -> Listed:
    """All draws are one random object where a theory names none and there are any."""
    whole = not subject.shown.draws and len(one.outcomes.chances) > 1
    return (listed_whole if whole else listed_space)(subject, one)


def space_of(subject: Subject, trace: Unrolling) -> Unrolled:
    """The vectors of a round on unknowns: draws are one random object where a theory names none."""
    sources = (*trace.variables.sources, *trace.listed.sources)
    whole = not subject.shown.draws and any(source.count != 1 for source in sources)
    return (unrolled_whole if whole else unrolled_space)(subject, trace)


def _end(subject: Subject, found: Enumerated, *, alone: bool) -> Listed:
    """The round after the last; with one outcome of its draws, where it is ``alone``."""
    p = subject.parameters(subject.rounds)
    every, drawn = draws_of(subject, p)
    if alone:
        drawn = {name: rows[:1] for name, rows in drawn.items()}
        every = Outcomes((), (), [fmpq(1)])
    return _listed(subject, taken(subject, p, subject.rounds, found.last, every, drawn))


def _end_with(
    subject: Subject, found: Enumerated, spaces: Sequence[Listed], names: frozenset[str]
) -> Listed | None:
    """The start of the round after the last, as far as these names need it; None: as all do."""
    shown, state = subject.shown, found.last.state
    told = found.rounds[-1].shown.keys() if found.rounds else set[str]()
    if not found.rounds or names & {*shown.vectors, *shown.factors} - told - state.keys():
        return None
    wanted = names & told  # also of the state, of which a step may show something else
    p = subject.parameters(subject.rounds)
    drawn = {name: rows[:1] for name, rows in draws_of(subject, p)[1].items()}
    arrays: Mapping[str, Array] = {}
    if wanted:
        tiled = {name: np.repeat(own, len(found.last), axis=0) for name, own in drawn.items()}
        arrays = shown_first(subject.algorithm, subject.problem, p, state, tiled, wanted)
    one, rows = Outcomes((), (), [fmpq(1)]), found.last
    own = Round(subject.rounds, rows, one, drawn, state, {}, arrays, rows.chances)
    vectors, factors, derived = (
        {name: meant for name, meant in every.items() if name in names}
        for every in (shown.vectors, shown.factors, shown.derived)
    )
    plain = dict.fromkeys(shown.indices, "")  # weights are those of other rounds, below
    few = replace(shown, vectors=vectors, factors=factors, derived=derived, indices=plain)
    space = _listed(replace(subject, shown=few), own)
    indices = len(shown.indices)
    weights = space.weights[: len(space.weights) - indices]
    return replace(space, weights=(*weights, *spaces[-1].weights[len(weights) :]))


def _is_before(subject: Subject, last: Rows, names: frozenset[str]) -> bool:
    """Whether vectors are of the state before the round, or polynomials show that they are.

    What varied with no draw in the rounds before may do so in this one.
    """
    if names & {*subject.shown.vectors, *subject.shown.derived} <= last.state.keys():
        return True
    shapes = {name: (1, *array.shape[1:]) for name, array in last.state.items()}
    try:
        space = unrolled_whole(subject, unroll(subject, shapes, subject.rounds))
    except Refused:
        return False
    return all(
        depends_on(space, space.vectors[name]) <= {PAST, *space.indices}
        for name in names & set(space.vectors)
    )
