"""Errors in the proofs of the paper, each of which the machinery must find."""

from fedbounds.theory.planted import Caught, DoesNotSee, Stated, Without, WrongProof

from .scope_names import ROUND

_NOT = Caught.DOES_NOT_FOLLOW

PLANTED = (
    WrongProof("mean-without-jensen", "a mean over clients is bounded without Jensen's inequality",
               "A2.1:a", Without(("square",))),
    WrongProof("halved-smoothness", "the constant of smoothness is halved", "A2.1:c",
               Stated(right="L*F_own(t)"), _NOT),
    WrongProof("noise-declared-away", "later gradients are declared not to see the samples", "",
               DoesNotSee(ROUND, "gs", "xi")),
)  # fmt: skip
