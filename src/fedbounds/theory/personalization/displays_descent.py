"""Displays in the proof of Lemma 3.1: the increments, and (A.2) to (A.4).

Each stands under the lemma's assumptions. The proof of Lemma 4.1 uses (A.2) and (A.4) unchanged.
"""

from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.language.claims import Claim, Part
from fedbounds.theory.language.symbols import (
    Du_2,
    Dv_2,
    K,
    gamma,
    k,
    m,
    n,
    t,
    variance_u,
    variance_v,
)
from fedbounds.theory.personalization.symbols import (
    Y_2,
    Dv_i,
    I_u,
    I_v,
    J_u,
    J_v,
    P_u,
    T_1u,
    T_1v,
    T_2u,
    T_2v,
    T_3u,
    X_u,
    X_v,
    Y_ik,
    s_vi,
)
from fedbounds.vocabulary import Index, Relation

from .lemmas import EFFECTIVE_STEP, FEDAVG_P, SMOOTH_NOISE
from .technical import BOTH

# Delta = g almost surely says E ||Delta - g||^2 = 0: the squares add up to twice the product
INCREMENTS = Claim(
    entry("personalization/alg-inc"),
    algorithms=BOTH,
    parts=(
        Part(
            name="u",
            left=Du_2(t) + I_u(t),
            right=2 * J_u(t),
            relation=Relation.EQUAL,
            conditions=(EFFECTIVE_STEP,),
        ),
        # I_v and J_v are sums over clients, Dv_2 is a mean
        Part(
            name="v",
            left=n * Dv_2(t) + I_v(t),
            right=2 * J_v(t),
            relation=Relation.EQUAL,
            conditions=(EFFECTIVE_STEP,),
        ),
    ),
)

EQUATION_A2 = Claim(
    entry("personalization/eq-A.2"),
    algorithms=BOTH,
    parts=(
        Part(
            name="u",
            left=X_u(t),
            right=T_1u(t),
            relation=Relation.EQUAL,
            conditions=(EFFECTIVE_STEP,),
            assumptions=SMOOTH_NOISE,
        ),
        Part(
            name="v",
            left=X_v(t),
            right=T_1v(t),
            relation=Relation.EQUAL,
            conditions=(EFFECTIVE_STEP,),
            assumptions=SMOOTH_NOISE,
        ),
    ),
)

_SAMPLED = 2 * gamma**2 * (n - m) / (m * n**2) * T_3u(t)

EQUATION_A3 = Claim(
    entry("personalization/eq-A.3"),
    algorithms=(FEDAVG_P,),
    parts=(
        Part(
            name="bound",
            left=Du_2(t),
            right=2 * T_2u(t) + 2 * _SAMPLED + 2 * K * gamma**2 * variance_u / m,
            conditions=(EFFECTIVE_STEP,),
            assumptions=SMOOTH_NOISE,
        ),
        Part(
            name="split",
            left=Du_2(t),
            right=2 * P_u(t) + 2 * gamma**2 / m**2 * Y_2(t),
            conditions=(EFFECTIVE_STEP,),
            assumptions=SMOOTH_NOISE,
        ),
        Part(
            name="participants",
            left=P_u(t),
            right=T_2u(t) + _SAMPLED,
            conditions=(EFFECTIVE_STEP,),
            assumptions=SMOOTH_NOISE,
        ),
        Part(
            name="noise",
            left=Y_ik(t, k),
            right=variance_u * m / n,
            index=Index.STEP,
            assumptions=SMOOTH_NOISE,
        ),
    ),
)

EQUATION_A4 = Claim(
    entry("personalization/eq-A.4"),
    algorithms=BOTH,
    parts=(
        Part(
            name="client",
            left=Dv_i(t),
            right=2 * gamma**2 * m / n * s_vi(t) + 2 * K * gamma**2 * variance_v * m / n,
            index=Index.CLIENT,
            conditions=(EFFECTIVE_STEP,),
            assumptions=SMOOTH_NOISE,
        ),
        Part(
            name="mean",
            left=Dv_2(t),
            right=2 * T_2v(t) + 2 * K * variance_v * gamma**2 * m / n,
            conditions=(EFFECTIVE_STEP,),
            assumptions=SMOOTH_NOISE,
        ),
    ),
)

CLAIMS = (INCREMENTS, EQUATION_A2, EQUATION_A3, EQUATION_A4)
