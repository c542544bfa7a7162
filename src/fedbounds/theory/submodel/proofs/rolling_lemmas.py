"""Lemmas 9, 10 and 11, and sampling without replacement."""

import sympy as sp

from fedbounds.facts import Fact
from fedbounds.theory.language.symbols import K, L, eta, t
from fedbounds.theory.proof.language import Book, below, cite, square
from fedbounds.theory.proof.vectors import given, past, sq, xi
from fedbounds.theory.submodel.rolling_lemmas import (
    LEMMA_11,
    NOISY,
    UNPROJECTED,
    convex_brace,
    nonconvex_brace,
)
from fedbounds.theory.submodel.symbols import (
    D_br,
    S_sub,
    V_bar,
    a_bar2,
    g_Fp,
    nu_M2,
    zeta_M2,
)
from fedbounds.theory.submodel.symbols_rounds import B_M2_x, nu_own2

from .. import assumed
from .definitions_rounds import (
    EPOCH,
    FREE_EPOCH,
    UNROLLED,
    WITHIN,
    Pa,
    Pd,
    Pk,
    Pn,
    Pt,
    Qa,
    Qk,
    hw,
    hx,
    perm,
    s,
)
from .random_convex import differences
from .random_definitions import of
from .rolling_definitions import STEPS

EDGE_8, EDGE_10 = (below(eta, 1 / (b * S_sub * K * L)) for b in (8, 10))
_SHARED = (assumed.SHARED_ORDER,)


def _recursions(book: Book) -> None:
    claim = "lem-9"
    book.prove(claim, "recursion", of(WITHIN, "def Rc_2"), scope=WITHIN)
    mean = given(hw - hx, past, perm, xi, s)
    facts = of(WITHIN, "def Hz_2", "def Hz_x", "asm cocoercive")
    book.prove(claim, "H_s <= L", [*facts, square(hw - hx - mean)], scope=WITHIN)
    book.prove(claim, "0 <= H_s", [], scope=WITHIN)
    claim = "lem-10"
    book.prove(claim, "unrolled", of(UNROLLED, "def Un_2"), scope=UNROLLED)
    book.prove(claim, "norm", ["asm summation by parts", "asm weights"])


def _drift(book: Book, scope: str, suffix: str) -> None:
    book.line(
        f"lem-11: sum of drifts{suffix}", STEPS * sq(Pd), "<=", L**2 * STEPS**2 / 2 * V_bar(t),
        of(scope, "def V_bar", "asm sum of drifts", "asm smooth"),
        scope=scope, claim="lem-11", assumptions=(*NOISY, *UNPROJECTED),
    )  # fmt: skip


def _convex(book: Book) -> None:
    claim = "lem-11"
    whole = differences([Pn, Pd, Pt, Pa + Pk])
    book.line(
        f"{claim}: four parts", V_bar(t), "<=",
        4 * STEPS * eta**2 * (sq(Pn) + sq(Pd) + sq(Pt) + 2 * sq(Pa) + 2 * sq(Pk)),
        [*of(EPOCH, "def V_bar"), *whole, square(Pa - Pk)], scope=EPOCH, claim=claim,
        assumptions=(*NOISY[1:], *UNPROJECTED),
    )  # fmt: skip
    _drift(book, EPOCH, "")
    book.line(
        f"{claim}: sum of starts", STEPS * sq(Pt), "<=", STEPS**3 * L * D_br(t),
        of(EPOCH, "def D_br", "asm sum of starts", "asm cocoercive"),
        scope=EPOCH, claim=claim, assumptions=(*NOISY, Fact.CONVEX),
    )  # fmt: skip
    third = sp.Rational(1, 3)
    (zeta,) = of(EPOCH, "def zeta_M2")
    noise, own = of(EPOCH, "asm sum of noise", "asm own steps")
    for name, variance, rounds, assumptions in (
        ("convex", nu_M2, "asm sum over rounds", _SHARED),
        (
            "convex, own permutations", nu_own2, "asm sum over rounds, own permutations",
            (assumed.OWN_ORDERS,),
        ),
    ):  # fmt: skip
        last = f"{claim}: last part, {name}"
        book.line(
            last, 2 * STEPS * (sq(Pa) + sq(Pk)), "<=",
            2 * third * STEPS**3 * a_bar2 + third * K**3 * S_sub * (S_sub + 1) * variance
            + 2 * third * S_sub * K**3 * zeta_M2,
            [
                cite(f"{rounds} ({EPOCH})", times=2 * STEPS), cite(own, times=2 * STEPS),
                cite(zeta, times=-2 * STEPS * (K - 1) * (2 * K - 1) / 6),
            ],
            scope=EPOCH, claim=claim, assumptions=assumptions,
        )  # fmt: skip
        names = f"{claim}: sum of drifts", f"{claim}: sum of starts", last
        part = LEMMA_11.part(name)
        book.line(
            f"{claim}: before absorbing, {name}", V_bar(t), "<=",
            4 * eta**2 * (convex_brace(variance) + L**2 * STEPS**2 / 2 * V_bar(t)),
            [
                cite(f"{claim}: four parts", times=1),
                *(cite(x, times=4 * eta**2) for x in names),
                cite(noise, times=4 * STEPS * eta**2),
            ],
            scope=EPOCH, vectors=False, claim=claim, assumptions=part.assumptions,
        )  # fmt: skip
        book.prove(claim, name, [f"{claim}: before absorbing, {name}"], chart=[EDGE_10])


def _nonconvex(book: Book) -> None:
    claim, scope = "lem-11", FREE_EPOCH
    whole = differences([Pn, Pd, Qa + Qk])
    book.line(
        f"{claim}: three parts", V_bar(t), "<=",
        3 * STEPS * eta**2 * (sq(Pn) + sq(Pd) + 2 * sq(Qa) + 2 * sq(Qk)),
        [*of(scope, "def V_bar"), *whole, square(Qa - Qk)], scope=scope, claim=claim,
        assumptions=(*NOISY[1:], *UNPROJECTED),
    )  # fmt: skip
    _drift(book, scope, ", nonconvex")
    rounds, own = of(scope, "asm sum over rounds", "asm own steps")
    of_round = given(hx, past, perm, s)
    book.line(
        f"{claim}: last part, nonconvex", 2 * STEPS * (sq(Qa) + sq(Qk)), "<=",
        sp.Rational(4, 3) * K**3 * S_sub**2 * (S_sub * g_Fp(t) + B_M2_x(t)),
        [
            *of(scope, "def g_Fp", "def B_M2_x"), cite(rounds, times=2 * STEPS),
            cite(own, times=2 * STEPS), square(hx - of_round),
        ],
        scope=scope, claim=claim, assumptions=_SHARED,
    )  # fmt: skip
    names = f"{claim}: sum of drifts, nonconvex", f"{claim}: last part, nonconvex"
    part = LEMMA_11.part("nonconvex")
    before = f"{claim}: before absorbing, nonconvex"
    (noise,) = of(scope, "asm sum of noise")
    book.line(
        before, V_bar(t), "<=",
        3 * eta**2 * (nonconvex_brace(B_M2_x(t)) + L**2 * STEPS**2 / 2 * V_bar(t)),
        [
            cite(f"{claim}: three parts", times=1),
            *(cite(x, times=3 * eta**2) for x in names),
            cite(noise, times=3 * STEPS * eta**2),
        ],
        scope=scope, vectors=False, claim=claim, assumptions=part.assumptions,
    )  # fmt: skip
    book.prove(claim, "nonconvex, value at x", [before], chart=[EDGE_8])
    uses = [f"{claim}:nonconvex, value at x", "asm B_M2"]
    book.prove(claim, "nonconvex", uses, chart=[EDGE_8])


def write(book: Book) -> None:
    """Lemmas 9 to 11."""
    _recursions(book)
    _convex(book)
    _nonconvex(book)
