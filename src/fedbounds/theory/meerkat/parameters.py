"""What the text says of its bounds and of bytes sent, for every choice of parameters.

n is the paper's K, K its T and T its R; F_0 is E f(w^0) - f*.
"""

import sympy as sp

from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.language.claims import Claim, Condition, Reading
from fedbounds.theory.language.symbols import F_0, K, L, eta, f, n

from . import rounds, selection
from .points import NOTHING_RUN, at_most, equal
from .sizes import ALL_STEPS, ROOT_C, ROOT_H, STOPPED, OF_D_delta
from .symbols import (
    K_b,
    bytes_seed,
    bytes_value,
    c,
    c_2,
    c_h,
    c_h2,
    coordinates,
    gamma_g,
    mu_PL,
    sigma_h,
    u,
    u_2,
    u_ratio,
    u_ratio2,
)

_ONE, _TWO = sp.Integer(1), sp.Integer(2)


# ---- step sizes of the proof of Theorem 2.2

_OF_D = STOPPED / eta**2 * 2  # what eta^2 has in D_delta
_FOR_D = ROOT_C * ALL_STEPS / _OF_D  # below it D_delta > 0
_FOR_C = mu_PL * ROOT_C * ALL_STEPS / (n * (2 + u) ** 2 * L**2 * K * gamma_g)
_SOME_STOPPED = Condition(K_b, ">=", _ONE)
_AT_MOST_ONE = Condition(gamma_g, "<=", _ONE)

DELTA = Claim(
    entry("meerkat/vp-delta"),
    algorithms=NOTHING_RUN,
    parts=(
        equal(
            "coefficient",
            (STOPPED - eta * ROOT_C * ALL_STEPS) / n + OF_D_delta / (2 * n),
            -eta * ROOT_C * ALL_STEPS / (2 * n),
        ),
        # D_delta > 0 below that step size alone
        equal(
            "sign",
            OF_D_delta,
            eta * _OF_D * (_FOR_D - eta),
            _SOME_STOPPED,
        ),
    ),
)
ETA = Claim(
    entry("meerkat/vp-eta"),
    algorithms=NOTHING_RUN,
    parts=(
        equal(
            "half of the smaller one",
            sp.Min(_FOR_D, _FOR_C) / 2,
            _FOR_C / 2,
            _SOME_STOPPED,
            _AT_MOST_ONE,
        ),
    ),
)

# ---- E_vp against E, at equal T and R

_E, _E_VP = (
    claim.parts[0].right.subs(f(0), F_0) for claim in (rounds.EXPLICIT, selection.EXPLICIT)
)
_TRANSIENT, _TRANSIENT_VP = (whole.coeff(F_0) for whole in (_E, _E_VP))
_NOISE, _NOISE_VP = sigma_h**2 / (mu_PL * ROOT_H**2), sigma_h**2 / 2
_APART, _APART_VP = _ONE, (2 + u) / 4  # over L/K sum_k Delta_k
_SMALL_GAMMA = Condition(gamma_g * ROOT_H**2, "<=", _ONE)
_SMALL_MU = Condition(mu_PL * ROOT_H**2, "<=", _TWO)
_MU_BELOW_ONE = Condition(mu_PL, "<=", _ONE)
_NAMED = (_AT_MOST_ONE, _SMALL_GAMMA, _SMALL_MU)
_DENSITY, _OF_DENSITY = {u: u_ratio}, Condition(u_ratio, "<=", _ONE)

AGAINST = Claim(
    entry("meerkat/vp-vs-meerkat"),
    algorithms=NOTHING_RUN,
    parts=(
        at_most("density", _E_VP.subs(_DENSITY), _E.subs(_DENSITY), *_NAMED),
        at_most("count", _E_VP, _E, *_NAMED),
        at_most("whatever gamma and mu", _E_VP.subs(_DENSITY), _E.subs(_DENSITY), _AT_MOST_ONE),
        at_most("transient", _TRANSIENT_VP, _TRANSIENT, _AT_MOST_ONE, _SMALL_GAMMA),
        at_most("noise", _NOISE_VP, _NOISE, _MU_BELOW_ONE),
        at_most("minimisers, density", _APART_VP.subs(_DENSITY), _APART, _OF_DENSITY),
        at_most("minimisers, count", _APART_VP, _APART),
        at_most("gap in c_h", _E, _E.subs(c_h, c_h2), Condition(c_h, "<=", c_h2)),
    ),
    readings=(
        Reading(
            "where gamma (1 + sqrt(c_h))^2 and mu (1 + sqrt(c_h))^2 / 2 are at most 1, as the text "
            "supposes; u is the density", parts=("density",)
        ),
        Reading("the same; u counts coordinates", parts=("count",)),
        Reading("for every mu and gamma <= 1, as concluded", parts=("whatever gamma and mu",)),
        Reading("the transient terms alone", parts=("transient",)),
        Reading("the terms of sigma_h alone, for mu < 1", parts=("noise",)),
        Reading("the terms of Delta_k alone, u is the density", parts=("minimisers, density",)),
        Reading("the terms of Delta_k alone, u counts coordinates", parts=("minimisers, count",)),
        Reading("the gap widens as c_h grows at a fixed gamma, harsh", parts=("gap in c_h",)),
    ),
)  # fmt: skip

# ---- what the bound of Theorem 2.1 says of u and T

_LOWER, _LOWER_DENSITY = Condition(u, "<=", u_2), Condition(u_ratio, "<=", u_ratio2)
_FLOOR = _E.subs(F_0, 0)
# what a mask of the largest coordinates keeps: more of them keep more, each the less
_KEPT = (Condition(c, "<=", c_2), Condition(c_2 * u, "<=", c * u_2))


def _of_density(expression: sp.Expr) -> sp.Expr:
    return expression.subs(u, u_ratio)


INSIGHTS = Claim(
    entry("meerkat/insights-2.1"),
    algorithms=NOTHING_RUN,
    parts=(
        at_most("transient in u", _of_density(_TRANSIENT),
              _of_density(_TRANSIENT).subs(u_ratio, u_ratio2), _LOWER_DENSITY),
        at_most("floor in u", _of_density(_FLOOR).subs(u_ratio, u_ratio2), _of_density(_FLOOR),
              _LOWER_DENSITY),
        at_most("transient in T", _TRANSIENT.subs(K, K + 1), _TRANSIENT),
        at_most("floor in T", _FLOOR, _FLOOR.subs(K, K + 1)),
        at_most("transient in u and c", _TRANSIENT, _TRANSIENT.subs({u: u_2, c: c_2}), _LOWER,
              *_KEPT),
        at_most("whole in u", _of_density(_E), _of_density(_E).subs(u_ratio, 1),
              _OF_DENSITY),
    ),
    readings=(
        Reading(
            "c stays when u moves",
            parts=("transient in u", "floor in u", "transient in T", "floor in T"),
        ),
        Reading("c is what the mask keeps, and moves with u", parts=("transient in u and c",)),
        Reading("less density always lowers the whole bound, harsh", parts=("whole in u",)),
    ),
)  # fmt: skip

# ---- bytes of one client and round

_SPARSE, _ALL = u_ratio * coordinates * bytes_value, coordinates * bytes_value
_SEEDS, _SCALARS = K * bytes_seed, K * bytes_value
_THOUSANDTH = Condition(u_ratio, "==", sp.Rational(1, 1000))
_ONE_KEPT = Condition(u_ratio * coordinates, ">=", _ONE)
_MORE_STEPS, _ONE_STEP = Condition(K, ">=", _TWO), Condition(K, "==", _ONE)
_SENT_AT_ONCE = 2 * bytes_value + bytes_seed  # a scalar up, a scalar and a seed down
BYTES = Claim(
    entry("meerkat/communication"),
    algorithms=NOTHING_RUN,
    parts=(
        at_most("parameters", 1000 * _SPARSE, _ALL, _THOUSANDTH),
        at_most("download", 1000 * (_SPARSE + _SEEDS), _ALL + _SEEDS, _THOUSANDTH, _MORE_STEPS),
        at_most("both ways", 1000 * (_SPARSE + _SEEDS + _SCALARS), _ALL + _SEEDS + _SCALARS,
              _THOUSANDTH, _MORE_STEPS),
        at_most("high frequency", _SENT_AT_ONCE, _SPARSE + bytes_seed + bytes_value, _ONE_STEP,
              _ONE_KEPT),
    ),
    readings=(
        Reading("at least 1000 times less, of the parameters sent down", parts=("parameters",)),
        Reading("at least 1000 times less, of all that is sent down", parts=("download",)),
        Reading("at least 1000 times less, of all that is sent", parts=("both ways",)),
        Reading("at T = 1 scalars in place of masked parameters are less",
                parts=("high frequency",)),
    ),
)  # fmt: skip

CLAIMS = (DELTA, ETA, AGAINST, INSIGHTS, BYTES)
