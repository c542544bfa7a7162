"""Assumptions 1 to 7: which problems satisfy them."""

from fedbounds.theory.catalogue import entry
from fedbounds.theory.setting import AssumptionClaim
from fedbounds.vocabulary import Assumption

_ASSUMED = (
    Assumption.SMOOTH,
    Assumption.STRONGLY_CONVEX,
    Assumption.NOISE,
    Assumption.BOUNDED_DOMAIN,
    Assumption.BOUNDED_MASKED_GRADIENTS,
    Assumption.NOISE,
    Assumption.CONVEX_SAMPLES,
)

CLAIMS = tuple(
    AssumptionClaim(entry(f"submodel/asm-{number}"), assumption)
    for number, assumption in enumerate(_ASSUMED, start=1)
)
