"""Which assumptions and conditions a proof needs, and the step where each is first needed.

A premise is dropped from a step, and the step proved again from the same uses. What it cites is
taken with the fewest premises that its own proof was found to need.
"""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import islice

from fedbounds.theory.checker.check import check, nonnegative
from fedbounds.theory.checker.data import (
    Certificate,
    Comparison,
    Premise,
    Scope,
    Square,
    Statement,
    Step,
    Theory,
)
from fedbounds.theory.checker.errors import Refused
from fedbounds.theory.checker.facts import FACTS

from .feasible import Line, least, scale
from .feasible import Premise as Feasible
from .instances import Point, Question, holds, instance, names_in, points
from .language import Book, Uses, Written
from .replay import Local, Replayed, certified, draft, replay

Dropped = str | Comparison  # an assumption, or a condition
_POINTS = 12  # choices of the parameters that are drawn, and tried
_TRIED = 3
_GAP = 1e-6
_LARGEST = 12  # uses in a search with fewer assignments


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
    unneeded = []
    for dropped in _all(statement):
        earlier = state.earlier(cited, dropped)
        proof = _without(state.theory, step, (dropped,), earlier)
        if isinstance(proof, Refused):
            need = _needed(state, step, dropped, str(proof), earlier)
            state.where[name, dropped] = need
            yield need
            continue
        unneeded.append(dropped)
        state.without[name, dropped] = _rest(statement, (dropped,))
        yield Need(name, shown(dropped), False, "", certificate=proof)
    earlier, together = state.earlier(cited, None), tuple(unneeded)
    if isinstance(_without(state.theory, step, together, earlier), Refused):
        together = ()
        for dropped in unneeded:
            more = (*together, dropped)
            if isinstance(_without(state.theory, step, more, earlier), Certificate):
                together = more
    state.least[name] = _rest(statement, together)


def shown(dropped: Dropped) -> str:
    """A premise in words."""
    return dropped if isinstance(dropped, str) else " ".join(dropped)


def _all(statement: Statement) -> list[Dropped]:
    return [*dict.fromkeys(statement.assumptions), *dict.fromkeys(statement.conditions)]


def _rest(statement: Statement, dropped: Sequence[Dropped]) -> Statement:
    """The statement without some of its premises."""
    return replace(
        statement,
        assumptions=tuple(a for a in statement.assumptions if a not in dropped),
        conditions=tuple(c for c in statement.conditions if c not in dropped),
    )


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
    theory: Theory, step: Replayed, dropped: Sequence[Dropped], earlier: Mapping[str, Statement]
) -> Certificate | Refused:
    """A certificate of the statement without these premises; or why there is none."""
    certificate, statement = step.certificate, step.written.statement
    assert certificate is not None
    target = _rest(statement, dropped)
    moved = _renumbered(certificate, dropped, (*theory.always, *statement.conditions))
    missing = set(statement.assumptions) - set(target.assumptions)
    if moved is not None and not _assuming(theory, certificate, missing, earlier):
        if target.conditions == statement.conditions:
            return certificate  # what is assumed matters nowhere else
        try:
            check(theory, Step(step.written.id, target, moved), earlier)
            return moved
        except Refused:
            pass
    refused = _impossible(theory, step.written, target, dropped, earlier)
    if refused is not None:
        return refused
    refused = Refused("nothing that it uses is left")
    for variant in _variants(step.written, target, dropped):
        try:
            return certified(theory, variant, earlier)
        except Refused as error:
            refused = error
    return refused


def _impossible(
    theory: Theory,
    written: Written,
    target: Statement,
    dropped: Sequence[Dropped],
    earlier: Mapping[str, Statement],
) -> Refused | None:
    """Why no multipliers can exist at some choice of the parameters, if that is so.

    Quicker than a search: at fixed parameters multipliers exist unless numbers for all products
    satisfy the premises and the squares, and break the step.
    """
    if written.rule != "combine":
        return None
    free = replace(written, statement=target, uses=_kept(written.uses, dropped))
    found = draft(theory, free)
    missing = set(dropped) - set(written.statement.conditions)
    lost = _assuming(theory, found, {str(name) for name in missing}, earlier)
    usable = tuple(use for use in found.premises if use not in lost)
    question = Question(theory, target, replace(found, premises=usable), earlier)
    conditions = [d for d in dropped if not isinstance(d, str)]
    every = list(islice(points(question, small=True), _POINTS))
    every.sort(key=lambda point: all(_still(c, point) for c in conditions))
    for point in every[:_TRIED]:
        at = instance(question, point)
        if at is None:
            continue
        squares = [Feasible(at.line(f"sq({square.vector})"), False) for square in found.squares]
        for sign in (1, -1) if target.relation == "==" else (1,):
            gap = {name: sign * c for name, c in at.gap.items()}
            known = [p for p in at.premises if target.relation != "==" or p.equality]
            known += squares if target.relation != "==" else []
            solved = least(gap, known, _signed(theory, [gap, *(p.line for p in known)]), {})
            if solved is not None and solved.least < -_GAP * float(scale(gap)):
                reasons = [f"{use.name} assumes {', '.join(sorted(missing))}" for use in lost]
                where = ", ".join(f"{name} = {number}" for name, number in point.items())
                reasons.append(f"what is left does not give the step at {where}")
                return Refused("; ".join([*reasons[:-1], *at.refused, reasons[-1]]))
    return None


def _signed(theory: Theory, lines: Sequence[Line]) -> frozenset[str]:
    names = {name for line in lines for name in line}
    return frozenset(name for name in names if not nonnegative(theory, name))


def _still(condition: Comparison, point: Point) -> bool:
    try:
        return holds(condition, point)
    except (KeyError, ValueError, ZeroDivisionError):
        return True


def _assuming(
    theory: Theory, certificate: Certificate, missing: Set[str], earlier: Mapping[str, Statement]
) -> list[Premise]:
    """What is used and assumes one of these."""
    found = []
    for use in _premises(certificate):
        cited = earlier.get(use.name) if use.kind == "step" else None
        if use.kind == "fact" and use.name in FACTS:
            scope = theory.scopes[certificate.scope] if certificate.scope else Scope()
            cited = FACTS[use.name](scope, use.arguments)
        if cited is not None and missing & set(cited.assumptions):
            found.append(use)
    return found


def _renumbered(
    certificate: Certificate, dropped: Sequence[Dropped], conditions: tuple[Comparison, ...]
) -> Certificate | None:
    """The certificate with conditions counted without the dropped; None if it uses one of them."""
    kept = [at for at, condition in enumerate(conditions) if condition not in dropped]
    premises = []
    for use in certificate.premises:
        if use.kind == "condition":
            position, _, how = use.name.partition(" ")
            if int(position) not in kept:
                return None
            premises.append(replace(use, name=f"{kept.index(int(position))} {how}".strip()))
        else:
            premises.append(use)
    base = certificate.base
    if base is not None:
        base = _renumbered(base, dropped, conditions)
        if base is None:
            return None
    return replace(certificate, premises=tuple(premises), base=base)


def _variants(written: Written, target: Statement, dropped: Sequence[Dropped]) -> Iterator[Written]:
    """The step without the premises: as it was, and without what the conditions justified."""
    free = replace(
        written,
        statement=target,
        uses=_kept(written.uses, dropped),
        base=_kept(written.base, dropped),
    )
    yield free
    sides = [side for d in dropped if not isinstance(d, str) for side in (d[0], d[2])]
    named = names_in(sides)
    chart = tuple(a for a in written.chart if a.name not in named)
    if chart != written.chart and len(free.uses) <= _LARGEST:
        yield replace(free, chart=chart)


def _kept(uses: Uses, dropped: Sequence[Dropped]) -> tuple[str | Premise | Square, ...]:
    """Uses other than the dropped conditions."""
    return tuple(
        use
        for use in uses
        if not (isinstance(use, Premise) and use.kind == "condition" and use.arguments in dropped)
    )
