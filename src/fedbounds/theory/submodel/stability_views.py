"""What is seen of coupled runs: on two data sets, or on all that laws of samples give."""

from collections.abc import Mapping
from dataclasses import replace

from fedbounds.facts import Fact
from fedbounds.theory.language.setups import RUN, Ending, Rungs, Says, Settled, Shown, View
from fedbounds.theory.language.symbols import t
from fedbounds.theory.proof.vectors import sq

from . import assumed
from . import stability_measured as measured
from .names import COUPLED, COUPLED_LADDER
from .proofs.scopes import COUPLED as RUNS
from .proofs.scopes import SAMPLE
from .symbols import dl_w, p_mean

_I, _K, _IK = ("i",), ("k",), ("i", "k")
_MASKS = {"xi": ("masks", "samples")}
_TURNS = {"xi": ("turns", "samples")}
_PUSHES = tuple(vector.name for vector in measured.PUSHES)
_ONES = dict.fromkeys(("one", "ones"), ())
_STEEP: Mapping[str, tuple[str, ...]] = {"steep": ("corner",)}
_KEEP: Mapping[str, tuple[str, ...]] = {"keep": _I}
_SHARES: Mapping[str, tuple[str, ...]] = {"share": _I, "even": _I, "turns": ()}
_IN_BOX = dict.fromkeys(("low", "high", "hull_low", "hull_high"), ())
# an epoch is one round
_RANDOM = dict.fromkeys((assumed.KEPT, assumed.BERNOULLI, assumed.WHOLE_EPOCHS), ())
_ROLLING = {
    assumed.COVERAGE: measured.COVERED,
    assumed.WHOLE_EPOCHS: measured.WHOLE,
    assumed.SHARED_ORDER: (),
}
_ANY = {
    Fact.NOISE: (),
    assumed.DATA_FREE_MASKS: (),
    assumed.LIPSCHITZ_SAMPLES: measured.BOUNDED,
    assumed.BOUNDED_MASKED_GRADIENTS: measured.BOUNDED,
}
_FREE: Mapping[str, tuple[Says, ...]] = {Fact.UNCONSTRAINED: ()}
_BOXED = {assumed.BOUNDED_DOMAIN: measured.BOX}

# ---- on two data sets

_PAIR: Mapping[str, tuple[str, ...]] = {
    **_ONES,
    **_STEEP,
    **dict.fromkeys(("x", "far", "xn", "far_n", "pv", "mpv", "pu", "mpu", "keep_own"), ()),
    **dict.fromkeys(("y_K", "far_K"), _I),
    **dict.fromkeys(("old_own", "new_own", *_PUSHES), _K),
    **dict.fromkeys(("old_hit", "new_hit"), _IK),
    "slopes": ("data", "k", "sample"),
    **_KEEP,
}
_PAIR_INDICES = dict.fromkeys(("data", "i", "k", "sample", "corner"), "")
PAIR = View(
    told="coupled runs on two data sets, random masks",
    algorithm="coupled.RANDOM_PAIR",
    shown=Shown(_MASKS, _PAIR_INDICES, _PAIR, derived=measured.NORMS, may=("steep",)),
    runs=COUPLED[0],
    scopes=(RUNS, SAMPLE),
    quantities=measured.OF_BOTH,
    states=("dl_w",),
    constants={**measured.COMMON, **measured.OF_MASKS, **measured.OF_PAIR},
    assumptions={**_ANY, **_RANDOM, **_FREE},
    takes=("keep", "K", "eta", "n_s", "changed"),
)
PAIR_IN_BOX = replace(
    PAIR,
    told="coupled runs on two data sets, random masks in a box",
    shown=replace(PAIR.shown, vectors={**_PAIR, **_IN_BOX}),
    constants={**PAIR.constants, **measured.IN_BOX},
    assumptions={**_ANY, **_RANDOM, **_BOXED},
    takes=(*PAIR.takes, "box", "hull"),
    requires=measured.HULL_OF_PAIR,
)
_ROLLING_PAIR = {name: own for name, own in _PAIR.items() if name not in ("keep", "keep_own")}
ROLLING_PAIR = replace(
    PAIR,
    told="coupled runs on two data sets, rolling masks",
    algorithm="coupled.ROLLING_PAIR",
    shown=Shown(
        _TURNS,
        _PAIR_INDICES,
        {**_ROLLING_PAIR, **_SHARES, "share_own": ()},
        derived=measured.NORMS,
        may=("steep",),
    ),
    scopes=(),
    constants={**measured.COMMON, "G_m": measured.OF_PAIR["G_m"], **measured.ROLLING_PAIR},
    assumptions={**_ANY, **_ROLLING, **_FREE},
    takes=("sub_models", "K", "eta", "n_s", "changed", "epochs"),
)

# any number of rounds, where they start
PAIR_ENDS = View(
    told="coupled runs on two data sets, where rounds start",
    algorithm="coupled.PAIR_ENDS",
    shown=Shown(_MASKS, {"i": ""}, {**_ONES, **_KEEP, **dict.fromkeys(("x", "far"), ())}),
    quantities={"dl_w": measured.OF_BOTH["dl_w"]},
    states=("dl_w",),
    constants={"dim": measured.COMMON["dim"], "p_mean": measured.OF_MASKS["p_mean"]},
    takes=PAIR.takes,
    many=True,
    requires=(Says(sq(measured.keep), "==", p_mean**2),),
)
RUNGS = {
    "over p, two data sets": Rungs(
        told="coupled runs with squares over p",
        runs=COUPLED_LADDER[0],
        over="p",
        values=p_mean,
        varies=("keep",),
        series={"dl_r": Ending(dl_w(t)), "dl_lim": Settled(dl_w(t), RUN)},
    )
}

# ---- on all data sets of laws

_D, _DP = ("data",), ("data", "place", "fresh")
_ALL: Mapping[str, tuple[str, ...]] = {
    **_ONES,
    **_STEEP,
    **dict.fromkeys(("x", "V_pop", "V_own", "Mx", "Mo", "xo", "V_low", "V_hat"), _D),
    **dict.fromkeys(("ho", "go"), ("data", "i")),
    "far": ("data", "fresh"),
    **dict.fromkeys(("fars", "loss_diff"), _DP),
    **dict.fromkeys(("old_own", "new_own"), ("data", "fresh", "k")),
    **dict.fromkeys(_PUSHES, (*_DP, "k")),
    "slopes": ("data", "i", "k", "sample"),
    "noise_at": ("data", "point", "kept", "i", "j"),
}
_INDICES = dict.fromkeys(
    ("data", "place", "fresh", "at", "point", "kept", "i", "s", "j", "k", "sample", "corner"), ""
)
# of Huber's losses, and where no objective has one minimiser
_MAY = ("steep", "Mx", "Mo", "xo", "ho", "go", "V_low", "V_hat", "noise_at", "hx", "hs")
ALL = View(
    told="coupled runs on all data sets of a law, random masks",
    algorithm="coupled.RANDOM",
    shown=Shown(
        _MASKS,
        _INDICES,
        {**_ALL, **_KEEP, "hx": ("data", "at", "i")},
        derived=measured.LOSS_SIZE,
        may=_MAY,
    ),
    runs=COUPLED[0],
    scopes=(RUNS,),
    quantities={**measured.OF_BOTH, **measured.OF_ALL, **measured.RISKS},
    states=("dl_w", *measured.OF_ALL, *measured.RISKS),
    constants={**measured.COMMON, **measured.OF_MASKS, **measured.OF_DATA},
    assumptions={**_ANY, **_RANDOM, **_FREE, assumed.INDEPENDENT_SAMPLES: ()},
    takes=("keep", "K", "eta", "n_s", "place"),
)
ALL_IN_BOX = replace(
    ALL,
    told="coupled runs on all data sets of a law, random masks in a box",
    shown=replace(ALL.shown, vectors={**ALL.shown.vectors, **_IN_BOX}),
    constants={**ALL.constants, **measured.IN_BOX},
    assumptions={**_ANY, **_RANDOM, **_BOXED, assumed.INDEPENDENT_SAMPLES: ()},
    takes=(*ALL.takes, "box", "hull"),
    requires=measured.HULL_OF_ALL,
)
ALL_ROLLING = replace(
    ALL,
    told="coupled runs on all data sets of a law, rolling masks",
    algorithm="coupled.ROLLING",
    shown=replace(
        ALL.shown, draws=_TURNS, vectors={**_ALL, **_SHARES, "hs": ("data", "at", "i", "s")}
    ),
    quantities={**measured.OF_BOTH, **measured.OF_ALL},
    states=("dl_w", *measured.OF_ALL),
    constants={**measured.COMMON, "G_m": measured.OF_DATA["G_m"], **measured.ROLLING},
    assumptions={**_ANY, **_ROLLING, **_FREE, assumed.INDEPENDENT_SAMPLES: ()},
    takes=("sub_models", "K", "eta", "n_s", "place", "epochs"),
)
# rounds within an epoch leave the domain
ALL_ROLLING_IN_BOX = replace(
    ALL_ROLLING,
    told="coupled runs on all data sets of a law, rolling masks in a box",
    shown=replace(ALL_ROLLING.shown, vectors={**ALL_ROLLING.shown.vectors, **_IN_BOX}),
    assumptions={
        **_ANY, **_ROLLING, assumed.BOUNDED_DOMAIN: (), assumed.INDEPENDENT_SAMPLES: ()
    },
    takes=(*ALL_ROLLING.takes, "box", "hull"),
    requires=measured.HULL_OF_ALL,
)  # fmt: skip

VIEWS = {
    "two data sets": PAIR,
    "two data sets, in a box": PAIR_IN_BOX,
    "two data sets, ends": PAIR_ENDS,
    "two data sets, rolling masks": ROLLING_PAIR,
    "all data sets": ALL,
    "all data sets, in a box": ALL_IN_BOX,
    "all data sets, rolling masks": ALL_ROLLING,
    "all data sets, rolling masks in a box": ALL_ROLLING_IN_BOX,
}
