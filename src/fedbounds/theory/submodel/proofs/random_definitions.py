"""What the quantities of a round with random masks are, and what is assumed of its vectors."""

from fedbounds.facts import Fact
from fedbounds.theory.language.claims import Condition
from fedbounds.theory.language.symbols import K, L, T, eta, mu, n, sigma2, t
from fedbounds.theory.proof.language import Book
from fedbounds.theory.proof.vectors import given, i, ip, past, sq, xi
from fedbounds.theory.submodel.bounds import RANDOM_FLOOR
from fedbounds.theory.submodel.measured import AT_OPTIMUM, BREGMAN, NEXT, OF_ROUND, VARIANCE
from fedbounds.theory.submodel.random_convex import SHRINKS, short
from fedbounds.theory.submodel.symbols import (
    B2,
    B2_x,
    D_br,
    D_opt,
    Dl_w,
    H_x,
    L_Fp,
    Phi,
    V_bar,
    g_Fp,
    gap_full_at_p,
    nu2,
    nu2_x,
    nu_star2,
    p_mean,
    zeta_star2,
)
from fedbounds.theory.submodel.symbols_rounds import U_2, X_U, Z_ex, log_T

from .. import assumed
from .definitions_rounds import (
    GAP,
    ROUND,
    Fn,
    Fo,
    Fx,
    Fy,
    Pd,
    Ph,
    Pn,
    Um,
    at_optimum,
    ho,
    hx,
    hy,
    mask,
    moved,
    nz,
    unit,
    wf,
    x,
    xn,
    xo,
    y,
)

_SMOOTH, _NOISE = (Fact.SMOOTH,), (Fact.NOISE,)
_CONVEX = (Fact.SMOOTH, Fact.CONVEX)
_STEPS = "Cauchy-Schwarz over the steps before k, and the sum over k"
_FRESH = "Algorithm 1: samples are drawn anew for every client and step"
_MASKS = "Algorithm 1: clients draw their masks independently"


def of(scope: str, *names: str) -> list[str]:
    """Ids of definitions and assumptions of a scope."""
    return [f"{name} ({scope})" for name in names]


def _definitions(book: Book) -> None:
    book.define("Phi", Phi, L_Fp(0), "Theorem 2")
    for name, left, right, origin in (
        ("V_bar", V_bar(t), OF_ROUND["V_bar"], "Lemma 5"),
        ("H_x", H_x(t), OF_ROUND["H_x"], "Lemma 5"),
        ("D_br", D_br(t), BREGMAN, "Lemma 5"),
        ("D_opt", D_opt(t), OF_ROUND["D_opt"], "Lemma 4"),
        ("D_opt next", D_opt(t + 1), NEXT, "Lemma 4"),
        ("X_U", X_U(t), OF_ROUND["X_U"], "Lemma 4"),
        ("U_2", U_2(t), OF_ROUND["U_2"], "Lemma 4"),
        ("zeta_star2", zeta_star2, AT_OPTIMUM["zeta_star2"], "Definition 1"),
        ("nu_star2", nu_star2, AT_OPTIMUM["nu_star2"], "Definition 1"),
        ("g_Fp", g_Fp(t), OF_ROUND["g_Fp"], "Theorem 2"),
        ("nu2_x", nu2_x(t), OF_ROUND["nu2_x"], "Definition 2"),
        ("B2_x", B2_x(t), OF_ROUND["B2_x"], "Definition 2"),
    ):
        book.define(f"{name} ({ROUND})", left, right, origin, ROUND)
    book.suppose("nu2", nu2_x(t), nu2, "Definition 2: a supremum over the iterates and more")
    book.suppose("B2", B2_x(t), B2, "Definition 2: a supremum over the iterates and more")
    for at in (0, t, t + 1, T):
        book.define(
            f"Z_ex at {at}",
            D_opt(at),
            (1 - SHRINKS) ** at * Z_ex(at) + RANDOM_FLOOR,
            "unrolling: the excess over the floor, over the contraction so far",
            conditions=[short(10)],  # the contraction is not zero
        )


def _sums(book: Book) -> None:
    """Sums over the steps before a uniform k from 0 to K - 1."""
    for name, left, relation, right, origin, assumptions in (
        ("sum of drifts", sq(Pd), "<=", K * (K - 1) / 2 * sq(hy - hx), _STEPS, ()),
        ("sum of starts", sq(Ph), "==", (K - 1) * (2 * K - 1) / 6 * sq(hx), "the mean of k^2", ()),
        ("sum of noise", sq(Pn), "<=", (K - 1) / 2 * sigma2, _FRESH, _NOISE),
        ("mean noise", sq(given(nz, past, mask, xi)), "<=", sigma2 / (n * K), _FRESH, _NOISE),
    ):  # fmt: skip
        book.suppose(f"{name} ({ROUND})", left, right, origin, assumptions, relation, ROUND)


def analysis(book: Book, scope: str) -> None:
    """What smoothness and convexity of the clients say of x, y and x*."""
    for name, left, relation, right, origin, assumptions in (
        ("smooth", sq(hy - hx), "<=", L**2 * sq(y - x), "Assumption 1, at m o y, m o x", _SMOOTH),
        (
            "cocoercive", sq(hx - ho), "<=", 2 * L * BREGMAN,
            "co-coercivity of every h_i (Nesterov, Theorem 2.1.5)", _CONVEX,
        ),
        ("convex", Fo - Fy, ">=", ip(hy, xo - y), "h_i lies above its tangent at y", _CONVEX[1:]),
        (
            "descent", Fx - Fy, "<=", ip(hy, x - y) + L / 2 * sq(y - x),
            "descent lemma of every h_i, from y to x", _SMOOTH,
        ),
    ):  # fmt: skip
        book.suppose(f"{name} ({scope})", left, right, origin, assumptions, relation, scope)


def _masks(book: Book) -> None:
    start, optimum = VARIANCE, ho - given(ho, i)
    for name, left, right in (
        ("masks at x", sq(given(start, past, mask)), sq(start) / n),
        ("masks at x*", sq(given(optimum, mask)), sq(optimum) / n),
    ):
        book.suppose(f"{name} ({ROUND})", left, right, _MASKS, (), "==", ROUND)


def gaps(book: Book, scope: str, masks: str) -> None:
    """Gradients of the masked and of the full objective, at w*(p) and at the start of a round."""
    bounded = (assumed.BOUNDED_DOMAIN, assumed.BOUNDED_MASKED_GRADIENTS)
    for name, left, place in (
        ("gap_full_at_p", gap_full_at_p, at_optimum(scope)),
        ("Dl_w", Dl_w(t), scope),
    ):
        book.define(f"{name} ({place})", left, sq(moved), "lem-mask-gap", place)
        book.suppose(
            f"one client ({place})",
            sq(unit),
            1,
            "lem-mask-gap (a) of one client, with ||grad f_i|| <= G and ||w|| <= W",
            (Fact.SMOOTH, masks, *bounded),
            scope=place,
            restates=["lem-mask-gap: a, one client"],
        )


def _objective(book: Book) -> None:
    book.suppose(
        f"projection ({ROUND})",
        sq(xn - xo),
        sq(x - xo - eta * Um),
        "x* = P(x* - eta K grad F_p(x*)), and P is non-expansive",
        scope=ROUND,
    )
    book.suppose(
        "strongly convex, random masks",
        D_br(t),
        mu * p_mean / 2 * D_opt(t),
        "Proposition 1: F_p is pbar mu-strongly convex",
        (Fact.STRONGLY_CONVEX, assumed.KEPT),
        ">=",
        restates=["prop-1:strong convexity"],
    )
    book.suppose(
        f"descent of F_p ({ROUND})",
        Fn - Fx,
        ip(given(hx, past), wf - x) + L / 2 * sq(wf - x),
        "Proposition 1: F_p is L-smooth; without constraint x^+ = x - eta sum_k g_k",
        (Fact.SMOOTH, Fact.UNCONSTRAINED),
        scope=ROUND,
        restates=["prop-1:smoothness"],
    )
    book.suppose(f"L_Fp ({ROUND})", L_Fp(t + 1) - L_Fp(t), Fn - Fx, "Theorem 2", (), "==", ROUND)
    book.suppose(
        "log_T", (1 - log_T / T) ** T, 1 / T,
        "(1 - z)^T <= e^(-zT) for z <= 1, and log_T is at least ln T",
        conditions=[Condition(log_T, "<=", T)],
    )  # fmt: skip


def write(book: Book) -> None:
    """All of these."""
    _definitions(book)
    _sums(book)
    analysis(book, ROUND)
    _masks(book)
    gaps(book, GAP, assumed.KEPT)
    _objective(book)
