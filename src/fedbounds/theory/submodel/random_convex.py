"""Lemmas 5 and 4 and Theorem 1: random masks, convex and strongly convex clients.

x = w^t and x* = w*(p). Expectations are over everything up to the round and in it.
"""

import sympy as sp

from fedbounds.facts import Fact
from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.language.claims import Claim, Condition, Part
from fedbounds.theory.language.symbols import K, L, T, eta, mu, n, sigma2, t
from fedbounds.vocabulary import Index

from . import assumed
from .bounds import FARTHEST, MASK_GAP_BOUND, RANDOM_FLOOR, STEEPEST
from .names import RANDOM
from .symbols import (
    D_br,
    D_opt,
    Dl_w,
    H_x,
    L_hat,
    V_bar,
    gap_full_at_p,
    nu_star2,
    p_mean,
    zeta_star2,
)
from .symbols_rounds import U_2, X_U, log_T

NOISY = (Fact.SMOOTH, Fact.NOISE)
CONVEX = (*NOISY, Fact.CONVEX)
# strong convexity contains convexity; both are named, as Lemma 5 asks for the latter only
STRONG = (*CONVEX, Fact.STRONGLY_CONVEX, assumed.KEPT)
BOUNDED = (assumed.BOUNDED_DOMAIN, assumed.BOUNDED_MASKED_GRADIENTS)


def short(bound: int) -> Condition:
    """eta K L <= 1 / bound."""
    return Condition(eta * K * L, "<=", sp.Rational(1, bound))


def drift(gradients: sp.Expr) -> sp.Expr:
    """The bound on V_bar, from a bound on H."""
    return 2 * eta**2 * K**3 * gradients + 2 * eta**2 * K**2 * sigma2


_H_BOUND = 4 * L * D_br(t) + 2 * zeta_star2
LEMMA_5 = Claim(
    entry("submodel/lem-5"),
    algorithms=(RANDOM,),
    parts=(
        Part(
            name="drift",
            left=V_bar(t),
            right=drift(H_x(t)),
            conditions=(short(4),),
            assumptions=NOISY,
        ),
        Part(
            name="gradients",
            left=H_x(t),
            right=_H_BOUND,
            assumptions=(Fact.SMOOTH, Fact.CONVEX),
        ),
        Part(
            name="together",
            left=V_bar(t),
            right=8 * L * eta**2 * K**3 * D_br(t)
            + 4 * eta**2 * K**3 * zeta_star2
            + 2 * eta**2 * K**2 * sigma2,
            conditions=(short(4),),
            assumptions=CONVEX,
        ),
    ),
)

ADDED = (
    4 * eta**2 * K * (sigma2 + K * nu_star2) / n
    + 6 * eta**3 * K**3 * L * zeta_star2
    + 3 * eta**3 * K**2 * L * sigma2
)
SHRINKS = eta * K * mu * p_mean / 2
_A = eta * K * L
LEMMA_4 = Claim(
    entry("submodel/lem-4"),
    algorithms=(RANDOM,),
    parts=(
        Part(
            name="round",
            left=D_opt(t + 1),
            right=(1 - SHRINKS) * D_opt(t) + ADDED,
            conditions=(short(10),),
            assumptions=STRONG,
        ),
        Part(
            name="i",
            left=K * D_br(t) - L / 2 * V_bar(t),
            right=X_U(t),
            assumptions=CONVEX,
        ),
        Part(
            name="ii",
            left=U_2(t),
            right=4
            * (K * sigma2 / n + K * L**2 * V_bar(t) + 2 * L * K**2 * D_br(t) + K**2 * nu_star2 / n),
            assumptions=CONVEX,
        ),
        Part(
            name="iii, coefficient",
            left=eta * K * (-2 + 8 * _A + sp.Rational(56, 5) * _A**2),
            right=-eta * K,
            index=Index.RUN,
            conditions=(short(10),),
            assumptions=(Fact.SMOOTH,),
        ),
        Part(
            name="iii",
            left=D_opt(t + 1),
            right=D_opt(t) - eta * K * D_br(t) + ADDED,
            conditions=(short(10),),
            assumptions=CONVEX,
        ),
    ),
)

# eta K = 2 ln R / (mu pbar R) <= 1/(10 L)
TUNED = (Condition(eta * K, "==", 2 * log_T / (mu * p_mean * T)), short(10))
THEOREM_1 = Claim(
    entry("submodel/thm-1"),
    algorithms=(RANDOM,),
    parts=(
        # after any number t of rounds, R among them
        Part(
            name="distance",
            left=D_opt(t),
            right=(1 - SHRINKS) ** t * D_opt(0) + RANDOM_FLOOR,
            conditions=(short(10),),
            assumptions=STRONG,
            trivial=FARTHEST,
        ),
        Part(
            name="gap",
            left=L_hat(t),
            right=L * D_opt(t) + (L / mu**2 + 1 / (2 * L)) * MASK_GAP_BOUND**2,
            conditions=(short(10),),
            assumptions=(*STRONG, *BOUNDED),
            trivial=STEEPEST,
        ),
        Part(
            name="gap, sharper",
            left=L_hat(t),
            right=L * D_opt(t) + L / mu**2 * gap_full_at_p + Dl_w(t) / (2 * L),
            conditions=(short(10),),
            assumptions=STRONG,
            trivial=STEEPEST,
        ),
        Part(
            name="rate",
            left=D_opt(T),
            right=D_opt(0) / T
            + 16 * log_T / (mu**2 * p_mean**2 * n * T) * (sigma2 / K + nu_star2)
            + 48 * log_T**2 / (mu**3 * p_mean**3 * T**2) * L * (zeta_star2 + sigma2 / (2 * K)),
            index=Index.RUN,
            conditions=TUNED,
            assumptions=STRONG,
            trivial=FARTHEST,
        ),
    ),
)

CLAIMS = (LEMMA_5, LEMMA_4, THEOREM_1)
