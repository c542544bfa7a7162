"""What the quantities of an epoch with rolling masks are, and what is assumed of its vectors."""

import sympy as sp

from fedbounds.facts import Fact
from fedbounds.theory.language.claims import Condition
from fedbounds.theory.language.symbols import K, L, eta, mu, n, sigma2, t
from fedbounds.theory.proof.language import Book, above
from fedbounds.theory.proof.vectors import given, ip, past, sq, xi
from fedbounds.theory.submodel.draws import NU_V2, QUANTITIES
from fedbounds.theory.submodel.measured import NEXT
from fedbounds.theory.submodel.rolling_measured import (
    AT_OPTIMUM,
    GRADIENT,
    OF_EPOCH,
    UNPROJECTED,
)
from fedbounds.theory.submodel.symbols import (
    B_M2,
    D_br,
    D_opt,
    L_Fp,
    S_sub,
    V_bar,
    a_bar2,
    g_Fp,
    nu_M2,
    q_mean,
    zeta_M2,
)
from fedbounds.theory.submodel.symbols_rounds import (
    A_all,
    A_diff,
    A_part,
    A_sum,
    B_M2_x,
    Dr_2,
    Hz_2,
    Hz_x,
    Rc_2,
    Un_2,
    nu_own2,
    nu_v2,
)

from .. import assumed
from .definitions_rounds import (
    DRAWN,
    EPOCH,
    FREE_EPOCH,
    GAP_ROLLING,
    UNROLLED,
    WITHIN,
    Fn,
    Fx,
    Pa,
    Pd,
    Pk,
    Pn,
    Pt,
    Qa,
    Qk,
    Um,
    ho,
    hw,
    hx,
    hy,
    nz,
    perm,
    s,
    wf,
    ws,
    x,
    xn,
    xo,
    y,
)
from .random_definitions import analysis, gaps
from .writing import prove

_SMOOTH, _NOISE = (Fact.SMOOTH,), (Fact.NOISE,)
_CONVEX = (*_SMOOTH, Fact.CONVEX)
_SHARED, _OWN = (assumed.SHARED_ORDER,), (assumed.OWN_ORDERS,)
_CAUCHY = "Cauchy-Schwarz over the steps before (s, k), and the sum over (s, k)"
_FRESH = "Algorithm 2: samples are drawn anew for every client and step"
_WITHOUT = "lem-wor, and its mean over s = 0, ..., S - 1"
_SQUARES = (S_sub - 1) * (2 * S_sub - 1) / 6  # the mean of s^2
_DRAWS = (S_sub + 1) / 6  # the mean of s (S - s)/(S - 1)
STEPS = S_sub * K
_WOR = ("lem-wor:second moment",)
_RESTATED = {
    "sum over rounds": _WOR,
    "sum over rounds, own permutations": _WOR,
    "descent of F_M": ("prop-2:smoothness",),
}


def _epochs(book: Book) -> None:
    """What convex and nonconvex epochs share."""
    for scope in (EPOCH, FREE_EPOCH):
        book.define(f"V_bar ({scope})", V_bar(t), UNPROJECTED["V_bar"], "Lemma 11", scope)
        mean = sq(given(nz, past, perm, xi))
        for name, left, right, origin, assumptions in (
            ("sum of drifts", sq(Pd), STEPS * (STEPS - 1) / 2 * sq(hy - hx), _CAUCHY, ()),
            (
                "sum of noise", sq(Pn), (K * (S_sub - 1) / (2 * n) + (K - 1) / 2) * sigma2,
                _FRESH, _NOISE,
            ),
            ("mean noise", mean, sigma2 / (n * STEPS), _FRESH, _NOISE),
        ):  # fmt: skip
            book.suppose(f"{name} ({scope})", left, right, origin, assumptions, scope=scope)
        if scope == FREE_EPOCH:
            moved, origin = L**2 * sq(y - x), "Assumption 1, at m o y, m o x"
            book.suppose(f"smooth ({scope})", sq(hy - hx), moved, origin, _SMOOTH, scope=scope)


def _convex(book: Book) -> None:
    analysis(book, EPOCH)
    for name, left, right, origin in (
        ("D_br", D_br(t), OF_EPOCH["D_br"], "Section 4"),
        ("D_opt", D_opt(t), OF_EPOCH["D_opt"], "Theorem 3"),
        ("D_opt next", D_opt(t + 1), NEXT, "Theorem 3"),
        ("zeta_M2", zeta_M2, AT_OPTIMUM["zeta_M2"], "Definition 3"),
        ("a_bar2", a_bar2, AT_OPTIMUM["a_bar2"], "Definition 3"),
    ):
        book.define(f"{name} ({EPOCH})", left, right, origin, EPOCH)
    for name, left, relation, right, origin, assumptions in (
        (
            "sum of starts", sq(Pt), "<=", (STEPS - 1) * (2 * STEPS - 1) / 6 * sq(hx - ho),
            f"{_CAUCHY}; every pi(t) is uniform", (),
        ),
        (
            "sum over rounds", sq(Pa), "<=", K**2 * (_SQUARES * a_bar2 + _DRAWS * nu_M2),
            _WITHOUT, _SHARED,
        ),
        (
            "sum over rounds, own permutations", sq(Pa), "<=",
            K**2 * (_SQUARES * a_bar2 + _DRAWS * nu_own2), f"{_WITHOUT}, of every client", _OWN,
        ),
        ("own steps", sq(Pk), "==", (K - 1) * (2 * K - 1) / 6 * sq(ho), "the mean of k^2", ()),
        (
            "projection", sq(xn - xo), "<=", sq(x - xo - eta * Um),
            "x* = P(x* - eta S K grad F_M(x*)), and P is non-expansive",
            (assumed.EPOCH_PROJECTION,),
        ),
    ):  # fmt: skip
        book.suppose(
            f"{name} ({EPOCH})", left, right, origin, assumptions, relation, EPOCH,
            restates=_RESTATED.get(name, ()),
        )  # fmt: skip
    book.suppose(
        "strongly convex, rolling masks",
        D_br(t),
        mu * q_mean / 2 * D_opt(t),
        "Proposition 2: F_M is qbar mu-strongly convex",
        (Fact.STRONGLY_CONVEX, assumed.COVERAGE),
        ">=",
        restates=["prop-2:strong convexity"],
    )


def _nonconvex(book: Book) -> None:
    gradient, of_round = GRADIENT, given(hx, past, perm, s)
    book.define(f"g_Fp ({FREE_EPOCH})", g_Fp(t), OF_EPOCH["g_Fp"], "Theorem 4", FREE_EPOCH)
    book.define(f"B_M2_x ({FREE_EPOCH})", B_M2_x(t), OF_EPOCH["B_M2_x"], "Definition 3", FREE_EPOCH)
    book.suppose("B_M2", B_M2_x(t), B_M2, "Definition 3: a supremum over the iterates and more")
    rounds = K**2 * (_SQUARES * sq(gradient) + _DRAWS * sq(of_round - gradient))
    free = (Fact.SMOOTH, Fact.UNCONSTRAINED)
    for name, left, relation, right, origin, assumptions in (
        ("sum over rounds", sq(Qa), "<=", rounds, _WITHOUT, _SHARED),
        ("own steps", sq(Qk), "==", (K - 1) * (2 * K - 1) / 6 * sq(hx), "the mean of k^2", ()),
        (
            "every permutation", sq(given(hx, past, perm)), "==", sq(gradient),
            "an epoch visits every sub-model once", (),
        ),
        (
            "descent of F_M", Fn - Fx, "<=", ip(gradient, wf - x) + L / 2 * sq(wf - x),
            "Proposition 2: F_M is L-smooth; without constraint x^+ = x - eta sum g", free,
        ),
        ("L_Fp", L_Fp(t + 1) - L_Fp(t), "==", Fn - Fx, "Theorem 4", ()),
    ):  # fmt: skip
        book.suppose(
            f"{name} ({FREE_EPOCH})", left, right, origin, assumptions, relation, FREE_EPOCH,
            restates=_RESTATED.get(name, ()),
        )  # fmt: skip


def _draws(book: Book) -> None:
    """Draws without replacement."""
    for name, left, right in (
        ("Dr_2", Dr_2(t), QUANTITIES["Dr_2"]),
        ("nu_v2", nu_v2, NU_V2),
    ):
        book.define(f"{name} ({DRAWN})", left, right, "lem-wor", DRAWN)
    prove(
        book, "lem-wor", "second moment", [f"def {x} ({DRAWN})" for x in ("Dr_2", "nu_v2")],
        scope=DRAWN, chart=[above(n, 2)],
    )  # fmt: skip


def _lemmas(book: Book) -> None:
    """Lemmas 9 and 10."""
    for name, left, right, scope, origin in (
        ("Rc_2", Rc_2(t), UNPROJECTED["Rc_2"], WITHIN, "Lemma 9"),
        ("Hz_2", Hz_2(t), UNPROJECTED["Hz_2"], WITHIN, "Lemma 9"),
        ("Hz_x", Hz_x(t), UNPROJECTED["Hz_x"], WITHIN, "Lemma 9"),
        ("Un_2", Un_2(t), UNPROJECTED["Un_2"], UNROLLED, "Lemma 10"),
    ):
        book.define(f"{name} ({scope})", left, right, origin, scope)
    book.suppose(
        f"cocoercive ({WITHIN})",
        sq(hw - hx),
        L * ip(hw - hx, ws - x),
        "co-coercivity of every h_i (Nesterov, Theorem 2.1.5)",
        _CONVEX,
        scope=WITHIN,
    )
    book.suppose(
        f"monotone ({WITHIN})",
        ip(hw - hx, ws - x),
        0,
        "convexity of every h_i",
        _CONVEX[1:],
        ">=",
        WITHIN,
    )
    parts = "Abel; triangle inequality"
    book.suppose("summation by parts", A_sum(t), A_all(t) + A_diff(t), parts)
    book.suppose(
        "weights",
        A_diff(t),
        eta * K * L * A_part(t),
        "A_{s+1} - A_s = A_{s+1} eta K H_{s+1}, and ||I - eta K H|| <= 1 as eta K L <= 1",
        _CONVEX,
        conditions=[Condition(eta * K * L, "<=", sp.Integer(1))],
    )


def write(book: Book) -> None:
    """All of these."""
    _draws(book)
    _epochs(book)
    _convex(book)
    _nonconvex(book)
    _lemmas(book)
    gaps(book, GAP_ROLLING, assumed.COVERAGE)
