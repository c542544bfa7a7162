"""The two cases of the convergence analysis: a constant and a decaying step size.

z and B are those of the recursion. A part of the reading "the recursion taken as given" assumes
it; one of the algorithm rests on the recursion as it was proved.
"""

import sympy as sp

from fedbounds.theory.catalogue import entry
from fedbounds.theory.claims import Claim, Condition, Part, Reading
from fedbounds.theory.symbols import D_0, D_W, B_step, C_rate, eta, t, w_gap, z
from fedbounds.vocabulary import Assumption, Index

from .distance import CONDITIONS, CONTRACTION
from .masks import FEDPLT
from .rounds import ADDED, ALL

RECURSION = (Assumption.RECURSION,)
DECAYING = (Assumption.RECURSION_DECAYING,)
# 0 < eta < 1/z, as w_gap = 1/eta - z is positive
STEP_SIZE = Condition(eta, "==", 1 / (z + w_gap))
CONSTANTS = (Condition(z, "==", CONTRACTION), Condition(B_step, "==", ADDED))
FACTOR = 1 - z * eta

# D^t for the paper's D^{t+1}: at t = 0 both sides are D^0
UNROLLED = FACTOR**t * D_W(0) + eta**2 * B_step * (1 - FACTOR**t) / (1 - FACTOR)
FLOOR = FACTOR**t * D_W(0) + eta * B_step / z
_ALGORITHM = (STEP_SIZE, *CONSTANTS, *CONDITIONS)


def _pair(
    suffix: str, conditions: tuple[Condition, ...], assumptions: tuple[Assumption, ...]
) -> tuple[Part, Part]:
    first, second = (
        Part(
            name=name + suffix,
            left=D_W(t),
            right=right,
            conditions=conditions,
            assumptions=assumptions,
        )
        for name, right in (("unrolled", UNROLLED), ("floor", FLOOR))
    )
    return first, second


CONSTANT_STEP = Claim(
    entry("fedplt/constant-step"),
    algorithms=FEDPLT,
    parts=(*_pair("", _ALGORITHM, ALL), *_pair(", given", (STEP_SIZE,), RECURSION)),
    readings=(
        Reading("of the algorithm", parts=("unrolled", "floor")),
        Reading("the recursion taken as given", parts=("unrolled, given", "floor, given")),
    ),
)

# the error that is left as t grows, eta B / z, falls with eta
FLOOR_CLAIM = Claim(
    entry("fedplt/constant-step-floor"),
    algorithms=FEDPLT,
    parts=(Part(left=eta / 2 * B_step / z, right=eta * B_step / z, index=Index.RUN),),
)

LEVEL = B_step / z**2
REDUCED = Claim(
    entry("fedplt/decaying-step-reduced"),
    algorithms=FEDPLT,
    parts=(
        Part(
            left=D_W(t + 1),
            right=t / (t + 1) * D_W(t) + LEVEL / (t + 1) ** 2,
            assumptions=DECAYING,
        ),
    ),
)

BASE_CASE = Condition(C_rate, ">=", D_0 + LEVEL)
LARGE = Condition(C_rate, ">=", LEVEL)
BASE = Claim(
    entry("fedplt/decaying-step-base"),
    algorithms=FEDPLT,
    parts=(
        Part(name="D^1", left=D_W(1), right=D_0 + LEVEL, index=Index.RUN, assumptions=DECAYING),
        Part(name="C", left=D_0 + LEVEL, right=C_rate, index=Index.RUN, conditions=(BASE_CASE,)),
    ),
)

INDUCTION = Claim(
    entry("fedplt/decaying-step-induction"),
    algorithms=FEDPLT,
    parts=(
        Part(
            left=(C_rate * t + LEVEL) / (t + 1) ** 2 - C_rate / (t + 2),
            right=sp.Integer(0),
            conditions=(LARGE,),
        ),
    ),
)


def _rate(name: str, condition: Condition) -> Part:
    return Part(
        name=name,
        left=D_W(t),
        right=C_rate / (t + 1),
        conditions=(condition,),
        assumptions=DECAYING,
    )


DECAYING_STEP = Claim(
    entry("fedplt/decaying-step"),
    algorithms=FEDPLT,
    parts=(_rate("C of the base case", BASE_CASE), _rate("any C", LARGE)),
    readings=(
        Reading("C >= D^0 + B/z^2, as in the base case", parts=("C of the base case",)),
        Reading("any C >= B/z^2", parts=("any C",)),
    ),
)

CLAIMS = (CONSTANT_STEP, FLOOR_CLAIM, REDUCED, BASE, INDUCTION, DECAYING_STEP)
