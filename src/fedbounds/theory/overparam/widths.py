"""Widths: whether that of a theorem is enough for what the displays of its proof ask for.

As orders of magnitude, with one constant for all parameters: logarithms are variables of their own.
"""

import sympy as sp

from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.language.orders import ComparisonClaim, Pair
from fedbounds.theory.language.regions import Sense
from fedbounds.theory.language.symbols import n

from .sizes import KAPPA
from .symbols import (
    all_X2,
    d_out,
    depth,
    lam,
    log_depth,
    log_rank,
    log_samples,
    log_width,
    rank,
    s_max2,
    s_min2,
    samples,
    w_star2,
)

_SAID = "is at most of the order of"
_SENSES = (Sense.UNIFORM,)

# ---- Theorem IV.2

_LARGEST = sp.Max(1, log_rank / d_out, w_star2)
_B = _LARGEST * all_X2  # of hypothesis C
_R_2 = 625 * _B * d_out * n**4 * s_max2 / (depth**2 * s_min2**2)
_R_2_OWN = 576 * d_out * s_max2 * 2 * _B / (depth**2 * s_min2**2)  # of (39), at most


def _width(power: int, clients: sp.Expr) -> sp.Expr:
    """As the theorem has it, and Lemma A.6 with another power of kappa and none of N."""
    many = rank * KAPPA**power * clients
    return depth * sp.Max(many * d_out * (1 + w_star2), many * log_rank, log_depth)


def _near(power: int, R_2: sp.Expr = _R_2) -> sp.Expr:
    """L^3 R^2 kappa^p N."""
    return depth**3 * R_2 * KAPPA**power * n


_OF_LOSS = depth * d_out * 2 * _B / s_max2  # 2 B for ||xi(0)||^2
_FIRST = "with R and B inserted, B as in hypothesis C"
_ROOT = "B as in Lemma A.1, where B^2 is what C has for B: of its own width, harsh"
_ASKED = (
    ("(22)", _near(2)),
    ("(23)", _near(3)),
    ("(24)", _near(2)),
    ("Lemma A.5", _near(3)),
    ("(41) and (42), R of hypothesis C", _near(2)),
    ("(41) and (42), R of (39)", _near(2, _R_2_OWN)),
    ("fourth term, (b)", _OF_LOSS / KAPPA**2),
    ("fourth term, (c)", _OF_LOSS),
    ("Lemma A.1, first", depth * s_max2**2 * d_out * _B / s_min2**3),
    ("Lemma A.1, second", depth * KAPPA**2 * d_out * _B / s_min2),
    ("Lemma A.6", _width(3, sp.Integer(1))),
)
_ENOUGH = _width(5, n**5)
LINEAR = ComparisonClaim(
    entry("overparam/width-iv.2"),
    pairs=(
        *(Pair(name, asked, _ENOUGH, _FIRST) for name, asked in _ASKED),
        Pair("Lemma A.1, with its own B",
             depth * KAPPA**2 * d_out * sp.sqrt(_LARGEST) * sp.sqrt(all_X2) / s_min2, _ENOUGH,
             _ROOT),
    ),
    vanishing=(w_star2, log_depth),
    senses=_SENSES,
    at_least_one=(
        KAPPA, rank, d_out, depth, all_X2 / s_max2, rank * s_max2 / all_X2, depth / log_depth,
    ),
    said=_SAID,
)  # fmt: skip

# ---- Theorem IV.3: (76) in (77), and that in R <= lambda/(1000 n)

_PRINTED = n**4 * samples**4 * log_samples**2 / lam**4


def _asked(log: sp.Expr, least: sp.Expr) -> sp.Expr:
    """81 N^4 n ||y - y(0)||^2 over powers of lambda, times (1000 n)^2; log is log(m/delta)."""
    return 81 * n**4 * samples * samples * log * log_samples**2 * 1000**2 * samples**2 / least


# m is no less than n: where log(n/delta) in place of log(m/delta) is too much, so is that; and of
# two neurons or more log(m/delta) is no less than log 2
_LESS = log_samples
RELU = ComparisonClaim(
    entry("overparam/width-iv.3"),
    pairs=(
        Pair("asked for, log(m/delta) no less than log(n/delta)", _asked(_LESS, lam**4), _PRINTED,
             "the printed width is enough, as Theorem IV.3 needs it"),
        Pair("printed", _PRINTED, _asked(log_width, lam**4),
             "a smaller width is not enough: what \"it has\" says to the letter"),
        Pair("asked for, R as printed", _asked(_LESS, lam**3), _PRINTED,
             "the root of m lambda in R, as (77) prints it: the printed width is enough"),
    ),
    vanishing=(),
    senses=_SENSES,
    at_least_one=(samples, 1 / lam, log_width),
    said=_SAID,
)  # fmt: skip

CLAIMS = (LINEAR, RELU)
