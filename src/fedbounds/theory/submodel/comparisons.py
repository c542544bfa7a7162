"""Which of two numbers is larger: algorithms side by side, models, limits."""

import sympy as sp

from fedbounds.facts import Fact
from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.language.claims import Claim, Condition, Part, Reading
from fedbounds.theory.language.symbols import K, L, T, eta, sigma2, t
from fedbounds.vocabulary import Index, Relation

from . import assumed
from .bounds import FARTHEST, ROLLING_FLOOR
from .names import RANDOM_FULL, ROLLING, ROLLING_RANDOM, ROLLING_STATIC
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
    rand_floor,
    rand_loss,
    roll_floor,
    roll_loss,
    round_limit,
    shuffle_floor,
    stat_loss,
    tg_full,
    tg_rand,
    tg_scaled,
)

AFTER, LIMIT = "after T rounds", "as T grows"
SMALL = Condition(eta * S_sub * K * L, "<=", sp.Rational(1, 10))
_FULL_GRADIENTS = Condition(sigma2, "==", sp.Integer(0))


def _less(
    name: str,
    left: sp.Expr,
    right: sp.Expr,
    *assumptions: str,
    conditions: tuple[Condition, ...] = (),
) -> Part:
    return Part(
        name=name,
        left=left,
        right=right,
        index=Index.RUN,
        conditions=conditions,
        assumptions=assumptions,
    )


# The figures show ResNets; what the theory says of rolling masks is that runs end nearer to what
# they aim at, with the step sizes of Theorem 3: shuffling takes away the masks' noise, but none of
# the samples'. The losses at these points, F(w*(M)) and F(w*(p)), differ either way. The
# permutation mode is the case's.
ROLLING_BEATS_RANDOM = Claim(
    entry("submodel/claim-roll-vs-random"),
    algorithms=ROLLING_RANDOM,
    parts=(
        _less(
            "distance, limit, full gradients",
            roll_floor,
            rand_floor,
            Fact.SMOOTH,
            conditions=(SMALL, _FULL_GRADIENTS),
        ),
        _less(
            "distance, limit, short steps",
            roll_floor,
            rand_floor,
            Fact.SMOOTH,
            conditions=(SMALL,),
        ),
        _less("loss, limit, short steps", roll_loss, rand_loss, Fact.SMOOTH, conditions=(SMALL,)),
        _less("distance, limit", roll_floor, rand_floor),
        _less("loss, limit", roll_loss, rand_loss),
        _less("distance", D_roll(T), D_rand(T)),
        _less("loss", L_roll(T), L_rand(T)),
    ),
    readings=(
        Reading(
            f"distance {LIMIT}, steps of Theorem 3, full gradients",
            parts=("distance, limit, full gradients",),
        ),
        Reading(
            f"distance {LIMIT}, steps of Theorem 3",
            parts=("distance, limit, short steps",),
        ),
        Reading(f"loss {LIMIT}, steps of Theorem 3", parts=("loss, limit, short steps",)),
        Reading(f"harsher: distance {LIMIT}, any steps", parts=("distance, limit",)),
        Reading(f"harsher: loss {LIMIT}, any steps", parts=("loss, limit",)),
        Reading(f"harsher: distance {AFTER}, any T", parts=("distance",)),
        Reading(f"harsher: loss {AFTER}, any T", parts=("loss",)),
    ),
)

ROLLING_BEATS_STATIC = Claim(
    entry("submodel/claim-static"),
    algorithms=ROLLING_STATIC,
    parts=(
        _less("loss, limit, short steps", roll_loss, stat_loss, Fact.SMOOTH, conditions=(SMALL,)),
        _less("loss, limit", roll_loss, stat_loss),
        _less("loss", L_roll(T), L_stat(T)),
        # of static masks: coordinates that nobody holds never move
        Part(name="unheld", left=Eu_2(t) + Su_2(t), right=Su_2(t), relation=Relation.EQUAL),
    ),
    readings=(
        Reading(f"loss {LIMIT}, steps of Theorem 3", parts=("loss, limit, short steps",)),
        Reading(f"harsher: loss {LIMIT}, any steps", parts=("loss, limit",)),
        Reading(f"harsher: loss {AFTER}, any T", parts=("loss",)),
        Reading("coordinates held by nobody keep their start", parts=("unheld",)),
    ),
)

# the experiments add a scalar module after each layer, which the theory leaves out
SMALLER_GAP = Claim(
    entry("submodel/claim-gap"),
    algorithms=RANDOM_FULL,
    parts=(
        _less("rounds, scaled", tg_scaled(T), tg_full(T)),
        _less("rounds", tg_rand(T), tg_full(T)),
        _less("loss", gap_rand_eq, gap_full_eq),
    ),
    readings=(
        Reading(
            "at equal rounds, with the scalar module of the experiments", parts=("rounds, scaled",)
        ),
        Reading("harsher: at equal rounds, no scalar module", parts=("rounds",)),
        Reading("harsher: at equal training loss, no module", parts=("loss",)),
    ),
)

_MODES = (
    ("shared", assumed.SHARED_PARTITION),
    ("own permutations", assumed.OWN_PERMUTATIONS),
    ("own partitions", assumed.OWN_PARTITIONS),
    ("windows", assumed.OVERLAPPING_WINDOWS),
)
_OTHERS = (("a fixed order", fixed_floor), ("drawing with replacement", drawn_floor))
SHUFFLING = Claim(
    entry("submodel/claim-shuffle"),
    algorithms=(ROLLING,),
    parts=tuple(
        _less(f"{mode}, {other}", shuffle_floor, floor, assumed.COVERAGE, assumption)
        for mode, assumption in _MODES
        for other, floor in _OTHERS
    ),
    readings=tuple(
        Reading(f"{assumption}; against {other}", parts=(f"{mode}, {other}",))
        for mode, assumption in _MODES
        for other, _ in _OTHERS
    ),
)


def _limit(name: str, left: sp.Expr) -> Part:
    return Part(
        name=name,
        left=left,
        right=ROLLING_FLOOR,
        index=Index.RUN,
        conditions=(SMALL,),
        trivial=FARTHEST,
        assumptions=(
            Fact.SMOOTH,
            Fact.STRONGLY_CONVEX,
            Fact.NOISE,
            assumed.COVERAGE,
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
    PROJECTION,
)
