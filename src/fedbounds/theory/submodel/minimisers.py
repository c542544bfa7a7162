"""Lemmas 2, 3, 7 and 8: minimisers of masked objectives, and what they lose.

Distances and gradients are squared on both sides. F_p is one pair of mask laws per case.
"""

import sympy as sp

from fedbounds.facts import Fact
from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.language.claims import Claim, Condition, Part
from fedbounds.theory.language.symbols import L, mu, n, t
from fedbounds.vocabulary import Index, Relation

from . import assumed
from .bounds import FARTHEST, STEEPEST
from .gaps import BERNOULLI, BOTH_GRADIENTS, full_gap
from .names import OBJECTIVE
from .symbols import (
    D_full,
    D_opt,
    Dl_w,
    G,
    L_hat,
    W_sup,
    closed_err,
    dim,
    full_dist,
    gap_at_1,
    gap_at_2,
    gap_full_at_1,
    gap_full_at_p,
    mask_dist,
    opt_dist,
    opt_size,
    p,
    p_2,
    p_dist,
    p_dist_2,
    p_mean,
    p_mean_2,
    q_mean,
    q_mean_2,
    q_spread,
    residual,
    residual_2,
    shift_err,
    spectral,
)

_STRONG = (Fact.STRONGLY_CONVEX,)
_KEPT = (*_STRONG, assumed.KEPT)
_COVERED = (*_STRONG, assumed.COVERAGE)
_BOUNDED = (
    Fact.SMOOTH,
    assumed.BOUNDED_DOMAIN,
    assumed.BOUNDED_MASKED_GRADIENTS,
)


def _of_pair(
    name: str,
    left: sp.Expr,
    right: sp.Expr,
    assumptions: tuple[str, ...],
    conditions: tuple[Condition, ...] = (),
    relation: Relation = Relation.AT_MOST,
    trivial: sp.Expr | None = None,
) -> Part:
    return Part(
        name=name,
        left=left,
        right=right,
        relation=relation,
        index=Index.RUN,
        conditions=conditions,
        assumptions=assumptions,
        trivial=FARTHEST if left in (opt_dist, full_dist) else trivial,  # of two points of W
    )


# dimension-dependent and Lipschitz: (b) and (c) of the auxiliary lemma
KAPPA_W = sp.Min(G + L * (1 + sp.sqrt(dim)) * W_sup, 2 * G * dim) / (mu * sp.Max(p_mean, p_mean_2))

LEMMA_2 = Claim(
    entry("submodel/lem-2"),
    algorithms=OBJECTIVE,
    parts=(
        _of_pair("gap at w*(p')", opt_dist, gap_at_2 / (mu * p_mean) ** 2, _KEPT),
        _of_pair("gap at w*(p)", opt_dist, gap_at_1 / (mu * p_mean_2) ** 2, _KEPT),
        _of_pair(
            "Lipschitz",
            opt_dist,
            (KAPPA_W * p_dist) ** 2,
            (*_STRONG, *BERNOULLI, *_BOUNDED),
        ),
        _of_pair("norms of p", p_dist**2, p_dist_2 / n, ()),
        _of_pair("full, gap at w*(p)", full_dist, gap_full_at_p / mu**2, _KEPT),
        _of_pair("full, gap at w*", full_dist, gap_full_at_1 / (mu * p_mean) ** 2, _KEPT),
    ),
)

_EXACT = (
    *_STRONG,
    *BERNOULLI,
    Fact.QUADRATIC,
    assumed.EQUAL_KEEP,
    Fact.UNCONSTRAINED,
)
# the matrix of "shift" is invertible: no residual exactly if (A - diag A) w* = 0
LEMMA_2_QUAD = Claim(
    entry("submodel/lem-2-quad"),
    algorithms=OBJECTIVE,
    parts=(
        _of_pair("closed form", closed_err + opt_size, opt_size, _EXACT, (), Relation.EQUAL),
        _of_pair("shift", shift_err + opt_size, opt_size, _EXACT, (), Relation.EQUAL),
        _of_pair("residual", residual, spectral, _EXACT, (), Relation.EQUAL),
        _of_pair("monotone", residual_2, residual, _EXACT, (Condition(p_2, ">=", p),)),
    ),
)


def _optimality_gap(masks: str) -> tuple[Part, Part]:
    own = Dl_w(t) / (2 * L)
    return (
        Part(
            name="convex",
            left=L_hat(t),
            right=L / 2 * D_full(t) + own,
            assumptions=(Fact.SMOOTH, Fact.CONVEX, masks),
            trivial=STEEPEST,
        ),
        Part(
            name="strongly convex",
            left=L_hat(t),
            right=L * D_opt(t) + L / mu**2 * gap_full_at_p + own,
            assumptions=(Fact.SMOOTH, *_STRONG, masks),
            trivial=STEEPEST,
        ),
    )


LEMMA_3 = Claim(
    entry("submodel/lem-3"),
    algorithms=OBJECTIVE,
    parts=_optimality_gap(assumed.KEPT),
)

_LARGEST = sp.Max(q_mean, q_mean_2)
_GAP = sp.Max(gap_at_1, gap_at_2)
_MOVED = (G + L * W_sup) * mask_dist
LEMMA_7 = Claim(
    entry("submodel/lem-7"),
    algorithms=OBJECTIVE,
    parts=(
        _of_pair("largest gap", opt_dist, _GAP / (mu * _LARGEST) ** 2, _COVERED),
        _of_pair("masks", _GAP, _MOVED**2, (assumed.COVERAGE, *_BOUNDED), trivial=(2 * G) ** 2),
        _of_pair("Lipschitz", opt_dist, (_MOVED / (mu * _LARGEST)) ** 2, (*_COVERED, *_BOUNDED)),
        _of_pair("full, gap at w*(M)", full_dist, gap_full_at_p / mu**2, _COVERED),
        Part(
            name="gap to full masks",
            left=sp.sqrt(Dl_w(t)),
            right=full_gap(q_spread),
            assumptions=(Fact.SMOOTH, assumed.COVERAGE),
            trivial=BOTH_GRADIENTS,
        ),
    ),
)

LEMMA_8 = Claim(
    entry("submodel/lem-8"),
    algorithms=OBJECTIVE,
    parts=_optimality_gap(assumed.COVERAGE),
)

CLAIMS = (LEMMA_2, LEMMA_2_QUAD, LEMMA_3, LEMMA_7, LEMMA_8)
