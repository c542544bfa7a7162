"""Steps 4.3 to 4.5: the distance to W* after a step without noise.

gamma_k and beta of Step 4.4 are written out: sums of c_k gamma_k x_k are SLOPE times that of
c_k x_k less CURVE times that of c_k alpha_k^2 x_k.
"""

import sympy as sp

from fedbounds.facts import Fact
from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.language.claims import Claim, Condition, Part, Reading
from fedbounds.theory.language.symbols import D_W, L, eta, mu, t, tau
from fedbounds.theory.proof.vectors import given, ip, past, sq, xi
from fedbounds.vocabulary import Index, Relation

from . import assumed
from .masks import FEDPLT
from .one_step import ALIGNED, FREE_PSI, SLOPE_BOUND, SMOOTH, with_free_psi
from .scope_names import CLIENT, ROUND, STEP, VIRTUAL
from .symbols import (
    A_2,
    A_24,
    V_W,
    F_att,
    F_bar,
    F_gap,
    F_gatt,
    F_glob,
    F_loc,
    F_opt,
    F_own,
    F_star,
    Lam_att,
    Lambda,
    alpha_k,
    nu_max,
    psi_max,
    psi_min,
    rho_min,
    w_free,
)
from .vectors import W, Wk, Wstar, ax, g0

BOTH = (*SMOOTH, *ALIGNED)
# alpha_r = min(1, sqrt(d r)) is the same number for all clients that train a coordinate
EQUAL = (*BOTH, assumed.EQUAL_ATTENUATION)
CONVEX = (*SMOOTH, Fact.STRONGLY_CONVEX)
SLOPE, CURVE = SLOPE_BOUND, 4 * eta**2 * psi_max**2 * L
CONTRACTION = mu * psi_min * rho_min

A2_GROUPED = Claim(
    entry("fedplt/A2-grouped"),
    algorithms=FEDPLT,
    parts=(
        Part(
            left=A_2(t),
            right=D_W(t)
            + V_W(t)
            - eta * CONTRACTION * sq(Wk - Wstar)
            + CURVE * F_att(t)
            - SLOPE * F_opt(t),
            assumptions=BOTH,
            scopes=(STEP,),
        ),
    ),
)

_AVERAGE = given(Wk, past, xi)
_NOTHING = sp.Integer(0)
GLOBAL_IS_AVERAGE = Claim(
    entry("fedplt/global-is-average"),
    algorithms=FEDPLT,
    parts=(
        Part(
            name="W",
            left=sq(W - _AVERAGE),
            right=_NOTHING,
            relation=Relation.EQUAL,
            scopes=(VIRTUAL, ROUND),
        ),
        # the same, along the direction in which Step 4.3 uses it
        Part(
            name="direction",
            left=ip(W - _AVERAGE, W + _AVERAGE - 2 * Wstar),
            right=_NOTHING,
            relation=Relation.EQUAL,
            scopes=(VIRTUAL, ROUND),
        ),
        # a round has tau steps, which one virtual step does not know
        Part(
            name="round",
            left=sq(W - _AVERAGE),
            right=_NOTHING,
            relation=Relation.EQUAL,
            conditions=(Condition(tau, ">=", sp.Integer(1)),),
            scopes=(ROUND,),
        ),
    ),
    readings=(
        Reading("one virtual step", parts=("W", "direction")),
        Reading("a round of tau local steps, W_k^t after them", parts=("round",)),
    ),
)

JENSEN = Claim(
    entry("fedplt/jensen-distance"),
    algorithms=FEDPLT,
    parts=(Part(left=D_W(t), right=sq(Wk - Wstar), scopes=(STEP,)),),
)

A2_BOUND = Claim(
    entry("fedplt/A2-bound"),
    algorithms=FEDPLT,
    parts=(
        Part(
            left=A_2(t),
            right=(1 - eta * CONTRACTION) * D_W(t) + V_W(t) + A_24(t),
            assumptions=BOTH,
        ),
    ),
)

REGROUP = Claim(
    entry("fedplt/A2.4-regroup"),
    algorithms=FEDPLT,
    parts=(
        Part(
            name="F_k*",
            left=A_24(t),
            right=-(SLOPE * F_loc(t) - CURVE * F_att(t)) + SLOPE * F_star(t),
            relation=Relation.EQUAL,
            assumptions=SMOOTH,
        ),
        Part(
            name="F*",
            left=A_24(t),
            right=-(SLOPE * (F_loc(t) - Lambda) - CURVE * (F_att(t) - Lam_att(t)))
            + CURVE * Lam_att(t),
            relation=Relation.EQUAL,
            assumptions=SMOOTH,
        ),
    ),
)

# ---- of one client: F_k(W_k) - F* is F_own - F_gap, F_k(W) - F* is F_bar - F_gap

_MOVED = sq(Wk - W) / (2 * eta)
_LOWER = (1 - eta * L) * (F_bar(t) - F_gap(t)) - eta * L * F_gap(t) - _MOVED


def _of_client(name: str, left: sp.Expr, right: sp.Expr) -> Part:
    return Part(
        name=name,
        left=left,
        right=right,
        index=Index.CLIENT,
        assumptions=CONVEX,
        scopes=(CLIENT,),
    )


GAP = Claim(
    entry("fedplt/A2.4-gap"),
    algorithms=FEDPLT,
    parts=(
        _of_client("convexity", ip(g0, Wk - W), F_own(t) - F_bar(t)),
        _of_client("means", -eta / 2 * sq(g0) - _MOVED, ip(g0, Wk - W)),
        _of_client("smoothness", sq(g0), 2 * L * F_bar(t)),
        _of_client("bound", F_bar(t) - F_gap(t) - eta * L * F_bar(t) - _MOVED, F_own(t) - F_gap(t)),
        _of_client("regrouped", _LOWER, F_own(t) - F_gap(t)),
        _of_client("F_k^* on the left", _LOWER, F_own(t)),
    ),
    readings=(
        Reading(
            "F^* on the left",
            parts=("convexity", "means", "smoothness", "bound", "regrouped"),
        ),
        Reading("F_k^* on the left, as two displays print", parts=("F_k^* on the left",)),
    ),
)

# ---- Step 4.4, for every client k: the conditions on eta, and nu

SHORT = Condition(eta, "<=", 1 / L)
POSITIVE = Condition(2 * eta * psi_max**2 * alpha_k**2 * L, "<=", psi_min * rho_min)
BELOW_ONE = Condition(psi_min * rho_min, "<=", 1 + 2 * eta * psi_max**2 * alpha_k**2 * L)
BRACKET = 2 * psi_max**2 * alpha_k**2 * (1 - eta * L) + psi_min * rho_min
LARGEST = Condition(nu_max, ">=", BRACKET)
CONDITIONS = (SHORT, POSITIVE, BELOW_ONE, LARGEST)

SUBSTITUTED = Claim(
    entry("fedplt/A2.4-substituted"),
    algorithms=FEDPLT,
    parts=(
        Part(
            left=A_24(t),
            right=(eta * L - 1) * (SLOPE * F_glob(t) - CURVE * F_gatt(t))
            + (eta * L - 1) * (SLOPE * Lambda - CURVE * Lam_att(t))
            + SLOPE * Lambda
            + (SLOPE * sq(Wk - W) - CURVE * sq(ax)) / (2 * eta),
            conditions=(POSITIVE,),
            assumptions=CONVEX,
            scopes=(STEP,),
        ),
    ),
)

_GAMMA = SLOPE - CURVE * alpha_k**2
_POSITIVE_NU = Part(
    name="sign",
    left=sp.Integer(0),
    right=BRACKET,
    index=Index.RUN,
    conditions=(SHORT,),
    assumptions=SMOOTH,
)
NU = Claim(
    entry("fedplt/nu"),
    algorithms=FEDPLT,
    parts=(
        Part(
            name="identity",
            left=_GAMMA * (eta * L - 1) + SLOPE,
            right=2 * eta**2 * L * BRACKET,
            relation=Relation.EQUAL,
            index=Index.RUN,
            assumptions=SMOOTH,
        ),
        Part(
            name="bound",
            left=2 * eta**2 * L * BRACKET,
            right=2 * eta**2 * L * nu_max,
            index=Index.RUN,
            conditions=(LARGEST,),
            assumptions=SMOOTH,
        ),
        _POSITIVE_NU,
        with_free_psi(_POSITIVE_NU, -w_free),
    ),
    readings=(
        Reading(
            "psi over the coordinates that somebody trains", parts=("identity", "bound", "sign")
        ),
        Reading(FREE_PSI, parts=("sign, free psi",)),
    ),
)

HETEROGENEITY = 2 * eta**2 * L * nu_max * Lambda


def _values(name: str, assumptions: tuple[str, ...]) -> Part:
    return Part(
        name=name,
        left=A_24(t),
        right=HETEROGENEITY + V_W(t),
        conditions=CONDITIONS,
        assumptions=assumptions,
    )


A24 = Claim(
    entry("fedplt/A2.4"),
    algorithms=FEDPLT,
    parts=(
        _values("equal", (*CONVEX, assumed.EQUAL_ATTENUATION)),
        _values("free", CONVEX),
    ),
    readings=(
        Reading("alpha_r as printed: equal for all clients", parts=("equal",)),
        Reading("alpha_r any attenuation in [0, 1]", parts=("free",)),
    ),
)

A2_FINAL = Claim(
    entry("fedplt/A2-final"),
    algorithms=FEDPLT,
    parts=(
        Part(
            left=A_2(t),
            right=(1 - eta * CONTRACTION) * D_W(t) + 2 * V_W(t) + HETEROGENEITY,
            conditions=CONDITIONS,
            assumptions=EQUAL,
        ),
    ),
)

CLAIMS = (
    A2_GROUPED,
    GLOBAL_IS_AVERAGE,
    JENSEN,
    A2_BOUND,
    REGROUP,
    GAP,
    SUBSTITUTED,
    NU,
    A24,
    A2_FINAL,
)
