"""Theorems 5 and 6 where they speak of sub-models: sizes of masked gradients, strong convexity."""

import sympy as sp

from fedbounds.facts import Fact
from fedbounds.theory.checker.data import Premise, Scope
from fedbounds.theory.language.claims import Condition
from fedbounds.theory.language.symbols import L, eta, mu, t
from fedbounds.theory.proof.language import Book, below, cite, root, square
from fedbounds.theory.proof.vectors import ip, sq, vectors
from fedbounds.theory.submodel.stability import APART
from fedbounds.theory.submodel.symbols import (
    G_inf,
    G_m,
    dim,
    dl_w,
    p_mean,
    p_own,
    q_own,
    rho_bar,
)
from fedbounds.theory.submodel.vectors import one

from .. import assumed
from .symbols_proofs import keep_2K, rho_gap
from .writing import Row, Use, prove, suppose, supposed

SIZE, CONTRACTED, MEAN_ROOT = "a sub-model's gradient", "a contracted round", "mean of roots"
_SAMPLES = (Fact.SMOOTH, Fact.SMOOTH_SAMPLES, Fact.STRONGLY_CONVEX_SAMPLES)
_KEPT = (assumed.KEPT,)
_SHORT = (Condition(eta, "<=", 2 / (L + mu)),)

size_1, moved_1, kept_1, still_1, whole_1, root_i = vectors(
    {
        "size_1": r"\tfrac1{G_\infty}\|m\odot\nabla\ell\|",
        "moved_1": r"(y_{i,K}-y'_{i,K})",
        "kept_1": r"m\odot(w^t-w'^t)",
        "still_1": r"(\mathbf 1-m)\odot(w^t-w'^t)",
        "whole_1": "(w^t-w'^t)",
        "root_i": r"\sqrt{1-p_i(1-(1-\eta\mu)^{2K})}",
    }
)
SCOPES = {
    SIZE: Scope(sources=("xi",), atoms=(("one", ()), ("size_1", ("xi",)))),
    CONTRACTED: Scope(
        sources=("past", "xi"),
        atoms=(
            ("whole_1", ("past",)),
            *((name, ("past", "xi")) for name in ("moved_1", "kept_1", "still_1")),
        ),
    ),
    MEAN_ROOT: Scope(sources=("i",), atoms=(("one", ()), ("root_i", ("i",)))),
}


def _sizes(book: Book) -> None:
    """E ||m o g|| <= sqrt(E ||m o g||^2), and m keeps an entry with probability p_i."""
    masked = "E sum_j m_j g_j^2 <= G_inf^2 E sum_j m_j"
    rows: list[Row] = [
        ("one", sq(one), "==", 1, "the number 1", ()),
        ("G_m", G_m, "==", G_inf * ip(size_1, one), "at the sample and point where it is largest",
         ()),
        ("entries, p", sq(size_1), "<=", p_own * dim, masked, _KEPT),
        (
            "entries, q", sq(size_1), "<=", q_own * dim, "a window has q_i d entries",
            (assumed.COVERAGE, assumed.DATA_FREE_MASKS),
        ),
    ]  # fmt: skip
    suppose(book, SIZE, rows)
    for claim, label, share in (("thm-5", "p", p_own), ("thm-6", "q", q_own)):
        level = sp.sqrt(share) * sp.sqrt(dim)
        numbers, largest, entries = supposed(SIZE, "one", "G_m", f"entries, {label}")
        uses: list[Use] = [
            cite(str(largest), times=1), cite(str(entries), times=G_inf / (2 * level)),
            cite(str(numbers), times=G_inf * level / 2),
            square(size_1 - level * one, G_inf / (2 * level)),
        ]  # fmt: skip
        chart = [root(share, 2), root(dim, 2)]
        prove(book, claim, "a, sub-model", uses, scope=SIZE, chart=chart)


def _contraction(book: Book) -> None:
    """(c): entries that are kept contract, the others stay; one round and all rounds."""
    claim = "thm-5"
    entries = "entries of a mask are 0 or 1"
    rows: list[Row] = [
        ("kept", sq(kept_1), "==", p_own * sq(whole_1), "E m_i = p_i 1", _KEPT),
        ("still", sq(still_1), "==", sq(whole_1) - sq(kept_1), entries, ()),
    ]
    suppose(book, CONTRACTED, rows)
    said = "K steps of size at most 2/(L + mu), on the entries that are kept"
    steps = keep_2K * sq(kept_1) + sq(still_1)
    suppose(book, CONTRACTED, [("steps", sq(moved_1), "<=", steps, said, _SAMPLES)], _SHORT)
    book.line(
        f"{claim}: c, one client", sq(moved_1), "<=", (1 - p_own * (1 - keep_2K)) * sq(whole_1),
        supposed(CONTRACTED, "kept", "still", "steps"), scope=CONTRACTED, claim=claim,
        conditions=_SHORT, assumptions=(*_SAMPLES, *_KEPT),
    )  # fmt: skip
    rows = [
        ("one", sq(one), "==", 1, "the number 1", ()),
        ("rho_bar", rho_bar, "==", ip(root_i, one), "the mean over clients", ()),
        ("squares", sq(root_i), "==", 1 - p_mean * (1 - keep_2K), "the mean over clients", ()),
    ]
    suppose(book, MEAN_ROOT, rows)
    numbers, half = supposed(MEAN_ROOT, "one", "rho_bar", "squares"), sp.Rational(1, 2)
    book.line(
        f"{claim}: c, mean of roots", rho_bar, "<=", 1 - p_mean * (1 - keep_2K) / 2,
        [
            *(cite(str(x), times=y) for x, y in zip(numbers, (half, 1, half), strict=True)),
            square(root_i - one, half),
        ],
        scope=MEAN_ROOT, vectors=False, claim=claim,
    )  # fmt: skip
    share = (Condition(rho_gap, "<=", sp.Integer(1)), *_SHORT)
    book.suppose(
        "one round, strongly convex", dl_w(t + 1), (1 - rho_gap) * dl_w(t) + APART,
        "Lemma 12 with thm-5: c, one client: E ||T d|| <= rho_i ||d||, and the mean over clients",
        (*_SAMPLES, *_KEPT), conditions=share, restates=["lem-12", f"{claim}: c, one client"],
    )  # fmt: skip
    hypothesis = Premise("hypothesis", "hypothesis", ("?",))
    book.line(
        f"{claim}: c, in 1 - rho", dl_w(t), "<=", APART / rho_gap,
        ["asm one round, strongly convex", hypothesis],
        base=["asm start of coupled runs"], rule="induction", variable="t", vectors=False,
        chart=[below(rho_gap, 1), below(eta, 2 / (L + mu))], conditions=share, claim=claim,
        assumptions=(*_SAMPLES, *_KEPT), scope=CONTRACTED,
    )  # fmt: skip


def write(book: Book) -> None:
    """All of these."""
    _sizes(book)
    _contraction(book)
