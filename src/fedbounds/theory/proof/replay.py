"""Replay a book: fill in multipliers, check every step, and say which rest on unproved ones."""

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, replace
from enum import StrEnum

from fedbounds.errors import FedboundsError, unknown_name
from fedbounds.theory.checker.check import check
from fedbounds.theory.checker.data import Certificate, Premise, Square, Statement, Step, Theory
from fedbounds.theory.checker.errors import Refused

from .language import Book, Written, cited
from .refute import breaking_numbers
from .search import UNKNOWN, complete


class Local(StrEnum):
    """What the machinery says of a step, given what it cites."""

    GIVEN = "given"  # a definition, or an assumption
    PROVED = "proved"
    DOES_NOT_FOLLOW = "does not follow"  # numbers satisfy what it cites, and break it
    FALSE = "false"  # the algorithm breaks it inside the claim's assumptions
    OPEN = "open"


@dataclass(frozen=True)
class Replayed:
    """A step with its status.

    Attributes
    ----------
    written : Written
    local : Local
    reason : str
        Why it is not proved; empty if it is.
    certificate : Certificate or None
    missing : tuple of str
        Unproved steps that it rests on, directly or not; `inherited` if there are none.
    failed : tuple of str
        Steps of the paper that it rests on and whose own proof failed, proved otherwise or not.
    numbers : tuple of pairs, or None
        Values that satisfy all that it cites, and break it.
    """

    written: Written
    local: Local
    reason: str
    certificate: Certificate | None
    missing: tuple[str, ...]
    failed: tuple[str, ...] = ()
    numbers: tuple[tuple[str, str], ...] | None = None

    @property
    def inherited(self) -> bool:
        """Whether it is proved and so is every ancestor."""
        return self.local in (Local.PROVED, Local.GIVEN) and not self.missing

    @property
    def step(self) -> Step:
        """For the checker, which accepts proved steps only."""
        assert self.certificate is not None
        return Step(self.written.id, self.written.statement, self.certificate)


def replay(book: Book) -> tuple[Replayed, ...]:
    """Every step in order.

    Raises
    ------
    FedboundsError
        For a citation of an unknown step, or of one that comes later.
    """
    check_citations(book)
    earlier: dict[str, Statement] = {}
    found: list[Replayed] = []
    for written in book.steps:
        found.append(_replayed(book.theory, written, earlier))
        earlier[written.id] = written.statement
    return inherit(found)


def marked_false(steps: Iterable[Replayed], false: Set[str]) -> tuple[Replayed, ...]:
    """The steps, the unproved ones of these ids false: an exact instance breaks them.

    A proof of the same statement stays proved, so that the contradiction shows.
    """
    return inherit(
        replace(step, local=Local.FALSE)
        if step.written.id in false and step.local is not Local.PROVED
        else step
        for step in steps
    )


def marked_unmeasured(steps: Iterable[Replayed], measured: Set[str]) -> tuple[Replayed, ...]:
    """What is given and is a claim itself is open, unless its id is among the measured ones."""
    return inherit(
        replace(step, local=Local.OPEN, reason="taken as given, and not measured firmly")
        if step.local is Local.GIVEN and step.written.claim and step.written.id not in measured
        else step
        for step in steps
    )


def inherit(steps: Iterable[Replayed]) -> tuple[Replayed, ...]:
    """What every step rests on that is not proved, or that the paper does not prove."""
    # id to the unproved steps it rests on, itself included; and to the paper's that failed
    unproved: dict[str, tuple[str, ...]] = {}
    failed: dict[str, tuple[str, ...]] = {}
    found = []
    for step in steps:
        name, rests = step.written.id, list(dict.fromkeys(cited(step.written)))
        missing = tuple(dict.fromkeys(s for use in rests for s in unproved.get(use, ())))
        own = tuple(dict.fromkeys(s for use in rests for s in failed.get(use, ())))
        found.append(replace(step, missing=missing, failed=own))
        holds = step.local in (Local.PROVED, Local.GIVEN)
        blocked = missing if holds else (name,)
        known = unproved.get(name)
        # a second proof of the same statement mends the first
        better = known is None or (name not in blocked, -len(blocked)) > (
            name not in known,
            -len(known),
        )
        unproved[name] = blocked if better else known or ()
        if name not in failed:
            failed[name] = own if holds else (*own, name)
    return tuple(found)


def check_citations(book: Book) -> None:
    """Raise for an unknown citation, a later one, and a circular chain."""
    every = [written.id for written in book.steps]
    seen: set[str] = set()
    for written in book.steps:
        for name in cited(written):
            if name not in every:
                raise unknown_name(f"step cited by {written.id!r}", name, every)
            if name == written.id and name not in seen:
                raise FedboundsError(f"step {written.id!r} cites itself")
            if name not in seen:
                chain = _chain(book, name, written.id)
                if chain:
                    raise FedboundsError(f"circular chain: {' <- '.join([written.id, *chain])}")
                raise FedboundsError(f"step {written.id!r} cites {name!r}, which comes later")
        seen.add(written.id)


def _chain(book: Book, start: str, end: str) -> list[str]:
    """Steps by which ``start`` rests on ``end``; empty if it does not."""
    uses = {written.id: list(cited(written)) for written in book.steps}
    paths, done = [[start]], set()
    while paths:
        path = paths.pop()
        for name in uses.get(path[-1], ()):
            if name == end:
                return [*path, end]
            if name not in done:
                done.add(name)
                paths.append([*path, name])
    return []


def _replayed(theory: Theory, written: Written, earlier: Mapping[str, Statement]) -> Replayed:
    if written.rule == "given":
        certificate = Certificate("given", origin=written.origin, scope=written.scope)
        check(theory, Step(written.id, written.statement, certificate), earlier)
        return Replayed(written, Local.GIVEN, "", certificate, ())
    try:
        certificate = certified(theory, written, earlier)
    except Refused as error:
        numbers = breaking_numbers(theory, written.statement, draft(theory, written), earlier)
        local = Local.OPEN if numbers is None else Local.DOES_NOT_FOLLOW
        return Replayed(written, local, str(error), None, (), numbers=numbers)
    return Replayed(written, Local.PROVED, "", certificate, ())


def certified(theory: Theory, written: Written, earlier: Mapping[str, Statement]) -> Certificate:
    """A certificate that the checker accepts.

    Raises
    ------
    Refused
        If none was found.
    """
    first = draft(theory, written)
    statement = written.statement
    match written.rule:
        case "induction":
            x = written.variable
            base = _draft(theory, written, written.base)
            start = {x: str(statement.first)}
            base = complete(theory, statement, base, earlier, start)
            then = complete(theory, statement, first, earlier, {x: f"{x}+1"}, statement)
            certificate = replace(then, rule="induction", variable=x, base=base)
        case "unroll":
            certificate = replace(
                first, rule="unroll", variable=written.variable, origin=written.origin
            )
        case _:
            certificate = complete(theory, statement, first, earlier)
    check(theory, Step(written.id, statement, certificate), earlier)
    return certificate


def draft(theory: Theory, written: Written) -> Certificate:
    """What a step uses, with the multipliers that are not known yet."""
    return _draft(theory, written, written.uses)


def _draft(
    theory: Theory, written: Written, uses: tuple["str | Premise | Square", ...]
) -> Certificate:
    premises, squares = [], []
    for use in uses:
        match use:
            case str():
                premises.append(Premise("step", use, (UNKNOWN,)))
            case Premise(kind="condition"):
                premises.append(_located(theory, written, use))
            case Premise():
                premises.append(use)
            case Square():
                squares.append(use)
    return Certificate("combine", written.chart, tuple(premises), tuple(squares), written.scope)


def _located(theory: Theory, written: Written, use: Premise) -> Premise:
    """A condition by its position, as the checker wants it."""
    every = (*theory.always, *written.statement.conditions)
    wanted = use.arguments
    if wanted not in every:
        raise Refused(f"{written.id} has no condition {' '.join(wanted)}")
    return Premise(
        "condition",
        f"{every.index(wanted)} {use.name}".strip(),
        use.times,
    )
