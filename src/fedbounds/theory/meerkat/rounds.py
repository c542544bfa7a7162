"""The chain of Theorem 2.1, from one round to the sum over all of them.

n is the paper's K, K its T and T its R. A sum over clients and local steps is n K times its mean;
one over clients, divided by their number, is the mean.
"""

from collections.abc import Callable
from dataclasses import replace

import sympy as sp

from fedbounds.facts import Fact
from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.language.claims import Claim, Condition, Part, Reading
from fedbounds.theory.language.symbols import K, L, Mean_t, Sum_t, T, eta, f, n, sigma2, t
from fedbounds.vocabulary import Index, Relation

from . import assumed
from .names import MEERKAT
from .sizes import (
    LOCAL_STEP,
    NOISE,
    OF_LOCAL_STEP,
    OF_Q,
    OF_STEP,
    PULL,
    ROOT_C,
    ROOT_H,
    WIDE,
    YOUNG,
    OF_q,
)
from .symbols import (
    G_1,
    Delta,
    Dw_2,
    G_f,
    Q,
    V_m,
    X_est,
    X_f,
    X_mask,
    X_own,
    c,
    delta,
    est_m,
    mu_PL,
    q_17,
    sigma_h,
    u,
)

SMOOTH, PL = (Fact.SMOOTH,), (Fact.PL,)
NEAR, SPARSE = (assumed.HETEROGENEITY,), (assumed.SPARSE,)
B_6 = (*SPARSE, assumed.SPARSE_SAMPLES)  # of client gradients, and of those of samples
ALL = (*SMOOTH, *PL, *NEAR, Fact.NOISE, assumed.OPTIMA, *B_6)

ANY_STEP, ITS_STEP = "with any step size, as printed", "with the step size of (7)"

EQ_8 = Claim(
    entry("meerkat/eq-8"),
    algorithms=MEERKAT,
    parts=(Part(left=f(t + 1), right=f(t) + X_f(t) + L / 2 * Dw_2(t), assumptions=SMOOTH),),
)


def _equal(name: str, left: sp.Expr, right: sp.Expr) -> Part:
    return Part(name=name, left=left, right=right, relation=Relation.EQUAL)


EQ_9 = Claim(
    entry("meerkat/eq-9"),
    algorithms=MEERKAT,
    parts=(
        _equal("printed", X_own(t), -eta * K * X_est(t)),
        _equal("global", X_f(t), -eta * K * X_est(t)),
        Part(
            name="unbiased",
            left=X_est(t),
            right=X_mask(t),
            relation=Relation.EQUAL,
            assumptions=(Fact.NOISE,),
        ),
    ),
    readings=(
        Reading("the gradient of f on both sides", parts=("global", "unbiased")),
        Reading("the gradient of f_k on the left, as printed", parts=("printed",)),
    ),
)


# ---- one round


def _pulled(sign: int) -> sp.Expr:
    """eta T sqrt(c) (1 + sqrt(c_h)) ||grad f||^2 + eta T sqrt(c) sigma_h ||grad f||."""
    return sign * (PULL * G_f(t) + eta * K * ROOT_C * sigma_h * G_1(t))


# Assumption B.3 is about the models that are sent: of those after local steps it says nothing
_SHORT = Condition(eta, "<=", LOCAL_STEP)
SHORT_STEPS = (
    Reading("with step sizes up to that of (7)", parts=("short steps",)),
    Reading("with such step sizes, of convex quadratics", parts=("quadratics",)),
    Reading("with any step size, as printed, harsh", parts=("any step",)),
)


def _of_steps(left: sp.Expr, right: sp.Expr, assumptions: tuple[str, ...]) -> tuple[Part, ...]:
    every: tuple[tuple[str, tuple[Condition, ...], tuple[str, ...]], ...] = (
        ("short steps", (_SHORT,), SMOOTH),
        ("quadratics", (_SHORT,), (*SMOOTH, Fact.QUADRATIC, Fact.CONVEX)),
        ("any step", (), ()),
    )
    return tuple(
        Part(name=name, left=left, right=right, conditions=conditions,
             assumptions=(*smooth, *assumptions))
        for name, conditions, smooth in every
    )  # fmt: skip


CHAINED = Claim(
    entry("meerkat/cs-chain"),
    algorithms=MEERKAT,
    parts=_of_steps(X_mask(t), ROOT_C * (ROOT_H * G_f(t) + sigma_h * G_1(t)), (*NEAR, *SPARSE)),
    readings=SHORT_STEPS,
)
EQ_10 = Claim(
    entry("meerkat/eq-10"),
    algorithms=MEERKAT,
    parts=_of_steps(_pulled(-1), X_f(t), (*NEAR, Fact.NOISE, *SPARSE)),
    readings=SHORT_STEPS,
)

EQ_11 = Claim(
    entry("meerkat/eq-11"),
    algorithms=MEERKAT,
    parts=(
        Part(
            name="descent",
            left=f(t + 1),
            right=f(t) + _pulled(-1) + L / 2 * Dw_2(t),
            assumptions=(*SMOOTH, *NEAR, Fact.NOISE, *SPARSE),
        ),
        Part(name="squares", left=Dw_2(t), right=eta**2 * K**2 * est_m(t)),
    ),
)


def twice(
    assumptions: tuple[str, ...], conditions: tuple[Condition, ...] = ()
) -> Callable[[sp.Expr, sp.Expr, Index], tuple[Part, Part]]:
    """A part with any step size, and one with that of (7)."""

    def parts(left: sp.Expr, right: sp.Expr, index: Index) -> tuple[Part, Part]:
        first, second = (
            Part(
                name=more,
                left=left,
                right=right,
                index=index,
                conditions=(*conditions, *own),
                assumptions=assumptions,
            )
            for more, own in (("any step", ()), ("step of (7)", (OF_LOCAL_STEP,)))
        )
        return first, second

    return parts


BOTH = (
    Reading(ANY_STEP, parts=("any step",)),
    Reading(ITS_STEP, parts=("step of (7)",)),
)
CHAIN = (*SMOOTH, *NEAR, Fact.NOISE, *B_6)
_GAPS = WIDE * V_m(t)

EQ_12 = Claim(
    entry("meerkat/eq-12"),
    algorithms=MEERKAT,
    parts=twice(CHAIN)(f(t + 1), f(t) + _pulled(-1) + _GAPS + NOISE, Index.ROUND),
    readings=BOTH,
)

# ---- summed over all rounds

_S, _ROOTS = Sum_t(G_f(t)), Sum_t(G_1(t))
EQ_13 = Claim(
    entry("meerkat/eq-13"),
    algorithms=MEERKAT,
    parts=twice(CHAIN)(
        f(T) - f(0),
        -PULL * _S - eta * K * ROOT_C * sigma_h * _ROOTS + Sum_t(_GAPS) + NOISE * T,
        Index.RUN,
    ),
    readings=BOTH,
)

# eta T sqrt(c) (1 + sqrt(c_h)) - 1/(2 delta) >= 0
PRINTED_DELTA = Condition(delta, ">=", 1 / (2 * PULL))
EQ_14 = Claim(
    entry("meerkat/eq-14"),
    algorithms=MEERKAT,
    parts=twice(CHAIN)(
        (PULL - 1 / (2 * delta)) * _S,
        f(0) - f(T) + YOUNG * T + Sum_t(_GAPS) + NOISE * T,
        Index.RUN,
    ),
    readings=BOTH,
)

GAP = Claim(
    entry("meerkat/gap-lemma"),
    algorithms=MEERKAT,
    parts=(
        Part(
            name="clients",
            left=V_m(t),
            right=f(t) + L / 2 * Delta,
            assumptions=(*SMOOTH, assumed.OPTIMA),
        ),
        Part(
            name="summed",
            left=Sum_t(V_m(t)),
            right=Sum_t(f(t)) + L * T / 2 * Delta,
            index=Index.RUN,
            assumptions=(*SMOOTH, assumed.OPTIMA),
        ),
    ),
)

_OF_DELTA = YOUNG + L / 2 * WIDE * Delta + NOISE
EQ_15 = Claim(
    entry("meerkat/eq-15"),
    algorithms=MEERKAT,
    parts=twice(ALL, (PRINTED_DELTA,))(OF_Q * Sum_t(f(t)), f(0) - f(T) + _OF_DELTA * T, Index.RUN),
    readings=BOTH,
)

POSITIVE_Q = Condition(OF_Q, "==", Q)


def _divided(name: str, divisor: sp.Expr, conditions: tuple[Condition, ...]) -> Part:
    return Part(
        name=name,
        left=Mean_t(f(t)),
        right=(f(0) - f(T)) / (T * divisor) + _OF_DELTA / divisor,
        index=Index.RUN,
        conditions=(PRINTED_DELTA, *conditions),
        assumptions=ALL,
    )


EQ_16 = Claim(
    entry("meerkat/eq-16"),
    algorithms=MEERKAT,
    parts=(
        _divided("any step", Q, (POSITIVE_Q,)),
        _divided("step of (7)", Q, (POSITIVE_Q, OF_LOCAL_STEP)),
        _divided("any sign", OF_Q, ()),
    ),
    readings=(
        *BOTH,
        Reading("Q of any sign, as the printed condition allows, harsh", parts=("any sign",)),
    ),
)

# ---- Young's parameter and the step size

POSITIVE_q = Condition(OF_q, "==", q_17)
EQ_17 = Claim(
    entry("meerkat/eq-17"),
    algorithms=MEERKAT,
    parts=twice(ALL, (POSITIVE_q,))(
        Mean_t(f(t)),
        (f(0) - f(T)) / (T * eta * K * q_17)
        + ROOT_C * sigma_h**2 / (2 * ROOT_H * q_17)
        + L**3 * eta * (2 + u) ** 2 * Delta / (2 * q_17)
        + L * eta * K * (2 + u) * c * sigma2 / (2 * q_17),
        Index.RUN,
    ),
    readings=BOTH,
)
EXPLICIT = Claim(
    entry("meerkat/thm-2.1-explicit"),
    algorithms=MEERKAT,
    parts=(
        Part(
            left=Mean_t(f(t)),
            right=4 * L**2 * (2 + u) ** 2 / (mu_PL**2 * c * ROOT_H**2 * K * T) * f(0)
            + sigma_h**2 / (mu_PL * ROOT_H**2)
            + L * Delta
            + K * c * sigma2 / (2 * L * (2 + u)),
            index=Index.RUN,
            conditions=(OF_STEP,),
            assumptions=ALL,
        ),
    ),
)

# an O hides constants: those of the explicit bound stand in, or at T = 1 those of what is true
# instead; if it may hide what the start is, O(1) alone bounds every run, and nothing is said
_TRUE_ONCE = 2 * L**2 * (2 + u) ** 2 / (mu_PL**2 * c * ROOT_C * ROOT_H * T) * (f(0) - f(T))
_ONCE = Condition(K, "==", sp.Integer(1))
ORDER = Claim(
    entry("meerkat/thm-2.1-O"),
    algorithms=MEERKAT,
    parts=(
        replace(EXPLICIT.parts[0], name="explicit"),
        Part(
            name="T = 1",
            left=Mean_t(f(t)),
            right=_TRUE_ONCE + ROOT_H * sigma2 / (4 * ROOT_C * L * (2 + u) * n),
            index=Index.RUN,
            conditions=(OF_STEP, _ONCE),
            assumptions=(*ALL, assumed.EXACT, assumed.SHARED, assumed.GLOBAL),
        ),
    ),
    readings=(
        Reading("with the constants of the explicit bound", parts=("explicit",)),
        Reading(
            "at T = 1, where the mask keeps its share of the global gradient too, with constants "
            "of L, mu, c and c_h",
            parts=("T = 1",),
        ),
    ),
)

CLAIMS = (
    EQ_8, EQ_9, CHAINED, EQ_10, EQ_11, EQ_12, EQ_13, EQ_14, GAP, EQ_15, EQ_16, EQ_17, EXPLICIT,
    ORDER,
)  # fmt: skip
