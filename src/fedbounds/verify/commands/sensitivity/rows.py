"""A claim's sensitivity as plain rows: one per printed number, one per premise.

Every cell that holds a number says how it was obtained.
"""

from collections.abc import Iterator
from fractions import Fraction
from math import ceil, floor
from typing import Any

from fedbounds.errors import ConflictError, FedboundsError
from fedbounds.theory.language.claims import Claim, Part
from fedbounds.theory.language.registry import glossary
from fedbounds.theory.proof.averages import written
from fedbounds.theory.proof.library import book_of, has_book, replayed
from fedbounds.vocabulary import Relation

from ...page.formulas import latex
from .bisect import Sharpest
from .premises import premise_rows
from .printed import Printed, printed
from .proved import NO_PROOF, Proof, against, allowed, broken, givens, proof_of_part, way
from .row import Row
from .witnessed import Excluded, Survey, survey

_MOST_BITS = 200  # of a denominator that is printed in full
_DIGITS = 10**15


def sensitivity(claim: Claim, seed: int = 0) -> tuple[Row, ...]:
    """Rows of every number and premise of a claim's inequalities.

    Raises
    ------
    FedboundsError
        If no part of the claim is an inequality.
    ConflictError
        If a number is both proved and excluded by an exact instance.
    """
    parts = [part for part in claim.parts if part.relation is not Relation.EQUAL]
    if not parts:
        raise FedboundsError(
            f"{claim.id} has no inequality ({claim.entry.kind}); sensitivity asks how far the "
            "constants of an inequality can move"
        )
    signed = glossary(claim.entry.paper).signed
    numbers = [number for part in parts for number in printed(part, signed)]
    seen = survey(claim, numbers, seed)
    return tuple(row for part in parts for row in _of_part(claim, part, numbers, seen))


def _of_part(claim: Claim, part: Part, numbers: list[Printed], seen: Survey) -> Iterator[Row]:
    paper = claim.entry.paper
    proof = None
    if has_book(paper):
        book = book_of(paper)
        steps = replayed(paper, [w.id for w in book.steps if w.claim == claim.id])
        proof = proof_of_part(book, steps, claim, part)
    for number in numbers:
        if number.part is part:
            yield _constant(claim, number, proof, seen)
    yield from premise_rows(claim, part, proof, seen)


def _constant(claim: Claim, number: Printed, proof: Proof | None, seen: Survey) -> Row:
    known = number.towards != 0
    best = allowed(proof, claim, number) if proof is not None and known else None
    bound = seen.bounds.get(number)
    _refuse_conflict(claim, number, proof, best, bound)
    return Row(
        claim=claim.id,
        part=number.part.name,
        kind="constant",
        printed=str(number.value),
        where=number.place,
        times=""
        if number.times is None
        else latex(
            written(_unsigned(number.times), number.part, claim.entry.paper),
            glossary(claim.entry.paper),
        ),
        says=_says(number, best, bound),
        proved="" if best is None or best.value is None else str(best.value),
        proved_by=_proved_by(claim, number, proof, best),
        excluded=_excluded(number, bound),
        excluded_by=_excluded_by(number, bound, seen),
    )


def _unsigned(times: Any) -> Any:
    """What the number multiplies, without the sign."""
    return -times if times.could_extract_minus_sign() else times


def _refuse_conflict(
    claim: Claim,
    number: Printed,
    proof: Proof | None,
    best: Sharpest | None,
    bound: Excluded | None,
) -> None:
    if proof is None or givens(proof) or best is None or best.value is None:
        return
    if _refuted(number, bound, best.value):
        raise ConflictError(
            f"{claim.id}, {number.place}: {best.value} in place of {number.value} is both proved "
            f"and broken by {bound.instance if bound else ''}; please report it"
        )


def _refuted(number: Printed, bound: Excluded | None, value: Fraction) -> bool:
    """Whether an instance breaks the part with this value."""
    if bound is None:
        return False
    sharper = number.towards * (value - bound.value)
    return sharper > 0 if number.condition is None else sharper >= 0


def _says(number: Printed, best: Sharpest | None, bound: Excluded | None) -> str:
    if _refuted(number, bound, number.value):
        return "refuted as printed"
    if not number.towards:
        return "sign of its factor not known"
    if best is None or best.value is None:
        attained = number.condition is None and bound is not None and bound.value == number.value
        return "no proof; nothing sharper holds" if attained else "no proof"
    if number.condition is None and bound is not None and bound.value == best.value:
        return "best possible" if best.value == number.value else f"best possible: {best.value}"
    if best.value == number.value:
        return f"not {'weaker' if number.condition else 'sharper'} by this proof"
    return f"can be {'weaker' if number.condition else 'sharper'}"


def _proved_by(claim: Claim, number: Printed, proof: Proof | None, best: Sharpest | None) -> str:
    if proof is None:
        return NO_PROOF
    if best is None:
        return "not asked"
    steps = ", ".join(proof.names)
    taken = f", which takes {', '.join(givens(proof))} as given" if givens(proof) else ""
    if best.value is None:
        return f"{steps}: no proof of the printed value from the same uses"
    told = f"exact: certificate of {steps}{_way(claim, number, proof, best.value)}{taken}"
    told += f"; {best.tried} values tried"
    if best.beyond is None:
        return f"{told}, none of them without proof"
    if number.condition is not None:
        return f"{told}; at {best.beyond} step {broken(proof, number, best.beyond)} is not proved"
    numbers = against(proof, number, best.beyond)
    told += f"; no proof at {best.beyond}"
    return told + (f", where {numbers} satisfy what is cited and break it" if numbers else "")


def _way(claim: Claim, number: Printed, proof: Proof, value: Fraction) -> str:
    if number.condition is not None:
        return ""
    part = number.at(value)
    found = (way(proof, claim, s.written, part) for steps in proof.own for s in steps)
    return ", " + " and ".join(dict.fromkeys(how for how in found if how is not None))


def _excluded(number: Printed, bound: Excluded | None) -> str:
    """What a witness excludes; numbers are sizes, so that nothing below 0 is asked for."""
    if bound is None or (number.towards < 0 and bound.value <= 0):
        return ""
    if number.towards > 0 and bound.value < 0:
        return "every value"
    word = "above" if number.towards > 0 else "below"
    at = _short(bound.value, up=number.towards > 0)
    return f"{'' if number.condition is None else 'at or '}{word} {at}"


def _short(value: Fraction, *, up: bool) -> Fraction:
    """A bound of a few digits that excludes no more than the exact one."""
    if value.denominator.bit_length() <= _MOST_BITS:
        return value
    scaled = value * _DIGITS
    return Fraction(ceil(scaled) if up else floor(scaled), _DIGITS)


def _excluded_by(number: Printed, bound: Excluded | None, seen: Survey) -> str:
    if number.times is None:
        return "not asked: the side is not affine in it"
    if not _excluded(number, bound):
        return f"none of {seen.examined} exact instances"
    assert bound is not None
    sizes = {name: value for name, value in bound.parameters if name in ("n", "m", "K", "T")}
    told = ", ".join(f"{name} = {value}" for name, value in sizes.items())
    at = f", {bound.at}" if bound.at else ""
    return f"{bound.how}: {bound.instance}" + (f" ({told})" if told else "") + at
