"""Displays in the proofs of Theorems 3.7 and 3.11.

A display holds under the assumptions of its theorem, and under the conditions that its own
sentence names; where it names none, under those of the theorem.
"""

import sympy as sp

from fedbounds.facts import Fact
from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.language.claims import AS_PRINTED, Claim, Condition, Part, Reading
from fedbounds.theory.language.symbols import (
    B_0,
    F_0,
    B,
    G_u,
    G_v,
    K,
    L,
    Mean_t,
    Sum_t,
    T,
    b2,
    eta_u,
    eta_v,
    f,
    gamma,
    m,
    n,
    t,
    variance_u,
    variance_v,
)
from fedbounds.theory.personalization.symbols import E
from fedbounds.vocabulary import Index

from .displays_drift import FULL_PARTICIPATION, chain
from .lemmas import EFFECTIVE_STEP, FEDAVG_P, LEMMA_35, LEMMA_36, SMOOTH_NOISE
from .theorems import FULL, FULL_NOISE, LITERAL_B0, NOISE_LEVEL, THEOREM_37, THEOREM_311

# ---- Theorem 3.7

_PARTIAL = THEOREM_37.part("").conditions
_DISSIMILAR = (*SMOOTH_NOISE, Fact.DISSIMILARITY)
_MEASURED = G_u(t) + m / n * G_v(t)
_SAMPLED = 12 * (1 / m - 1 / n) * L * K**2 * b2 * gamma**2
_NOISE = 2 * L * K * variance_u * gamma**2 / m + 2 * L * K * variance_v * gamma**2 * m / n
_DRIFT_FACTOR = (
    L**2 * gamma / n
    + 56 * L**3 * K * gamma**2 / n
    + L**2 * gamma * m / n**2
    + 8 * L**3 * K * gamma**2 * m / n**2
)


def _partial(
    name: str,
    left: sp.Expr,
    right: sp.Expr,
    index: Index = Index.ROUND,
    conditions: tuple[Condition, ...] = _PARTIAL,
) -> Part:
    return Part(
        name=name,
        left=left,
        right=right,
        index=index,
        conditions=conditions,
        assumptions=_DISSIMILAR,
    )


def _after_34(factor: sp.Expr) -> sp.Expr:
    """The right side of (3.4) with this factor of the drift."""
    slope = -K * gamma / 2 + 4 * L * K**2 * gamma**2
    return f(t) + slope * _MEASURED + factor * E(t) + _SAMPLED + _NOISE


_NAMED_STEP = Condition(gamma, "<=", 1 / (32 * L * K))
_SMALL_STEP = (EFFECTIVE_STEP, _NAMED_STEP)

# line 1 combines lemmas without a condition on step sizes; line 2 "holds since 32 L K gamma <= 1"
EQUATION_34 = Claim(
    entry("personalization/eq-3.4"),
    algorithms=(FEDAVG_P,),
    parts=(
        _partial("line 1", f(t + 1), _after_34(_DRIFT_FACTOR), conditions=(EFFECTIVE_STEP,)),
        _partial("line 2", f(t + 1), _after_34(4 * L**2 * gamma / n), conditions=_SMALL_STEP),
        _partial(
            "drift factor", _DRIFT_FACTOR, 4 * L**2 * gamma / n, Index.RUN, conditions=_SMALL_STEP
        ),
    ),
)

_HAT_MISSING = G_u(t) + G_v(t)
_DISSIMILAR_DRIFT = 8 * n * K**2 * (K - 1) * b2 * gamma**2 / eta_u**2

THEOREM_37_E = Claim(
    entry("personalization/thm-3.7-E"),
    algorithms=(FEDAVG_P,),
    parts=chain(
        (
            LEMMA_35.part("").right,
            _DISSIMILAR_DRIFT
            + 8 * n * K**3 * gamma**2 * (G_u(t) / eta_u**2 + G_v(t) / eta_v**2)
            + 4 * n * K**2 * gamma**2 * (variance_u / eta_u**2 + variance_v / eta_v**2),
            _DISSIMILAR_DRIFT
            + n * K**2 * gamma / (4 * L) * _HAT_MISSING
            + n * K * gamma / (4 * L) * (variance_u / m + m * variance_v / n),
        ),
        _PARTIAL,
        _DISSIMILAR,
    ),
    readings=(
        AS_PRINTED,
        Reading("G_v hatted in the last line", "amb-6", substitute=((_HAT_MISSING, _MEASURED),)),
    ),
)

THEOREM_37_DESCENT = Claim(
    entry("personalization/thm-3.7-desc"),
    algorithms=(FEDAVG_P,),
    parts=(
        _partial(
            "descent",
            f(t + 1),
            f(t)
            + (-K * gamma / 2 + 5 * L * K**2 * gamma**2) * _MEASURED
            + 32 * L**2 * K**2 * (K - 1) * b2 * gamma**3 / eta_u**2
            + _SAMPLED
            + 3 * L * K * variance_u * gamma**2 / m
            + 3 * L * K * variance_v * gamma**2 * m / n,
        ),
        _partial(
            "rewritten",
            (sp.Rational(1, 2) - 5 * L * K * gamma) * _MEASURED,
            (f(t) - f(t + 1)) / (K * gamma)
            + 32 * L**2 * K * (K - 1) * b2 * gamma**2 / eta_u**2
            + 3 * L * NOISE_LEVEL * gamma,
        ),
        _partial("step size", 5 * L * K * gamma, sp.Rational(1, 4), Index.RUN),
    ),
)

# ---- Theorem 3.11

_FULL = THEOREM_311.part("a").conditions
_BOTH_MEASURED = G_u(t) + G_v(t)
# "the stipulated step-size conditions" of the bound on the drift, which the rest builds on
_STIPULATED = (
    FULL_PARTICIPATION,
    *_SMALL_STEP,
    Condition(eta_u, ">=", sp.sqrt(n)),
    Condition(eta_v, ">=", sp.Integer(1)),
)
# the sum of B^t recalls Lemma 3.6; its last line has a value at T = 1 too
_RECALLED = tuple(c for c in LEMMA_36.part("b").conditions if c.left != T)
# and that combines with "eta_u >= T, 32 L K gamma <= 1"
_COMBINED = (*(c for c in _RECALLED if c.left != gamma), _NAMED_STEP)

EQUATION_35 = Claim(
    entry("personalization/eq-3.5"),
    algorithms=(FEDAVG_P,),
    parts=(
        Part(
            left=f(t + 1),
            right=f(t)
            + (-K * gamma / 2 + 4 * L * K**2 * gamma**2) * _BOTH_MEASURED
            + 4 * L**2 * gamma / n * E(t)
            + 2 * L * K * variance_u * gamma**2 / n
            + 2 * L * K * variance_v * gamma**2,
            conditions=(FULL_PARTICIPATION, *_SMALL_STEP),
            assumptions=SMOOTH_NOISE,
        ),
    ),
)

THEOREM_311_E = Claim(
    entry("personalization/thm-3.11-E"),
    algorithms=(FEDAVG_P,),
    parts=(
        Part(
            left=E(t),
            right=K**2 * gamma / (4 * L * eta_u**2) * B(t)
            + n * K**2 * gamma / (4 * L) * G_v(t)
            + n * K * gamma / (4 * L) * FULL_NOISE,
            conditions=_STIPULATED,
            assumptions=SMOOTH_NOISE,
        ),
    ),
)

# the line before (3.6), which has no number
THEOREM_311_DESCENT = Claim(
    entry("personalization/thm-3.11-desc"),
    algorithms=(FEDAVG_P,),
    parts=(
        Part(
            left=f(t + 1),
            right=f(t)
            + (-K * gamma / 2 + 5 * L * K**2 * gamma**2) * _BOTH_MEASURED
            + L * K**2 * gamma**2 / (n * eta_u**2) * B(t)
            + 3 * L * K * variance_u * gamma**2 / n
            + 3 * L * K * variance_v * gamma**2,
            conditions=_STIPULATED,
            assumptions=SMOOTH_NOISE,
        ),
    ),
)

EQUATION_36 = Claim(
    entry("personalization/eq-3.6"),
    algorithms=(FEDAVG_P,),
    parts=(
        Part(
            name="average",
            left=(sp.Rational(1, 2) - 5 * L * K * gamma) * Mean_t(_BOTH_MEASURED),
            right=F_0 / (T * K * gamma)
            + 3 * L * FULL_NOISE * gamma
            + L * K * gamma / (n * T * eta_u**2) * Sum_t(B(t)),
            index=Index.RUN,
            conditions=_STIPULATED,
            assumptions=FULL,
        ),
    ),
)

# the line before it sums powers of 1 + 2/(T - 1) over pairs of rounds and is not encoded
THEOREM_311_SUM_B = Claim(
    entry("personalization/thm-3.11-sumB"),
    algorithms=(FEDAVG_P,),
    parts=(
        Part(
            left=Sum_t(B(t)),
            right=8 * T * B_0
            + 16 * n * T**2 * Sum_t(_BOTH_MEASURED)
            + 8 * n * T**3 / K * FULL_NOISE,
            index=Index.RUN,
            conditions=_RECALLED,
            assumptions=FULL,
        ),
    ),
    readings=(AS_PRINTED, LITERAL_B0),
)

THEOREM_311_FINAL = Claim(
    entry("personalization/thm-3.11-fin"),
    algorithms=(FEDAVG_P,),
    parts=(
        Part(
            name="average",
            left=(sp.Rational(1, 2) - 21 * L * K * gamma) * Mean_t(_BOTH_MEASURED),
            right=F_0 / (T * K * gamma) + 11 * L * FULL_NOISE * gamma + B_0 / (4 * n * eta_u**2),
            index=Index.RUN,
            conditions=_COMBINED,
            assumptions=FULL,
        ),
        Part(
            name="step size",
            left=21 * L * K * gamma,
            right=sp.Rational(1, 4),
            index=Index.RUN,
            conditions=_FULL,
            assumptions=FULL,
        ),
    ),
    readings=(AS_PRINTED, LITERAL_B0),
)

CLAIMS = (
    EQUATION_34,
    THEOREM_37_E,
    THEOREM_37_DESCENT,
    EQUATION_35,
    THEOREM_311_E,
    THEOREM_311_DESCENT,
    EQUATION_36,
    THEOREM_311_SUM_B,
    THEOREM_311_FINAL,
)
