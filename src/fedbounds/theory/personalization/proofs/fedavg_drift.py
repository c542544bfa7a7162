"""Lemma 3.5: the drift of the local iterates of FedAvg-P.

The scope of later steps has the drift at a uniform step from 1 to K - 1, for the first adds none.
"""

from typing import Any

import sympy as sp

from fedbounds.theory.checker.data import Premise, Scope
from fedbounds.theory.language.claims import Condition
from fedbounds.theory.language.symbols import (
    B,
    G_v,
    K,
    gamma_u,
    gamma_v,
    k,
    n,
    t,
    variance_u,
    variance_v,
)
from fedbounds.theory.personalization.displays_drift import EQUATION_33, LEMMA_35_IK
from fedbounds.theory.personalization.lemmas import LEMMA_35, SMOOTH_NOISE
from fedbounds.theory.personalization.symbols import (
    E,
    E_ik,
    Eu_ik,
    g_ui,
    g_vi,
)
from fedbounds.theory.proof.language import (
    Book,
    above,
    cite,
    condition,
    equal,
    fact,
    integer,
    square,
)
from fedbounds.theory.proof.vectors import sq, vectors

from .scopes import FEDAVG, Yu, Yv, au, av, hu, hv, u, uh, v, vh
from .technical import GROWTH, by_branch, of

_STEP, _LATER = f"step of {FEDAVG}", f"later steps of {FEDAVG}"

zu, zv = vectors({"zu": r"\hat u_{i,k}^t-u^t", "zv": r"\hat v_{i,k}^t-v_i^t"})
SCOPES = {
    _LATER: Scope(
        sources=("past", "xi", "i", "k"),
        atoms=(("zu", ("past", "xi", "i", "k")), ("zv", ("past", "xi", "i", "k"))),
    )
}

_SEVERAL = EQUATION_33.part("u").conditions[0]  # K >= 2
_SMALL = LEMMA_35.part("").conditions[0]  # 4 L^2 K (K - 1) (gamma_u^2 + gamma_v^2) <= 1
_NOISE = variance_u * gamma_u**2 + variance_v * gamma_v**2
_PLACE = "proof of Lemma 3.5"


def definitions(book: Book) -> None:
    """The drift without its first step, which adds nothing."""
    right = n * (K - 1) * (sq(zu) + sq(zv))
    book.define(f"E ({_LATER})", E(t), right, "Algorithm 1: initial local iterates", _LATER)


def _one_step(book: Book) -> None:
    line: dict[str, Any] = {
        "scope": _STEP,
        "claim": "eq-3.3",
        "conditions": [_SEVERAL],
        "assumptions": SMOOTH_NOISE,
        "chart": [above(K, 2)],
        "place": _PLACE,
    }
    kept, noise = (1 + 1 / (K - 1)) * sq(uh - u), variance_u * gamma_u**2
    lines: tuple[tuple[str, Any, list[Any]], ...] = (
        ("==", sq(uh - gamma_u * (hu + Yu) - u), of(_STEP, "Eu_ik next")),
        ("<=", sq(uh - gamma_u * hu - u) + noise, [fact("variance", Yu)]),
        (
            "<=",
            kept + K * gamma_u**2 * sq(hu) + noise,
            [square(uh - u + (K - 1) * gamma_u * hu)],
        ),
        (
            "<=",
            kept + 2 * K * gamma_u**2 * (sq(au) + sq(hu - au)) + noise,
            [square(hu - 2 * au)],
        ),
    )
    uses: list[Any]
    before = Eu_ik(t, k + 1)
    for number, (relation, right, uses) in enumerate(lines, start=1):
        book.line(f"eq-3.3: line {number}", before, relation, right, uses, **line)
        before = right
    uses = [
        *(f"eq-3.3: line {number}" for number in range(1, 5)),
        *of(_STEP, "Eu_ik", "Ev_ik", "g_ui"),
        fact("smooth", hu, au),
    ]
    book.prove("eq-3.3", "u", uses, scope=_STEP, chart=[above(K, 2)])
    uses = [
        *of(_STEP, "Ev_ik next", "Eu_ik", "Ev_ik", "g_vi"),
        fact("smooth", hv, av),
        fact("variance", Yv),
        square(vh - v + (K - 1) * gamma_v * hv),
        square(hv - 2 * av),
    ]
    book.prove("eq-3.3", "v", uses, scope=_STEP, chart=[above(K, 2)])
    uses = ["eq-3.3:u", "eq-3.3:v", "def E_ik", "def E_ik next"]
    book.prove("eq-3.3", "sum", uses, scope=_STEP, chart=[above(K, 2)])


def _all_steps(book: Book) -> None:
    """Unroll (3.3); k runs from 0 to K - 1."""
    r = sp.Symbol("r", integer=True, nonnegative=True)
    powers = sp.Sum((1 + 2 / (K - 1)) ** r, (r, 0, k - 1))
    added = 2 * K * gamma_u**2 * g_ui(t) + 2 * K * gamma_v**2 * g_vi(t) + _NOISE
    line: dict[str, Any] = {
        "scope": _STEP,
        "vectors": False,
        "claim": "lem-3.5-ik",
        "chart": [above(K, 2)],
        "place": _PLACE,
    }
    several: dict[str, Any] = {
        "conditions": LEMMA_35_IK.part("").conditions,
        "assumptions": SMOOTH_NOISE,
    }
    book.line(
        "lem-3.5-ik: line 1",
        E_ik(t, k),
        "<=",
        added * powers,
        [
            cite("eq-3.3:sum", times=1),
            Premise("hypothesis", "hypothesis", (GROWTH,)),
            condition(_SMALL, times=E_ik(t, k) / (K - 1)),
        ],
        rule="induction",
        variable="k",
        base=["E_ik start"],
        **line,
        **several,
    )
    for name, bound, times in (("", "8", 4), ("/sharper", "37/5", sp.Rational(16, 5))):
        book.line(
            f"lem-3.5-geo{name}: to k",
            powers,
            "<=",
            times * (K - 1),
            [
                fact("power_grows", GROWTH, "k", "K - 1", times=(K - 1) / 2),
                fact("growth", "2", "K - 1", bound, times=(K - 1) / 2),
            ],
            conditions=[_SEVERAL],
            source="ours" if name else "paper",
            **line,
        )
    uses: list[Any] = _bounded("lem-3.5-geo: to k")
    book.prove("lem-3.5-ik", "", uses, scope=_STEP, chart=[above(K, 2)])
    book.line(
        "lem-3.5-ik/sharper",
        E_ik(t, k),
        "<=",
        sp.Rational(16, 5) * (K - 1) * added,
        _bounded("lem-3.5-geo/sharper: to k"),
        source="ours",
        **line,
        **several,
    )


def _bounded(powers: str) -> list[Any]:
    """The unrolled recursion with its sum of powers bounded."""
    factors = (gamma_u**2 * g_ui(t), gamma_v**2 * g_vi(t))
    bounds = [cite(powers, times=2 * K * factor) for factor in factors]
    return [cite("lem-3.5-ik: line 1", times=1), *bounds, cite(powers, times=_NOISE)]


def _all_clients(book: Book) -> None:
    """Sum over clients and steps; K = 1 apart."""
    totals = ["def sum E_ik", "def sum g_ui", "def sum g_vi"]
    sum_i = sp.Function("Sum_i")
    own = gamma_u**2 * sum_i(g_ui(t)) + gamma_v**2 * sum_i(g_vi(t))
    lines = (
        8 * K**2 * (K - 1) * own + 4 * n * K**2 * _NOISE,
        8 * K**2 * (K - 1) * (gamma_u**2 * B(t) + n * gamma_v**2 * G_v(t)) + 4 * n * K**2 * _NOISE,
    )
    line: dict[str, Any] = {
        "scope": FEDAVG,
        "vectors": False,
        "conditions": LEMMA_35_IK.part("").conditions,
        "assumptions": SMOOTH_NOISE,
        "claim": "lem-3.5",
        "chart": [above(K, 2)],
        "place": _PLACE,
    }
    uses: list[Any] = [cite("lem-3.5-ik", over="ik"), "def sum E_ik"]
    book.line("lem-3.5: line 1", E(t), "<=", lines[0], uses, **line)
    book.line("lem-3.5: line 2", lines[0], "<=", lines[1], totals[1:], **line)
    book.line(
        "lem-3.5: one step",
        E(t),
        "==",
        0,
        of(_LATER, "E"),
        scope=_LATER,
        vectors=False,
        chart=[equal(K, 1)],
        conditions=[Condition(K, "==", sp.Integer(1))],
        claim="lem-3.5",
        place=_PLACE,
    )
    one = by_branch(cite("lem-3.5: one step"), 1, 0)
    later = [by_branch(cite(f"lem-3.5: line {number}"), 0, 1) for number in (1, 2)]
    book.prove("lem-3.5", "", [one, *later], scope=FEDAVG, chart=[integer(K, 1)])
    sharper = (
        sp.Rational(32, 5) * K**2 * (K - 1) * (gamma_u**2 * B(t) + n * gamma_v**2 * G_v(t))
        + sp.Rational(16, 5) * n * K * (K - 1) * _NOISE
    )
    ours: dict[str, Any] = line | {"source": "ours", "place": ""}
    uses = [cite("lem-3.5-ik/sharper", over="ik"), *totals]
    book.line("lem-3.5/sharper: several steps", E(t), "<=", sharper, uses, **ours)
    uses = [one, by_branch(cite("lem-3.5/sharper: several steps"), 0, 1)]
    ours |= {"conditions": [_SMALL], "chart": [integer(K, 1)]}
    book.line("lem-3.5/sharper", E(t), "<=", sharper, uses, **ours)


def write(book: Book) -> None:
    """The steps of this chapter."""
    _one_step(book)
    _all_steps(book)
    _all_clients(book)
