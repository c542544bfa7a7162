"""Step sizes, widths and rates, as they are printed."""

import sympy as sp

from fedbounds.theory.language.claims import Condition
from fedbounds.theory.language.symbols import K, Min_to, Prod_to, eta, n, t

from .symbols import (
    C_B,
    R_0,
    X_F2,
    C_w,
    P_max,
    P_min,
    S_least,
    S_size,
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
# B = O(max{1, log(r/delta)/d_out, ||W*||^2}) ||X||_F^2, of Lemma A.1 and hypothesis C
START_LOSS = C_B * sp.Max(1, sp.log(rank / chance) / d_out, w_star2) * X_F2
LOSS_AT_START = Condition(R_0, "<=", 2 * START_LOSS)  # half of ||xi||^2 is the loss
AT_LEAST_ONE = Condition(C_w, ">=", sp.Integer(1))  # less would ask for hardly any width


def _wide(power: int, clients: sp.Expr) -> tuple[Condition, ...]:
    """L times the largest of three, with what Omega hides, of which two have powers of kappa."""
    many = C_w * depth * rank * KAPPA**power * clients
    return (
        AT_LEAST_ONE,
        Condition(width, ">=", many * d_out * (1 + w_star2)),
        Condition(width, ">=", many * sp.log(rank / chance)),
        Condition(width, ">=", C_w * depth * sp.log(depth)),
    )


WIDE = _wide(5, n**5)  # of Theorem IV.2
WIDE_LOCALLY = _wide(3, sp.Integer(1))  # of Lemma A.6
FIRST_RATE = eta * K * P_min / (2 * S_least)  # (a) of the four terms
# of outputs that are linear in the model, of clients drawn uniformly
LONGEST_LINEAR = 1 / (5 * K * P_max)
LINEAR_RATE = eta * K * P_min / n


def rate(size: sp.Expr, least: sp.Expr = P_min) -> sp.Expr:
    """eta K lambda |S|/(2 N^2) of (19), and of (29) with lambda of H^infinity."""
    return eta * K * least * size / (2 * n**2)


# of the loss after round t, as (19) and (29) have them: a product over rounds 0 to t, and a power
def of_rounds(least: sp.Expr = P_min) -> sp.Expr:
    """The factors of all rounds so far, multiplied."""
    return Prod_to(1 - rate(S_size(t), least))


def of_fewest(least: sp.Expr = P_min) -> sp.Expr:
    """A power of the factor of the round with the fewest clients so far."""
    return (1 - rate(Min_to(S_size(t)), least)) ** (t + 1)


def of_fewest_later(least: sp.Expr = P_min) -> sp.Expr:
    """Of the loss before round t, the round itself counted and the first one not."""
    return (1 - rate(Min_to(S_size(t), 1), least)) ** t
