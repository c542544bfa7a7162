"""Step sizes, widths and rates, as they are printed."""

import sympy as sp

from fedbounds.theory.language.claims import Condition
from fedbounds.theory.language.symbols import K, eta, n

from .symbols import (
    C_w,
    P_min,
    S_least,
    chance,
    d_out,
    depth,
    rank,
    s_max2,
    s_min2,
    w_star2,
    width,
)

KAPPA = s_max2 / s_min2
STEP = d_out / (50 * depth * KAPPA * K * s_max2)  # in (20) (d) and (25) (a); O(.) in the theorem
LOCAL_STEP = d_out / (3 * depth * s_max2)  # of Lemma A.4
CONTRACTION = eta * depth * s_min2 / (4 * d_out)  # of a local step, squared norms
MOVED = sp.Rational(57, 10) * eta * s_max2 / d_out  # of Lemma A.7, by a local step

SHORT, SHORT_LOCAL = Condition(eta, "<=", STEP), Condition(eta, "<=", LOCAL_STEP)
_MANY = C_w * depth * rank * KAPPA**5 * n**5
WIDE = (
    Condition(width, ">=", _MANY * d_out * (1 + w_star2)),
    Condition(width, ">=", _MANY * sp.log(rank / chance)),
    Condition(width, ">=", C_w * depth * sp.log(depth)),
)


FIRST_RATE = eta * K * P_min / (2 * S_least)  # (a) of the four terms


def rate(size: sp.Expr) -> sp.Expr:
    """eta K lambda |S|/(2 N^2) of (19)."""
    return eta * K * P_min * size / (2 * n**2)
