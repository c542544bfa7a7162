"""Theorems 3 and 4: rolling masks over epochs. t counts epochs, T is their number E."""

import sympy as sp

from fedbounds.facts import Fact
from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.language.claims import Claim, Condition, Part, Reading
from fedbounds.theory.language.symbols import K, L, Mean_t, T, eta, mu, n, sigma2, t
from fedbounds.vocabulary import Index

from . import assumed
from .bounds import FARTHEST, ROLLING_FLOOR, STEEPEST, smooth_gradients
from .names import ROLLING
from .rolling_lemmas import CONVEX, NOISY, SHARED, short
from .symbols import (
    B_M2,
    D_br,
    D_opt,
    Dl_w,
    G,
    L_Fp,
    L_hat,
    Phi,
    S_sub,
    W_sup,
    a_bar2,
    g_Fp,
    gap_full_at_p,
    nu_M2,
    q_mean,
    q_spread,
    zeta_M2,
)
from .symbols_rounds import B_M2_x

STRONG = (*CONVEX, Fact.STRONGLY_CONVEX, *SHARED)
PROJECTED = (*CONVEX, *SHARED)
BOUNDED = (assumed.BOUNDED_DOMAIN, assumed.BOUNDED_MASKED_GRADIENTS)
STEPS = S_sub * K
SHRINKS = eta * STEPS * mu * q_mean / 2
ADDED = 3 * eta**2 * STEPS * sigma2 / n + eta**3 * L * S_sub * K**2 * (
    3 * sigma2 * (1 + S_sub / n)
    + 4 * K * S_sub**2 * a_bar2
    + 2 * K * (S_sub + 1) * nu_M2
    + 4 * K * zeta_M2
)
# the bound on Delta(M, 1; w) over the domain
ROLLING_GAP_BOUND = (1 - q_mean) * G + L * q_spread * W_sup
_SQUARED_STEP = eta**2 * L * K**2 / (mu * q_mean) * (4 * (S_sub + 1) * nu_M2 + 8 * zeta_M2)

_B = eta * S_sub * K * L


def _strong(
    name: str,
    left: sp.Expr,
    right: sp.Expr,
    *more: Condition,
    trivial: sp.Expr | None = None,
) -> Part:
    return Part(
        name=name,
        left=left,
        right=right,
        conditions=(short(10), *more),
        assumptions=STRONG,
        trivial=trivial,
    )


THEOREM_3 = Claim(
    entry("submodel/thm-3"),
    algorithms=(ROLLING,),
    parts=(
        # after any number t of epochs
        _strong(
            "distance",
            D_opt(t),
            (1 - SHRINKS) ** t * D_opt(0) + ROLLING_FLOOR,
            trivial=FARTHEST,
        ),
        _strong("epoch", D_opt(t + 1), (1 - SHRINKS) * D_opt(t) + ADDED),
        Part(
            name="gap",
            left=L_hat(t),
            right=L * D_opt(t) + (L / mu**2 + 1 / (2 * L)) * ROLLING_GAP_BOUND**2,
            conditions=(short(10),),
            assumptions=(*STRONG, *BOUNDED),
            trivial=STEEPEST,
        ),
        _strong(
            "gap, sharper",
            L_hat(t),
            L * D_opt(t) + L / mu**2 * gap_full_at_p + Dl_w(t) / (2 * L),
            trivial=STEEPEST,
        ),
        Part(
            name="coefficient",
            left=eta * STEPS * (-2 + 6 * _B + sp.Rational(27, 5) * _B**2),
            right=-eta * STEPS,
            index=Index.RUN,
            conditions=(short(10),),
            assumptions=(Fact.SMOOTH,),
        ),
        Part(
            name="epoch, Bregman gap",
            left=D_opt(t + 1),
            right=D_opt(t) - eta * STEPS * D_br(t) + ADDED,
            conditions=(short(10),),
            assumptions=PROJECTED,
        ),
        # full gradients and an interior optimum: what is left is of the order of eta^2
        _strong(
            "sigma = 0, interior optimum",
            D_opt(t),
            (1 - SHRINKS) ** t * D_opt(0) + _SQUARED_STEP,
            Condition(sigma2, "==", sp.Integer(0)),
            Condition(a_bar2, "==", sp.Integer(0)),
            trivial=FARTHEST,
        ),
    ),
)

FREE = (*NOISY, *SHARED, Fact.UNCONSTRAINED)


def descended(dissimilarity: sp.Expr, noise: sp.Expr, own: sp.Expr) -> sp.Expr:
    """The right side of one epoch; ``noise`` and ``own`` are its constants."""
    return (
        L_Fp(t)
        - eta * STEPS / 4 * g_Fp(t)
        + 3 * L * eta**2 * STEPS * sigma2 / (2 * n)
        + eta**3
        * L**2
        * (noise * S_sub * K**2 * (1 + S_sub / n) * sigma2 + own * K**3 * S_sub**2 * dissimilarity)
    )


PRINTED = sp.Rational(27, 25), sp.Rational(29, 10)


def gradients(noise: sp.Expr, own: sp.Expr) -> sp.Expr:
    """The bound on the mean; ``noise`` and ``own`` are its constants."""
    return (
        4 * Phi / (eta * STEPS * T)
        + 6 * eta * L * sigma2 / n
        + eta**2 * L**2 * (noise * K * sigma2 * (1 + S_sub / n) + own * K**2 * S_sub * B_M2)
    )


def _mean(name: str, noise: sp.Expr, own: sp.Expr) -> Part:
    return Part(
        name=name,
        left=Mean_t(g_Fp(t)),
        right=gradients(noise, own),
        index=Index.RUN,
        conditions=(short(8),),
        assumptions=FREE,
        trivial=smooth_gradients(L_Fp(t)),
    )


def _free(name: str, right: sp.Expr) -> Part:
    return Part(name=name, left=L_Fp(t + 1), right=right, conditions=(short(8),), assumptions=FREE)


THEOREM_4 = Claim(
    entry("submodel/thm-4"),
    algorithms=(ROLLING,),
    parts=(
        _mean("mean", sp.Rational(43, 10), sp.Integer(12)),
        _free("epoch", descended(B_M2, *PRINTED)),
        _free("epoch, value at x", descended(B_M2_x(t), *PRINTED)),
        Part(
            name="coefficient",
            left=-sp.Rational(1, 2) + sp.Rational(3, 2) * _B + PRINTED[1] * _B**2,
            right=-sp.Rational(1, 4),
            index=Index.RUN,
            conditions=(short(8),),
            assumptions=(Fact.SMOOTH,),
        ),
        _mean("mean, of the epoch", 4 * PRINTED[0], 4 * PRINTED[1]),
    ),
    readings=(
        Reading("as printed", parts=("mean", "epoch", "epoch, value at x", "coefficient")),
        Reading("the mean with the constants of the epoch", parts=("mean, of the epoch",)),
    ),
)

CLAIMS = (THEOREM_3, THEOREM_4)
