"""Claims about a rate: in the rounds R, and in the local steps K.

The rates themselves are lost in the text. That of Section 1 is read as O(1/R), with step sizes that
halve from stage to stage; Theorem 1 as the sheet has it keeps one step size for a run, and a
logarithm.
"""

import sympy as sp

from fedbounds.facts import Fact
from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.language.claims import Claim, Condition, Part, Reading
from fedbounds.theory.language.symbols import L, Mean_t, T, mu, n, t
from fedbounds.vocabulary import Index

from . import assumed, random_convex, rolling_lemmas, rolling_theorems
from .bounds import RANDOM_FLOOR, RATE_CONSTANT, ROLLING_FLOOR
from .ladders import rungs
from .names import RANDOM, ROUNDS_LADDERS, STEPS_LADDER
from .random_nonconvex import THEOREM_2
from .symbols import (
    B2,
    A_r,
    D_opt_0,
    D_r,
    F_r,
    G_lead,
    K_r,
    Phi,
    R_r,
    S_sub,
    g_Fp,
    gap_full_at_p,
    ln2_r,
    p_mean,
)
from .symbols_rounds import R_least, first_stage, log_R, v_mean

_ASSUMED = (
    Fact.SMOOTH,
    Fact.STRONGLY_CONVEX,
    Fact.NOISE,
    assumed.KEPT,
    assumed.BERNOULLI,
)


# Stage j has the step size eta 2^-j and lasts 2^j times as long as the first, after which what is
# left of the start is a quarter. So E ||w - w*(p)||^2 halves from stage to stage, from at most
# D + 4 floor on, where the floor is that of the first stage; R is 2^j - 1 times the first stage.
def _staged(
    name: str,
    algorithm: str,
    shrinks: sp.Expr,
    floor: sp.Expr,
    first_rounds: sp.Expr,
    short: Condition,
    assumptions: tuple[str, ...],
) -> Part:
    """E F - F(w*) <= L E ||w - w*(p)||^2 + L ||w*(p) - w*||^2, with Lemma 2 on the latter."""
    rate = (D_opt_0 + 4 * floor) * first_rounds / R_r(t)
    # ln 4 < 7/5
    quarter = Condition(shrinks * first_stage, ">=", sp.Rational(7, 5))
    return rungs(
        name,
        F_r(t),
        L * rate + L / mu**2 * gap_full_at_p,
        *assumptions,
        Fact.UNCONSTRAINED,
        conditions=(short, quarter),
        algorithm=algorithm,
    )


_RANDOM = _staged(
    "random",
    ROUNDS_LADDERS[0],
    random_convex.SHRINKS,
    RANDOM_FLOOR,
    first_stage,
    random_convex.short(10),
    _ASSUMED,
)
_ROLLING = _staged(
    "rolling",
    ROUNDS_LADDERS[1],
    rolling_theorems.SHRINKS,
    ROLLING_FLOOR,
    S_sub * first_stage,
    rolling_lemmas.short(10),
    rolling_theorems.STRONG,
)

# one step size for the whole run: 1 <= ln R, and eta K = 2 ln R / (mu pbar R) is at most 1/(10 L)
# on the shortest rung; ln R / R falls from there on
LONG = (Condition(R_least, ">=", sp.Integer(3)),)
RATED = (*LONG, Condition(20 * L * log_R, "<=", mu * p_mean * R_least))
_RATE = RATE_CONSTANT * ln2_r(t)
RATE = Claim(
    entry("submodel/claim-rate"),
    algorithms=ROUNDS_LADDERS,
    parts=(
        _RANDOM,
        _ROLLING,
        rungs("distance", D_r(t), _RATE, *_ASSUMED, conditions=RATED, algorithm=ROUNDS_LADDERS[0]),
        # grad F_p(w*(p)) = 0, so that the gap of gradients there is grad F
        rungs(
            "residual",
            A_r(t),
            sp.sqrt(gap_full_at_p * _RATE) + L / 2 * _RATE,
            *_ASSUMED,
            Fact.UNCONSTRAINED,
            conditions=RATED,
            algorithm=ROUNDS_LADDERS[0],
        ),
    ),
    readings=(
        Reading(
            "both methods: O(1/R) plus a residual, step sizes halved", parts=("random", "rolling")
        ),
        Reading("weaker: random masks, E ||w^R - w*(p)||^2 is O((ln R)^2/R)", parts=("distance",)),
        Reading("weaker: random masks, E F(w^R) tends to F(w*(p))", parts=("residual",)),
    ),
)

# Theorem 2 with its own step sizes, and 1 <= sqrt(T) <= T: nothing falls slower than 1/sqrt(T)
_CONSTANT = (
    32 * L * Phi
    + 2 * sp.sqrt(24 * L * Phi * v_mean / n)
    + 16 * L * Phi * n / 3 * (v_mean + B2) / v_mean
)
_TUNED = ("tuned, 1/(8L)", "tuned, root")
SPEEDUP = Claim(
    entry("submodel/claim-K-speedup"),
    algorithms=(RANDOM, *STEPS_LADDER),
    parts=(
        *(
            Part(
                name=f"rate, {tuned}",
                left=Mean_t(g_Fp(t)),
                right=_CONSTANT / sp.sqrt(T),
                index=Index.RUN,
                conditions=THEOREM_2.part(tuned).conditions,
                assumptions=THEOREM_2.part(tuned).assumptions,
                algorithm=RANDOM,
                trivial=THEOREM_2.part(tuned).trivial,
            )
            for tuned in _TUNED
        ),
        # at a fixed eta K and without sampling noise, the error of full models falls as 1/K
        rungs("steps", K_r(t + 1) * G_lead(t + 1), K_r(t) * G_lead(t), algorithm=STEPS_LADDER[0]),
    ),
    readings=(
        Reading(
            "in R: O(1/sqrt(R)), as with full models", parts=tuple(f"rate, {x}" for x in _TUNED)
        ),
        Reading("harsher, not in the text: the masks' part falls with K too", parts=("steps",)),
    ),
)

CLAIMS = (RATE, SPEEDUP)
