"""What masked objectives show at one point over p, once for every law: nothing is run.

t counts laws. `g_m` and `g_top` are gradients of f_i at m o w, and at m o x for the x where masked
clients deviate most from their mean; `more` is what that of a sample has more, `g_o` the one at
m o w*(p). `pulls` are A_ab w_b, b other than a, and `ends` the larger of slope_a + A_aa w_a and of
that with their sum; `pulls_each` and `ends_each` those of samples. `grown` is what the next law has
more of p_i.
"""

import sympy as sp

from fedbounds.theory.language.setups import Definition, Largest, Least, Says, dot
from fedbounds.theory.proof.vectors import given, i, ip, sq, vectors

from .measured_points import g_m, m, ones, value_opt, value_s
from .symbols import dim
from .vectors import one, opt, opt_s

g_top, g_o, g_s, more, coupled, grown = vectors(
    {
        "g_top": r"\nabla f_i(m\odot x)",
        "g_o": r"\nabla f_i(m\odot w^*(p))",
        "g_s": r"\nabla f_i(w^*)",
        "more": r"\nabla(f_{ij}-f_i)(m\odot w)",
        "coupled": r"(A-\operatorname{diag}A)w^*",
        "grown": r"p_i^{t+1}-p_i^t",
    }
)
pulls, ends, pulls_each, ends_each = vectors(
    {"pulls": "A_{ab}w_b", "ends": "c_a", "pulls_each": "A_{j,ab}w_b", "ends_each": "c_{j,a}"}
)
_NOTHING = sp.Integer(0)


def _from_mean(slope: sp.Expr) -> sp.Expr:
    """How far clients' gradients are from grad F_p."""
    return sq(given(m(slope), i) - given(m(slope)))


RESIDUAL = {"R_p": ip(value_opt - value_s, one), "q_miss": 1 - sq(m(ones)) / dim}
QUANTITIES = {
    **RESIDUAL,
    "B2_fix": _from_mean(g_m),
    "B2_sup": _from_mean(g_top),
    "vr_m": sq(m(g_m) - given(m(g_m), i)),
    "vr_s": sq(m(more)),
    "vr_all": sq(m(g_m) + m(more) - given(m(g_m), i)),
}
CONSTANTS: dict[str, Definition] = {
    "dim": sq(ones),
    "coupling2": sq(coupled),
    "var_slope": dim * sq(pulls) + sq(ends),
    "var_top": dim * sq(pulls_each) + sq(ends_each),
}

# ---- what a set-up must satisfy

GROWING = (Says(Least(grown), ">=", _NOTHING),)
ABOUT_CLIENTS = (Says(sq(given(more, i)), "==", _NOTHING),)  # samples have f_i as their mean
REACH = sp.Symbol("reach")
# inside of [0, reach]^d, where clients are strongly convex
STATIONARY = (
    *(Says(dot(x, x), "==", _NOTHING) for x in (given(m(g_o)), given(g_s))),
    *(Says(Least(x), ">", _NOTHING) for x in (opt, opt_s)),
    *(Says(Largest(x), "<", REACH) for x in (opt, opt_s)),
)
