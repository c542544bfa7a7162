"""Lemma 6 and Theorem 2: random masks, smooth clients.

nu2 and B2 are suprema over a set that contains the iterates; nu2_x and B2_x are their values at
w^t, which suffice in one round.
"""

import sympy as sp

from fedbounds.facts import Fact
from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.language.claims import Claim, Condition, Part
from fedbounds.theory.language.symbols import K, L, Mean_t, T, eta, n, sigma2, t
from fedbounds.vocabulary import Index, Relation

from .bounds import random_gradients, smooth_gradients
from .names import RANDOM
from .random_convex import NOISY, drift, short
from .symbols import B2, B2_x, H_x, L_Fp, Phi, V_bar, g_Fp, nu2, nu2_x
from .symbols_rounds import v_mean

AT_W = nu2_x(t), B2_x(t)
LEMMA_6 = Claim(
    entry("submodel/lem-6"),
    algorithms=(RANDOM,),
    parts=(
        Part(
            name="drift",
            left=V_bar(t),
            right=drift(nu2 + B2 + g_Fp(t)),
            conditions=(short(4),),
            assumptions=NOISY,
        ),
        Part(
            name="drift, values at w^t",
            left=V_bar(t),
            right=drift(sum(AT_W) + g_Fp(t)),
            conditions=(short(4),),
            assumptions=NOISY,
        ),
        Part(
            name="identity",
            left=H_x(t),
            right=nu2_x(t) + B2_x(t) + g_Fp(t),
            relation=Relation.EQUAL,
        ),
    ),
)

FREE = (*NOISY, Fact.UNCONSTRAINED)


def descended(variance: sp.Expr, dissimilarity: sp.Expr) -> sp.Expr:
    """The right side of one round, from mask variance and dissimilarity."""
    return (
        L_Fp(t)
        - eta * K / 4 * g_Fp(t)
        + 2 * eta**3 * K**3 * L**2 * (variance + dissimilarity)
        + 2 * eta**3 * K**2 * L**2 * sigma2
        + 3 * L * eta**2 / (2 * n) * (K**2 * variance + K * sigma2)
    )


def _part(name: str, left: sp.Expr, right: sp.Expr) -> Part:
    return Part(name=name, left=left, right=right, conditions=(short(8),), assumptions=FREE)


_A = eta * K * L
_VARIANCE = Condition(v_mean, "==", nu2 + sigma2 / K)
# eta K = sqrt(2 Phi N / (3 L R v)), squared
_ROOT = Condition(3 * L * T * v_mean * eta**2 * K**2, "==", 2 * n * Phi)
_TUNED = (
    32 * L * Phi / T
    + 2 * sp.sqrt(24 * L * Phi * v_mean / (n * T))
    + 16 * L * Phi * n / (3 * T) * (v_mean + B2) / v_mean
)


def _tuned(name: str, conditions: tuple[Condition, ...]) -> Part:
    return Part(
        name=name,
        left=Mean_t(g_Fp(t)),
        right=_TUNED,
        index=Index.RUN,
        conditions=(*conditions, _VARIANCE),
        assumptions=FREE,
        trivial=smooth_gradients(L_Fp(t)),
    )


THEOREM_2 = Claim(
    entry("submodel/thm-2"),
    algorithms=(RANDOM,),
    parts=(
        Part(
            name="mean",
            left=Mean_t(g_Fp(t)),
            right=random_gradients(T),
            index=Index.RUN,
            conditions=(short(8),),
            assumptions=FREE,
            trivial=smooth_gradients(L_Fp(t)),
        ),
        _part("round", L_Fp(t + 1), descended(nu2, B2)),
        _part("round, values at w^t", L_Fp(t + 1), descended(*AT_W)),
        Part(
            name="coefficient",
            left=-sp.Rational(1, 2) + sp.Rational(3, 2) * _A + 2 * _A**2,
            right=-sp.Rational(1, 4),
            index=Index.RUN,
            conditions=(short(8),),
            assumptions=(Fact.SMOOTH,),
        ),
        # eta K is the smaller of 1/(8L) and of the root
        _tuned(
            "tuned, 1/(8L)",
            (
                Condition(eta, "==", 1 / (8 * K * L)),
                Condition(3 * T * v_mean, "<=", 128 * n * L * Phi),
            ),
        ),
        _tuned("tuned, root", (_ROOT, short(8))),
    ),
)

CLAIMS = (LEMMA_6, THEOREM_2)
