"""Replay a book: fill in multipliers, check every step, and say which rest on unproved ones."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from fedbounds.errors import FedboundsError, unknown_name
from fedbounds.theory.checker.check import check
from fedbounds.theory.checker.data import Certificate, Premise, Square, Statement, Step, Theory
from fedbounds.theory.checker.errors import Refused

from .language import Book, Written
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
    """

    written: Written
    local: Local
    reason: str
    certificate: Certificate | None
    missing: tuple[str, ...]

    @property
    def inherited(self) -> bool:
        """Whether it is proved and so is every ancestor."""
        return self.local in (Local.PROVED, Local.GIVEN) and not self.missing

    @property
    def step(self) -> Step:
        """For the checker, which accepts proved steps only."""
        assert self.certificate is not None
        return Step(self.written.id, self.written.statement, self.certificate)


def replay(book: Book) -> Iterator[Replayed]:
    """Every step in order.

    Raises
    ------
    FedboundsError
        For a citation of an unknown step, or of one that comes later.
    """
    check_citations(book)
    earlier: dict[str, Statement] = {}
    unproved: dict[str, tuple[str, ...]] = {}  # id to the unproved steps it rests on, itself too
    for written in book.steps:
        found = _replayed(book.theory, written, earlier, unproved)
        earlier[written.id] = written.statement
        blocked = found.missing if found.local in (Local.PROVED, Local.GIVEN) else (written.id,)
        known = unproved.get(written.id)
        # a second proof of the same statement mends the first
        unproved[written.id] = blocked if known is None or len(blocked) < len(known) else known
        yield found


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


def cited(written: Written) -> Iterator[str]:
    """Ids of the steps that a step cites."""
    for use in (*written.uses, *written.base):
        if isinstance(use, str):
            yield use
        elif isinstance(use, Premise) and use.kind == "step":
            yield use.name


def _replayed(
    theory: Theory,
    written: Written,
    earlier: Mapping[str, Statement],
    unproved: Mapping[str, tuple[str, ...]],
) -> Replayed:
    missing = tuple(
        dict.fromkeys(step for name in cited(written) for step in unproved.get(name, ()))
    )
    if written.rule == "given":
        certificate = Certificate("given", origin=written.origin, scope=written.scope)
        return Replayed(written, Local.GIVEN, "", certificate, missing)
    try:
        certificate = certified(theory, written, earlier)
    except Refused as error:
        return Replayed(written, Local.OPEN, str(error), None, missing)
    return Replayed(written, Local.PROVED, "", certificate, missing)


def certified(theory: Theory, written: Written, earlier: Mapping[str, Statement]) -> Certificate:
    """A certificate that the checker accepts.

    Raises
    ------
    Refused
        If none was found.
    """
    draft = _draft(theory, written, written.uses)
    statement = written.statement
    match written.rule:
        case "induction":
            x = written.variable
            base = _draft(theory, written, written.base)
            start = {x: str(statement.first)}
            base = complete(theory, statement, base, earlier, start)
            draft = complete(theory, statement, draft, earlier, {x: f"{x}+1"}, statement)
            certificate = Certificate(
                "induction", draft.chart, draft.premises, draft.squares, draft.scope, x, base
            )
        case "unroll":
            certificate = Certificate(
                "unroll",
                draft.chart,
                draft.premises,
                (),
                draft.scope,
                written.variable,
                None,
                written.origin,
            )
        case _:
            certificate = complete(theory, statement, draft, earlier)
    check(theory, Step(written.id, statement, certificate), earlier)
    return certificate


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
