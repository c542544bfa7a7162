"""The chain of Theorem 2.2: clients that are stopped take one local step a round, the others K.

n is the paper's K, K its T and T its R; A is K_g T + K_b, which the paper calls alpha. Sums over
kept and stopped clients are divided by n.
"""

import sympy as sp

from fedbounds.facts import Fact
from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.language.claims import Claim, Condition, Part, Reading
from fedbounds.theory.language.symbols import K, L, Mean_t, Sum_t, T, eta, f, n, sigma2, t
from fedbounds.vocabulary import Index, Relation

from . import assumed
from .names import EARLY_STOPPED
from .rounds import ALL, ANY_STEP, B_6, BOTH, CHAIN, ITS_STEP, NEAR, SPARSE, twice
from .sizes import (
    ALL_STEPS,
    NOISE_KEPT,
    OF_C_S,
    OF_LOCAL_STEP,
    OF_STOPPED_STEP,
    ROOT_C,
    ROOT_H,
    STOPPED,
    WIDE_KEPT,
    OF_D_delta,
)
from .symbols import (
    C_S,
    G_1,
    D_delta,
    Delta,
    Dw_2,
    G_f,
    K_b,
    K_g,
    V_g,
    X_b,
    X_be,
    X_f,
    X_g,
    X_ge,
    c,
    c_h,
    delta,
    g_b,
    g_g,
    gamma_g,
    mu_PL,
    sigma_h,
    u,
)

_PULL = eta * ROOT_C * ALL_STEPS / n
_PULLED = _PULL * (ROOT_H * G_f(t) + sigma_h * G_1(t))
_NOISY = (*NEAR, Fact.NOISE, *SPARSE)

EQ_19 = Claim(
    entry("meerkat/eq-19"),
    algorithms=EARLY_STOPPED,
    parts=(Part(left=X_f(t), right=-eta * (K * X_ge(t) + X_be(t)), relation=Relation.EQUAL),),
)
EQ_20 = Claim(
    entry("meerkat/eq-20"),
    algorithms=EARLY_STOPPED,
    parts=(
        Part(
            name="sums",
            left=X_f(t),
            right=-eta * (K * X_g(t) + X_b(t)),
            relation=Relation.EQUAL,
            assumptions=(Fact.NOISE,),
        ),
        Part(name="bracket", left=eta * (K * X_g(t) + X_b(t)), right=_PULLED, assumptions=_NOISY),
    ),
)
EQ_21 = Claim(
    entry("meerkat/eq-21"),
    algorithms=EARLY_STOPPED,
    parts=(Part(left=f(t + 1), right=f(t) - _PULLED + L / 2 * Dw_2(t), assumptions=CHAIN),),
)
SECOND_MOMENT = Claim(
    entry("meerkat/vp-secmom"),
    algorithms=EARLY_STOPPED,
    parts=(
        Part(
            left=Dw_2(t),
            right=eta**2 * (2 + u) * c * (K**2 * g_g(t) + g_b(t)),
            assumptions=(Fact.NOISE, *B_6),
        ),
    ),
)


def _kept(name: str, conditions: tuple[Condition, ...]) -> Part:
    return Part(
        name=name,
        left=K * g_g(t),
        right=2 * L * (2 + u) / c * V_g(t) + K * sigma2 * K_g / n,
        conditions=conditions,
        assumptions=(Fact.SMOOTH, Fact.NOISE, *B_6),
    )


EQ_23 = Claim(
    entry("meerkat/eq-23"),
    algorithms=EARLY_STOPPED,
    parts=(
        _kept("any step", ()),
        _kept("step of (7)", (OF_LOCAL_STEP,)),
        Part(
            name="stopped",
            left=g_b(t),
            right=K_b / n * ((2 + 2 * c_h) * G_f(t) + 2 * sigma_h**2),
            assumptions=NEAR,
        ),
        Part(
            name="stopped, sigma_h once",
            left=g_b(t),
            right=K_b / n * ((2 + 2 * c_h) * G_f(t) + sigma_h**2),
            assumptions=NEAR,
        ),
    ),
    readings=(
        Reading(ANY_STEP, parts=("any step", "stopped")),
        Reading(ITS_STEP, parts=("step of (7)", "stopped")),
        Reading("sigma_h^2 in place of 2 sigma_h^2, as one display prints",
                parts=("any step", "stopped, sigma_h once")),
    ),
)  # fmt: skip


_SLOPE = (STOPPED - eta * ROOT_C * ALL_STEPS) / n
EQ_24 = Claim(
    entry("meerkat/eq-24"),
    algorithms=EARLY_STOPPED,
    parts=twice(CHAIN)(
        f(t + 1),
        f(t) + _SLOPE * G_f(t) - _PULL * sigma_h * G_1(t) + WIDE_KEPT * V_g(t) + NOISE_KEPT,
        Index.ROUND,
    ),
    readings=BOTH,
)
_SUMMED = _SLOPE * Sum_t(G_f(t)) - _PULL * sigma_h * Sum_t(G_1(t)) + WIDE_KEPT * Sum_t(V_g(t))
_PRINTED_IN_25 = NOISE_KEPT.subs(sigma_h**2, sigma2)
EQ_25 = Claim(
    entry("meerkat/eq-25"),
    algorithms=EARLY_STOPPED,
    parts=(
        *twice(CHAIN)(f(T) - f(0), _SUMMED + NOISE_KEPT * T, Index.RUN),
        Part(
            name="sigma^2",
            left=f(T) - f(0),
            right=_SUMMED + _PRINTED_IN_25 * T,
            index=Index.RUN,
            assumptions=CHAIN,
        ),
    ),
    readings=(
        *BOTH,
        Reading("2 K_b sigma^2 in place of 2 K_b sigma_h^2, as (25) prints", parts=("sigma^2",)),
    ),
)
EQ_26 = Claim(
    entry("meerkat/eq-26"),
    algorithms=EARLY_STOPPED,
    parts=(
        Part(
            left=Sum_t(G_1(t)),
            right=sp.sqrt(T) * sp.sqrt(Sum_t(G_f(t))),
            index=Index.RUN,
        ),
    ),
)
_YOUNG = eta**2 * c * ALL_STEPS**2 * sigma_h**2 * delta / (2 * n**2)
EQ_27 = Claim(
    entry("meerkat/eq-27"),
    algorithms=EARLY_STOPPED,
    parts=twice(CHAIN)(
        f(T) - f(0),
        (_SLOPE + 1 / (2 * delta)) * Sum_t(G_f(t))
        + _YOUNG * T
        + WIDE_KEPT * Sum_t(V_g(t))
        + NOISE_KEPT * T,
        Index.RUN,
    ),
    readings=BOTH,
)
AT_MOST_ONE = Condition(gamma_g, "<=", sp.Integer(1))


def _share(name: str, condition: Condition) -> Part:
    return Part(
        name=name,
        left=Sum_t(V_g(t)),
        right=gamma_g * (Sum_t(f(t)) + L * T / 2 * Delta),
        index=Index.RUN,
        conditions=(condition,),
        assumptions=(Fact.SMOOTH, assumed.OPTIMA),
    )


GAMMA = Claim(
    entry("meerkat/vp-gamma"),
    algorithms=EARLY_STOPPED,
    parts=(
        _share("one", Condition(gamma_g, "==", sp.Integer(1))),
        _share("any", AT_MOST_ONE),
    ),
    readings=(
        Reading("for some gamma <= 1, as 1 is", parts=("one",)),
        Reading("for every gamma <= 1 that is set, harsh", parts=("any",)),
    ),
)
# positive, as D_delta and C_S are
OF_D_IS, OF_C_S_IS = Condition(OF_D_delta, "==", D_delta), Condition(OF_C_S, "==", C_S)
_DEFINED = (OF_D_IS, OF_C_S_IS, AT_MOST_ONE)
_SHARED = (*ALL, assumed.SHARE)
EQ_28 = Claim(
    entry("meerkat/eq-28"),
    algorithms=EARLY_STOPPED,
    parts=twice(_SHARED, _DEFINED)(
        C_S * Mean_t(f(t)),
        (f(0) - f(T)) / T
        + eta**2 * c * ALL_STEPS**2 * sigma_h**2 / (2 * n * D_delta)
        + L / 2 * WIDE_KEPT * gamma_g * Delta
        + NOISE_KEPT,
        Index.RUN,
    ),
    readings=BOTH,
)
_RIGHT = (
    4 * n**2 * (2 + u) ** 2 * L**2 * K * gamma_g * f(0) / (mu_PL**2 * c * ALL_STEPS**2 * T)
    + sigma_h**2 / 2
    + (2 + u) * L / 4 * Delta
    + c * (K**2 * sigma2 * K_g + 2 * K_b * sigma_h**2) / (4 * n * (2 + u) * L * K * gamma_g)
)


def _explicit(name: str, conditions: tuple[Condition, ...]) -> Part:
    return Part(
        name=name,
        left=Mean_t(f(t)),
        right=_RIGHT,
        index=Index.RUN,
        conditions=(OF_STOPPED_STEP, AT_MOST_ONE, *conditions),
        assumptions=_SHARED,
    )


EXPLICIT = Claim(
    entry("meerkat/thm-2.2-explicit"),
    algorithms=EARLY_STOPPED,
    parts=(
        _explicit("as the theorem says", ()),
        _explicit("D_delta positive", (Condition(OF_D_delta, "==", D_delta),)),
    ),
    readings=(
        Reading("with D_delta > 0, as the proof requires", parts=("D_delta positive",)),
        Reading("without it, as the theorem says", parts=("as the theorem says",)),
    ),
)

# an O hides constants; those of the explicit bound stand in
ORDER = Claim(
    entry("meerkat/thm-2.2-O"),
    algorithms=EARLY_STOPPED,
    parts=EXPLICIT.parts,
    readings=EXPLICIT.readings,
)

CLAIMS = (
    EQ_19, EQ_20, EQ_21, SECOND_MOMENT, EQ_23, EQ_24, EQ_25, EQ_26, EQ_27, GAMMA, EQ_28,
    EXPLICIT, ORDER,
)  # fmt: skip
