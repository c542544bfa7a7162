"""Theorem 4.5 with the displays of its proof, and Corollary 4.6: convergence of Scaffold-P."""

import sympy as sp

from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.language.claims import AS_PRINTED, Claim, Condition, Multiplier, Part, Reading
from fedbounds.theory.language.symbols import (
    F_0,
    G_u,
    G_v,
    K,
    L,
    Mean_t,
    Sum_t,
    T,
    f,
    gamma,
    m,
    n,
    t,
    variance_u,
    variance_v,
)
from fedbounds.theory.personalization.symbols import C, E
from fedbounds.vocabulary import Index

from .displays_drift import chain
from .lemmas import EFFECTIVE_STEP, SMOOTH_NOISE
from .scaffold_lemmas import SCAFFOLD_P
from .scaffold_memory import (
    DRIFT_LINES,
    EDGE,
    HAT,
    HAT_GRADIENTS,
    LAG_STEPS,
    NOISE_LEVEL,
    OUTER_U,
    OUTER_V,
    TWO_THIRDS,
)
from .theorems import DECREASE, FULL, MEASURED, SUMMED, TRIVIAL, regimes

_BOUND_45 = 4 * F_0 / (T * K * gamma) + 148 * NOISE_LEVEL * L * gamma

THEOREM_45 = Claim(
    entry("personalization/thm-4.5"),
    algorithms=(SCAFFOLD_P,),
    parts=(
        Part(
            left=MEASURED,
            right=_BOUND_45,
            index=Index.RUN,
            conditions=LAG_STEPS,
            assumptions=FULL,
            trivial=TRIVIAL,
        ),
    ),
    readings=(AS_PRINTED, SUMMED, DECREASE),
    schedules=(EDGE,),
    proof_weights=(
        Multiplier("personalization/lem-4.1", "", 4 / (K * gamma)),
        Multiplier("personalization/lem-3.2", "u", 4 / (K * gamma)),
        Multiplier("personalization/lem-3.2", "v", 4 / (K * gamma)),
        Multiplier("personalization/lem-3.3", "u", 8 * L / (K * gamma)),
        Multiplier("personalization/lem-3.3", "v", 8 * L / (K * gamma)),
        Multiplier("personalization/lem-4.2", "", 16 * L * gamma * (n - m) / (m * n**2 * K)),
        Multiplier("personalization/lem-4.3", "", 16 * L**2 / (n * K)),
        # 4 times the 72 L^3 gamma / (m n) before C^t in (4.5), over m / (4 n)
        Multiplier("personalization/lem-4.4", "", 1152 * L**3 * gamma / m**2),
    ),
    regimes=regimes(_BOUND_45),
)

SMALL_STEP = Condition(72 * L * K * gamma, "<=", sp.Integer(1))
_DRIFT_FACTOR = (
    L**2 * gamma / n
    + 72 * L**3 * K * gamma**2 / n
    + L**2 * gamma * m / n**2
    + 8 * L**3 * K * gamma**2 * m / n**2
)


def _after_44(factor: sp.Expr) -> sp.Expr:
    """The right side of (4.4) with this factor of the drift."""
    return (
        f(t)
        + (-K * gamma / 2 + 4 * L * K**2 * gamma**2) * HAT_GRADIENTS
        + factor * E(t)
        + 64 * L**3 * K * gamma**2 / (m * n) * C(t)
        + 18 * L * K * variance_u * gamma**2 / m
        + 2 * L * K * variance_v * gamma**2 * m / n
    )


DISPLAY_44 = Claim(
    entry("personalization/eq-4.4"),
    algorithms=(SCAFFOLD_P,),
    parts=(
        Part(
            name="line 1",
            left=f(t + 1),
            right=_after_44(_DRIFT_FACTOR),
            conditions=(EFFECTIVE_STEP,),
            assumptions=SMOOTH_NOISE,
        ),
        Part(
            name="line 2",
            left=f(t + 1),
            right=_after_44(4 * L**2 * gamma / n),
            conditions=(EFFECTIVE_STEP, SMALL_STEP),
            assumptions=SMOOTH_NOISE,
        ),
        Part(
            name="drift factor",
            left=_DRIFT_FACTOR,
            right=4 * L**2 * gamma / n,
            index=Index.RUN,
            conditions=(EFFECTIVE_STEP, SMALL_STEP),
            assumptions=SMOOTH_NOISE,
        ),
    ),
)

# what the bound on the drift says that it uses; the displays built on it name nothing more
USED_STEPS = (EFFECTIVE_STEP, OUTER_U, OUTER_V, SMALL_STEP)

THEOREM_45_E = Claim(
    entry("personalization/thm-4.5-E"),
    algorithms=(SCAFFOLD_P,),
    parts=chain(
        (
            *DRIFT_LINES,
            2 * L * K * gamma / m * C(t)
            + n * K**2 * gamma / (2 * L) * HAT_GRADIENTS
            + 3 * n * K * gamma / (4 * L) * NOISE_LEVEL,
        ),
        USED_STEPS,
        SMOOTH_NOISE,
    ),
)

THEOREM_45_DESCENT = Claim(
    entry("personalization/thm-4.5-desc"),
    algorithms=(SCAFFOLD_P,),
    parts=(
        Part(
            name="descent",
            left=f(t + 1),
            right=f(t)
            + (-K * gamma / 2 + 6 * L * K**2 * gamma**2) * HAT_GRADIENTS
            + 72 * L**3 * K * gamma**2 / (m * n) * C(t)
            + 21 * L * K * variance_u * gamma**2 / m
            + 21 * L * K * variance_v * gamma**2 * m / n,
            conditions=USED_STEPS,
            assumptions=SMOOTH_NOISE,
        ),
    ),
)

# the line before (4.5), which has no number and prints 21
THEOREM_45_ROUND = Claim(
    entry("personalization/thm-4.5-round"),
    algorithms=(SCAFFOLD_P,),
    parts=(
        Part(
            left=(sp.S.Half - 6 * L * K * gamma) * HAT_GRADIENTS,
            right=(f(t) - f(t + 1)) / (K * gamma)
            + 21 * NOISE_LEVEL * L * gamma
            + 72 * L**3 * gamma / (m * n) * C(t),
            conditions=USED_STEPS,
            assumptions=SMOOTH_NOISE,
        ),
    ),
)

# printed with G_v itself
_BOTH_GRADIENTS = Mean_t(G_u(t) + G_v(t))
TWENTY_ONE = Reading("21 in place of 2", "amb-5", substitute=((2 * NOISE_LEVEL, 21 * NOISE_LEVEL),))

DISPLAY_45 = Claim(
    entry("personalization/eq-4.5"),
    algorithms=(SCAFFOLD_P,),
    parts=(
        Part(
            left=(sp.S.Half - 6 * L * K * gamma) * _BOTH_GRADIENTS,
            right=F_0 / (T * K * gamma)
            + 2 * NOISE_LEVEL * L * gamma
            + 72 * L**3 * gamma / (m * n * T) * Sum_t(C(t)),
            index=Index.RUN,
            conditions=USED_STEPS,
            assumptions=FULL,
        ),
    ),
    readings=(AS_PRINTED, TWENTY_ONE, HAT),
)

# this display and those below recall Lemma 4.4, and carry its conditions, which are the theorem's
THEOREM_45_SUM = Claim(
    entry("personalization/thm-4.5-sumC"),
    algorithms=(SCAFFOLD_P,),
    parts=(
        Part(
            left=m / (4 * n) * Sum_t(C(t)),
            right=Sum_t(m * n**TWO_THIRDS * K / (36 * L**2) * HAT_GRADIENTS)
            + m**2 * T / (18 * L**2) * NOISE_LEVEL,
            index=Index.RUN,
            conditions=LAG_STEPS,
            assumptions=SMOOTH_NOISE,
        ),
    ),
)

THEOREM_45_END = Claim(
    entry("personalization/thm-4.5-fin"),
    algorithms=(SCAFFOLD_P,),
    parts=(
        Part(
            name="bound",
            left=(sp.S.Half - 6 * L * K * gamma - 8 * L * K * gamma * n**TWO_THIRDS / m)
            * _BOTH_GRADIENTS,
            right=F_0 / (T * K * gamma) + 37 * NOISE_LEVEL * L * gamma,
            index=Index.RUN,
            conditions=LAG_STEPS,
            assumptions=FULL,
        ),
        Part(
            name="step size",
            left=6 * L * K * gamma,
            right=sp.Rational(1, 8),
            index=Index.RUN,
            conditions=LAG_STEPS,
            assumptions=SMOOTH_NOISE,
        ),
        Part(
            name="step size and n",
            left=8 * L * K * gamma,
            right=m / (8 * n**TWO_THIRDS),
            index=Index.RUN,
            conditions=LAG_STEPS,
            assumptions=SMOOTH_NOISE,
        ),
    ),
    readings=(AS_PRINTED, HAT),
)

_STEP_46 = 1 / (
    72 * L * K * sp.Max(n**TWO_THIRDS / m, 1) + sp.sqrt(37 * L * K * T / F_0 * NOISE_LEVEL)
)

COROLLARY_46 = Claim(
    entry("personalization/cor-4.6"),
    algorithms=(SCAFFOLD_P,),
    parts=(
        Part(
            left=MEASURED,
            right=8 * sp.sqrt(37 * L * F_0 / (K * T) * NOISE_LEVEL)
            + 288 * L * F_0 / T * sp.Max(1, n**TWO_THIRDS / m),
            index=Index.RUN,
            conditions=(EFFECTIVE_STEP, Condition(gamma, "==", _STEP_46), OUTER_U, OUTER_V),
            assumptions=FULL,
            trivial=TRIVIAL,
        ),
    ),
    readings=(AS_PRINTED, SUMMED),
    schedules=(EDGE | {"gamma": _STEP_46},),
)

CLAIMS = (
    THEOREM_45, DISPLAY_44, THEOREM_45_E, THEOREM_45_DESCENT, THEOREM_45_ROUND, DISPLAY_45,
    THEOREM_45_SUM, THEOREM_45_END, COROLLARY_46,
)  # fmt: skip
