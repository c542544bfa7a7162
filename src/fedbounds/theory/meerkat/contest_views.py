"""What is seen of runs that are set beside each other: what they reach, and who is flagged."""

from dataclasses import replace

import sympy as sp

from fedbounds.theory.language.setups import Shown, View
from fedbounds.theory.proof.vectors import ip, sq, vectors

from . import measured
from .names import EARLY_STOPPED, MEERKAT
from .symbols import c_h, f_depth
from .vectors import g0, gs, one, values

(flags,) = vectors({"flags": r"1_{\mathrm{flagged}}"})
_K = ("k",)
_TAKES = ("mask", "eta", "epsilon", "own", "K")
REACHED = View(
    told="what rounds reach",
    algorithm="sparse_zeroth_order.ROUNDS",
    shown=Shown(
        draws={"z": ("z",), "xi": ("noise",)},
        indices={"k": ""},
        vectors={"one": (), **dict.fromkeys(("values", "at_star"), _K)},
    ),
    runs=f"{MEERKAT[0]}, what is reached",
    quantities={"f": measured.OF_ROUND["f"]},
    states=("f",),
    takes=_TAKES,
    moments=True,
)
STOPPED = replace(
    REACHED,
    told="what rounds reach, some clients stopped",
    algorithm="sparse_zeroth_order.STOPPED",
    runs=f"{EARLY_STOPPED[0]}, what is reached",
    takes=(*_TAKES, "stopped"),
)
# no minimum is known of factor pairs: a set-up says how low the matrices go
FACTORS = replace(
    REACHED,
    told="what rounds of factor pairs reach",
    algorithm="sparse_zeroth_order.PLAIN",
    shown=replace(REACHED.shown, vectors={"one": (), "values": _K}),
    quantities={"f": ip(values, one) + f_depth},
    moments=False,
)
# of one client, where the mask keeps all that counts: the left side of the chain after (9), less
# the right one
CHAINED = replace(
    FACTORS,
    told="how far local gradients grow",
    shown=replace(
        FACTORS.shown,
        indices={"k": "", "s": ""},
        vectors={"one": (), "values": _K, "g0": _K, "gs": ("k", "s")},
    ),
    quantities={"f": ip(values, one), "beyond": ip(g0, gs) - (1 + sp.sqrt(c_h)) * sq(g0)},
)
FLAGGED = View(
    told="who is flagged",
    algorithm="early_stopped_rounds.FLAGS",
    shown=Shown(indices={"k": ""}, vectors={"flags": _K, "one": ()}),
    runs=f"{EARLY_STOPPED[0]}, who is flagged",
    quantities={"flagged": ip(flags, one)},
    takes=(
        *("mask", "eta", "epsilon", "own", "calibration", "pretraining"),
        *("initial", "later", "quiet", "ratio", "share", "latest", "absolute"),
    ),
)
VIEWS = {
    "what is reached": REACHED,
    "what is reached, some clients stopped": STOPPED,
    "what factor pairs reach": FACTORS,
    "how far local gradients grow": CHAINED,
    "who is flagged": FLAGGED,
}
