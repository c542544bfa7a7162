"""A program that shows a gap without us: a run under every outcome, definitions, premises.

Whoever writes one says what is run and what is defined; what all programs share stands here.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import wraps
from inspect import unwrap
from textwrap import fill
from typing import Any

import sympy as sp

from fedbounds.errors import FedboundsError
from fedbounds.facts import Constant
from fedbounds.theory.language.claims import Part
from fedbounds.theory.language.setups import Run, Says, View, is_formula
from fedbounds.vocabulary import BROKEN

from ..measure.contract import State, arguments_of_init, takes
from ..measure.enumerated import draws_of, first_outcome, paths
from ..measure.listed import calls_behind
from ..measure.objectives import constants, in_blocks
from ..measure.random import Listing, Random
from ..measure.sources import TooManyError
from ..measure.subject import AFTER, Subject, fields
from .script_asserts import Table, broken, not_checked, packed, told
from .script_code import HELPERS, Definitions, named
from .script_lines_of import QUOTED, TEMPLATES, UNQUOTED, WIDTH, code, nested, wrapped
from .script_parts import (
    FACTS,
    FACTS_OF,
    FACTS_OF_BLOCKS,
    OF_CONSTANTS,
    OF_NUMBERS,
    of_one_outcome,
    problem_lines,
    source_lines,
)
from .script_source import quoted

_MOST_FOLLOWED = 256  # rounds whose moments a program follows
_MOST_AT_A_POINT = 40_000  # outcomes of a round, times entries of all Hessians


@dataclass(frozen=True, eq=False)
class Program:
    """What a program runs and defines.

    Attributes
    ----------
    subject : Subject
    run : Run
        The same as data.
    defined : Definitions
    only : mapping from index to number
        The one of its values that is looked at.
    requires : tuple of Says
        Of every run of this kind.
    assumptions : mapping from assumption to what it says
    functions : tuple of functions
        Others that definitions call.
    changing : mapping from parameter to expression in t
        Those that are others in other rounds.
    stays : bool
        Whether nothing is run: every round starts from the same state.
    limits : collection of str
        Constants that are limits: numbers that functions of second moments give.
    ends : mapping from constant to "<=" or ">="
        Those of which an end is given, that is at most or at least the number.
    """

    subject: Subject
    run: Run
    defined: Definitions
    only: Mapping[str, int] = field(default_factory=dict)
    requires: tuple[Says, ...] = ()
    assumptions: Mapping[str, tuple[Says, ...]] = field(default_factory=dict)
    functions: tuple[Callable[..., Any], ...] = ()
    changing: Mapping[str, sp.Expr] = field(default_factory=dict)
    stays: bool = False
    limits: Collection[str] = ()
    ends: Mapping[str, str] = field(default_factory=dict)


def with_few_outcomes(subject: Subject) -> Subject:
    """The same, as a program lists it: Gaussian entries are others with its first five moments.

    Whether the gap is the same then is for the program to show.
    """
    algorithm = subject.algorithm

    @wraps(algorithm.draw)
    def draw(random: Random, problem: Any, p: Any) -> Any:
        return algorithm.draw(Listing(random.ask), problem, p)

    return replace(subject, algorithm=replace(algorithm, draw=draw))


def check_size(subject: Subject, *, stays: bool = False) -> None:
    """Raise if there are too many outcomes for a program."""
    try:
        paths(replace(subject, rounds=min(1, subject.rounds)) if stays else subject)
    except TooManyError as error:
        raise FedboundsError(f"{error}: too many for a script") from error


def follows(subject: Subject, view: View) -> bool:
    """Whether a program follows moments: of equal rounds, that have too many outcomes together.

    It looks at points that tell what is of degree two, where numbers are short; moments of many
    rounds are long.
    """
    if not view.moments or subject.changing or not 1 < subject.rounds <= _MOST_FOLLOWED:
        return False
    try:
        check_size(subject)
        return False
    except FedboundsError:
        pass
    try:
        outcomes = paths(replace(subject, rounds=1))
    except TooManyError:
        return False
    size, n = int(subject.problem.entries), int(subject.problem.clients)
    return outcomes * n * size**2 <= _MOST_AT_A_POINT


def written(program: Program, judgement: Any, part: Part, outcome: Any) -> str:
    """The program's text.

    Raises
    ------
    FedboundsError
        If none can be written; the message says why.
    """
    subject, defined = program.subject, program.defined
    if defined.followed:
        subject = replace(subject, rounds=1)
    algorithm = replace(subject.algorithm, draw=unwrap(subject.algorithm.draw))  # to be quoted
    check_size(subject, stays=program.stays)
    left, right = defined.side(part.left), defined.side(part.right)
    facts = premises(program, part)
    arrays, shown = one_round(subject)
    unseen = shown | {*subject.shown.may}
    begins = ("", ", random", ", random, p")[arguments_of_init(algorithm) - 2]
    follows = any(name.endswith(AFTER) for name in defined.vectors)
    single = program.run.rounds == 1 and not (defined.end or program.limits or begins)
    functions = quoted(
        algorithm, unseen - defined.vectors, program.functions, ends=not single or follows
    )
    vectors = bool(defined.vectors or program.limits or single)
    draw, step = algorithm.draw.__name__, algorithm.step.__name__
    several = any(name in defined.numbers for name in program.limits)
    lists = begins or several or any("probe" in line for line in facts)
    sure = not lists and _is_sure(subject)
    asked = " ".join([functions, *facts, *defined.lines, *constants_of(defined)])
    kind, problem = problem_lines(program.run.problem, asked, smoothness_of(subject))
    return TEMPLATES.get_template("setup.py.j2").render(
        docstring=heading(judgement),
        quoted=QUOTED,
        unquoted=UNQUOTED,
        functions=functions,
        init=algorithm.init.__name__,
        draw="draw_of" if several else draw,
        step="step_of" if several else step,
        main=f"{draw}, {step}",
        uses=["settled"] if several else [],
        begins=begins,
        single=single,
        followed=defined.followed,
        sure=sure,
        drawn=f"{draw}(Random(), problem, p)",
        follows=follows,
        sees=takes(algorithm.step, 5),
        sources=source_lines(
            asked, silent_in(subject), along=subject.problem.noise_along is not None
        ),
        helpers=[line for name, own in HELPERS.items() if name in defined.helpers for line in own],
        kind=kind,
        problem=problem,
        numbers=_numbers(program.run),
        vectors=vectors,
        spaces=spaces_of(program, arrays) if vectors else [],
        rounds=program.run.rounds,
        ends=defined.end,
        stays=program.stays,
        changing=[(name, code(rule)) for name, rule in program.changing.items()],
        definitions=[*constants_of(defined), *defined.lines, *facts],
        at=outcome.at,
        sides=f"{wrapped('left', left)}\n{wrapped('right', right)}",
        numbers_told=numbers_told(outcome),
        relation=part.relation.value,
        broken=broken_by(part),
    )


def _is_sure(subject: Subject) -> bool:
    """Whether every call of ``draw`` has one outcome."""
    rounds = range(subject.rounds if subject.changing else 1)
    every = (draws_of(subject, subject.parameters(t))[0] for t in rounds)
    return all(source.count == 1 for one in every for source in one.sources)


def numbers_told(outcome: Any) -> str:
    """What is printed of both sides and the gap."""
    exact = {"left": outcome.left, "right": outcome.right, "right - left": outcome.gap}
    return ", ".join(f'"{name}", {_told(name, value)}' for name, value in exact.items())


def broken_by(part: Part) -> str:
    """The condition under which a part is broken."""
    return f"left {BROKEN[part.relation]} right"


def silent_in(subject: Subject) -> list[str]:
    """Noises that are zero."""
    problem = subject.problem
    own = problem.noise_scale
    scales = {"noise": own, "noise_on": own, "personal_noise": problem.personal_noise_scale}
    return [name for name, scale in scales.items() if not scale]


def smoothness_of(subject: Subject) -> Any:
    """L; None where a problem has none."""
    found = constants(subject.problem.objective).get(Constant.SMOOTHNESS)
    return None if found is None else found.value


def _told(name: str, value: Any) -> str:
    """A number as it was judged: exact, or rounded where that is long."""
    return name if isinstance(value, str) else f"float({name})"


def heading(judgement: Any) -> str:
    reading = judgement.reading.name
    heading = f'"""{judgement.claim.id} (reading: {reading}) fails on these numbers."""'
    return fill(heading, WIDTH, break_on_hyphens=False)


# ---- numbers


def _numbers(run: Run) -> list[str]:
    """The start and the parameters as the algorithm gets them."""
    numbers = ((name, value) for name, value in run.parameters if not is_formula(value))
    named = (f'"{name}": {number_in(value)}' for name, value in numbers)
    lines = [f"start = exact({nested(run.start)})", f"p = {{{', '.join(named)}}}"]
    return [part for line in lines for part in broken(line)]


def number_in(value: Any) -> str:
    if isinstance(value, tuple):
        return f"exact({nested(value)})"
    return f"Count({value})" if isinstance(value, int) else f'Q("{value}")'


def constants_of(defined: Definitions) -> list[str]:
    """Numbers that are given, as far as they are used."""
    names = [name for name in defined.numbers if name not in ("n", "T")]
    shown = defined.shown.vectors
    return packed(f"{named(name, shown)} = {defined.given[name]}" for name in names)


# ---- premises


def premises(program: Program, part: Part) -> list[str]:
    """Assert what a part assumes; returned are the lines about the problem, and comments."""
    defined, facts, so_run, missing = program.defined, [], [], []
    table = FACTS_OF_BLOCKS if in_blocks(program.subject.problem.objective) else FACTS
    table = FACTS_OF.get(program.run.problem.family, table)
    for says in program.requires:
        defined.held(says)
    for assumption in part.assumptions:
        if assumption in program.assumptions:
            said = program.assumptions[assumption]
            if not any([defined.held(says, assumption) for says in said]):
                so_run.append(assumption)
        elif assumption in table:
            facts.append(assumption)
        else:
            missing.append(assumption)
    for condition in part.conditions:
        defined.held(Says(condition.left, condition.relation, condition.right))
    for assumption, name in OF_CONSTANTS.items():
        if assumption in facts:
            defined.use(name)
        elif name in defined.numbers and assumption in table:
            facts.append(assumption)
    numbers = _told_of_numbers(program)
    facts, table = [*facts, *numbers], {**table, **numbers}
    lines = [f"# as it is run, and as numbers are defined: {text}" for text in so_run]
    silent = silent_in(program.subject)
    table = {x: of_one_outcome(own, silent) for x, own in table.items()}
    once = dict.fromkeys(told(facts, (), table))  # what lists the noise
    return [*lines, *once, *not_checked(missing)]


def _told_of_numbers(program: Program) -> Table:
    """What the problem tells of itself, as far as it is used."""
    problem, used = program.run.problem, program.defined.numbers
    if problem.family not in OF_NUMBERS:
        return {}
    told = OF_NUMBERS[problem.family]
    for name, _ in told.needed_of(problem, used):
        program.defined.use(name)
    found: Table = told.lines_of(problem, {name: program.ends.get(name, "==") for name in used})
    return found


# ---- axes


def one_round(subject: Subject) -> tuple[State, set[str]]:
    """What there is to look at in a round, one row each; and names of what the step only shows."""
    one = first_outcome(subject)
    state = fields(one.before, one.after)
    return {**state, **one.shown}, one.shown.keys() - state.keys() - one.drawn.keys()


def spaces_of(program: Program, arrays: State) -> list[str]:
    """What axes the vectors that are used have, and how means over them are weighed."""
    shown, defined = program.subject.shown, program.defined
    every = {**shown.vectors, **shown.factors}
    used = {name: own for name, own in every.items() if name in defined.vectors}
    lengths = {
        index: arrays[name].shape[1 + at]
        for name, own in used.items()
        for at, index in enumerate(own)
    }
    weighed = [f'"{x}": {_weights(program, x, lengths[x])}' for x in shown.indices if x in lengths]
    axes = ", ".join(f'"{name}": {list(own)}' for name, own in used.items())
    told = ", ".join(f"{index} = {at}" for index, at in program.only.items())
    alone = f"  # {told} alone" if told else ""
    lines = [
        f"indices = {{{', '.join(weighed)}}}{alone}",
        f"axes = {{{axes}}}",
        f"calls = {calls_of(program.subject)}  # of each draw",
    ]
    return [part for line in lines for part in broken(line.replace("'", '"'))]


def _weights(program: Program, index: str, length: int) -> str:
    name = program.subject.shown.indices[index]
    if index in program.only:
        only = program.only[index]
        return f"exact({nested(tuple(int(at == only) for at in range(length)))})"
    return f'p["{name}"] / p["{name}"].sum()' if name else f"exact([Q(1, {length})] * {length})"


def calls_of(subject: Subject) -> dict[str, list[int]]:
    """Which calls of ``draw`` each random object is made of; all one, where none is named."""
    every, drawn = draws_of(subject, subject.parameters())
    if not subject.shown.draws:
        return {"draws": list(range(len(every.sources)))}
    found = {source: list(own) for source, own in calls_behind(subject, every, drawn).items()}
    found = dict(sorted(found.items(), key=lambda own: own[1]))
    order = [number for own in found.values() for number in own]
    if order != sorted(order):
        raise FedboundsError("no script is written where calls of draw are in no order")
    return found
