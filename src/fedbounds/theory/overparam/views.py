"""What is seen of runs: on a schedule, and of clients at random."""

from dataclasses import replace

from fedbounds.theory.language.setups import Ending, Rungs, Shown, View
from fedbounds.theory.language.symbols import m, t

from . import (
    assumed,
    contest_views,
    linearised,
    matrices,
    measured,
    relu_measured,
    scope_names,
    starts,
)
from .names import FEDAVG, MATRICES, MORE_CLIENTS, RELU, RELU_SAMPLED, SAMPLED, SAMPLES
from .symbols import R_mean

_SPECTRA = ("low", "high", "moved_first", "moved_last", "inner", "moved_inner",
            "block_columns", "block_rows", "block_low", "block_high")  # fmt: skip
_WENT = ("went_first", "went_last", "went_inner", "length", "own_spread")
_ALL = ("x", "x0", "after", "mean_g", "size", "one", "star", *_SPECTRA)
_TERMS = tuple(f"term_{number}" for number in (1, 2, 3, 4))
_CLIENTS = ("res", "res_next", "along", "first", "by_gram", "slope", "y", "least_own",
            "largest_own", *_TERMS)  # fmt: skip
ROUNDS = View(
    told="rounds on a schedule",
    algorithm="scheduled_averaging.ROUNDS",
    shown=Shown(
        indices={"i": "", "k": "", "j": "", "l": "", "p": ""},
        vectors={
            **dict.fromkeys(_ALL, ()),
            **dict.fromkeys(_WENT, ("p",)),
            **dict.fromkeys(_CLIENTS, ("i",)),
            **dict.fromkeys(("xis", "gs", "ys", "outputs_went"), ("i", "k")),
            "grams_apart": ("k",),
            **dict.fromkeys(("xis_to", "ys_to", "went_layers"), ("i", "j")),
        },
        factors={"layer": ("l",), "present": ("i",)},
        derived=measured.DERIVED,
        may=("star", "grams_apart", "least_own", "largest_own", "went_layers", *_SPECTRA, *_WENT),
    ),
    runs=FEDAVG[0],
    scopes=(scope_names.LAYERS,),
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
    scopes=(scope_names.AT_RANDOM,),
    takes=("eta", "K", "m"),
)

_NEURONS = ("res", "res_next", "by_gram", "perp", "flips", "changed", "by_local", "by_still")
RELU_ROUNDS = View(
    told="rounds of ReLU networks on a schedule",
    algorithm="relu_averaging.ROUNDS",
    shown=Shown(
        indices={"i": "", "k": "", "j": ""},
        vectors={
            **dict.fromkeys(("x", "after", "mean_g", "size", "one", "far", "far_next"), ()),
            **dict.fromkeys(_NEURONS, ("i",)),
            **dict.fromkeys(("xis_to", "farthest"), ("i", "j")),
            "xis": ("i", "k"),
        },
        factors={"present": ("i",)},
        derived=relu_measured.DERIVED,
    ),
    runs=RELU[0],
    scopes=(scope_names.NEURONS,),
    quantities=relu_measured.QUANTITIES,
    states=("R_2",),
    each=relu_measured.EACH,
    constants=relu_measured.CONSTANTS,
    assumptions={
        assumed.GRAM: relu_measured.GRAM,
        assumed.STAYS: relu_measured.STAYS,
        assumed.SHRINKS: relu_measured.SHRINKS,
    },
    takes=("eta", "K", "schedule", "radius"),
)
RELU_AT_RANDOM = replace(
    RELU_ROUNDS,
    told="rounds of ReLU networks, clients at random",
    algorithm="relu_averaging.SAMPLED",
    shown=replace(RELU_ROUNDS.shown, draws={"S": ("present",)}),
    runs=RELU_SAMPLED[0],
    scopes=(scope_names.NEURONS_AT_RANDOM,),
    takes=("eta", "K", "m", "radius"),
)
# samples alone: nothing of a round is looked at
RELU_SAMPLES = replace(
    RELU_ROUNDS,
    told="samples of ReLU networks",
    runs=SAMPLES[0],
    quantities={},
    states=(),
    each={},
    constants={},
    assumptions={assumed.APART: relu_measured.APART, assumed.UNIT: relu_measured.UNIT},
)
NORMS = View(
    told="norms of matrices",
    algorithm="matrices.NORMS",
    shown=Shown(vectors=dict.fromkeys(matrices.SHOWN, ())),
    runs=MATRICES[0],
    quantities=matrices.QUANTITIES,
    takes=("blocks",),
)

EVENTS = starts.EVENTS
RUNGS = {
    "over the number of clients": Rungs(
        told="rounds of clients at random over their number",
        runs=MORE_CLIENTS[0],
        over="m",
        values=m,
        varies=("m",),
        series={"R_end": Ending(R_mean(t))},
    )
}
VIEWS = {
    **contest_views.VIEWS,
    **linearised.VIEWS,
    "rounds": ROUNDS,
    "rounds, clients at random": AT_RANDOM,
    "ReLU rounds": RELU_ROUNDS,
    "ReLU rounds, clients at random": RELU_AT_RANDOM,
    "ReLU samples": RELU_SAMPLES,
    "matrices": NORMS,
}
