"""What is seen of masked objectives over p: one point, or minimisers, under growing laws."""

from fedbounds.theory.language.setups import Shown, View

from . import assumed
from . import measured_over as over
from . import measured_points as points
from .names import OBJECTIVE_LADDER
from .views_points import FREE, in_box

_I: tuple[str, ...] = ("i",)
_IJ = ("i", "j")
_LAW = {
    **dict.fromkeys(("one", "ones"), ()),
    "grown": _I,
    "laws": ("law", "i"),
    **dict.fromkeys(("value_opt", "value_opt_s"), _I),
}
_VECTORS = {
    **_LAW,
    **dict.fromkeys(("at", "coupled"), ()),
    **dict.fromkeys(("g_m", "g_top", "ends"), _I),
    **dict.fromkeys(("more", "ends_each"), _IJ),
    "pulls": ("i", "b"),
    "pulls_each": (*_IJ, "b"),
}
_MASKS = {**points.OF_MASKS, assumed.BERNOULLI: ()}
QUADRATICS = View(
    told="random masks on quadratics, over p",
    algorithm="points_over.OVER",
    shown=Shown(
        draws={"xi": ("drawn",)},
        indices={"law": "", "i": "", "j": "", "b": ""},
        vectors=_VECTORS,
        factors={"m": _I},
        may=("value_opt", "value_opt_s", "coupled", "g_top"),
    ),
    runs=OBJECTIVE_LADDER[0],
    quantities=over.QUANTITIES,
    constants=over.CONSTANTS,
    assumptions={**_MASKS, **FREE},
    integrated=True,
    takes=("keeps", "point"),
    may_take=("more_hessians", "more_slopes"),
    requires=(*over.GROWING, *over.ABOUT_CLIENTS),
)
OTHERS = View(
    told="random masks over p, minimisers given",
    algorithm="points_over.AT_LEAST",
    shown=Shown(
        draws={"xi": ("drawn",)},
        indices={"law": "", "i": ""},
        vectors={
            **_LAW,
            **dict.fromkeys(("opt", "opt_s"), ()),
            **dict.fromkeys(("g_o", "g_s"), _I),
        },
        factors={"m": _I},
    ),
    runs=OBJECTIVE_LADDER[0],
    quantities=over.RESIDUAL,
    constants={"dim": over.CONSTANTS["dim"]},
    assumptions={**_MASKS, assumed.BOUNDED_DOMAIN: ()},
    integrated=True,
    takes=("keeps", "least", "least_full"),
    requires=(*over.GROWING, *over.STATIONARY),
)

VIEWS = {
    "random masks over p": QUADRATICS,
    "random masks over p in a box": in_box(QUADRATICS),
    "random masks over p, minimisers given": OTHERS,
}
