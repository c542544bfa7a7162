"""Lemmas 5 and 4 and Theorem 1."""

import sympy as sp

from fedbounds.facts import Fact
from fedbounds.theory.checker.data import Assignment, Premise
from fedbounds.theory.language.symbols import K, L, T, eta, mu, sigma2, t
from fedbounds.theory.proof.language import Book, below, cite, equal, square
from fedbounds.theory.proof.vectors import given, i, past, sq, xi
from fedbounds.theory.submodel.bounds import MASK_GAP_BOUND, RANDOM_FLOOR
from fedbounds.theory.submodel.random_convex import BOUNDED, NOISY, SHRINKS, STRONG, short
from fedbounds.theory.submodel.symbols import D_opt, Dl_w, H_x, V_bar, gap_full_at_p, p_mean
from fedbounds.theory.submodel.symbols_rounds import U_2, X_U, Z_ex, log_T

from .. import assumed
from .definitions_rounds import GAP, ROUND, Pd, Ph, Pn, at_optimum, ho, hx, hy, mask, nz, unit
from .random_definitions import of

EDGE_4, EDGE_10 = (below(eta, 1 / (b * K * L)) for b in (4, 10))
HYPOTHESIS = Premise("hypothesis", "hypothesis", ("?",))


def differences(vectors: list[sp.Expr]) -> list[sp.Expr]:
    """Squares by which the squared sum falls short of the count times the sum of squares."""
    return [square(a - b) for at, a in enumerate(vectors) for b in vectors[:at]]


def _drift(book: Book) -> None:
    claim = "lem-5"
    book.line(
        f"{claim}: Young", V_bar(t), "<=",
        eta**2 * (2 * K * sq(Pn) + 4 * K * sq(Pd) + 4 * K * sq(Ph)),
        [*of(ROUND, "def V_bar"), square(Pn - Pd - Ph), square(Pd - Ph)],
        scope=ROUND, claim=claim, assumptions=NOISY[1:],
    )  # fmt: skip
    book.line(
        f"{claim}: sum over k", K * sq(Pd), "<=", L**2 * K**2 / 2 * V_bar(t),
        of(ROUND, "def V_bar", "asm sum of drifts", "asm smooth"),
        scope=ROUND, claim=claim, assumptions=NOISY,
    )  # fmt: skip
    third = sp.Rational(4, 3)
    starts, noise = of(ROUND, "asm sum of starts", "asm sum of noise")
    book.line(
        f"{claim}: before absorbing", V_bar(t), "<=",
        eta**2 * (K**2 * sigma2 + 2 * L**2 * K**2 * V_bar(t) + third * K**3 * H_x(t)),
        [
            cite(f"{claim}: Young", times=1), cite(f"{claim}: sum over k", times=4 * eta**2),
            *of(ROUND, "def H_x"),
            cite(starts, times=4 * K * eta**2), cite(noise, times=2 * K * eta**2),
        ],
        scope=ROUND, vectors=False, claim=claim, assumptions=NOISY,
    )  # fmt: skip
    book.line(
        f"{claim}: absorbed", V_bar(t), "<=",
        sp.Rational(32, 21) * eta**2 * K**3 * H_x(t) + sp.Rational(8, 7) * eta**2 * K**2 * sigma2,
        [f"{claim}: before absorbing"], chart=[EDGE_4],
        claim=claim, conditions=[short(4)], assumptions=NOISY,
    )  # fmt: skip
    book.prove(claim, "drift", [f"{claim}: absorbed"], chart=[EDGE_4])
    bregman = of(ROUND, "def H_x", "def D_br", "def zeta_star2", "asm cocoercive")
    book.prove(claim, "gradients", [*bregman, square(hx - 2 * ho)], scope=ROUND)
    uses = [f"{claim}:drift", f"{claim}:gradients"]
    book.prove(claim, "together", uses, chart=[EDGE_4])


def _round(book: Book) -> None:
    claim = "lem-4"
    uses = of(ROUND, "def X_U", "def D_br", "def V_bar", "asm convex", "asm descent")
    book.prove(claim, "i", uses, scope=ROUND)
    moved, start = given(hy - hx, past, mask, xi), given(hx - ho, past, mask)
    parts = [given(nz, past, mask, xi), moved, start, given(ho - given(ho, i), mask)]
    facts = "mean noise", "smooth", "cocoercive", "masks at x*"
    uses = of(ROUND, *(f"def {q}" for q in ("U_2", "V_bar", "D_br", "nu_star2")))
    uses += of(ROUND, *(f"asm {fact}" for fact in facts))
    jensen = [square(hy - hx - moved), square(hx - ho - start)]
    book.prove(claim, "ii", [*uses, *differences(parts), *jensen], scope=ROUND)
    uses = of(ROUND, "def D_opt", "def D_opt next", "def X_U", "def U_2", "asm projection")
    book.line(
        f"{claim}: expanded", D_opt(t + 1), "<=",
        D_opt(t) - 2 * eta * X_U(t) + eta**2 * U_2(t), uses,
        scope=ROUND, vectors=False, claim=claim, assumptions=NOISY[1:],
    )  # fmt: skip
    book.prove(claim, "iii, coefficient", chart=[EDGE_10])
    uses = [f"{claim}: expanded", f"{claim}:i", f"{claim}:ii", "lem-5:together"]
    book.prove(claim, "iii", uses, chart=[EDGE_10])
    uses = [f"{claim}:iii", "asm strongly convex, random masks"]
    book.prove(claim, "round", uses, chart=[EDGE_10])


def gap(book: Book, claim: str, scope: str, bound: sp.Expr, masks: str, share: Assignment) -> None:
    """The gap of w^ from the sharper one, with the bounds of Assumptions 4 and 5."""
    assumptions = (Fact.SMOOTH, masks, *BOUNDED)
    jensen = square(unit - given(unit, past), bound**2)
    names = {"gap_full_at_p": gap_full_at_p, "Dl_w": Dl_w(t)}
    for (name, left), place in zip(names.items(), (at_optimum(scope), scope), strict=True):
        (client,) = of(place, "asm one client")
        book.line(
            f"{claim}: {name}", left, "<=", bound**2,
            [cite(f"def {name} ({place})", times=1), cite(client, times=bound**2), jensen],
            scope=place, vectors=False, chart=[share], claim=claim, assumptions=assumptions,
        )  # fmt: skip
    factors = L / mu**2, 1 / (2 * L)
    uses = [cite(f"{claim}: {x}", times=y) for x, y in zip(names, factors, strict=True)]
    book.prove(claim, "gap", [cite(f"{claim}:gap, sharper", times=1), *uses])


def _theorem(book: Book) -> None:
    claim = "thm-1"
    chart = [below(mu, L), below(p_mean, 1), EDGE_10]
    book.prove(claim, "distance", ["lem-4:round", HYPOTHESIS], variable="t", chart=chart)
    book.prove(claim, "gap, sharper", ["lem-3:strongly convex"])
    gap(book, claim, GAP, MASK_GAP_BOUND, assumed.KEPT, below(p_mean, 1))
    # (D - floor)/contraction^t does not grow
    book.line(
        f"{claim}: excess", Z_ex(t + 1), "<=", Z_ex(t),
        ["lem-4:round", "def Z_ex at t", "def Z_ex at t + 1"], chart=chart,
        claim=claim, conditions=[short(10)], assumptions=STRONG,
    )  # fmt: skip
    book.line(
        f"{claim}: after T rounds", D_opt(T), "<=",
        (1 - SHRINKS) ** T * D_opt(0) + RANDOM_FLOOR,
        [cite(f"{claim}: excess", over="t"), "def Z_ex at 0", "def Z_ex at T"], chart=chart,
        claim=claim, conditions=[short(10)], assumptions=STRONG,
    )  # fmt: skip
    steps = equal(log_T, eta * K * mu * p_mean * T / 2)
    book.prove(
        claim, "rate", [f"{claim}: after T rounds", cite("asm log_T", times=D_opt(0))],
        chart=[*chart, steps],
    )  # fmt: skip


def write(book: Book) -> None:
    """Lemmas 5 and 4 and Theorem 1."""
    _drift(book)
    _round(book)
    _theorem(book)
