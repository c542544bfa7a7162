"""What is seen of runs: on a schedule, and of clients at random."""

from dataclasses import replace

from fedbounds.theory.language.setups import Shown, View

from . import assumed, measured
from .names import FEDAVG, SAMPLED
from .scope_names import AT_RANDOM

_ALL = ("x", "x0", "after", "mean_g", "size", "one", "star")
_CLIENTS = ("res", "res_next", "along", "first", "by_gram", "term_1", "term_2", "term_3", "term_4", "slope",
            "y")  # fmt: skip
ROUNDS = View(
    told="rounds on a schedule",
    algorithm="scheduled_averaging.ROUNDS",
    shown=Shown(
        indices={"i": "", "k": "", "l": ""},
        vectors={
            **dict.fromkeys(_ALL, ()),
            **dict.fromkeys(_CLIENTS, ("i",)),
            **dict.fromkeys(("xis", "gs", "ys"), ("i", "k")),
        },
        factors={"layer": ("l",), "present": ("i",)},
        derived=measured.DERIVED,
        may=("star",),
    ),
    runs=FEDAVG[0],
    quantities=measured.QUANTITIES,
    states=measured.STATES,
    each=measured.EACH,
    constants=measured.CONSTANTS,
    assumptions={
        assumed.EVENT: measured.EVENT,
        assumed.INDEPENDENT: measured.INDEPENDENT,
    },
    takes=("eta", "K", "schedule"),
)
AT_RANDOM = replace(
    ROUNDS,
    told="rounds of clients at random",
    algorithm="scheduled_averaging.SAMPLED",
    shown=replace(ROUNDS.shown, draws={"S": ("present",)}),
    runs=SAMPLED[0],
    scopes=(AT_RANDOM,),
    takes=("eta", "K", "m"),
)

VIEWS = {"rounds": ROUNDS, "rounds, clients at random": AT_RANDOM}
