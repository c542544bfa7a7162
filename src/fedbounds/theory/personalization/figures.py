"""Figures 1 and 2 and Remark 4.7: how the steady state depends on gamma, m, K and b^2.

A ladder is a row of runs that differ in one parameter; t counts its rungs. The ladders in gamma
descend, all others ascend. The steady state P is the limit of G_u + (m/n) G_v, and the rate rho
the factor per round at which it is approached: larger is slower.
"""

import sympy as sp

from fedbounds.theory.catalogue import entry
from fedbounds.theory.claims import AS_PRINTED, Claim, Condition, Part, Reading
from fedbounds.theory.symbols import (
    K,
    L,
    P,
    P_G_u,
    P_sum,
    b2,
    gamma,
    m,
    n,
    rho,
    t,
    variance_u,
    variance_v,
)
from fedbounds.vocabulary import Assumption, Index, Relation

from .theorems import FULL, PARTIAL

FEDAVG_GAMMA, SCAFFOLD_GAMMA = (f"{a} ladder in gamma" for a in ("FedAvg-P", "Scaffold-P"))
FEDAVG_M, SCAFFOLD_M = (f"{a} ladder in m" for a in ("FedAvg-P", "Scaffold-P"))
FEDAVG_K, SCAFFOLD_K = (f"{a} ladder in K" for a in ("FedAvg-P", "Scaffold-P"))
FEDAVG_B2, SCAFFOLD_B2 = (f"{a} ladder in b^2" for a in ("FedAvg-P", "Scaffold-P"))
PAIR = "FedAvg-P to Scaffold-P ladder in algorithm"
# FedAvg-P's step is cut until its steady state is about as small as Scaffold-P's, not smaller
TUNED_PAIR = "FedAvg-P to Scaffold-P ladder in algorithm at equal steady state"


def _measured_by(quantity: type[sp.Function]) -> tuple[tuple[sp.Expr, sp.Expr], ...]:
    return tuple((P(rung), quantity(rung)) for rung in (t, t + 1, sp.Integer(0), sp.Integer(1)))


# the curves do not say which gradients they show
SHARED_ONLY = Reading("steady state of G_u only", substitute=_measured_by(P_G_u))
UNWEIGHTED = Reading("steady state of G_u + G_v", substitute=_measured_by(P_sum))
READINGS = (AS_PRINTED, SHARED_ONLY, UNWEIGHTED)

PARTLY = Condition(m, "<=", n - 1)
FULLY = Condition(m, "==", n)
NO_PERSONAL_NOISE = Condition(variance_v, "==", sp.Integer(0))
# gradient dissimilarity is high where the two theorems' steady-state terms themselves say that
# Scaffold-P's is smaller, those of higher order in gamma left out
HIGH = Condition(48 * (n - m) * K * b2, ">=", (148 - 12) * (n * variance_u + m**2 * variance_v))


SMALLER = (P(t + 1), P(t))
LARGER = (P(t), P(t + 1))
FASTER = (rho(t + 1), rho(t))
SLOWER = (rho(t), rho(t + 1))
BELOW = (P(1), P(0))  # of two algorithms, the second is the smaller


def _part(
    name: str,
    sides: tuple[sp.Expr, sp.Expr],
    ladder: str,
    assumptions: tuple[Assumption, ...],
    conditions: tuple[Condition, ...] = (),
    relation: Relation = Relation.AT_MOST,
) -> Part:
    return Part(
        name=name,
        left=sides[0],
        right=sides[1],
        relation=relation,
        index=Index.RUNG,
        conditions=conditions,
        assumptions=assumptions,
        algorithm=ladder,
    )


def _claim(claim: str, *parts: Part, readings: tuple[Reading, ...] = READINGS) -> Claim:
    ladders = tuple(dict.fromkeys(part.algorithm for part in parts))
    return Claim(entry(f"personalization/{claim}"), ladders, parts, readings)


def _in_gamma(claim: str, ladder: str, assumptions: tuple[Assumption, ...]) -> Claim:
    return _claim(
        claim,
        _part("smaller", SMALLER, ladder, assumptions),
        _part("slower", SLOWER, ladder, assumptions),
    )


def _in_participants(claim: str, ladder: str, assumptions: tuple[Assumption, ...]) -> Claim:
    return _claim(claim, _part("smaller", SMALLER, ladder, assumptions, (NO_PERSONAL_NOISE,)))


def _without_influence(level: sp.Expr, theorem: str) -> tuple[Reading, ...]:
    """Weaker readings of a steady state that K and b^2 do not influence."""
    return (
        Reading("K and b^2 do not enlarge it", relation=Relation.AT_MOST),
        Reading(
            "K and b^2 do not enlarge it by more than a tenth per rung, as curves would show",
            relation=Relation.AT_MOST,
            substitute=((P(t), sp.Rational(11, 10) * P(t)),),
        ),
        Reading(
            f"it stays below the steady-state term of {theorem}, which has neither K nor b^2",
            relation=Relation.AT_MOST,
            substitute=((P(t), level),),
        ),
    )


LEVEL_311 = 44 * L * (variance_u / n + variance_v) * gamma
LEVEL_45 = 148 * (variance_u / m + m * variance_v / n) * L * gamma

FIGURE_1A = _in_gamma("fig-1a", FEDAVG_GAMMA, PARTIAL)
FIGURE_2A = _in_gamma("fig-2a", SCAFFOLD_GAMMA, FULL)
FIGURE_1B = _in_participants("fig-1b", FEDAVG_M, PARTIAL)
FIGURE_2B = _in_participants("fig-2b", SCAFFOLD_M, FULL)

FIGURE_1C = _claim(
    "fig-1c",
    _part("faster", FASTER, FEDAVG_K, PARTIAL, (PARTLY,)),
    _part("larger", LARGER, FEDAVG_K, PARTIAL, (PARTLY,)),
    # "due to the term" in b^2: it grows with it
    _part("larger with b^2", LARGER, FEDAVG_B2, PARTIAL, (PARTLY,)),
)

FIGURE_2C = _claim(
    "fig-2c",
    _part("faster", FASTER, SCAFFOLD_K, FULL, (PARTLY,)),
    _part("no influence of K", SMALLER, SCAFFOLD_K, FULL, (PARTLY,), Relation.EQUAL),
    _part("no influence of b^2", SMALLER, SCAFFOLD_B2, FULL, (PARTLY,), Relation.EQUAL),
    _part("below FedAvg-P", BELOW, PAIR, PARTIAL, (PARTLY, HIGH)),
    readings=(*READINGS, *_without_influence(LEVEL_45, "Theorem 4.5")),
)

FIGURE_1D = _claim(
    "fig-1d",
    _part("no influence of K", SMALLER, FEDAVG_K, FULL, (FULLY,), Relation.EQUAL),
    _part("no influence of b^2", SMALLER, FEDAVG_B2, FULL, (FULLY,), Relation.EQUAL),
    readings=(*READINGS, *_without_influence(LEVEL_311, "Theorem 3.11")),
)

REMARK_47 = _claim(
    "rem-4.7",
    _part("smaller", BELOW, PAIR, PARTIAL, (PARTLY, HIGH)),
    _part("faster", FASTER, TUNED_PAIR, PARTIAL, (PARTLY, HIGH)),
    _part("robust", SMALLER, SCAFFOLD_B2, PARTIAL, (PARTLY,), Relation.EQUAL),
)

CLAIMS = (
    FIGURE_1A,
    FIGURE_2A,
    FIGURE_1B,
    FIGURE_2B,
    FIGURE_1C,
    FIGURE_2C,
    FIGURE_1D,
    REMARK_47,
)
