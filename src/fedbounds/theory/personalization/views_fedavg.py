"""What is seen of runs of FedAvg-P: rounds, one client of them, one of its local steps.

Vectors are polynomials in the state and the draws, and rounds follow each other by their moments:
outcomes are too many to be listed.
"""

from dataclasses import replace

from sympy import Symbol

from fedbounds.theory.language.setups import Shown, View
from fedbounds.theory.proof.vectors import xi

from . import measured
from .lemmas import FEDAVG_P
from .proofs.scopes import FEDAVG, FIRST_STEP, INCREMENTS
from .scope_names import ANY_CLIENT, CLIENT, CLIENT_STEP, ITERATES, STEP

_I, _IK, _IJ = ("i",), ("i", "k"), ("i", "j")
_NEXT = {"u1": Symbol("u_next"), "v1": Symbol("v_next")}
# j counts the models of a client, k its gradients
SHOWN = Shown(
    draws={"S": ("present", "weight"), "xi": ("xi_u", "xi_v")},
    indices={"i": "", "k": "", "j": ""},
    vectors={
        **dict.fromkeys(("u", "u_next", "one"), ()),
        **dict.fromkeys(("v", "v_next", "au", "av", "nu", "wu"), _I),
        **dict.fromkeys(("value00", "value01", "value11"), _I),
        **dict.fromkeys(("uh", "vh", "hu", "hv", "xu", "xv", "up", "vp"), _IK),
        **dict.fromkeys(("um", "vm"), _IJ),
    },
    factors={"present": _I},
    derived={
        **_NEXT,
        "du": Symbol("u_next") - Symbol("u"),
        "dv": Symbol("v_next") - Symbol("v"),
        "Yu": Symbol("xu"),
        "Yv": Symbol("xv"),
    },
)
ROUNDS = View(
    told="FedAvg-P on quadratics",
    algorithm="personal_averaging.OBSERVED",
    shown=SHOWN,
    runs=FEDAVG_P,
    scopes=(FEDAVG, INCREMENTS, ITERATES),
    quantities={**measured.QUANTITIES, **measured.OF_FEDAVG},
    states=measured.STATES,
    each=measured.EACH,
    constants=measured.CONSTANTS,
    meant={**measured.VALUES, **measured.STATED},
    takes=("cohort", "K", "gamma_u", "gamma_v", "eta_u", "eta_v"),
    moments=True,
)
OF_CLIENT = replace(
    ROUNDS,
    told="FedAvg-P on quadratics, client by client",
    scopes=(CLIENT, ANY_CLIENT),
    alone=_I,
)
# of many clients, in floats: nothing is looked at client by client
_IN_MANY = ("u", "u_next", "one", "v", "v_next", "au", "av", "value00", "uh", "vh", "hu", "hv",
            "xu", "xv")  # fmt: skip
MANY = replace(
    ROUNDS,
    told="FedAvg-P on quadratics of many clients",
    shown=replace(
        SHOWN,
        indices={"i": "", "k": ""},
        vectors={name: own for name, own in SHOWN.vectors.items() if name in _IN_MANY},
    ),
    scopes=(),
    quantities={x: y for x, y in ROUNDS.quantities.items() if not measured.EACH[x]},
    states=tuple(x for x in ROUNDS.states if not measured.EACH[x]),
)
_SPLIT = {x: (f"{x}_u", f"{x}_v") for x in ("old", "new", "rest")}
OF_STEP = replace(
    ROUNDS,
    told="FedAvg-P on quadratics, in one local step",
    algorithm="personal_averaging.SPLIT",
    shown=replace(SHOWN, draws={"S": SHOWN.draws["S"], **_SPLIT}),
    scopes=(STEP, CLIENT_STEP),
    quantities={name: is_ for name, is_ in ROUNDS.quantities.items() if not is_.has(xi)},
    alone=_IK,
    takes=(*ROUNDS.takes, "k"),
)

VIEWS = {
    "rounds": ROUNDS,
    "rounds of many clients": MANY,
    "one client": OF_CLIENT,
    "one local step": OF_STEP,
    "the first local step": replace(OF_STEP, scopes=(FIRST_STEP,)),
}
