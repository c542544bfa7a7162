"""Claims about a dependence, over rungs of a ladder: p, K or R grows from rung t to t + 1."""

import sympy as sp

from fedbounds.theory.catalogue import entry
from fedbounds.theory.claims import Claim, Condition, Part, Reading
from fedbounds.theory.symbols import L, mu, t
from fedbounds.vocabulary import Assumption, Index

from .bounds import RATE_CONSTANT
from .names import (
    CAPACITY_LADDERS,
    COUPLED_LADDER,
    OBJECTIVE_LADDER,
    ROUNDS_LADDER,
    STEPS_LADDER,
)
from .symbols import (
    A_r,
    B2_fix,
    B2_sup,
    D_r,
    G_lead,
    K_r,
    L_lim,
    L_r,
    R_p,
    coupling2,
    dl_lim,
    dl_r,
    gap_full_at_p,
    ln2_r,
    p_mean,
    q_miss,
    var_slope,
    vr_all,
    vr_m,
    vr_s,
)
from .symbols_rounds import R_least, log_R

_STRONG = (Assumption.SMOOTH, Assumption.STRONGLY_CONVEX)
_EQUAL, _UNEQUAL = Assumption.EQUAL_KEEP, Assumption.UNEQUAL_KEEP
_BERNOULLI = (Assumption.KEPT, Assumption.BERNOULLI)


def _rungs(
    name: str,
    left: sp.Expr,
    right: sp.Expr,
    *assumptions: Assumption,
    conditions: tuple[Condition, ...] = (),
) -> Part:
    return Part(
        name=name,
        left=left,
        right=right,
        index=Index.RUNG,
        conditions=conditions,
        assumptions=assumptions,
    )


# A rate is one of large R: 1 <= ln R, and Theorem 1's step size eta K = 2 ln R / (mu pbar R) is at
# most 1/(10 L) on the shortest rung; ln R / R falls from there on
LONG = (Condition(R_least, ">=", sp.Integer(3)),)
RATED = (*LONG, Condition(20 * L * log_R, "<=", mu * p_mean * R_least))
_RATE = RATE_CONSTANT * ln2_r(t)
_ASSUMED = (*_STRONG, Assumption.NOISE, *_BERNOULLI)
RATE = Claim(
    entry("submodel/claim-rate"),
    algorithms=ROUNDS_LADDER,
    parts=(
        _rungs("distance", D_r(t), _RATE, *_ASSUMED, conditions=RATED),
        # grad F_p(w*(p)) = 0, so that the gap of gradients there is grad F
        _rungs(
            "residual",
            A_r(t),
            sp.sqrt(gap_full_at_p * _RATE) + L / 2 * _RATE,
            *_ASSUMED,
            Assumption.UNCONSTRAINED,
            conditions=RATED,
        ),
    ),
    readings=(
        Reading("E ||w^R - w*(p)||^2 is O((ln R)^2/R)", parts=("distance",)),
        Reading("E F(w^R) tends to F(w*(p))", parts=("residual",)),
    ),
)

_MATRICES = (
    *_STRONG,
    Assumption.KEPT,
    Assumption.BERNOULLI,
    Assumption.QUADRATIC,
    _EQUAL,
    Assumption.UNCONSTRAINED,
)
RESIDUAL = Claim(
    entry("submodel/claim-residual"),
    algorithms=OBJECTIVE_LADDER,
    parts=(
        _rungs("equal", R_p(t + 1), R_p(t), _EQUAL),
        _rungs("unequal", R_p(t + 1), R_p(t), _UNEQUAL),
        # F(w*(p)) - F(w*) <= L/2 ||w*(p) - w*||^2 with the closed form of the difference
        _rungs("order", R_p(t), L / (2 * mu**2) * coupling2 * q_miss(t) ** 2, *_MATRICES),
    ),
    readings=(
        Reading("no larger for a larger p, equal p_i", parts=("equal",)),
        Reading("no larger for larger p_i, unequal p_i", parts=("unequal",)),
        Reading("of order (1 - p)^2 for quadratics, zero at p = 1", parts=("order",)),
    ),
)

_HOW = (("equal", _EQUAL), ("unequal", _UNEQUAL))
_DISSIMILARITIES = (("at a fixed w", B2_fix), ("as a supremum over w", B2_sup))
DISSIMILARITY = Claim(
    entry("submodel/claim-def2"),
    algorithms=OBJECTIVE_LADDER,
    parts=tuple(
        _rungs(f"{where}, {how}", number(t), number(t + 1), assumption)
        for where, number in _DISSIMILARITIES
        for how, assumption in _HOW
    ),
    readings=tuple(
        Reading(f"{where}, {how} p_i", parts=(f"{where}, {how}",))
        for where, _ in _DISSIMILARITIES
        for how, _ in _HOW
    ),
)

_VARIANCES = (("both", vr_all), ("masks", vr_m), ("sampling", vr_s))
# a multiple of 1 - p that bounds the mask variance of quadratics; the sampling variance is whatever
# the samples make it
_VARIANCE_PARTS = tuple(
    part
    for what, number in _VARIANCES
    for part in (
        _rungs(f"{what}, vanishes", number(t), var_slope * q_miss(t), *_BERNOULLI, _EQUAL),
        _rungs(f"{what}, grows", number(t), number(t + 1)),
    )
)
_WORDS = {
    "vanishes": "at most C (1 - p)",
    "grows": "smaller for a smaller p (Remark 3)",
}
VARIANCE = Claim(
    entry("submodel/claim-variance"),
    algorithms=OBJECTIVE_LADDER,
    parts=_VARIANCE_PARTS,
    readings=tuple(
        Reading(f"{_WORDS[how]}: {what}", parts=(f"{what}, {how}",))
        for how in _WORDS
        for what, _ in _VARIANCES
    ),
)

# at a fixed eta K and without sampling noise, the error of full models falls as 1/K
SPEEDUP = Claim(
    entry("submodel/claim-K-speedup"),
    algorithms=STEPS_LADDER,
    parts=(_rungs("", K_r(t + 1) * G_lead(t + 1), K_r(t) * G_lead(t)),),
)

CAPACITY = Claim(
    entry("submodel/claim-capacity"),
    algorithms=CAPACITY_LADDERS,
    parts=(
        _rungs("rounds", L_r(t + 1), L_r(t)),
        _rungs("limit", L_lim(t + 1), L_lim(t)),
    ),
    readings=(
        Reading("after a common number of rounds", parts=("rounds",)),
        Reading("as the number of rounds grows", parts=("limit",)),
    ),
)

STABILITY = Claim(
    entry("submodel/claim-stability"),
    algorithms=COUPLED_LADDER,
    parts=(
        _rungs("rounds", dl_r(t), dl_r(t + 1)),
        _rungs("limit", dl_lim(t), dl_lim(t + 1)),
    ),
    readings=(
        Reading("after a common number of rounds", parts=("rounds",)),
        Reading("as the number of rounds grows", parts=("limit",)),
    ),
)

CLAIMS = (RATE, RESIDUAL, DISSIMILARITY, VARIANCE, SPEEDUP, CAPACITY, STABILITY)
