"""Which assumptions and conditions a proof needs, and the step where each is first needed.

A premise is dropped from a step, and the step proved again from the same uses. What it cites is
taken with the fewest premises that its own proof was found to need.
"""

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from fedbounds.theory.checker.check import check
from fedbounds.theory.checker.data import (
    Certificate,
    Comparison,
    Premise,
    Square,
    Statement,
    Step,
    Theory,
)
from fedbounds.theory.checker.errors import Refused
from fedbounds.theory.checker.expressions import parsed
from fedbounds.theory.checker.facts import FACTS

from .language import Book, Written
from .replay import Local, Replayed, certified, replay

Dropped = str | Comparison  # an assumption, or a condition


@dataclass(frozen=True)
class Need:
    """Whether a step's proof needs one of its assumptions or conditions.

    Attributes
    ----------
    step : str
    premise : str
        An assumption's value, or a condition.
    needed : bool
        False if the step is proved without it; True if no such proof was found.
    where : str
        If needed, the first step on the chain that cannot be proved without it: this one, or one
        that it rests on.
    reason : str
        Why that step is refused.
    certificate : Certificate or None
        Of the step without the premise.
    """

    step: str
    premise: str
    needed: bool
    where: str
    reason: str = ""
    certificate: Certificate | None = None


def needs(book: Book, steps: Sequence[Replayed] | None = None) -> tuple[Need, ...]:
    """For every proved step of a book, its premises in turn; ``steps`` are those of its replay."""
    found: list[Need] = []
    state = _State(book.theory)
    for step in replay(book) if steps is None else steps:
        found += _of_step(state, step)
    return tuple(found)


class _State:
    """What is known of the steps so far."""

    def __init__(self, theory: Theory) -> None:
        self.theory = theory
        self.least: dict[str, Statement] = {}  # with the fewest premises
        self.without: dict[tuple[str, Dropped], Statement] = {}
        self.where: dict[tuple[str, Dropped], Need] = {}

    def earlier(self, names: set[str], dropped: Dropped | None) -> dict[str, Statement]:
        """Cited statements, without the premise where they hold without it."""
        found = {name: self.least[name] for name in names if name in self.least}
        if dropped is not None:
            return {name: self.without.get((name, dropped), s) for name, s in found.items()}
        return found


def _of_step(state: _State, step: Replayed) -> Iterator[Need]:
    name, statement = step.written.id, step.written.statement
    if step.certificate is None or step.local is not Local.PROVED:
        state.least.setdefault(name, statement)
        return
    cited = {use.name for use in _premises(step.certificate) if use.kind == "step"}
    least, certificate = statement, step.certificate
    for dropped in _all(statement):
        earlier = state.earlier(cited, dropped)
        proof = _without(state.theory, step, statement, step.certificate, dropped, earlier)
        if isinstance(proof, Refused):
            need = _needed(state, step, dropped, str(proof), earlier)
            state.where[name, dropped] = need
            yield need
            continue
        state.without[name, dropped] = _dropped(statement, dropped)
        yield Need(name, shown(dropped), False, "", certificate=proof)
        if least is statement and earlier == state.earlier(cited, None):
            least, certificate = _dropped(least, dropped), proof
            continue
        both = _without(
            state.theory, step, least, certificate, dropped, state.earlier(cited, None)
        )
        if isinstance(both, Certificate):
            least, certificate = _dropped(least, dropped), both
    state.least[name] = least


def shown(dropped: Dropped) -> str:
    """A premise in words."""
    return dropped if isinstance(dropped, str) else " ".join(dropped)


def _all(statement: Statement) -> list[Dropped]:
    return [*dict.fromkeys(statement.assumptions), *dict.fromkeys(statement.conditions)]


def _dropped(statement: Statement, dropped: Dropped) -> Statement:
    if isinstance(dropped, str):
        kept = tuple(a for a in statement.assumptions if a != dropped)
        return replace(statement, assumptions=kept)
    return replace(statement, conditions=tuple(c for c in statement.conditions if c != dropped))


def _premises(certificate: Certificate) -> list[Premise]:
    """Those that are used: their multiplier is not zero."""
    own = [p for p in certificate.premises if any(_is_used(times) for times in p.times)]
    return own + ([] if certificate.base is None else _premises(certificate.base))


def _is_used(times: str) -> bool:
    return times.strip("()") not in ("0", "0) / (1")


def _needed(
    state: _State, step: Replayed, dropped: Dropped, reason: str, earlier: Mapping[str, Statement]
) -> Need:
    """Where it is needed: at the first cited step that needs it, or here."""
    assert step.certificate is not None
    name = step.written.id
    uses = [u.name for u in _premises(step.certificate) if u.kind == "step" and u.name in earlier]
    causes = [(use, cause) for use in uses for cause in _all(earlier[use])]
    own = [pair for pair in causes if pair[1] == dropped]
    others = [(use, c) for use, c in causes if f"{use} needs {shown(c)}" in reason]
    for use, cause in (own + others)[:1]:
        first = state.where.get((use, cause))
        where, why = (use, reason) if first is None else (first.where, first.reason)
        return Need(name, shown(dropped), True, where, why)
    return Need(name, shown(dropped), True, name, reason)


def _without(
    theory: Theory,
    step: Replayed,
    statement: Statement,
    certificate: Certificate,
    dropped: Dropped,
    earlier: Mapping[str, Statement],
) -> Certificate | Refused:
    """A certificate of the statement without the premise; or why there is none."""
    target = _dropped(statement, dropped)
    if isinstance(dropped, str):
        if not _assumed(theory, certificate, dropped, earlier):
            return certificate
    else:
        moved = _renumbered(certificate, dropped, (*theory.always, *statement.conditions))
        if moved is not None:
            try:
                check(theory, Step(step.written.id, target, moved), earlier)
                return moved
            except Refused:
                pass
    refused = Refused("nothing that it uses is left")
    for variant in _variants(step.written, target, dropped):
        try:
            return certified(theory, variant, earlier)
        except Refused as error:
            refused = error
    return refused


def _assumed(
    theory: Theory, certificate: Certificate, dropped: str, earlier: Mapping[str, Statement]
) -> bool:
    """Whether something that is used assumes it; assumptions matter nowhere else."""
    for use in _premises(certificate):
        if use.kind == "step" and dropped in earlier[use.name].assumptions:
            return True
        if use.kind == "fact":
            scope = theory.scopes[certificate.scope] if certificate.scope else None
            cited = FACTS[use.name](scope or next(iter(theory.scopes.values())), use.arguments)
            if dropped in cited.assumptions:
                return True
    return False


def _renumbered(
    certificate: Certificate, dropped: Comparison, conditions: tuple[Comparison, ...]
) -> Certificate | None:
    """The certificate with conditions counted without the dropped one; None if it uses that."""
    at, premises = conditions.index(dropped), []
    for use in certificate.premises:
        if use.kind == "condition":
            position, _, how = use.name.partition(" ")
            if int(position) == at:
                return None
            moved = int(position) - (int(position) > at)
            premises.append(replace(use, name=f"{moved} {how}".strip()))
        else:
            premises.append(use)
    base = certificate.base
    if base is not None:
        base = _renumbered(base, dropped, conditions)
        if base is None:
            return None
    return replace(certificate, premises=tuple(premises), base=base)


def _variants(written: Written, target: Statement, dropped: Dropped) -> Iterator[Written]:
    """The step without the premise: as it was, and without what the condition justified."""

    def kept(uses: Sequence[str | Premise | Square]) -> tuple[str | Premise | Square, ...]:
        return tuple(use for use in uses if not _is_condition(use, dropped))

    free = replace(
        written,
        statement=target,
        uses=kept(written.uses),
        base=kept(written.base),
    )
    yield free
    if isinstance(dropped, str):
        return
    named = {n.id for side in (dropped[0], dropped[2]) for n in ast.walk(parsed(side))
             if isinstance(n, ast.Name)}  # fmt: skip
    chart = tuple(a for a in written.chart if a.name not in named)
    if chart != written.chart:
        yield replace(free, chart=chart)


def _is_condition(use: str | Premise | Square, dropped: Dropped) -> bool:
    return isinstance(use, Premise) and use.kind == "condition" and use.arguments == dropped
