"""Displays on the drift and on B^t in the proofs of Lemmas 3.5 and 3.6.

A display holds under the assumptions of the statement in whose proof it stands, and under the
conditions that its own sentence names; where it names none, under those of the statement.
"""

import sympy as sp

from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.language.claims import Claim, Condition, Part
from fedbounds.theory.language.symbols import (
    B,
    Du_2,
    Dv_2,
    G_u,
    G_v,
    K,
    L,
    T,
    gamma,
    gamma_u,
    gamma_v,
    k,
    m,
    n,
    t,
    variance_u,
    variance_v,
)
from fedbounds.theory.personalization.symbols import (
    Dv_i,
    E,
    E_ik,
    Eu_ik,
    Ev_ik,
    g_ui,
    g_vi,
)
from fedbounds.vocabulary import Index

from .lemmas import EFFECTIVE_STEP, FEDAVG_P, LEMMA_35, LEMMA_36, SMOOTH_NOISE
from .theorems import FULL_NOISE

FULL_PARTICIPATION = Condition(m, "==", n)

# ---- Lemma 3.5

_SEVERAL_STEPS = Condition(K, ">=", sp.Integer(2))
_INNER_NOISE = variance_u * gamma_u**2 + variance_v * gamma_v**2

EQUATION_33 = Claim(
    entry("personalization/eq-3.3"),
    algorithms=(FEDAVG_P,),
    parts=(
        Part(
            name="u",
            left=Eu_ik(t, k + 1),
            right=(1 + 1 / (K - 1) + 4 * L**2 * K * gamma_u**2) * Eu_ik(t, k)
            + 4 * L**2 * K * gamma_u**2 * Ev_ik(t, k)
            + 2 * K * gamma_u**2 * g_ui(t)
            + variance_u * gamma_u**2,
            index=Index.STEP,
            conditions=(_SEVERAL_STEPS,),
            assumptions=SMOOTH_NOISE,
        ),
        Part(
            name="v",
            left=Ev_ik(t, k + 1),
            right=(1 + 1 / (K - 1) + 4 * L**2 * K * gamma_v**2) * Ev_ik(t, k)
            + 4 * L**2 * K * gamma_v**2 * Eu_ik(t, k)
            + 2 * K * gamma_v**2 * g_vi(t)
            + variance_v * gamma_v**2,
            index=Index.STEP,
            conditions=(_SEVERAL_STEPS,),
            assumptions=SMOOTH_NOISE,
        ),
        Part(
            name="sum",
            left=E_ik(t, k + 1),
            right=(1 + 1 / (K - 1) + 4 * L**2 * K * (gamma_u**2 + gamma_v**2)) * E_ik(t, k)
            + 2 * K * gamma_u**2 * g_ui(t)
            + 2 * K * gamma_v**2 * g_vi(t)
            + variance_u * gamma_u**2
            + variance_v * gamma_v**2,
            index=Index.STEP,
            conditions=(_SEVERAL_STEPS,),
            assumptions=SMOOTH_NOISE,
        ),
    ),
)

# its first line sums k powers, which no evaluation per step has; lem-3.5-geo bounds that sum
LEMMA_35_IK = Claim(
    entry("personalization/lem-3.5-ik"),
    algorithms=(FEDAVG_P,),
    parts=(
        Part(
            left=E_ik(t, k),
            right=8 * K * (K - 1) * (gamma_u**2 * g_ui(t) + gamma_v**2 * g_vi(t))
            + 4 * K * _INNER_NOISE,
            index=Index.STEP,
            conditions=(_SEVERAL_STEPS, *LEMMA_35.part("").conditions),
            assumptions=SMOOTH_NOISE,
        ),
    ),
)

# ---- Lemma 3.6, all at t - 1 as printed

_SEVERAL_ROUNDS = Condition(T, ">=", sp.Integer(2))
_AFTER = Condition(gamma, "<=", 1 / (8 * L * K))
_KEPT = (1 + 1 / (T - 1)) * B(t - 1)

EQUATION_A5 = Claim(
    entry("personalization/eq-A.5"),
    algorithms=(FEDAVG_P,),
    parts=(
        Part(
            name="bound",
            left=B(t),
            right=_KEPT
            + n * T * (G_u(t - 1) + G_v(t - 1))
            + T * L**2 / K * E(t - 1)
            + n * T / K * FULL_NOISE,
            first_round=1,
            conditions=(FULL_PARTICIPATION, _SEVERAL_ROUNDS, EFFECTIVE_STEP, _AFTER),
            assumptions=SMOOTH_NOISE,
        ),
    ),
)

# the line between (A.6) and (A.5), which has no number: before 8 L K gamma <= 1 is used
EQUATION_A5_ANY = Claim(
    entry("personalization/eq-A.5-any"),
    algorithms=(FEDAVG_P,),
    parts=(
        Part(
            left=B(t),
            right=_KEPT
            + 8 * n * T * L**2 * K**2 * gamma**2 * (G_u(t - 1) + G_v(t - 1))
            + 32 * T * L**4 * K * gamma**2 * E(t - 1)
            + 4 * n * T * L**2 * K * gamma**2 * FULL_NOISE,
            first_round=1,
            conditions=(FULL_PARTICIPATION, _SEVERAL_ROUNDS, EFFECTIVE_STEP),
            assumptions=SMOOTH_NOISE,
        ),
    ),
)

EQUATION_A6 = Claim(
    entry("personalization/eq-A.6"),
    algorithms=(FEDAVG_P,),
    parts=(
        Part(
            name="sum",
            left=B(t),
            # the sum over clients of ||Delta u||^2 is n times one
            right=_KEPT + 2 * T * L**2 * n * (Du_2(t - 1) + Dv_2(t - 1)),
            first_round=1,
            conditions=(FULL_PARTICIPATION, _SEVERAL_ROUNDS),
            assumptions=SMOOTH_NOISE,
        ),
        # printed for every kappa > 0; here the kappa = T - 1 that is used
        Part(
            name="client",
            left=g_ui(t),
            right=(1 + 1 / (T - 1)) * g_ui(t - 1) + 2 * T * L**2 * (Du_2(t - 1) + Dv_i(t - 1)),
            index=Index.CLIENT,
            first_round=1,
            conditions=(FULL_PARTICIPATION, _SEVERAL_ROUNDS),
            assumptions=SMOOTH_NOISE,
        ),
    ),
)

LEMMA_36_INC = Claim(
    entry("personalization/lem-3.6-inc"),
    algorithms=(FEDAVG_P,),
    parts=(
        Part(
            name="u",
            left=Du_2(t),
            right=4 * K**2 * gamma**2 * G_u(t)
            + 8 * L**2 * K * gamma**2 / n * E(t)
            + 2 * K * gamma**2 * variance_u / n,
            conditions=(FULL_PARTICIPATION, EFFECTIVE_STEP),
            assumptions=SMOOTH_NOISE,
        ),
        Part(
            name="v",
            left=Dv_2(t),
            right=4 * K**2 * gamma**2 * G_v(t)
            + 8 * L**2 * K * gamma**2 / n * E(t)
            + 2 * K * variance_v * gamma**2,
            conditions=(FULL_PARTICIPATION, EFFECTIVE_STEP),
            assumptions=SMOOTH_NOISE,
        ),
    ),
)


def chain(
    lines: tuple[sp.Expr, ...],
    conditions: tuple[Condition, ...],
    assumptions: tuple[str, ...],
) -> tuple[Part, ...]:
    """Drift <= lines[0] <= ... <= lines[-1]: the ends, then every printed inequality."""
    pairs = [("bound", E(t), lines[-1])]
    pairs += [
        (f"line {number}", left, right)
        for number, (left, right) in enumerate(zip((E(t), *lines), lines, strict=False), start=1)
    ]
    return tuple(
        Part(name=name, left=left, right=right, conditions=conditions, assumptions=assumptions)
        for name, left, right in pairs
    )


# printed at t - 1; a statement about one round, here at t
LEMMA_36_E = Claim(
    entry("personalization/lem-3.6-E"),
    algorithms=(FEDAVG_P,),
    parts=chain(
        (
            8 * K**3 * gamma_u**2 * B(t)
            + 8 * n * K**3 * gamma_v**2 * G_v(t)
            + 4 * n * K**2 * _INNER_NOISE,
            8 * K**3 * gamma**2 / T**2 * B(t)
            + 8 * n * K**3 * gamma**2 * G_v(t)
            + 4 * n * K**2 * gamma**2 * FULL_NOISE,
            K / (L**2 * T**2) * B(t) + n * K / L**2 * G_v(t) + n / L**2 * FULL_NOISE,
        ),
        tuple(c for c in LEMMA_36.part("b").conditions if c != _SEVERAL_ROUNDS),
        SMOOTH_NOISE,
    ),
)

CLAIMS = (
    EQUATION_33,
    LEMMA_35_IK,
    EQUATION_A5,
    EQUATION_A5_ANY,
    EQUATION_A6,
    LEMMA_36_INC,
    LEMMA_36_E,
)
