"""Errors in proofs, which theories plant: the checker refuses a step or its certificate.

A theory's own errors are data in its folder; here is how each is planted and what examines it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial, singledispatch

from fedbounds.errors import ConflictError, FedboundsError
from fedbounds.theory.checker import check as checker
from fedbounds.theory.checker.data import Premise, Scope, Square, Statement, Step, Theory
from fedbounds.theory.checker.errors import Refused
from fedbounds.theory.language.catalogue import PAPERS
from fedbounds.theory.language.planted import (
    Assumed,
    Change,
    Circle,
    Cites,
    DependsToo,
    DoesNotSee,
    Multiplied,
    Stated,
    Without,
    WithoutStart,
    WrongProof,
)
from fedbounds.theory.language.registry import planted
from fedbounds.theory.proof.language import Book, Written
from fedbounds.theory.proof.library import book_of
from fedbounds.theory.proof.refute import breaking_numbers
from fedbounds.theory.proof.replay import certified, check_citations, draft

from ...setups.steps import check_declared
from .planted import ErrorKind, Planted, Said

PROVED, REFUSED, DOES_NOT_FOLLOW = "proved", "refused", "does not follow"
DECLARED = "as declared"


@dataclass(frozen=True)
class Line:
    """A step of a theory's book, and the statements before it."""

    paper: str
    theory: Theory
    written: Written
    earlier: Mapping[str, Statement]


@dataclass(frozen=True)
class Declared:
    """What a theory's proofs say of the vectors of a scope."""

    paper: str
    name: str
    scope: Scope


def line(paper: str, name: str) -> Line:
    """A step of a paper."""
    book = book_of(paper)
    at = next(i for i, step in enumerate(book.steps) if step.id == name)
    earlier = {step.id: step.statement for step in book.steps[:at]}
    return Line(paper, book.theory, book.steps[at], earlier)


def certificate_of(paper: str, name: str) -> tuple[Line, Step]:
    """A step with its certificate, found by the unplanted machinery."""
    own = line(paper, name)
    certificate = certified(own.theory, own.written, own.earlier)
    return own, Step(own.written.id, own.written.statement, certificate)


def chain(paper: str, name: str) -> Book:
    """The lines of a step and what comes before them."""
    book = book_of(paper)
    at = next(i for i, step in enumerate(book.steps) if step.id == name)
    return Book(book.paper, book.theory, list(book.steps[: at + 1]))


def declared_of(paper: str, name: str) -> Declared:
    """A scope of a theory."""
    return Declared(paper, name, book_of(paper).theory.scopes[name])


# ---- what is examined


def replayed(given: Line) -> Said:
    """Whether a certificate is found that the checker accepts; if not, whether numbers break it."""
    try:
        certificate = certified(given.theory, given.written, given.earlier)
    except Refused as error:
        statement, drafted = given.written.statement, draft(given.theory, given.written)
        numbers = breaking_numbers(given.theory, statement, drafted, given.earlier)
        if numbers is None:
            return Said(REFUSED, str(error))
        left, right = (dict(numbers)[side] for side in ("left", "right"))
        how = f"numbers that satisfy what it cites give left {left}, right {right}"
        return Said(DOES_NOT_FOLLOW, how)
    return Said(PROVED, f"certificate with {_premises(len(certificate.premises))}")


def _premises(count: int) -> str:
    return "1 premise" if count == 1 else f"{count} premises"


def checked(given: tuple[Line, Step]) -> Said:
    """Whether the checker accepts a step with its certificate."""
    own, step = given
    try:
        checker.check(own.theory, step, own.earlier)
    except Refused as error:
        return Said(REFUSED, str(error))
    return Said(PROVED, f"certificate with {_premises(len(step.certificate.premises))}")


def citations(book: Book) -> Said:
    """Whether every step cites earlier ones only."""
    try:
        check_citations(book)
    except FedboundsError as error:
        return Said(REFUSED, str(error))
    return Said(PROVED, f"{len(book.steps)} steps cite earlier ones only")


def declared(given: Declared) -> Said:
    """Whether vectors depend on what they are declared to, on small runs."""
    try:
        check_declared(given.paper, {given.name: given.scope})
    except ConflictError as error:
        return Said(REFUSED, str(error))
    return Said(DECLARED, f"{len(given.scope.atoms)} vectors held against every outcome of runs")


# ---- how changes are made


@singledispatch
def wrong_line(change: Change, own: Line) -> Line:
    """A step with a change."""
    raise TypeError(f"{type(change).__name__}: no change of a step")


def _written(own: Line, **changed: object) -> Line:
    return replace(own, written=replace(own.written, **changed))  # type: ignore[arg-type]


@wrong_line.register
def _without(change: Without, own: Line) -> Line:
    def kept(use: str | Premise | Square) -> bool:
        name = use if isinstance(use, str) else getattr(use, "name", "square")
        return name not in change.names

    uses = tuple(use for use in own.written.uses if kept(use)) if change.names else ()
    return _written(own, uses=uses)


@wrong_line.register
def _stated(change: Stated, own: Line) -> Line:
    statement = own.written.statement
    if change.right is not None:
        statement = replace(statement, right=change.right)
    if change.conditions is not None:
        statement = replace(statement, conditions=change.conditions)
    return _written(own, statement=statement)


@wrong_line.register
def _cites(change: Cites, own: Line) -> Line:
    foreign = line(own.paper, change.step).written
    found = _written(own, uses=(foreign.id,))
    return replace(found, earlier={**own.earlier, foreign.id: foreign.statement})


@wrong_line.register
def _without_start(change: WithoutStart, own: Line) -> Line:
    return _written(own, base=())


@wrong_line.register
def _assumed(change: Assumed, own: Line) -> Line:
    return _written(own, rule="combine", uses=(Premise("hypothesis", "hypothesis", ("1",)),))


@wrong_line.register
def _depends_too(change: DependsToo, own: Line) -> Line:
    def changed(scope: Scope) -> Scope:
        atoms = tuple((a, (*s, change.source) if a == change.vector else s) for a, s in scope.atoms)
        return replace(scope, atoms=atoms)

    scopes = {name: changed(scope) for name, scope in own.theory.scopes.items()}
    return replace(own, theory=replace(own.theory, scopes=scopes))


def multiplied(change: Multiplied, given: tuple[Line, Step]) -> tuple[Line, Step]:
    """A certificate with another multiplier of its first fact."""
    own, step = given
    premises = list(step.certificate.premises)
    at = next(i for i, premise in enumerate(premises) if premise.kind == "fact")
    wrong = tuple(change.by.format(x) for x in premises[at].times)
    premises[at] = replace(premises[at], times=wrong)
    return own, replace(step, certificate=replace(step.certificate, premises=tuple(premises)))


def in_a_circle(change: Circle, book: Book) -> Book:
    """The chain in which an earlier step cites the last."""
    last = book.steps[-1].id

    def changed(step: Written) -> Written:
        return replace(step, uses=(*step.uses, last)) if step.id == change.earlier else step

    return replace(book, steps=[changed(step) for step in book.steps])


def blind(change: DoesNotSee, given: Declared) -> Declared:
    """The scope in which a vector is said not to depend on a source."""

    def kept(atom: str, sources: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(s for s in sources if atom != change.vector or s != change.source)

    atoms = tuple((atom, kept(atom, sources)) for atom, sources in given.scope.atoms)
    return replace(given, scope=replace(given.scope, atoms=atoms))


# ---- the table


def planted_in(paper: str, wrong: WrongProof) -> Planted:
    """An error that a theory plants, with what examines it."""
    step, change = wrong.step, wrong.change
    kind = ErrorKind.CLAIM if isinstance(change, Stated) else ErrorKind.PROOF

    def made(
        where: str,
        check: str,
        subject: Callable[..., object],
        plant: Callable[..., object],
        examine: Callable[..., Said],
        control: str = PROVED,
    ) -> Planted:
        own = partial(subject, paper, step or getattr(change, "scope", ""))
        return Planted(
            wrong.name, kind, wrong.error, where, check, own, partial(plant, change), examine,
            control, wrong.caught.value,
        )  # fmt: skip

    if isinstance(change, Multiplied):
        where, check = f"certificate of {step}", "refused by the checker"
        return made(where, check, certificate_of, multiplied, checked)
    if isinstance(change, Circle):
        where, check = f"chain of {step}", "citations run forward only"
        return made(where, check, chain, in_a_circle, citations)
    if isinstance(change, DoesNotSee):
        where, check = f"vectors of {change.scope}", "dependences computed on runs"
        return made(where, check, declared_of, blind, declared, DECLARED)
    checks = {
        REFUSED: "no certificate passes the checker",
        DOES_NOT_FOLLOW: "no certificate, and numbers against it",
    }
    return made(f"proof of {step}", checks[wrong.caught], line, wrong_line, replayed)


PLANTED = tuple(planted_in(paper, wrong) for paper in PAPERS for wrong in planted(paper))
