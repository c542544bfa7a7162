"""Errors in the proofs of the paper, each of which the machinery must find."""

from fedbounds.theory.planted import (
    Assumed,
    Caught,
    Circle,
    Cites,
    DependsToo,
    DoesNotSee,
    Multiplied,
    Stated,
    Without,
    WithoutStart,
    WrongProof,
)

_NOT = Caught.DOES_NOT_FOLLOW
_SMALLER = "-K*gamma*G_u(t)/2 + L**2*gamma*E(t)/(2*n)"

PLANTED = (
    WrongProof("halved-constant-step", "the constant of E is halved in the statement of a step",
               "lem-3.2:u", Stated(right=_SMALLER), _NOT),
    WrongProof("dropped-condition-step", "the step is stated without its condition on step sizes",
               "lem-3.5", Stated(conditions=()), _NOT),
    WrongProof("cites-nothing", "the step cites nothing", "lem-3.2:u", Without(), _NOT),
    WrongProof("smoothness-not-cited", "smoothness is used without being cited", "lem-3.2:u",
               Without(("smooth",)), _NOT),
    WrongProof("cites-another-algorithm", "a lemma about Scaffold-P is cited for FedAvg-P",
               "lem-3.4", Cites("lem-4.2")),
    WrongProof("induction-without-base", "the induction has no start", "lem-3.5-ik: line 1",
               WithoutStart()),
    WrongProof("assumes-the-claim", "the induction's hypothesis is used without an induction",
               "lem-3.5-ik: line 1", Assumed()),
    WrongProof("cross-term-lost", "expectation factors although the gradients see the samples",
               "eq-A.3:split", Stated(right="gamma**2*Y_2(t)/m**2 + P_u(t)"), _NOT),
    WrongProof("noise-sees-participants", "the noise depends on who takes part", "eq-A.3:noise",
               DependsToo("Yu", "S")),
    WrongProof("negative-multiplier", "an inequality has a negative multiplier", "lem-3.4",
               Multiplied("-({})")),
    WrongProof("altered-certificate", "a multiplier is halved", "lem-3.4", Multiplied("({})/2")),
    WrongProof("circular-citation", "the first line of a lemma cites the lemma", "lem-3.2:u",
               Circle("lem-3.2: line 1")),
    WrongProof("dependence-declared-away",
               "local gradients are declared not to see the samples: tower rule misused",
               "", DoesNotSee("FedAvg-P", "hu", "xi")),
)  # fmt: skip
