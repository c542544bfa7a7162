"""What is seen of runs of Scaffold-P: rounds, one client of them, one of its local steps.

Its state has the memory of last participations, of which its analysis speaks.
"""

from dataclasses import replace

from sympy import Symbol

from fedbounds.theory.language.symbols import K, eta_v, gamma_v
from fedbounds.theory.proof.vectors import given, i, past, xi

from . import measured, measured_scaffold, views_fedavg
from .proofs.scopes import FIRST_ROUND, FIRST_STEP, INCREMENTS, SCAFFOLD, Yv, au, eu, hv
from .scaffold_lemmas import SCAFFOLD_P
from .scope_names import ANY_CLIENT, OF_SCAFFOLD

_I, _IK = ("i",), ("i", "k")
_MEMORY = ("al", "be", "eu", "Wh", "al_next", "be_next")
_DERIVED = {
    "al1": Symbol("al_next"),
    "be1": Symbol("be_next"),
    "gu": given(au, past),
    "di": given(eu, past, i),
    "d": given(eu, past),
}
SHOWN = replace(
    views_fedavg.SHOWN,
    vectors={**views_fedavg.SHOWN.vectors, "c": (), "ci": _I, **dict.fromkeys(_MEMORY, _IK)},
    derived={**views_fedavg.SHOWN.derived, **_DERIVED},
)
ROUNDS = replace(
    views_fedavg.ROUNDS,
    told="Scaffold-P on quadratics",
    algorithm="personal_scaffold.OBSERVED",
    shown=SHOWN,
    runs=SCAFFOLD_P,
    scopes=(SCAFFOLD, INCREMENTS, OF_SCAFFOLD["iterates"]),
    quantities=measured_scaffold.QUANTITIES,
    states=measured_scaffold.STATES,
    later=measured_scaffold.LATER,
    each=measured_scaffold.EACH,
    meant={**measured.VALUES, **measured_scaffold.STATED},
)
# of many clients: al, be and eu are means over local steps; how far al and be lie from these is
# told apart, a number of the last participation
_MEANS = ("al", "be", "eu")
_IN_MANY = (
    *views_fedavg.MANY.quantities, "S_3u", "C", "cd_2", "W_own", "W_mean", "c_2", "cbar_2", "ccbar",
)  # fmt: skip
MANY = replace(
    ROUNDS,
    told="Scaffold-P on quadratics of many clients",
    algorithm="personal_scaffold.AVERAGING",
    shown=replace(
        views_fedavg.MANY.shown,
        vectors={
            **views_fedavg.MANY.shown.vectors, "c": (), "ci": _I, **dict.fromkeys(_MEANS, _I),
        },
        derived={
            **views_fedavg.SHOWN.derived,
            **{x: y for x, y in _DERIVED.items() if x in ("gu", "di", "d")},
        },
    ),
    scopes=(),
    quantities={
        name: is_ + measured_scaffold.SPREAD if name == "C" else is_
        for name, is_ in ROUNDS.quantities.items()
        if name in _IN_MANY
    },
    states=tuple(name for name in ROUNDS.states if name in _IN_MANY),
    later=(),
)  # fmt: skip
OF_CLIENT = replace(
    ROUNDS,
    told="Scaffold-P on quadratics, client by client",
    scopes=(OF_SCAFFOLD["client"], ANY_CLIENT),
    alone=_I,
)
OF_STEP = replace(
    ROUNDS,
    told="Scaffold-P on quadratics, in one local step",
    algorithm="personal_scaffold.SPLIT",
    shown=replace(SHOWN, draws=views_fedavg.OF_STEP.shown.draws),
    scopes=(OF_SCAFFOLD["step"],),
    quantities={name: is_ for name, is_ in ROUNDS.quantities.items() if not is_.has(xi)},
    alone=_IK,
    takes=views_fedavg.OF_STEP.takes,
)

# ---- of one client the last participation; of all, by names of their own

_GV = {"gv": -gamma_v * eta_v * K * given(hv + Yv, past, xi, i)}
OF_MEMORY = replace(
    ROUNDS,
    told="Scaffold-P on quadratics, last participations one by one",
    shown=replace(SHOWN, derived={**SHOWN.derived, **_GV}),
    scopes=(OF_SCAFFOLD["memory"],),
    alone=_IK,
)
# l and s are any client and any step, where i and k are those that are looked at
_ANY, _OWN = ("l", "s"), ("i", "s")
_BY_ANY = {
    **dict.fromkeys(_MEMORY, _OWN),
    **dict.fromkeys(("alj", "bej", "ej", "Wj"), _ANY),
    **dict.fromkeys(("vj", "aj"), ("l",)),
}
_IN_ALL = ("Eu_ik", "Ev_ik", "E_ik", "g_vi", "G_u", "C_i", "C", "cd_i", "cd_2")
OF_ALL = replace(
    OF_STEP,
    told="Scaffold-P on quadratics, in one local step, with the memory of all clients",
    shown=replace(
        OF_STEP.shown,
        indices=dict.fromkeys(("i", "l", "k", "s", "j"), ""),
        vectors={**SHOWN.vectors, **_BY_ANY},
        derived={
            **SHOWN.derived,
            "gu": given(Symbol("aj"), past),
            "d": given(Symbol("ej"), past),
        },
    ),
    scopes=(OF_SCAFFOLD["client and memory"],),
    quantities={name: OF_STEP.quantities[name] for name in _IN_ALL},
    states=tuple(name for name in ROUNDS.states if name in _IN_ALL),
    later=(),
)

VIEWS = {
    "Scaffold-P, rounds": ROUNDS,
    "Scaffold-P, rounds of many clients": MANY,
    "Scaffold-P, one client": OF_CLIENT,
    "Scaffold-P, one local step": OF_STEP,
    "Scaffold-P, the first local step": replace(OF_STEP, scopes=(FIRST_STEP,)),
    "Scaffold-P, one memory": OF_MEMORY,
    "Scaffold-P, one local step and all memories": OF_ALL,
    "Scaffold-P, the first round": replace(ROUNDS, scopes=(FIRST_ROUND,), single=True),
}
