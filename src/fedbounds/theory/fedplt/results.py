"""The two cases of the convergence analysis: a constant and a decaying step size.

D^t is that of the algorithm, and z and B are those of the recursion: so the first readings. A part
of the reading "the recursion taken as given" assumes it; one of the algorithm rests on the
recursion as it was proved. What the text says of the error itself is in `limits`.
"""

import sympy as sp

from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.language.claims import Claim, Condition, Part, Reading
from fedbounds.theory.language.symbols import D_W, eta, t
from fedbounds.vocabulary import Index

from . import assumed
from .distance import BRACKET, CONDITIONS, CONTRACTION, LARGEST
from .masks import FEDPLT
from .rounds import ADDED, ALL, TRIVIAL
from .scope_names import ROUND
from .symbols import D_0, B_step, C_rate, nu_max, w_gap, z

RECURSION = (assumed.RECURSION,)
DECAYING = (assumed.RECURSION_DECAYING,)
# 0 < eta < 1/z, as w_gap = 1/eta - z is positive
STEP_SIZE = Condition(eta, "==", 1 / (z + w_gap))
CONSTANTS = (Condition(z, "==", CONTRACTION), Condition(B_step, "==", ADDED))
FACTOR = 1 - z * eta

# D^t for the paper's D^{t+1}: at t = 0 both sides are D^0
UNROLLED = FACTOR**t * D_W(0) + eta**2 * B_step * (1 - FACTOR**t) / (1 - FACTOR)
FLOOR = FACTOR**t * D_W(0) + eta * B_step / z
_ALGORITHM = (STEP_SIZE, *CONSTANTS, *CONDITIONS)
# without the conditions of Step 4.4, which Case 1 does not repeat; nu is what it is
_PRINTED = (STEP_SIZE, *CONSTANTS, LARGEST)
# what the recursion gives of itself: D^{t+1} lies between D^t and eta B / z, or below both
_BETWEEN = sp.Max(D_W(0), eta * B_step / z)


def _pair(
    suffix: str,
    conditions: tuple[Condition, ...],
    assumptions: tuple[str, ...],
    trivial: sp.Expr,
    scopes: tuple[str, ...] = (),
) -> tuple[Part, Part]:
    first, second = (
        Part(
            name=name + suffix,
            left=D_W(t),
            right=right,
            conditions=conditions,
            assumptions=assumptions,
            trivial=trivial,
            scopes=scopes,
        )
        for name, right in (("unrolled", UNROLLED), ("floor", FLOOR))
    )
    return first, second


CONSTANT_STEP = Claim(
    entry("fedplt/constant-step"),
    algorithms=FEDPLT,
    parts=(
        *_pair("", _ALGORITHM, ALL, TRIVIAL, (ROUND,)),
        *_pair(", any step", _PRINTED, ALL, TRIVIAL, (ROUND,)),
        *_pair(", given", (STEP_SIZE,), RECURSION, _BETWEEN),
    ),
    readings=(
        Reading("of the algorithm", parts=("unrolled", "floor")),
        Reading(
            "of the algorithm, any step in (0, 1/z) as Case 1 prints, harsh",
            parts=("unrolled, any step", "floor, any step"),
        ),
        Reading("the recursion taken as given", parts=("unrolled, given", "floor, given")),
    ),
)

LEVEL = B_step / z**2
# nu as the largest bracket over t: eta^t tends to 0
_SUPREMUM = Condition(nu_max, ">=", BRACKET.subs(eta, 0))
_RUN = (*CONSTANTS, _SUPREMUM)
STEPS = (*ALL, assumed.DECAYING_STEPS)
OF_ALGORITHM, TAKEN = "of the algorithm", "the recursion taken as given"


def _both(
    names: tuple[str, str],
    left: sp.Expr,
    right: sp.Expr,
    trivial: sp.Expr,
    index: Index = Index.ROUND,
) -> tuple[Part, Part]:
    """Of the algorithm, and of what satisfies the recursion, which has its own trivial bound."""
    name, given = names
    return (
        Part(name=name, left=left, right=right, index=index, conditions=_RUN, assumptions=STEPS,
             trivial=TRIVIAL),
        Part(name=given, left=left, right=right, index=index,
             assumptions=DECAYING, trivial=trivial),
    )  # fmt: skip


REDUCED = Claim(
    entry("fedplt/decaying-step-reduced"),
    algorithms=FEDPLT,
    # D^1 <= B/z^2 whatever D^0 is, and so is every later one
    parts=_both(
        ("algorithm", "given"), D_W(t + 1), t / (t + 1) * D_W(t) + LEVEL / (t + 1) ** 2, LEVEL
    ),
    readings=(Reading(OF_ALGORITHM, parts=("algorithm",)), Reading(TAKEN, parts=("given",))),
)

BASE_CASE = Condition(C_rate, ">=", D_0 + LEVEL)
LARGE = Condition(C_rate, ">=", LEVEL)
BASE = Claim(
    entry("fedplt/decaying-step-base"),
    algorithms=FEDPLT,
    parts=(
        *_both(("D^1", "D^1, given"), D_W(1), D_0 + LEVEL, LEVEL, Index.RUN),
        Part(name="C", left=D_0 + LEVEL, right=C_rate, index=Index.RUN, conditions=(BASE_CASE,)),
    ),
    readings=(
        Reading(OF_ALGORITHM, parts=("D^1", "C")),
        Reading(TAKEN, parts=("D^1, given",)),
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


def _rate(
    name: str,
    conditions: tuple[Condition, ...],
    assumptions: tuple[str, ...] = DECAYING,
    trivial: sp.Expr | None = None,
) -> Part:
    return Part(
        name=name,
        left=D_W(t),
        right=C_rate / (t + 1),
        conditions=conditions,
        assumptions=assumptions,
        trivial=sp.Max(D_W(0), LEVEL) if trivial is None else trivial,
    )


DECAYING_STEP = Claim(
    entry("fedplt/decaying-step"),
    algorithms=FEDPLT,
    parts=(
        _rate("of the algorithm", (BASE_CASE, *_RUN), STEPS, TRIVIAL),
        _rate("C of the base case", (BASE_CASE,)),
        _rate("any C", (LARGE,)),
    ),
    readings=(
        Reading("of the algorithm, C >= D^0 + B/z^2 as in the base case",
                parts=("of the algorithm",)),
        Reading("the recursion taken as given, the same C", parts=("C of the base case",)),
        Reading("the recursion taken as given, any C >= B/z^2, harsh", parts=("any C",)),
    ),
)  # fmt: skip

CLAIMS = (CONSTANT_STEP, REDUCED, BASE, INDUCTION, DECAYING_STEP)
