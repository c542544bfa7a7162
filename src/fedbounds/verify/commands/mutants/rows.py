"""Every mutant of claims with what tells it from the original."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from fedbounds.theory.language.claims import Claim, Part, read
from fedbounds.theory.language.registry import neighbours
from fedbounds.theory.proof.language import Book, Written
from fedbounds.theory.proof.library import book_of, has_book, names_of, replayed

from ...decide.case import Case
from ..sensitivity.proved import Proof, proof_of_part
from .breaking import Breaking
from .implied import alone, follows
from .measured import Asked, Seen, survey
from .operators import Mutant, mutants
from .proved import Word, tried

FEW = 12  # set-ups on which a mutant holds before it is asked whether it follows from its original
ALONE, EQUIVALENT, WEAKER = "true by itself", "equivalent", "weaker"


class Outcome(StrEnum):
    """What becomes of a mutant."""

    BOTH = "caught by both"
    PROOF = "caught by proof"
    MEASUREMENT = "caught by measurement"
    WEAKER = "weaker and still true"
    PROVED = "proved too"
    EQUIVALENT = "equivalent"
    MISSED = "missed"
    REFUTED = "of a refuted statement"
    CONFLICT = "proved and violated"
    LAW = "caught by a law"  # of an algorithm, as what follows
    REFUSED = "refused"


_IMPLIED = {
    ALONE: (Outcome.PROVED, "its own conditions give it"),
    EQUIVALENT: (Outcome.EQUIVALENT, "each follows from the other"),
    WEAKER: (Outcome.WEAKER, "follows from the original"),
}


@dataclass(frozen=True, eq=False)
class Row:
    """A mutant and its outcome.

    Attributes
    ----------
    claim : str
    mutant : Mutant
    outcome : Outcome
    proof : str
        What the proof of the original says of it; empty where it was not asked.
    seen : str
        The set-up that breaks it, or where it is closest; empty where none was asked.
    why : str
        In a few words, with how far the set-ups went.
    first : str
        The set-up that breaks the original; empty if none does.
    """

    claim: str
    mutant: Mutant
    outcome: Outcome
    proof: str
    seen: str
    why: str
    first: str


@dataclass(frozen=True, eq=False)
class Subject:
    """A part of the first reading of a claim, with its mutants.

    Attributes
    ----------
    steps : tuple of Written
        That are written for it.
    proof : Proof or None
        None where the part is not proved.
    breaking : Breaking
        What its steps cite, evaluated once.
    """

    claim: Claim
    part: Part
    mutants: tuple[Mutant, ...]
    steps: tuple[Written, ...]
    proof: Proof | None
    breaking: Breaking = field(default_factory=Breaking)


def subjects(paper: str, claims: Sequence[Claim]) -> list[Subject]:
    """Every part of these claims, which are of one paper; their proofs are replayed."""
    names, pairs = names_of(paper), neighbours(paper)
    book = book_of(paper) if has_book(paper) else None
    steps = replayed(paper, {w.id for w in _written(book) if w.claim in {c.id for c in claims}})
    found = []
    for claim in claims:
        reading = claim.readings[0]
        for part in read(claim, reading):
            own = tuple(
                w
                for w in _written(book)
                if (w.claim, w.part, w.reading) == (claim.id, part.name, reading.name)
            )
            proof = None if book is None else proof_of_part(book, steps, claim, part)
            found.append(Subject(claim, part, mutants(part, names, pairs), own, proof))
    return found


def _written(book: Book | None) -> Iterable[Written]:
    return () if book is None else book.steps


def rows(paper: str, every: Sequence[Subject], cases: Sequence[Case]) -> list[Row]:
    """Every mutant of these parts of a paper's claims.

    Each is measured on a few set-ups first; what follows from its original then is measured no
    further, as a set-up that breaks it breaks the original.
    """
    few = survey([_asked(s, s.mutants) for s in every], cases, FEW)
    told = {m.part: implied(paper, s, m, few[m.part]) for s in every for m in s.mutants}
    left = [
        _asked(s, [m for m in s.mutants if not (told[m.part] or few[m.part].broken_by)])
        for s in every
    ]
    seen = {**few, **survey(left, cases)}
    return [row(s, m, told[m.part], seen) for s in every for m in s.mutants]


def _asked(subject: Subject, some: Sequence[Mutant]) -> Asked:
    return Asked(subject.claim, subject.part, tuple(m.part for m in some))


def implied(paper: str, subject: Subject, mutant: Mutant, seen: Seen) -> str:
    """ "equivalent" or "weaker" if the mutant follows from its original; empty if not.

    "true by itself" if its own conditions give it. It is not asked of one that a set-up breaks.
    """
    if seen.broken_by or not has_book(paper):
        return ""
    theory = book_of(paper).theory
    scope = next((w.statement.scope for w in subject.steps if w.statement.scope), "")
    charts = ((), *(w.chart for w in subject.steps))
    if not follows(theory, mutant.part, subject.part, scope, charts, subject.breaking):
        return ""
    if alone(theory, mutant.part, scope, charts):
        return ALONE
    back = follows(theory, subject.part, mutant.part, scope, charts, Breaking())
    return EQUIVALENT if back else WEAKER


def row(subject: Subject, mutant: Mutant, implied_: str, seen: Mapping[Part, Seen]) -> Row:
    """The outcome of a mutant, from what is known of it."""
    first, shown = seen[subject.part].broken_by, seen[mutant.part]

    def made(outcome: Outcome, proof: str, why: str) -> Row:
        where = "" if implied_ else shown.broken_by or shown.closest[1]
        return Row(subject.claim.id, mutant, outcome, proof, where, why, first)

    if first:
        known = Outcome.REFUTED if subject.proof is None else Outcome.CONFLICT
        return made(known, "", implied_ or how_far(shown))
    if implied_:
        outcome, why = _IMPLIED[implied_]
        return made(outcome, "", why)
    if subject.proof is None:
        caught = Outcome.MEASUREMENT if shown.broken_by else Outcome.MISSED
        return made(caught, "original not proved", how_far(shown))
    word = tried(subject.proof, subject.part, mutant.part, subject.breaking)
    return made(_outcome(word, bool(shown.broken_by)), word.value, how_far(shown))


def _outcome(word: Word, broken: bool) -> Outcome:
    """Of a mutant whose original is proved and not violated."""
    if word is Word.OPEN:
        return Outcome.MEASUREMENT if broken else Outcome.MISSED
    if word is Word.BROKEN:
        return Outcome.BOTH if broken else Outcome.PROOF
    return Outcome.CONFLICT if broken else Outcome.PROVED


def how_far(shown: Seen) -> str:
    """How far the set-ups went."""
    if shown.broken_by:
        return "violated"
    if shown.held:
        return f"held on {shown.held}, closest {shown.closest[0]:.3g}"
    said = ", ".join(f"{word} {count}" for word, count in sorted(shown.others.items()))
    return f"decided on none: {said or 'no planned set-up is about it'}"
