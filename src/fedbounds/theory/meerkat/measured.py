"""What quantities, constants and assumptions are: in proofs and on runs."""

import sympy as sp

from fedbounds.theory.language.setups import Definition, Says, dot
from fedbounds.theory.language.symbols import L, Sum_t, T, f, n, t
from fedbounds.theory.proof.vectors import given, ip, past, sq, vectors

from .sizes import OF_C_S, OF_Q, TAKEN, OF_D_delta, OF_q
from .symbols import Delta, K_g, V_g, c, c_h, gamma_g, mu_PL, sigma_h, u, u_ratio
from .vectors import (
    at_star,
    away,
    best,
    cests,
    dirs,
    dirs0,
    dirs_s,
    est,
    ests,
    first,
    g,
    g0,
    gap,
    gs,
    kests,
    kgs,
    kmgs,
    lows,
    mg,
    mg0,
    mgs,
    n0,
    noise,
    ns,
    one,
    ones,
    reached,
    sfirst,
    sg0,
    smg0,
    values,
    w,
    w_next,
    w_star,
    ys,
)

(z,) = vectors({"z": "z"})
mask, rest, kept, taken = map(sp.Function, ("mask", "rest", "kept", "taken"))
dim = sp.Symbol("dim")
MEANT = {"mg": mask(g), "mn": mask(noise), "dev": est - mask(g) - mask(noise)}
MEANT_OF_ROUND = {"mgs": mask(gs), "mns": mask(ns), "mg0": mask(g0)}
MEANT_AT_START = {"mg0": mask(g0), "mn0": mask(n0), "dev0": first - mask(g0) - mask(n0)}

# ---- of a local step of a client

OF_STEP: dict[str, sp.Expr] = {
    "V_k": ip(gap, one),
    "g_k2": sq(g),
    "mg_k2": sq(mg),
    "s_k2": sq(g + noise),
    "est_2": sq(est),
    "bias_2": sq(given(est, past) - mg),
}
STATES = ("V_k", "g_k2", "mg_k2")

CONSTANTS: dict[str, Definition] = {
    "u_m": ip(mask(ones), ones),
    "dim": sq(ones),
    "u_ratio": u / dim,
}
_SAMPLE = g + noise
_APART_FROM_SLOPE = est - dot(dirs, _SAMPLE) * dirs
EXACT = (Says(dot(_APART_FROM_SLOPE, _APART_FROM_SLOPE), "==", sp.Integer(0)),)
MUCH = Says(c, ">", u_ratio)  # the least of what c >> u/d says
SPARSE = (Says(dot(mask(g), g), "==", c * dot(g, g)), MUCH)
SPARSE_SAMPLES = (Says(dot(mask(_SAMPLE), _SAMPLE), "==", c * dot(_SAMPLE, _SAMPLE)), MUCH)

# ---- of a round

_GLOBAL, _EXCESS = given(g0, past), given(values - at_star, past)  # f(w^r) - f(w*)
OF_ROUND: dict[str, sp.Expr] = {
    "f": ip(_EXCESS, one),
    "G_1": given(sp.sqrt(dot(_GLOBAL, _GLOBAL))),
    "G_f": sq(_GLOBAL),
    "M_f": sq(given(mg0, past)),
    "V_m": ip(values - lows, one),
    "X_f": ip(_GLOBAL, w_next - w),
    "X_own": ip(g0, reached - w),
    "X_est": ip(_GLOBAL, ests),
    "X_mask": ip(_GLOBAL, mgs),
    "est_m": sq(ests),
    "Dw_2": sq(w_next - w),
    "drift": sq(ys - w),
}
STATES_OF_ROUND = ("f", "G_f", "M_f", "V_m")
OF_RUN: dict[str, Definition] = {**CONSTANTS, "Q": OF_Q, "q_17": OF_q}
OF_STOPPED_RUN: dict[str, Definition] = {
    **CONSTANTS,
    "K_g": n * ip(kept(one), one),
    "K_b": n - K_g,
    "near": 1 - c_h,
    "taken_share": TAKEN,
    "D_delta": OF_D_delta,
    "C_S": OF_C_S,
}
OF_STOPPED = {
    **OF_ROUND,
    "V_g": ip(kept(values - lows), one),
    "X_g": ip(_GLOBAL, kmgs),
    "X_b": ip(_GLOBAL, smg0),
    "X_ge": ip(_GLOBAL, kests),
    "X_be": ip(_GLOBAL, sfirst),
    "g_g": sq(kgs),
    "g_b": sq(sg0),
    "est_g": sq(cests),
    "drift_g": sq(away),
}
MEANT_OF_STOPPED = {
    **MEANT_OF_ROUND,
    "kgs": kept(gs),
    "kmgs": kept(mask(gs)),
    "kests": kept(ests),
    "sg": _GLOBAL - kept(_GLOBAL),
    "sg0": g0 - kept(g0),
    "smg0": mask(g0 - kept(g0)),
    "sfirst": first - kept(first),
    "cg": taken(mask(_GLOBAL)),
    "cmgs": taken(mask(gs)),
    "cmg0": taken(mask(g0)),
    "cests": taken(ests),
    "away": taken(ys - w),
}
_APART = g0 - _GLOBAL
CURVED = (Says(2 * mu_PL * dot(_EXCESS, one), "<=", dot(_GLOBAL, _GLOBAL)),)
NEAR = (
    Says(dot(_APART, _APART), "<=", c_h * dot(_GLOBAL, _GLOBAL) + sigma_h**2),
    Says(c_h, "<", sp.Integer(1)),
)
NEAR_MASKED = (
    Says(dot(mask(_APART), _APART), "<=", c_h * dot(mask(_GLOBAL), _GLOBAL) + sigma_h**2),
    Says(c_h, "<", sp.Integer(1)),
)
# at w^r
_OFF = first - dot(dirs0, g0 + n0) * dirs0
_FROM_MEAN = dirs0 - given(dirs0, past, z)
EXACT_AT_START = (Says(dot(_OFF, _OFF), "==", sp.Integer(0)),)
_OFF_ANY = ests - dot(dirs_s, gs + ns) * dirs_s
EXACT_OF_ROUND = (Says(dot(_OFF_ANY, _OFF_ANY), "==", sp.Integer(0)),)
SHARED = (Says(dot(_FROM_MEAN, _FROM_MEAN), "==", sp.Integer(0)),)
_KEPT_OF_GLOBAL = dot(mask(_GLOBAL), mask(_GLOBAL))
GLOBAL = (Says(c * dot(_GLOBAL, _GLOBAL), "<=", _KEPT_OF_GLOBAL),)
SHARE = (Says(Sum_t(V_g(t)), "<=", gamma_g * (Sum_t(f(t)) + L * T / 2 * Delta)),)
OPTIMA = (Says(sq(best - w_star), "==", Delta),)
SPARSE_OF_ROUND, SPARSE_SAMPLES_OF_ROUND = (
    (*(Says(dot(mask(each), each), "==", c * dot(each, each)) for each in every), MUCH)
    for every in ((g0, gs), (gs + ns,))
)
# where balls tell apart no share but all: a mask that leaves nothing
_ALL_KEPT = Says(c, "==", sp.Integer(1))
WHOLLY_KEPT, WHOLLY_KEPT_SAMPLES = (
    (_ALL_KEPT, *(Says(dot(rest(each), rest(each)), "==", sp.Integer(0)) for each in every), MUCH)
    for every in ((g0, gs), (gs + ns,))
)
_OF_FIRST = ("G_1", "G_f", "X_f", "X_own", "X_est", "X_mask", "est_m", "Dw_2", "drift")
OF_FIRST_ROUND = {name: OF_ROUND[name] for name in _OF_FIRST}
_OF_STOPPED_ALONE = ("X_g", "X_b", "X_ge", "X_be", "g_g", "g_b", "est_g", "drift_g")
OF_FIRST_STOPPED = OF_FIRST_ROUND | {name: OF_STOPPED[name] for name in _OF_STOPPED_ALONE}
