"""What is seen of runs of both algorithms that settle, and of ladders of them.

The steady state P is the limit of G_u + (m/n) G_v; rho is the factor per round at which a run
approaches it.
"""

from collections.abc import Mapping
from dataclasses import replace

import sympy as sp

from fedbounds.theory.language.setups import RUN, Pace, Rungs, Says, Settled, Shown, View
from fedbounds.theory.language.symbols import (
    G_u,
    G_v,
    K,
    b2,
    eta_u,
    eta_v,
    gamma,
    gamma_u,
    gamma_v,
    m,
    n,
    t,
)
from fedbounds.theory.personalization.symbols import P

from . import figures, measured, views_fedavg

_I = ("i",)
SETTLING = View(
    told="FedAvg-P on quadratics, where runs settle",
    algorithm="personal_averaging.ROUNDS",
    shown=Shown(
        draws={"S": ("present", "weight"), "xi": ("xi_u", "xi_v")},
        indices={"i": ""},
        vectors={"u": (), **dict.fromkeys(("v", "au", "av"), _I)},
    ),
    runs="FedAvg-P",
    quantities={name: measured.OF_ROUND[name] for name in ("G_u", "G_v")},
    constants={name: measured.CONSTANTS[name] for name in ("m", "gamma")},
    takes=views_fedavg.ROUNDS.takes,
    many=True,
    requires=(Says(gamma_u * eta_u, "==", gamma_v * eta_v),),
)
VIEWS = {
    "FedAvg-P, where runs settle": SETTLING,
    "Scaffold-P, where runs settle": replace(
        SETTLING,
        told="Scaffold-P on quadratics, where runs settle",
        algorithm="personal_scaffold.SETTLING",
        runs="Scaffold-P",
    ),
}

_OF_U, _OF_V = (Settled(quantity(t), RUN) for quantity in (G_u, G_v))
_STEPS = ("gamma_u", "gamma_v")
_OVER = Rungs(
    told="FedAvg-P on quadratics over gamma",
    runs=figures.FEDAVG_GAMMA,
    over="gamma",
    values=gamma,
    varies=_STEPS,
    series={"P": _OF_U + m / n * _OF_V, "P_G_u": _OF_U, "P_sum": _OF_U + _OF_V, "rho": Pace(RUN)},
    fitted="P",
    hidden=("P_G_u", "P_sum"),
    falls=True,
)
_PARAMETERS: Mapping[str, tuple[sp.Expr, tuple[str, ...]]] = {
    "gamma": (gamma, _STEPS),
    "m": (m, ("cohort", "eta_u", "eta_v", *_STEPS)),  # outer steps may be those of m
    "K": (K, ("K",)),
    "b^2": (b2, ("apart",)),
}
_PAIR = replace(
    _OVER,
    told="FedAvg-P to Scaffold-P on quadratics",
    runs=figures.PAIR,
    over="algorithm",
    values=("FedAvg-P", "Scaffold-P"),
    varies=("view",),
    fitted="",
    falls=False,
)
# FedAvg-P is no more accurate, unless at the same steps; nor by more than a 64th of them makes
_FIRST, _SECOND = sp.Function("gamma_r")(0), sp.Function("gamma_r")(1)
_NO_BETTER = Says((P(0) - P(1)) * (_SECOND - _FIRST), ">=", sp.Integer(0))
_NO_WORSE = Says((_FIRST - _SECOND / 64) ** 2 * P(0), "<=", _FIRST**2 * P(1))
RUNGS = {
    **{
        f"{rule} over {name}": replace(
            _OVER,
            told=f"{rule} on quadratics over {name}",
            runs=f"{rule} ladder in {name}",
            over=name,
            values=value,
            varies=varies,
            alike=(gamma,) if name == "m" else (),
            falls=name == "gamma",
        )
        for rule in ("FedAvg-P", "Scaffold-P")
        for name, (value, varies) in _PARAMETERS.items()
    },
    "FedAvg-P to Scaffold-P over algorithm": _PAIR,
    "FedAvg-P to Scaffold-P over algorithm at equal steady state": replace(
        _PAIR,
        runs=figures.TUNED_PAIR,
        over="algorithm at equal steady state",
        varies=("view", *_STEPS),
        series={**_PAIR.series, "gamma_r": gamma},
        hidden=(*_PAIR.hidden, "gamma_r"),
        requires=(_NO_BETTER, _NO_WORSE),
    ),
}
