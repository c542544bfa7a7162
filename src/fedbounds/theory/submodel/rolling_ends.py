"""What is seen of rolling masks as epochs go on: orders, and ways to project onto a box.

`own` is a sub-model, `other` what it is more than client 1's of that number, `unheld` how often a
coordinate is trained in an epoch, less 1. `strange` and `unturned` are 0 where all sub-models of a
client are client 1's, and where all windows of its `width` are sub-models.
"""

from dataclasses import replace

import sympy as sp

from fedbounds.facts import Fact
from fedbounds.theory.language.setups import (
    RUN,
    Definition,
    Largest,
    Least,
    Says,
    Settled,
    Shown,
    View,
    dot,
)
from fedbounds.theory.proof.vectors import given, ip, past, sq, vectors

from . import assumed, measured
from . import rolling_measured as rolling
from .measured_points import ones
from .names import ROLLING
from .proofs.definitions_rounds import perm, x, xn, xo
from .symbols import S_sub, dim
from .vectors import one
from .views_run_ladders import turns

loud, own, other, unheld, width, strange, unturned = vectors(
    {
        "loud": r"\sigma m_{i,s}",
        "own": "m_{i,s}",
        "other": "(m_{i,s}-m_{1,s})",
        "unheld": r"(\textstyle\sum_sm_{i,s}-\mathbf 1)",
        "width": r"|m_{i,1}|",
        "strange": r"\textstyle\sum_s\prod_r\|m_{i,s}-m_{1,r}\|^2",
        "unturned": r"\textstyle\sum_j\prod_s\|W_{i,j}-m_{i,s}\|^2",
    }
)

# ---- how sub-models roll

_NOTHING, _ONE = sp.Integer(0), sp.Integer(1)
_SPLIT = (
    Says(Largest(dot(unheld, unheld)), "==", _NOTHING),
    Says(Least(dot(own, own)), ">", _NOTHING),
)
_ALIKE = Says(Largest(dot(other, other)), "==", _NOTHING)
_SHARED, _OWN = (rolling.OF_ORDERS[name] for name in (assumed.SHARED_ORDER, assumed.OWN_ORDERS))
MODES = {
    assumed.SHARED_PARTITION: (*_SPLIT, *_SHARED, _ALIKE),
    assumed.OWN_PERMUTATIONS: (*_SPLIT, *_OWN, _ALIKE),
    assumed.OWN_PARTITIONS: (*_SPLIT, *_SHARED, Says(Largest(strange), ">", _NOTHING)),
    assumed.OVERLAPPING_WINDOWS: (
        *_SHARED,
        Says(Least(width), ">", _ONE),
        Says(Largest(width) - dim, "<", _NOTHING),
        Says(S_sub - dim, "==", _NOTHING),
        Says(Largest(unturned), "==", _NOTHING),
    ),
}

# ---- where epochs end up

_AWAY = sq(x - xo)
_IN_TURN, _ANEW, _EACH, _NEVER = sp.symbols("in_turn anew each_round never")
_ENDS = given(xn, past, perm)
CONSTANTS: dict[str, Definition] = {
    "dim": sq(ones),
    "S_sub": ip(turns, one),
    **rolling.AT_OPTIMUM,
    "q_mean": rolling.CONSTANTS["q_mean"],
    "sigma^2": Largest(dot(loud, loud)),
    "Phi": ip(measured.Mx - measured.Mo, one),
    "D_opt_0": _AWAY,
    **measured.GAP_AT_OPTIMUM,
}
_FLOOR = Settled(_AWAY, RUN)
ON_SPACE: dict[str, Definition] = {
    "shuffle_floor": _FLOOR,
    "fixed_floor": Settled(_AWAY, _IN_TURN),
    "drawn_floor": Settled(_AWAY, _ANEW),
    "order_spread": sq(_ENDS - given(xn, past)),
    # projections onto R^d do nothing
    **dict.fromkeys(("roll_floor", "free_limit", "round_limit", "epoch_limit"), _FLOOR),
}
IN_A_BOX: dict[str, Definition] = {
    "epoch_limit": _FLOOR,
    "round_limit": Settled(_AWAY, _EACH),
    "free_limit": Settled(_AWAY, _NEVER),
}

_I, _IS = ("i",), ("i", "sub-model")
_VECTORS = {
    **dict.fromkeys(("x", "xo", "one", "ones", "turns"), ()),
    **dict.fromkeys(("Mx", "Mo", "go", "kept", "uneven", "unheld"), _I),
    **dict.fromkeys(("width", "strange", "unturned"), _I),
    **dict.fromkeys(("ho", "loud", "own", "other"), _IS),
    "ao": ("sub-model",),
}
ENDS = View(
    told="rolling masks on quadratics, as epochs go on",
    algorithm="rolling_ends.SHUFFLED",
    shown=Shown(
        draws={"perm": ("order",), "xi": ("noise",)},
        indices={"i": "", "sub-model": ""},
        vectors={**_VECTORS, "xn": ()},
    ),
    runs=ROLLING,
    constants={**CONSTANTS, **ON_SPACE},
    assumptions={
        **rolling.OF_MASKS,
        **rolling.OF_ORDERS,
        **rolling.PROJECTED_ONCE,
        **MODES,
        assumed.WHOLE_EPOCHS: (),
        Fact.UNCONSTRAINED: (),
    },
    takes=("sub_models", "orders", "K", "eta"),
    requires=rolling.ORDERS,
    many=True,
)
ENDS = replace(
    ENDS,
    variants={
        _IN_TURN.name: replace(ENDS, algorithm="rolling_ends.IN_TURN"),
        _ANEW.name: replace(ENDS, algorithm="rolling_ends.ANEW"),
    },
)
_BOX = {"low": (), "high": (), "gc": ("i", "corner")}
_BOXED = replace(
    ENDS,
    told="rolling masks on quadratics in a box, as epochs go on",
    algorithm="rolling_ends.PROJECTED",
    shown=Shown(
        draws=ENDS.shown.draws,
        indices={**ENDS.shown.indices, "corner": ""},
        vectors={**_VECTORS, **_BOX},
    ),
    constants={**CONSTANTS, **rolling.BOX, **IN_A_BOX},
    assumptions={
        **{x: y for x, y in ENDS.assumptions.items() if x != Fact.UNCONSTRAINED},
        **dict.fromkeys((assumed.BOUNDED_DOMAIN, assumed.BOUNDED_MASKED_GRADIENTS), ()),
    },
    takes=(*ENDS.takes, "box"),
    requires=(*ENDS.requires, *rolling.IN_BOX),
    many=False,
    variants={},
)
IN_BOX = replace(
    _BOXED,
    variants={
        _EACH.name: replace(_BOXED, algorithm="rolling_ends.EACH_PROJECTED"),
        _NEVER.name: replace(_BOXED, algorithm="rolling_ends.NEVER_PROJECTED"),
    },
)
VIEWS = {"as epochs go on": ENDS, "as epochs go on, in a box": IN_BOX}
