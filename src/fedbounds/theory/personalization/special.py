"""Remarks 3.9 and 3.12, and the corollaries with one block dropped (d_v = 0 or d_u = 0).

The outer step of an absent block is free, and so is its part of gamma_u eta_u = gamma_v eta_v:
gamma is then the effective step size of the block that is there.
"""

from dataclasses import replace

import sympy as sp

from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.language.claims import Claim, Condition, Part, Reading
from fedbounds.theory.language.symbols import (
    B_0,
    F_0,
    G_u,
    G_v,
    K,
    L,
    Max_t,
    Mean_t,
    T,
    b2,
    d_u,
    d_v,
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
from fedbounds.vocabulary import Index

from .lemmas import FEDAVG_P
from .theorems import COROLLARY_38, FULL, PARTIAL, THEOREM_311

_ONE = sp.Integer(1)
_NO_SHARED = Condition(d_u, "==", sp.Integer(0))
_NO_PERSONAL = Condition(d_v, "==", sp.Integer(0))
_FULL_PARTICIPATION = Condition(m, "==", n)
_ONE_STEP = Condition(K, "==", _ONE)
_PLAIN_AVERAGE = (Condition(eta_u, "==", _ONE), Condition(eta_v, "==", _ONE))
_OUTER = "outer step"
VANILLA = "vanilla FedAvg, whose server takes the plain average: eta_u = 1"

# ||grad f||^2 <= 2L (f - inf f) for the block that is there; of all clients' f_i, on average
_TRIVIAL = Max_t(2 * L * f(t))

# ---- section 3.2.3

_LEVEL_SHARED = 4 * (n - m) * K * b2 / (m * n) + variance_u / m

_STEP_SHARED = 1 / (32 * L * K + sp.sqrt(3 * L * K * T / F_0 * _LEVEL_SHARED))
_SHARED = Part(
    name=_OUTER,
    left=Mean_t(G_u(t)),
    right=8 * sp.sqrt(3 * _LEVEL_SHARED * L * F_0 / (K * T)) + 129 * L * F_0 / T,
    index=Index.RUN,
    conditions=(
        _NO_PERSONAL,
        Condition(gamma, "==", _STEP_SHARED),
        Condition(eta_u, ">=", sp.Max(sp.sqrt(m), sp.sqrt(b2 * T / (L * F_0)))),
    ),
    assumptions=PARTIAL,
    trivial=_TRIVIAL,
)

# "the rate of FedAvg": with the corollary's outer step, or with the plain average of FedAvg itself
SPECIAL_323_SHARED = Claim(
    entry("personalization/spec-3.2.3-shared"),
    algorithms=(FEDAVG_P,),
    parts=(
        _SHARED,
        replace(_SHARED, name="vanilla", conditions=(*_SHARED.conditions[:2], *_PLAIN_AVERAGE)),
    ),
    readings=(
        Reading("as printed, with the outer step of Corollary 3.8", parts=(_OUTER,)),
        Reading(VANILLA, parts=("vanilla",)),
    ),
    schedules=({"gamma": _STEP_SHARED, "eta_u": _ONE, "eta_v": _ONE},),
)

SPECIAL_323_PERSONAL = Claim(
    entry("personalization/spec-3.2.3-personal"),
    algorithms=(FEDAVG_P,),
    parts=(
        Part(
            left=Mean_t(G_v(t)),
            right=8 * sp.sqrt(3 * variance_v * L * F_0 / T) + 129 * L * F_0 / T,
            index=Index.RUN,
            conditions=(
                _NO_SHARED,
                _ONE_STEP,
                _FULL_PARTICIPATION,
                Condition(gamma, "==", 1 / (32 * L + sp.sqrt(3 * L * T / F_0 * variance_v))),
                Condition(eta_v, ">=", _ONE),
            ),
            # there is no u-gradient whose dissimilarity could be bounded
            assumptions=FULL,
            trivial=_TRIVIAL,
        ),
    ),
)

# ---- section 3.3.2 and Remark 3.12

_FEDAVG_STEP = 1 / (84 * L * K + sp.sqrt(11 * L * K * T / F_0 * variance_u / n))
_FEDAVG = Part(
    left=Mean_t(G_u(t)),
    right=8 * sp.sqrt(11 * variance_u * L * F_0 / (n * K * T)) + 337 * L * F_0 / T,
    index=Index.RUN,
    assumptions=FULL,
    trivial=_TRIVIAL,
)

_FEDAVG_RUNS = (_NO_PERSONAL, _FULL_PARTICIPATION, Condition(gamma, "==", _FEDAVG_STEP))
_VANILLA = replace(_FEDAVG, name="vanilla", conditions=(*_FEDAVG_RUNS, *_PLAIN_AVERAGE))

SPECIAL_332 = Claim(
    entry("personalization/spec-3.3.2"),
    algorithms=(FEDAVG_P,),
    parts=(
        replace(
            _FEDAVG,
            name=_OUTER,
            conditions=(
                *_FEDAVG_RUNS,
                Condition(eta_u, ">=", sp.Max(T, sp.sqrt(B_0 * T / (n * L * F_0)), sp.sqrt(n))),
            ),
        ),
        _VANILLA,
    ),
    readings=(
        Reading("as printed, with the outer step of Theorem 3.11", parts=(_OUTER,)),
        Reading(VANILLA, parts=("vanilla",)),
    ),
)

# The remark rests on Theorem 3.11, whose outer steps grow with T. Section 1.1 says the same of
# "the FedAvg method", against earlier analyses of "vanilla FedAvg" without "algorithmic
# adjustments": plain averaging, no v, outer step 1, at the rate of section 3.3.2.
REMARK_312 = Claim(
    entry("personalization/rem-3.12"),
    algorithms=(FEDAVG_P,),
    parts=(
        replace(THEOREM_311.part("b"), name="remark"),
        _VANILLA,
    ),
    # the remark speaks of FedAvg-P as analysed; the introduction of "vanilla FedAvg"
    readings=(
        Reading("the remark", parts=("remark",)),
        Reading("vanilla FedAvg, as in the introduction: eta_u = 1", parts=("vanilla",)),
    ),
    schedules=({"gamma": _FEDAVG_STEP, "eta_u": _ONE, "eta_v": _ONE},),
)

# ---- Remark 3.9: the bound of Corollary 3.8 as a function of its parameters

_BOUND = COROLLARY_38.part("").right
# what is left of it as T grows: the term in 1/sqrt(T)
_LEADING = _BOUND - 129 * L * F_0 / T
_PARTICIPANTS = Condition(m, "<=", n)


def _no_less(name: str, left: sp.Expr, right: sp.Expr, limit: Condition = _PARTICIPANTS) -> Part:
    return Part(
        name=name,
        left=left,
        right=right,
        index=Index.POINT,
        conditions=(limit,),
        assumptions=PARTIAL,
    )


REMARK_39 = Claim(
    entry("personalization/rem-3.9"),
    algorithms=("bound",),
    parts=(
        # larger values slow down
        *(_no_less(x.name, _BOUND, _BOUND.subs(x, 2 * x)) for x in (variance_u, variance_v, b2, L)),
        # more local steps, more participants accelerate
        _no_less("K", _BOUND.subs(K, K + 1), _BOUND),
        _no_less("m", _BOUND.subs(m, m + 1), _BOUND, Condition(m + 1, "<=", n)),
        # Linear speed-up: the rounds to an accuracy fall as 1/K, in the limit of small accuracy,
        # where the 1/sqrt(T) term rules: twice the steps do what twice the rounds do. At b^2 = 0,
        # and for m at sigma_v^2 = 0, the limits of "sufficiently small".
        _no_less(
            "speed-up in K",
            _LEADING.subs(b2, 0).subs(K, 2 * K),
            _LEADING.subs(b2, 0).subs(T, 2 * T),
        ),
        _no_less(
            "speed-up in m",
            _LEADING.subs(variance_v, 0).subs(m, 2 * m),
            _LEADING.subs(variance_v, 0).subs(T, 2 * T),
            Condition(2 * m, "<=", n),
        ),
    ),
)

# ---- section 4.3.1: Scaffold-P. An O hides constants; those of Corollary 4.6 stand in

_GROWTH = sp.Max(1, n ** sp.Rational(2, 3) / m)

EQUATION_46 = Claim(
    entry("personalization/eq-4.6"),
    algorithms=("Scaffold-P",),
    parts=(
        Part(
            left=Mean_t(G_u(t)),
            right=8 * sp.sqrt(37 * L * F_0 / (K * T) * variance_u / m)
            + 288 * L * F_0 / T * _GROWTH,
            index=Index.RUN,
            conditions=(
                _NO_PERSONAL,
                Condition(
                    gamma,
                    "==",
                    1 / (72 * L * K * _GROWTH + sp.sqrt(37 * L * K * T / F_0 * variance_u / m)),
                ),
                Condition(eta_u, ">=", sp.sqrt(m)),
            ),
            assumptions=FULL,
            trivial=_TRIVIAL,
        ),
    ),
)

_PSGD = Part(
    name="any m",
    left=Mean_t(m / n * G_v(t)),
    right=8 * sp.sqrt(37 * L * F_0 / T * variance_v * m / n) + 288 * L * F_0 / T * _GROWTH,
    index=Index.RUN,
    conditions=(
        _NO_SHARED,
        _ONE_STEP,
        Condition(
            gamma,
            "==",
            1 / (72 * L * _GROWTH + sp.sqrt(37 * L * T / F_0 * variance_v * m / n)),
        ),
        Condition(eta_v, ">=", sp.sqrt(n / m)),
    ),
    assumptions=FULL,
    trivial=m / n * _TRIVIAL,
)

# section 4.3.1 leaves m free; section 4.1 calls it parallel SGD at m = n
SPECIAL_431_PSGD = Claim(
    entry("personalization/spec-4.3.1-psgd"),
    algorithms=("Scaffold-P",),
    parts=(
        _PSGD,
        replace(_PSGD, name="m = n", conditions=(_FULL_PARTICIPATION, *_PSGD.conditions)),
    ),
    readings=(
        Reading("any m, as section 4.3.1 has it", parts=("any m",)),
        Reading("m = n, as section 4.1 has it", parts=("m = n",)),
    ),
)

CLAIMS = (
    SPECIAL_323_SHARED,
    SPECIAL_323_PERSONAL,
    SPECIAL_332,
    REMARK_312,
    REMARK_39,
    EQUATION_46,
    SPECIAL_431_PSGD,
)
