"""How bad a finding is: what the weakest proved correction of a claim changes in it.

A correction is a proved alternative reading, or the proved claim of the same name with
``/corrected`` appended.
"""

from collections.abc import Iterator

import sympy as sp

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.catalogue import known
from fedbounds.theory.language.claims import Claim, Part, read
from fedbounds.theory.language.registry import encoded
from fedbounds.vocabulary import ProofStatus, Severity

from .proofs import Proofs

CORRECTED = "/corrected"
_PROVED = (ProofStatus.PROVED, ProofStatus.PROVED_OTHERWISE)


def severity(claim: Claim, proofs: Proofs) -> str | None:
    """Of a claim whose headline is not proved; None where no correction of it is."""
    if proofs.of(claim).status in _PROVED:
        return None
    grades = [_grade(claim, parts) for parts in _corrections(claim, proofs)]
    return min(grades, key=list(Severity).index).value if grades else None


def _corrections(claim: Claim, proofs: Proofs) -> Iterator[tuple[Part, ...]]:
    for reading in claim.readings[1:]:
        if proofs.proves(claim, reading):
            yield read(claim, reading)
    found = known(claim.id + CORRECTED)
    if found is None:
        return
    try:
        mended = encoded(found)
    except FedboundsError:
        return
    if isinstance(mended, Claim) and proofs.of(mended).status in _PROVED:
        yield mended.parts


def _grade(claim: Claim, corrected: tuple[Part, ...]) -> Severity:
    """The gravest change of any part."""
    printed = {part.name: part for part in read(claim, claim.readings[0])}
    grades = [_change(_printed(printed, part), part) for part in corrected]
    return max(grades, key=list(Severity).index)


def _printed(parts: dict[str, Part], corrected: Part) -> Part:
    """The part of that name, or with that left side, or the first."""
    if corrected.name in parts:
        return parts[corrected.name]
    same = [part for part in parts.values() if part.left == corrected.left]
    return (same or list(parts.values()))[0]


def _change(printed: Part, corrected: Part) -> Severity:
    """From the conditions, the terms of both sides, and the relation."""
    premises = (set(printed.conditions), set(printed.assumptions))
    if premises != (set(corrected.conditions), set(corrected.assumptions)):
        return Severity.CONDITION
    sides = ((printed.left, corrected.left), (printed.right, corrected.right))
    if all(sp.expand(old - new) == 0 for old, new in sides):
        return Severity.TYPO
    same = all(_terms(old).keys() == _terms(new).keys() for old, new in sides)
    return Severity.CONSTANT if same else Severity.RATE


def _terms(side: sp.Expr) -> dict[sp.Expr, sp.Expr]:
    """Rational coefficients by what they multiply."""
    found: dict[sp.Expr, sp.Expr] = sp.expand(side).as_coefficients_dict()
    return {term: factor for term, factor in found.items() if factor != 0}
