"""What every quantity and every constant is, once: the proofs rewrite with it, runs measure it.

Ek, E0 and Es are F_k(W_k^t) - F_k*, F_k(W^t) - F_k* and F_k(W*) - F_k*, gap is F* - F_k*: numbers
of a client, vectors of one coordinate, as `one` is, which is 1. `ones` has d coordinates; `corner`
is 1 in one coordinate and 0 in the others; `held` is sum_k c_k m_k; `psi` has the coordinates that
somebody trains. Gk, Gs and G0 are the gradients of F where those of F_k are g, gs and g0.
"""

import sympy as sp

from fedbounds.theory.language.setups import Definition, Largest, Least, Says, Where, dot
from fedbounds.theory.language.symbols import D_W, G2, L, eta, j, mu, t, tau
from fedbounds.theory.proof.vectors import ip, sq, vectors

from . import assumed
from .distance import BRACKET, CONTRACTION, CURVE, SLOPE
from .results import CONSTANTS
from .symbols import (
    B_step,
    F_att,
    F_loc,
    F_opt,
    F_star,
    alpha_k,
    cos_g,
    cos_m,
    norm_g,
    norm_y,
    nu_max,
    psi_i,
    psi_inf,
    psi_max,
    psi_min,
    psi_sup,
    rho_k,
    rho_min,
    w_free,
    w_gap,
    z,
)
from .vectors import (
    W1,
    D,
    Db,
    Gs,
    W,
    Wk,
    Wn,
    Wstar,
    ag,
    aone,
    g,
    g0,
    gs,
    mg,
    mgs,
    pmg,
    pmgs,
    saone,
    wg0,
    wx,
)  # fmt: skip

Ek, E0, Es, gap, one = vectors(
    {
        "Ek": "(F_k(W_k^t)-F_k^*)",
        "E0": "(F_k(W^t)-F_k^*)",
        "Es": "(F_k(W^*)-F_k^*)",
        "gap": "(F^*-F_k^*)",
        "one": "1",
    }
)
ones, corner, held, psi, Ws, Gk, G0 = vectors(
    {
        "ones": r"\mathbf 1",
        "corner": "e_i",
        "held": r"\textstyle\sum_kc_km_k",
        "psi": r"\psi",
        "Ws": "W_k^{t,s}",
        "Gk": r"\nabla F(W_k^t)",
        "G0": r"\nabla F(W^t)",
    }
)
mask, comp, share, apart, attenuate = (
    sp.Function(name) for name in ("mask", "comp", "share", "apart", "attenuate")
)
mg0 = mask(g0)
pmg0 = comp(mg0)

common = sp.Symbol("common", real=True)  # 1 where all clients have one noise, else 0
psi_free = sp.Symbol("psi_free", real=True)  # psi_i where nobody trains i
_NOTHING = sp.Integer(0)
_FAR, _OFF = W - Wstar, Wk - Wstar

# ---- quantities

STEP_QUANTITIES = {
    "D_W": sq(_FAR),
    "D_1": sq(Wn - Wstar),
    "A_1": sq(D - Db),
    "A_2": sq(_FAR + Db),
    "A_3": 2 * ip(D - Db, _FAR + Db),
    "A_21": sq(Db),
    "A_22": 2 * ip(_FAR, Db),
    "V_W": sq(Wk - W),
}
# rho_k^t, where its denominator is not 0
RATIO = dot(mg, _OFF) / dot(g, _OFF)
VALUES = {
    "F_loc": ip(Ek, one),
    "F_att": ip(attenuate(Ek), aone),
    "F_raw": ip(apart(attenuate(Ek)), aone),
    "F_star": ip(Es, one),
    "F_opt": F_loc(t) - F_star(t),
    "F_glob": ip(E0 - gap, one),
    "F_gatt": ip(attenuate(E0 - gap), aone),
    "Lam_att": ip(attenuate(gap), aone),
}
EXCESS = {"b_rho": ip(RATIO * (Ek - Es), one) + mu / 2 * ip(RATIO * _OFF, _OFF)}
CURVED = {"A_24": CURVE * F_att(t) - SLOPE * F_opt(t)}
ROUND_QUANTITIES = {
    "D_W": sq(_FAR),
    "V_W": sq(Wk - W),
    "F_att": ip(attenuate(Ek), aone),
}
AFTER_ROUND = {"D_1": sq(W1 - Wstar)}
CLIENT_QUANTITIES = {"F_own": ip(Ek, one), "F_bar": ip(E0, one), "F_gap": ip(gap, one)}
_MASKED = sp.sqrt(sq(mg))


def _size(number: sp.Expr) -> sp.Expr:
    return sp.Max(number, -number)


ONE_CLIENT_QUANTITIES = CLIENT_QUANTITIES | {
    "b_own": ip(Ek - Es, one) + mu / 2 * sq(_OFF),
    "cos_g": ip(g, _OFF) / (norm_g * norm_y),
    "cos_m": ip(mg, _OFF) / (_MASKED * norm_y),
    # 0 where the gradient lies outside of the mask; not defined where there is no gradient
    "sgn_3": sp.sign(sq(mg) / sq(g)),
    "U_coord": ip(D, corner) / psi_i,
}

# ---- constants, each of those before it

PSI = {"psi_max": Largest(psi), "psi_min": Least(psi)}
_EQUAL = (Says(Largest(aone), "==", Least(aone)),)
ATTENUATION: dict[str, Definition] = {"alpha_k": Where(Largest(aone), _EQUAL)}
SUMS = {"Gamma": sq(aone), "Gamma_2": ip(saone, aone), "Lambda": ip(gap, one)}
_ADDED = {c.left: c.right for c in CONSTANTS}[B_step]
_POSITIVE_NU = (Says(nu_max, ">", _NOTHING),)
_GAP = Where(1 / eta - z, (Says(w_gap, ">", _NOTHING),))
# of rho_min and G^2
DERIVED: dict[str, Definition] = {
    "z": CONTRACTION,
    "w_gap": _GAP,
    "nu_max": Where(BRACKET, _POSITIVE_NU),
    "B_step": _ADDED,
}
# the most local steps that may have been done
DONE: dict[str, Definition] = {"j": Where(tau - 1, (Says(j, ">", _NOTHING),))}
START = {"D_0": D_W(0)}
_HELD = (Says(ip(held, corner), ">", _NOTHING),)
CLIENT_CONSTANTS: dict[str, Definition] = {
    "c_k": ip(share(one), one),
    "d_k": sq(mask(ones)),
    "alpha_k": ip(aone, one),
    "norm_g": sp.sqrt(sq(g)),
    "norm_x": sp.sqrt(sq(W - Wk)),
    "norm_y": sp.sqrt(sq(_OFF)),
    "cos_1": _size(ip(g, _OFF)) / (norm_g * norm_y),
    "cos_2": _size(ip(mg, _OFF)) / (_MASKED * norm_y),
    "cos_3": _MASKED / norm_g,
    "rho_k": Where(ip(mg, _OFF) / ip(g, _OFF), (Says(rho_k, ">", _NOTHING),)),
    "psi_i": Where(ip(comp(corner), corner), _HELD),
    "w_i": Where(ip(held, corner), _HELD),
}


def _same(number: sp.Expr) -> Where:
    """A number of a client, where all have the same."""
    return Where(Largest(number), (Says(Largest(number), "==", Least(number)),))


SAME: dict[str, Definition] = {
    "c_k": _same(dot(share(one), one)),
    "d_k": _same(dot(mask(ones), ones)),
    "alpha_k": _same(dot(aone, one)),
}
# psi_i is any number where nobody trains i: extremes over all coordinates have names of their own
_LEAST_PSI = sp.Min(Least(psi), psi_free)
PSI_OF_ALL: dict[str, Definition] = {
    "psi_sup": sp.Max(Largest(psi), psi_free, -psi_free),
    "psi_inf": Where(_LEAST_PSI, (Says(psi_inf, ">", _NOTHING),)),
    "w_free": Where(-_LEAST_PSI, (Says(w_free, ">=", _NOTHING),)),
}


def of_all(definition: Definition) -> Definition:
    """With extremes of psi over all coordinates."""
    own = {psi_max: psi_sup, psi_min: psi_inf}
    if isinstance(definition, Where):
        return Where(definition.value.subs(own), definition.holds)
    return definition.subs(own)


# alpha_k chosen: any number for which masking shortens gradients as said; shown is the one that
# decides the conditions on all of them: (ii) and that on nu are hardest for the largest, and (iii)
# for the smallest: where it fails there, none is
_HARDEST = Says(psi_min * rho_min, "<=", 1 + 2 * eta * psi_max**2 * Least(aone) ** 2 * L)
CHOSEN_ATTENUATION: dict[str, Definition] = {"alpha_k": Where(Largest(aone), (_HARDEST,))}
MASKS_SHORTEN = (
    Says(Least(aone), ">=", _NOTHING),
    Says(Largest(aone), "<=", sp.Integer(1)),
    Says(dot(mg, mg), "<=", dot(ag, ag)),
)

# ---- assumptions at the models that a run visits, gradients of F_k and F with those models

_AT_CLIENTS = ((g, mg, pmg, Gk, Wk), (g0, mg0, pmg0, G0, W))
_AT_STEPS = (*_AT_CLIENTS, (gs, mgs, pmgs, Gs, Ws))
_Models = tuple[tuple[sp.Expr, ...], ...]


def _alignment(visited: _Models) -> dict[str, Definition]:
    """Assumption 6: the least rho_k; and the largest rho_min of our repair."""
    every = [(dot(own, x - Wstar), dot(kept, x - Wstar), dot(sent, x - Wstar))
             for own, kept, sent, _, x in visited]  # fmt: skip
    repaired = [sp.Tuple(sent / (Least(psi) * own), own) for own, _, sent in every]
    return {
        "aligned": Where(
            Least(*(kept / own for own, kept, _ in every)), (Says(rho_min, ">", _NOTHING),)
        ),
        "compensated": Where(Least(*repaired), _repaired(visited)),
    }


def _repaired(visited: _Models) -> tuple[Says, ...]:
    """<psi o m_k o g, x> >= psi_min rho_min <g, x>, which is positive somewhere."""
    says = [
        Says(dot(sent, x - Wstar), ">=", Least(psi) * rho_min * dot(own, x - Wstar))
        for own, _, sent, _, x in visited
    ]
    somewhere = Largest(*(dot(own, x - Wstar) for own, _, _, _, x in visited))
    return (Says(rho_min, ">", _NOTHING), Says(somewhere, ">", _NOTHING), *says)


def choices(visited: _Models) -> dict[str, dict[str, Definition]]:
    """rho_min and G^2, as sharp as a run allows."""
    return {
        "rho_min": _alignment(visited),
        "G^2": {"global": _wide(visited), "local": _local(visited)},
    }


def _wide(visited: _Models) -> sp.Expr:
    return Largest(*(dot(whole, whole) for _, _, _, whole, _ in visited))


def _local(visited: _Models) -> sp.Expr:
    return Largest(*(dot(own, own) for own, *_ in visited))


def assumptions(
    visited: _Models, *, rounds: bool, least: str = "=="
) -> dict[str, tuple[Says, ...]]:
    """At what a run visits; Assumption 5 of the gradient of F is asked of whole rounds.

    With "<=" rho_min need not be the least rho_k, which is known from below alone.
    """
    aligned = _alignment(visited)["aligned"]
    assert isinstance(aligned, Where)
    wide = {assumed.GLOBAL_GRADIENT: (Says(G2, ">=", _wide(visited)),)}
    return {
        assumed.ALIGNED: (Says(rho_min, least, aligned.value), *aligned.holds),
        assumed.ALIGNED_COMPENSATED: _repaired(visited),
        assumed.LOCAL_GRADIENTS: (Says(G2, ">=", _local(visited)),),
        assumed.EQUAL_ATTENUATION: _EQUAL,
        **(wide if rounds else {}),
    }


# on which side of 90 degrees both angles of a client are
ANGLES = {
    assumed.ACUTE: (Says(cos_g(t), ">", _NOTHING), Says(cos_m(t), ">", _NOTHING)),
    assumed.OBTUSE: (Says(cos_g(t), "<", _NOTHING), Says(cos_m(t), "<", _NOTHING)),
}
AT_CLIENTS, AT_STEPS, AT_LOCAL = _AT_CLIENTS, _AT_STEPS, _AT_STEPS[2:]

# of Step 4.4, where gamma_k is not negative
_ROOT = sp.sqrt(SLOPE - CURVE * alpha_k**2)
WEIGHTED = {wx: _ROOT * (Wk - W), wg0: _ROOT * g0}
