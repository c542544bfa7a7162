"""What the paper says of its method in words: where it converges to, how fast, for which masks."""

import sympy as sp

from fedbounds.theory.catalogue import entry
from fedbounds.theory.claims import Condition
from fedbounds.theory.setting import Announced, Asked, Says, Universal
from fedbounds.theory.symbols import psi_min, rho_min
from fedbounds.vocabulary import Assumption

from .distance import BELOW_ONE
from .feasibility import AT_ITERATES, FIRST_SHORT, LATE, ON_ETA
from .results import STEP_SIZE

_FULL_GRADIENTS = Assumption.NOISELESS
# eta tends to 0: (i) and (ii) are met in the end, and (iii) if psi_min rho_min <= 1
IN_THE_END = Condition(psi_min * rho_min, "<=", sp.Integer(1))

ANY_MASKS = Universal(
    entry("fedplt/any-static-masks"),
    (
        (Asked("any masks: W* is a fixed point", (_FULL_GRADIENTS,)), Says.STAYS),
        (
            Asked(
                "any masks, one local step: W* is a fixed point",
                (_FULL_GRADIENTS, Assumption.SINGLE_STEP),
            ),
            Says.STAYS,
        ),
        (
            Asked(
                "full masks, one local step: W* is a fixed point",
                (_FULL_GRADIENTS, Assumption.SINGLE_STEP, Assumption.FULL_MASKS),
            ),
            Says.STAYS,
        ),
        (
            Asked(
                "full masks, any number of local steps: W* is a fixed point",
                (_FULL_GRADIENTS, Assumption.FULL_MASKS),
            ),
            Says.STAYS,
        ),
        (
            Asked(
                "equal masks, one local step: W* is a fixed point",
                (_FULL_GRADIENTS, Assumption.SINGLE_STEP, Assumption.EQUAL_MASKS),
            ),
            Says.STAYS,
        ),
        (
            Asked(
                "clients that share their minimiser: W* is a fixed point",
                (_FULL_GRADIENTS, Assumption.SHARED_MINIMISER),
            ),
            Says.STAYS,
        ),
        (
            Asked(
                "masks that meet Assumptions 1-6 and the conditions: the constant step's bound",
                AT_ITERATES,
                strict=ON_ETA,
            ),
            Says.BOUND,
        ),
    ),
)

EXACT_CONVERGENCE = Universal(
    entry("fedplt/exact-convergence"),
    (
        (Asked("of the algorithm, under Assumptions 1-6 at its iterates", AT_ITERATES), Says.LIMIT),
        (
            Asked(
                "the same, where the conditions hold from some round on",
                AT_ITERATES,
                conditions=(IN_THE_END,),
            ),
            Says.LIMIT,
        ),
        (
            Asked(
                "the same, where the conditions hold from t = 0 on",
                AT_ITERATES,
                (FIRST_SHORT, LATE),
                (BELOW_ONE,),
            ),
            Says.LIMIT,
        ),
        (Asked("the recursion taken as given", (Assumption.RECURSION_DECAYING,)), Says.RATE),
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


# "asymptotic error" is the limit of D^t, and "a smaller eta" is half of it
CONSTANT_STEP_FLOOR = Universal(
    entry("fedplt/constant-step-floor"),
    (
        (_constant("the error settles within eta B/z"), Says.SETTLES),
        (_constant("a smaller eta leaves a smaller error"), Says.LESS),
        (_constant("a smaller eta is slower"), Says.SLOWER),
        (_constant("the error settles at eta B/z itself, harsh"), Says.REACHES),
        (
            Asked("the recursion taken as given, with equality", (Assumption.RECURSION,)),
            Says.REACHES,
        ),
    ),
)

CLAIMS = (ANY_MASKS, CONSTANT_STEP_FLOOR, EXACT_CONVERGENCE, NONCONVEX)
