"""Our claims, from the steps that prove them: what is true instead of a printed claim, or sharper.

They are measured like any claim; their formulas are typed once, in the book of proofs.
"""

from collections.abc import Sequence
from dataclasses import replace

import sympy as sp
from sympy.core.function import AppliedUndef

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.catalogue import Entry, paper
from fedbounds.theory.language.claims import Claim, Part
from fedbounds.theory.language.registry import claim as claim_of
from fedbounds.theory.language.symbols import RunOperator, t
from fedbounds.vocabulary import Index, Relation, Source

from .language import Book, Written
from .vectors import ip, sq

_MODULE = "ours"


def claims_of(book: Book) -> tuple[Claim, ...]:
    """A claim for every entry of the catalogue that is ours, and stands in no module of its own.

    Those that do are written as the paper's own claims are.
    """
    every = (found for found in paper(book.paper).entries if found.source is Source.OURS)
    entries = [found for found in every if found.module == _MODULE]
    return tuple(_claim(found, [s for s in book.steps if s.claim == found.id]) for found in entries)


def _claim(found: Entry, steps: Sequence[Written]) -> Claim:
    if not steps:
        raise FedboundsError(f"{found.id} is in the catalogue, and no step proves it")
    mended = claim_of(found.id.rpartition("/")[0])
    parts = tuple(_part(mended, step) for step in steps)
    edges = {condition.right for part in parts for condition in part.conditions}
    schedules = tuple(s for s in mended.schedules if s.get("gamma") in edges)
    return Claim(found, mended.algorithms, parts, schedules=schedules)


def _part(mended: Claim, step: Written) -> Part:
    nearest = _nearest(mended, step)
    vectors = any(side.has(sq, ip) for side in (step.left, step.right))
    return replace(
        nearest,
        name=step.part,
        left=step.left,
        right=step.right,
        relation=Relation(step.relation),
        index=_index(step, nearest),
        first_round=step.statement.first,
        conditions=step.conditions,
        assumptions=step.assumptions,
        trivial=None,
        scopes=(step.statement.scope,) if vectors else (),
    )


def _nearest(claim: Claim, step: Written) -> Part:
    """The part of that name, or with the same left side, or else the first."""
    named = [part for part in claim.parts if step.part and part.name == step.part]
    if named:
        return named[0]
    return next((part for part in claim.parts if part.left == step.left), claim.parts[0])


def _index(step: Written, nearest: Part) -> Index:
    """What the formulas are about: that of the printed part, where they do not tell."""
    sides = sp.Tuple(step.left, step.right)
    if sides.has(RunOperator) or (nearest.index is Index.RUN and _of_run(sides)):
        return Index.RUN
    if not sides.atoms(AppliedUndef) and not sides.has(sq, ip):
        return nearest.index if not nearest.quantities else Index.POINT
    return Index.ROUND if nearest.index is Index.RUN else nearest.index


def _of_run(sides: sp.Tuple) -> bool:
    """Whether quantities occur, and none of a round: of the last one, T, say."""
    return bool(sides.atoms(AppliedUndef)) and t not in sides.free_symbols
