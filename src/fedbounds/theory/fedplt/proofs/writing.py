"""How the chapters of this paper's proofs add their steps."""

from dataclasses import replace
from typing import Any

from fedbounds.theory.checker.data import Premise, Square
from fedbounds.theory.language.claims import Reading
from fedbounds.theory.language.registry import claim as claim_of
from fedbounds.theory.proof.language import Book, Uses
from fedbounds.theory.proof.vectors import ip, sq

Use = str | Premise | Square


def prove(
    book: Book, claim: str, part: str = "", uses: Uses = (), *, scope: str = "", **options: Any
) -> None:
    """A part of a claim in the reading that has it; ``scope`` says what its vectors are."""
    book.prove(claim, part, uses, scope=scope, reading=_reading(claim, part), **options)
    last = book.steps[-1]
    if any(side.has(sq, ip) for side in (last.left, last.right)):
        book.steps[-1] = replace(last, statement=replace(last.statement, scope=scope))


def by_induction(book: Book, base: Uses) -> None:
    """What was written last follows by induction over rounds, from ``base`` at round 0."""
    book.steps[-1] = replace(book.steps[-1], rule="induction", variable="t", base=tuple(base))


def _reading(claim: str, part: str) -> Reading:
    readings = claim_of(f"fedplt/{claim}").readings
    return next(r for r in readings if not r.parts or part in r.parts)
