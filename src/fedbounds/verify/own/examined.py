"""What is checked of a user's functions before they are believed: one round, in floats."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import sympy as sp
from flint import fmpq

from fedbounds.errors import FedboundsError
from fedbounds.facts import Constant, Fact
from fedbounds.problems import to_float
from fedbounds.problems.spectrum import to_floats
from fedbounds.theory.language.claims import Part
from fedbounds.theory.proof.vectors import given

from ..measure.balls import precise
from ..measure.clients import Clients
from ..measure.contract import different, drawn_by, no_sampling, one_step, place, stepped
from ..measure.enumerated import Round, Rows, drawn_from, first_outcome, one_state
from ..measure.functions import mean_of
from ..measure.listed import listed_space
from ..measure.random import Outcomes, count_of, outcomes, sampled, sources_of
from ..measure.reading import reading
from ..measure.sources import TooManyError
from ..measure.spaces import Listed, product, products_in
from ..measure.spoken import names_in
from ..measure.subject import Subject, fields, numbers
from ..measure.undivided import listed_whole
from ..measure.unknowns import Refused, RootError
from ..setups.tried import constants_of_run
from .bent import bent
from .curved import curved
from .declare import Theory
from .families import Pair
from .lines import told_at
from .objective import Objective
from .plan import first_parameters, somewhere

_OF_QUADRATICS = {"gradient", "full_gradient", "objective"}
_SAMPLED = 16  # outcomes of draws that have too many


def examine(theory: Theory) -> None:
    """Run one round of floats on the problem with the most clients, as the contract has it.

    Raises
    ------
    FedboundsError
        If ``step`` samples, changes its arguments, or mixes rows; if any function gives two results
        for the same arguments; or if vectors or random objects of the theory are not there.
    """
    theory.problems = tuple(_exactly(theory, *pair) for pair in theory.problems)
    added = any(isinstance(problem, Objective) for problem, _ in theory.problems)
    if theory.varied and not added:
        theory.problems += tuple(_beyond_quadratics(theory))
    problem, start, first_values = somewhere(theory)
    values = dict(first_values)
    floats = Clients(in_floats(problem))
    subject = Subject(theory.algorithm, floats, to_floats(start), values, 1, theory.shown)
    algorithm, p = subject.algorithm, subject.parameters()
    state = one_state(subject)
    if different(one_state(subject), state) is not None:
        raise FedboundsError(
            f"{place(algorithm.init)}: init gives two results for the same start; it must not "
            "sample"
        )
    every = _outcomes(subject)
    drawn = drawn_from(subject, p, every.sources, every.answers)
    count = len(every.chances)
    first = {name: np.repeat(array[:1], count, axis=0) for name, array in state.items()}
    with no_sampling(), np.errstate(all="ignore"):  # a run may divide by 0, and is judged so
        once, shown = one_step(algorithm, floats, p, first, drawn)
    with np.errstate(all="ignore"):
        again, _ = one_step(algorithm, floats, p, first, drawn)
    name = different(once, again)
    if name is not None:
        raise FedboundsError(
            f"{place(algorithm.step)}: step gives two results for the same draws "
            f"(state[{name!r}]); sample in draw, from `random`"
        )
    stepped(algorithm, floats, p, once, drawn)  # from states that differ, row by row
    start_rows = Rows({name: array[:1] for name, array in state.items()}, np.ones(1))
    chances = numbers(every.chances, exact=False)
    one = Round(0, start_rows, every, drawn, first, once, shown, chances)
    _check_vectors(theory, subject, one)


def _beyond_quadratics(theory: Theory) -> Iterator[Pair]:
    """Functions in pieces and curved ones of which a claim speaks, and on which steps run."""
    parts = [part for statement in theory.statements for part in statement.claim.parts]
    own = [x for x in (*theory.constants.values(), *theory.assumptions.values()) if callable(x)]
    if any(_OF_QUADRATICS & names_in(function) for function in own):
        return  # it may be a Hessian, from differences of gradients
    for problem, start in (*bent(), *curved()):
        if any(_says_something(part, problem) for part in parts):
            exact, begin = _exactly(theory, problem, start)
            if exact.exact:
                yield exact, begin


def _says_something(part: Part, problem: Objective) -> bool:
    """Whether the problem has the constants and the facts that a part takes for granted."""
    told = {Constant.VARIANCE_U, Constant.INITIAL_GAP, *problem.stated}
    facts = {Fact(word) for word in part.assumptions if word in {*Fact}}
    return {*Constant} & part.constants <= told and facts <= problem.assumed


def _exactly(theory: Theory, problem: Any, start: Any) -> Pair:
    """An objective in floats, where the theory's functions do not run on exact numbers."""
    if not isinstance(problem, Objective) or not problem.exact:
        return problem, start
    try:
        values = dict(first_parameters(theory, problem, start))
        subject = Subject(theory.algorithm, Clients(problem), start, values, 1, theory.shown)
        try:
            _run_exactly(theory, subject)
        except RootError:
            _run_exactly(theory, subject.in_balls())
    except (FedboundsError, Refused) as error:  # if floats meet it too, they tell of it
        return problem.in_floats(f"values in floats ({error})"), to_floats(start)
    return problem, start


def _run_exactly(theory: Theory, subject: Subject) -> None:
    """Ask every function for exact numbers, in one round."""
    with precise():
        constants_of_run(theory.constants, subject)
        one = first_outcome(subject)
        for rows in (one.start, Rows(one.after, one.chances)):
            for name, function in theory.quantities.items():
                mean_of(function, subject, rows, 0, name)


def in_floats(problem: Any) -> Any:
    """The same in floats; a class of the file's own as it is."""
    if isinstance(problem, Objective):
        return problem.in_floats("") if problem.exact else problem
    return to_float(problem) if Clients(problem).exact else problem


def _outcomes(subject: Subject) -> Outcomes:
    """Every outcome of a round's draws, or some of those that are too many."""
    p = subject.parameters()
    sources = sources_of(
        lambda random: drawn_by(subject.algorithm, random, subject.problem, p), subject.exact
    )
    try:
        return outcomes(sources, subject.exact)
    except TooManyError:
        answers = sampled(sources, subject.exact, _SAMPLED)
        return Outcomes(tuple(sources), tuple(answers), [fmpq(1, _SAMPLED)] * _SAMPLED)


def _check_vectors(theory: Theory, subject: Subject, one: Round) -> None:
    """Raise for a vector, a random object or a definition that the round does not bear out."""
    arrays = {**fields(one.before, one.after), **one.shown}
    for name, indices in theory.vectors.items():
        with told_at(theory.lines[name]):
            shown = replace(subject.shown, vectors={name: indices})
            reading(replace(subject, shown=shown), arrays)
    for name, draws in theory.sources.items():
        for draw in draws:
            if draw not in one.drawn:
                raise FedboundsError(
                    f"{theory.lines[name]}: draw returns no {draw!r}; it returns: "
                    f"{', '.join(one.drawn)}"
                )
    with told_at(theory.line):
        # all outcomes tell random objects apart; of some, only vectors are looked at
        whole = len(one.outcomes.chances) == _counted(one.outcomes)
        told_apart = whole and bool(theory.sources)
        space = (listed_space if told_apart else listed_whole)(subject, one)
    for name, definition in theory.definitions.items():
        values = {symbol.name: 1.0 for symbol in definition.free_symbols}
        with told_at(theory.lines[name]):
            for node in products_in(definition):
                product(node if told_apart else _of_the_past(node, space), space, values)


def _counted(every: Outcomes) -> int | None:
    try:
        return count_of(every.sources)
    except TooManyError:
        return None


def _of_the_past(node: sp.Expr, space: Listed) -> sp.Expr:
    """The same with means that no random object is given, where those are not told apart."""

    def known(vector: sp.Expr, *sources: sp.Symbol) -> sp.Expr:
        return given(vector, *(one for one in sources if one.name in space.sources))

    return node.replace(given, known)
