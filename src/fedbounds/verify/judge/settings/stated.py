"""What claims in words say of one run, decided exactly: kept, broken, or not decided here."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import numpy as np
import sympy as sp
from flint import fmpq

from fedbounds.errors import FedboundsError, unknown_name
from fedbounds.theory.checker.data import Statement
from fedbounds.theory.checker.errors import Refused as NotCertified
from fedbounds.theory.language.claims import Part
from fedbounds.theory.language.setting import InTheEnd, NoBound, OnRun, Stated
from fedbounds.theory.language.setups import RUN, Factor, Run, Settled, Setup
from fedbounds.theory.language.symbols import constants_in
from fedbounds.theory.proof.language import cited
from fedbounds.theory.proof.library import book_of
from fedbounds.theory.proof.replay import certified
from fedbounds.vocabulary import Method, Verdict

from ...decide.part import Outcome, decide
from ...measure import limits
from ...measure.always import shown
from ...measure.evaluate import Numbers, UnmeasuredError, evaluate
from ...measure.expressions import without_products
from ...measure.known import MissingError
from ...measure.moments import form
from ...measure.ranges import Number, Range, compared, of_ball
from ...measure.spaces import product
from ...measure.unknowns import Refused, bare
from ...setups.found import known_of, view_of
from .subjects import Examined, SubjectOf


@dataclass(frozen=True)
class Told:
    """What was found: a verdict with its reason, and both sides as text."""

    verdict: Verdict
    reason: str
    sides: dict[str, str] = field(default_factory=dict)


def tell(subject: SubjectOf, stated: Stated, theory: str) -> Told:
    """The verdict on what a claim says of an instance that meets what it asks for."""
    if not isinstance(subject, Examined):
        return Told(Verdict.NOT_APPLICABLE, "says nothing of it: nothing is run")
    try:
        if isinstance(stated, OnRun):
            return _on_run(subject, stated)
        if isinstance(stated, InTheEnd):
            return _in_the_end(subject, stated)
        return _without_bound(subject, stated, theory)
    except (FedboundsError, Refused) as error:
        return Told(Verdict.UNDECIDED, str(error))


# ---- in the first rounds


def setup_of(subject: Examined, stated: OnRun) -> Setup:
    """The run that is looked at: from another start, with the constants of all rounds."""
    setup = subject.setup
    known = subject.numbers
    chosen = tuple((name, str(known[name])) for name, _ in setup.chosen if name in known)
    run = setup.run
    if stated.start is not None:
        run = Run(run.problem, _place(subject, stated.start), run.parameters, run.rounds)
    return replace(setup, run=run, chosen=chosen)


def _place(subject: Examined, vector: sp.Expr) -> tuple[str, ...]:
    vectors = subject.always.rounds.space.vectors
    if str(vector) not in vectors:
        raise unknown_name("vector", str(vector), vectors)
    entries = [bare(x) for x in vectors[str(vector)].reshape(-1)]
    if any(hasattr(x, "total_degree") and x.total_degree() > 0 for x in entries):
        raise FedboundsError(f"{vector} is no place to start from: it depends on the state")
    return tuple(str(fmpq(x) if isinstance(x, int) else x) for x in entries)


def _on_run(subject: Examined, stated: OnRun) -> Told:
    try:
        outcomes = outcomes_of(setup_of(subject, stated), stated.parts)
    except (MissingError, UnmeasuredError) as error:
        return Told(Verdict.NOT_APPLICABLE, str(error))
    broken = [x for x in outcomes if x.verdict is Verdict.VIOLATED]
    other = [x for x in outcomes if x.verdict is not Verdict.NOT_VIOLATED]
    found = (broken or other or outcomes[-1:])[0]
    sides = {name: str(getattr(found, name)) for name in ("left", "right", "gap")}
    part = next(part for part in stated.parts if part.name == found.part)
    start = f"from {stated.start}" if stated.start is not None else ""
    at = "" if found.at is None else f"{found.part} at t = {found.at}".strip()
    before = ", ".join(filter(None, (start, at)))
    reason = f"{before}: {part.left} = {sides['left']} against {sides['right']}"
    return Told(found.verdict, reason, sides)


def outcomes_of(setup: Setup, parts: tuple[Part, ...]) -> list[Outcome]:
    """Every part on a run of which all outcomes are enumerated."""
    return [decide(part, numbers_of(setup, part), Method.RATIONAL) for part in parts]


def numbers_of(setup: Setup, part: Part) -> Numbers:
    """Constants and quantities that a part names."""
    known = known_of(setup, view_of(setup))
    sides = [side for side in (part.left, part.right, part.trivial) if side is not None]
    names = set().union(*map(constants_in, sides))
    constants = {name: known.constant(name) for name in names - {"T"}}
    series = {name: known.series(name) for name in part.named}
    return Numbers({**constants, "T": fmpq(setup.run.rounds)}, series, fmpq)


# ---- as t grows


def _in_the_end(subject: Examined, stated: InTheEnd) -> Told:
    runs = {RUN: subject} | {v.name: subject.varied(v) for v in stated.variants}
    answers, reasons, sides = [], [], dict[str, str]()
    for says in stated.one_of:
        left, right = (_value(side, runs) for side in (says.left, says.right))
        answers.append(compared(left, says.relation, right))
        if not sides and not isinstance(left, Range) and not isinstance(right, Range):
            sides = {"left": str(left), "right": str(right), "gap": str(right - left)}
        ends = ((side, value) for side, value in ((says.left, left), (says.right, right)))
        reasons += [f"{_spoken(x)} = {shown(value)}" for x, value in ends if not x.is_number]
    if subject.always.rounds.stays:
        reasons.append(f"it stays at ({', '.join(map(str, subject.always.rounds.start))})")
    reason = "; ".join(dict.fromkeys(reasons))
    if any(answers):
        return Told(Verdict.NOT_VIOLATED, reason, sides)
    if all(answer is False for answer in answers):
        return Told(Verdict.VIOLATED, reason, sides)
    return Told(Verdict.UNDECIDED, f"{reason}: too close to tell", sides)


def _value(side: sp.Expr, runs: Mapping[sp.Symbol, Examined]) -> Number:
    """Of an expression in constants of the run, limits and factors."""
    names, values = {}, dict[str, Number]()
    for node in side.atoms(Settled, Factor):
        run = runs[node.args[-1]]
        symbol = sp.Symbol(f"_limit_{len(values)}")
        names[node] = symbol
        if isinstance(node, Settled):
            values[symbol.name] = limit_of(run, node.args[0].func.__name__)
        else:
            values[symbol.name] = of_ball(limits.factor(run.subject))
    return runs[RUN].always.number(side.xreplace(names), values)


def _spoken(side: sp.Expr) -> str:
    """With words for limits and factors."""
    names = {}
    for node in side.atoms(Settled, Factor):
        run = node.args[-1]
        what = f"lim {node.args[0]}" if isinstance(node, Settled) else "factor of a round"
        names[node] = sp.Symbol(what if run == RUN else f"{what} with {run}")
    return str(side.xreplace(names))


def limit_of(subject: Examined, quantity: str) -> Number:
    """What a quantity tends to.

    Raises
    ------
    Refused
        If rounds differ and the run does not stay where it starts, or do not contract.
    """
    definition = subject.view.quantities[quantity]
    if subject.always.rounds.stays:
        return subject.always.number(definition)
    settled = limits.limit(subject.subject)
    plain, nodes = without_products(definition)
    space, own = subject.always.rounds.space, subject.numbers
    series = {
        name: [settled(form(space.variables, product(node, space, own)))] for name, node in nodes
    }
    return _evaluated(plain, series, own)


def _evaluated(plain: sp.Expr, series: Mapping[str, list[fmpq]], own: Mapping[str, Any]) -> fmpq:
    arrays = {name: np.array(values, dtype=object) for name, values in series.items()}
    found = evaluate(plain, Numbers(own, arrays, fmpq), range(1))
    return fmpq(found.reshape(-1)[0])


# ---- no constant is enough


def _without_bound(subject: Examined, stated: NoBound, theory: str) -> Told:
    failed = [(part.name, first_failing(subject.setup, part)) for part in stated.parts]
    listed = ", ".join(f"{name} fails at t = {at}" for name, at in failed if at is not None)
    if not listed:
        return Told(Verdict.UNDECIDED, "no bound that was looked at fails")
    if not is_proved(theory, stated.step):
        return Told(Verdict.UNDECIDED, f"{listed}; that this goes on is not proved")
    return Told(Verdict.VIOLATED, f"{listed}; a proved step says that {stated.told}")


def first_failing(setup: Setup, part: Part) -> int | None:
    """The first round in which a bound fails."""
    numbers, every = numbers_of(setup, part), range(setup.run.rounds)
    left, right = (
        np.broadcast_to(evaluate(side, numbers, every), len(every))
        for side in (part.left, part.right)
    )
    return next((t for t in every if left[t] > right[t]), None)


@cache
def is_proved(theory: str, name: str) -> bool:
    """Whether the checker accepts a step, and it rests on what is given alone."""
    book = book_of(theory)
    earlier: dict[str, Statement] = {}
    for step in book.steps:
        if step.id == name:
            given = {s.id for s in book.steps if s.rule == "given"}
            try:
                certified(book.theory, step, earlier)
            except NotCertified:
                return False
            return set(cited(step)) <= given
        earlier[step.id] = step.statement
    raise FedboundsError(f"no step {name!r} in the proofs of {theory}")
