"""What the paper says of its method in words: where it converges to, how fast, for which masks."""

import sympy as sp

from fedbounds.facts import Fact
from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.language.claims import Condition, Part
from fedbounds.theory.language.setting import (
    Announced,
    Asked,
    InTheEnd,
    NoBound,
    OnRun,
    Universal,
    Variant,
)
from fedbounds.theory.language.setups import RUN, Factor, Says, Settled
from fedbounds.theory.language.symbols import D_W, eta, t
from fedbounds.vocabulary import Index, Relation

from . import assumed
from .distance import BELOW_ONE
from .feasibility import AT_ITERATES, FIRST_SHORT, LATE, ON_ETA
from .proofs.growth import GROWTH
from .results import CONSTANT_STEP, LEVEL, STEP_SIZE
from .symbols import B_step, psi_min, rho_min, z
from .vectors import Wstar

_FULL_GRADIENTS = Fact.NOISELESS
# eta tends to 0: (i) and (ii) are met in the end, and (iii) if psi_min rho_min <= 1
IN_THE_END = Condition(psi_min * rho_min, "<=", sp.Integer(1))

_NOTHING = sp.Integer(0)
STAYS = OnRun(
    "W^0 = W* gives W^1 = W* with full gradients",
    (Part(D_W(1), _NOTHING, relation=Relation.EQUAL, index=Index.RUN),),
    Wstar,
)
BOUND = OnRun(
    "D^{t+1} is at most the bound of the constant step",
    (CONSTANT_STEP.part("unrolled"), CONSTANT_STEP.part("floor")),
)
# "asymptotic error" is the limit of D^t, and "a smaller eta" is half of it
_HALF = Variant(sp.Symbol("half the step size"), (("eta", eta / 2),))
_ERROR, _LESS = (Settled(D_W(t), run) for run in (RUN, _HALF.name))
_FLOOR = eta * B_step / z
SETTLES = InTheEnd(
    "D^t tends to a limit of at most eta B/z", (Says(_ERROR, "<=", _FLOOR),), rests=assumed.STAYS
)
REACHES = InTheEnd("D^t tends to eta B/z", (Says(_ERROR, "==", _FLOOR),), rests=assumed.STAYS)
LESS = InTheEnd(
    "with half the step size D^t tends to a smaller limit, if it is not 0",
    (Says(_LESS, "<", _ERROR), Says(_ERROR, "==", _NOTHING)),
    (_HALF,),
    rests=assumed.STAYS,
)
SLOWER = InTheEnd(
    "with half the step size the mean of W^t tends to its limit more slowly",
    (Says(Factor(_HALF.name), ">", Factor(RUN)),),
    (_HALF,),
)
LIMIT = InTheEnd(
    "W^t tends to W* with steps 1/(z(t+1))", (Says(_ERROR, "==", _NOTHING),), rests=assumed.STAYS
)
RATE = NoBound(
    "D^t = O(1/t) if the recursion of the decaying step holds, with equality",
    tuple(Part(D_W(t), c * LEVEL / (t + 1), name=f"C = {c} B/z^2") for c in range(1, 7)),
    GROWTH,
    "t D^t gains B/(4 z^2) at least from t = K to t = 2K - 1, for every K >= 2",
)

ANY_MASKS = Universal(
    entry("fedplt/any-static-masks"),
    (
        (Asked("any masks: W* is a fixed point", (_FULL_GRADIENTS,)), STAYS),
        (
            Asked(
                "any masks, one local step: W* is a fixed point",
                (_FULL_GRADIENTS, assumed.SINGLE_STEP),
            ),
            STAYS,
        ),
        (
            Asked(
                "full masks, one local step: W* is a fixed point",
                (_FULL_GRADIENTS, assumed.SINGLE_STEP, assumed.FULL_MASKS),
            ),
            STAYS,
        ),
        (
            Asked(
                "full masks, any number of local steps: W* is a fixed point",
                (_FULL_GRADIENTS, assumed.FULL_MASKS),
            ),
            STAYS,
        ),
        (
            Asked(
                "equal masks, one local step: W* is a fixed point",
                (_FULL_GRADIENTS, assumed.SINGLE_STEP, assumed.EQUAL_MASKS),
            ),
            STAYS,
        ),
        (
            Asked(
                "clients that share their minimiser: W* is a fixed point",
                (_FULL_GRADIENTS, Fact.SHARED_MINIMISER),
            ),
            STAYS,
        ),
        (
            Asked(
                "masks that meet Assumptions 1-6 and the conditions: the constant step's bound",
                AT_ITERATES,
                strict=ON_ETA,
            ),
            BOUND,
        ),
    ),
)

_DECAYING = (*AT_ITERATES, assumed.DECAYING_STEPS)
EXACT_CONVERGENCE = Universal(
    entry("fedplt/exact-convergence"),
    (
        (Asked("of the algorithm, under Assumptions 1-6 at its iterates", _DECAYING), LIMIT),
        (
            Asked(
                "the same, where the conditions hold from some round on",
                _DECAYING,
                conditions=(IN_THE_END,),
            ),
            LIMIT,
        ),
        (
            Asked(
                "the same, where the conditions hold from t = 0 on",
                _DECAYING,
                (FIRST_SHORT, LATE),
                (BELOW_ONE,),
            ),
            LIMIT,
        ),
        (Asked("the recursion taken as given", (assumed.RECURSION_DECAYING,)), RATE),
    ),
)

NONCONVEX = Announced(
    entry("fedplt/nonconvex"),
    unstated=(
        "the bound, and what it bounds",
        "the step size",
        "the assumptions that replace strong convexity",
    ),
)


def _constant(name: str) -> Asked:
    """A constant step in (0, 1/z), under all assumptions and the conditions of Step 4.4."""
    return Asked(f"of the algorithm: {name}", AT_ITERATES, (STEP_SIZE,), ON_ETA)


CONSTANT_STEP_FLOOR = Universal(
    entry("fedplt/constant-step-floor"),
    (
        (_constant("the error settles within eta B/z"), SETTLES),
        (_constant("a smaller eta leaves a smaller error"), LESS),
        (_constant("a smaller eta is slower"), SLOWER),
        (_constant("the error settles at eta B/z itself, harsh"), REACHES),
        (
            Asked("the recursion taken as given, with equality", (assumed.RECURSION,)),
            REACHES,
        ),
    ),
)

CLAIMS = (ANY_MASKS, CONSTANT_STEP_FLOOR, EXACT_CONVERGENCE, NONCONVEX)
