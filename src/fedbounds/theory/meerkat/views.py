"""What is seen of the runs: local steps of every client; rounds."""

from dataclasses import replace

from fedbounds.facts import Fact
from fedbounds.theory.language.setups import Shown, View

from . import assumed, contest_views, gradip_views, measured
from .names import EARLY_STOPPED, MEERKAT
from .scope_names import LOCAL, ONE_STEP, ROUND, SAMPLE, STOPPED_ROUND

_K = ("k",)
_LOCAL = Shown(
    draws={"z": ("z",), "xi": ("noise",)},
    indices={"k": ""},
    vectors={
        **dict.fromkeys(("y", "g", "noise", "est", "after", "gap", "dirs"), _K),
        **dict.fromkeys(("one", "ones"), ()),
    },
    factors={"mask": ()},
    derived=measured.MEANT,
)
LOCAL_STEPS = View(
    told="local steps of every client",
    algorithm="sparse_zeroth_order.LOCAL_STEPS",
    shown=_LOCAL,
    runs=MEERKAT[0],
    scopes=(LOCAL, SAMPLE),
    quantities=measured.OF_STEP,
    states=measured.STATES,
    constants=measured.CONSTANTS,
    assumptions={
        assumed.EXACT: measured.EXACT,
        assumed.SPARSE: measured.SPARSE,
        assumed.SPARSE_SAMPLES: measured.SPARSE_SAMPLES,
    },
    takes=("mask", "eta", "epsilon", "own"),
    alone=_K,
    moments=True,
)

_CLIENTS = ("n0", "dirs0", "g0", "values", "at_star", "lows", "first", "reached", "best")
_ROUND = Shown(
    draws={"z": ("z",), "xi": ("noise",)},
    indices={"k": "", "s": ""},
    vectors={
        **dict.fromkeys(("w", "w_next", "w_star", "one", "ones"), ()),
        **dict.fromkeys(_CLIENTS, _K),
        **dict.fromkeys(("ys", "gs", "ests", "ns", "dirs_s"), ("k", "s")),
    },
    factors={"mask": ()},
    derived=measured.MEANT_OF_ROUND,
)
ROUNDS = View(
    told="rounds",
    algorithm="sparse_zeroth_order.ROUNDS",
    shown=_ROUND,
    runs=MEERKAT[0],
    quantities=measured.OF_ROUND,
    states=measured.STATES_OF_ROUND,
    constants=measured.OF_RUN,
    assumptions={
        Fact.PL: measured.CURVED,
        assumed.HETEROGENEITY: measured.NEAR,
        assumed.OPTIMA: measured.OPTIMA,
        assumed.SPARSE: measured.SPARSE_OF_ROUND,
        assumed.SPARSE_SAMPLES: measured.SPARSE_SAMPLES_OF_ROUND,
        assumed.EXACT: measured.EXACT_OF_ROUND,
        assumed.GLOBAL: measured.GLOBAL,
    },
    takes=("mask", "eta", "epsilon", "own", "K"),
    moments=True,
)
# draws of all local steps at once, where there are few
WHOLE = replace(
    ROUNDS,
    told="rounds of few local steps",
    algorithm="sparse_zeroth_order.WHOLE",
    scopes=(ROUND,),
)
ONE = replace(
    WHOLE,
    told="rounds of one local step",
    shown=replace(_ROUND, derived=measured.MEANT_AT_START),
    scopes=(ONE_STEP,),
    assumptions={
        **ROUNDS.assumptions,
        assumed.EXACT: measured.EXACT_AT_START,
        assumed.SHARED: measured.SHARED,
    },
)
SETTLING = replace(WHOLE, told="rounds that settle", scopes=(), moments=False, many=True)
STOPPED = replace(
    ROUNDS,
    told="rounds, some clients stopped",
    algorithm="sparse_zeroth_order.STOPPED",
    shown=replace(
        _ROUND,
        factors={"mask": (), "kept": _K, "taken": ("k", "s")},
        derived=measured.MEANT_OF_STOPPED,
    ),
    runs=EARLY_STOPPED[0],
    quantities=measured.OF_STOPPED,
    states=(*measured.STATES_OF_ROUND, "V_g"),
    constants=measured.OF_STOPPED_RUN,
    assumptions={
        **ROUNDS.assumptions,
        assumed.SHARE: measured.SHARE,
        assumed.NEAR_MASKED: measured.NEAR_MASKED,
    },
    takes=(*ROUNDS.takes, "stopped"),
)
FEW_STOPPED = replace(
    STOPPED,
    told="rounds of few local steps, some clients stopped",
    algorithm="sparse_zeroth_order.STOPPED_WHOLE",
    scopes=(STOPPED_ROUND,),
)

# a round of any step, in balls: what it leads to is not followed
_IN_BALLS = {
    assumed.SPARSE: measured.WHOLLY_KEPT,
    assumed.SPARSE_SAMPLES: measured.WHOLLY_KEPT_SAMPLES,
}
# of small epsilon, as Lemma B.8 has it: what differences miss of slopes is judged there
_LIMIT = ("slopes",)
FIRST = replace(
    WHOLE,
    told="a first round, all that counts kept",
    shown=replace(_ROUND, factors={"mask": (), "rest": ()}),
    scopes=(),
    quantities=measured.OF_FIRST_ROUND,
    states=(),
    assumptions={**ROUNDS.assumptions, **_IN_BALLS},
    may_take=_LIMIT,
)
FIRST_STOPPED = replace(
    FEW_STOPPED,
    told="a first round, all that counts kept, some clients stopped",
    shown=replace(STOPPED.shown, factors={**STOPPED.shown.factors, "rest": ()}),
    scopes=(),
    quantities=measured.OF_FIRST_STOPPED,
    states=(),
    assumptions={**ROUNDS.assumptions, **_IN_BALLS},
    may_take=_LIMIT,
)

VIEWS = {
    "local steps": LOCAL_STEPS,
    "rounds": ROUNDS,
    "few local steps": WHOLE,
    "one local step": ONE,
    "rounds that settle": SETTLING,
    "rounds, some clients stopped": STOPPED,
    "few local steps, some clients stopped": FEW_STOPPED,
    "first round": FIRST,
    "first round, some clients stopped": FIRST_STOPPED,
    "local steps with scores": gradip_views.SCORES,
    "local steps on minibatches": gradip_views.MINIBATCHES,
    **contest_views.VIEWS,
}
RUNGS = gradip_views.RUNGS
