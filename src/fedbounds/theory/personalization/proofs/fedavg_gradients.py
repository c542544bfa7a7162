"""Lemma 3.6: the clients' squared gradients B^t grow slowly.

The scope of a client fixes it; its increments are whatever the algorithm makes of its draws.
"""

from typing import Any

import sympy as sp

from fedbounds.theory.checker.data import Scope
from fedbounds.theory.language.claims import Claim
from fedbounds.theory.language.symbols import (
    B,
    Du_2,
    G_u,
    G_v,
    K,
    L,
    T,
    eta_u,
    eta_v,
    gamma,
    gamma_u,
    gamma_v,
    m,
    n,
    t,
    variance_u,
)
from fedbounds.theory.personalization.displays_drift import EQUATION_A5, EQUATION_A6, LEMMA_36_E
from fedbounds.theory.personalization.lemmas import LEMMA_36, SMOOTH_NOISE
from fedbounds.theory.personalization.symbols import (
    Dv_i,
    E,
    g_ui,
)
from fedbounds.theory.personalization.theorems import FULL_NOISE
from fedbounds.theory.proof.language import (
    Book,
    above,
    below,
    cite,
    condition,
    equal,
    fact,
    root,
    square,
)
from fedbounds.theory.proof.vectors import ip, sq

from .. import measured
from .scopes import ANY_ROUND, FEDAVG, INCREMENTS, au, nu
from .technical import of

_CLIENT = f"client of {INCREMENTS}"
_SEEN = ("past", "S", "xi")
SCOPES = {
    _CLIENT: Scope(
        sources=_SEEN,
        atoms=(
            *((name, ("past",)) for name in ("u", "v", "au")),
            *((name, _SEEN) for name in ("nu", "du", "dv")),
        ),
        derived=ANY_ROUND.derived,
        gradients=tuple(row for row in ANY_ROUND.gradients if row[0] in ("au", "nu")),
    )
}

_PLACE = "proof of Lemma 3.6"
_BEFORE = {t: t - 1}
_FULL = (equal(m, n),)
_SMALL = below(gamma, 1 / (8 * L * K))
_INNER = (equal(gamma_u, gamma / eta_u), equal(gamma_v, gamma / eta_v))
_LARGE = (root(n, 2), equal(m, n), above(eta_u, T), above(eta_v, 1), _SMALL, *_INNER)


def definitions(book: Book) -> None:
    """Quantities of one client, whatever the algorithm."""
    for name, left, right in (
        ("g_ui", g_ui(t), measured.OF_CLIENT["g_ui"]),
        ("g_ui next", g_ui(t + 1), sq(nu)),
        ("Du_2", Du_2(t), measured.OF_INCREMENTS["Du_2"]),
        ("Dv_i", Dv_i(t), measured.OF_CLIENT["Dv_i"]),
    ):
        book.define(f"{name} ({_CLIENT})", left, right, "Table 1", _CLIENT)


def _recursion(book: Book) -> None:
    """(A.6), printed for every kappa > 0, for the kappa = T - 1 that is used."""
    line: dict[str, Any] = {
        "scope": _CLIENT,
        "chart": [above(T, 2)],
        "conditions": EQUATION_A6.part("client").conditions,
        "assumptions": SMOOTH_NOISE,
        "claim": "eq-A.6",
        "place": _PLACE,
    }
    book.line(
        "eq-A.6: line 1",
        g_ui(t + 1),
        "==",
        sq(nu - au) + 2 * ip(nu - au, au) + sq(au),
        of(_CLIENT, "g_ui next"),
        **line,
    )
    book.line(
        "eq-A.6: line 2",
        g_ui(t + 1),
        "<=",
        (1 + 1 / (T - 1)) * g_ui(t) + 2 * T * L**2 * (Du_2(t) + Dv_i(t)),
        [
            "eq-A.6: line 1",
            *of(_CLIENT, "g_ui", "Du_2", "Dv_i"),
            fact("smooth", nu, au),
            square((T - 1) * (nu - au) - au),
        ],
        vectors=False,
        **line,
    )
    uses: list[Any] = [cite("eq-A.6: line 2", at=_BEFORE)]
    book.prove("eq-A.6", "client", uses, chart=[above(T, 2)])
    uses = [cite("eq-A.6:client", over="i"), "def sum g_ui", cite("def sum g_ui", at=_BEFORE)]
    uses += [cite("def sum Dv_i", at=_BEFORE)]
    book.prove("eq-A.6", "sum", uses, chart=[*_FULL, above(T, 2)])


def _increments(book: Book) -> None:
    for part, own in (("u", "eq-A.3:bound"), ("v", "eq-A.4:mean")):
        book.prove("lem-3.6-inc", part, [own, f"lem-3.3:{part}"], scope=FEDAVG, chart=_FULL)
    uses: list[Any] = ["eq-A.6:sum"]
    uses += [cite(f"lem-3.6-inc:{part}", at=_BEFORE) for part in "uv"]
    book.prove("eq-A.5-any", "", uses, scope=FEDAVG, chart=[*_FULL, above(T, 2)])
    chart = [*_FULL, above(T, 2), _SMALL]
    book.prove("eq-A.5", "bound", ["eq-A.5-any"], scope=FEDAVG, chart=chart)


def _drift(book: Book) -> None:
    book.prove("lem-3.6-E", "line 1", ["lem-3.5"], scope=FEDAVG, chart=_LARGE)
    (large,) = (c for c in LEMMA_36.part("b").conditions if c.left == eta_u)
    noise = 4 * K**2 * variance_u * gamma**2 / eta_u**2
    uses: list[Any] = [condition(large, option=2, squared=True, times=noise)]  # eta_u^2 >= n
    book.prove("lem-3.6-E", "line 2", uses, scope=FEDAVG, chart=_LARGE)
    book.prove("lem-3.6-E", "line 3", [], scope=FEDAVG, chart=_LARGE)
    lines = [cite(f"lem-3.6-E:line {number}", times=1) for number in (1, 2, 3)]
    book.prove("lem-3.6-E", "bound", lines, scope=FEDAVG, chart=_LARGE)


def _sharper(book: Book) -> None:
    """What the same chain gives where the paper rounds 64 L^2 K^2 gamma^2 <= 1 up."""
    kept, gradients = B(t - 1), n * T * (G_u(t - 1) + G_v(t - 1))
    noise = n * T / K * FULL_NOISE
    rows: tuple[tuple[Claim, str, Any, list[Any], Any], ...] = (
        (
            EQUATION_A5,
            "bound",
            (1 + 1 / (T - 1)) * kept + gradients / 8 + T * L**2 / (2 * K) * E(t - 1) + noise / 16,
            ["eq-A.5-any"],
            (*_FULL, above(T, 2), _SMALL),
        ),
        (
            LEMMA_36_E,
            "bound",
            (K / T**2 * B(t) + n * K * G_v(t) + n / 2 * FULL_NOISE) / (8 * L**2),
            [cite(f"lem-3.6-E:line {number}", times=1) for number in (1, 2)],
            _LARGE,
        ),
        (
            LEMMA_36,
            "b",
            (1 + sp.Rational(17, 16) / (T - 1)) * kept + 3 * gradients / 16 + 3 * noise / 32,
            ["eq-A.5/sharper", cite("lem-3.6-E/sharper", at=_BEFORE)],
            (above(T, 2),),
        ),
    )
    for claim, part, right, uses, chart in rows:
        name, found = claim.entry.id.partition("/")[2], claim.part(part)
        book.line(
            f"{name}/sharper",
            found.left,
            "<=",
            right,
            uses,
            scope=FEDAVG,
            vectors=False,
            chart=chart,
            conditions=found.conditions,
            assumptions=found.assumptions,
            first=found.first_round,
            claim=name,
            source="ours",
        )


def write(book: Book) -> None:
    """The steps of this chapter."""
    uses: list[Any] = [*of(FEDAVG, "B", "G_u"), fact("dissimilarity", au)]
    book.prove("lem-3.6", "a", uses, scope=FEDAVG)
    _recursion(book)
    _increments(book)
    _drift(book)
    uses = ["eq-A.5:bound", cite("lem-3.6-E:bound", at=_BEFORE)]
    book.prove("lem-3.6", "b", uses, scope=FEDAVG, chart=[above(T, 2)])
    _sharper(book)
