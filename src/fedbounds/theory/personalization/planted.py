"""Errors in the proofs and claims of the paper, each of which the machinery must find."""

from fractions import Fraction
from typing import Any

import sympy as sp

from fedbounds.facts import Constant, Fact
from fedbounds.theory.language.planted import (
    Asserted,
    Assumed,
    Bound,
    Caught,
    Circle,
    Cites,
    DependsToo,
    DoesNotSee,
    DrawLaw,
    Halved,
    Misplaced,
    Multiplied,
    Reduces,
    Renamed,
    Replaced,
    Rule,
    Stated,
    Times,
    TurnedRound,
    Unconditional,
    Without,
    WithoutStart,
    WrongClaim,
    WrongProblem,
    WrongProof,
    WrongRule,
)
from fedbounds.theory.language.setups import Number, Objective, Run, Setup
from fedbounds.theory.language.symbols import G_u, b2, m, n, t, variance_u, variance_v
from fedbounds.theory.personalization.symbols import T_3u
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
    start: tuple[Number, ...],
    m: int,
    K: int,
    T: int,
    gamma: Number,
    outer: tuple[int, int] = (1, 1),
    noise: int = 0,
    hessians: tuple[Any, ...] = (),
) -> Setup:
    """With gamma = gamma_u eta_u = gamma_v eta_v, of steps ``outer`` = (eta_u, eta_v)."""
    data: dict[str, Any] = {"hessians": hessians or (((1, 0), (0, 1)),) * len(slopes)}
    data |= {"slopes": slopes, "noise": noise}
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

# ---- algorithms


def _shorter(local: Rule) -> Rule:
    return lambda problem, state, drawn, sizes, steps, *rest: local(
        problem, state, drawn, sizes, steps - 1, *rest
    )


def _over_everybody(average: Rule) -> Rule:
    return lambda problem, p, state, drawn, u, v: average(
        problem, p, state, {**drawn, "weight": drawn["present"] / u.shape[1]}, u, v
    )


def _absent_move(average: Rule) -> Rule:
    def wrong(problem: Any, p: Any, state: Any, drawn: Any, u: Any, v: Any) -> Any:
        everyone = {**drawn, "present": drawn["present"] * 0 + 1}
        return {
            "u": average(problem, p, state, drawn, u, v)["u"],
            "v": average(problem, p, state, everyone, u, v)["v"],
        }

    return wrong


def _first_twice(average: Rule) -> Rule:
    def wrong(problem: Any, p: Any, state: Any, drawn: Any, u: Any, v: Any) -> Any:
        after = average(problem, p, state, drawn, u, v)
        extra = u[:, 0] * drawn["weight"][:, :1] * p["eta_u"]
        return {**after, "u": after["u"] + extra}

    return wrong


def _turned(local: Rule) -> Rule:
    return lambda problem, state, drawn, sizes, steps, correction: local(
        problem, state, drawn, sizes, steps, -correction
    )


def _mean_over_m(whole: Rule) -> Rule:
    def wrong(problem: Any, p: Any, state: Any, *drawn: Any) -> Any:
        after, *rest = whole(problem, p, state, *drawn)
        moved = (after["c"] - state["c"]) * problem.clients / p["cohort"]
        return {**after, "c": state["c"] + moved}, *rest

    return wrong


def _again_and_again(draw: Rule) -> Rule:
    """A client drawn twice takes part once."""

    def wrong(random: Any, problem: Any, p: Any, steps: int) -> Any:
        times = random.participants_with_replacement(problem.clients, p["cohort"])
        present = problem.xp.where(times > 0, times * 0 + 1, times * 0)
        return {**draw(random, problem, p, steps), "present": present}

    return wrong


_TO_FEDAVG = Reduces("sc-fedavg", "n=3 m=2 K=2 d_u=2 d_v=0")
_TO_FEDSIM = Reduces("sc-fedsim", "n=3 m=2 K=2 d_u=2 d_v=1")
_TO_SCAFFOLD = Reduces("sc-scaffold", "n=3 m=2 K=2 d_u=2 d_v=0")
_DIFFERENT = (((2, 1), (1, 3)), ((1, 0), (0, 2)), ((3, -1), (-1, 1)))
_TWO_OF_THREE = _run(((1, -1), (-1, 2), (2, 1)), (1, 2, -1, 3), 2, 2, 1, "1/3", (2, 3), 1,
                     _DIFFERENT)  # fmt: skip
_THREE_OF_FIVE = _run(((0, 0),) * 5, (1,) * 6, 3, 1, 1, "1/10")

RULES = (
    WrongRule("K-1-local-steps", "K - 1 local steps instead of K", "FedAvg-P, local training",
              "personal_averaging.local", _shorter, _TO_FEDAVG),
    WrongRule("average-over-n", "the participants' sum is divided by n, not m",
              "FedAvg-P, server", "personal_averaging.average", _over_everybody, _TO_FEDAVG),
    WrongRule("absent-clients-move", "absent clients move their personal variables",
              "FedAvg-P, server", "personal_averaging.average", _absent_move, _TO_FEDSIM),
    WrongRule("client-weighs-twice", "the first client counts twice when it takes part",
              "FedAvg-P, server", "personal_averaging.average", _first_twice,
              Renamed(_TWO_OF_THREE)),
    WrongRule("control-variate-sign", "the correction is c_i - c instead of c - c_i",
              "Scaffold-P, local training", "personal_scaffold.local", _turned, _TO_SCAFFOLD),
    WrongRule("control-mean-over-m", "the mean control variate is renewed with 1/m, not 1/n",
              "Scaffold-P, server", "personal_scaffold._round", _mean_over_m, _TO_SCAFFOLD),
    WrongRule("sampling-with-replacement", "participants are drawn with replacement",
              "draw of the participants", "personal_averaging._drawn", _again_and_again,
              DrawLaw(_THREE_OF_FIVE, "present", ("3/5",) * 5, alike=10)),
)  # fmt: skip

# ---- problems

# one client, blocks nearly alike and strongly coupled: both move as one, which attains L
_COUPLED = _run(_ALONE, (1, 1), 1, 1, 2, "1/64", hessians=(((1, "7/8"), ("7/8", 1)),))
# clients of different curvature: no b bounds how their gradients differ
_OWN_CURVATURES = _run(_ALIKE, (1, 1, 1), 1, 2, 3, "1/64", (1, 2),
                       hessians=(((2, 0), (0, 1)), ((1, 0), (0, 1))))  # fmt: skip
_OF_CONSTANTS = "constants of a quadratic"
_ASSERTED = Asserted(Constant.DISSIMILARITY, Fact.DISSIMILARITY)

PROBLEMS = (
    WrongProblem("smoothness-halved", "L is half of what it is", _OF_CONSTANTS,
                 Halved(Constant.SMOOTHNESS), "lem-A.3", "", _COUPLED),
    WrongProblem("variance-halved", "sigma_u^2 is half of what it is", _OF_CONSTANTS,
                 Halved(Constant.VARIANCE_U), "eq-A.3", "noise", _NOISY),
    WrongProblem("dissimilarity-halved", "b^2 is half of what it is", _OF_CONSTANTS,
                 Halved(Constant.DISSIMILARITY), "lem-3.6", "a", _BALANCED),
    WrongProblem("dissimilarity-asserted", "b^2 = 0 is asserted; no finite b exists",
                 "evidence of a quadratic", _ASSERTED, "lem-3.6", "a", _OWN_CURVATURES,
                 Verdict.NOT_APPLICABLE),
    WrongProblem("wrong-minimiser", "the minimiser is one off in every coordinate",
                 "minimiser of a quadratic", Misplaced(), "thm-3.7", "",
                 _run(_ALONE, (1, "9/8"), 1, 1, 8, "1/32")),  # near the wrong one
)  # fmt: skip

# ---- judgement: beyond gamma <= 1/(32 K L)

BOUNDS = (Bound("thm-3.7", _SLOW, _run(_ALONE, (0, 1), 1, 1, 8, "1/16")),)
