"""What quantities of Scaffold-P are beside those of both algorithms: in proofs and on runs.

Those of one client, or of one of its local steps, are means over nothing but draws: there i, or i
and k, are fixed. `AFTER` are quantities of round t + 1 that look back at round t.
"""

from fedbounds.theory.language.setups import Remembered
from fedbounds.theory.language.symbols import K, gamma, gamma_u, m, n
from fedbounds.theory.proof.vectors import S, given, ip, past, present, sq, xi
from fedbounds.theory.proof.vectors import i as client

from . import measured
from .proofs.scopes import (
    Wh,
    Yu,
    al,
    al1,
    be,
    be1,
    c,
    ci,
    d,
    di,
    eu,
    fu,
    hu,
    last_u,
    u,
    u1,
    uh,
    v,
    v1,
    vh,
)

# ---- of all clients

_SPREAD = given(hu, past, xi, client) - di + d - given(hu, past, xi)
LAG = n * K * (sq(al - u) + sq(be - v))
# of the iterates of the last participation round their means over local steps: 0 at the start
SPREAD = Remembered(
    n * K * (sq(uh - given(uh, past, xi, client)) + sq(vh - given(vh, past, xi, client))), m / n
)
CONTROLS = {
    "S_3u": n * K**2 * sq(_SPREAD),
    "C": LAG,
    "cd_2": sq(c - d),
    "What_2": n * K * sq(Wh),
    "What_sum": n**2 * K**2 * sq(given(Wh, past)),
    "W_2": n * K * sq(present(Wh)),
    "W_own": n**2 * K**2 * sq(given(present(ci - di), past, S)),
    "W_mean": n**2 * K**2 * sq(given(present(c - d), past, S)),
}
MEAN_CONTROL = {
    "c_2": sq(c),
    "cbar_2": sq(given(ci, past)),
    "ccbar": ip(c, given(ci, past)),
}

# ---- of one client; the stochastic gradients of its last participation, met once more

_MET = given(eu + Wh, past, client)
OF_CLIENT = {
    "cd_i": sq(ci - di),
    "C_i": K * (sq(al - u) + sq(be - v)),
    "c_i2": sq(ci),
    "h_i2": sq(_MET),
    "ch_i": ip(ci, _MET),
}

# ---- of one client and local step, block by block

LAGS = {"A_ik": sq(al - u), "Bt_ik": sq(be - v)}
NEW_LAGS = {"A_new": sq(al1 - u), "Bt_new": sq(be1 - v)}
AFTER = {
    "A_ik": sq(al1 - u1),
    "Bt_ik": sq(be1 - v1),
    "A_old": sq(al - u1),
    "Bt_old": sq(be - v1),
    "U_ik": sq(uh - u1),
    "V_ik": sq(vh - v1),
}
LAG_AFTER = n * K * (sq(al1 - u1) + sq(be1 - v1))

# ---- increments: what participants follow is corrected

_FOLLOWED = hu + Yu - ci + c
STATED = measured.STATED | {
    fu: -gamma * K * n / m * given(present(_FOLLOWED), past, S, xi),
    last_u: u - gamma_u * K * given(_FOLLOWED, past, xi, client),
}

# ---- what a view measures

_LATER = {name: AFTER[name] for name in ("A_old", "Bt_old", "U_ik", "V_ik")}
LATER = tuple(_LATER)
_BY_STEP = {**LAGS, **NEW_LAGS, **_LATER}
QUANTITIES = {
    **measured.QUANTITIES,
    **{name: is_.xreplace(STATED) for name, is_ in measured.FOLLOWED.items()},
    **CONTROLS,
    **MEAN_CONTROL,
    **OF_CLIENT,
    **_BY_STEP,
}
_OF_STARTS = ("C", "cd_2", "What_2", "What_sum")
STATES = (*measured.STATES, *_OF_STARTS, *MEAN_CONTROL, *OF_CLIENT, *LAGS)
EACH = {
    **dict.fromkeys(QUANTITIES, ()),
    **{name: own for name, own in measured.EACH.items() if name in QUANTITIES},
    **dict.fromkeys(OF_CLIENT, ("i",)),
    **dict.fromkeys(_BY_STEP, ("i", "k")),
}
