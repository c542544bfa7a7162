"""A run that shows what breaks a claim in words, for the program that is written of a set-up."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import sympy as sp

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.claims import Claim, Part, Reading
from fedbounds.theory.language.setting import Asked, InTheEnd, NoBound, OnRun, Stated, Universal
from fedbounds.theory.language.setups import RUN, Factor, Run, Settled, Setup
from fedbounds.theory.language.symbols import t
from fedbounds.theory.proof.vectors import sq
from fedbounds.vocabulary import Index, Method, Relation, Verdict

from ...decide.case import Case, script_of
from ...decide.judgement import Judgement
from ...decide.part import decide
from ...setups.found import known_of, view_of
from ...setups.script_asserts import not_checked
from .stated import first_failing, limit_of, numbers_of, setup_of
from .subjects import Examined

_UNSHOWN = "no finite run that is looked at shows it"


@dataclass(frozen=True)
class Shown:
    """A finite run, and a part that it breaks."""

    setup: Setup
    part: Part


def script_in_words(claim: Universal, asked: Asked, stated: Stated, subject: Examined) -> str:
    """A program that shows how a run breaks what a claim says of it.

    Parameters
    ----------
    asked : Asked
        The reading, whose assumptions and conditions are asserted.

    Raises
    ------
    FedboundsError
        If none can be written; the message says why.
    """
    refused = _UNSHOWN
    for shown in _shown(stated, subject):
        try:
            return _written(claim, asked, subject, shown)
        except FedboundsError as error:
            refused = str(error)
    raise FedboundsError(refused)


def refuse_unshown(stated: Stated, subject: Examined) -> None:
    """Raise, saying why, if there is no finite run for a script to show; none is written."""
    if next(_shown(stated, subject), None) is None:
        raise FedboundsError(_UNSHOWN)


def _written(claim: Universal, asked: Asked, subject: Examined, shown: Shown) -> str:
    strict = tuple(replace(c, relation=c.relation[0]) for c in asked.strict)
    asserted, left = _asserted(shown.setup, asked.assumptions)
    part = replace(
        shown.part,
        assumptions=(*asserted, *shown.part.assumptions),
        conditions=(*asked.conditions, *strict),
    )
    numbers = numbers_of(shown.setup, part)
    outcome = decide(part, numbers, Method.RATIONAL)
    if outcome.verdict is not Verdict.VIOLATED:
        raise FedboundsError("the finite run that is looked at does not show it")
    case = Case(subject.name, claim.entry.paper, shown.setup, Method.RATIONAL, 0)
    spoken = Claim(claim.entry, (case.algorithm_name,), (part,))
    judgement = Judgement(spoken, Reading(asked.name), case, (outcome,))
    text = script_of(shown.setup, judgement, part, numbers)
    return "\n".join([text.rstrip(), *not_checked(left), ""])


def _asserted(setup: Setup, assumptions: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """Those that hold of the finite run, and others: met by the run from its own start."""
    view = view_of(setup)
    known = known_of(setup, view)
    kept, left = [], []
    for assumption in assumptions:
        if any(known.broken(says) for says in view.assumptions.get(assumption, ())):
            left.append(f"{assumption}, of the run from its own start")
        else:
            kept.append(assumption)
    return kept, left


def _shown(stated: Stated, subject: Examined) -> Iterator[Shown]:
    if isinstance(stated, OnRun):
        setup = setup_of(subject, stated)
        yield from (Shown(setup, part) for part in stated.parts)
    elif isinstance(stated, NoBound):  # the largest constants first, up to where they fail
        for part in reversed(stated.parts):
            at = first_failing(subject.setup, part)
            if at is not None:
                run = replace(subject.setup.run, rounds=at + 1)
                yield Shown(replace(subject.setup, run=run), part)
    else:
        yield _settled(stated, subject)


# ---- limits: of a run that starts where it settles, whose mean stays there


def _settled(stated: InTheEnd, subject: Examined) -> Shown:
    """The first statement, of the run that its left side names, or its right one."""
    says = stated.one_of[0]
    if says.left.has(Factor) or says.right.has(Factor):
        raise FedboundsError("no finite run shows how fast runs contract")
    if not stated.rests:
        raise FedboundsError("no assumption says of a finite run that its mean model stays")
    node = next(x for side in (says.left, says.right) for x in side.atoms(Settled))
    runs = {RUN: subject} | {v.name: subject.varied(v) for v in stated.variants}
    setup, known = _at_rest(runs[node.args[1]]), dict[str, str]()
    names = {node: node.args[0].subs(t, 0)}
    for other in (says.left.atoms(Settled) | says.right.atoms(Settled)) - {node}:
        symbol = sp.Symbol(f"limit_{len(known) + 1}")
        names[other] = symbol
        known[symbol.name] = str(limit_of(runs[other.args[1]], other.args[0].func.__name__))
    setup = replace(setup, chosen=(*setup.chosen, *known.items()))
    left, right = says.left.xreplace(names), says.right.xreplace(names)
    relation = Relation.EQUAL if says.relation == "==" else Relation.AT_MOST
    if not subject.always.rounds.silent:
        # the mean stays, and the mean of a square is no less than the square of a mean
        if says.relation == "<" or says.left != node or not _is_square(subject, node):
            raise FedboundsError("no finite run shows what noise adds as t grows")
        relation = Relation.AT_MOST
    elif says.relation == "<":  # strictly: the sign of the difference is 1
        left, right = sp.Integer(1), sp.sign(right - left)
    stays = (stated.rests,)
    return Shown(setup, Part(left, right, relation=relation, index=Index.RUN, assumptions=stays))


def _is_square(subject: Examined, node: sp.Expr) -> bool:
    return isinstance(subject.view.quantities[node.args[0].func.__name__], sq)


def _at_rest(subject: Examined) -> Setup:
    """The run from where a round without noise leads back to, with the constants of all rounds."""
    setup, rounds = subject.setup, subject.always.rounds
    start = rounds.start if rounds.changing else rounds.fixed_point
    run = setup.run
    run = Run(run.problem, tuple(map(str, start)), run.parameters, run.rounds)
    known = subject.numbers
    chosen = tuple((name, str(known[name])) for name, _ in setup.chosen if name in known)
    return replace(setup, run=run, chosen=chosen)
