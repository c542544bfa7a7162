"""What is seen of FedPLT's runs: one step from any models, local steps, rounds, or one client.

Quantities of different views have one name where the paper has one for them; a statement about
vectors says which it speaks of.
"""

from collections.abc import Mapping
from dataclasses import replace

import sympy as sp

from fedbounds.facts import Fact
from fedbounds.theory.language.setups import Definition, Says, Shown, View
from fedbounds.theory.language.symbols import tau

from . import assumed, measured, sequences
from .masks import FEDPLT
from .measured import AT_CLIENTS, AT_LOCAL, AT_STEPS, CURVED, DERIVED, DONE, PSI, START, SUMS
from .scope_names import (
    CLIENT,
    CLIENT_ROUND,
    CLIENT_ROUND_FGD,
    ROUND,
    STEP,
    UNBIASED_ROUND,
    UNBIASED_STEP,
    VIRTUAL,
)
from .symbols import z
from .vectors import MEANS, U, Ub, Wk, Wstar, g, g0

# ---- what the steps show

_K, _KS = ("k",), ("k", "s")
_OF_ALL = dict.fromkeys(
    ("W", "Wstar", "Wn", "one", "ones", "corner", "held", "psi", "G0"), tuple[str, ...]()
)
_OF_CLIENTS = dict.fromkeys(("Wk", "g", "g0", "Gk", "Ek", "E0", "Es", "gap"), _K)
_UPDATES = {"U": _K, "Ub": _K, "D": (), "Db": ()}
_LOCAL = dict.fromkeys(("Ws", "gs", "ns", "Gs"), _KS)
_FACTORS = {"mask": _K, "comp": (), "share": _K, "apart": _K, "attenuate": _K}
_FREE = Wk - Wstar
_MEANINGS = {symbol.name: meaning for symbol, meaning in MEANS.items()} | {
    "delta": U - Ub,
    "anyv": _FREE,
    "mv": measured.mask(_FREE),
    "rg": measured.RATIO * g,
    "mg0": measured.mask(g0),
    "pmg0": measured.comp(measured.mask(g0)),
}


_Indices = Mapping[str, tuple[str, ...]]


def _shown(draws: _Indices, *vectors: _Indices) -> Shown:
    named = {name: own for each in vectors for name, own in each.items()}
    return Shown(draws, {"k": "weights", "s": ""}, named, _FACTORS, _MEANINGS)


_DRAWN = {"xi": ("noise",)}
_OF_STEP = _shown(_DRAWN, _OF_ALL, _OF_CLIENTS, _UPDATES, {"noise": _K})
_OF_ROUND = _shown(_DRAWN, _OF_ALL, _OF_CLIENTS, _UPDATES, _LOCAL)
_AFTER_ROUND = _shown(
    {**_DRAWN, "new": ("fresh",)},
    _OF_ALL, _OF_CLIENTS, _UPDATES, _LOCAL, {"noise": _K, "W1": ()},
)  # fmt: skip
_BETWEEN = _shown(
    _DRAWN, {name: () for name in ("W", "W0", "Wstar", "one", "psi")},
    {name: _K for name in ("Wk", "gap")}, _LOCAL,
)  # fmt: skip

_TAKES = ("masks", "weights", "tau", "eta")

# ---- assumptions that say how the analysis looks at a run

_SINGLE = {assumed.SINGLE_STEP: (Says(tau, "==", sp.Integer(1)),)}
_VIRTUAL = {assumed.VIRTUAL: tuple[Says, ...]()}
_INDEPENDENT: dict[str, tuple[Says, ...]] = {Fact.INDEPENDENT: ()}
_OWN_NOISE = {Fact.INDEPENDENT: (Says(measured.common, "==", sp.Integer(0)),)}

_BASE: dict[str, Definition] = {**PSI, **SUMS, **measured.ATTENUATION}
_STEP_QUANTITIES = {
    **measured.STEP_QUANTITIES,
    **measured.VALUES,
    **measured.EXCESS,
    **CURVED,
}

FREE_STEP = View(
    told="one step from free vectors",
    algorithm="fedplt.ONE_STEP",
    runs=FEDPLT[0],
    shown=_OF_STEP,
    scopes=(STEP, UNBIASED_STEP),
    quantities=_STEP_QUANTITIES,
    constants={**_BASE, **START, **DERIVED},
    choices=measured.choices(AT_CLIENTS),
    meant=measured.WEIGHTED,
    takes=(*_TAKES, "models", "common"),
    single=True,
    assumptions=measured.assumptions(AT_CLIENTS, rounds=True) | _OWN_NOISE,
)
LOCAL_STEPS = replace(
    FREE_STEP,
    told="local steps, aggregated virtually",
    algorithm="fedplt.LOCAL_STEPS",
    scopes=(STEP, UNBIASED_STEP, VIRTUAL),
    states=("D_W",),
    constants={**_BASE, **DONE, **START, **DERIVED},
    takes=_TAKES,
    single=False,
    assumptions=measured.assumptions(AT_CLIENTS, rounds=False) | _SINGLE | _VIRTUAL | _INDEPENDENT,
)
_ROUND_AND_STEP = View(
    told="rounds, and the analysis's step after each",
    algorithm="fedplt.WITH_STEP",
    shown=_AFTER_ROUND,
    scopes=(ROUND, UNBIASED_ROUND),
    quantities=measured.AFTER_ROUND,
)
ROUNDS = View(
    told="rounds of the algorithm",
    algorithm="fedplt.ROUNDS",
    runs=FEDPLT[0],
    shown=_OF_ROUND,
    scopes=(ROUND, UNBIASED_ROUND),
    quantities=measured.ROUND_QUANTITIES,
    states=("D_W",),
    constants={**_BASE, **START, **DERIVED},
    choices=measured.choices(AT_STEPS),
    takes=_TAKES,
    assumptions=measured.assumptions(AT_STEPS, rounds=True) | _SINGLE | _INDEPENDENT,
    besides=_ROUND_AND_STEP,
)

# all draws at once, where there are few
ROUNDS_AND_STEPS = replace(
    ROUNDS,
    told=_ROUND_AND_STEP.told,
    algorithm=_ROUND_AND_STEP.algorithm,
    shown=_ROUND_AND_STEP.shown,
    quantities={**measured.ROUND_QUANTITIES, **measured.AFTER_ROUND},
    besides=None,
)


# ---- clients, each alone


def _each(view: View, scopes: tuple[str, ...], quantities: dict[str, sp.Expr]) -> View:
    constants = {**PSI, **measured.SAME}
    return replace(
        view,
        told=f"{view.told}: each client alone",
        scopes=scopes,
        quantities=quantities,
        states=(),
        constants=constants,
        alone=("k",),
        besides=None,
    )


_CLIENTS = measured.CLIENT_QUANTITIES
EACH_FREE, EACH_LOCAL = (_each(view, (CLIENT,), _CLIENTS) for view in (FREE_STEP, LOCAL_STEPS))
EACH_ROUND = _each(ROUNDS, (CLIENT_ROUND, CLIENT_ROUND_FGD), {})
ONE_CLIENT = replace(
    EACH_FREE,
    told="one step from free vectors: numbers of one client",
    quantities=measured.ONE_CLIENT_QUANTITIES,
    constants={**PSI, **measured.CLIENT_CONSTANTS},
    assumptions={**EACH_FREE.assumptions, **measured.ANGLES},
)


# ---- psi over all coordinates, free values among them; attenuations that are chosen


def _free_psi(view: View) -> View:
    own = {name: measured.of_all(one) for name, one in view.constants.items() if name not in PSI}
    return replace(
        view,
        told=f"{view.told}, psi over all coordinates",
        constants={**measured.PSI_OF_ALL, **own},
        quantities={x: y for x, y in view.quantities.items() if x not in CURVED},
    )


ATTENUATED = replace(
    FREE_STEP,
    told="one step from free vectors, attenuations chosen",
    scopes=(STEP,),
    shown=_shown(
        _DRAWN, _OF_ALL, {x: y for x, y in _OF_CLIENTS.items() if x not in ("g0", "Gk")}
    ),
    quantities={"V_W": measured.STEP_QUANTITIES["V_W"], **measured.VALUES, **CURVED},
    constants={**PSI, "Lambda": SUMS["Lambda"], **measured.CHOSEN_ATTENUATION,
               "nu_max": DERIVED["nu_max"]},
    choices={},
    assumptions=_INDEPENDENT,
    takes=(*FREE_STEP.takes, "attenuation"),
    requires=measured.MASKS_SHORTEN,
)  # fmt: skip

# ---- steps of their own in every round

PACED = replace(
    ROUNDS,
    told="rounds of the algorithm, a step size each",
    shown=replace(_OF_ROUND, vectors={**_OF_ROUND.vectors, "pace": ()}),
    scopes=(),
    quantities={"D_W": measured.ROUND_QUANTITIES["D_W"], **sequences.PACE},
    constants=sequences.CONSTANTS,
    choices=sequences.CHOICES,
    assumptions=sequences.ASSUMPTIONS | _INDEPENDENT,
    takes=("masks", "weights", "tau", "steps"),
    requires=sequences.REQUIRES,
    besides=None,
)
SEQUENCE = replace(
    PACED,
    told="a sequence with equality in the recursion",
    algorithm="recursion.EQUALITY",
    shown=Shown(vectors={"x": (), "pace": (), "one": ()}),
    quantities=sequences.SEQUENCE,
    takes=("z", "B_step", "steps"),
)

# ---- more rounds than are enumerated; steps that are one for all, or decay

MANY = replace(
    ROUNDS,
    told="many rounds of the algorithm",
    shown=PACED.shown,
    scopes=(ROUND, UNBIASED_ROUND, VIRTUAL),
    quantities={
        **{name: measured.ROUND_QUANTITIES[name] for name in ("D_W", "V_W")},
        **sequences.PACE,
    },
    choices={**ROUNDS.choices, "C_rate": sequences.CHOICES["C_rate"]},
    assumptions={
        **measured.assumptions(AT_STEPS, rounds=True, least="<="),
        **_SINGLE,
        **_INDEPENDENT,
        # t counts rounds
        assumed.VIRTUAL: _SINGLE[assumed.SINGLE_STEP],
        **sequences.ASSUMPTIONS,
        **sequences.DECAYING,
    },
    besides=None,
    many=True,
)
# z is that of the steps, which are positive with it
DECAYING = replace(
    MANY,
    told="many rounds of the algorithm, steps that decay",
    constants={**_BASE, **START, "nu_max": sequences.LARGEST_BRACKET, "B_step": DERIVED["B_step"]},
    choices={**MANY.choices, "rho_min": {"steps": sequences.RHO_OF_STEPS}},
    takes=(*_TAKES, "z"),
    requires=(Says(z, ">", sp.Integer(0)),),
)

# ---- for proofs alone

_ASSUMED = measured.assumptions(AT_LOCAL, rounds=False)
BETWEEN = View(
    told="between two rounds, aggregated virtually",
    algorithm="fedplt.UNSENT",
    runs=FEDPLT[0],
    shown=_BETWEEN,
    scopes=(VIRTUAL,),
    quantities={"V_W": measured.STEP_QUANTITIES["V_W"]},
    constants={**PSI, **measured.ATTENUATION, **{x: SUMS[x] for x in ("Gamma", "Gamma_2")}},
    choices={"G^2": measured.choices(AT_LOCAL)["G^2"]},
    assumptions={
        assumed.LOCAL_GRADIENTS: _ASSUMED[assumed.LOCAL_GRADIENTS],
        **_VIRTUAL,
        **_INDEPENDENT,
    },
    takes=(*_TAKES, "j"),
)

VIEWS = {
    "one step": FREE_STEP,
    "one step of each client": EACH_FREE,
    "one step of one client": ONE_CLIENT,
    "one step, free psi": _free_psi(FREE_STEP),
    "one step, chosen attenuations": ATTENUATED,
    "local steps": LOCAL_STEPS,
    "local steps of each client": EACH_LOCAL,
    "local steps, free psi": _free_psi(LOCAL_STEPS),
    "rounds": ROUNDS,
    "rounds, then the analysis's step": ROUNDS_AND_STEPS,
    "rounds of each client": EACH_ROUND,
    "rounds, free psi": _free_psi(ROUNDS),
    "rounds, a step size each": PACED,
    "many rounds": MANY,
    "many rounds, steps that decay": DECAYING,
    "between rounds": BETWEEN,
    "recursion": SEQUENCE,
}
