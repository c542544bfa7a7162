"""Claims about a dependence on p or on the capacity, which grows from rung t to t + 1."""

import sympy as sp

from fedbounds.facts import Fact
from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.language.claims import Claim, Condition, Part, Reading
from fedbounds.theory.language.symbols import L, T, mu, sigma2, t
from fedbounds.vocabulary import Index

from . import assumed
from .bounds import STEEPEST
from .names import CAPACITY_LADDERS, COUPLED_LADDER, OBJECTIVE_LADDER
from .point_ladders import trends
from .symbols import (
    B2_fix,
    B2_sup,
    G,
    L_lim,
    L_r,
    R_p,
    W_sup,
    coupling2,
    dl_lim,
    dl_r,
    q_miss,
    var_slope,
    var_top,
    vr_all,
    vr_m,
    vr_s,
)

_STRONG = (Fact.SMOOTH, Fact.STRONGLY_CONVEX)
_EQUAL, _UNEQUAL = assumed.EQUAL_KEEP, assumed.UNEQUAL_KEEP
_BERNOULLI = (assumed.KEPT, assumed.BERNOULLI)


def rungs(
    name: str,
    left: sp.Expr,
    right: sp.Expr,
    *assumptions: str,
    conditions: tuple[Condition, ...] = (),
    algorithm: str = "",
    trivial: sp.Expr | None = None,
) -> Part:
    """A part that compares the rungs of a ladder."""
    return Part(
        name=name,
        left=left,
        right=right,
        index=Index.RUNG,
        conditions=conditions,
        assumptions=assumptions,
        algorithm=algorithm,
        trivial=trivial,
    )


_MATRICES = (
    *_STRONG,
    assumed.KEPT,
    assumed.BERNOULLI,
    Fact.QUADRATIC,
    _EQUAL,
    Fact.UNCONSTRAINED,
)
# what Theorem 1 asks for, of one keep probability
_OF_THEOREM_1 = (
    *_STRONG,
    assumed.KEPT,
    _EQUAL,
    assumed.BOUNDED_DOMAIN,
    assumed.BOUNDED_MASKED_GRADIENTS,
)
RESIDUAL = Claim(
    entry("submodel/claim-residual"),
    algorithms=OBJECTIVE_LADDER,
    parts=(
        rungs(
            "bounded",
            R_p(t),
            q_miss(t) * (G**2 + L**2 * W_sup**2) / (2 * mu),
            *_OF_THEOREM_1,
            trivial=STEEPEST,
        ),
        # F(w*(p)) - F(w*) <= L/2 ||w*(p) - w*||^2 with the closed form of the difference
        rungs("order", R_p(t), L / (2 * mu**2) * coupling2 * q_miss(t) ** 2, *_MATRICES),
        rungs("equal", R_p(t + 1), R_p(t), _EQUAL),
        rungs("unequal", R_p(t + 1), R_p(t), _UNEQUAL),
    ),
    readings=(
        Reading("at most a multiple of 1 - p, zero at p = 1", parts=("bounded",)),
        Reading("of order (1 - p)^2 for quadratics, zero at p = 1", parts=("order",)),
        Reading("harsher: no larger for any larger p, equal p_i", parts=("equal",)),
        Reading("harsher: no larger for any larger p_i, unequal p_i", parts=("unequal",)),
    ),
)

_HOW = (("equal", _EQUAL), ("unequal", _UNEQUAL))
_DISSIMILARITIES = (("at a fixed w", B2_fix), ("as a supremum over w", B2_sup))
DISSIMILARITY = Claim(
    entry("submodel/claim-def2"),
    algorithms=OBJECTIVE_LADDER,
    parts=tuple(
        rungs(f"{where}, {how}", number(t), number(t + 1), assumption)
        for where, number in _DISSIMILARITIES
        for how, assumption in _HOW
    ),
    readings=tuple(
        Reading(f"{where}, {how} p_i", parts=(f"{where}, {how}",))
        for where, _ in _DISSIMILARITIES
        for how, _ in _HOW
    ),
)

# Remark 3 names no order of size, Section 2.1 the end at p = 1; the sampling variance stays there.
# The masks' variance of quadratics is at most a multiple of 1 - p; the variance of all that is
# masked, a multiple of p
_VARIANCES = (("both", vr_all), ("masks", vr_m), ("sampling", vr_s))
VARIANCE = Claim(
    entry("submodel/claim-variance"),
    algorithms=OBJECTIVE_LADDER,
    parts=(
        *(rungs(f"{what}, grows", number(t), number(t + 1)) for what, number in _VARIANCES),
        rungs("masks, vanishes", vr_m(t), var_slope * q_miss(t), *_BERNOULLI, _EQUAL),
        rungs("both, in p", vr_all(t), var_top * (1 - q_miss(t)), *_BERNOULLI, _EQUAL),
    ),
    readings=(
        Reading("smaller for a smaller p (Remark 3): both", parts=("both, grows",)),
        Reading("small where p is near 1 (Section 2.1): masks", parts=("masks, vanishes",)),
        Reading("milder: at most a multiple of p: both", parts=("both, in p",)),
        Reading("smaller for a smaller p (Remark 3): masks", parts=("masks, grows",)),
        Reading("smaller for a smaller p (Remark 3): sampling", parts=("sampling, grows",)),
    ),
)


def _ends(name: str, left: sp.Expr, right: sp.Expr, *conditions: Condition) -> Part:
    """Of the first and of the last rung."""
    return Part(name=name, left=left, right=right, index=Index.RUNG, conditions=conditions)


_LAST = T - 1
_FULL_GRADIENTS = Condition(sigma2, "==", sp.Integer(0))
# sampling noise counts on every coordinate that is trained, and so grows with the capacity
CAPACITY = Claim(
    entry("submodel/claim-capacity"),
    algorithms=CAPACITY_LADDERS,
    parts=(
        _ends("limit, ends, full gradients", L_lim(_LAST), L_lim(0), _FULL_GRADIENTS),
        _ends("limit, ends", L_lim(_LAST), L_lim(0)),
        _ends("rounds, ends", L_r(_LAST), L_r(0)),
        rungs("rounds", L_r(t + 1), L_r(t)),
        rungs("limit", L_lim(t + 1), L_lim(t)),
    ),
    readings=(
        Reading(
            "largest against smallest as R grows, full gradients",
            parts=("limit, ends, full gradients",),
        ),
        Reading(
            "largest against smallest as R grows",
            parts=("limit, ends",),
        ),
        Reading(
            "largest against smallest after R rounds",
            parts=("rounds, ends",),
        ),
        Reading("harsher: any two, after R rounds", parts=("rounds",)),
        Reading("harsher: any two, as R grows", parts=("limit",)),
    ),
)

STABILITY = Claim(
    entry("submodel/claim-stability"),
    algorithms=COUPLED_LADDER,
    parts=(
        _ends("rounds, ends", dl_r(0), dl_r(_LAST)),
        _ends("limit, ends", dl_lim(0), dl_lim(_LAST)),
        rungs("rounds", dl_r(t), dl_r(t + 1)),
        rungs("limit", dl_lim(t), dl_lim(t + 1)),
    ),
    readings=(
        Reading(
            "least p against largest, after R rounds",
            parts=("rounds, ends",),
        ),
        Reading("least p against largest, as R grows", parts=("limit, ends",)),
        Reading("harsher: any two p, after R rounds", parts=("rounds",)),
        Reading("harsher: any two p, as R grows", parts=("limit",)),
    ),
)

CLAIMS = (RESIDUAL, DISSIMILARITY, VARIANCE, CAPACITY, STABILITY)

SHOWN = {
    claim.entry.id: trends(series)
    for claim, series in ((RESIDUAL, "R_p"), (VARIANCE, "vr_m"), (DISSIMILARITY, "B2_fix"))
}
