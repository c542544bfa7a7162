"""Step 4.4: the terms of A_2 in values of F_k, and the conditions on the step size."""

import sympy as sp

from fedbounds.facts import Fact
from fedbounds.theory.fedplt.distance import (
    BELOW_ONE,
    BRACKET,
    CONVEX,
    CURVE,
    LARGEST,
    POSITIVE,
    SHORT,
    SLOPE,
)
from fedbounds.theory.fedplt.measured import CURVED
from fedbounds.theory.fedplt.one_step import SMOOTH
from fedbounds.theory.fedplt.scope_names import CLIENT, STEP
from fedbounds.theory.fedplt.vectors import W, Wk, ax, g0, wg0, wx
from fedbounds.theory.language.claims import Condition
from fedbounds.theory.language.symbols import L, eta, mu, t
from fedbounds.theory.proof.language import (
    Book,
    above,
    below,
    condition,
    equal,
    given_times,
    square,
)
from fedbounds.theory.proof.vectors import ip, sq

from .. import assumed
from ..symbols import (
    A_24,
    V_W,
    F_att,
    F_gatt,
    F_glob,
    F_loc,
    F_star,
    Lam_att,
    Lambda,
    alpha_k,
    nu_max,
    psi_max,
    psi_min,
    rho_min,
    z,
)
from .one_step import of_client, of_step
from .writing import Use, prove

_OWN = SLOPE * (F_loc(t) - Lambda) - CURVE * (F_att(t) - Lam_att(t))
_AT_W = SLOPE * F_glob(t) - CURVE * F_gatt(t)
_HETEROGENEITY = SLOPE * Lambda - CURVE * Lam_att(t)
_MOVED = SLOPE * sq(Wk - W) - CURVE * sq(ax)
_NU = (above(nu_max, BRACKET),)
_LOWEST = 2 * eta * psi_max**2 * alpha_k**2 * L / rho_min
GAMMA_POSITIVE = (below(eta, 1 / L), above(psi_min, _LOWEST))


def _definitions(book: Book) -> None:
    book.define("A_24", A_24(t), CURVED["A_24"], "Step 4.4")
    smooth, convex = (Fact.SMOOTH,), (Fact.STRONGLY_CONVEX,)
    # of every client, times c_k gamma_k, and summed
    for name, left, relation, right, origin, assumptions in (
        ("weighted distance", sq(wx), "==", _MOVED, "gamma_k >= 0", ()),
        (
            "weighted convexity", ip(wg0, wx), "<=", _OWN - _AT_W,
            "Assumption 2, times c_k gamma_k", convex,
        ),
        (
            "weighted smoothness", sq(wg0), "<=", 2 * L * (_AT_W + _HETEROGENEITY),
            "Assumption 1, times c_k gamma_k", smooth,
        ),
    ):  # fmt: skip
        told = origin, assumptions, relation, STEP, [POSITIVE]
        book.suppose(f"{name} ({STEP})", left, right, *told)
    equal_masks = (assumed.EQUAL_ATTENUATION,)
    for name, left, right in (
        ("F_gatt", F_gatt(t), alpha_k**2 * F_glob(t)),
        ("Lam_att", Lam_att(t), alpha_k**2 * Lambda),
        ("ax", sq(ax), alpha_k**2 * sq(Wk - W)),
    ):
        origin = "alpha of every client is alpha_k"
        book.suppose(f"equal {name} ({STEP})", left, right, origin, equal_masks, "==", STEP)


def _gap(book: Book) -> None:
    claim = "A2.4-gap"
    prove(book, claim, "convexity", of_client("convex"), scope=CLIENT)
    prove(book, claim, "means", [square(eta * g0 + Wk - W)], scope=CLIENT)
    prove(book, claim, "smoothness", of_client("smooth at W"), scope=CLIENT)
    uses = [f"{claim}:{part}" for part in ("convexity", "means", "smoothness")]
    prove(book, claim, "bound", uses, scope=CLIENT)
    prove(book, claim, "regrouped", [f"{claim}:bound"], scope=CLIENT)
    # F* - F_k* of one client may be negative
    prove(book, claim, "F_k^* on the left", [f"{claim}:regrouped"], scope=CLIENT)
    weighted = of_step(*(f"asm weighted {x}" for x in ("distance", "convexity", "smoothness")))
    book.line(
        f"{claim}: summed", _OWN, ">=",
        (1 - eta * L) * _AT_W - eta * L * _HETEROGENEITY - _MOVED / (2 * eta),
        [*weighted, square(eta * wg0 + wx)],
        scope=STEP, claim=claim, conditions=[POSITIVE], assumptions=CONVEX,
    )  # fmt: skip


def _regroup(book: Book) -> None:
    claim = "A2.4-regroup"
    prove(book, claim, "F_k*", ["def A_24", "def F_opt"])
    book.line(
        f"{claim}: F*", A_24(t), "==",
        -_OWN + CURVE * Lam_att(t) + SLOPE * (F_star(t) - Lambda),
        [f"{claim}:F_k*"], claim=claim, assumptions=SMOOTH,
    )  # fmt: skip
    prove(book, claim, "F*", [f"{claim}: F*", "def F_star"])
    uses = [f"{claim}:F*", "A2.4-gap: summed"]
    prove(book, "A2.4-substituted", "", uses, scope=STEP)


def _conditions(book: Book) -> None:
    """For which step sizes the three conditions meet."""
    claim = "conditions"
    ceiling = psi_min * rho_min / (2 * psi_max**2 * alpha_k**2 * L)
    book.line(
        f"{claim}: (ii) is a ceiling", eta, "<=", ceiling,
        chart=[above(psi_min, _LOWEST)], conditions=[POSITIVE], claim=claim, source="ours",
    )  # fmt: skip
    floor = (psi_min * rho_min - 1) / (2 * psi_max**2 * alpha_k**2 * L)
    book.line(
        f"{claim}: (iii) is a floor", floor, "<=", eta,
        [condition(BELOW_ONE, times=1 / (2 * psi_max**2 * alpha_k**2 * L))],
        conditions=[BELOW_ONE], claim=claim, source="ours",
    )  # fmt: skip
    small = Condition(psi_min * rho_min, "<=", sp.Integer(1))
    book.line(
        f"{claim}: no floor for psi rho <= 1", BELOW_ONE.left, "<=", BELOW_ONE.right,
        [condition(small, times=1)], conditions=[small], claim=claim, source="ours",
    )  # fmt: skip
    book.line(
        f"{claim}: (i) and (iii)", psi_min * rho_min, "<=", 1 + 2 * psi_max**2 * alpha_k**2,
        [condition(BELOW_ONE, times=1)], chart=[below(eta, 1 / L)], conditions=[SHORT, BELOW_ONE],
        claim=claim, source="ours",
    )  # fmt: skip
    first = Condition(eta, "==", 1 / z)
    contraction = Condition(z, "==", mu * psi_min * rho_min)
    book.line(
        f"{claim}: the first decaying step is too long for (i)", 1 / L, "<=", eta,
        chart=[
            below(mu, L), below(psi_min, 1 / rho_min),
            equal(z, mu * psi_min * rho_min), equal(eta, 1 / z),
        ],
        conditions=[first, contraction, small, Condition(mu, "<=", L)],
        claim=claim, source="ours",
    )  # fmt: skip


def _sum(book: Book) -> None:
    claim = "A2.4"
    prove(book, "nu", "identity")
    prove(book, "nu", "bound", [condition(LARGEST, times=2 * eta**2 * L)])
    prove(book, "nu", "sign", chart=[below(eta, 1 / L)])
    prove(book, "nu", "sign, free psi", chart=[below(eta, 1 / L)])
    chart = [*GAMMA_POSITIVE, *_NU]
    uses: list[Use] = ["A2.4-substituted", condition(BELOW_ONE, times=given_times(V_W(t)))]
    own = of_step("def V_W")
    attenuation = of_step("asm equal F_gatt", "asm equal Lam_att", "asm equal ax")
    prove(book, claim, "equal", [*uses, *own, *attenuation], scope=STEP, chart=chart)
    # unequal weights: sums of c_k alpha_k^2 (F_k(W) - F*) and of c_k alpha_k^2 (F* - F_k*) have
    # no sign, although those of c_k do
    prove(book, claim, "free", [*uses, *own], scope=STEP, chart=chart)


def write(book: Book) -> None:
    """Step 4.4."""
    _definitions(book)
    _gap(book)
    _regroup(book)
    _conditions(book)
    _sum(book)
