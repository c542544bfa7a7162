"""What is seen of runs of rolling masks: epochs, in R^d or in a box, beside full models or not."""

from collections.abc import Mapping
from dataclasses import replace

from sympy import Symbol

from fedbounds.facts import Fact
from fedbounds.theory.language.setups import Shown, View

from . import assumed, measured
from . import rolling_measured as rolling
from .names import ROLLING
from .proofs.definitions_rounds import (
    EPOCH,
    FREE_EPOCH,
    GAP_ROLLING,
    UNROLLED,
    WITHIN,
    at_optimum,
)

_I, _S, _IS, _ISK, _ISJ = ("i",), ("s",), ("i", "s"), ("i", "s", "k"), ("i", "s", "j")
_VECTORS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("x", "xo", "xn", "one"), ()),
    **dict.fromkeys(("ws", "wv", "server", "virtual"), _S),
    **dict.fromkeys(("kept", "uneven", "Mx", "Mo", "gm"), _I),
    **dict.fromkeys(("hx", "ho", "turn", "cx", "Fx", "Fo"), _IS),
    **dict.fromkeys(("y", "hy", "nz", "Fy"), _ISK),
    **dict.fromkeys(("w_k", "my_k", "cy_k"), _ISJ),
    "Fn": _I,
    "ao": ("sub-model",),
}
_UNPROJECTED: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("wf", "wS", "Um"), ()),
    **dict.fromkeys(("Pa", "Qa", "Hz", "Az", "AHz", "Aa", "Aen", "Aw", "Ad"), _S),
    "hw": _IS,
    **dict.fromkeys(("Pn", "Pd", "Pt", "Pk", "Qk"), _ISK),
}
_BESIDE = dict.fromkeys(("gx", "go", "Vx", "Vs", "Vh"), _I)
_BOX = {"low": (), "high": (), "gc": ("i", "corner")}
# j counts the models of a client, k its gradients
_SHOWN = Shown(
    draws={"perm": ("order",), "xi": ("noise",)},
    indices=dict.fromkeys(("i", "s", "k", "j", "sub-model", "corner"), ""),
    vectors={**_VECTORS, **_UNPROJECTED},
)
_ASSUMED = {**rolling.OF_MASKS, **rolling.OF_ORDERS}

ALONE = View(
    told="rolling masks on quadratics",
    algorithm="rolling_models.EPOCHS",
    shown=_SHOWN,
    runs=ROLLING,
    scopes=(EPOCH, FREE_EPOCH, WITHIN, UNROLLED),
    quantities={**rolling.QUANTITIES, **rolling.UNPROJECTED, **rolling.OF_OUTCOMES},
    outcomes=dict.fromkeys(rolling.OF_OUTCOMES, ("past", "perm")),
    states=("D_opt", "L_Fp"),
    constants=rolling.CONSTANTS,
    assumptions={**_ASSUMED, **rolling.PROJECTED_ONCE, Fact.UNCONSTRAINED: ()},
    meant=measured.VALUES,
    takes=("sub_models", "orders", "K", "eta"),
    requires=rolling.ORDERS,
)
EPOCHS = replace(
    ALONE,
    told="rolling masks on quadratics, beside full models",
    algorithm="rolling_models.BESIDE_FULL",
    shown=replace(_SHOWN, vectors={**_SHOWN.vectors, **_BESIDE}),
    quantities={**ALONE.quantities, **rolling.BESIDE_FULL},
    states=(*ALONE.states, "L_hat", "Dl_w"),
    constants={**ALONE.constants, **measured.GAP_AT_OPTIMUM},
)
_BOUNDED = dict.fromkeys((assumed.BOUNDED_DOMAIN, assumed.BOUNDED_MASKED_GRADIENTS), ())
IN_BOX = replace(
    EPOCHS,
    told="rolling masks on quadratics in a box",
    algorithm="rolling_models.IN_BOX",
    shown=replace(_SHOWN, vectors={**_SHOWN.vectors, **_BESIDE, **_BOX}),
    constants={**EPOCHS.constants, **rolling.BOX},
    assumptions={**_ASSUMED, **rolling.PROJECTED_ONCE, **_BOUNDED},
    takes=(*EPOCHS.takes, "box"),
    requires=(*rolling.ORDERS, *rolling.IN_BOX),
)
EACH_PROJECTED = replace(
    IN_BOX,
    told="rolling masks on quadratics in a box, projected after every round",
    algorithm="rolling_models.EACH_PROJECTED",
    scopes=(),
    shown=replace(_SHOWN, vectors={**_VECTORS, **_BESIDE, **_BOX}),
    quantities={**rolling.QUANTITIES, **rolling.BESIDE_FULL},
    outcomes={},
    assumptions={**IN_BOX.assumptions, **rolling.PROJECTED_EARLY},
)

# ---- many epochs, in R^d

_STARTS = ("D_opt", "L_Fp", "D_br", "g_Fp", "B_M2_x")
_AT_STARTS = {
    **dict.fromkeys(("x", "xo", "xn", "one", "apart"), ()),
    **dict.fromkeys(("kept", "uneven", "Mx", "Mo", "gm"), _I),
    **dict.fromkeys(("hx", "ho", "turn", "Fx", "Fo", "loud"), _IS),
    "ao": ("sub-model",),
}
MANY_ALONE = View(
    told="rolling masks on quadratics, many epochs",
    algorithm="rolling_models.MANY",
    shown=Shown(
        draws=_SHOWN.draws,
        indices=dict.fromkeys(("i", "s", "sub-model"), ""),
        vectors=_AT_STARTS,
    ),
    runs=ROLLING,
    quantities={name: ALONE.quantities[name] for name in _STARTS},
    states=_STARTS,
    constants=rolling.FOLLOWED,
    assumptions=ALONE.assumptions,
    takes=ALONE.takes,
    requires=ALONE.requires,
    many=True,
)
MANY = replace(
    MANY_ALONE,
    told="rolling masks on quadratics, many epochs, beside full models",
    algorithm="rolling_models.MANY_BESIDE_FULL",
    shown=replace(MANY_ALONE.shown, vectors={**_AT_STARTS, **_BESIDE}),
    quantities={**MANY_ALONE.quantities, **rolling.BESIDE_FULL},
    states=(*_STARTS, *rolling.BESIDE_FULL),
    constants={**MANY_ALONE.constants, **measured.GAP_AT_OPTIMUM},
)

# ---- clients, each in proportion to its bound


def at_best(shown: Shown) -> Shown:
    """Names of the start mean those of w*(p), or w*(M), there."""
    ends = {"unit": "unit_o", "moved": "moved_o"}
    left = {x: own for x, own in shown.vectors.items() if x not in (*ends, "full", "mean")}
    return replace(shown, vectors=left, derived={x: Symbol(y) for x, y in ends.items()})


_GAPS = View(
    told="rolling masks on quadratics in a box, gaps of gradients",
    algorithm="rolling_models.GAPS",
    shown=Shown(
        draws=_SHOWN.draws,
        indices={"i": "bounds", "s": "", "corner": ""},
        vectors={
            **dict.fromkeys(("x", "one", "mean", "mean_o", "full", "full_o"), ()),
            **dict.fromkeys(("moved", "moved_o", "p_bar", "s_bar", "low", "high"), ()),
            **dict.fromkeys(("unit", "unit_o", "keep", "uneven", "spread"), _I),
            "turn": _IS,
            "gc": ("i", "corner"),
        },
    ),
    runs=ROLLING,
    constants=rolling.OF_CLIENTS,
    assumptions={
        **_ASSUMED,
        **rolling.PROJECTED_ONCE,
        assumed.BOUNDED_DOMAIN: (),
        assumed.BOUNDED_MASKED_GRADIENTS: measured.BOUNDED,
    },
    takes=(*IN_BOX.takes, "spread", "bounds"),
    requires=(*rolling.ORDERS, *measured.BOX),
)
AT_START = replace(_GAPS, scopes=(GAP_ROLLING,), quantities=measured.GAP)
AT_BEST = replace(
    _GAPS,
    scopes=(at_optimum(GAP_ROLLING),),
    shown=at_best(_GAPS.shown),
    constants={**_GAPS.constants, **measured.GAP_ALONE},
)

VIEWS = {
    "gaps of epochs at the start": AT_START,
    "gaps of epochs at w*(M)": AT_BEST,
    "epochs": EPOCHS,
    "many epochs": MANY,
    "many epochs, F_M alone": MANY_ALONE,
    "epochs, F_M alone": ALONE,
    "epochs in a box": IN_BOX,
    "epochs in a box, every round projected": EACH_PROJECTED,
}
