"""Errors in the proofs and the algorithm of the paper, each of which the machinery must find."""

from fedbounds.theory.language.planted import (
    Caught,
    DoesNotSee,
    Identity,
    Rule,
    Stated,
    Without,
    WrongProof,
    WrongRule,
)
from fedbounds.theory.language.setups import Setup

from .scope_names import ROUND
from .setups import apart

_NOT = Caught.DOES_NOT_FOLLOW

PLANTED = (
    WrongProof("mean-without-jensen", "a mean over clients is bounded without Jensen's inequality",
               "A2.1:a", Without(("square",))),
    WrongProof("halved-smoothness", "the constant of smoothness is halved", "A2.1:c",
               Stated(right="L*F_own(t)"), _NOT),
    WrongProof("noise-declared-away", "later gradients are declared not to see the samples", "",
               DoesNotSee(ROUND, "gs", "xi")),
)  # fmt: skip


def _forgotten(compensation: Rule) -> Rule:
    """Nothing is compensated."""
    return lambda trained, c: c[:1] * 0 + 1


# every client its own coordinate: the compensation is 4 everywhere
_OWN = Setup("fedplt", "local steps", apart(4, 4))
RULES = (
    WrongRule("no-mask-compensation", "the server's mean is not compensated for masks: biased",
              "FedPLT, server", "fedplt.compensation", _forgotten, Identity("A2.2-split", _OWN)),
)  # fmt: skip
