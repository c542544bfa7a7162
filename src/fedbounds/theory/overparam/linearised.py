"""Networks of two layers beside their linearisation at the start, with the same clients.

How far its outputs are from those of J(0), for any schedule: layers that moved by D_i change J by
no more than C_1 ||X|| ||D||, and outputs by C_1 ||X|| ||D_1|| ||D_2|| besides. In parameters steps
of the linearised model bring two models no farther apart, nor do means over S_t.
"""

from dataclasses import replace

import sympy as sp

from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.language.claims import Claim, Condition, Part, Reading
from fedbounds.theory.language.setups import Definition, Largest, Least, Shown, View, dot
from fedbounds.theory.language.symbols import K, eta, n, t
from fedbounds.theory.proof.vectors import ip, present, sq
from fedbounds.vocabulary import Relation

from . import assumed, measured
from .names import BESIDE, BESIDE_SAMPLED
from .scope_names import BESIDE_LINEAR, LINEAR_AT_RANDOM
from .sizes import LINEAR_RATE, LONGEST_LINEAR
from .symbols import (
    P_max,
    P_min,
    apart_2,
    d_out,
    depth,
    far_z2,
    most_moved2,
    most_xi2,
    s_max2,
    width,
)
from .vectors import (
    fit,
    gs,
    gs_z,
    lins,
    one,
    res,
    size,
    slope_lins,
    still,
    turned,
    x,
    x0,
    x_lin,
    xis,
    ys_to,
    zs,
)

_MODELS = ("x", "x0", "x_lin", "fit", "after_z", "kept", "gained", "size", "one")
_CLIENTS = ("res", "still", "res_next", "lin_next", "still_next", "z_end")
_STEPS = ("xis", "lins", "gs", "turned", "slope_lins", "zs", "gs_z", "lins_z")
_MOVED = ys_to - x0
_CONSTANTS: dict[str, Definition] = {
    "S_least": Least(dot(size, one)),
    "S_most": Largest(dot(size, one)),
    "most_moved2": Largest(dot(_MOVED, _MOVED)),
    "most_xi2": Largest(dot(xis, xis)),
}
ROUNDS = View(
    told="rounds on a schedule beside those of the linearised model",
    algorithm="linearised_averaging.ROUNDS",
    shown=Shown(
        indices={"i": "", "k": "", "j": ""},
        vectors={
            **dict.fromkeys(_MODELS, ()),
            **dict.fromkeys(_CLIENTS, ("i",)),
            **dict.fromkeys(_STEPS, ("i", "k")),
            "ys_to": ("i", "j"),
        },
        factors={"present": ("i",)},
        derived={
            "bent": present(gs - turned),
            "pulled": present(turned - slope_lins),
            "bowed": present(xis - lins),
            "zs_next": zs - eta * gs_z,
        },
        may=("fit",),
    ),
    runs=BESIDE[0],
    scopes=(BESIDE_LINEAR,),
    quantities={
        "R_2": n * sq(res),
        "R_lin": n * sq(still),
        "apart_2": n * sq(res - still),
        "near_2": sq(x - x_lin),
        "far_z2": sq(x_lin - fit),
        "S_size": ip(size, one),
    },
    states=("R_2", "R_lin", "apart_2", "near_2", "far_z2"),
    constants=_CONSTANTS,
    assumptions={assumed.INDEPENDENT: measured.INDEPENDENT},
    takes=("eta", "K", "schedule"),
)
VIEWS = {
    "rounds, linearised": ROUNDS,
    "rounds, linearised, clients at random": replace(
        ROUNDS,
        told="rounds of clients at random beside those of the linearised model",
        algorithm="linearised_averaging.SAMPLED",
        shown=replace(ROUNDS.shown, draws={"S": ("present",)}),
        runs=BESIDE_SAMPLED[0],
        scopes=(BESIDE_LINEAR, LINEAR_AT_RANDOM),
        takes=("eta", "K", "m"),
    ),
}

UNIT = s_max2 / (width * d_out)
TOGETHER = most_moved2 / 2  # of outputs, of what layers change together
A_STEP = sp.sqrt(P_max) * TOGETHER + sp.sqrt(most_moved2 * most_xi2)  # what slopes gain by that
_LATER = sp.Rational(3, 2)
TWO_LAYERS = Condition(depth, "==", sp.Integer(2))
SHORT = Condition(eta * P_max, "<=", sp.Integer(1))
NEAR = Claim(
    entry("overparam/linearised"),
    algorithms=(*BESIDE, *BESIDE_SAMPLED),
    parts=(
        Part(
            name="two layers",
            left=apart_2(t + 1),
            right=UNIT * (TOGETHER + sp.sqrt(P_max) * eta * K * (t + _LATER) * A_STEP) ** 2,
            conditions=(TWO_LAYERS, SHORT),
        ),
        Part(
            name="one layer",
            left=apart_2(t + 1),
            right=sp.Integer(0),
            relation=Relation.EQUAL,
            conditions=(Condition(depth, "==", sp.Integer(1)),),
        ),
    ),
    readings=(
        Reading("two layers: no more than what falls with the root of the width",
                parts=("two layers",)),
        Reading("one layer is its own linearisation", parts=("one layer",)),
    ),
)  # fmt: skip
KERNEL = Claim(
    entry("overparam/kernel"),
    algorithms=BESIDE_SAMPLED,
    parts=(
        Part(
            left=far_z2(t + 1),
            right=(1 - LINEAR_RATE) ** (t + 1) * far_z2(0),
            conditions=(
                Condition(n, ">=", sp.Integer(2)),
                Condition(eta, "<=", LONGEST_LINEAR),
                Condition(P_min, "<=", P_max),
            ),
            assumptions=(assumed.INDEPENDENT,),
        ),
    ),
)
CLAIMS = (NEAR, KERNEL)
