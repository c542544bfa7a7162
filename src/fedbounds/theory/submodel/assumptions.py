"""Assumptions 1 to 7: which problems satisfy them."""

from fedbounds.facts import Fact
from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.language.setting import AssumptionClaim

from . import assumed

_ASSUMED = (
    Fact.SMOOTH,
    Fact.STRONGLY_CONVEX,
    Fact.NOISE,
    assumed.BOUNDED_DOMAIN,
    assumed.BOUNDED_MASKED_GRADIENTS,
    Fact.NOISE,
    Fact.CONVEX_SAMPLES,
)

CLAIMS = tuple(
    AssumptionClaim(entry(f"submodel/asm-{number}"), assumption)
    for number, assumption in enumerate(_ASSUMED, start=1)
)
