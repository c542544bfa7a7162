"""What quantities, constants and assumptions are on runs of ReLU networks.

Residuals are y(t) - y, the negative of the paper's e.
"""

import sympy as sp

from fedbounds.theory.language.setups import Largest, Says
from fedbounds.theory.language.symbols import K, eta, n
from fedbounds.theory.proof.vectors import ip, sq

from . import measured
from .symbols import H_min, S_least, cos_max2, lam, radius, x_max2, x_min2
from .vectors import (
    after,
    by_gram,
    by_local,
    by_still,
    changed,
    far,
    far_next,
    farthest,
    flips,
    mean_g,
    one,
    perp,
    res,
    res_next,
    size,
    x,
    xis_to,
)

DERIVED = measured.PRESENT
_MOVED = res_next - res
QUANTITIES: dict[str, sp.Expr] = {
    "R_2": n * sq(res),
    "S_size": ip(size, one),
    "A_1": -2 * n * ip(res, by_gram),
    "A_2": 2 * n * ip(res, perp),
    "A_3": 2 * n * ip(res, flips),
    "A_3p": -2 * n * ip(res, perp),
    "A_4": n * sq(_MOVED),
    "v_2": n * sq(flips),
    "v_p2": n * sq(perp),
    "D_1": n * ip(res, by_gram - by_local),
    "D_2": n * ip(res, by_local - by_still),
    "D_3": n * ip(res, by_still),
    "miss_49": n * (sq(res_next) - sq(res) - 2 * ip(res, _MOVED) - sq(_MOVED)),
    "miss_50": n * sq(res_next - res - changed),
    "miss_51": sq(after - x + eta * mean_g),
    "xi_k2": sq(xis_to),
    "move_k2": sq(xis_to - res),
    "near_w2": ip(farthest, one),
}
EACH = dict.fromkeys(("xi_k2", "move_k2", "near_w2"), ("i", "j"))
GRAM = (Says(lam, ">", sp.Integer(0)), Says(H_min, ">=", sp.Rational(3, 4) * lam))
STAYS = (Says(Largest(far), "<=", radius**2), Says(Largest(far_next), "<=", radius**2))
CONSTANTS = {**measured.CONSTANTS, "far_most": Largest(far_next)}
_SHRUNK = 1 - eta * K * lam * S_least / (2 * n**2)
SHRINKS = (Says(n * sq(res_next), "<=", _SHRUNK * n * sq(res)),)

APART = (Says(cos_max2, "<", sp.Integer(1)),)
UNIT = (Says(x_min2, "==", sp.Integer(1)), Says(x_max2, "==", sp.Integer(1)))
