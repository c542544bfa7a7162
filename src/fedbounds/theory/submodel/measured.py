"""What quantities and constants of random masks are, once: proofs rewrite with it, runs measure it.

Fx, Fy and Fo are h_i at x, y and x*, Fn is F_p(x^+), Mx and Mo are F_i(p_i, .) at x and x*; Vx, Vo,
Vs and Vh are f_i at x, x*, w* and w^: numbers of a client, vectors of one coordinate, as `one` is,
which is 1. gm is the gradient of F_i(p_i, .) at x; gx and go are those of f_i at x and x*; gc those
at the corners of every masked box from `low` to `high`. `keep` is p_i, `spread` at least
sqrt(p_i (1 - p_i)).
"""

import sympy as sp

from fedbounds.theory.language.setups import Definition, Largest, Least, Says, dot
from fedbounds.theory.language.symbols import K, T, n, sigma2, t
from fedbounds.theory.proof.vectors import given, i, ip, past, sq, vectors

from .bounds import RANDOM_FLOOR
from .proofs.definitions_rounds import Fn, Fo, Fx, Fy, Um, ho, hx, x, xn, xo, y
from .random_convex import SHRINKS
from .symbols import D_dom, D_opt, G, L_Fp, W_sup, nu2
from .symbols_rounds import log_T
from .vectors import full, one
from .vectors_runs import cx, cy_k, my_k, server, sgd, virtual, w_k

Mx, Mo, Vx, Vo, Vs, Vh = vectors(
    {
        "Mx": "F_i(p_i,x)",
        "Mo": "F_i(p_i,x_*)",
        "Vx": "f_i(x)",
        "Vo": "f_i(x_*)",
        "Vs": "f_i(w^*)",
        "Vh": r"f_i(\hat w)",
    }
)
gm, gx, go, gc, keep, spread, low, high = vectors(
    {
        "gm": r"\nabla F_i(p_i,x)",
        "gx": r"\nabla f_i(x)",
        "go": r"\nabla f_i(x_*)",
        "gc": r"\nabla f_i(\mathrm{corner})",
        "keep": "p_i",
        "spread": r"\sqrt{p_i(1-p_i)}",
        "low": r"\min\mathcal W",
        "high": r"\max\mathcal W",
    }
)
mean, mean_o, full_o, p_bar, s_bar = vectors(
    {
        "mean": r"\tfrac1N\textstyle\sum_i\nabla h_i(x)",
        "mean_o": r"\tfrac1N\textstyle\sum_i\nabla h_i(x_*)",
        "full_o": r"\nabla F(x_*)",
        "p_bar": r"\bar p",
        "s_bar": r"\tfrac1N\textstyle\sum_i\sqrt{p_i(1-p_i)}",
    }
)
_NOTHING = sp.Integer(0)
# expected values, which proofs write as vectors
VALUES = {value: ip(value, one) for value in (Fx, Fy, Fo, Fn)}

# ---- quantities of a round

BREGMAN = Fx - Fo - ip(ho, x - xo)
VARIANCE, DISSIMILARITY = hx - given(hx, past, i), given(hx, past, i) - given(hx, past)
OF_ROUND = {
    "V_bar": K * sq(y - x),
    "H_x": sq(hx),
    "D_br": BREGMAN,
    "D_opt": sq(x - xo),
    "X_U": ip(x - xo, Um),
    "U_2": sq(Um),
    "g_Fp": sq(given(hx, past)),
    "nu2_x": sq(VARIANCE),
    "B2_x": sq(DISSIMILARITY),
}
NEXT = sq(xn - xo)  # D_opt of the next round
LOCAL_SIZE = n * (K + 1) * sq(my_k + cy_k)
SAME_RUNS = {
    "Ev_2": n * (K + 1) * (sq(my_k - w_k) + sq(cy_k - cx)),
    "Sv_2": LOCAL_SIZE,
    "Ea_2": sq(server - virtual),
    "Sa_2": sq(server),
    "Er_2": sq(server - sgd),
    "Sr_2": sq(sgd),
}
# over what contracts, the excess over what is left for ever
EXCESS = {"Z_ex": (D_opt(t) - RANDOM_FLOOR) / (1 - SHRINKS) ** t}
QUANTITIES = {
    **{name: is_.xreplace(VALUES) for name, is_ in OF_ROUND.items()},
    **SAME_RUNS,
    "L_Fp": ip(Mx - Mo, one),
    **EXCESS,
}
BESIDE_FULL = {
    "L_F": ip(Vx - Vs, one),
    "g_F": sq(given(gx, past)),
    "L_hat": ip(Vh - Vs, one),
    "Dl_w": sq(given(gm - gx, past)),
}

# ---- constants

AT_OPTIMUM = {"zeta_star2": sq(ho), "nu_star2": sq(ho - given(ho, i))}


def _most(vector: sp.Expr) -> sp.Expr:
    """The largest mean square over what a run visits."""
    return Largest(given(dot(vector, vector), past))


CONSTANTS: dict[str, Definition] = {
    **AT_OPTIMUM,
    "p_mean": ip(keep, one),
    "nu2": _most(VARIANCE),
    "B2": _most(DISSIMILARITY),
    "Phi": L_Fp(0),
    "D_opt_0": D_opt(0),
    "v_mean": nu2 + sigma2 / K,
}
GAP_AT_OPTIMUM: dict[str, Definition] = {"gap_full_at_p": sq(given(ho - go))}

# ---- a box: its numbers are given, and not too small

IN_BOX: dict[str, Definition] = {"p_spread": ip(spread, one)}
BOUNDED = (Says(G**2, ">=", Largest(dot(gc, gc))),)
BOX = (
    Says(D_dom**2, ">=", sq(high - low)),
    Says(W_sup**2, ">=", sp.Max(sq(low), sq(high))),
    Says(dot(spread, spread), ">=", dot(keep, one - keep)),
    Says(Least(spread), ">=", _NOTHING),
    Says(Least(x - low), ">=", _NOTHING),
    Says(Least(high - x), ">=", _NOTHING),
)

# ---- log_T: the exponential series from below shows that it is at least ln T

_TERMS = 48
ENOUGH = (Says(T, "<=", sp.Add(*(log_T**k / sp.factorial(k) for k in range(_TERMS)))),)

# ---- clients drawn in proportion to their bounds: means over all of them are shown as such

GAP = {"Dl_w": sq(given(mean - full, past))}
OF_CLIENTS: dict[str, Definition] = {"p_mean": ip(p_bar, one), "p_spread": ip(s_bar, one)}
GAP_ALONE: dict[str, Definition] = {"gap_full_at_p": sq(given(mean_o - full_o))}
