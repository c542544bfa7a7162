"""Lemma A.2 and Lemmas 3.1 to 3.6: FedAvg-P."""

import sympy as sp

from fedbounds.facts import Fact
from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.language.claims import AS_PRINTED, Claim, Condition, Part, Reading
from fedbounds.theory.language.symbols import (
    B,
    G_u,
    G_v,
    K,
    L,
    T,
    b2,
    eta_u,
    eta_v,
    f,
    gamma,
    gamma_u,
    gamma_v,
    m,
    n,
    t,
    variance_u,
    variance_v,
)
from fedbounds.theory.personalization.symbols import (
    D_2,
    S_2,
    X_2,
    E,
    T_1u,
    T_1v,
    T_2u,
    T_2v,
    T_3u,
)
from fedbounds.vocabulary import Relation

FEDAVG_P = "FedAvg-P"
SCAFFOLD_P = "Scaffold-P"  # section 4.2 reuses Lemmas 3.2 and 3.3 unchanged
SMOOTH = (Fact.SMOOTH,)
SMOOTH_NOISE = (Fact.SMOOTH, Fact.NOISE)

# gamma = gamma_u eta_u = gamma_v eta_v is imposed in all of the paper's analyses (section 2.1)
EFFECTIVE_STEP = Condition(gamma_u * eta_u, "==", gamma_v * eta_v)

LEMMA_A2 = Claim(
    entry("personalization/lem-A.2"),
    algorithms=("participant mean",),
    parts=(
        Part(
            left=S_2(t),
            right=X_2(t) + 2 * (n - m) / (m * n**2) * D_2(t),
            relation=Relation.EQUAL,
        ),
    ),
    readings=(AS_PRINTED, Reading("read as <=", "amb-4", relation=Relation.AT_MOST)),
)

LEMMA_31 = Claim(
    entry("personalization/lem-3.1"),
    algorithms=(FEDAVG_P,),
    parts=(
        Part(
            left=f(t + 1) - f(t),
            right=T_1u(t)
            + T_1v(t)
            + 2 * L * T_2u(t)
            + 2 * L * T_2v(t)
            + 4 * L * gamma**2 * (n - m) / (m * n**2) * T_3u(t)
            + 2 * L * K * variance_u * gamma**2 / m
            + 2 * L * K * variance_v * gamma**2 * m / n,
            conditions=(EFFECTIVE_STEP,),
            assumptions=SMOOTH_NOISE,
        ),
    ),
)

LEMMA_32 = Claim(
    entry("personalization/lem-3.2"),
    algorithms=(FEDAVG_P, SCAFFOLD_P),
    parts=(
        Part(
            name="u",
            left=T_1u(t),
            right=-K * gamma / 2 * G_u(t) + L**2 * gamma / n * E(t),
            conditions=(EFFECTIVE_STEP,),
            assumptions=SMOOTH,
        ),
        Part(
            name="v",
            left=T_1v(t),
            right=-K * gamma * m / (2 * n) * G_v(t) + L**2 * gamma * m / n**2 * E(t),
            conditions=(EFFECTIVE_STEP,),
            assumptions=SMOOTH,
        ),
    ),
)

LEMMA_33 = Claim(
    entry("personalization/lem-3.3"),
    algorithms=(FEDAVG_P, SCAFFOLD_P),
    parts=(
        Part(
            name="u",
            left=T_2u(t),
            right=2 * K**2 * gamma**2 * G_u(t) + 4 * L**2 * K * gamma**2 / n * E(t),
            conditions=(EFFECTIVE_STEP,),
            assumptions=SMOOTH,
        ),
        Part(
            name="v",
            left=T_2v(t),
            right=2 * K**2 * gamma**2 * m / n * G_v(t) + 4 * L**2 * K * gamma**2 * m / n**2 * E(t),
            conditions=(EFFECTIVE_STEP,),
            assumptions=SMOOTH,
        ),
    ),
)

LEMMA_34 = Claim(
    entry("personalization/lem-3.4"),
    algorithms=(FEDAVG_P,),
    parts=(
        Part(
            left=T_3u(t),
            right=3 * n * K**2 * b2 + 12 * L**2 * K * E(t),
            assumptions=(Fact.SMOOTH, Fact.DISSIMILARITY),
        ),
    ),
)

LEMMA_35 = Claim(
    entry("personalization/lem-3.5"),
    algorithms=(FEDAVG_P,),
    parts=(
        Part(
            left=E(t),
            right=8 * K**2 * (K - 1) * gamma_u**2 * B(t)
            + 8 * n * K**3 * gamma_v**2 * G_v(t)
            + 4 * n * K**2 * (variance_u * gamma_u**2 + variance_v * gamma_v**2),
            conditions=(
                Condition(4 * L**2 * K * (K - 1) * (gamma_u**2 + gamma_v**2), "<=", sp.Integer(1)),
            ),
            assumptions=SMOOTH_NOISE,
        ),
    ),
    # both inner step sizes equal, at the edge of the condition (K = 1 sets no edge: take K = 2)
    schedules=(
        {
            "gamma": 1 / (L * sp.sqrt(8 * K * sp.Max(K - 1, 1))),
            "eta_u": sp.Integer(1),
            "eta_v": sp.Integer(1),
        },
    ),
)

LEMMA_36 = Claim(
    entry("personalization/lem-3.6"),
    algorithms=(FEDAVG_P,),
    parts=(
        Part(
            name="a",
            left=B(t),
            right=n * G_u(t) + n * b2,
            assumptions=(Fact.DISSIMILARITY,),
        ),
        Part(
            name="b",
            left=B(t),
            right=(1 + 2 / (T - 1)) * B(t - 1)
            + 2 * n * T * (G_u(t - 1) + G_v(t - 1))
            + 2 * n * T / K * (variance_u / n + variance_v),
            first_round=1,
            conditions=(
                Condition(m, "==", n),
                Condition(T, ">=", sp.Integer(2)),
                EFFECTIVE_STEP,
                Condition(eta_u, ">=", sp.Max(T, sp.sqrt(n))),
                Condition(eta_v, ">=", sp.Integer(1)),
                Condition(gamma, "<=", 1 / (8 * L * K)),
            ),
            assumptions=SMOOTH_NOISE,
        ),
    ),
    schedules=(
        {
            "gamma": 1 / (8 * L * K),
            "eta_u": sp.Max(T, sp.sqrt(n)),
            "eta_v": sp.Integer(1),
        },
    ),
)

CLAIMS = (LEMMA_A2, LEMMA_31, LEMMA_32, LEMMA_33, LEMMA_34, LEMMA_35, LEMMA_36)
