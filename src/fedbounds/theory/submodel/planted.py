"""Errors in the proofs of the paper, each of which the machinery must find."""

from fedbounds.theory.planted import Caught, Stated, Without, WrongProof

_NOT = Caught.DOES_NOT_FOLLOW

PLANTED = (
    WrongProof("strong-convexity-not-cited", "an epoch contracts without strong convexity",
               "thm-3:epoch", Without(("asm strongly convex, rolling masks",)), _NOT),
    WrongProof("one-sample-less", "coupled runs part more slowly than they do", "lem-12",
               Stated(right="eta*G_pair(t)/(2*n*n_s) + dl_w(t)"), _NOT),
)  # fmt: skip
