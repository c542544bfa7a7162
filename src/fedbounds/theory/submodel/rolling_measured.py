"""What quantities and constants of rolling masks are: proofs rewrite with it, runs measure it.

t counts epochs. Fx, Fy and Fo are h_i at x, y and x*, Fn is F_M(x^+), Mx and Mo are F_i at x and
x*. `ao` is a_j at x* of sub-model j, `kept` is q_i, `uneven` what a client's coverage of a
coordinate is more than that, `turn` the number of a sub-model; `server` and `virtual` are the next
model and what virtual iterates make of it. `Ad` is (A_s - A_{s-1}) times the slopes before s.
"""

import sympy as sp

from fedbounds.theory.language.setups import Definition, Largest, Says, above, dot
from fedbounds.theory.language.symbols import K, eta, n
from fedbounds.theory.proof.vectors import given, i, ip, past, sq, vectors, xi

from . import assumed, measured
from .proofs.definitions_rounds import (
    Aa,
    Aen,
    Hz,
    Qa,
    ho,
    hw,
    hx,
    hy,
    nz,
    perm,
    s,
    wS,
    ws,
    wv,
    x,
    xo,
    y,
)
from .symbols import S_sub
from .vectors import one

Ad, ao, kept, uneven, turn, k, loud, apart = vectors(
    {
        "Ad": r"(A_s-A_{s-1})\textstyle\sum_{t<s}\alpha_{\pi(t)}",
        "ao": "a_j",
        "kept": "q_i",
        "uneven": r"(\tfrac1S\textstyle\sum_sm_{i,s}-q_i\mathbf 1)",
        "turn": r"\pi_i(s)",
        "k": "k",
        "loud": r"\sigma m_{i,s}",
        "apart": r"(\nabla h_{i,s}(x)-\nabla F_M(x))_{i,s}",
    }
)
orders = sp.Symbol("orders", integer=True, positive=True)  # drawn in an epoch: 1, or n
_NOTHING = sp.Integer(0)
_STEPS = S_sub * K

# ---- quantities of an epoch

GRADIENT = given(hx, past)
_OF_ROUND = (past, perm, xi, s)  # the mean over clients and steps
RECURSION = (ws - x) - eta * K * (Hz + given(hx, *_OF_ROUND) + given(hy - hw + nz, *_OF_ROUND))
UNROLLED = (
    wS - x + eta * _STEPS * given(Aa, past, perm, xi) + eta * S_sub * given(Aen, past, perm, xi)
)
OF_EPOCH = {
    "D_br": measured.BREGMAN,
    "D_opt": sq(x - xo),
    "g_Fp": sq(GRADIENT),
    "B_M2_x": sq(hx - GRADIENT),
}
UNPROJECTED = {
    "V_bar": _STEPS * sq(y - x),
    "Rc_2": S_sub * sq(wv - x - RECURSION),
    "Rs_2": S_sub * sq(wv - x),
    "Hz_2": S_sub * sq(Hz),
    "Hz_x": S_sub * ip(Hz, ws - x),
    "Un_2": sq(UNROLLED),
    "Us_2": sq(wS - x),
}
# numbers of every start and order


def _norm(vector: sp.Expr) -> sp.Expr:
    return given(sp.sqrt(dot(vector, vector)))


OUTCOMES = (past, perm)
OF_OUTCOMES = {
    "A_sum": S_sub * _norm(given(Aa, *OUTCOMES)),
    "A_all": S_sub * _norm(GRADIENT),
    "A_part": S_sub / K * _norm(Qa),
    "A_diff": S_sub * _norm(given(Ad, *OUTCOMES)),
}
_VIRTUAL = ("Ev_2", "Sv_2", "Ea_2", "Sa_2")  # of a round, S of which make an epoch
QUANTITIES = {
    **{name: is_.xreplace(measured.VALUES) for name, is_ in OF_EPOCH.items()},
    **{name: S_sub * measured.SAME_RUNS[name] for name in _VIRTUAL},
    "L_Fp": measured.QUANTITIES["L_Fp"],
}
BESIDE_FULL = {name: measured.BESIDE_FULL[name] for name in ("L_hat", "Dl_w")}

# ---- constants

AT_OPTIMUM: dict[str, Definition] = {
    "a_bar2": sq(given(ho)),
    "nu_M2": sq(ao - given(ao)),
    "zeta_M2": sq(ho),
    "nu_own2": sq(ho - given(ho, i)) / n,
}
_OFF = hx - GRADIENT
CONSTANTS: dict[str, Definition] = {
    "S_sub": Largest(turn) + 1,
    **AT_OPTIMUM,
    "q_mean": ip(kept, one),
    "q_spread": given(sp.sqrt(dot(kept, one - kept))),
    # noise counts where a client trains
    "sigma^2": Largest(given(dot(nz, nz), past, perm, i, s, k)),
    "B_M2": Largest(given(dot(_OFF, _OFF), past)),
    **{name: measured.CONSTANTS[name] for name in ("Phi", "D_opt_0")},
}
# over many epochs: noise as it counts, and the squares of all sub-models as one
FOLLOWED: dict[str, Definition] = {
    **{name: is_ for name, is_ in CONSTANTS.items() if name != "q_spread"},
    "sigma^2": Largest(dot(loud, loud)),
    "B_M2": Largest(dot(apart, apart) / (n * S_sub)),
}
BOX: dict[str, Definition] = {
    "D_dom": above(sq(measured.high - measured.low)),
    "W_sup": above(sp.Max(sq(measured.low), sq(measured.high))),
    "G": above(Largest(dot(measured.gc, measured.gc))),
}
IN_BOX = measured.BOX[-2:]

# ---- what masks, orders and projections say of assumptions; a single client has either order

ORDERS = (Says((orders - 1) * (n - orders), "==", _NOTHING),)
OF_MASKS = {assumed.COVERAGE: (Says(Largest(dot(uneven, uneven)), "==", _NOTHING),)}
OF_ORDERS = {
    assumed.SHARED_ORDER: (Says((orders - 1) * (S_sub - 1), "==", _NOTHING),),
    assumed.OWN_ORDERS: (Says((n - orders) * (S_sub - 1), "==", _NOTHING),),
}
PROJECTED_ONCE = {assumed.EPOCH_PROJECTION: ()}
PROJECTED_EARLY = {assumed.EPOCH_PROJECTION: (Says(S_sub, "==", sp.Integer(1)),)}

# ---- clients drawn in proportion to their bounds, as under random masks: `keep` is q_i there

OF_CLIENTS: dict[str, Definition] = {
    "S_sub": CONSTANTS["S_sub"],
    "q_mean": measured.OF_CLIENTS["p_mean"],
    "q_spread": measured.OF_CLIENTS["p_spread"],
}
