"""Theorems 5 (b) and 6 (b): no bound on gradients within a run, but their mean square.

hy and nz are a gradient and its noise at a uniform step of a uniform client in a uniform round
(sub-model, epoch) of a run; hx is the gradient at the start of the round or epoch. Means are over
data sets too. Lemmas 6 and 11 and Theorems 2 and 4 are claimed of runs on one data set each.
"""

import sympy as sp

from fedbounds.facts import Fact
from fedbounds.theory.checker.data import Scope
from fedbounds.theory.language.claims import Condition
from fedbounds.theory.language.symbols import K, L, T, eta, n, sigma2
from fedbounds.theory.proof.language import Book, below, cite, square
from fedbounds.theory.proof.vectors import given, ip, past, sq, vectors
from fedbounds.theory.submodel.bounds import ROLLING_GRADIENTS, random_gradients
from fedbounds.theory.submodel.stability import SHORT, THEOREM_5, THEOREM_6
from fedbounds.theory.submodel.symbols import (
    B2,
    B_M2,
    G,
    S_sub,
    dl_mean,
    n_s,
    nu2,
    st_mean,
)
from fedbounds.theory.submodel.vectors import one

from .. import assumed
from .definitions_rounds import hx, hy, nz, x, y
from .writing import Row, Use, prove, suppose, supposed

RANDOM_RUNS, ROLLING_RUNS = "coupled runs, random masks", "coupled runs, rolling masks"
(size_2,) = vectors({"size_2": r"\tfrac1{\sqrt\cdot}\|\nabla h_i(y_{i,k})+n_{i,k}\|"})
_ALL = ("past", "xi", "i", "k")
_SCOPE = Scope(
    sources=_ALL,
    atoms=(
        ("one", ()),
        ("x", ("past",)),
        *((name, _ALL) for name in ("y", "hx", "hy", "nz", "size_2")),
    ),
)
SCOPES = dict.fromkeys((RANDOM_RUNS, ROLLING_RUNS), _SCOPE)
_FRESH = "samples are drawn anew for every client and step"
_SMOOTH, _NOISE = (Fact.SMOOTH,), (Fact.NOISE,)
_START = given(hx, past)


def _pieces(book: Book, scope: str) -> None:
    """What is known of a uniform step of a run, whatever the masks."""
    rows: list[Row] = [
        ("one", sq(one), "==", 1, "the number 1", ()),
        ("noise", sq(nz), "<=", sigma2, _FRESH, _NOISE),
        ("noise and gradient", ip(hy, nz), "==", 0, _FRESH, _NOISE),
        ("smooth", sq(hy - hx), "<=", L**2 * sq(y - x), "Assumption 1, at m o y, m o x", _SMOOTH),
    ]
    suppose(book, scope, rows)


def _random(book: Book) -> None:
    """Theorem 5 (b) after T rounds; Theorem 2 speaks of 1/R, which t = 0 has not."""
    scope, part = RANDOM_RUNS, THEOREM_5.part("b")
    conditions, supposed = part.conditions, part.assumptions
    level = sp.Rational(17, 16) * sigma2
    level += sp.Rational(33, 16) * (nu2 + B2 + random_gradients(T))
    _pieces(book, scope)
    drift = 2 * eta**2 * K**2 * (K * sq(hx) + sigma2)
    free = (Fact.SMOOTH, Fact.NOISE, assumed.KEPT, Fact.UNCONSTRAINED)
    rows: list[Row] = [
        ("Lemma 5", K * sq(y - x), "<=", drift, "Lemma 5 of both runs", free[:2]),
        ("Theorem 2", sq(_START), "<=", random_gradients(T), "Theorem 2 of both runs", free),
    ]
    for row, lemma in zip(rows, ("lem-5:drift", "thm-2:mean"), strict=True):
        suppose(book, scope, [row], conditions, restates=[lemma])
    variances = sq(hx - _START) - nu2 - B2
    suppose(book, scope, [("Definition 2", variances, "<=", 0, "Definition 2", ())])
    facts = ("noise", "noise and gradient", "smooth", "Lemma 5", "Theorem 2", "Definition 2")
    _conclude(book, scope, "thm-5", facts, level, conditions, supposed)


def _rolling(book: Book) -> None:
    """Theorem 6 (b): Lemma 11 and Theorem 4 ask for one permutation per epoch."""
    scope, part = ROLLING_RUNS, THEOREM_6.part("b")
    conditions, supposed = part.conditions, (*part.assumptions, assumed.SHARED_ORDER)
    level = sp.Rational(17, 16) * sigma2 * (1 + 1 / n)
    level += sp.Rational(35, 16) * (B_M2 + ROLLING_GRADIENTS)
    _pieces(book, scope)
    apart = sq(hx - _START)
    brace = S_sub * K**2 / 2 * (1 + S_sub / n) * sigma2
    brace += sp.Rational(4, 3) * K**3 * S_sub**2 * (S_sub * sq(_START) + apart)
    drift = sp.Rational(31, 10) * eta**2 * brace
    free = (
        Fact.SMOOTH,
        Fact.NOISE,
        assumed.COVERAGE,
        assumed.SHARED_ORDER,
        Fact.UNCONSTRAINED,
        assumed.WHOLE_EPOCHS,
    )
    rows: list[Row] = [
        ("Lemma 11", S_sub * K * sq(y - x), "<=", drift, "Lemma 11 of both runs", free),
        ("Theorem 4", sq(_START), "<=", ROLLING_GRADIENTS, "Theorem 4 of both runs", free),
    ]
    for row, lemma in zip(rows, ("lem-11:nonconvex", "thm-4:mean"), strict=True):
        suppose(book, scope, [row], conditions, restates=[lemma])
    suppose(book, scope, [("Definition 3", apart, "<=", B_M2, "Definition 3", ())])
    facts = ("noise", "noise and gradient", "smooth", "Lemma 11", "Theorem 4", "Definition 3")
    _conclude(book, scope, "thm-6", facts, level, conditions, supposed)


def _conclude(
    book: Book,
    scope: str,
    claim: str,
    facts: tuple[str, ...],
    level: sp.Expr,
    conditions: tuple[Condition, ...],
    assumptions: tuple[str, ...],
) -> None:
    """The mean square of a stochastic gradient, its mean, and the distance of the runs."""
    edge = EDGES[claim]
    book.line(
        f"{claim}: mean square", sq(hy + nz), "<=", level,
        [*supposed(scope, *facts), square(hy - 2 * hx)], scope=scope, chart=[edge], claim=claim,
        conditions=conditions, assumptions=assumptions,
    )  # fmt: skip
    push = 2 * eta * K * T / (n_s * n)
    both = "Lemma 12 summed over rounds, mean over i and j; both runs have the same law"
    samples = (
        Fact.SMOOTH,
        Fact.SMOOTH_SAMPLES,
        Fact.CONVEX_SAMPLES,
        assumed.INDEPENDENT_SAMPLES,
        *((assumed.DATA_FREE_MASKS,) if claim == "thm-6" else ()),
    )
    lipschitz, worst = (assumed.LIPSCHITZ_SAMPLES,), "G-Lipschitz samples, for all i and j"
    sizes = push * sp.sqrt(level) * ip(size_2, one)
    distance: Row = ("distances", dl_mean(T), "<=", sizes, both, samples)
    suppose(book, scope, [distance], [SHORT], restates=["lem-12"])
    loss: Row = ("losses", st_mean(T), "<=", G * dl_mean(T), worst, lipschitz)
    suppose(book, scope, [loss])
    over: Row = ("size over its bound", sq(size_2), "<=", 1, f"{claim}: mean square", assumptions)
    suppose(book, scope, [over], conditions, restates=[f"{claim}: mean square"])
    half = push * sp.sqrt(level) / 2
    distances, losses, size, number = supposed(
        scope, "distances", "losses", "size over its bound", "one"
    )
    uses: list[Use] = [
        cite(str(distances), times=1), cite(str(size), times=half), cite(str(number), times=half),
        square(size_2 - one, half),
    ]  # fmt: skip
    if claim == "thm-6":  # nothing says that the permutation is shared
        prove(book, claim, "b", uses, scope=scope, chart=[edge])
        stable: list[Use] = [cite(str(losses), times=1), cite(f"{claim}:b", times=G)]
        prove(book, claim, "b, stability", stable, scope=scope, chart=[edge])
    form, source = ("{}:{}/corrected", "ours") if claim == "thm-6" else _AFTER
    name = form.format(claim, "b")
    book.line(
        name, dl_mean(T), "<=", push * sp.sqrt(level), uses, scope=scope, vectors=False,
        chart=[edge], claim=claim, conditions=conditions, source=source, assumptions=assumptions,
    )  # fmt: skip
    book.line(
        form.format(claim, "b, stability"), st_mean(T), "<=", G * push * sp.sqrt(level),
        [cite(str(losses), times=1), cite(name, times=G)], scope=scope, vectors=False,
        chart=[edge], claim=claim, conditions=conditions, source=source,
        assumptions=(*assumptions, *lipschitz),
    )  # fmt: skip


_AFTER = ("{}: {}, after T rounds", "paper")
EDGES = {"thm-5": below(eta, 1 / (8 * K * L)), "thm-6": below(eta, 1 / (8 * S_sub * K * L))}


def write(book: Book) -> None:
    """Both theorems."""
    _random(book)
    _rolling(book)
