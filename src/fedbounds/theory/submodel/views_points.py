"""What is seen of masked objectives: points and minimisers, under random or rolling masks."""

from collections.abc import Mapping
from dataclasses import replace

from fedbounds.facts import Fact
from fedbounds.theory.language.setups import Says, Shown, View

from . import assumed
from . import measured_points as points
from .names import OBJECTIVE
from .proofs.objectives import STATIONARY
from .proofs.quadratics import CLIENT, OPTIMA
from .proofs.scopes import MINIMISERS, PAIR, POINT, POINT_ROLLING, QUADRATIC, STEP

_I: tuple[str, ...] = ("i",)
_MAY = {
    **dict.fromkeys(("opt", "opt_2", "opt_s", "hat", "turn"), ()),
    **dict.fromkeys(("gp_o", "gp_2", "gp_s", "gq_o", "gq_2", "gf_o", "gf_s"), ()),
    "swap": ("i", "s"),
    **dict.fromkeys(("value_opt", "value_opt_2", "value_opt_s", "value_hat", "g_2", "p_diff"), _I),
}
_VECTORS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("at", "next", "one", "ones", "side", "full", "steep"), ()),
    **dict.fromkeys(("g_m", "g_n", "g_own", "g_0"), _I),
    "laws": ("law", "i"),
    **_MAY,
}
_SHOWN = Shown(
    draws={"xi": ("drawn",)},
    indices={"law": "", "i": "", "s": ""},
    vectors=_VECTORS,
    factors={"m": _I, "m_2": _I},
    derived=points.PAIR,
    may=(*_MAY, "m_2"),
)
_CLOSED = ("solved", "moved_M", "coupled", "told_of")
_PARTS = {
    **dict.fromkeys(("off", "off_m", "scaled", "slopes"), _I),
    **dict.fromkeys(_CLOSED, ()),
}
_OF_QUADRATICS = replace(
    _SHOWN,
    vectors={**_VECTORS, **_PARTS},
    factors={**_SHOWN.factors, "chance": _I},
    derived={**points.PAIR, **points.PARTS},
    may=(*_SHOWN.may, *_CLOSED),
)
_BOX = dict.fromkeys(("low", "high", "far", "top"), ())

FREE: Mapping[str, tuple[Says, ...]] = {Fact.UNCONSTRAINED: ()}
_BOUNDED = dict.fromkeys((assumed.BOUNDED_DOMAIN, assumed.BOUNDED_MASKED_GRADIENTS), ())
_COVERED = {assumed.COVERAGE: points.OF_MASKS[assumed.KEPT]}


def in_box(view: View) -> View:
    """The same where the domain is a box."""
    assumptions = {x: y for x, y in view.assumptions.items() if x not in FREE}
    return replace(
        view,
        told=f"{view.told} in a box",
        shown=replace(view.shown, vectors={**view.shown.vectors, **_BOX}),
        constants={**view.constants, **points.BOX},
        assumptions=assumptions | _BOUNDED,
        takes=(*view.takes, "box"),
        requires=(*view.requires, *points.IN_BOX),
    )


RANDOM = View(
    told="random masks on quadratics, at points",
    algorithm="points.WITH_QUADRATICS",
    shown=_OF_QUADRATICS,
    runs=OBJECTIVE[0],
    scopes=(PAIR, STEP, MINIMISERS, CLIENT, OPTIMA),
    quantities={**points.QUANTITIES, **points.MISSED, **points.OF_QUADRATICS},
    constants={**points.SHARES, **points.MINIMISERS, **points.CLOSED},
    assumptions={**points.OF_MASKS, assumed.BERNOULLI: (), **FREE},
    integrated=True,
    takes=("points", "keep"),
    may_take=("keep_2",),
)
MIXED = View(
    told="rolling and random masks on quadratics, at points",
    algorithm="points.MASKED",
    shown=_SHOWN,
    runs=OBJECTIVE[0],
    scopes=(PAIR, STEP, MINIMISERS),
    quantities={**points.QUANTITIES, **points.MISSED},
    constants={**points.SHARES, **points.ROLLING, **points.MINIMISERS},
    assumptions={**points.OF_MASKS, **FREE},
    integrated=True,
    takes=("points", "sub_models", "keep_2"),
)
ROLLING = replace(
    MIXED,
    told="rolling masks on quadratics, at points",
    constants={**MIXED.constants, **points.BOTH_ROLLING},
    assumptions={**MIXED.assumptions, **_COVERED},
    takes=("points", "sub_models"),
    may_take=("sub_models_2",),
)

# ---- for proofs alone: a point is its own pair

RANDOM_ALONE = replace(
    RANDOM,
    told="random masks on quadratics, each point alone",
    scopes=(POINT, QUADRATIC),
    shown=replace(_OF_QUADRATICS, derived={**points.POINT, **points.PARTS}),
    quantities=points.ALONE | STATIONARY,
    constants=points.SHARES,
    requires=points.EQUAL,
)
ROLLING_ALONE = replace(
    ROLLING,
    told="rolling masks on quadratics, each point alone",
    scopes=(POINT_ROLLING,),
    shown=replace(_SHOWN, derived=points.POINT),
    quantities=points.ALONE,
    constants={**points.SHARES, **points.ROLLING},
    requires=points.EQUAL,
)

VIEWS = {
    "random masks at points": RANDOM,
    "random masks at points in a box": in_box(RANDOM),
    "rolling masks at points": ROLLING,
    "rolling masks at points in a box": in_box(ROLLING),
    "rolling and random masks at points": MIXED,
    "rolling and random masks at points in a box": in_box(MIXED),
    "random masks, each point alone": RANDOM_ALONE,
    "random masks, each point alone in a box": in_box(RANDOM_ALONE),
    "rolling masks, each point alone": ROLLING_ALONE,
    "rolling masks, each point alone in a box": in_box(ROLLING_ALONE),
}
