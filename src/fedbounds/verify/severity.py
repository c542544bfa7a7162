"""How bad a finding is: what the weakest proved correction of a claim changes in it."""

import sympy as sp

from fedbounds.errors import FedboundsError
from fedbounds.theory.catalogue import entry
from fedbounds.theory.claims import Claim, Part
from fedbounds.theory.registry import encoded
from fedbounds.vocabulary import ProofStatus, Severity

from .proofs import Proofs

CORRECTED = "/corrected"
_PROVED = (ProofStatus.PROVED, ProofStatus.PROVED_OTHERWISE)


def severity(claim: Claim, proofs: Proofs) -> str | None:
    """Of the claim that a ``/corrected`` one mends; None where none is proved."""
    try:
        mended = encoded(entry(claim.id + CORRECTED))
    except FedboundsError:
        return None
    if not isinstance(mended, Claim) or proofs.of(mended).status not in _PROVED:
        return None
    grades = [_change(claim.part(part.name), part) for part in mended.parts]
    return max(grades, key=list(Severity).index).value


def _change(printed: Part, corrected: Part) -> Severity:
    """From the terms of both sides, the conditions and the relation."""
    if set(printed.conditions) != set(corrected.conditions):
        return Severity.CONDITION
    if set(printed.assumptions) != set(corrected.assumptions):
        return Severity.CONDITION
    sides = ((printed.left, corrected.left), (printed.right, corrected.right))
    if all(_terms(old).keys() == _terms(new).keys() for old, new in sides):
        same = all(sp.expand(old - new) == 0 for old, new in sides)
        return Severity.TYPO if same else Severity.CONSTANT
    return Severity.RATE


def _terms(side: sp.Expr) -> dict[sp.Expr, sp.Expr]:
    """Coefficients by what they multiply."""
    found: dict[sp.Expr, sp.Expr] = sp.expand(side).as_coefficients_dict()
    return {term: factor for term, factor in found.items() if factor != 0}
