"""What masked objectives show at points, and at their minimisers, once: nothing is run.

t counts points w. `g_m`, `g_n` and `g_2` are the gradients of f_i at m o w, m o y and m' o w, and
g_0 that at 0; `m` and `m_2` mask, `chance` multiplies by p_i. `off`, `scaled` and `slopes` are
(A_i - diag A_i) w, diag(A_i) w and b_i of quadratics, `off_m` the first at m o w. `steep` is the
longest gradient of a client at a masked w, `top` that in the masked domain, `far` its farthest
point. `value_opt` and the like are values of f_i; `laws` are the masks of every law.
"""

import sympy as sp

from fedbounds.theory.language.setups import Definition, Largest, Least, Says, Where, above, dot
from fedbounds.theory.language.symbols import n
from fedbounds.theory.proof.vectors import given, i, ip, sq, vectors

from . import assumed
from .proofs.minimisers import OF_STEP, PAIRED
from .proofs.objectives import OF_PAIR, OF_POINT, STATIONARY
from .proofs.quadratics import OF_CLIENT, OF_OPTIMA, p2_off, p_diag, p_slope
from .symbols import dim
from .vectors import at, g_own, masked, mpu, one, opt, opt_s, p_diff, pr, pu, pv, slope

m, m_2, chance = (sp.Function(name) for name in ("m", "m_2", "chance"))
g_m, g_n, g_2, g_0, after, ones, side, steep = vectors(
    {
        "g_m": r"\nabla f_i(m\odot w)",
        "g_n": r"\nabla f_i(m\odot y)",
        "g_2": r"\nabla f_i(m'\odot w)",
        "g_0": r"\nabla f_i(0)",
        "next": "y",
        "ones": r"\mathbf 1",
        "side": r"\operatorname{sign}w",
        "steep": r"\max_{i,m}\nabla f_i(m\odot w)",
    }
)
off, off_m, scaled, slopes, told_of = vectors(
    {
        "off": r"(A_i-\operatorname{diag}A_i)w",
        "off_m": r"(A_i-\operatorname{diag}A_i)(m\odot w)",
        "scaled": r"\operatorname{diag}(A_i)w",
        "slopes": "b_i",
        "told_of": r"\phi(D^{-1}A)D^{-1}b",
    }
)
low, high, far, top, turn, swap, laws, law = vectors(
    {
        "low": r"\min\mathcal W",
        "high": r"\max\mathcal W",
        "far": r"\arg\max_{\mathcal W}\|w\|",
        "top": r"\max_{i,m,w}\nabla f_i(m\odot w)",
        "turn": "e_s",
        "swap": "(m_{i,s}-m'_{i,s})",
        "laws": "m_i",
        "law": r"\ell",
    }
)
value_opt, value_2, value_s, value_hat = vectors(
    {
        "value_opt": "f_i(w^*(p))",
        "value_opt_2": "f_i(w^*(p'))",
        "value_opt_s": "f_i(w^*)",
        "value_hat": r"f_i(\hat w)",
    }
)
_NOTHING = sp.Integer(0)

# ---- what vectors of the proofs are: of a pair, of a point, of quadratics

_DRAWN = {"mpv": m(pv), "cpv": pv - m(pv), "mpu": m(pu), "pr": given(mpu), "mpr": m(pr)}
PAIR = {"pv": at - after, "pu": g_m - g_n, **_DRAWN, "masked": given(m(g_m))}
POINT = {**PAIR, "pv": at, "pu": g_m - g_own}
PARTS = {
    **{"m_off": m(off_m), "m_diag": m(scaled), "m_slope": m(slopes)},
    **{"p2_off": chance(chance(off)), "p2_diag": chance(chance(scaled))},
    **{"p_diag": chance(scaled), "p_slope": chance(slopes)},
    **{"c_off": m(off_m) - p2_off, "c_diag": m(scaled) - p_diag},
    "c_slope": m(slopes) - p_slope,
    **{"quad": given(off + scaled), "diag": given(scaled), "slope": given(slopes)},
    **{"size_i": given(m(g_m), i), "masked_opt": opt, "full_opt": opt_s},
}

# ---- quantities of a point, or of the pair of a point and the next

QUANTITIES = {
    **OF_PAIR,
    **{name: OF_POINT[name] for name in ("g_F", "g_Fp")},
    **{name: OF_STEP[name] for name in ("D_opt", "D_full", "Dl_w")},
    "w_2": sq(at),
    "w_1": ip(at, side),
    "G_w2": sq(steep),
    "Dl_pp": sq(masked - given(m_2(g_2))),
    "L_hat": ip(value_hat - value_s, one),
}
OF_QUADRATICS = {**OF_CLIENT, **STATIONARY}
ALONE = OF_POINT  # of a point that is its own pair

# ---- numbers of the masks


def _covered(kept: sp.Expr) -> tuple[Says, ...]:
    """Every coordinate is held equally often by a client, and by some."""
    mean = given(kept, i)
    return (
        Says(dot(mean, ones) ** 2, "==", dim * dot(mean, mean)),
        Says(Least(dot(mean, ones)), ">", _NOTHING),
    )


_MASK, _MASK_2 = m(ones), m_2(ones)
_COVERED, _COVERED_2 = _covered(_MASK), _covered(_MASK_2)
_SHARE, _SHARE_2 = (dot(given(kept, i), ones) / dim for kept in (_MASK, _MASK_2))


def _alike(share: sp.Expr, covered: tuple[Says, ...]) -> Where:
    return Where(Largest(share), (*covered, Says(Largest(share), "==", Least(share))))


_MISSED = (1 - _SHARE) * sp.sqrt(dot(g_own, g_own))
MISSED = {"G_miss": given(_MISSED)}
SHARES: dict[str, Definition] = {
    "dim": sq(ones),
    "p_mean": Where(sq(_MASK) / dim, _COVERED),
    "p_spread": Where(given(sp.sqrt(_SHARE * (1 - _SHARE))), _COVERED),
    "p": _alike(_SHARE, _COVERED),
    "p_mean_2": Where(sq(_MASK_2) / dim, _COVERED_2),
    "p_2": _alike(_SHARE_2, _COVERED_2),
    "p_dist": Where(ip(p_diff, one), (*_COVERED, *_COVERED_2)),
    "p_dist_2": Where(n * sq(p_diff), (*_COVERED, *_COVERED_2)),
}
_HELD = given(_MASK)
ROLLING: dict[str, Definition] = {
    **{f"q{name}": SHARES[f"p{name}"] for name in ("", "_mean", "_spread")},
    "S_sub": 1 / sq(given(turn)),
    "c_min": Least(_HELD),
    "c_max": Largest(_HELD),
}
BOTH_ROLLING: dict[str, Definition] = {
    "q_mean_2": SHARES["p_mean_2"],
    "mask_dist": given(sp.sqrt(dot(swap, swap))),
}

# ---- numbers at minimisers and at the origin

MINIMISERS: dict[str, Definition] = {
    "grad_0_F": sq(given(g_0)),
    "grad_0_Fp": sq(given(m(g_0))),
    **PAIRED,
    "opt_size": sq(opt),
    "residual": ip(value_opt - value_s, one),
    "residual_2": ip(value_2 - value_s, one),
}
CLOSED: dict[str, Definition] = {
    "closed_err": OF_OPTIMA["closed_err"],
    "shift_err": OF_OPTIMA["shift_err"],
    "spectral": ip(slope, told_of) / 2,
}

# ---- the domain, and what masks and domain say of assumptions

BOX: dict[str, Definition] = {
    "W_sup": above(sq(far)),
    "D_dom": above(sq(high - low)),
    "G": above(sq(top)),
}
IN_BOX = (Says(Least(at - low), ">=", _NOTHING), Says(Least(high - at), ">=", _NOTHING))
_OF_LAW = given(laws, law, i)
_APART = _OF_LAW - given(laws, law)
_KEPT = (
    Says(dot(_OF_LAW, ones) ** 2, "==", dim * dot(_OF_LAW, _OF_LAW)),
    Says(Least(dot(_OF_LAW, ones)), ">", _NOTHING),
)
OF_MASKS = {
    assumed.KEPT: _KEPT,
    assumed.EQUAL_KEEP: (*_KEPT, Says(dot(_APART, _APART), "==", _NOTHING)),
    assumed.UNEQUAL_KEEP: (
        *_KEPT,
        Says(Least(given(dot(_APART, _APART), law)), ">", _NOTHING),
    ),
}
# one keep probability for all
EQUAL = (*_COVERED, Says(Largest(_SHARE), "==", Least(_SHARE)))
