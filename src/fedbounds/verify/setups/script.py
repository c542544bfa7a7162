"""Scripts of a theory's set-ups.

A script is kept only if it runs by itself and prints the gap that was judged.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from flint import fmpq

from fedbounds.errors import FedboundsError
from fedbounds.facts import Fact
from fedbounds.theory.language.claims import Part
from fedbounds.theory.language.setups import RUN, Says, Settled, Setup, View, above
from fedbounds.theory.language.symbols import constants_in

from ..decide.case import script_of
from ..measure.evaluate import Numbers
from ..measure.known import Defined, Known, MissingError
from ..measure.objectives import in_blocks
from ..measure.settled import by_moments
from ..measure.trace import rules_of, subject_of
from ..measure.unknowns import Refused
from .found import known_of, only_of, view_of
from .functions_script import measured_in
from .program import Program, calls_of, check_size, follows, with_few_outcomes, written
from .script_check import CLOSE, ROUNDED
from .script_code import Definitions
from .script_ends import ends_of
from .script_parts import COMPUTED, COMPUTED_OF, COMPUTED_OF_BLOCKS, OF_NUMBERS
from .script_shorter import kept
from .tried import answered
from .unscripted import unscripted

# what every run is that a user's file declares
_UNASKED: dict[str, tuple[Says, ...]] = {Fact.UNCONSTRAINED: (), Fact.INDEPENDENT: ()}


@script_of.register
def _script(setup: Setup, judgement: Any, part: Part, numbers: Numbers) -> str:
    outcome = next(one for one in judgement.outcomes if one.part == part.name)
    place = outcome.client, outcome.step
    # of what is tried, quantities of the state are known after the last round
    after = part.compares_neighbours and not view_of(setup).tried
    needed = None if outcome.at is None else outcome.at + 1 + after
    for one in _shortest(_as_bounded(setup, numbers), needed):
        program = program_of(one, part, place, numbers)
        text = written(program, judgement, part, outcome)
        found = kept(text, outcome.gap, ROUNDED if program.ends else CLOSE)
        if found is not None:
            return found
    raise FedboundsError("the script that is written does not run, or gives another gap")


def _as_bounded(setup: Setup, numbers: Numbers) -> Setup:
    """Of many rounds, with the numbers that bound what is visited: they are no extremes."""
    view = view_of(setup)
    if not view.many:
        return setup
    known = numbers.constants
    chosen = ((x, str(known[x]) if x in known else y) for x, y in setup.chosen)
    return replace(setup, chosen=tuple(chosen))


def _shortest(setup: Setup, needed: int | None) -> Iterator[Setup]:
    """The run up to the rounds that are looked at, which may show the gap; then the whole run."""
    if needed is not None and needed < setup.run.rounds:
        yield replace(setup, run=replace(setup.run, rounds=needed))
    yield setup


def program_of(
    setup: Setup,
    part: Part,
    place: tuple[int | None, int | None],
    numbers: Numbers | None = None,
) -> Program:
    """What shows a part; with all draws of the view where it needs more than the algorithm's.

    Of ``numbers`` that are known between two ends, one is given.
    """
    view = view_of(setup)
    if view.besides is not None and part.quantities & view.besides.quantities.keys():
        quantities = {**view.quantities, **view.besides.quantities}
        also = view.besides
        view = replace(view, algorithm=also.algorithm, shown=also.shown, quantities=quantities,
                       besides=None)  # fmt: skip
    if why := unscripted(setup, part):
        raise FedboundsError(why)
    subject = with_few_outcomes(subject_of(setup.run, view))
    followed = follows(subject, view)
    check_size(replace(subject, rounds=1) if followed else subject, stays=view.integrated)
    known = _known(setup, view)
    measured, called = measured_in(part, view, subject) if view.tried else ({}, ())

    def ends(name: str) -> bool:
        return bool(known.series(name).shape[-1] > setup.run.rounds)

    found = only_of(setup, view)
    only = {x: found.get(x, at or 0) for x, at in zip(view.alone, place, strict=False)}
    given, given_ends = given_numbers(setup, known), _ends(setup, view, part, numbers)
    given |= {name: f'Q("{end}")' for name, (_, end) in given_ends.items()}
    defined = Definitions(
        view.shown, known.constants, known.quantities, given, ends,
        partial(is_known, known),
        each=view.each, steps=lambda name: int(known.series(name).shape[-2]), place=place,
        later=view.later, measured=measured, followed=followed,
    )  # fmt: skip
    rules = rules_of(setup.run, view)
    own = known.constants
    limits = [x for x in sorted(constants_in(part.gap)) if isinstance(own.get(x), Settled)]
    functions = dict[Callable[..., Any], None].fromkeys(called)
    for name in limits:
        used, given[name] = _limit(defined, known, name)
        functions |= dict.fromkeys(used)
    return Program(
        subject,
        setup.run,
        defined,
        only,
        view.requires,
        {**_UNASKED, **view.assumptions} if view.tried else view.assumptions,
        functions=tuple(functions),
        changing=rules,
        stays=view.integrated,
        limits=limits,
        ends={name: side for name, (side, _) in given_ends.items()},
    )


def _ends(
    setup: Setup, view: View, part: Part, numbers: Numbers | None
) -> dict[str, tuple[str, fmpq]]:
    """Of numbers that the problem tells, and that are known between two ends, the one to give."""
    problem = setup.run.problem
    if numbers is None or problem.family not in OF_NUMBERS:
        return {}
    says = [Says(one.left, one.relation, one.right) for one in part.conditions]
    says += [*view.requires, *(x for a in part.assumptions for x in view.assumptions.get(a, ()))]
    named = {name for one in says for side in (one.left, one.right) for name in constants_in(side)}
    named |= constants_in(part.gap)
    return ends_of(part, numbers, says, OF_NUMBERS[problem.family].needed_of(problem, named))


def _known(setup: Setup, view: View) -> Known:
    """What is known of a set-up whose outcomes are few."""
    if not view.tried:
        return known_of(setup, view)
    found = answered(setup, view).known
    if found is None:
        raise FedboundsError("no script is written for a run that no method measures")
    return found


def _limit(
    defined: Definitions, known: Known, name: str
) -> tuple[tuple[Callable[..., Any], ...], str]:
    """The draws and the step of a run that settles, and Python for the limit."""
    what, run = known.constants[name].args
    other = known if run == RUN else known.variants[run.name]()
    subject = other.trace.subject
    try:
        found = by_moments(subject, what, {})
    except Refused as error:
        raise FedboundsError(f"no script for {name}, which moments do not show: {error}") from error
    if found != known.constant(name):
        raise FedboundsError(f"no script for {name}, which is no limit of moments")
    functions = subject.algorithm.draw, subject.algorithm.step
    calls = str(calls_of(subject)).replace("'", '"')
    called = ", ".join([*(own.__name__ for own in functions), calls])
    return functions, f"limit_of({called}, lambda: {defined.side(what)})"


def is_known(known: Defined[Any], name: str) -> bool:
    try:
        known.constant(name)
    except MissingError:
        return False
    return True


def given_numbers(setup: Setup, known: Defined[Any]) -> dict[str, str]:
    """Python for the constants that are no definitions."""
    chosen, parameters = dict(setup.chosen), dict(setup.run.parameters)
    blocks = in_blocks(known.trace.subject.problem.objective)
    own = COMPUTED_OF.get(setup.run.problem.family, {})
    computed = {**(COMPUTED_OF_BLOCKS if blocks else COMPUTED), **own}
    found = {}
    for name, value in known.constants.items():
        if isinstance(value, fmpq):
            if name in parameters and name not in chosen:
                found[name] = f'Q(p["{name}"])'
            else:
                found[name] = computed.get(name, f'Q("{value}")')
        elif isinstance(value, above) and is_known(known, name):
            found[name] = f'Q("{known.constant(name)}")'
    return found
