"""What the proof of a part allows: its step proved again with another number in the statement.

A number of the right side is varied in the step that proves the part, from the same uses, with
multipliers given or found anew, and from a sharper claim of ours where there is one. A number of
a condition is varied in every step of the chain that has this condition. What is accepted has a
certificate that the checker accepts.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from fedbounds.theory.checker.data import Comparison, Premise, Square, Statement
from fedbounds.theory.checker.errors import Refused
from fedbounds.theory.language.claims import Claim, Condition, Part
from fedbounds.theory.proof.language import OURS, Book, Uses, Written, cite, cited
from fedbounds.theory.proof.refute import breaking_numbers
from fedbounds.theory.proof.replay import Replayed, certified, draft
from fedbounds.theory.proof.search import UNKNOWN
from fedbounds.theory.proof.text import comparisons, statement_of

from . import charts
from .bisect import Sharpest, sharpest
from .printed import Printed

_SHARPER = OURS[1]
NO_PROOF = "the part has no complete proof here"


@dataclass(frozen=True, eq=False)
class Proof:
    """The proved steps of a paper, and those that prove one part.

    Attributes
    ----------
    book : Book
    steps : dict from id to the step, proved with all that it rests on
    own : tuple of tuples of steps
        Per algorithm that the part speaks of, the steps that prove it.
    """

    book: Book
    steps: dict[str, Replayed]
    own: tuple[tuple[Replayed, ...], ...]

    @property
    def known(self) -> dict[str, Statement]:
        """What may be cited."""
        return {name: step.written.statement for name, step in self.steps.items()}

    @property
    def names(self) -> tuple[str, ...]:
        """Ids of the steps that prove the part."""
        return tuple(step.written.id for steps in self.own for step in steps)


def givens(proof: Proof) -> tuple[str, ...]:
    """Claims that the proof takes as given; where one is false, so may be what is proved."""
    return tuple(
        s.written.id for s in chain(proof) if s.written.rule == "given" and s.written.claim
    )


def proof_of_part(book: Book, steps: Sequence[Replayed], claim: Claim, part: Part) -> Proof | None:
    """The steps that prove a part of a claim's first reading; None if it is not proved.

    It is if steps are written for every algorithm that the part speaks of, and one of each holds
    with all that it rests on. What is taken as given proves nothing.
    """
    settled = {s.written.id: s for s in steps if s.inherited}
    reading = claim.readings[0].name
    own: dict[str, list[Replayed]] = {}
    for step in steps:
        written = step.written
        named = (written.claim, written.part, written.reading) == (claim.id, part.name, reading)
        if named and written.rule != "given":
            own.setdefault(written.statement.algorithm, []).append(step)
    about = [name for name in claim.algorithms if part.algorithm in ("", name)]
    held = {
        name: tuple(s for s in group if s.inherited)
        for name, group in own.items()
        if name in ("", *about)
    }
    if not held or not all(held.values()) or not all(held.keys() & {"", name} for name in about):
        return None
    return Proof(book, settled, tuple(held.values()))


def allowed(proof: Proof, claim: Claim, number: Printed) -> Sharpest:
    """The sharpest value of a printed number that the proof allows."""
    if number.condition is None:
        return sharpest(
            lambda value: all(
                any(_proves(proof, claim, step.written, number.at(value)) for step in steps)
                for steps in proof.own
            ),
            number.value,
            number.towards,
        )
    return sharpest(lambda value: not broken(proof, number, value), number.value, number.towards)


def _proves(proof: Proof, claim: Claim, written: Written, part: Part) -> bool:
    return way(proof, claim, written, part) is not None


def way(proof: Proof, claim: Claim, written: Written, part: Part) -> str | None:
    """By which uses of a step a part is proved in place of its own; None if by none of them."""
    own = statement_of(part, written.statement.scope)
    statement = replace(written.statement, left=own.left, right=own.right)
    changed = replace(written, left=part.left, right=part.right, statement=statement)
    for how, variant in _variants(proof, claim, changed):
        if _certified(proof.book, variant, proof.known):
            return how
    return None


def _certified(book: Book, written: Written, known: Mapping[str, Statement]) -> bool:
    try:
        certified(book.theory, written, known)
    except Refused:
        return False
    return True


def _variants(proof: Proof, claim: Claim, written: Written) -> Iterator[tuple[str, Written]]:
    """The step as written; with its multipliers found anew; from a sharper claim as well."""
    yield "from the same uses", written
    freed = replace(written, uses=_freed(written.uses), base=_freed(written.base))
    if freed != written:
        yield "from the same uses with other multipliers", freed
    sharper = [
        name
        for name, step in proof.steps.items()
        if step.written.claim == claim.id + _SHARPER
        and step.written.statement.algorithm == written.statement.algorithm
        and step.written.statement.left == written.statement.left
    ]
    if sharper:
        cites = tuple(cite(name) for name in sharper)
        uses = (*freed.uses, *cites) if written.rule == "combine" else cites
        changed = replace(written, rule="combine", variable="", base=(), uses=uses)
        yield f"from our {', '.join(sharper)} as well", changed


def _freed(uses: Uses) -> tuple[str | Premise | Square, ...]:
    """The uses with every multiplier to be found."""
    return tuple(use if isinstance(use, str) else replace(use, times=(UNKNOWN,)) for use in uses)


def against(proof: Proof, number: Printed, value: Fraction) -> str:
    """Numbers that satisfy what the step cites, and break it with this value; empty if none."""
    written = proof.own[0][0].written
    own = statement_of(number.at(value), written.statement.scope)
    statement = replace(written.statement, left=own.left, right=own.right)
    tried = replace(written, statement=statement)
    try:
        plan = draft(proof.book.theory, tried)
        found = breaking_numbers(proof.book.theory, statement, plan, proof.known)
    except Refused:
        return ""
    return ", ".join(f"{name} = {shown}" for name, shown in found or ())


# ---- conditions


def broken(proof: Proof, number: Printed, value: Fraction) -> str:
    """The first step of the chain that is not proved with a number of a condition changed.

    Empty if all are: then the part holds under the changed condition.
    """
    assert number.condition is not None
    (old,) = comparisons((number.condition,))
    changed = next(
        c
        for c, was in zip(number.at(value).conditions, number.part.conditions, strict=True)
        if was == number.condition
    )
    known = proof.known
    if tuple(comparisons((changed,))) == (old,):
        return ""
    for step in chain(proof):
        if old in step.written.statement.conditions:
            written = with_condition(step.written, old, changed)
            # what is taken as given under a condition says nothing without it
            if written.rule == "given" or not _certified(proof.book, written, known):
                return written.id
            known[written.id] = written.statement
    return ""


def chain(proof: Proof) -> list[Replayed]:
    """The part's steps and all that they rest on, in the order of the book."""
    wanted, found = set(proof.names), []
    for step in reversed(list(proof.steps.values())):
        if step.written.id in wanted:
            found.append(step)
            wanted |= set(cited(step.written))
    return found[::-1]


def with_condition(written: Written, old: Comparison, condition: Condition) -> Written:
    """The step with a condition in place of another, in its statement, uses and chart."""
    (new,) = comparisons((condition,))
    statement = written.statement
    conditions = tuple(new if c == old else c for c in statement.conditions)
    return replace(
        written,
        statement=replace(statement, conditions=conditions),
        conditions=tuple(
            condition if tuple(comparisons((c,))) == (old,) else c for c in written.conditions
        ),
        uses=_about(written.uses, old, new),
        base=_about(written.base, old, new),
        chart=tuple(
            replace(a, bound=charts.bound(new, a.name)) if charts.bounds(old, a) else a
            for a in written.chart
        ),
    )


def _about(uses: Uses, old: Comparison, new: Comparison) -> tuple[str | Premise | Square, ...]:
    """Uses that name a condition by its text, with the new one."""
    return tuple(
        replace(use, arguments=new)
        if isinstance(use, Premise) and use.kind == "condition" and use.arguments == old
        else use
        for use in uses
    )
