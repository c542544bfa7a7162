"""What is seen of local steps of one client, with the GradIP score of each."""

from collections.abc import Mapping
from dataclasses import replace

import sympy as sp

from fedbounds.theory.language.setups import RUN, Definition, Rungs, Says, Settled, Shown, View
from fedbounds.theory.language.symbols import n, sigma2, t
from fedbounds.theory.proof.vectors import ip, sq, vectors

from . import measured
from .names import FEWER_LABELS, SCORED, SURE_MODEL
from .symbols import GradIP, GradIP_2, est_one, g_k2
from .vectors import est, noise, one

score, pre = vectors({"score": r"\mathrm{GradIP}_k^t", "pre": r"\nabla f_p"})
_K = ("k",)
_OF_STEP = ("V_k", "g_k2", "mg_k2")
_CONSTANTS: Mapping[str, Definition] = {
    **measured.CONSTANTS,
    "pre_2": sq(pre),
    "pre_m2": sq(measured.mask(pre)),
    "noise_m2": sq(measured.mask(noise)),
    "lim_mean2": Settled(GradIP(t), RUN) ** 2,
    "lim_GradIP2": Settled(GradIP_2(t), RUN),
    "lim_g2": Settled(g_k2(t), RUN),
    "lim_est2": Settled(est_one(t), RUN),
}
SCORES = View(
    told="local steps of one client, with scores",
    algorithm="early_stopped_rounds.SCORED",
    shown=Shown(
        draws={"z": ("z",), "xi": ("noise",)},
        indices={"k": ""},
        vectors={
            **dict.fromkeys(("g", "noise", "est", "gap", "score"), _K),
            **dict.fromkeys(("one", "ones", "pre"), ()),
        },
        factors={"mask": ()},
        derived={"mg": measured.MEANT["mg"]},
    ),
    runs=SCORED[0],
    quantities={
        **{name: measured.OF_STEP[name] for name in _OF_STEP},
        "est_one": sq(est),
        "GradIP": ip(score, one),
        "GradIP_2": sq(score),
    },
    states=measured.STATES,
    constants=_CONSTANTS,
    takes=("mask", "eta", "epsilon", "own", "pretraining"),
    many=True,
    requires=(Says(n, "==", sp.Integer(1)),),
)
_BATCHES = ("g", "noise", "est", "score")
# of samples whose losses are no polynomials: what they tend to is not known
MINIBATCHES = replace(
    SCORES,
    told="local steps of one client on minibatches, with scores",
    algorithm="minibatch_steps.SCORED",
    shown=replace(
        SCORES.shown,
        draws={"z": ("z",), "xi": ("samples",)},
        vectors={**dict.fromkeys(_BATCHES, _K), **dict.fromkeys(("one", "ones", "pre"), ())},
    ),
    quantities={name: own for name, own in SCORES.quantities.items() if name != "V_k"},
    states=("g_k2", "mg_k2"),
    constants={**measured.CONSTANTS, "pre_2": sq(pre), "pre_m2": sq(measured.mask(pre))},
    many=False,
    moments=True,
)
_OVER = Rungs(
    told="local steps of one client over the share of its rarer label",
    runs=FEWER_LABELS[0],
    over="variance of labels",
    values=sigma2,
    varies=("noise", "slopes"),
    series={
        "falls_2": GradIP_2(0) - Settled(GradIP_2(t), RUN),
        "falls_1": GradIP(0) - Settled(GradIP(t), RUN),
    },
    falls=True,
)
RUNGS = {
    "over label shares": _OVER,
    "over label shares, from a sure model": replace(_OVER, runs=SURE_MODEL[0]),
}
