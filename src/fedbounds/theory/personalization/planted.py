"""Errors in the proofs and claims of the paper, each of which the machinery must find."""

from fractions import Fraction
from typing import Any

import sympy as sp

from fedbounds.theory.planted import (
    Assumed,
    Caught,
    Circle,
    Cites,
    DependsToo,
    DoesNotSee,
    Multiplied,
    Replaced,
    Stated,
    Times,
    TurnedRound,
    Unconditional,
    Without,
    WithoutStart,
    WrongClaim,
    WrongProof,
)
from fedbounds.theory.setups import Number, Objective, Run, Setup
from fedbounds.theory.symbols import G_u, T_3u, b2, m, n, t, variance_u, variance_v
from fedbounds.vocabulary import Relation, Verdict

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

# ---- claims: on clients u^2/2 + v_i^2/2 + slopes, with L = 1 and b^2 from the slopes


def _run(
    slopes: tuple[tuple[int, int], ...],
    start: tuple[int, ...],
    m: int,
    K: int,
    T: int,
    gamma: Number,
    outer: tuple[int, int] = (1, 1),
    noise: int = 0,
) -> Setup:
    """With gamma = gamma_u eta_u = gamma_v eta_v, of steps ``outer`` = (eta_u, eta_v)."""
    data = {"hessians": (((1, 0), (0, 1)),) * len(slopes), "slopes": slopes, "noise": noise}
    data |= {"personal": 1, "personal_noise": noise}
    (eta_u, eta_v), length = outer, Fraction(gamma)
    parameters: dict[str, Any] = {"cohort": m, "K": K, "eta_u": eta_u, "eta_v": eta_v}
    parameters |= {"gamma_u": length / eta_u, "gamma_v": length / eta_v}
    problem = Objective("quadratics", tuple(data.items()))
    return Setup("personalization", "rounds", Run(problem, start, tuple(parameters.items()), T))


# two clients that pull the shared variable apart: b^2 = 4; alike; at the minimiser, alone
_APART, _ALIKE, _ALONE = ((2, 0), (-2, 0)), ((0, 0), (0, 0)), ((0, 0),)
_ONE_OF_TWO = _run(_APART, (1, 1, 1), 1, 2, 3, "1/64", (1, 2))
# from the minimiser of the shared variable: what moves it is sampling
_BALANCED, _TOGETHER = (
    _run(x, (0, 0, 0), 1, 2, 2, "1/64", (1, 2)) for x in (_APART, ((1, 0), (1, 0)))
)
_NOISY = _run(_ALIKE, (0, 0, 0), 2, 2, 2, "1/16", noise=1)
_SLOW = _run(_ALONE, (0, 1), 1, 1, 8, "1/32")
_LONG_STEPS = _run(_ALONE, (1, 1), 1, 1, 2, 3)  # beyond every condition
# two of X = 1, -1, 3 at a time: the mean square of their mean is 5/3
_THREE = Objective("quadratics", (("hessians", (((0,),),) * 3), ("slopes", ((1,), (-1,), (3,)))))
_VECTORS = Setup("personalization", "participants", Run(_THREE, (0,), (("m", 2),), 1))

CLAIMS = (
    WrongClaim("halved-constant", "the constant of b^2 is halved", "lem-3.6", "a",
               Replaced(((b2, b2 / 2),)), _BALANCED, harmless=_TOGETHER),
    WrongClaim("bound-over-ten", "the bound is divided by ten", "thm-3.7", "",
               Times(sp.Rational(1, 10)), _SLOW),
    WrongClaim("dropped-factor", "the factor n of b^2 is forgotten", "lem-3.6", "a",
               Replaced(((n * b2, b2),)), _BALANCED),
    WrongClaim("dropped-noise", "the noise terms are dropped", "lem-3.5", "",
               Replaced(tuple((x, sp.Integer(0)) for x in (variance_u, variance_v))), _NOISY),
    WrongClaim("wrong-sign", "the sampling term is subtracted", "lem-3.1", "",
               Replaced(((T_3u(t), -T_3u(t)),)), _BALANCED),
    WrongClaim("index-shift", "G_u is taken one round later", "lem-3.6", "a",
               Replaced(((G_u(t), G_u(t + 1)),)), _ONE_OF_TWO),
    WrongClaim("m-and-n-exchanged", "m and n are exchanged", "lem-A.2", "",
               Replaced(((m, n), (n, m))), _VECTORS, relation=Relation.AT_MOST),
    WrongClaim("turned-round", "the inequality is turned round", "lem-3.4", "", TurnedRound(),
               _ONE_OF_TWO),
    WrongClaim("dropped-condition", "the conditions on the step sizes are dropped", "thm-3.7", "",
               Unconditional(), _LONG_STEPS, Verdict.OUTSIDE),
)  # fmt: skip
