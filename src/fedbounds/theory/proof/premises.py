"""Which assumptions and conditions a proof needs, and the step where each is first needed.

A premise is dropped from a step, and the step proved again from the same uses. What it cites is
taken without the premise too, wherever it holds without it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

from fedbounds.theory.checker.check import check
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

from .language import Book, Uses, Written, cited
from .points import names_in
from .refute import breaking_numbers
from .refute_vectors import Numbers
from .replay import Local, Replayed, certified, draft

Dropped = str | Comparison  # an assumption, or a condition
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
    numbers : pairs, or None
        Values that satisfy all that is left, and break the step.
    """

    step: str
    premise: str
    needed: bool
    where: str
    reason: str = ""
    certificate: Certificate | None = None
    numbers: Numbers | None = None


def needs(book: Book, steps: Sequence[Replayed], names: Iterable[str]) -> tuple[Need, ...]:
    """The premises of these steps in turn, where they are proved; ``steps`` are the book's replay.

    Only what the chain of a premise asks for is proved again.
    """
    state = _State(book.theory, {})
    for step in steps:
        known = state.steps.get(step.written.id)
        if known is None or known.certificate is None:  # a second proof mends the first
            state.steps[step.written.id] = step
    wanted = dict.fromkeys(names)
    return tuple(
        _need(state, state.steps[name], dropped)
        for name in wanted
        if name in state.steps and state.steps[name].local is Local.PROVED
        for dropped in _all(state.steps[name].written.statement)
    )


@dataclass(eq=False)
class _State:
    """Steps by id, and what was proved again."""

    theory: Theory
    steps: dict[str, Replayed]
    known: dict[tuple[str, frozenset[Dropped]], Certificate | Refused] = field(default_factory=dict)

    def without(self, name: str, dropped: frozenset[Dropped]) -> Certificate | Refused:
        """A step's certificate without premises; or why there is none."""
        key = name, dropped
        if key not in self.known:
            step = self.steps[name]
            if step.certificate is None or step.local is not Local.PROVED:
                self.known[key] = Refused(f"{name} is {step.local}")
            else:
                self.known[key] = _without(self.theory, step, dropped, self.cited(step, dropped))
        return self.known[key]

    def cited(self, step: Replayed, dropped: frozenset[Dropped]) -> dict[str, Statement]:
        """What a step cites, without the premises where it holds without them."""
        left, found = set(_all(step.written.statement)) - dropped, {}
        other = any(not isinstance(one, str) for one in dropped)
        for name in dict.fromkeys(cited(step.written)):
            statement = self.steps[name].written.statement
            own = set(_all(statement))
            # a condition in other words may follow from a dropped one
            implied = {c for c in own - left if other and not isinstance(c, str)}
            tried = [own & dropped, (own & dropped) | implied]
            for fewer in map(frozenset, tried):
                if fewer and isinstance(self.without(name, fewer), Certificate):
                    statement = _rest(self.steps[name].written.statement, fewer)
            found[name] = statement
        return found


def _need(state: _State, step: Replayed, dropped: Dropped) -> Need:
    """Whether it is needed; and where: at the first cited step that needs it, or here."""
    name, only = step.written.id, frozenset({dropped})
    proof = state.without(name, only)
    if isinstance(proof, Certificate):
        return Need(name, shown(dropped), False, "", certificate=proof)
    earlier = state.cited(step, only)
    causes = [(use, cause) for use, statement in earlier.items() for cause in _all(statement)]
    same = [pair for pair in causes if pair[1] == dropped]
    others = [(use, c) for use, c in causes if f"{use} needs {shown(c)}" in str(proof)]
    for use, cause in (same + others)[:1]:
        if state.steps[use].local is Local.PROVED:
            first = _need(state, state.steps[use], cause)
            if first.needed:
                return replace(first, step=name, premise=shown(dropped))
        return Need(name, shown(dropped), True, use, str(proof))
    numbers = _against(state, step, only, earlier)
    return Need(name, shown(dropped), True, name, str(proof), numbers=numbers)


def _against(
    state: _State, step: Replayed, dropped: frozenset[Dropped], earlier: Mapping[str, Statement]
) -> Numbers | None:
    """Numbers that satisfy what a step cites, without the premise, and break it."""
    target = _rest(step.written.statement, dropped)
    for variant in _variants(step.written, target, dropped):
        try:
            found = breaking_numbers(state.theory, target, draft(state.theory, variant), earlier)
        except Refused:
            continue
        if found is not None:
            return found
    return None


def shown(dropped: Dropped) -> str:
    """A premise in words."""
    return dropped if isinstance(dropped, str) else " ".join(dropped)


def _all(statement: Statement) -> list[Dropped]:
    return [*dict.fromkeys(statement.assumptions), *dict.fromkeys(statement.conditions)]


def _rest(statement: Statement, dropped: Set[Dropped]) -> Statement:
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


def _without(
    theory: Theory, step: Replayed, dropped: Set[Dropped], earlier: Mapping[str, Statement]
) -> Certificate | Refused:
    """A certificate of the statement without these premises; or why there is none."""
    certificate, statement = step.certificate, step.written.statement
    assert certificate is not None
    target = _rest(statement, dropped)
    moved = _renumbered(certificate, dropped, (*theory.always, *statement.conditions))
    missing = set(statement.assumptions) - set(target.assumptions)
    reasons = []
    if moved is not None and not assuming(theory, certificate, missing, earlier):
        if target.conditions == statement.conditions:
            return certificate  # what is assumed matters nowhere else
        try:
            check(theory, Step(step.written.id, target, moved), earlier)
            return moved
        except Refused as error:
            reasons.append(str(error))
    unjustified = any(reason.startswith("no condition says") for reason in reasons)
    for variant in list(_variants(step.written, target, dropped))[unjustified:]:
        try:
            return certified(theory, variant, earlier)
        except Refused as error:
            reasons.append(str(error))
    return Refused("; ".join(dict.fromkeys(reasons)))


def assuming(
    theory: Theory, certificate: Certificate, missing: Set[str], earlier: Mapping[str, Statement]
) -> list[Premise]:
    """What is used and assumes one of these."""
    found = []
    for use in _premises(certificate):
        cited = earlier[use.name] if use.kind == "step" else None
        if use.kind == "fact" and use.name in FACTS:
            scope = theory.scopes[certificate.scope] if certificate.scope else Scope()
            cited = FACTS[use.name](scope, use.arguments)
        if cited is not None and missing & set(cited.assumptions):
            found.append(use)
    return found


def _renumbered(
    certificate: Certificate, dropped: Set[Dropped], conditions: tuple[Comparison, ...]
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


def _variants(written: Written, target: Statement, dropped: Set[Dropped]) -> Iterator[Written]:
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


def _kept(uses: Uses, dropped: Set[Dropped]) -> tuple[str | Premise | Square, ...]:
    """Uses other than the dropped conditions."""
    return tuple(
        use
        for use in uses
        if not (isinstance(use, Premise) and use.kind == "condition" and use.arguments in dropped)
    )
