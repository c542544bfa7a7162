"""What quantities and constants of coupled runs are, once: proofs rewrite with it, runs measure it.

`data` is a data set, `place` a changed sample (i, j), `fresh` what it is replaced by; far is w'^t
of the one place that is looked at alone, fars that of every place. Old and new samples, along old
and new runs: `old_at_new` is the gradient of z at the points of the run with z'. hx is m_i o grad
f_i(m_i o .) where it is examined, hs the same for every mask that rolls; noise_at a sample's
gradient less the mean, under every mask. `steep` are gradients that no sample's exceeds.
"""

import sympy as sp

from fedbounds.theory.language.setups import (
    Definition,
    Largest,
    Least,
    MeanOfLargest,
    Says,
    Where,
    above,
    dot,
    most,
)
from fedbounds.theory.language.symbols import K, T, eta, mu
from fedbounds.theory.proof.vectors import given, i, ip, past, sq, vectors, xi

from .proofs.definitions_rounds import ho, hx, x, xo
from .symbols import D_dom, G, S_sub
from .vectors import apart, apart_new, apart_own, loss_diff, loss_size, one, pushed

data, place, fresh, at, point, kept, k, s = vectors(
    {
        "data": "D",
        "place": "(i,j)",
        "fresh": "z'",
        "at": "w",
        "point": "w",
        "kept": "m",
        "k": "k",
        "s": "s",
    }
)
far, fars, old_own, new_own = vectors(
    {
        "far": "w'^t",
        "fars": "w'^t_{ij}",
        "old_own": r"m\odot\nabla\ell(y;z)",
        "new_own": r"m\odot\nabla\ell(y';z')",
    }
)
PUSHES = vectors(
    {
        "old_at_old": r"m\odot\nabla\ell(y;z)",
        "old_at_new": r"m\odot\nabla\ell(y';z)",
        "new_at_old": r"m\odot\nabla\ell(y;z')",
        "new_at_new": r"m\odot\nabla\ell(y';z')",
    }
)
V_pop, V_own, V_low, V_hat, Mx, Mo = vectors(
    {
        "V_pop": r"F_{\mathrm{pop}}(w^t)",
        "V_own": "F_S(w^t)",
        "V_low": r"\min F_S",
        "V_hat": r"F_{\mathrm{pop}}(\hat w)",
        "Mx": "F_p(w^t)",
        "Mo": r"\min F_p",
    }
)
slopes, noise_at, hs, go, steep = vectors(
    {
        "slopes": r"\nabla\ell(m\odot y;z)",
        "noise_at": r"m\odot(\nabla\ell-\nabla f_i)",
        "hs": r"m_{i,s}\odot\nabla f_i(m_{i,s}\odot w)",
        "go": r"\nabla f_i(x_*)",
        "steep": r"\nabla\ell(\mathrm{far})",
    }
)
keep, keep_own, share, share_own, even, turns, ones = vectors(
    {
        "keep": "p_i",
        "keep_own": "p_i",
        "share": r"\tfrac1S\textstyle\sum_sm_{i,s}",
        "share_own": "q_i",
        "even": r"q_i\mathbf 1",
        "turns": r"\mathbf 1_S",
        "ones": r"\mathbf 1",
    }
)
low, high, hull_low, hull_high = vectors(
    {
        "low": r"\min\mathcal W",
        "high": r"\max\mathcal W",
        "hull_low": r"\min",
        "hull_high": r"\max",
    }
)
xn, far_n, y_K, far_K, old_hit, new_hit = vectors(
    {
        "xn": "w^{t+1}",
        "far_n": "w'^{t+1}",
        "y_K": "y_{i,K}",
        "far_K": "y'_{i,K}",
        "old_hit": r"1_{\mathrm{drawn}}m\odot\nabla\ell(y)",
        "new_hit": r"1_{\mathrm{drawn}}m\odot\nabla\ell(y')",
    }
)
_NOTHING = sp.Integer(0)


def norm(vector: sp.Expr) -> sp.Expr:
    """Of every single outcome."""
    return sp.sqrt(dot(vector, vector))


# ---- quantities

OF_BOTH = {
    "dl_w": given(norm(x - far)),
    "G_pair": K * (given(norm(old_own)) + given(norm(new_own))),
}
OF_ALL = {
    "dl_mean": given(norm(x - fars)),
    "st_max": most(norm(loss_diff), place),
    "st_mean": given(norm(loss_diff)),
    "gen": ip(V_pop - V_own, one),
}
RISKS = {"ex_w": ip(V_pop - V_low, one), "ex_hat": ip(V_hat - V_low, one)}

# ---- what proofs write as vectors of one number

NORMS = {
    apart.name: norm(x - far),
    apart_new.name: norm(xn - far_n),
    apart_own.name: norm(y_K - far_K),
    pushed.name: norm(old_hit) + norm(new_hit),
}
LOSS_SIZE = {loss_size.name: norm(loss_diff)}

# ---- constants

_SHRINKS = 1 - (1 - eta * mu) ** (2 * K)
IN_BOX: dict[str, Definition] = {
    "D_dom": above(sq(high - low)),
    "W_sup": above(sp.Max(sq(low), sq(high))),
}
COMMON: dict[str, Definition] = {
    "dim": sq(ones),
    "G": above(Largest(dot(steep, steep))),
    "G_inf": Largest(slopes, -slopes),
}
OF_MASKS: dict[str, Definition] = {
    "p_mean": ip(keep, one),
    "p_spread": given(sp.sqrt(dot(keep, one - keep))),
    # of a step so long that it expands, there is no such number
    "rho_bar": Where(
        given(sp.sqrt(1 - dot(keep, one) * _SHRINKS)), (Says(_SHRINKS, ">=", _NOTHING),)
    ),
}
OF_PAIR: dict[str, Definition] = {
    "G_m": Largest(*(given(norm(push), k) for push in PUSHES)),
    "p_own": ip(keep_own, one),
}
_ALIKE = (Says(Largest(keep), "==", Least(keep)),)
_DEVIATION = hx - given(hx, past, data, at, i)
_APART = given(hx, past, data, at, i) - given(hx, past, data, at)
_ROLLED = hs - given(hs, past, data, at)


def _mean_of_most(vector: sp.Expr, *sources: sp.Expr) -> sp.Expr:
    """Of every data set the largest mean square over what is examined."""
    return MeanOfLargest(given(dot(vector, vector), past, data, *sources), data)


OF_DATA: dict[str, Definition] = {
    "G_m": Largest(*(given(norm(push), place, k) for push in PUSHES)),
    # the largest over clients: beside one share only where they agree
    "p_own": Where(ip(keep, one), _ALIKE),
    "sigma^2": _mean_of_most(noise_at, xi, point, kept, i),
    "nu2": _mean_of_most(_DEVIATION, at),
    "B2": _mean_of_most(_APART, at),
    "Phi": ip(Mx - Mo, one),
    "D_opt_0": sq(x - xo),
    "zeta_star2": sq(ho),
    "nu_star2": sq(ho - given(ho, data, i)),
    "gap_full_at_p": sq(given(ho - go, data)),
}
_ROLLING: dict[str, Definition] = {"S_sub": sq(turns)}
ROLLING_PAIR: dict[str, Definition] = {**_ROLLING, "q_own": ip(share_own, one)}
_SHARE = ip(share, ones) / sq(ones)
_SHARES = (Says(Largest(share), "==", Least(share)),)
ROLLING: dict[str, Definition] = {
    **_ROLLING,
    "q_own": Where(_SHARE, _SHARES),
    "sigma^2": OF_DATA["sigma^2"],
    "B_M2": _mean_of_most(_ROLLED, at),
    "Phi": OF_DATA["Phi"],
}

# ---- statements

BOUNDED = (Says(G**2, ">=", Largest(dot(steep, steep))),)
BOX = (Says(D_dom**2, ">=", sq(high - low)),)
COVERED = (Says(Largest(dot(share - even, share - even)), "==", _NOTHING),)
WHOLE = (Says(T, "==", sp.Symbol("epochs") * S_sub),)
# the hull has the box, 0 and every iterate
_HULL = (
    Says(Least(x - hull_low), ">=", _NOTHING),
    Says(Least(hull_high - x), ">=", _NOTHING),
    Says(Least(low - hull_low), ">=", _NOTHING),
    Says(Least(hull_high - high), ">=", _NOTHING),
    Says(Largest(hull_low), "<=", _NOTHING),
    Says(Least(hull_high), ">=", _NOTHING),
)
HULL_OF_ALL = (
    *_HULL,
    Says(Least(fars - hull_low), ">=", _NOTHING),
    Says(Least(hull_high - fars), ">=", _NOTHING),
)
HULL_OF_PAIR = (
    *_HULL,
    Says(Least(far - hull_low), ">=", _NOTHING),
    Says(Least(hull_high - far), ">=", _NOTHING),
)
