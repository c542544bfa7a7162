"""A constant of a problem, with how it was obtained and on which side of the truth it lies."""

from dataclasses import dataclass
from typing import Any

from fedbounds.facts import Constant, Fact
from fedbounds.vocabulary import Provenance, Side


@dataclass(frozen=True)
class ConstantValue:
    """A value of a constant.

    A theorem holds for every admissible constant, so a certified upper value of L, b^2, sigma^2
    or F_0 is an instance of it; only tightness is then a lower estimate.
    """

    value: Any
    provenance: Provenance = Provenance.EXACT
    side: Side = Side.BOTH


Constants = dict[Constant, ConstantValue]


@dataclass(frozen=True)
class Evidence:
    """Whether a problem satisfies an assumption, and why: ``holds`` is None when unknown."""

    holds: bool | None
    reason: str


# on an objective in a shared and a personal block
OF_BLOCKS = frozenset(
    {
        Fact.SMOOTH,
        Fact.NOISE,
        Fact.DISSIMILARITY,
        Fact.BOUNDED_BELOW,
        Fact.BOUNDED_GRADIENTS,
    }
)


def not_known(assumption: str) -> Evidence:
    """A family that does not speak of an assumption says nothing of it."""
    return Evidence(None, f"{assumption}: not known of this family")
