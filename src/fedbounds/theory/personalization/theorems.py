"""Theorems 3.7 and 3.11 and Corollary 3.8: convergence of FedAvg-P."""

import sympy as sp

from fedbounds.facts import Fact
from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.language.claims import AS_PRINTED, Claim, Condition, Multiplier, Part, Reading
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
    eta_u,
    eta_v,
    f,
    gamma,
    gamma_u,
    m,
    n,
    t,
    variance_u,
    variance_v,
)
from fedbounds.theory.personalization.symbols import G_0
from fedbounds.vocabulary import Index

from .lemmas import EFFECTIVE_STEP, FEDAVG_P, SMOOTH_NOISE

# F_0 is finite only for an objective that is bounded below
PARTIAL = (*SMOOTH_NOISE, Fact.DISSIMILARITY, Fact.BOUNDED_BELOW)
FULL = (*SMOOTH_NOISE, Fact.BOUNDED_BELOW)

NOISE_LEVEL = 4 * (n - m) * K * b2 / (m * n) + variance_u / m + m * variance_v / n
FULL_NOISE = variance_u / n + variance_v
MEASURED = Mean_t(G_u(t) + m / n * G_v(t))

# smoothness alone: ||grad_u f||^2 <= 2L (f - inf f), and the client mean of ||grad_v f_i||^2 too,
# at the worst round
TRIVIAL = Max_t((1 + m / n) * 2 * L * f(t))

# F_0 as the decrease actually made, instead of the distance to the infimum
DECREASE = Reading("F_0 = f(u^0, v^0) - E f(u^T, v^T)", "amb-3", substitute=((F_0, f(0) - f(T)),))
# the personal gradient summed over clients instead of averaged
SUMMED = Reading("G_v summed over clients", "amb-2", substitute=((G_v, n),))


def regimes(right: sp.Expr) -> tuple[tuple[str, sp.Expr], ...]:
    """The terms of a bound by the constant that drives them."""
    by_constant = {"transient": {F_0}, "noise": {variance_u, variance_v}, "heterogeneity": {b2}}
    terms = sp.Add.make_args(sp.expand(right))
    found = {
        name: sp.Add(*(term for term in terms if term.free_symbols & constants))
        for name, constants in by_constant.items()
    }
    return tuple((name, total) for name, total in found.items() if total != 0)


_BOUND_37 = (
    4 * F_0 / (T * K * gamma)
    + 12 * L * NOISE_LEVEL * gamma
    + 128 * L**2 * K * (K - 1) * b2 / eta_u**2 * gamma**2
)

THEOREM_37 = Claim(
    entry("personalization/thm-3.7"),
    algorithms=(FEDAVG_P,),
    parts=(
        Part(
            left=MEASURED,
            right=_BOUND_37,
            index=Index.RUN,
            conditions=(
                EFFECTIVE_STEP,
                Condition(eta_u, ">=", sp.sqrt(m)),
                Condition(eta_v, ">=", sp.sqrt(n / m)),
                Condition(gamma, "<=", 1 / (32 * L * K)),
            ),
            assumptions=PARTIAL,
            trivial=TRIVIAL,
        ),
    ),
    readings=(AS_PRINTED, SUMMED, DECREASE),
    schedules=({"gamma": 1 / (32 * L * K), "eta_u": sp.sqrt(m), "eta_v": sp.sqrt(n / m)},),
    proof_weights=(
        Multiplier("personalization/lem-3.1", "", 4 / (K * gamma)),
        Multiplier("personalization/lem-3.2", "u", 4 / (K * gamma)),
        Multiplier("personalization/lem-3.2", "v", 4 / (K * gamma)),
        Multiplier("personalization/lem-3.3", "u", 8 * L / (K * gamma)),
        Multiplier("personalization/lem-3.3", "v", 8 * L / (K * gamma)),
        Multiplier("personalization/lem-3.4", "", 16 * L * gamma * (n - m) / (m * n**2 * K)),
        Multiplier("personalization/lem-3.5", "", 16 * L**2 / (n * K)),
        Multiplier("personalization/lem-3.6", "a", 128 * L**2 * K * (K - 1) * gamma_u**2 / n),
    ),
    regimes=regimes(_BOUND_37),
)

_STEP_38 = 1 / (32 * L * K + sp.sqrt(3 * L * K * T / F_0 * NOISE_LEVEL))

COROLLARY_38 = Claim(
    entry("personalization/cor-3.8"),
    algorithms=(FEDAVG_P,),
    parts=(
        Part(
            left=MEASURED,
            right=8 * sp.sqrt(3 * NOISE_LEVEL * L * F_0 / (K * T)) + 129 * L * F_0 / T,
            index=Index.RUN,
            conditions=(
                EFFECTIVE_STEP,
                Condition(gamma, "==", _STEP_38),
                Condition(eta_v, ">=", sp.sqrt(n / m)),
                Condition(eta_u, ">=", sp.Max(sp.sqrt(m), sp.sqrt(b2 * T / (L * F_0)))),
            ),
            assumptions=PARTIAL,
            trivial=TRIVIAL,
        ),
    ),
    readings=(AS_PRINTED, SUMMED),
    schedules=(
        {
            "gamma": _STEP_38,
            "eta_u": sp.Max(sp.sqrt(m), sp.sqrt(b2 * T / (L * F_0))),
            "eta_v": sp.sqrt(n / m),
        },
    ),
)

_OUTER_311 = sp.Max(T, sp.sqrt(B_0 * T / (n * L * F_0)), sp.sqrt(n))
# the theorem prints B^0 with f in place of f_i, against the definition of B^t in section 3.2.1
LITERAL_B0 = Reading(
    "B^0 with f in place of f_i, as its last line prints", "amb-9", substitute=((B_0, n * G_0),)
)
_OUTER_LITERAL = _OUTER_311.subs(B_0, n * G_0)
_STEPS_311 = (
    Condition(m, "==", n),
    EFFECTIVE_STEP,
    Condition(eta_u, ">=", _OUTER_311),
    Condition(eta_v, ">=", sp.Integer(1)),
    Condition(gamma, "<=", 1 / (84 * L * K)),
)
_STEP_311 = 1 / (84 * L * K + sp.sqrt(11 * L * K * T / F_0 * FULL_NOISE))

_BOUND_311 = 4 * F_0 / (T * K * gamma) + 44 * L * FULL_NOISE * gamma + L * F_0 / T

# of (3.6)'s last term, by which sum_t B^t is multiplied; and 1 + r + ... + r^(T - 1 - t),
# r = 1 + 2 / (T - 1): how often the gap of lemma 3.6 at round t counts in that sum (T = 1 has no
# recursion)
_ON_SUM_B = 4 * L * K * gamma / (n * T * eta_u**2)
_LATER = sp.Max(T - 1, 1)
_COUNTED = _LATER * ((1 + 2 / _LATER) ** (T - t) - 1) / 2

THEOREM_311 = Claim(
    entry("personalization/thm-3.11"),
    algorithms=(FEDAVG_P,),
    parts=(
        Part(
            name="a",
            left=Mean_t(G_u(t) + G_v(t)),
            right=_BOUND_311,
            index=Index.RUN,
            conditions=_STEPS_311,
            assumptions=FULL,
            trivial=TRIVIAL,
        ),
        Part(
            name="b",
            left=Mean_t(G_u(t) + G_v(t)),
            right=8 * sp.sqrt(11 * L * F_0 / (K * T) * FULL_NOISE) + 337 * L * F_0 / T,
            index=Index.RUN,
            conditions=(*_STEPS_311, Condition(gamma, "==", _STEP_311)),
            assumptions=FULL,
            trivial=TRIVIAL,
        ),
    ),
    readings=(AS_PRINTED, SUMMED, LITERAL_B0),
    schedules=(
        {"gamma": 1 / (84 * L * K), "eta_u": _OUTER_311, "eta_v": sp.Integer(1)},
        {"gamma": 1 / (84 * L * K), "eta_u": _OUTER_LITERAL, "eta_v": sp.Integer(1)},
        {"gamma": _STEP_311, "eta_u": _OUTER_311, "eta_v": sp.Integer(1)},
    ),
    proof_weights=(  # of part a
        Multiplier("personalization/lem-3.1", "", 4 / (K * gamma)),
        Multiplier("personalization/lem-3.2", "u", 4 / (K * gamma)),
        Multiplier("personalization/lem-3.2", "v", 4 / (K * gamma)),
        Multiplier("personalization/lem-3.3", "u", 8 * L / (K * gamma)),
        Multiplier("personalization/lem-3.3", "v", 8 * L / (K * gamma)),
        Multiplier("personalization/lem-3.5", "", 16 * L**2 / (n * K)),
        Multiplier("personalization/lem-3.6", "b", T * _ON_SUM_B * _COUNTED),
        Multiplier("personalization/thm-3.11-sumB", "", _ON_SUM_B),
    ),
    regimes=regimes(_BOUND_311),
)

CLAIMS = (THEOREM_37, COROLLARY_38, THEOREM_311)
