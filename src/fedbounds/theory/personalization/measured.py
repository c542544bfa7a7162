"""What quantities of both algorithms, and of FedAvg-P, are: in proofs and on runs.

Those of one client, or of one of its local steps, are means over nothing but draws: there i, or i
and k, are fixed. A client's own models are um and vm, from step 0 to step K; uh and vh are those
where gradients are taken, up and vp those after the step. Values are numbers of a client, vectors
of one coordinate, as `one` is, which is 1.
"""

from collections.abc import Mapping

from sympy import Symbol

from fedbounds.theory.language.setups import Definition
from fedbounds.theory.language.symbols import F_0, K, eta_u, gamma, gamma_u, gamma_v, m, n
from fedbounds.theory.proof.vectors import S, given, ip, past, present, sq, vectors, xi
from fedbounds.theory.proof.vectors import i as client

from .proofs.scopes import (
    Yu,
    Yv,
    au,
    av,
    du,
    dv,
    fu,
    fv,
    hu,
    hv,
    last_u,
    last_v,
    nu,
    u,
    uh,
    up,
    v,
    value00,
    value01,
    value11,
    vh,
    vp,
)

um, vm, one = vectors(
    {"um": r"\hat u_{i,j}^t", "vm": r"\hat v_{i,j}^t", "one": r"\mathbf 1"},
)
GRADIENT = given(au, past)
MEAN_H = given(hu, past, xi)

# ---- of a round, of both algorithms

OF_ROUND = {
    "G_u": sq(GRADIENT),
    "G_v": sq(av),
    "B": n * sq(au),
    "E": n * K * (sq(uh - u) + sq(vh - v)),
    "T_1u": -gamma * K * ip(GRADIENT, hu),
    "T_1v": -gamma * m * K / n * ip(av, hv),
    "T_2u": gamma**2 * K**2 * sq(MEAN_H),
    "T_2v": gamma**2 * K**2 * m / n * sq(given(hv, past, xi, client)),
    "Y_sum": n**2 * K**2 * sq(given(present(Yu), past, S, xi)),
    "Y_2": n * K * sq(present(Yu)),
}
OF_INCREMENTS = {
    "Du_2": sq(du),
    "Dv_2": sq(dv),
    "X_u": ip(GRADIENT, du),
    "X_v": ip(av, dv),
    "M_u": sq(given(du, past)),
    "M_v": sq(given(dv, past, client)),
}
B_NEXT = n * sq(nu)

# ---- of FedAvg-P

_SAMPLED = -gamma * K * n / m * given(present(hu), past, S, xi)
FEDAVG = {
    "T_3u": n * K**2 * sq(given(hu, past, xi, client) - MEAN_H),
    "P_u": sq(_SAMPLED),
}

# ---- of one client; of one of its local steps, and of the next

OF_CLIENT = {
    "g_ui": sq(au),
    "g_vi": sq(av),
    "Dv_i": sq(dv),
    "s_vi": K**2 * sq(given(hv, past, xi)),
    "M_vi": sq(given(dv, past)),
}
DRIFT = {"Eu_ik": sq(uh - u), "Ev_ik": sq(vh - v)}
DRIFT_NEXT = {"Eu_ik": sq(up - u), "Ev_ik": sq(vp - v)}
NOISE = {"Y_ik": sq(present(Yu))}
# the same at every step
_MODELS = {"Eu_ik": sq(um - u), "Ev_ik": sq(vm - v)}
OF_STEP = {**_MODELS, "E_ik": sq(um - u) + sq(vm - v), **NOISE}

# ---- increments as they are made of the last iterates, and as they are stated

FOLLOWED = {
    "I_u": sq(fu),
    "J_u": ip(fu, du),
    "I_v": n * sq(fv),
    "J_v": n * ip(fv, dv),
}
STATED = {
    fu: -gamma * K * n / m * given(present(hu + Yu), past, S, xi),
    fv: -gamma * K * given(present(hv + Yv), past, S, xi, client),
    last_u: u - gamma_u * K * given(hu + Yu, past, xi, client),
    last_v: v - gamma_v * K * given(hv + Yv, past, xi, client),
}

# ---- numbers: f is measured from its infimum

_VALUE, _LOWEST = ip(value00, one), Symbol("f_inf")
CONSTANTS: dict[str, Definition] = {
    "m": Symbol("cohort"),
    "gamma": gamma_u * eta_u,
    "f_inf": _VALUE - F_0,
}
VALUES = {value: ip(value, one) - _LOWEST for value in (value00, value01, value11)}
QUANTITIES = {
    **OF_ROUND,
    **OF_INCREMENTS,
    "f": _VALUE - _LOWEST,
    **OF_CLIENT,
    **OF_STEP,
}
OF_FEDAVG = {**FEDAVG, **{name: is_.xreplace(STATED) for name, is_ in FOLLOWED.items()}}
STATES = ("f", "G_u", "G_v", "B", "g_ui", "g_vi")
# one for each of these, whatever a view looks at
EACH: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys((*QUANTITIES, *OF_FEDAVG), ()),
    **dict.fromkeys(OF_CLIENT, ("i",)),
    **dict.fromkeys(("Eu_ik", "Ev_ik", "E_ik"), ("i", "j")),
    "Y_ik": ("i", "k"),
}
