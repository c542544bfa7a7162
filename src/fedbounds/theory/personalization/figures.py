"""Figures 1 and 2 and Remark 4.7: how the steady state depends on gamma, m, K and b^2.

A ladder is a row of runs that differ in one parameter; t counts its rungs. The ladders in gamma
descend, all others ascend. The steady state P is the limit of G_u + (m/n) G_v, and the rate rho
the factor per round at which it is approached: larger is slower.
"""

from dataclasses import replace

import sympy as sp

from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.language.claims import AS_PRINTED, Claim, Condition, Part, Reading
from fedbounds.theory.language.symbols import K, L, b2, gamma, m, n, t, variance_u, variance_v
from fedbounds.theory.personalization.symbols import P, P_G_u, P_sum, rho
from fedbounds.vocabulary import Index, Relation

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


def _of_curves(first: Reading) -> tuple[Reading, ...]:
    """A reading, with P and with what else the curves may show: they do not say which gradients."""
    others = (("steady state of G_u only", P_G_u), ("steady state of G_u + G_v", P_sum))
    return (
        first,
        *(replace(first, name=name, substitute=_measured_by(curve)) for name, curve in others),
    )


READINGS = _of_curves(AS_PRINTED)

PARTLY = Condition(m, "<=", n - 1)
# section 5: "unless specified otherwise"
OWN_SETUP = tuple(Condition(x, "==", sp.Integer(y)) for x, y in ((n, 10), (m, 9), (K, 25)))
FULLY = Condition(m, "==", n)
NO_PERSONAL_NOISE = Condition(variance_v, "==", sp.Integer(0))
# how high "high gradient dissimilarity" is, the paper does not say: here, where the two theorems'
# steady-state terms, those of higher order in gamma left out, say that Scaffold-P's is smaller
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
    assumptions: tuple[str, ...],
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


def _in_gamma(claim: str, ladder: str, assumptions: tuple[str, ...]) -> Claim:
    return _claim(
        claim,
        _part("smaller", SMALLER, ladder, assumptions),
        _part("slower", SLOWER, ladder, assumptions),
    )


def _in_participants(claim: str, ladder: str, assumptions: tuple[str, ...]) -> Claim:
    return _claim(claim, _part("smaller", SMALLER, ladder, assumptions, (NO_PERSONAL_NOISE,)))


# a plot shows no influence of what moves a steady state by less than a tenth from rung to rung
_MOVED = sp.Rational(11, 10)
AS_PLOTTED = "K and b^2 move it by at most a tenth per rung, as a plot would show"
NEVER = "harsher: no influence at all"


def _unmoved(
    parameter: str, ladder: str, assumptions: tuple[str, ...], *conditions: Condition
) -> tuple[Part, ...]:
    """A steady state that a parameter does not move visibly; and, literally, not at all."""
    sides = {
        "does not raise it": (P(t + 1), _MOVED * P(t)),
        "does not lower it": (P(t), _MOVED * P(t + 1)),
    }
    trend = (
        _part(f"{parameter} {said}", pair, ladder, assumptions, conditions)
        for said, pair in sides.items()
    )
    literal = f"no influence of {parameter}"
    return (*trend, _part(literal, SMALLER, ladder, assumptions, conditions, Relation.EQUAL))


TREND = tuple(
    f"{parameter} does not {verb} it" for parameter in ("K", "b^2") for verb in ("raise", "lower")
)
LITERAL = tuple(f"no influence of {parameter}" for parameter in ("K", "b^2"))


def _literal(level: sp.Expr, theorem: str, *others: str) -> tuple[Reading, ...]:
    """The theorem's own level, which neither K nor b^2 enters; and what no plot can show."""
    parts = (*LITERAL, *others)
    return (
        Reading(
            f"it stays below the steady-state term of {theorem}, which has neither K nor b^2",
            relation=Relation.AT_MOST,
            substitute=((P(t), level),),
            parts=parts,
        ),
        Reading("harsher: K and b^2 never enlarge it", relation=Relation.AT_MOST, parts=parts),
        Reading(NEVER, parts=parts),
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

_PAIRED = ("below FedAvg-P", "below FedAvg-P, any clients", "below FedAvg-P, high dissimilarity")

FIGURE_2C = _claim(
    "fig-2c",
    _part("faster", FASTER, SCAFFOLD_K, FULL, (PARTLY,)),
    *_unmoved("K", SCAFFOLD_K, FULL, PARTLY),
    *_unmoved("b^2", SCAFFOLD_B2, FULL, PARTLY),
    # "Fig. 2c shows": of the paper's own set-up
    _part(_PAIRED[0], BELOW, PAIR, FULL, OWN_SETUP),
    _part(_PAIRED[1], BELOW, PAIR, FULL, (PARTLY,)),
    _part(_PAIRED[2], BELOW, PAIR, PARTIAL, (PARTLY, HIGH)),
    readings=(
        *_of_curves(Reading(AS_PLOTTED, parts=("faster", *TREND, _PAIRED[0]))),
        Reading(
            "below FedAvg-P for any m < n where dissimilarity is high, a condition of ours",
            parts=("faster", *TREND, _PAIRED[2]),
        ),
        Reading(
            "harsher: below FedAvg-P for any m < n, clients alike or not",
            parts=("faster", *TREND, _PAIRED[1]),
        ),
        *_literal(LEVEL_45, "Theorem 4.5", "faster", _PAIRED[0]),
    ),
)

FIGURE_1D = _claim(
    "fig-1d",
    *_unmoved("K", FEDAVG_K, FULL, FULLY),
    *_unmoved("b^2", FEDAVG_B2, FULL, FULLY),
    readings=(*_of_curves(Reading(AS_PLOTTED, parts=TREND)), *_literal(LEVEL_311, "Theorem 3.11")),
)

_ROBUST = ("b^2 does not raise it", "b^2 does not lower it")
_HIGHLY = ("smaller, high dissimilarity", "faster, high dissimilarity")

# "faster and more robust convergence compared to FedAvg-P, particularly in scenarios of high
# gradient dissimilarity"
REMARK_47 = _claim(
    "rem-4.7",
    _part(_HIGHLY[0], BELOW, PAIR, PARTIAL, (PARTLY, HIGH)),
    _part(_HIGHLY[1], FASTER, TUNED_PAIR, PARTIAL, (PARTLY, HIGH)),
    _part("smaller", BELOW, PAIR, FULL, (PARTLY,)),
    _part("faster", FASTER, TUNED_PAIR, FULL, (PARTLY,)),
    *_unmoved("b^2", SCAFFOLD_B2, PARTIAL, PARTLY),
    readings=(
        *_of_curves(
            Reading("where dissimilarity is high; how high is ours", parts=(*_HIGHLY, *_ROBUST))
        ),
        Reading(
            "harsher: whatever the dissimilarity, even none to speak of",
            parts=("smaller", "faster", *_ROBUST),
        ),
        Reading(NEVER, parts=(*_HIGHLY, LITERAL[1])),
    ),
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
