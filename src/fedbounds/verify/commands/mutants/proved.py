"""What the proof of a statement says of a mutant in its place.

The steps that prove the original are asked to prove the mutant from the same uses: either they do,
or numbers satisfy all that they cite and break it, or neither is found. Where a condition is
changed, so are the uses and the charts that name it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from enum import StrEnum

from fedbounds.theory.checker.data import Assignment, Comparison, Premise, Square
from fedbounds.theory.checker.errors import Refused
from fedbounds.theory.language.claims import Part
from fedbounds.theory.proof.language import Written
from fedbounds.theory.proof.replay import certified
from fedbounds.theory.proof.text import comparisons, statement_of

from ..sensitivity import charts
from ..sensitivity.proved import Proof
from .breaking import Breaking

_Changed = Mapping[Comparison, Comparison | None]  # a condition, and what is in its place


class Word(StrEnum):
    """What the proof of the original says of a mutant."""

    BROKEN = "does not follow"
    PROVED = "proved"
    OPEN = "open"


def tried(proof: Proof, original: Part, part: Part, breaking: Breaking) -> Word:
    """The mutant in the place of the original: of every algorithm that it speaks of.

    It is proved if steps of each algorithm prove it, and broken if for one algorithm numbers break
    every step.
    """
    every = [
        {_of_step(proof, instead(s.written, original, part), breaking) for s in own}
        for own in proof.own
    ]
    if {Word.BROKEN} in every:
        return Word.BROKEN
    return Word.PROVED if all(Word.PROVED in words for words in every) else Word.OPEN


def _of_step(proof: Proof, step: Written, breaking: Breaking) -> Word:
    theory = proof.book.theory
    if breaking.numbers(theory, step, proof.known) is not None:
        return Word.BROKEN
    try:
        certified(theory, step, proof.known)
    except (Refused, ZeroDivisionError, ValueError):
        return Word.OPEN
    return Word.PROVED


def instead(written: Written, original: Part, part: Part) -> Written:
    """The step with another part as what it proves."""
    own = statement_of(part, written.statement.scope)
    statement = replace(
        written.statement, left=own.left, right=own.right, relation=own.relation,
        conditions=own.conditions, assumptions=own.assumptions,
    )  # fmt: skip
    changed = dict(_changed(original, part))
    return replace(
        written,
        statement=statement,
        left=part.left,
        relation=part.relation.value,
        right=part.right,
        conditions=part.conditions,
        assumptions=part.assumptions,
        uses=tuple(_uses(written.uses, changed)),
        base=tuple(_uses(written.base, changed)),
        chart=tuple(_chart(written.chart, changed)),
    )


def _changed(original: Part, part: Part) -> Iterator[tuple[Comparison, Comparison | None]]:
    """The conditions of the original that are gone, with what is in their place."""
    gone = [c for c in original.conditions if c not in part.conditions]
    new = [c for c in part.conditions if c not in original.conditions]
    olds, news = list(comparisons(tuple(gone))), list(comparisons(tuple(new)))
    alike = len(olds) == len(news)
    yield from zip(olds, news, strict=True) if alike else ((old, None) for old in olds)


def _uses(
    uses: "tuple[str | Premise | Square, ...]", changed: _Changed
) -> "Iterator[str | Premise | Square]":
    told: dict[tuple[str, ...], Comparison | None] = dict(changed.items())
    for use in uses:
        if not (isinstance(use, Premise) and use.kind == "condition" and use.arguments in told):
            yield use
        elif (new := told[use.arguments]) is not None:
            yield replace(use, arguments=new)


def _chart(chart: tuple[Assignment, ...], changed: _Changed) -> Iterator[Assignment]:
    for one in chart:
        old = next((old for old in changed if charts.bounds(old, one)), None)
        new = None if old is None else changed[old]
        bound = None if new is None else charts.said_of(new, one.name)
        if old is None or bound is not None:
            yield one if bound is None else replace(one, bound=bound)
