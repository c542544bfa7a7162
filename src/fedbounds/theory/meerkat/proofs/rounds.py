"""The chain of Theorem 2.1."""

import sympy as sp

from fedbounds.facts import Fact
from fedbounds.theory.language.symbols import K, L, T, eta, f, sigma2, t
from fedbounds.theory.proof.language import Book, above, below, cite, root, square
from fedbounds.theory.proof.vectors import given, ip, past, sq, vectors

from .. import assumed
from ..measured import OF_ROUND
from ..rounds import B_6, BOTH, CHAINED, EQ_9, SHORT_STEPS
from ..scope_names import ROUND
from ..sizes import LOCAL_STEP, OF_LOCAL_STEP, PULL, WIDE
from ..symbols import (
    Delta,
    Dw_2,
    G_f,
    V_m,
    X_est,
    X_f,
    X_mask,
    X_own,
    c,
    c_h,
    delta,
    est_m,
    mu_PL,
    u,
)
from ..vectors import at_star, best, ests, g0, lows, mgs, one, w, w_next, w_star

_NOISE, _SMOOTH = (Fact.NOISE,), (Fact.SMOOTH,)


def _given(book: Book) -> None:
    slope = given(g0, past)
    for left in (G_f, V_m, X_f, X_own, X_est, X_mask, est_m, Dw_2):
        name = str(left)
        book.define(name, left(t), OF_ROUND[name], "Appendix B.4", ROUND)
    book.define("f", f(t), OF_ROUND["f"], "Appendix B.4", ROUND)
    for name, left, relation, right, origin, assumptions in (
        (
            "descent of f", f(t + 1) - f(t), "<=", ip(slope, w_next - w) + L / 2 * sq(w_next - w),
            "Assumption B.1: descent from a point", _SMOOTH,
        ),
        (
            "B.1 at w_k*", ip(at_star - lows, one), "<=", L / 2 * sq(best - w_star),
            "Assumption B.1: from a minimiser of f_k, where its gradient is 0", _SMOOTH,
        ),
        ("B.5", sq(best - w_star), "==", Delta, "Assumption B.5", (assumed.OPTIMA,)),
    ):  # fmt: skip
        book.suppose(name, left, right, origin, assumptions, relation, ROUND)
    book.suppose(
        "unbiased", ip(slope, ests - mgs), 0,
        "Lemma B.8 of every local step, as epsilon tends to 0", _NOISE,
        "==", ROUND, restates=("lemma-b8:limit",),
    )  # fmt: skip


def _one_round(book: Book) -> None:
    book.prove("eq-8", "", ["asm descent of f", "def X_f", "def Dw_2"], scope=ROUND)
    both, printed = EQ_9.readings
    book.prove("eq-9", "global", ["def X_f", "def X_est"], scope=ROUND, reading=both)
    uses = ["asm unbiased", "def X_est", "def X_mask"]
    book.prove("eq-9", "unbiased", uses, scope=ROUND, reading=both)
    book.prove("eq-9", "printed", ["def X_own", "def X_est"], scope=ROUND, reading=printed)
    mean = given(ests, past, vectors({"z": "z"})[0], vectors({"xi": "xi"})[0])
    jensen = [square(ests - mean)]
    book.prove("eq-11", "squares", ["def Dw_2", "def est_m", *jensen], scope=ROUND)


def _gaps(book: Book) -> None:
    uses = ["def V_m", "def f", "asm B.1 at w_k*", "asm B.5"]
    book.prove("gap-lemma", "clients", uses, scope=ROUND)
    book.prove("gap-lemma", "summed", [cite("gap-lemma:clients", over="t")])


def _chain(book: Book) -> None:
    """The displays (10) to (15) as the text has them follow."""
    chained = next(part for part in CHAINED.parts if part.name == "quadratics")
    # by B.6 and Cauchy-Schwarz it is enough that the mean of masked gradients does not grow, and
    # I - eta H is a contraction for eta <= 2/L; at w^r norms are those of B.3
    told = "Assumptions B.6 and B.3; masked steps of convex quadratics shorten masked gradients"
    book.suppose("chain of convex quadratics", chained.left, chained.right, told,
                 chained.assumptions, conditions=chained.conditions)  # fmt: skip
    roots = [root(x, 2) for x in (c, c_h)]
    short, quadratics, _ = SHORT_STEPS
    # B.3 is of w^r: of gradients after local steps nothing bounds the left side
    book.prove("cs-chain", "short steps", [], reading=short, chart=[*roots, below(eta, LOCAL_STEP)])
    for reading, chain in ((short, "cs-chain:short steps"),
                           (quadratics, "asm chain of convex quadratics")):  # fmt: skip
        scaled = [cite(name, times=eta * K) for name in ("eq-9:unbiased", chain)]
        book.prove("eq-10", reading.parts[0], ["eq-9:global", *scaled], reading=reading,
                   chart=[*roots, below(eta, LOCAL_STEP)])  # fmt: skip
    book.prove("eq-11", "descent", ["eq-8", "eq-10:short steps"])
    over = (2 + u) * c * (2 * L * (2 + u) / (c * K) * V_m(t) + sigma2)
    book.suppose(
        "(7) of every client", est_m(t), over, "Lemma B.7 and (7), of all clients and rounds",
        (Fact.SMOOTH, Fact.NOISE, *B_6), conditions=(OF_LOCAL_STEP,),
        restates=("lemma-b7:count", "eq-7:count"),
    )  # fmt: skip
    for name, at in (("minimum", t), ("minimum, last", T)):
        book.suppose(name, sp.Integer(0), f(at), "f* is the least value of f", (Fact.PL,))
    book.suppose("B.2", 2 * mu_PL * f(t), G_f(t), "Assumption B.2", (Fact.PL,))
    for part, reading in zip(("any step", "step of (7)"), BOTH, strict=True):
        local = ["asm (7) of every client"]
        uses = ["eq-11:descent", "eq-11:squares", *local]
        book.prove("eq-12", part, uses, reading=reading)
        book.prove("eq-13", part, [cite(f"eq-12:{part}", over="t")], reading=reading)
        book.prove("eq-14", part, [f"eq-13:{part}"], reading=reading)
        curved = cite("asm B.2", over="t", times=PULL - 1 / (2 * delta))
        gaps = cite("gap-lemma:summed", times=WIDE)
        chart = [*roots, above(delta, 1 / (2 * PULL))]
        book.prove("eq-15", part, [f"eq-14:{part}", gaps, curved], reading=reading, chart=chart)


def write(book: Book) -> None:
    """All of them."""
    _given(book)
    _one_round(book)
    _gaps(book)
    _chain(book)
