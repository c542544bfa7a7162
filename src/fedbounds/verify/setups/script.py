"""A broken set-up as a program without us: the algorithm's functions, every outcome, definitions.

It needs NumPy, because the functions do. It is kept only if it runs by itself and prints the gap
that was judged.
"""

from collections.abc import Iterator
from dataclasses import replace
from textwrap import fill
from typing import Any

import sympy as sp
from flint import fmpq

from fedbounds.errors import FedboundsError
from fedbounds.theory.claims import Part
from fedbounds.theory.setups import Run, Says, Setup, formula, is_formula
from fedbounds.theory.symbols import t
from fedbounds.vocabulary import Relation

from ..case import script_of
from ..evaluate import Numbers
from ..measure.contract import stepped, takes
from ..measure.enumerated import begun, draws_of, paths
from ..measure.known import Known
from ..measure.listed import calls_behind
from ..measure.sources import TooManyError
from ..measure.subject import Subject, fields
from ..measure.trace import subject_of
from ..script_asserts import broken, not_checked, packed, told
from ..script_check import agrees
from ..script_code import QUOTED, TEMPLATES, UNQUOTED, WIDTH, wrapped
from .found import known_of, view_of
from .script_code import HELPERS, Definitions, named
from .script_parts import COMPUTED, FACTS, OF_CONSTANTS, nested, problem_lines, source_lines
from .script_source import quoted


@script_of.register
def _script(setup: Setup, judgement: Any, part: Part, numbers: Numbers) -> str:
    outcome = next(one for one in judgement.outcomes if one.part == part.name)
    for one in _shortest(_as_bounded(setup, numbers), outcome.at):
        text = written(one, judgement, part, outcome)
        if agrees(text, outcome.gap):
            return text
    raise FedboundsError("the script that is written does not run, or gives another gap")


def _as_bounded(setup: Setup, numbers: Numbers) -> Setup:
    """Of many rounds, with the numbers that bound what is visited: they are no extremes."""
    view = view_of(setup)
    if not view.many:
        return setup
    known = numbers.constants
    chosen = ((x, str(known[x]) if x in known else y) for x, y in setup.chosen)
    return replace(setup, chosen=tuple(chosen))


def _shortest(setup: Setup, at: int | None) -> Iterator[Setup]:
    """The run up to the round that is looked at, which may show the gap; then the whole run."""
    if at is not None and at + 1 < setup.run.rounds:
        yield replace(setup, run=replace(setup.run, rounds=at + 1))
    yield setup


def written(setup: Setup, judgement: Any, part: Part, outcome: Any) -> str:
    """The program; with all draws of the view where the part needs more than the algorithm's.

    Raises
    ------
    FedboundsError
        If none can be written; the message says why.
    """
    view = view_of(setup)
    if view.besides is not None and part.quantities & view.besides.quantities.keys():
        also = view.besides
        quantities = {**view.quantities, **also.quantities}
        view = replace(also, quantities=quantities, constants=view.constants, states=view.states,
                       choices=view.choices, assumptions=view.assumptions)  # fmt: skip
    subject = subject_of(setup.run, view)
    try:
        paths(subject)
    except TooManyError as error:
        raise FedboundsError(f"{error}: too many for a script") from error
    defined = Definitions(view, known := known_of(setup, view), _given(setup, known))
    left, right = defined.side(part.left), defined.side(part.right)
    facts = _premises(defined, part)
    algorithm = subject.algorithm
    functions = quoted(algorithm, _shown(subject) - defined.vectors)
    asked = " ".join([functions, *facts])
    return TEMPLATES.get_template("setup.py.j2").render(
        docstring=_docstring(judgement),
        quoted=QUOTED,
        unquoted=UNQUOTED,
        functions=functions,
        init=algorithm.init.__name__,
        draw=algorithm.draw.__name__,
        step=algorithm.step.__name__,
        begins=takes(algorithm.init, 3),
        sees=takes(algorithm.step, 5),
        sources=source_lines(asked, bool(subject.problem.noise_scale)),
        helpers=[line for name, own in HELPERS.items() if name in defined.helpers for line in own],
        problem=problem_lines(setup.run.problem, asked),
        numbers=_numbers(setup.run),
        spaces=_spaces(setup, defined, subject, outcome.client),
        rounds=setup.run.rounds,
        changing=_changing(setup.run, known),
        ends=defined.ends,
        definitions=[*_constants(defined), *defined.lines, *facts],
        at=outcome.at,
        sides=f"{wrapped('left', left)}\n{wrapped('right', right)}",
        gap="gap" if isinstance(outcome.gap, str) else "float(gap)",
        relation=part.relation.value,
        broken="gap != 0" if part.relation is Relation.EQUAL else "gap < 0",
    )


def _docstring(judgement: Any) -> str:
    reading = judgement.reading.name
    heading = f'"""{judgement.claim.id} (reading: {reading}) fails on these numbers."""'
    return fill(heading, WIDTH, break_on_hyphens=False)


# ---- numbers


def _numbers(run: Run) -> list[str]:
    """The start and the parameters as the algorithm gets them."""
    numbers = {name: value for name, value in run.parameters if not is_formula(value)}
    named = (f'"{name}": {_number(value)}' for name, value in numbers.items())
    lines = [f"start = exact({nested(run.start)})", f"p = {{{', '.join(named)}}}"]
    return [part for line in lines for part in broken(line)]


def _changing(run: Run, known: Known) -> list[str]:
    """Parameters that are formulas, in every round."""
    found = []
    for name, text in run.parameters:
        if is_formula(text):
            own = formula(text)
            names = {
                x: sp.Symbol("Q(t)" if x == t else f'Q("{known.constant(x.name)}")')
                for x in own.free_symbols
            }
            found.append(f'p["{name}"] = {own.xreplace(names)}')
    return found


def _number(value: Any) -> str:
    if isinstance(value, tuple):
        return f"exact({nested(value)})"
    return f"Count({value})" if isinstance(value, int) else f'Q("{value}")'


def _given(setup: Setup, known: Known) -> dict[str, str]:
    """Python for the constants that are no definitions."""
    chosen, parameters = dict(setup.chosen), dict(setup.run.parameters)
    found = {}
    for name, value in known.constants.items():
        if isinstance(value, fmpq):
            if name in parameters and name not in chosen:
                found[name] = f'Q(p["{name}"])'
            else:
                found[name] = COMPUTED.get(name, f'Q("{value}")')
    return found


def _constants(defined: Definitions) -> list[str]:
    names = [name for name in defined.numbers if name not in ("n", "T")]
    shown = defined.view.shown.vectors
    return packed(f"{named(name, shown)} = {defined.given[name]}" for name in names)


# ---- premises


def _premises(defined: Definitions, part: Part) -> list[str]:
    """Assert what a part assumes; returned are the lines about the problem, and comments."""
    view, facts, so_run, missing = defined.view, [], [], []
    for says in view.requires:
        defined.held(says)
    for assumption in part.assumptions:
        if assumption in view.assumptions:
            said = view.assumptions[assumption]
            if not any([defined.held(says, assumption.value) for says in said]):
                so_run.append(assumption.value)
        elif assumption in FACTS:
            facts.append(assumption)
        else:
            missing.append(assumption.value)
    for condition in part.conditions:
        defined.held(Says(condition.left, condition.relation, condition.right))
    for assumption, name in OF_CONSTANTS.items():
        if assumption in facts:
            defined.use(name)
        elif name in defined.numbers and assumption in FACTS:
            facts.append(assumption)
    lines = [f"# as it is run, and as numbers are defined: {text}" for text in so_run]
    once = dict.fromkeys(told(facts, (), FACTS))  # what lists the noise
    return [*lines, *once, *not_checked(missing)]


# ---- axes


def _spaces(setup: Setup, defined: Definitions, subject: Subject, client: int | None) -> list[str]:
    """What axes the vectors that are used have, and how means over them are weighed."""
    view, shown = defined.view, defined.view.shown
    every = {**shown.vectors, **shown.factors}
    used = {name: own for name, own in every.items() if name in defined.vectors}
    indices = [index for index in shown.indices if any(index in own for own in used.values())]
    first = defined.known.trace.spaces[0]
    lengths = {index: len(first.weights[first.sources.index(index)]) for index in indices}
    weighed, alone = [], ""
    for index in indices:
        if index == view.alone:
            only = int(dict(setup.chosen).get(index, client or 0))
            row = tuple(int(at == only) for at in range(lengths[index]))
            weighed.append(f'"{index}": exact({nested(row)})')
            alone = f"  # {index} = {only} alone"
        elif name := shown.indices[index]:
            weighed.append(f'"{index}": p["{name}"] / p["{name}"].sum()')
        else:
            weighed.append(f'"{index}": exact([Q(1, {lengths[index]})] * {lengths[index]})')
    axes = ", ".join(f'"{name}": {list(own)}' for name, own in used.items()).replace("'", '"')
    lines = [
        f"indices = {{{', '.join(weighed)}}}{alone}",
        f"axes = {{{axes}}}",
        f"calls = {_calls(subject)}  # of each draw".replace("'", '"'),
    ]
    return [part for line in lines for part in broken(line)]


def _shown(subject: Subject) -> set[str]:
    """What a step shows that is no state."""
    p, rows = subject.parameters(), begun(subject)
    _, drawn = draws_of(subject, p)
    first = {name: own[:1] for name, own in drawn.items()}
    before = {name: own[:1] for name, own in rows.state.items()}
    after, shown = stepped(subject.algorithm, subject.problem, p, before, first)
    return shown.keys() - fields(before, after).keys() - drawn.keys()


def _calls(subject: Subject) -> dict[str, list[int]]:
    """Which calls of ``draw`` each random object is made of."""
    every, drawn = draws_of(subject, subject.parameters())
    found = {source: list(own) for source, own in calls_behind(subject, every, drawn).items()}
    order = [number for own in found.values() for number in own]
    if order != sorted(order):
        found = dict(sorted(found.items(), key=lambda own: own[1]))
        order = [number for own in found.values() for number in own]
    if order != sorted(order):
        raise FedboundsError("no script is written where calls of draw are in no order")
    return found
