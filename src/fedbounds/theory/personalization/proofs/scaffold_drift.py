"""Lemma 4.3: Scaffold-P's drift, by (A.9) applied k times; a single step apart."""

from typing import Any

import sympy as sp

from fedbounds.theory.checker.data import Premise
from fedbounds.theory.language.claims import Condition
from fedbounds.theory.language.symbols import K, k, t
from fedbounds.theory.personalization.lemmas import SMOOTH_NOISE
from fedbounds.theory.personalization.scaffold_lemmas import (
    DISPLAY_A9,
    INNER_STEPS,
    LEMMA_43_IK,
    SEVERAL_STEPS,
)
from fedbounds.theory.personalization.symbols import E_ik
from fedbounds.theory.proof.language import (
    Book,
    above,
    cite,
    condition,
    equal,
    fact,
    integer,
)

from .technical import GROWTH, by_branch

_PLACE = "proof of Lemma 4.3"
_SEVERAL = [above(K, 2)]

_r = sp.Symbol("r", integer=True, nonnegative=True)
_ADDED = DISPLAY_A9.part("both").right.coeff(E_ik(t, k), 0)  # what one local step adds


def _drift(book: Book) -> None:
    """(A.9) applied k times."""
    book.line(
        "lem-4.3-ik: k times",
        E_ik(t, k),
        "<=",
        _ADDED * (K - 1) / 2 * ((1 + 2 / (K - 1)) ** k - 1),
        [
            Premise("hypothesis", "hypothesis", (GROWTH,)),
            cite("eq-A.9:both", times=1),
            condition(INNER_STEPS, times=E_ik(t, k) / (K - 1)),
        ],
        rule="induction",
        variable="k",
        base=["E_ik start"],
        chart=_SEVERAL,
        conditions=LEMMA_43_IK.part("bound").conditions,
        assumptions=SMOOTH_NOISE,
        claim="lem-4.3-ik",
        place=_PLACE,
    )
    # ours sums to k - 1; the paper's sum to K - 1 is bounded by lem-4.3-geo, false for small K
    times = _ADDED * (K - 1) / 2
    last = fact("power_grows", GROWTH, "k", "K - 1", times=times)
    growth = fact("growth", "2", "K - 1", "8", times=times)
    book.prove("lem-4.3-ik", "geometric", ["lem-4.3-ik: k times", last], chart=_SEVERAL)
    book.prove("lem-4.3-ik", "bound", ["lem-4.3-ik:geometric", growth], chart=_SEVERAL)
    uses: list[Any] = ["lem-4.3-ik: k times", last, growth]
    book.prove("lem-4.3-ik", "bound", uses, chart=_SEVERAL, source="ours")
    total = sp.Sum((1 + 2 / (K - 1)) ** _r, (_r, 0, K - 1))
    book.line(
        "lem-4.3-geo/corrected",
        total,
        "<=",
        sp.Rational(4, 3) * (K - 1) * (1 + 2 / (K - 1)) ** (K - 1),
        chart=[integer(K, 2)],
        conditions=[SEVERAL_STEPS],
        claim="lem-4.3-geo",
        source="ours",
        place=_PLACE,
    )


def _sum(book: Book) -> None:
    """Lemma 4.3; a single step starts where the round does."""
    book.line(
        "lem-4.3: one step, by k",
        E_ik(t, k),
        "<=",
        k * E_ik(t, k),
        rule="induction",
        variable="k",
        base=["E_ik start"],
        claim="lem-4.3",
        source="ours",
    )
    one = Condition(K, "==", sp.Integer(1))
    last = Condition(k, "<=", K - 1)
    book.line(
        "lem-4.3: one step",
        E_ik(t, k),
        "<=",
        0,
        [cite("lem-4.3: one step, by k", times=1), condition(last, times=E_ik(t, k))],
        chart=[equal(K, 1)],
        conditions=[one],
        claim="lem-4.3",
        source="ours",
    )
    sums: list[Any] = ["def sum E_ik", "def sum C_i", "def sum g_vi"]
    book.prove(
        "lem-4.3",
        "",
        [
            *sums,
            by_branch(cite("lem-4.3: one step", over="ik"), 1, 0),
            by_branch(cite("lem-4.3-ik:bound", over="ik"), 0, 1),
        ],
        chart=[integer(K, 1)],
    )


def write(book: Book) -> None:
    """The steps of this chapter."""
    _drift(book)
    _sum(book)
