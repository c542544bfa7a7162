"""What is seen of runs of random masks: rounds, in R^d or in a box, beside full models or alone."""

from collections.abc import Mapping
from dataclasses import replace

from fedbounds.facts import Fact
from fedbounds.theory.language.setups import Shown, View

from . import (
    assumed,
    draws,
    gap_views,
    measured,
    rolling_ends,
    rolling_views,
    side_views,
    stability_views,
    views_losses,
    views_over,
    views_points,
    views_run_ladders,
)
from .names import RANDOM
from .proofs.definitions_rounds import GAP, ROUND, at_optimum
from .scope_names import FULL, WHOLE
from .vectors_runs import cy_k, my_k

_I, _IK, _IJ = ("i",), ("i", "k"), ("i", "j")
_VECTORS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("x", "xo", "xn", "wf", "Um", "one", "server", "virtual", "sgd"), ()),
    **dict.fromkeys(("hx", "ho", "gm", "cx", "keep", "Fx", "Fo", "Fn", "Mx", "Mo"), _I),
    **dict.fromkeys(("y", "hy", "nz", "Pn", "Pd", "Ph", "Fy"), _IK),
    **dict.fromkeys(("w_k", "my_k", "cy_k"), _IJ),
}
_BESIDE = dict.fromkeys(("gx", "go", "Vx", "Vs", "Vh"), _I)
_IN_BOX = {"low": (), "high": (), "spread": _I, "gc": ("i", "corner")}
# j counts the models of a client, k its gradients
_SHOWN = Shown(
    draws={"mask": ("masks",), "xi": ("noise",)},
    indices={"i": "", "k": "", "j": "", "corner": ""},
    vectors=_VECTORS,
)
_SHARE = {"p_mean": measured.CONSTANTS["p_mean"]}
_MASKS = dict.fromkeys((assumed.KEPT, assumed.BERNOULLI), ())

ALONE = View(
    told="random masks on quadratics",
    algorithm="sub_models.RANDOM",
    shown=_SHOWN,
    runs=RANDOM,
    scopes=(ROUND,),
    quantities=measured.QUANTITIES,
    states=("D_opt", "L_Fp", "Z_ex"),
    constants=measured.CONSTANTS,
    assumptions={**_MASKS, Fact.UNCONSTRAINED: ()},
    meant=measured.VALUES,
    takes=("keep", "K", "eta"),
)
ROUNDS = replace(
    ALONE,
    told="random masks on quadratics, beside full models",
    algorithm="sub_models.BESIDE_FULL",
    shown=replace(_SHOWN, vectors={**_VECTORS, **_BESIDE}),
    quantities={**measured.QUANTITIES, **measured.BESIDE_FULL},
    states=(*ALONE.states, "L_F", "L_hat", "g_F", "Dl_w"),
    constants={**measured.CONSTANTS, **measured.GAP_AT_OPTIMUM},
)
IN_BOX = replace(
    ROUNDS,
    told="random masks on quadratics in a box",
    algorithm="sub_models.IN_BOX",
    shown=replace(_SHOWN, vectors={**_VECTORS, **_BESIDE, **_IN_BOX}),
    constants={**ROUNDS.constants, **measured.IN_BOX},
    assumptions={
        **_MASKS,
        assumed.BOUNDED_DOMAIN: (),
        assumed.BOUNDED_MASKED_GRADIENTS: measured.BOUNDED,
    },
    takes=(*ROUNDS.takes, "box", "spread"),
    requires=measured.BOX,
)


# ---- many rounds, in R^d

_FOLLOWED = ("D_opt", "L_Fp", "g_Fp", "D_br", "L_F", "g_F")
LONG = View(
    told="random masks on quadratics, many rounds",
    algorithm="sub_models.BESIDE_FULL",
    shown=ROUNDS.shown,
    runs=RANDOM,
    quantities={name: ROUNDS.quantities[name] for name in _FOLLOWED},
    states=_FOLLOWED,
    constants={
        **_SHARE,
        **measured.AT_OPTIMUM,
        **{name: measured.CONSTANTS[name] for name in ("Phi", "D_opt_0")},
    },
    assumptions=ALONE.assumptions,
    takes=ALONE.takes,
    many=True,
)
TUNED = replace(LONG, requires=measured.ENOUGH)
# one outcome a round, which is listed
TUNED_LISTED = replace(ROUNDS, requires=measured.ENOUGH)

# ---- the same algorithm, as claims that runs are other runs speak of it

_ONE_DRAW = {"xi": ("masks", "noise")}
_OF_MODELS = dict.fromkeys(("server", "virtual"), ()) | dict.fromkeys(("cx", "back", "y_K"), _I)
VIRTUAL = replace(
    IN_BOX,
    told="random masks on quadratics in a box, with all virtual iterates",
    scopes=(WHOLE,),
    shown=Shown(
        draws=_ONE_DRAW,
        indices={"i": "", "k": "", "corner": ""},
        vectors={
            **_OF_MODELS,
            **dict.fromkeys(("w_k", "my_k", "cy_k"), _IK),
            **dict.fromkeys(("x", "one", "sgd"), ()),
            "keep": _I,
            **_IN_BOX,
        },
        derived={"y": my_k + cy_k},
    ),
    quantities=measured.SAME_RUNS,
    states=(),
    constants={**_SHARE, **measured.IN_BOX},
)
FULL_MASKS = replace(
    ALONE,
    told="full masks on quadratics, beside local SGD",
    scopes=(FULL,),
    shown=Shown(
        draws=_ONE_DRAW,
        indices={"i": "", "k": ""},
        vectors={
            **dict.fromkeys(("x", "server", "sgd", "one"), ()),
            **dict.fromkeys(("ho", "keep"), _I),
            **dict.fromkeys(("sgd_step", "masked_step"), _IK),
        },
    ),
    quantities={name: measured.SAME_RUNS[name] for name in ("Er_2", "Sr_2")},
    states=(),
    constants={**_SHARE, **measured.AT_OPTIMUM},
    meant={},
)

# ---- clients, each in proportion to its bound

_GAPS = View(
    told="random masks on quadratics in a box, gaps of gradients",
    algorithm="sub_models.GAPS",
    shown=Shown(
        draws=_SHOWN.draws,
        indices={"i": "bounds", "corner": ""},
        vectors={
            **dict.fromkeys(("x", "one", "mean", "mean_o", "full", "full_o"), ()),
            **dict.fromkeys(("moved", "moved_o", "p_bar", "s_bar"), ()),
            **dict.fromkeys(("unit", "unit_o", "keep"), _I),
            **_IN_BOX,
        },
    ),
    runs=RANDOM,
    constants=measured.OF_CLIENTS,
    assumptions=IN_BOX.assumptions,
    takes=(*IN_BOX.takes, "bounds"),
    requires=measured.BOX,
)
AT_START = replace(_GAPS, scopes=(GAP,), quantities=measured.GAP)
AT_BEST = replace(
    _GAPS,
    scopes=(at_optimum(GAP),),
    shown=rolling_views.at_best(_GAPS.shown),
    constants={**_GAPS.constants, **measured.GAP_ALONE},
)

VIEWS = {
    "rounds": ROUNDS,
    "virtual iterates in a box": VIRTUAL,
    "full masks": FULL_MASKS,
    "rounds, F_p alone": ALONE,
    "rounds in a box": IN_BOX,
    "rounds, tuned": TUNED_LISTED,
    "many rounds": LONG,
    "many rounds, tuned": TUNED,
    "gaps at the start": AT_START,
    "gaps at w*(p)": AT_BEST,
    **rolling_views.VIEWS,
    **rolling_ends.VIEWS,
    **draws.VIEWS,
    **views_points.VIEWS,
    **views_over.VIEWS,
    **views_losses.VIEWS,
    **views_run_ladders.VIEWS,
    **stability_views.VIEWS,
    **side_views.VIEWS,
    **gap_views.VIEWS,
}
RUNGS = {**views_run_ladders.RUNGS, **stability_views.RUNGS}
SIDES = {**side_views.SIDES, **gap_views.SIDES}
