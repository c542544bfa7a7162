"""Lemmas 9, 10 and 11 and sampling without replacement: rolling masks within an epoch.

t counts epochs and x is the start of epoch t; rounds within it are not projected. Lemma 10 is of
every outcome of an epoch: its quantities have one row per outcome, as those of clients have. Draws
without replacement are a run of their own: n vectors v_j of which m are drawn, the sheet's S and s;
t counts families of vectors.
"""

import sympy as sp

from fedbounds.facts import Fact
from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.language.claims import Claim, Condition, Part, Reading
from fedbounds.theory.language.symbols import K, L, eta, m, n, sigma2, t
from fedbounds.vocabulary import Index, Relation

from . import assumed
from .names import DRAWS, ROLLING
from .symbols import B_M2, D_br, S_sub, V_bar, a_bar2, g_Fp, nu_M2, zeta_M2
from .symbols_rounds import (
    A_all,
    A_part,
    A_sum,
    B_M2_x,
    Dr_2,
    Hz_2,
    Hz_x,
    P_out,
    Rc_2,
    Rs_2,
    Un_2,
    Us_2,
    delta_p,
    nu_own2,
    nu_v2,
)

# rounds within an epoch are not projected
UNPROJECTED = (assumed.EPOCH_PROJECTION,)
SHARED = (assumed.COVERAGE, assumed.SHARED_ORDER, *UNPROJECTED)
NOISY = (Fact.SMOOTH, Fact.NOISE)
CONVEX = (*NOISY, Fact.CONVEX)
_NOTHING = sp.Integer(0)


def short(bound: int) -> Condition:
    """eta S K L <= 1 / bound."""
    return Condition(eta * S_sub * K * L, "<=", sp.Rational(1, bound))


LEMMA_9 = Claim(
    entry("submodel/lem-9"),
    algorithms=(ROLLING,),
    parts=(
        # two vectors are equal if their distance is zero; their size shows that they are not
        Part(
            name="recursion",
            left=Rc_2(t) + Rs_2(t),
            right=Rs_2(t),
            relation=Relation.EQUAL,
            assumptions=UNPROJECTED,
        ),
        # of a symmetric matrix between 0 and L I, along w_s - x
        Part(
            name="H_s <= L",
            left=Hz_2(t),
            right=L * Hz_x(t),
            assumptions=(Fact.SMOOTH, Fact.CONVEX),
        ),
        Part(
            name="0 <= H_s",
            left=_NOTHING,
            right=Hz_x(t),
            assumptions=(Fact.CONVEX,),
        ),
    ),
)

LEMMA_10 = Claim(
    entry("submodel/lem-10"),
    algorithms=(ROLLING,),
    parts=(
        Part(
            name="norm",
            left=A_sum(t),
            right=A_all(t) + eta * K * L * A_part(t),
            index=Index.CLIENT,
            conditions=(Condition(eta * K * L, "<=", sp.Integer(1)),),
            assumptions=(Fact.SMOOTH, Fact.CONVEX, *SHARED),
        ),
        Part(
            name="unrolled",
            left=Un_2(t) + Us_2(t),
            right=Us_2(t),
            relation=Relation.EQUAL,
            assumptions=UNPROJECTED,
        ),
    ),
)

WITHOUT_REPLACEMENT = Claim(
    entry("submodel/lem-wor"),
    algorithms=(DRAWS,),
    parts=(
        Part(
            name="second moment",
            left=Dr_2(t),
            right=m * (n - m) / (n - 1) * nu_v2,
            relation=Relation.EQUAL,
            conditions=(Condition(n, ">=", sp.Integer(2)),),
        ),
        # the probability of the event that the cited inequality excludes
        Part(
            name="cited",
            left=P_out(t),
            right=delta_p,
            conditions=(Condition(delta_p, "<=", sp.Integer(1)),),
            trivial=sp.Integer(1),
        ),
    ),
    readings=(
        Reading("the second moment, which the proofs use", parts=("second moment",)),
        Reading("the inequality that the paper cites", parts=("cited",)),
    ),
)


def _noise() -> sp.Expr:
    return S_sub * K**2 / 2 * (1 + S_sub / n) * sigma2


def convex_brace(variance: sp.Expr) -> sp.Expr:
    """The terms of V_bar / eta^2, from the variance of the sub-models' gradients at x*."""
    third = sp.Rational(1, 3)
    return (
        (S_sub * K) ** 3 * L * D_br(t)
        + _noise()
        + 2 * third * K**3 * S_sub**3 * a_bar2
        + third * K**3 * S_sub * (S_sub + 1) * variance
        + 2 * third * S_sub * K**3 * zeta_M2
    )


def nonconvex_brace(dissimilarity: sp.Expr) -> sp.Expr:
    """The same without convexity, from the rolling dissimilarity."""
    return _noise() + sp.Rational(4, 3) * K**3 * S_sub**2 * (S_sub * g_Fp(t) + dissimilarity)


_CONVEX, _NONCONVEX = sp.Rational(41, 10) * eta**2, sp.Rational(31, 10) * eta**2


def _part(name: str, right: sp.Expr, bound: int, assumptions: tuple[str, ...]) -> Part:
    return Part(
        name=name,
        left=V_bar(t),
        right=right,
        conditions=(short(bound),),
        assumptions=assumptions,
    )


_OWN = (*CONVEX, assumed.COVERAGE, assumed.OWN_ORDERS, *UNPROJECTED)
LEMMA_11 = Claim(
    entry("submodel/lem-11"),
    algorithms=(ROLLING,),
    parts=(
        _part("convex", _CONVEX * convex_brace(nu_M2), 10, (*CONVEX, *SHARED)),
        _part("nonconvex", _NONCONVEX * nonconvex_brace(B_M2), 8, (*NOISY, *SHARED)),
        _part(
            "nonconvex, value at x", _NONCONVEX * nonconvex_brace(B_M2_x(t)), 8, (*NOISY, *SHARED)
        ),
        _part("convex, own permutations", _CONVEX * convex_brace(nu_own2), 10, _OWN),
    ),
)

CLAIMS = (LEMMA_9, LEMMA_10, WITHOUT_REPLACEMENT, LEMMA_11)
