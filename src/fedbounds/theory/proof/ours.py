"""Our claims, from the steps that prove them: what is true instead of a printed claim, or sharper.

They are measured like any claim; their formulas are typed once, in the book of proofs.
"""

from dataclasses import replace

import sympy as sp
from sympy.core.function import AppliedUndef

from fedbounds.theory.catalogue import entry, paper
from fedbounds.theory.claims import Claim, Part
from fedbounds.theory.registry import claim as claim_of
from fedbounds.theory.symbols import RunOperator
from fedbounds.vocabulary import Index, Relation, Source

from .language import Book, Written


def claims_of(book: Book) -> tuple[Claim, ...]:
    """A claim for every entry of the catalogue that is ours."""
    steps = {f"{book.paper}/{step.id}": step for step in book.steps}
    entries = [found for found in paper(book.paper).entries if found.source is Source.OURS]
    return tuple(_claim(steps[found.id]) for found in entries)


def _claim(step: Written) -> Claim:
    mended = claim_of(step.claim.rpartition("/")[0])
    nearest = _nearest(mended, step)
    part = replace(
        nearest,
        name="",
        left=step.left,
        right=step.right,
        relation=Relation(step.relation),
        index=_index(step) or nearest.index,
        first_round=step.statement.first,
        conditions=step.conditions,
        assumptions=step.assumptions,
        trivial=None,
    )
    return Claim(entry(step.claim), mended.algorithms, (part,), schedules=mended.schedules)


def _nearest(claim: Claim, step: Written) -> Part:
    """The part with the same left side, or else the first."""
    return next((part for part in claim.parts if part.left == step.left), claim.parts[0])


def _index(step: Written) -> Index | None:
    """What the formulas are about, where they tell."""
    sides = sp.Tuple(step.left, step.right)
    if sides.has(RunOperator):
        return Index.RUN
    return None if sides.atoms(AppliedUndef) else Index.POINT
