"""What a theory's set-up shows: every number by its definition, assumptions where a run goes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import Any

import numpy as np
import sympy as sp
from flint import ctx, fmpq

from fedbounds.errors import require, unknown_name
from fedbounds.problems import Constants, Evidence
from fedbounds.theory.language.registry import glossary, views
from fedbounds.theory.language.setups import Run, Says, Setup, View, is_formula
from fedbounds.vocabulary import Method

from ..decide.case import Found, find, without_floats
from ..decide.measurement import fingerprint
from ..measure import objectives
from ..measure import trace as traces
from ..measure.answers import Asked, by_enumeration, by_moments
from ..measure.balls import BITS, enclosed, precise
from ..measure.driven_run import DrivenKnown, DrivenRun, driven_run
from ..measure.evaluate import Roots, apart, around
from ..measure.known import Defined, Known, MissingError, UnansweredError
from ..measure.lazily import Lazily, together
from ..measure.long import Long
from ..measure.many import Many
from ..measure.moments import FLOATS, MOST_WORK, FirstRound, products_of_rounds
from ..measure.objectives import exact
from ..measure.sources import TooManyError
from ..measure.stepped_run import SteppedKnown, SteppedTrace, stepped
from ..measure.subject import Subject
from ..measure.trace import Trace, subject_of
from ..measure.unknowns import Refused
from .digits import FEWEST, Digits
from .narrowed import narrowed
from .tried import tried

Array = Any

_BITS_A_ROUND = 2  # so many digits more a ball may lose than the number in it
MOST_EXACT = 400  # rounds that are in rationals, whose digits grow with each
# products, each counted as often as its round says, of a longer run that still is; more: balls
MOST_EXACT_WORK = 4_000_000
# products of a run of many rounds that is replayed, each as often as its round: a second
_MOST_REPLAYED = 100_000_000


@dataclass(frozen=True, eq=False)
class InFloats:
    """A set-up of many rounds, or of a large state, in floats with bounds of their rounding."""

    setup: Setup


@dataclass(frozen=True, eq=False)
class Named:
    """A set-up of which no more quantities are measured than some, where more cost more.

    Attributes
    ----------
    setup : Setup
    names : frozenset of str
    most : int or None
        What may be done for it, as `moments` counts.
    bits : int
        Of the numbers in which its moments are followed, as of `moments`; None: those of the
        set-up by itself.
    steers : bool
        Whether it steers a search alone: premises that hold up to rounding count as held. What is
        judged has none of these.
    """

    setup: Setup
    names: frozenset[str]
    most: int | None = None
    bits: int | None = None
    steers: bool = False


@dataclass(frozen=True, eq=False)
class Besides:
    """Quantities of a run that its trace does not show, and why others were not measured."""

    series: Mapping[str, Array]
    missing: Mapping[str, str]


@find.register
def _found(setup: Setup) -> Found:
    view = view_of(setup)
    if view.tried:
        return tried(setup, view)
    if view.many:
        return _shown(setup, view, floats=False)
    return _listed(setup, view)


@find.register
def _found_in_floats(given: InFloats) -> Found:
    view = view_of(given.setup)
    with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is told, not warned of
        return _shown(given.setup, view, floats=True)


@find.register
def _found_of_named(given: Named) -> Found:
    view = view_of(given.setup)
    if not (view.tried or view.many):  # there nothing is measured for which nobody asks
        own = _Alike(fingerprint(given.setup), given.setup)
        return _listed_again(own, view, given.most, given.bits, given.steers)
    view = narrowed(view, given.names)
    if view.tried:
        return tried(given.setup, view)
    with np.errstate(over="ignore", invalid="ignore"):  # told as well, not warned of
        return _shown(given.setup, view, floats=False)


@dataclass(frozen=True)
class _Alike:
    """A set-up that is equal to others of the same content."""

    fingerprint: str
    setup: Setup = field(compare=False)


@lru_cache(maxsize=4)  # searches for several claims look at equal set-ups, one after the other
def _listed_again(
    own: _Alike, view: View, most: int | None, bits: int | None, steers: bool
) -> Found:
    return _listed(own.setup, view, most, bits, steers=steers)


@without_floats.register
def _without_floats(given: InFloats) -> tuple[Setup, Method] | None:
    return (given.setup, method_of(given.setup)) if is_replayed(given.setup) else None


def is_replayed(setup: Setup) -> bool:
    """Whether a run that is followed in floats takes about a second without them."""
    run, view = setup.run, view_of(setup)
    products = products_of_rounds(subject_of(run, view))
    return products * run.rounds <= _MOST_REPLAYED if view.many else products <= MOST_WORK


def is_long(setup: Setup) -> bool:
    """Whether moments of a run are followed in balls from the first, for it has many rounds."""
    rounds, view = setup.run.rounds, view_of(setup)
    if rounds <= MOST_EXACT or not view.moments:
        return False
    return first_round_of(setup.run, view).terms() * rounds * (rounds + 1) // 2 > MOST_EXACT_WORK


@lru_cache(maxsize=4)  # what a run costs and whether it has moments are asked one after the other
def first_round_of(run: Run, view: View) -> FirstRound:
    """The first round of a run, looked at before all are."""
    return FirstRound(replace(subject_of(run, view), rounds=1))


def method_of(setup: Setup) -> Method:
    """How a set-up is followed without floats."""
    return Method.BALLS if is_long(setup) else Method.RATIONAL


def _listed(
    setup: Setup,
    view: View,
    most: int | None = None,
    given: int | None = None,
    *,
    steers: bool = False,
) -> Found:
    bits = given if given is not None else BITS if is_long(setup) else 0
    enough = BITS + (_BITS_A_ROUND * setup.run.rounds if bits > FLOATS else 0)
    first = bits if enough <= FEWEST else FEWEST
    known: Known | Digits
    with precise(enough):
        try:
            if enough <= FEWEST:
                known = start = known_of(setup, view, most, first, steers=steers)
            else:
                known = Digits(enough, lambda own: known_of(setup, view, most, own, steers=steers))
                start = known.first
        except Refused as error:
            return _refused(setup, view, str(error))
        found = told_of(setup, view, known, start.trace.subject)

    @precise(enough)
    def products(node: sp.Expr) -> Array:
        return enclosed(known.products(node))

    missing = together(analysed(setup.run, view, most, first, steers)[1].missing, found.missing)
    return replace(found, products=products, missing=missing)


def _shown(setup: Setup, view: View, *, floats: bool) -> Found:
    """Of many rounds; where no method measures them, why not."""
    try:
        known: Many | DrivenKnown | SteppedKnown
        if view.many:
            known = many_of(setup, view, floats=floats)
            known.trace.found  # noqa: B018, all rounds are followed: here it refuses, if it does
        else:
            known = _driven_or_stepped(setup, view)
    except Refused as error:
        return _refused(setup, view, str(error))
    found = replace(told_of(setup, view, known, known.trace.subject), diverged_at=known.diverged_at)
    return _with_errors(found, known) if floats else found


def _driven_or_stepped(setup: Setup, view: View) -> DrivenKnown | SteppedKnown:
    """Driven, which goes with larger states; else step by step, where moments are followed."""
    try:
        return driven_of(setup, view)
    except Refused as error:
        if not view.moments:
            raise
        try:
            return stepped_of(setup, view)
        except Refused as other:
            raise Refused(f"{error}; {other}") from other


def _with_errors(found: Found, known: Many | DrivenKnown | SteppedKnown) -> Found:
    """In floats, each quantity with what rounding may have done to it."""
    exact, bits = found.series, ctx.prec

    def told(name: str) -> tuple[Array, Array] | None:
        if name not in exact:
            return None
        with ctx.workprec(bits):
            values, found = exact[name], known.errors_of(name)
            wrong = np.zeros(values.shape) if found is None else found
            if values.dtype != np.float64:
                return apart(around(values, wrong))
            wrong = np.where(np.isnan(wrong), np.inf, wrong)
            return values, np.where(np.isnan(values), 0.0, wrong)  # no number: not measured

    every = (*known.quantities, *known.given)
    near = Lazily(every, told)
    series, errors = (Lazily(every, partial(_either, near, at)) for at in (0, 1))
    return replace(found, series=series, errors=errors)


def _either(pairs: Mapping[str, Any], at: int, name: str) -> Array | None:
    return pairs[name][at] if name in pairs else None


def _refused(setup: Setup, view: View, why: str) -> Found:
    """What the problem and the parameters tell; nothing of the run itself."""
    subject = subject_of(setup.run, view)
    problem = subject.problem.objective
    plain = _plain(subject)
    names = glossary(setup.theory)
    told = {**plain, **dict(setup.chosen), "T": fmpq(setup.run.rounds)}
    numbers = {x: y for x, y in told.items() if x in names.constants and isinstance(y, fmpq)}
    return Found(
        family=_family(view, setup.run, problem),
        parameters=numbers,
        series={},
        constants=objectives.constants(problem, subject.start),
        evidence=objectives.facts(problem)
        | dict.fromkeys(view.assumptions, Evidence(None, f"not measured: {why}")),
        scopes=frozenset(view.scopes),
        missing=dict.fromkeys(view.quantities, why),
        undefined={x: f"not measured: {why}" for x in view.constants if x not in numbers},
    )


def told_of(setup: Setup, view: View, known: Defined[Any] | Digits, subject: Subject) -> Found:
    """Everything that is known of a set-up; ``subject`` is what is traced, in rationals."""
    names = glossary(setup.theory)
    irrational = subject.problem.irrational
    constants, quantities = _constants(known, irrational=irrational), _when_asked(known)
    found = Lazily(constants.names, lambda x: _value(constants[x]))
    for says in view.requires:
        broken = known.broken(says)
        require(not broken, "set-up", broken, str(says))
    problem = subject.problem.objective
    every = objectives.constants(problem, subject.start)
    own = {*view.constants, *dict(setup.chosen)}
    of_problem = {
        x: y
        for x, y in every.items()
        if x.value in names.constants and x.value not in own and x.value in found
    }
    told = _names(of_problem)
    parameters = tuple(x for x in found.names if x in names.constants and x not in told)
    return Found(
        family=_family(view, setup.run, problem),
        parameters=Lazily(parameters, found.get),
        series=Lazily(quantities.names, lambda x: _value(quantities[x])),
        constants=of_problem,
        evidence=evidence(view, known, problem),
        scopes=frozenset(view.scopes),
        missing=Lazily(quantities.names, lambda x: _why(quantities[x], unanswered=True)),
        undefined=together(
            Lazily(constants.names, lambda x: _text(constants[x])),
            Lazily(quantities.names, lambda x: _why(quantities[x], unanswered=False)),
        ),
    )


def _constants(known: Defined[Any] | Digits, *, irrational: bool) -> Lazily:
    """Every constant, or why there is none, whoever asks first."""
    bits = ctx.prec

    def told(name: str) -> Any:
        with ctx.workprec(bits), np.errstate(over="ignore", invalid="ignore"):
            found = enclosed(_told(known.constant, name))
        return found.ball() if irrational and isinstance(found, Roots) else found

    return Lazily(tuple(dict.fromkeys((*known.constants, "T"))), told)


def _text(told: Any) -> str | None:
    """Why there is no value; None where there is one."""
    return str(told) if isinstance(told, MissingError) else None


def _when_asked(known: Defined[Any] | Digits) -> Lazily:
    """Every quantity, or why there is none, whoever asks first."""
    bits = ctx.prec

    def told(name: str) -> Any:
        with ctx.workprec(bits), np.errstate(over="ignore", invalid="ignore"):
            return enclosed(_told(known.series, name))

    return Lazily((*known.quantities, *known.given), told)


def _value(told: Any) -> Array | None:
    return None if isinstance(told, MissingError) else told


def _why(told: Any, *, unanswered: bool) -> str | None:
    """Why there is no value, where methods did not answer or where it is not defined."""
    is_missing = isinstance(told, MissingError)
    return str(told) if is_missing and isinstance(told, UnansweredError) is unanswered else None


def view_of(setup: Setup) -> View:
    """What the set-up's theory says of its view.

    Raises
    ------
    FedboundsError
        If there is no such view, or a run of it has other parameters or rounds.
    """
    every = views(setup.theory)
    if setup.view not in every:
        raise unknown_name(f"view of {setup.theory}", setup.view, every)
    view, run = every[setup.view], setup.run
    given = sorted(name for name, _ in run.parameters)
    wanted = sorted({*view.takes, *(set(given) & set(view.may_take))})
    require(given == wanted, "parameters", given, f"{wanted}")
    once = not view.single or run.rounds == 1
    require(once, f"rounds of {view.told}", run.rounds, "1")
    return view


def known_of(
    setup: Setup, view: View, most: int | None = None, bits: int = 0, *, steers: bool = False
) -> Known:
    """Everything that is defined of a set-up whose outcomes are listed; the rest as of `Named`."""
    trace, besides = analysed(setup.run, view, most, bits, steers)
    return Known(
        trace,
        defined(setup, view, trace.subject),
        view.quantities,
        view.states,
        view.alone,
        only_of(setup, view),
        view.each,
        besides.series,
        view.later,
        view.outcomes,
        {name: partial(known_of, setup, other) for name, other in view.variants.items()},
        steers,
    )


def only_of(setup: Setup, view: View) -> dict[str, int]:
    """The one value of an index that is looked at, where one is chosen or is a parameter."""
    given = {**dict(setup.run.parameters), **dict(setup.chosen)}
    return {index: int(given[index]) for index in view.alone if index in given}


def many_of(setup: Setup, view: View, *, floats: bool = False) -> Many:
    """Everything that is defined of a set-up of many rounds.

    Raises
    ------
    Refused
        If moments do not measure it.
    """
    trace = followed(setup.run, view, floats)
    return Many(
        trace,
        defined(setup, view, trace.subject),
        view.quantities,
        view.states,
        variants={
            name: partial(many_of, setup, other, floats=floats)
            for name, other in view.variants.items()
        },
    )


def driven_of(setup: Setup, view: View) -> DrivenKnown:
    """Everything that is defined of a set-up whose round is driven.

    Raises
    ------
    Refused
        If it is not.
    """
    trace = driven(setup.run, view)
    return DrivenKnown(
        trace,
        defined(setup, view, trace.subject),
        view.quantities,
        view.states,
        view.alone,
        only_of(setup, view),
        view.each,
        {},
        view.later,
    )


def stepped_of(setup: Setup, view: View) -> SteppedKnown:
    """Everything that is defined of a set-up whose moments go step by step in floats.

    Raises
    ------
    Refused
        If they do not.
    """
    return SteppedKnown(
        followed_in_steps(setup.run, view),
        defined(setup, view, subject_of(setup.run, view)),
        view.quantities,
        view.states,
        view.alone,
        only_of(setup, view),
        view.each,
        {},
        view.later,
    )


def defined(setup: Setup, view: View, subject: Subject) -> dict[str, Any]:
    """Every constant of a set-up: a number, or its definition."""
    of_problem = objectives.values(subject.problem.objective, subject.start)
    found = {**of_problem, **_plain(subject), **view.constants}
    chosen = ((name, value) for name, value in setup.chosen if name not in view.alone)
    return found | {name: _chosen(view, name, value) for name, value in chosen}


def _plain(subject: Subject) -> dict[str, Any]:
    """Parameters that are numbers, the same in every round."""
    return {x: fmpq(y) for x, y in subject.values.items() if not isinstance(y, tuple)}


def _chosen(view: View, name: str, value: Any) -> Any:
    ways = view.choices.get(name, {})
    if value in ways:
        return ways[value]
    try:
        return exact(value)
    except ValueError as error:
        raise unknown_name(f"choice of {name}", str(value), ways) from error


@lru_cache(maxsize=1)  # the set-ups of one run follow each other; views are compared by identity
def analysed(
    run: Run, view: View, most: int | None = None, bits: int = 0, steers: bool = False
) -> tuple[Trace, Besides]:
    """The trace of a run, and what only moments measure of it."""
    subject = replace(subject_of(run, view), steers=steers)
    if view.moments:
        try:
            return traces.followed(subject, most, bits), Besides({}, {})
        except Refused:
            if run.rounds > 1:
                raise
            return traces.first_round(subject), Besides({}, {})
    make = traces.integrated if view.integrated else traces.traced
    return make(subject), _besides(run, view)


@lru_cache(maxsize=4)
def followed(run: Run, view: View, floats: bool) -> Long:
    """A run of many rounds, measured from where its first quantity of the state is least."""
    near = view.quantities[view.states[0]] if view.states else None
    return Long(subject_of(run, view), near, floats)


@lru_cache(maxsize=1)  # one holds up to 100 MiB
def driven(run: Run, view: View) -> DrivenRun:
    """A run whose round is driven."""
    if view.outcomes or view.besides is not None:
        raise Refused("quantities of single outcomes are not driven")
    return driven_run(subject_of(run, view))


@lru_cache(maxsize=1)  # one holds up to 300 MiB
def followed_in_steps(run: Run, view: View) -> SteppedTrace:
    """A run whose moments are followed in floats, step by step; measured as `followed`."""
    if view.outcomes or view.besides is not None:
        raise Refused("quantities of single outcomes are not followed in floats")
    return stepped(subject_of(run, view), [view.quantities[name] for name in view.states])


def _besides(run: Run, view: View) -> Besides:
    """By moments; by enumeration where these refuse."""
    if view.besides is None:
        return Besides({}, {})
    subject = subject_of(run, view.besides)
    asked = Asked(definitions=view.besides.quantities)
    try:
        answer = by_moments(subject, asked)
    except Refused as refused:
        try:
            answer = by_enumeration(subject, asked)
        except TooManyError as error:
            return Besides({}, dict.fromkeys(asked.definitions, f"{refused}; {error}"))
    return Besides(answer.series, answer.missing)


def _told(measure: Any, name: str) -> Any:
    try:
        return measure(name)
    except MissingError as error:
        return error


def _names(constants: Constants) -> set[str]:
    return {name.value for name in constants}


def _family(view: View, run: Run, problem: Any) -> str:
    sizes = f"n={problem.clients} d={problem.shared_dimension}"
    counts = [
        f"{name}={value}"
        for name, value in run.parameters
        if isinstance(value, int) or is_formula(value)
    ]
    return f"{view.told}: {' '.join([sizes, *counts])}"


def evidence(view: View, known: Defined[Any] | Digits, problem: Any) -> Mapping[str, Evidence]:
    """Of a set-up: what its view says of it, whoever asks first, and what its problem tells."""
    bits, facts = ctx.prec, objectives.facts(problem)

    def told(assumption: str) -> Evidence | None:
        if assumption not in view.assumptions:
            return facts[assumption]
        with ctx.workprec(bits), np.errstate(over="ignore", invalid="ignore"):
            return _evidence(known, view.assumptions[assumption], view.told)

    return Lazily(tuple({**facts, **view.assumptions}), told)


def _evidence(known: Defined[Any] | Digits, statements: Sequence[Says], told: str) -> Evidence:
    for says in statements:
        holds, why = known.holds(says)
        if not holds:
            return Evidence(holds, why)
    return Evidence(True, "; ".join(map(str, statements)) or told)
