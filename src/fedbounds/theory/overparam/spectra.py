"""Deep linear networks: products of layers and Gram matrices along a run.

Squared singular values are in units of what they tend to as the width grows.
"""

from collections.abc import Mapping
from dataclasses import replace

import sympy as sp

from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.language.claims import Claim, Condition, Part, Reading
from fedbounds.theory.language.symbols import eta, k, n, t
from fedbounds.vocabulary import Index, Relation

from .linear import EVENT, LOCALLY, SUPPOSED
from .names import EVERY, FEDAVG
from .sizes import KAPPA
from .symbols import (
    C_o,
    C_w,
    D_first,
    D_inner,
    D_last,
    D_layer2,
    D_length,
    D_spread,
    P_max,
    P_min,
    P_S_high,
    P_S_low,
    S_size,
    W_first,
    W_high,
    W_in,
    W_in_moved,
    W_last,
    W_low,
    d_out,
    depth,
    grams_2,
    miss_16,
    miss_16t,
    own_max,
    own_min,
    s_max2,
    s_min2,
    step_k2,
    width,
    xi_k2,
)

_HUNDREDTH = 1 / (100 * KAPPA * sp.sqrt(n))


def _part(name: str, left: sp.Expr, right: sp.Expr) -> Part:
    return Part(
        name=name, left=left, right=right, conditions=SUPPOSED, assumptions=EVENT,
        algorithm=FEDAVG[0],
    )  # fmt: skip


PRODUCTS = Claim(
    entry("overparam/hyp-B"),
    algorithms=FEDAVG,
    parts=(
        _part("least", sp.Rational(3, 4) ** 2, W_low(t)),
        _part("largest", W_high(t), sp.Rational(5, 4) ** 2),
        _part("between", W_in(t), C_o**2 * depth),
    ),
    readings=(
        Reading("singular values of W^{L:i} and of W^{i:1}X", parts=("least", "largest")),
        Reading("norms of W^{j:i}, with C_O in O", parts=("between",)),
    ),
)
# m = Omega(a^2) gives 0.01 from R/sqrt(m) if Omega hides at least the square of a hundred
_LARGE = Condition(C_w, ">=", sp.Integer(10_000))


def _moved(name: str, sides: Mapping[str, tuple[sp.Expr, sp.Expr]]) -> Claim:
    """What stays within 0.01, by its number."""
    any_ = [_part(f"{told}, any constant", *own) for told, own in sides.items()]
    large = [
        replace(part, name=f"{told}, a large one", conditions=(*part.conditions, _LARGE))
        for told, part in zip(sides, any_, strict=True)
    ]
    return Claim(
        entry(f"overparam/{name}"), FEDAVG, (*large, *any_),
        readings=(
            Reading("10,000 or more in Omega, as its 0.01 asks for",
                    parts=tuple(part.name for part in large)),
            Reading("1 or more in Omega, harsh", parts=tuple(part.name for part in any_)),
        ),
    )  # fmt: skip


LAST = _moved("eq-22", {"(22)": (W_last(t), _HUNDREDTH**2)})
FIRST = _moved("eq-23", {"(23)": (W_first(t), _HUNDREDTH**2 * s_min2)})
_GRAMS = sp.Rational(109, 1000) * depth * s_max2 / (d_out * KAPPA)
GRAMS = Claim(
    entry("overparam/lemma-a5"),
    algorithms=FEDAVG,
    parts=(
        _part("(34)", grams_2(t), _GRAMS**2 * S_size(t) / n),
        _part("statement", grams_2(t), _GRAMS**2),
    ),
)
_STEP = 57 * eta * own_max(t) / (20 * d_out)
LOCAL_STEP = Claim(
    entry("overparam/eq-40"),
    algorithms=EVERY,
    parts=(
        Part(name="last", left=step_k2(t, k), right=_STEP**2 * xi_k2(t, k), index=Index.STEP,
             conditions=LOCALLY, assumptions=EVENT),
    ),
    readings=(Reading("its last bound", parts=("last",)),),
)  # fmt: skip

# ---- Gram matrices of participants

_NOTHING = sp.Integer(0)
BLOCKS = Claim(
    entry("overparam/eq-16"),
    algorithms=EVERY,
    parts=(
        Part(name="columns", left=miss_16(t), right=_NOTHING, relation=Relation.EQUAL),
        Part(name="least", left=P_min**2, right=P_S_low(t)),
        Part(name="largest", left=P_S_high(t), right=P_max**2),
        Part(name="rows", left=miss_16t(t), right=_NOTHING, relation=Relation.EQUAL),
    ),
    readings=(
        Reading("columns of P(t); of P^S(0) singular values are between the extremes of P(0)",
                parts=("columns", "least", "largest")),
        Reading("as printed, with a further transpose: rows of P(t)", parts=("rows",)),
    ),
)  # fmt: skip


# ---- products between the first layer and the last, and local steps

INNER = Claim(
    entry("overparam/eq-24"), FEDAVG,
    (_part("", W_in_moved(t), C_o**2 * depth / (KAPPA**2 * n)),),
    readings=(Reading("C_O in O; tightness tells how small it may be", parts=("",)),),
)  # fmt: skip
LOCALLY_NEAR = _moved(
    "eq-41-42",
    {"(41)": (D_first(t), _HUNDREDTH**2 * s_max2), "(42)": (D_last(t), _HUNDREDTH**2)},
)


def _locally(name: str, left: sp.Expr, right: sp.Expr, index: Index = Index.ROUND) -> Part:
    return Part(name=name, left=left, right=right, index=index, conditions=LOCALLY,
                assumptions=EVENT)  # fmt: skip


_s = sp.Symbol("s", integer=True, positive=True)
_RADIUS = 24 * sp.sqrt(d_out) / depth  # of (39), times the root of D_spread
_FIRST_TERM = C_o * sp.sqrt(depth) ** 3 * _RADIUS * sp.sqrt(D_spread(t)) / sp.sqrt(width)
_SERIES = sp.Sum(_FIRST_TERM**_s, (_s, 1, D_length(t)))
LOCAL = Claim(
    entry("overparam/lemma-a6"),
    algorithms=EVERY,
    parts=(
        _locally("(35)", xi_k2(t, k + 1),
                 (1 - eta * depth * own_min(t) / (4 * d_out)) ** (k + 1) * xi_k2(t, 0),
                 Index.STEP),
        _locally("(36)", D_inner(t), C_o**2 * depth * _SERIES**2),
        _locally("(37)", D_last(t), sp.Rational(25, 16) * _SERIES**2),
        _locally("(38)", D_first(t), sp.Rational(25, 16) * s_max2 * _SERIES**2),
        _locally("(39)", D_layer2(t, k + 1),
                 _RADIUS**2 * own_max(t) / own_min(t) ** 2 * xi_k2(t, 0), Index.STEP),
    ),
    readings=tuple(
        Reading(name, parts=(part,))
        for name, part in (
            ("(35), lambda_min of the client's own samples", "(35)"),
            ("(36), with C_O in O", "(36)"),
            ("(37), with C_O in O", "(37)"),
            ("(38), with C_O in O", "(38)"),
            ("(39)", "(39)"),
        )
    ),
)  # fmt: skip

CLAIMS = (
    PRODUCTS, LAST, FIRST, GRAMS, LOCAL_STEP, BLOCKS, INNER, LOCALLY_NEAR, LOCAL,
)  # fmt: skip
