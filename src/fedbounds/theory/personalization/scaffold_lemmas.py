"""Lemmas 4.1 to 4.3: Scaffold-P's descent, control variates and drift."""

import sympy as sp

from fedbounds.facts import Fact
from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.language.claims import Claim, Condition, Part
from fedbounds.theory.language.symbols import (
    Du_2,
    G_u,
    G_v,
    K,
    L,
    f,
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
    W_2,
    C,
    C_i,
    E,
    E_ik,
    Eu_ik,
    Ev_ik,
    S_3u,
    T_1u,
    T_1v,
    T_2u,
    T_2v,
    W_mean,
    W_own,
    What_2,
    What_sum,
    c_2,
    c_i2,
    cbar_2,
    ccbar,
    cd_2,
    cd_i,
    ch_i,
    g_vi,
    h_i2,
)
from fedbounds.vocabulary import Index, Relation

from .lemmas import EFFECTIVE_STEP, SMOOTH, SMOOTH_NOISE

SCAFFOLD_P = "Scaffold-P"
NOISE = (Fact.NOISE,)

# 1/(K - 1) occurs (amb-11)
SEVERAL_STEPS = Condition(K, ">=", sp.Integer(2))
INNER_STEPS = Condition(12 * L**2 * K * (K - 1) * (gamma_u**2 + gamma_v**2), "<=", sp.Integer(1))

# "x = y almost surely" as E ||x||^2 + E ||y||^2 = 2 E <x, y>
CONTROLS = Claim(
    entry("personalization/alg-c"),
    algorithms=(SCAFFOLD_P,),
    parts=(
        Part(
            name="client",
            left=c_i2(t) + h_i2(t),
            right=2 * ch_i(t),
            relation=Relation.EQUAL,
            index=Index.CLIENT,
        ),
        Part(
            name="mean",
            left=c_2(t) + cbar_2(t),
            right=2 * ccbar(t),
            relation=Relation.EQUAL,
        ),
    ),
)

LEMMA_41 = Claim(
    entry("personalization/lem-4.1"),
    algorithms=(SCAFFOLD_P,),
    parts=(
        Part(
            left=f(t + 1) - f(t),
            right=T_1u(t)
            + T_1v(t)
            + 2 * L * T_2u(t)
            + 2 * L * T_2v(t)
            + 4 * L * gamma**2 * (n - m) / (m * n**2) * S_3u(t)
            + 18 * L * K * variance_u * gamma**2 / m
            + 2 * L * K * variance_v * gamma**2 * m / n,
            conditions=(EFFECTIVE_STEP,),
            assumptions=SMOOTH_NOISE,
        ),
    ),
)

# two chains: W_own = W_2 <= bound, and W_mean = (m/n) What_sum = (m/n) What_2 <= bound;
# the squares missing on both left sides are restored
DISPLAY_A7 = Claim(
    entry("personalization/eq-A.7"),
    algorithms=(SCAFFOLD_P,),
    parts=tuple(
        Part(name=name, left=left, right=right, relation=relation, assumptions=NOISE)
        for name, left, relation, right in (
            ("own noise", W_own(t), Relation.EQUAL, W_2(t)),
            ("own bound", W_2(t), Relation.AT_MOST, m * K * variance_u),
            ("mean noise", W_mean(t), Relation.EQUAL, m / n * What_sum(t)),
            ("mean squares", m / n * What_sum(t), Relation.EQUAL, m / n * What_2(t)),
            ("mean bound", m / n * What_2(t), Relation.AT_MOST, m * K * variance_u),
        )
    ),
)

DISPLAY_A8 = Claim(
    entry("personalization/eq-A.8"),
    algorithms=(SCAFFOLD_P,),
    parts=(
        Part(
            left=Du_2(t),
            right=2 * T_2u(t)
            + 4 * gamma**2 * (n - m) / (m * n**2) * S_3u(t)
            + 18 * K * gamma**2 * variance_u / m,
            conditions=(EFFECTIVE_STEP,),
            assumptions=NOISE,
        ),
    ),
)

LEMMA_42 = Claim(
    entry("personalization/lem-4.2"),
    algorithms=(SCAFFOLD_P,),
    parts=(
        Part(
            left=S_3u(t),
            right=16 * L**2 * K * C(t) + 16 * L**2 * K * E(t),
            assumptions=SMOOTH,
        ),
    ),
)

LEMMA_43 = Claim(
    entry("personalization/lem-4.3"),
    algorithms=(SCAFFOLD_P,),
    parts=(
        Part(
            left=E(t),
            right=96 * L**2 * K**2 * gamma_u**2 * C(t)
            + 24 * n * K**3 * gamma_u**2 * G_u(t)
            + 8 * n * K**3 * gamma_v**2 * G_v(t)
            + 52 * n * K**2 * (variance_u * gamma_u**2 + variance_v * gamma_v**2),
            conditions=(INNER_STEPS,),
            assumptions=SMOOTH_NOISE,
        ),
    ),
    # both inner step sizes equal, at the edge of the condition (K = 1 sets no edge: take K = 2)
    schedules=(
        {
            "gamma": 1 / (L * sp.sqrt(24 * K * sp.Max(K - 1, 1))),
            "eta_u": sp.Integer(1),
            "eta_v": sp.Integer(1),
        },
    ),
)

LEMMA_43_C = Claim(
    entry("personalization/lem-4.3-c"),
    algorithms=(SCAFFOLD_P,),
    parts=(
        Part(
            name="client",
            left=cd_i(t),
            right=variance_u / K,
            index=Index.CLIENT,
            assumptions=NOISE,
        ),
        Part(
            name="mean noise",
            left=cd_2(t),
            right=What_sum(t) / (n**2 * K**2),
            relation=Relation.EQUAL,
            assumptions=NOISE,
        ),
        Part(
            name="mean squares",
            left=What_sum(t) / (n**2 * K**2),
            right=What_2(t) / (n**2 * K**2),
            relation=Relation.EQUAL,
            assumptions=NOISE,
        ),
        Part(
            name="mean",
            left=cd_2(t),
            right=variance_u / (n * K),
            assumptions=NOISE,
        ),
    ),
)

# the client's own lag and the mean lag
_LAGS = C_i(t) + C(t) / n
# what one local step adds in (A.9)
_ADDED = (
    12 * L**2 * gamma_u**2 * _LAGS
    + 6 * K * gamma_u**2 * G_u(t)
    + 2 * K * gamma_v**2 * g_vi(t)
    + 13 * variance_u * gamma_u**2
    + variance_v * gamma_v**2
)

LEMMA_43_U = Claim(
    entry("personalization/lem-4.3-u"),
    algorithms=(SCAFFOLD_P,),
    parts=(
        Part(
            left=Eu_ik(t, k + 1),
            right=(1 + 1 / (K - 1) + 12 * L**2 * K * gamma_u**2) * Eu_ik(t, k)
            + 12 * L**2 * K * gamma_u**2 * Ev_ik(t, k)
            + 12 * L**2 * gamma_u**2 * _LAGS
            + 6 * K * gamma_u**2 * G_u(t)
            + 13 * variance_u * gamma_u**2,
            index=Index.STEP,
            conditions=(SEVERAL_STEPS,),
            assumptions=SMOOTH_NOISE,
        ),
    ),
)

DISPLAY_A9 = Claim(
    entry("personalization/eq-A.9"),
    algorithms=(SCAFFOLD_P,),
    parts=(
        Part(
            name="v",
            left=Ev_ik(t, k + 1),
            right=(1 + 1 / (K - 1) + 4 * L**2 * K * gamma_v**2) * Ev_ik(t, k)
            + 4 * L**2 * K * gamma_v**2 * Eu_ik(t, k)
            + 2 * K * gamma_v**2 * g_vi(t)
            + variance_v * gamma_v**2,
            index=Index.STEP,
            conditions=(SEVERAL_STEPS,),
            assumptions=SMOOTH_NOISE,
        ),
        Part(
            name="both",
            left=E_ik(t, k + 1),
            right=(1 + 1 / (K - 1) + 12 * L**2 * K * (gamma_u**2 + gamma_v**2)) * E_ik(t, k)
            + _ADDED,
            index=Index.STEP,
            conditions=(SEVERAL_STEPS,),
            assumptions=SMOOTH_NOISE,
        ),
    ),
)

_r = sp.Symbol("r", integer=True, nonnegative=True)

LEMMA_43_IK = Claim(
    entry("personalization/lem-4.3-ik"),
    algorithms=(SCAFFOLD_P,),
    parts=(
        Part(
            name="geometric",
            left=E_ik(t, k),
            right=_ADDED * sp.Sum((1 + 2 / (K - 1)) ** _r, (_r, 0, K - 1)),
            index=Index.STEP,
            conditions=(SEVERAL_STEPS, INNER_STEPS),
            assumptions=SMOOTH_NOISE,
        ),
        Part(
            name="bound",
            left=E_ik(t, k),
            right=48 * L**2 * K * gamma_u**2 * _LAGS
            + 24 * K**2 * gamma_u**2 * G_u(t)
            + 8 * K**2 * gamma_v**2 * g_vi(t)
            + 52 * K * (variance_u * gamma_u**2 + variance_v * gamma_v**2),
            index=Index.STEP,
            conditions=(SEVERAL_STEPS, INNER_STEPS),
            assumptions=SMOOTH_NOISE,
        ),
    ),
)

CLAIMS = (
    CONTROLS, LEMMA_41, DISPLAY_A7, DISPLAY_A8, LEMMA_42, LEMMA_43, LEMMA_43_C, LEMMA_43_U,
    DISPLAY_A9, LEMMA_43_IK,
)  # fmt: skip
