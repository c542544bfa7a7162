"""Theorem 3.7 and Corollary 3.8: FedAvg-P with partial participation."""

from typing import Any

import sympy as sp

from fedbounds.theory.checker.data import Assignment
from fedbounds.theory.language.claims import Claim
from fedbounds.theory.language.symbols import (
    F_0,
    G_u,
    G_v,
    K,
    L,
    T,
    b2,
    eta_u,
    eta_v,
    f,
    gamma,
    gamma_u,
    gamma_v,
    m,
    n,
    t,
    variance_u,
)
from fedbounds.theory.personalization.displays_theorems import THEOREM_37_DESCENT, THEOREM_37_E
from fedbounds.theory.personalization.theorems import (
    COROLLARY_38,
    MEASURED,
    NOISE_LEVEL,
    THEOREM_37,
)
from fedbounds.theory.proof.language import (
    Book,
    above,
    below,
    cite,
    condition,
    equal,
    fact,
    scaled,
    solve,
)

ROOTS = (scaled(m, 1, 2), scaled(n, m, 2))  # with m <= n, and square roots of m and of n/m
INNER = (equal(gamma_u, gamma / eta_u), equal(gamma_v, gamma / eta_v))
_OUTER = (above(eta_u, sp.sqrt(m)), above(eta_v, sp.sqrt(n / m)))
_SMALL = below(gamma, 1 / (32 * L * K))
_CHART = (*ROOTS, *_OUTER, _SMALL, *INNER)
_LEMMAS = [
    "lem-3.1",
    "lem-3.2:u",
    "lem-3.2:v",
    "lem-3.3:u",
    "lem-3.3:v",
]
_MEASURED = G_u(t) + m / n * G_v(t)


def stated(claim: Claim, part: str, own: str) -> dict[str, Any]:
    """Conditions and assumptions of a claim's part, for a line of ours about a claim."""
    found = claim.part(part)
    return {
        "conditions": found.conditions,
        "assumptions": found.assumptions,
        "claim": own,
        "source": "ours",
        "vectors": False,
    }


def telescoped(per_round: str, times: sp.Expr) -> list[Any]:
    """A bound per round, summed; f starts at F_0 and is never below its infimum."""
    ends = [fact(end, times=times / (K * gamma)) for end in ("initial_gap", "infimum")]
    return [cite(per_round, over="t", times=times), *ends]


def rooted(radicand: sp.Expr) -> Assignment:
    """sigma_u^2 so that an affine expression in it is a square."""
    slope = sp.diff(radicand, variance_u)
    rest = radicand.subs(variance_u, 0)
    return solve(variance_u, (sp.Symbol("sigma_u2_") ** 2 - rest) / slope, radicand)


def _equation_34(book: Book) -> None:
    chart = [above(n, m), _SMALL]
    book.prove("eq-3.4", "line 1", [*_LEMMAS, "lem-3.4"], chart=[above(n, m)])
    # as 32 L K gamma <= 1 and m <= n
    book.prove("eq-3.4", "drift factor", [], chart=chart)
    drift = cite("eq-3.4:drift factor", times="E(t)")
    book.prove("eq-3.4", "line 2", [cite("eq-3.4:line 1", times=1), drift], chart=chart)


def _drift(book: Book) -> None:
    book.prove("thm-3.7-E", "line 1", ["lem-3.5"], chart=_CHART)
    book.prove("thm-3.7-E", "line 2", ["lem-3.6:a"], chart=_CHART)
    lines = [cite(f"thm-3.7-E:line {number}", times=1) for number in (1, 2)]
    for reading in THEOREM_37_E.readings:
        end = f" [{reading.ambiguity}]" if reading.ambiguity else ""
        if end:
            for number in (1, 2):
                own = [cite(f"thm-3.7-E:line {number}", times=1)]
                book.prove("thm-3.7-E", f"line {number}", own, chart=_CHART, reading=reading)
        book.prove("thm-3.7-E", "line 3", [], chart=_CHART, reading=reading)
        every = [*lines, cite(f"thm-3.7-E:line 3{end}", times=1)]
        book.prove("thm-3.7-E", "bound", every, chart=_CHART, reading=reading)


def _descent(book: Book) -> None:
    # its bound as printed has G_v where this needs (m/n) G_v: amb-6
    uses = ["eq-3.4:line 2", "thm-3.7-E:bound"]
    book.prove("thm-3.7-desc", "descent", uses, chart=_CHART)
    uses = ["eq-3.4:line 2", "thm-3.7-E:bound [amb-6]"]
    book.prove("thm-3.7-desc", "descent", uses, chart=_CHART, source="ours")
    book.prove("thm-3.7-desc", "rewritten", ["thm-3.7-desc:descent"], chart=_CHART)
    book.prove("thm-3.7-desc", "step size", [], chart=_CHART)


def _theorem(book: Book) -> None:
    start = telescoped("thm-3.7-desc:rewritten", 4 / T)
    quarter = cite("thm-3.7-desc:step size", times=4 * MEASURED)
    book.prove("thm-3.7", "", [*start, quarter])
    summed, decrease = THEOREM_37.readings[1:]
    # f(u^T, v^T) is not compared with the infimum
    book.prove("thm-3.7", "", [start[0], quarter], reading=decrease)
    # the left side is n times as large in v
    book.prove("thm-3.7", "", [*start, quarter], reading=summed)


def _corollary(book: Book) -> None:
    by_left = {c.left: c for c in COROLLARY_38.part("").conditions}
    outer, step = by_left[eta_u], by_left[gamma].right
    dissimilar = solve(b2, L * F_0 / T * sp.Symbol("b2_") ** 2, b2 * T / (L * F_0))
    chart = [
        *ROOTS,
        *_OUTER,
        dissimilar,
        rooted(3 * L * K * T / F_0 * NOISE_LEVEL),
        equal(gamma, step),
        *INNER,
    ]
    kept = L**3 * K * (K - 1) * F_0 / T * gamma**2 / eta_u**2

    def uses(theorem: str, weight: int) -> list[Any]:
        """The theorem, and eta_u^2 >= b^2 T / (L F_0) in its last term."""
        large = condition(outer, squared=True, option=2, times=weight * kept)
        return [cite(theorem, times=1), large]

    book.prove("cor-3.8", "", uses("thm-3.7", 128), chart=chart)
    summed = COROLLARY_38.readings[1]
    book.prove("cor-3.8", "", uses("thm-3.7 [amb-2]", 128), chart=chart, reading=summed)
    book.line(
        "cor-3.8/sharper",
        MEASURED,
        "<=",
        sp.Rational(16, 3) * sp.sqrt(3 * NOISE_LEVEL * L * F_0 / (K * T)) + 97 * L * F_0 / T,
        uses("thm-3.7/sharper", 64),
        chart=chart,
        **stated(COROLLARY_38, "", "cor-3.8"),
    )


def _sharper(book: Book) -> None:
    """All terms of the descent are weighed at once, with our Lemma 3.4."""
    spread = 4 * gamma * L * (n - m) / (m * n**2 * K)  # of Lemma 3.4
    drift = (1 + m / n) * L**2 / (n * K) * (1 + 8 * L * K * gamma) + 4 * L**2 * K * spread
    weighed = [
        cite("lem-3.1", times=1 / (K * gamma)),
        *(cite(f"lem-3.2:{block}", times=1 / (K * gamma)) for block in "uv"),
        *(cite(f"lem-3.3:{block}", times=2 * L / (K * gamma)) for block in "uv"),
        cite("lem-3.4/sharper", times=spread),
        cite("lem-3.5", times=drift),
        cite("lem-3.6:a", times=8 * K**2 * (K - 1) * gamma_u**2 * drift),
    ]
    book.line(
        "thm-3.7-desc/sharper",
        _MEASURED / 3,
        "<=",
        (f(t) - f(t + 1)) / (K * gamma)
        + sp.Rational(64, 3) * L**2 * K * (K - 1) * b2 * gamma**2 / eta_u**2
        + sp.Rational(7, 3) * L * NOISE_LEVEL * gamma,
        weighed,
        chart=_CHART,
        **stated(THEOREM_37_DESCENT, "rewritten", "thm-3.7-desc"),
    )
    book.line(
        "thm-3.7/sharper",
        MEASURED,
        "<=",
        3 * F_0 / (T * K * gamma)
        + 7 * L * NOISE_LEVEL * gamma
        + 64 * L**2 * K * (K - 1) * b2 / eta_u**2 * gamma**2,
        telescoped("thm-3.7-desc/sharper", 3 / T),
        chart=_CHART,
        **stated(THEOREM_37, "", "thm-3.7"),
    )


def write(book: Book) -> None:
    """The steps of this chapter."""
    _equation_34(book)
    _drift(book)
    _descent(book)
    _theorem(book)
    _sharper(book)
    _corollary(book)
