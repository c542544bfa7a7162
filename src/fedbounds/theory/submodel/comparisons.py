"""Which of two numbers is larger: algorithms side by side, models, limits."""

import sympy as sp

from fedbounds.theory.catalogue import entry
from fedbounds.theory.claims import Claim, Condition, Part, Reading
from fedbounds.theory.symbols import K, L, T, eta, t
from fedbounds.vocabulary import Assumption, Index, Relation

from .bounds import ROLLING_FLOOR
from .names import OBJECTIVE, RANDOM_FULL, ROLLING, ROLLING_RANDOM, ROLLING_STATIC
from .symbols import (
    D_rand,
    D_roll,
    Eu_2,
    L_rand,
    L_roll,
    L_stat,
    S_sub,
    Su_2,
    drawn_floor,
    epoch_limit,
    fixed_floor,
    free_limit,
    gap_full_eq,
    gap_rand_eq,
    loss_opt,
    loss_scaled,
    loss_zero,
    rand_floor,
    rand_loss,
    roll_floor,
    roll_loss,
    round_limit,
    shuffle_floor,
    stat_loss,
    tg_full,
    tg_rand,
)

AFTER, LIMIT = "after T rounds", "as T grows"


def _less(name: str, left: sp.Expr, right: sp.Expr, *assumptions: Assumption) -> Part:
    return Part(name=name, left=left, right=right, index=Index.RUN, assumptions=assumptions)


# the permutation mode is the case's
ROLLING_BEATS_RANDOM = Claim(
    entry("submodel/claim-roll-vs-random"),
    algorithms=ROLLING_RANDOM,
    parts=(
        _less("loss", L_roll(T), L_rand(T)),
        _less("loss, limit", roll_loss, rand_loss),
        _less("distance", D_roll(T), D_rand(T)),
        _less("distance, limit", roll_floor, rand_floor),
    ),
    readings=(
        Reading(f"loss {AFTER}", parts=("loss",)),
        Reading(f"loss {LIMIT}", parts=("loss, limit",)),
        Reading(f"distance to the own optimum {AFTER}", parts=("distance",)),
        Reading(f"distance to the own optimum {LIMIT}", parts=("distance, limit",)),
    ),
)

ROLLING_BEATS_STATIC = Claim(
    entry("submodel/claim-static"),
    algorithms=ROLLING_STATIC,
    parts=(
        _less("loss", L_roll(T), L_stat(T)),
        _less("loss, limit", roll_loss, stat_loss),
        # of static masks: coordinates that nobody holds never move
        Part(name="unheld", left=Eu_2(t) + Su_2(t), right=Su_2(t), relation=Relation.EQUAL),
    ),
    readings=(
        Reading(f"loss {AFTER}", parts=("loss",)),
        Reading(f"loss {LIMIT}", parts=("loss, limit",)),
        Reading("coordinates held by nobody keep their start", parts=("unheld",)),
    ),
)

SMALLER_GAP = Claim(
    entry("submodel/claim-gap"),
    algorithms=RANDOM_FULL,
    parts=(
        _less("rounds", tg_rand(T), tg_full(T)),
        _less("loss", gap_rand_eq, gap_full_eq),
    ),
    readings=(
        Reading("at equal rounds", parts=("rounds",)),
        Reading("at equal training loss", parts=("loss",)),
    ),
)

_MODES = (
    ("shared", Assumption.SHARED_PARTITION),
    ("own permutations", Assumption.OWN_PERMUTATIONS),
    ("own partitions", Assumption.OWN_PARTITIONS),
    ("windows", Assumption.OVERLAPPING_WINDOWS),
)
_OTHERS = (("a fixed order", fixed_floor), ("drawing with replacement", drawn_floor))
SHUFFLING = Claim(
    entry("submodel/claim-shuffle"),
    algorithms=(ROLLING,),
    parts=tuple(
        _less(f"{mode}, {other}", shuffle_floor, floor, Assumption.COVERAGE, assumption)
        for mode, assumption in _MODES
        for other, floor in _OTHERS
    ),
    readings=tuple(
        Reading(f"{assumption.value}; against {other}", parts=(f"{mode}, {other}",))
        for mode, assumption in _MODES
        for other, _ in _OTHERS
    ),
)

SCALE = Claim(
    entry("submodel/claim-scale"),
    algorithms=OBJECTIVE,
    parts=(
        _less("scaled", loss_opt, loss_scaled, Assumption.KEPT, Assumption.EQUAL_KEEP),
        _less("zero", loss_opt, loss_zero, Assumption.KEPT),
    ),
    readings=(
        Reading("F(w*(p)) against F(p w*(p))", parts=("scaled",)),
        Reading("F(w*(p)) against F(0)", parts=("zero",)),
    ),
)


def _limit(name: str, left: sp.Expr) -> Part:
    return Part(
        name=name,
        left=left,
        right=ROLLING_FLOOR,
        index=Index.RUN,
        conditions=(Condition(eta * S_sub * K * L, "<=", sp.Rational(1, 10)),),
        assumptions=(
            Assumption.SMOOTH,
            Assumption.STRONGLY_CONVEX,
            Assumption.NOISE,
            Assumption.COVERAGE,
        ),
    )


# the floor of Theorem 3, which vanishes with eta
PROJECTION = Claim(
    entry("submodel/claim-projection"),
    algorithms=(ROLLING,),
    parts=(
        _limit("epoch", epoch_limit),
        _limit("round", round_limit),
        _limit("free", free_limit),
    ),
    readings=(
        Reading("projected once per epoch", parts=("epoch",)),
        Reading("projected once per round", parts=("round",)),
        Reading("not projected", parts=("free",)),
    ),
)

CLAIMS = (
    ROLLING_BEATS_RANDOM,
    ROLLING_BEATS_STATIC,
    SMALLER_GAP,
    SHUFFLING,
    SCALE,
    PROJECTION,
)
