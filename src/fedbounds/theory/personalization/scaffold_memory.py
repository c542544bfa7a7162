"""Lemma 4.4: how far the iterates of the last participations lie, over rounds."""

import sympy as sp

from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.language.claims import AS_PRINTED, Claim, Condition, Part, Reading
from fedbounds.theory.language.symbols import (
    Du_2,
    Dv_2,
    G_u,
    G_v,
    K,
    L,
    eta_u,
    eta_v,
    gamma,
    k,
    m,
    n,
    t,
    variance_u,
    variance_v,
)
from fedbounds.theory.personalization.symbols import (
    A_ik,
    A_old,
    Bt_ik,
    Bt_new,
    Bt_old,
    C,
    Dv_i,
    E,
    Eu_ik,
    Ev_ik,
    M_u,
    M_v,
    M_vi,
    T_2u,
    T_2v,
    U_ik,
    V_ik,
)
from fedbounds.vocabulary import Index, Relation

from .displays_drift import chain
from .lemmas import EFFECTIVE_STEP, SMOOTH, SMOOTH_NOISE
from .scaffold_lemmas import LEMMA_43, NOISE, SCAFFOLD_P

ONE_THIRD, TWO_THIRDS = sp.Rational(1, 3), sp.Rational(2, 3)
NOISE_LEVEL = variance_u / m + m * variance_v / n
HAT_GRADIENTS = G_u(t) + m / n * G_v(t)

LARGEST_STEP = sp.Min(m / n**TWO_THIRDS, 1) / (72 * L * K)
OUTER_U = Condition(eta_u, ">=", sp.sqrt(m))
OUTER_V = Condition(eta_v, ">=", sp.sqrt(n / m))
# Lemma 4.4's; its proof's displays are claimed where the lemma is
LAG_STEPS = (EFFECTIVE_STEP, OUTER_U, OUTER_V, Condition(gamma, "<=", LARGEST_STEP))
EDGE = {"gamma": LARGEST_STEP, "eta_u": sp.sqrt(m), "eta_v": sp.sqrt(n / m)}

HAT = Reading("(m/n) G_v in place of G_v", "amb-6", substitute=((G_v, m / n),))

LEMMA_44 = Claim(
    entry("personalization/lem-4.4"),
    algorithms=(SCAFFOLD_P,),
    parts=(
        Part(
            left=C(t),
            right=(1 - m / (4 * n)) * C(t - 1)
            + m * n**TWO_THIRDS * K / (36 * L**2) * HAT_GRADIENTS.subs(t, t - 1)
            + m**2 / (18 * L**2) * NOISE_LEVEL,
            first_round=1,
            conditions=LAG_STEPS,
            assumptions=SMOOTH_NOISE,
        ),
    ),
    schedules=(EDGE,),
)

SPLIT = Claim(
    entry("personalization/lem-4.4-split"),
    algorithms=(SCAFFOLD_P,),
    parts=tuple(
        Part(
            name=block,
            left=lag(t, k),
            right=(1 - m / n) * old(t, k) + m / n * returned(t, k),
            relation=Relation.EQUAL,
            index=Index.STEP,
            first_round=1,
            conditions=LAG_STEPS,
            assumptions=SMOOTH_NOISE,
        )
        for block, lag, old, returned in (("u", A_ik, A_old, U_ik), ("v", Bt_ik, Bt_old, V_ik))
    ),
)


def _young(name: str, left: sp.Expr, right: sp.Expr, *more: Condition) -> Part:
    return Part(
        name=name,
        left=left,
        right=right,
        index=Index.STEP,
        first_round=1,
        conditions=(*LAG_STEPS, *more),
        assumptions=SMOOTH_NOISE,
    )


_KAPPA = m / (2 * (n - m))
_FINITE_KAPPA = Condition(m, "<=", n - 1)

# only the last display is printed for beta too ("a similar deduction"), with beta^{t-1} on its
# right side: restored to beta^{t-2}
YOUNG = Claim(
    entry("personalization/lem-4.4-young"),
    algorithms=(SCAFFOLD_P,),
    parts=(
        _young(
            "u after split",
            A_ik(t, k),
            (1 - m / n) * A_old(t, k) + 2 * m / n * (Eu_ik(t - 1, k) + Du_2(t - 1)),
        ),
        _young(
            "u old",
            A_old(t, k),
            (1 + _KAPPA) * A_ik(t - 1, k) + Du_2(t - 1) + M_u(t - 1) / _KAPPA,
            _FINITE_KAPPA,
        ),
        *(
            _young(
                block,
                lag(t, k),
                (1 - m / (2 * n)) * lag(t - 1, k)
                + 2 * step(t - 1)
                + 2 * m / n * drift(t - 1, k)
                + 2 * n / m * mean_step(t - 1),
                _FINITE_KAPPA,
            )
            for block, lag, step, drift, mean_step in (
                ("u", A_ik, Du_2, Eu_ik, M_u),
                ("v", Bt_ik, Dv_i, Ev_ik, M_vi),
            )
        ),
    ),
    readings=(
        AS_PRINTED,
        Reading(
            "with beta^{t-1} on the right, as the text has it for beta",
            "amb-9",
            substitute=((Bt_ik(t - 1, k), Bt_new(t - 1, k)),),
        ),
    ),
)

DISPLAY_A10 = Claim(
    entry("personalization/eq-A.10"),
    algorithms=(SCAFFOLD_P,),
    parts=(
        Part(
            left=C(t),
            right=(1 - m / (2 * n)) * C(t - 1)
            + 2 * n * K * (Du_2(t - 1) + Dv_2(t - 1))
            + 2 * m / n * E(t - 1)
            + 2 * n**2 * K / m * (M_u(t - 1) + M_v(t - 1)),
            first_round=1,
            conditions=LAG_STEPS,
            assumptions=SMOOTH_NOISE,
        ),
    ),
)

# (A.11) to (A.13) combine results that the paper states without conditions on step sizes
DISPLAY_A11 = Claim(
    entry("personalization/eq-A.11"),
    algorithms=(SCAFFOLD_P,),
    parts=(
        Part(
            name="Jensen",
            left=M_u(t - 1),
            right=T_2u(t - 1),
            first_round=1,
            conditions=(EFFECTIVE_STEP,),
            assumptions=NOISE,
        ),
        Part(
            name="bound",
            left=T_2u(t - 1),
            right=4 * L**2 * K * gamma**2 / n * E(t - 1) + 2 * K**2 * gamma**2 * G_u(t - 1),
            first_round=1,
            conditions=(EFFECTIVE_STEP,),
            assumptions=SMOOTH,
        ),
    ),
)

DISPLAY_A12 = Claim(
    entry("personalization/eq-A.12"),
    algorithms=(SCAFFOLD_P,),
    parts=(
        Part(
            name="Jensen",
            left=M_v(t - 1),
            right=T_2v(t - 1),
            first_round=1,
            conditions=(EFFECTIVE_STEP,),
            assumptions=NOISE,
        ),
        Part(
            name="bound",
            left=T_2v(t - 1),
            right=4 * L**2 * K * gamma**2 * m / n**2 * E(t - 1)
            + 2 * K**2 * gamma**2 * m / n * G_v(t - 1),
            first_round=1,
            conditions=(EFFECTIVE_STEP,),
            assumptions=SMOOTH,
        ),
    ),
)

DISPLAY_A13 = Claim(
    entry("personalization/eq-A.13"),
    algorithms=(SCAFFOLD_P,),
    parts=(
        Part(
            name="u",
            left=Du_2(t - 1),
            right=4 * K**2 * gamma**2 * G_u(t - 1)
            + 72 * L**2 * K * gamma**2 / n * E(t - 1)
            + 64 * L**2 * K * gamma**2 * (n - m) / (m * n**2) * C(t - 1)
            + 18 * K * variance_u * gamma**2 / m,
            first_round=1,
            conditions=(EFFECTIVE_STEP,),
            assumptions=SMOOTH_NOISE,
        ),
        Part(
            name="v",
            left=Dv_2(t - 1),
            right=4 * K**2 * gamma**2 * G_v(t - 1)
            + 8 * L**2 * K * gamma**2 * m / n**2 * E(t - 1)
            + 2 * K * variance_v * gamma**2 * m / n,
            first_round=1,
            conditions=(EFFECTIVE_STEP,),
            assumptions=SMOOTH_NOISE,
        ),
    ),
    readings=(AS_PRINTED, HAT),
)

# names the bound on gamma alone
DISPLAY_A14 = Claim(
    entry("personalization/eq-A.14"),
    algorithms=(SCAFFOLD_P,),
    parts=(
        Part(
            left=C(t),
            right=(1 - m / (3 * n)) * C(t - 1)
            + 3 * m / n**ONE_THIRD * E(t - 1)
            + m * n**TWO_THIRDS * K / (72 * L**2) * HAT_GRADIENTS.subs(t, t - 1)
            + m**2 / (72 * L**2) * NOISE_LEVEL,
            first_round=1,
            conditions=(EFFECTIVE_STEP, LAG_STEPS[-1]),
            assumptions=SMOOTH_NOISE,
        ),
    ),
)

# Lemma 4.3, and in terms of gamma and the outer step sizes: Theorem 4.5's proof starts so too
DRIFT_LINES = (
    LEMMA_43.part("").right,
    96 * L**2 * K**2 * gamma**2 / eta_u**2 * C(t)
    + 24 * n * K**3 * gamma**2 * (G_u(t) / eta_u**2 + G_v(t) / eta_v**2)
    + 52 * n * K**2 * gamma**2 * (variance_u / eta_u**2 + variance_v / eta_v**2),
)

LEMMA_44_E = Claim(
    entry("personalization/lem-4.4-E"),
    algorithms=(SCAFFOLD_P,),
    parts=chain(
        (
            *DRIFT_LINES,
            C(t) / (54 * n**TWO_THIRDS)
            + n * K / (216 * L**2) * HAT_GRADIENTS
            + m * n**ONE_THIRD / (72 * L**2) * NOISE_LEVEL,
        ),
        LAG_STEPS,
        SMOOTH_NOISE,
    ),
)

CLAIMS = (
    LEMMA_44, SPLIT, YOUNG, DISPLAY_A10, DISPLAY_A11, DISPLAY_A12, DISPLAY_A13, DISPLAY_A14,
    LEMMA_44_E,
)  # fmt: skip
