"""On what assumptions, conditions and claims in words are examined: runs, seen in all rounds.

From the fixed point of a round its iterates are known for all rounds. mu and L are admissible: the
eigenvalues of these Hessians are irrational. G^2 exceeds every squared gradient strictly.
"""

from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import sympy as sp

from fedbounds.facts import Fact
from fedbounds.theory.language.setups import (
    Alone,
    Around,
    Definition,
    Everywhere,
    Largest,
    Least,
    Planned,
    Run,
    Says,
    Setup,
    Shown,
    Upper,
    View,
    Where,
    dot,
)
from fedbounds.theory.language.symbols import L, t
from fedbounds.theory.proof.vectors import given, ip, past, sq, vectors, xi

from . import assumed
from .measured import AT_STEPS, G0, Es, Gk, Ws, mask, mg0, one, ones
from .sequences import pace, x
from .setups import NOTHING, run_of
from .symbols import B_step, rho_min, w_first, z
from .vectors import Gs, W, Wk, Wstar, g0
from .views import ROUNDS

first = sp.Symbol("first", positive=True)  # of the steps first/(t+1)
(_AFTER,) = vectors({"x_next": "x^{t+1}"})
_BEFORE = x
_NOTHING, _ONE = sp.Integer(0), sp.Integer(1)

# ---- what is looked at

_MASKS = mask(ones)
_APART = sq(_MASKS - given(_MASKS, past, xi))  # of a client's mask and their mean
_RHO = dot(mg0, W - Wstar) / dot(g0, W - Wstar)
# of every client at its own models, but where both products vanish
_OWN_RHO = [
    sp.Tuple(kept / own, kept**2 + own**2)
    for kept, own in (
        (dot(masked, model - Wstar), dot(gradient, model - Wstar))
        for gradient, masked, _, _, model in AT_STEPS
    )
]
_LEAST_RHO = Least(*_OWN_RHO)
_POSITIVE = Says(rho_min, ">", _NOTHING)
_OF_F = [dot(gradient, gradient) for gradient in (Gk, G0, Gs)]
_OWN = [dot(gradient, gradient) for gradient, *_ in AT_STEPS]
ASSUMPTIONS: dict[str, tuple[Says, ...]] = {
    assumed.ALIGNED: (Says(rho_min, "==", _LEAST_RHO), _POSITIVE),
    assumed.LOCAL_GRADIENTS: (Says(Largest(*_OWN), "<", sp.oo),),
    Fact.GLOBAL_GRADIENT_EVERYWHERE: (
        Says(Largest(Everywhere(dot(G0, G0))), "<", sp.oo),
    ),
    assumed.ALIGNED_EVERYWHERE: (Says(Least(Everywhere(_RHO)), ">", _NOTHING),),
    assumed.ALIGNED_OPEN: (Says(Least(Around(_RHO, W, Wk, Ws)), ">", _NOTHING),),
    assumed.LEAVES_OUT: (Says(Least(_MASKS), "==", _NOTHING),),
    assumed.FULL_MASKS: (Says(Least(_MASKS), "==", _ONE),),
    assumed.EQUAL_MASKS: (Says(_APART, "==", _NOTHING),),
    assumed.STAYS: (Says(sq(given(_AFTER - _BEFORE)), "==", _NOTHING),),
    # F_k(W*) - F_k* vanishes for every client
    Fact.SHARED_MINIMISER: (Says(Largest(Es), "==", _NOTHING),),
    assumed.OWN_MINIMISERS: (Says(Largest(Es), ">", _NOTHING),),
}  # fmt: skip
ALWAYS = replace(
    ROUNDS,
    told="all rounds of the algorithm",
    shown=replace(
        ROUNDS.shown, vectors={**ROUNDS.shown.vectors, _BEFORE.name: (), _AFTER.name: ()}
    ),
    choices={
        "rho_min": {"aligned": Where(_LEAST_RHO, (_POSITIVE,))},
        "G^2": {"above": Upper(Largest(*_OF_F)) + 1},
    },
    assumptions={**ROUNDS.assumptions, **ASSUMPTIONS},
    besides=None,
)
_FIRST: dict[str, Definition] = {"w_first": Where(z - L, (Says(w_first, ">", _NOTHING),))}
DECAYING = replace(
    ALWAYS,
    told="all rounds of the algorithm, steps first/(t+1)",
    constants={**ALWAYS.constants, **_FIRST},
    assumptions={
        **ALWAYS.assumptions,
        assumed.DECAYING_STEPS: (Says(first, "==", 1 / z),),
    },
    takes=("masks", "weights", "tau", "first"),
    changing={"eta": first / (t + 1)},
)
# a sequence in which D^{t+1} is what the recursion allows at most
_STEP = dot(pace, one)
_EXCESS = dot(_AFTER, one) - (1 - z * _STEP) * dot(x, one) - _STEP**2 * B_step
_RECURSION = Says(Largest(_EXCESS), "<=", _NOTHING)
SEQUENCE = View(
    told="the recursion of the constant step, with equality",
    algorithm="recursion.EQUALITY",
    shown=Shown(vectors={"x": (), "x_next": (), "pace": (), "one": ()}),
    quantities={"D_W": ip(x, one)},
    states=("D_W",),
    constants={"w_gap": ROUNDS.constants["w_gap"]},
    assumptions={assumed.RECURSION: (_RECURSION,)},
    takes=("z", "B_step", "eta"),
    problem=False,
)
DECAYING_SEQUENCE = replace(
    SEQUENCE,
    told="the recursion of the decaying step, with equality",
    constants={},
    assumptions={assumed.RECURSION_DECAYING: (Says(first, "==", 1 / z), _RECURSION)},
    takes=("z", "B_step", "first"),
    changing={"eta": first / (t + 1)},
)
VIEWS = {
    "all rounds": ALWAYS,
    "all rounds, decaying steps": DECAYING,
    "recursion, all rounds": SEQUENCE,
    "recursion, all rounds, decaying steps": DECAYING_SEQUENCE,
}

# ---- runs; W* = 0 for equal shares, and F_k have minimisers of their own for opposite slopes

_CURVED = (((1, -1), (-1, 6)), ((2, -2), (-2, 6)))
_UNIT = (((1, 0), (0, 1)),) * 2
_OPPOSITE, _NO_SLOPES = ((-3, 1), (3, -1)), ((0, 0), (0, 0))
_FULL, _OVERLAPPING, _DISJOINT, _EQUAL = (
    ((1, 1), (1, 1)), ((1, 0), (1, 1)), ((1, 0), (0, 1)), ((1, 0), (1, 0)),
)  # fmt: skip
_ROUNDS = 2  # in which bounds are evaluated
_SETTLED = ("99961667/399846674", "99941669/399846674")
_QUARTER: tuple[Any, ...] = ("1/4", "1/4")
_ADMISSIBLE = {"mu": "3/4", "L": 7}


def _run(masks: Any, start: Any, *, hessians: Any = _CURVED, slopes: Any = _OPPOSITE,
         **more: Any) -> Run:  # fmt: skip
    return run_of(hessians, slopes, masks, start, _ROUNDS, **more)


def _seen(name: str, run: Run, view: str = "all rounds", **known: Any) -> Planned:
    chosen = {"rho_min": "aligned", "G^2": "above", **(known or _ADMISSIBLE)}
    return Planned(name, Setup("fedplt", view, run, tuple(chosen.items())), quick=True)


_RUNS = (
    _seen("full masks, noise", _run(_FULL, (0, 0), eta="1/64", noise="1/256")),
    _seen("full masks, full gradients", _run(_FULL, (0, 0), eta="1/64")),
    _seen(
        "full masks, two local steps",
        _run(_FULL, ("679/59335", "46/59335"), eta="1/64", tau=2),
    ),
    _seen("overlapping masks, noise",
          _run(_OVERLAPPING, _QUARTER, eta="1/10000", noise="1/256")),
    _seen("overlapping masks, full gradients", _run(_OVERLAPPING, _QUARTER, eta="1/10000")),
    _seen("overlapping masks, two local steps",
          _run(_OVERLAPPING, _SETTLED, eta="1/10000", tau=2)),
    _seen("overlapping masks, full gradients, decaying steps",
          _run(_OVERLAPPING, _QUARTER, first="4/3"), "all rounds, decaying steps"),
    _seen("disjoint masks, one minimiser",
          _run(_DISJOINT, (1, 1), eta="1/16", hessians=_UNIT, slopes=_NO_SLOPES), mu=1, L=1),
    _seen("overlapping masks, one minimiser, two local steps",
          _run(_OVERLAPPING, (1, 1), eta="1/16", tau=2, slopes=_NO_SLOPES)),
    _seen("equal masks, full gradients", _run(_EQUAL, (0, 0), eta="1/64")),
)  # fmt: skip
# B = z = 1: D^1 is B/z^2 = 1
_LONG = 224


def _sequence(name: str, view: str, rounds: int, start: Any, **parameters: Any) -> Planned:
    run = Run(NOTHING, (start,), tuple(parameters.items()), rounds)
    return Planned(name, Setup("fedplt", view, run), quick=True)


_SEQUENCES = (
    _sequence(SEQUENCE.told, "recursion, all rounds", _ROUNDS, 4, z="1/2", B_step=3, eta="1/2"),
    _sequence(DECAYING_SEQUENCE.told, "recursion, all rounds, decaying steps", _LONG, 1,
              z=1, B_step=1, first=1),
)  # fmt: skip

# ---- constants with a step size inside the conditions where there is one, and a tiny one


def _constants(
    L: int, mu: int, psi: tuple[int, int], alpha: Fraction, rho: Fraction
) -> list[Alone]:
    psi_min, psi_max = psi
    curve, aligned = 2 * (psi_max * alpha) ** 2, psi_min * rho
    # (iii) from below, (i) and (ii) from above
    low = max(Fraction(0), (aligned - 1) / (curve * L))
    high = min(Fraction(1, L), aligned / (curve * L))
    inside = (low + high) / 2 if low < high else Fraction(1, 2 * L)
    known: dict[str, Any] = {
        **{"L": L, "mu": mu, "psi_min": psi_min, "psi_max": psi_max},
        **{"alpha_k": alpha, "rho_min": rho},
    }
    free = {}
    if mu * aligned > L:
        free["w_first"] = mu * aligned - L
    if aligned > 1 + curve:
        free["w_large"] = aligned - 1 - curve
    found = []
    for eta in (inside, Fraction(1, 10**4)):
        told = ", ".join(f"{name}={value}" for name, value in (known | {"eta": eta}).items())
        found.append(Alone(told, tuple((known | free | {"eta": eta}).items())))
    return found


_ALONE = tuple(
    one
    for (L, mu), psi, alpha, rho in product(
        ((1, 1), (2, 1)),
        ((1, 1), (1, 2)),
        (Fraction(1, 2), Fraction(1)),
        (Fraction(1, 4), Fraction(1), Fraction(16)),
    )
    for one in _constants(L, mu, psi, alpha, rho)
)
EXAMINED = (*_RUNS, *_ALONE, *_SEQUENCES)
