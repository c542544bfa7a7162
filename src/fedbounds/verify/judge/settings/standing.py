"""The standing of one reading of a claim about what can be met, or of a claim in words."""

from functools import cache
from typing import Any

from fedbounds.theory.language.claims import Claim, read
from fedbounds.theory.language.setting import Asked, Existence, Universal
from fedbounds.theory.proof.contradictions import contradicted, contradictions
from fedbounds.theory.proof.library import book_of, has_book
from fedbounds.theory.proof.replay import Replayed
from fedbounds.vocabulary import ProofStatus, Standing, StatementStatus

from ..proofs import Proofs
from ..standing import standing

Record = dict[str, Any]


def reading_of(
    claim: Existence | Universal, asked: Asked, statement: StatementStatus, proofs: Proofs
) -> Record:
    """Proof status and standing of a reading, and the steps that show its premises contradictory.

    Premises that contradict each other and are met by an instance are a conflict.
    """
    found = contradicted(
        _contradictions(claim.entry.paper, proofs.steps.get(claim.entry.paper, ())),
        asked.assumptions,
        (*asked.conditions, *asked.strict),
    )
    proof = ProofStatus.CONTRADICTORY if found else ProofStatus.OPEN
    word = standing(statement, proof)
    if isinstance(claim, Existence) and not found:
        survived = statement is StatementStatus.SURVIVED
        word = Standing.SATISFIABLE if survived else Standing.OPEN
    return {"proof": proof.value, "standing": word.value, "contradictions": list(found)}


def contradictory(claim: Claim, proofs: Proofs) -> tuple[str, ...]:
    """Steps that show the premises of every part of a claim's first reading contradictory."""
    paper = claim.entry.paper
    steps = _contradictions(paper, proofs.steps.get(paper, ()))
    found = [
        contradicted(steps, part.assumptions, part.conditions)
        for part in read(claim, claim.readings[0])
    ]
    return tuple(dict.fromkeys(name for names in found for name in names)) if all(found) else ()


@cache
def _contradictions(paper: str, steps: tuple[Replayed, ...]) -> tuple[Replayed, ...]:
    return contradictions(book_of(paper).theory, steps) if has_book(paper) else ()
