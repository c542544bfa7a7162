"""Errors in proofs: a step or its certificate is changed, and the checker refuses it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from fedbounds.errors import ConflictError, FedboundsError
from fedbounds.theory.checker import check as checker
from fedbounds.theory.checker.data import Premise, Scope, Square, Statement, Step, Theory
from fedbounds.theory.checker.errors import Refused
from fedbounds.theory.personalization.proofs.scopes import FEDAVG, SCOPES
from fedbounds.theory.proof.language import Book, Written
from fedbounds.theory.proof.library import book_of
from fedbounds.theory.proof.refute import breaking_numbers
from fedbounds.theory.proof.replay import certified, check_citations, draft

from ..dependences import check_declared
from ..outcomes import round_outcomes
from .enumerated import two_of_three
from .planted import ErrorKind, Planted, Said

PROVED, REFUSED, DOES_NOT_FOLLOW = "proved", "refused", "does not follow"
DECLARED = "as declared"


@dataclass(frozen=True)
class Line:
    """A step of the paper's book, and the statements before it."""

    theory: Theory
    written: Written
    earlier: Mapping[str, Statement]


def line(name: str) -> Callable[[], Line]:
    """A step of the partial-personalisation paper."""

    def subject() -> Line:
        book = book_of("personalization")
        at = next(i for i, step in enumerate(book.steps) if step.id == name)
        earlier = {step.id: step.statement for step in book.steps[:at]}
        return Line(book.theory, book.steps[at], earlier)

    return subject


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


def prove(name: str) -> Callable[[], tuple[Line, Step]]:
    """A step with its certificate, found by the unplanted machinery."""

    def subject() -> tuple[Line, Step]:
        own = line(name)()
        certificate = certified(own.theory, own.written, own.earlier)
        return own, Step(own.written.id, own.written.statement, certificate)

    return subject


def checked(given: tuple[Line, Step]) -> Said:
    """Whether the checker accepts a step with its certificate."""
    own, step = given
    try:
        checker.check(own.theory, step, own.earlier)
    except Refused as error:
        return Said(REFUSED, str(error))
    return Said(PROVED, f"certificate with {_premises(len(step.certificate.premises))}")


# ---- what is planted


def without(*names: str) -> Callable[[Line], Line]:
    """A step without what it uses: steps and facts by name, "square" for squares."""

    def kept(use: str | Premise | Square) -> bool:
        name = use if isinstance(use, str) else getattr(use, "name", "square")
        return name not in names

    def plant(given: Line) -> Line:
        uses = tuple(use for use in given.written.uses if kept(use))
        return replace(given, written=replace(given.written, uses=uses))

    return plant


def cites_nothing(given: Line) -> Line:
    return replace(given, written=replace(given.written, uses=()))


def cites_scaffold(given: Line) -> Line:
    """The lemma of another algorithm, as if it were of this one."""
    foreign = line("lem-4.2")().written
    uses, earlier = (foreign.id,), {**given.earlier, foreign.id: foreign.statement}
    return replace(given, written=replace(given.written, uses=uses), earlier=earlier)


def without_base(given: Line) -> Line:
    return replace(given, written=replace(given.written, base=()))


def without_induction(given: Line) -> Line:
    """What is to be shown is taken as given."""
    uses = (Premise("hypothesis", "hypothesis", ("1",)),)
    return replace(given, written=replace(given.written, rule="combine", uses=uses))


def stated(**changed: Any) -> Callable[[Line], Line]:
    """A step with its statement changed."""

    def plant(given: Line) -> Line:
        statement = replace(given.written.statement, **changed)
        return replace(given, written=replace(given.written, statement=statement))

    return plant


def noise_sees_participants(given: Line) -> Line:
    """The noise of the shared gradients depends on who takes part."""

    def changed(scope: Scope) -> Scope:
        atoms = tuple((a, (*seen, "S") if a == "Yu" else seen) for a, seen in scope.atoms)
        return replace(scope, atoms=atoms)

    scopes = {name: changed(scope) for name, scope in given.theory.scopes.items()}
    return replace(given, theory=replace(given.theory, scopes=scopes))


def times(change: str) -> Callable[[tuple[Line, Step]], tuple[Line, Step]]:
    """The multiplier of the first fact of a certificate, changed as ``change`` says of it."""

    def plant(given: tuple[Line, Step]) -> tuple[Line, Step]:
        own, step = given
        premises = list(step.certificate.premises)
        at = next(i for i, premise in enumerate(premises) if premise.kind == "fact")
        wrong = tuple(change.format(x) for x in premises[at].times)
        premises[at] = replace(premises[at], times=wrong)
        certificate = replace(step.certificate, premises=tuple(premises))
        return own, replace(step, certificate=certificate)

    return plant


def chain() -> Book:
    """The lines of Lemma 3.2 and what comes before them."""
    book = book_of("personalization")
    at = next(i for i, step in enumerate(book.steps) if step.id == "lem-3.2:u")
    return Book(book.paper, book.theory, list(book.steps[: at + 1]))


def in_a_circle(book: Book) -> Book:
    """The first line of the lemma cites the lemma."""

    def changed(step: Written) -> Written:
        own = step.id == "lem-3.2: line 1"
        return replace(step, uses=(*step.uses, "lem-3.2:u")) if own else step

    return replace(book, steps=[changed(step) for step in book.steps])


def citations(book: Book) -> Said:
    """Whether every step cites earlier ones only."""
    try:
        check_citations(book)
    except FedboundsError as error:
        return Said(REFUSED, str(error))
    return Said(PROVED, f"{len(book.steps)} steps cite earlier ones only")


def blind(scope: Scope) -> Scope:
    """Gradients at local iterates are said not to see the samples, so that expectations factor."""
    wrong = tuple(
        (a, tuple(s for s in seen if s != "xi") if a == "hu" else seen) for a, seen in scope.atoms
    )
    return replace(scope, atoms=wrong)


def declared(scope: Scope) -> Said:
    """Whether the vectors of FedAvg-P depend on what they are declared to, on a small run."""
    run = two_of_three()
    algorithm = replace(run.algorithm, participants=1, local_steps=2)
    outcomes = round_outcomes(run.problem, algorithm, run.start, 1)
    try:
        check_declared(FEDAVG, scope, [outcomes])
    except ConflictError as error:
        return Said(REFUSED, str(error))
    return Said(DECLARED, f"{len(scope.atoms)} vectors held against every outcome of a run")


# ---- the table


def _step(
    name: str,
    error: str,
    where: str,
    plant: Callable[[Line], Line],
    catch: str,
    kind: ErrorKind = ErrorKind.PROOF,
) -> Planted:
    found = {
        REFUSED: "no certificate passes the checker",
        DOES_NOT_FOLLOW: "no certificate, and numbers against it",
    }
    return Planted(
        name, kind, error, f"proof of {where}", found[catch], line(where), plant, replayed,
        PROVED, catch,
    )  # fmt: skip


_SMALLER = "-K*gamma*G_u(t)/2 + L**2*gamma*E(t)/(2*n)"

PLANTED = (
    _step("halved-constant-step", "the constant of E is halved in the statement of a step",
          "lem-3.2:u", stated(right=_SMALLER), DOES_NOT_FOLLOW, ErrorKind.CLAIM),
    _step("dropped-condition-step", "the step is stated without its condition on step sizes",
          "lem-3.5", stated(conditions=()), DOES_NOT_FOLLOW, ErrorKind.CLAIM),
    _step("cites-nothing", "the step cites nothing", "lem-3.2:u", cites_nothing, DOES_NOT_FOLLOW),
    _step("smoothness-not-cited", "smoothness is used without being cited", "lem-3.2:u",
          without("smooth"), DOES_NOT_FOLLOW),
    _step("cites-another-algorithm", "a lemma about Scaffold-P is cited for FedAvg-P", "lem-3.4",
          cites_scaffold, REFUSED),
    _step("induction-without-base", "the induction has no start", "lem-3.5-ik: line 1",
          without_base, REFUSED),
    _step("assumes-the-claim", "the induction's hypothesis is used without an induction",
          "lem-3.5-ik: line 1", without_induction, REFUSED),
    _step("cross-term-lost", "expectation factors although the gradients see the samples",
          "eq-A.3:split", stated(right="gamma**2*Y_2(t)/m**2 + P_u(t)"), DOES_NOT_FOLLOW),
    _step("noise-sees-participants", "the noise depends on who takes part", "eq-A.3:noise",
          noise_sees_participants, REFUSED),
    Planted(
        "negative-multiplier", ErrorKind.PROOF, "an inequality has a negative multiplier",
        "certificate of lem-3.4", "refused by the checker", prove("lem-3.4"), times("-({})"),
        checked, PROVED, REFUSED,
    ),
    Planted(
        "altered-certificate", ErrorKind.PROOF, "a multiplier is halved",
        "certificate of lem-3.4", "refused by the checker", prove("lem-3.4"), times("({})/2"),
        checked, PROVED, REFUSED,
    ),
    Planted(
        "circular-citation", ErrorKind.PROOF, "the first line of a lemma cites the lemma",
        "chain of lem-3.2", "citations run forward only", chain, in_a_circle, citations,
        PROVED, REFUSED,
    ),
    Planted(
        "dependence-declared-away", ErrorKind.PROOF,
        "gradients at local iterates are declared not to see the samples: tower rule misused",
        "vectors of FedAvg-P", "dependences computed on runs", lambda: SCOPES[FEDAVG], blind,
        declared, DECLARED, REFUSED,
    ),
)  # fmt: skip
