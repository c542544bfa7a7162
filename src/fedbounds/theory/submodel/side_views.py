"""What is seen of rolling masks beside random or static ones: equal shares of w, steps, rounds."""

from dataclasses import replace

import sympy as sp

from fedbounds.facts import Fact
from fedbounds.theory.language.beside import Side, Sides
from fedbounds.theory.language.setups import RUN, Largest, Says, Settled, Shown, View, dot
from fedbounds.theory.language.symbols import T, t
from fedbounds.theory.proof.vectors import ip, sq, vectors

from . import assumed, measured
from . import rolling_measured as rolling
from .names import ROLLING_RANDOM, ROLLING_STATIC
from .stability_measured import share, turns
from .symbols import D_opt, S_sub
from .vectors import one

moved, begun = vectors({"moved": r"\mathbf 1_{\mathrm{unheld}}\odot(w^t-w^0)", "begun": "w^0"})
_I = ("i",)
_LOSS = {"L_F": measured.BESIDE_FULL["L_F"]}
_DISTANCE = {"D_opt": measured.OF_ROUND["D_opt"]}
_OF_LOSS = {"one": (), **dict.fromkeys(("Vx", "Vs", "keep"), _I)}
_OF_DISTANCE = dict.fromkeys(("x", "xo"), ())
_AS_KEPT = Says(Largest(dot(share - measured.keep, share - measured.keep)), "==", sp.Integer(0))
_MASKS = dict.fromkeys((assumed.KEPT, Fact.UNCONSTRAINED), ())
RANDOM = View(
    told="random masks on quadratics, side by side",
    algorithm="side_by_side.RANDOM",
    shown=Shown(
        draws={"mask": ("masks",), "xi": ("noise",)},
        indices={"i": ""},
        vectors={**_OF_LOSS, **_OF_DISTANCE},
    ),
    quantities={**_DISTANCE, **_LOSS},
    states=("D_opt", "L_F"),
    assumptions=_MASKS,
    takes=("keep", "K", "eta"),
    many=True,
)
STATIC = replace(
    RANDOM,
    told="static masks on quadratics, side by side",
    algorithm="side_by_side.STATIC",
    shown=Shown(draws={"xi": ("noise",)}, indices={"i": ""}, vectors={**_OF_LOSS, "share": _I}),
    quantities=_LOSS,
    states=("L_F",),
    takes=("keep", "masks", "K", "eta"),
    requires=(_AS_KEPT,),
)
KEPT = replace(
    STATIC,
    told="static masks on quadratics, and where they started",
    algorithm="side_by_side.KEPT",
    shown=Shown(
        draws={"xi": ("noise",)},
        indices={"i": ""},
        vectors={"moved": (), "begun": (), "one": (), "share": _I, "keep": _I},
    ),
    quantities={"Eu_2": sq(moved), "Su_2": sq(begun)},
    states=("Eu_2", "Su_2"),
)
ROLLING = replace(
    RANDOM,
    told="rolling masks on quadratics, side by side",
    algorithm="side_by_side.ROLLING",
    shown=Shown(
        draws={"perm": ("order",), "xi": ("noise",)},
        indices={"i": "", "s": ""},
        vectors={**_OF_LOSS, **_OF_DISTANCE, "share": _I, "uneven": _I, "turns": ()},
    ),
    constants={"S_sub": ip(turns, one), "q_mean": ip(share, one)},
    takes=("keep", "sub_models", "orders", "K", "eta"),
    requires=(_AS_KEPT, *rolling.OF_MASKS[assumed.COVERAGE], *rolling.ORDERS),
)
VIEWS = {
    "side by side, rolling masks": ROLLING,
    "side by side, random masks": RANDOM,
    "side by side, static masks": STATIC,
    "side by side, coordinates that nobody holds": KEPT,
}

# ---- which of two

_ROLLED, _RANDOM, _STATIC, _KEPT = map(sp.Symbol, ("rolling", "random", "static", "kept"))
_L_F = sp.Function("L_F")
_BESIDE_RANDOM = Sides(
    told="rolling and random masks on quadratics, side by side",
    runs=ROLLING_RANDOM[0],
    views={
        _ROLLED.name: "side by side, rolling masks",
        _RANDOM.name: "side by side, random masks",
    },
    varies=("sub_models", "orders", "rounds"),
    series={
        "D_roll": Side(_ROLLED, D_opt(t)),
        "L_roll": Side(_ROLLED, _L_F(t)),
        "D_rand": Side(_RANDOM, D_opt(t)),
        "L_rand": Side(_RANDOM, _L_F(t)),
    },
    constants={
        "roll_floor": Side(_ROLLED, Settled(D_opt(t), RUN)),
        "roll_loss": Side(_ROLLED, Settled(_L_F(t), RUN)),
        "rand_floor": Side(_RANDOM, Settled(D_opt(t), RUN)),
        "rand_loss": Side(_RANDOM, Settled(_L_F(t), RUN)),
    },
    requires=(Says(Side(_ROLLED, S_sub * T), "==", Side(_RANDOM, T)),),
)
_BESIDE_STATIC = replace(
    _BESIDE_RANDOM,
    told="rolling and static masks on quadratics, side by side",
    runs=ROLLING_STATIC[0],
    views={
        _ROLLED.name: "side by side, rolling masks",
        _STATIC.name: "side by side, static masks",
    },
    varies=("sub_models", "orders", "masks", "rounds"),
    series={"L_roll": Side(_ROLLED, _L_F(t)), "L_stat": Side(_STATIC, _L_F(t))},
    constants={
        "roll_loss": Side(_ROLLED, Settled(_L_F(t), RUN)),
        "stat_loss": Side(_STATIC, Settled(_L_F(t), RUN)),
    },
    requires=(Says(Side(_ROLLED, S_sub * T), "==", Side(_STATIC, T)),),
)
SIDES = {
    "rolling beside random masks": _BESIDE_RANDOM,
    "rolling beside static masks": _BESIDE_STATIC,
    "rolling beside static masks, and what nobody holds": replace(
        _BESIDE_STATIC,
        views={**_BESIDE_STATIC.views, _KEPT.name: "side by side, coordinates that nobody holds"},
        series={
            **_BESIDE_STATIC.series,
            "Eu_2": Side(_KEPT, sp.Function("Eu_2")(t)),
            "Su_2": Side(_KEPT, sp.Function("Su_2")(t)),
        },
        requires=(*_BESIDE_STATIC.requires, Says(Side(_STATIC, T), "==", Side(_KEPT, T))),
    ),
}
