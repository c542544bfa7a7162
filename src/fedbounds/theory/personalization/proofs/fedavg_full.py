"""Theorem 3.11: FedAvg-P with full participation."""

from typing import Any

import sympy as sp

from fedbounds.theory.language.claims import AS_PRINTED, Condition, Reading, read
from fedbounds.theory.language.symbols import (
    B_0,
    F_0,
    B,
    G_u,
    G_v,
    K,
    L,
    Mean_t,
    Sum_t,
    T,
    eta_u,
    eta_v,
    f,
    gamma,
    j,
    m,
    n,
    t,
)
from fedbounds.theory.personalization.displays_theorems import (
    THEOREM_311_FINAL,
    THEOREM_311_SUM_B,
)
from fedbounds.theory.personalization.symbols import G_0
from fedbounds.theory.personalization.theorems import FULL_NOISE, LITERAL_B0, THEOREM_311
from fedbounds.theory.proof.language import (
    Book,
    above,
    below,
    cite,
    condition,
    equal,
    fact,
    integer,
    scaled,
    solve,
)

from .fedavg_theorems import INNER, rooted, stated, telescoped
from .technical import by_branch

_FULL = (equal(m, n),)
_SMALL = below(gamma, 1 / (84 * L * K))
_NAMED = below(gamma, 1 / (32 * L * K))
_OUTER = (above(eta_u, sp.sqrt(n)), above(eta_v, 1))
_CHART = (scaled(n, 1, 2), *_FULL, *_OUTER, _SMALL, *INNER)
_BOTH = G_u(t) + G_v(t)
_SEVERAL, _ONE = Condition(T, ">=", sp.Integer(2)), Condition(T, "==", sp.Integer(1))
_GROWTH = 1 + 2 / (T - 1)
_MEASURED = Mean_t(_BOTH)
_LEMMAS = ("lem-3.1", "lem-3.2:u", "lem-3.2:v", "lem-3.3:u", "lem-3.3:v")
_OURS = " (sharper)"
_SHARPER_SUM = (
    sp.Rational(16, 3) * T * B_0
    + sp.Rational(32, 5) * n * T**2 * Sum_t(_BOTH)
    + sp.Rational(32, 5) * n * T**3 / K * FULL_NOISE
)


def _descent(book: Book) -> None:
    book.prove("eq-3.5", "", _LEMMAS, chart=[*_FULL, _NAMED])
    chart = [scaled(n, 1, 2), *_FULL, *_OUTER, _NAMED, *INNER]
    book.prove("thm-3.11-E", "", ["lem-3.5"], chart=chart)
    book.prove("thm-3.11-desc", "", ["eq-3.5", "thm-3.11-E"], chart=chart)
    ends = [fact(end, times=1 / (T * K * gamma)) for end in ("initial_gap", "infimum")]
    uses = [cite("thm-3.11-desc", over="t", times=1 / (T * K * gamma)), *ends]
    book.prove("eq-3.6", "average", uses, chart=[*_FULL])


def _line(end: str, *more: Condition) -> dict[str, Any]:
    found = THEOREM_311_SUM_B.part("")
    return {
        "conditions": (*found.conditions, *more),
        "assumptions": found.assumptions,
        "vectors": False,
        "claim": "thm-3.11-sumB",
        "source": "ours" if end else "paper",
        "place": "proof of Theorem 3.11",
    }


def _powers(book: Book) -> None:
    """What its last step says of q = 1 + 2/(T - 1); j is the number of rounds before t."""
    r = sp.Symbol("r")
    line: dict[str, Any] = {
        "claim": "thm-3.11-sumB",
        "place": "proof of Theorem 3.11",
        "chart": [above(T, 2)],
    }
    until = Condition(j, "<=", T - 1)
    power = (T - 1) / 2 * _GROWTH**j
    book.line(
        "thm-3.11-sumB: sum of powers",
        sp.Sum(_GROWTH**r, (r, 0, j - 1)),
        "<=",
        power,
        conditions=[_SEVERAL],
        **line,
    )
    q = "1 + 2/(T - 1)"
    book.line(
        "thm-3.11-sumB: last power",
        power,
        "<=",
        (T - 1) / 2 * _GROWTH ** (T - 1),
        [fact("power_grows", q, "j", "T - 1", times=(T - 1) / 2)],
        conditions=[_SEVERAL, until],
        **line,
    )
    for end, most in (("", "8"), (_OURS, "37/5")):
        book.line(
            f"thm-3.11-sumB: growth{end}",
            _GROWTH ** (T - 1),
            "<=",
            sp.Rational(most),
            [fact("growth", "2", "T - 1", most, times=1)],
            conditions=[_SEVERAL],
            source="ours" if end else "paper",
            **line,
        )


def _summed(book: Book) -> None:
    several = [above(T, 2), *_FULL]
    every = (_GROWTH**T - 1) / (_GROWTH - 1)
    but_last = (_GROWTH ** (T - 1) - 1) / (_GROWTH - 1)
    added = 2 * n * T * Sum_t(_BOTH) + T * 2 * n * T / K * FULL_NOISE
    # its double sum with the order of summation exchanged: the rounds after r weigh
    # 1 + q + ... + q^(T-2-r), at most the sum of T - 1 powers
    book.line(
        "thm-3.11-sumB: line 1",
        Sum_t(B(t)),
        "<=",
        every * B(0) + but_last * added,
        ["lem-3.6:b"],
        rule="unroll",
        variable="B",
        origin="1 + 2/(T - 1)",
        chart=several,
        **_line("", _SEVERAL),
    )
    book.line(
        "thm-3.11-sumB: one round",
        Sum_t(B(t)),
        "==",
        B_0,
        ["def B start"],
        chart=[equal(T, 1)],
        **_line("", _ONE),
    )
    # S(T) = (T - 1)/2 (q^T - 1), where q^T = q^(T-1) (T + 1)/(T - 1); S(T - 1) likewise
    weight = (T + 1) / 2 * B_0 + (T - 1) / 2 * added
    for end, right in (("", THEOREM_311_SUM_B.part("").right), (_OURS, _SHARPER_SUM)):
        book.line(
            f"thm-3.11-sumB: several rounds{end}",
            Sum_t(B(t)),
            "<=",
            right,
            [
                cite("thm-3.11-sumB: line 1", times=1),
                cite("def B start", times=-every),
                cite(f"thm-3.11-sumB: growth{end}", times=weight),
            ],
            chart=several,
            **_line(end, _SEVERAL),
        )
    cases = [integer(T, 1)]
    own = [
        by_branch(cite("thm-3.11-sumB: one round"), 1, 0),
        by_branch(cite("thm-3.11-sumB: several rounds"), 0, 1),
    ]
    for reading in THEOREM_311_SUM_B.readings:
        book.prove("thm-3.11-sumB", "", own, chart=cases, reading=reading)
    book.line(
        "thm-3.11-sumB/sharper",
        Sum_t(B(t)),
        "<=",
        _SHARPER_SUM,
        [own[0], by_branch(cite(f"thm-3.11-sumB: several rounds{_OURS}"), 0, 1)],
        chart=cases,
        **stated(THEOREM_311_SUM_B, "", "thm-3.11-sumB"),
    )


def _theorem(book: Book) -> None:
    start = solve(B_0, n * L * F_0 / T * sp.Symbol("B_0_") ** 2, B_0 * T / (n * L * F_0))
    literal = solve(G_0, L * F_0 / T * sp.Symbol("G_0_") ** 2, G_0 * T / (L * F_0))
    large = [*_FULL, above(eta_u, T), _NAMED]
    for reading in THEOREM_311_FINAL.readings:
        end = f" [{reading.ambiguity}]" if reading.ambiguity else ""
        uses = [
            cite("eq-3.6:average", times=1),
            cite(f"thm-3.11-sumB{end}", times=L * K * gamma / (n * T * eta_u**2)),
        ]
        book.prove("thm-3.11-fin", "average", uses, chart=large, reading=reading)
        book.prove("thm-3.11-fin", "step size", [], chart=[_SMALL], reading=reading)
    (step,) = (c.right for c in THEOREM_311.part("b").conditions if _equals(c, gamma))
    rates = [*_FULL, rooted(11 * L * K * T / F_0 * FULL_NOISE), equal(gamma, step)]
    for reading in THEOREM_311.readings:
        end = f" [{reading.ambiguity}]" if reading.ambiguity else ""
        own = end if reading in THEOREM_311_FINAL.readings else ""
        final = cite(f"thm-3.11-fin:average{own}", times=4)
        # that 21 L K gamma <= 1/4 is what the chart says
        uses = [final, _start(_outer(reading), 1)]
        root = literal if reading == LITERAL_B0 else start
        book.prove("thm-3.11", "a", uses, chart=[*_FULL, root, _SMALL], reading=reading)
        uses = [cite(f"thm-3.11:a{end}", times=1)]
        book.prove("thm-3.11", "b", uses, chart=rates, reading=reading)
    _sharper(book, [*_FULL, above(eta_u, T), _SMALL, start], rates)


def _sharper(book: Book, chart: list[Any], rates: list[Any]) -> None:
    """The drift is put in before its factor is rounded, at 84 L K gamma <= 1."""
    drift = 2 * L**2 / (n * K) * (1 + 8 * L * K * gamma)
    weighed = [
        cite("lem-3.1", times=1 / (K * gamma)),
        *(cite(f"lem-3.2:{block}", times=1 / (K * gamma)) for block in "uv"),
        *(cite(f"lem-3.3:{block}", times=2 * L / (K * gamma)) for block in "uv"),
        cite("lem-3.5", times=drift),
    ]
    on_squares = L * K * gamma / (4 * n * eta_u**2)
    book.line(
        "eq-3.6/sharper",
        (sp.Rational(1, 2) - sp.Rational(13, 3) * L * K * gamma) * _BOTH,
        "<=",
        (f(t) - f(t + 1)) / (K * gamma)
        + sp.Rational(13, 6) * L * FULL_NOISE * gamma
        + on_squares * B(t),
        weighed,
        chart=_CHART,
        **stated(THEOREM_311, "a", "eq-3.6"),
    )
    weight = sp.Rational(7, 3)
    squares = cite("thm-3.11-sumB/sharper", times=weight * on_squares / T)
    first = _start(_outer(AS_PRINTED), weight * sp.Rational(4, 3) * L * K * gamma)
    book.line(
        "thm-3.11/sharper",
        _MEASURED,
        "<=",
        weight * F_0 / (T * K * gamma) + 9 * L * FULL_NOISE * gamma + L * F_0 / (25 * T),
        [*telescoped("eq-3.6/sharper", weight / T), squares, first],
        chart=chart,
        **stated(THEOREM_311, "a", "thm-3.11"),
    )
    book.line(
        "thm-3.11: b (sharper)",
        _MEASURED,
        "<=",
        sp.Rational(16, 5) * sp.sqrt(11 * L * F_0 / (K * T) * FULL_NOISE) + 197 * L * F_0 / T,
        [cite("thm-3.11/sharper", times=1)],
        chart=rates,
        **stated(THEOREM_311, "b", "thm-3.11"),
    )


def _equals(found: Condition, symbol: sp.Symbol) -> bool:
    return bool(found.left == symbol and found.relation == "==")


def _outer(reading: Reading) -> Condition:
    """What bounds eta_u from below."""
    first = read(THEOREM_311, reading)[0]
    (found,) = (c for c in first.conditions if c.left == eta_u)
    return found


def _start(outer: Condition, weight: Any) -> Any:
    """eta_u^2 >= B^0 T/(n L F_0), for a multiple of B^0/(n eta_u^2)."""
    return condition(outer, squared=True, option=3, times=weight * L * F_0 / (T * eta_u**2))


def write(book: Book) -> None:
    """The steps of this chapter."""
    _descent(book)
    _powers(book)
    _summed(book)
    _theorem(book)
