"""Lemmas A.1 to A.3, and the geometric sums in the proofs of Lemmas 3.5 and 4.3.

The scope of Lemma A.2 has one vector X_i per client, independent of the participants.
"""

from dataclasses import replace
from typing import Any

import sympy as sp

from fedbounds.theory.checker.data import Premise, Scope
from fedbounds.theory.language.claims import Condition
from fedbounds.theory.language.symbols import K, L, m, n, t
from fedbounds.theory.personalization.lemmas import LEMMA_A2, SMOOTH
from fedbounds.theory.personalization.participants import PARTICIPANTS, QUANTITIES
from fedbounds.theory.personalization.symbols import (
    D_2,
    N_2,
    O_2,
    S_2,
    X_2,
)
from fedbounds.theory.proof.language import (
    Book,
    above,
    cite,
    equal,
    fact,
    integer,
    square,
)
from fedbounds.theory.proof.vectors import ip, sq

from .scopes import FEDAVG, INCREMENTS, SCAFFOLD, Yu, au, av, du, dv, value00, value11, wu

BOTH = ((FEDAVG, ""), (SCAFFOLD, SCAFFOLD))  # a scope, and what tells its proofs apart
COUNTS = (integer(m, 1), integer(n, m))  # n - 1 divides: a single client is a branch of its own

SCOPES = {
    PARTICIPANTS: Scope(
        sources=("past", "S", "i"),
        atoms=(("X", ("past", "i")),),
        sampled=True,
    )
}

_SEVERAL = Condition(n, ">=", sp.Integer(2))
_PLACE_A2, _PLACE_A3 = "proof of Lemma A.2", "proof of Lemma A.3"


def definitions(book: Book) -> None:
    """The quantities of Lemma A.2."""
    for quantity in (S_2, X_2, D_2, O_2, N_2):
        name = quantity.__name__
        right = QUANTITIES[name]
        book.define(f"{name} ({PARTICIPANTS})", quantity(t), right, "Lemma A.2", PARTICIPANTS)


def of(scope: str, *names: str) -> list[str]:
    """Ids of definitions in a scope."""
    return [f"def {name} ({scope})" for name in names]


def by_branch(premise: Premise, *times: Any) -> Premise:
    """A premise with a multiplier of its own in every branch of the chart."""
    return replace(premise, times=tuple(str(sp.sympify(factor, strict=True)) for factor in times))


def _lemma_a1(book: Book) -> None:
    """The martingale differences are Y_{i,k}, in the order of (i, k)."""
    for scope, apart in BOTH:
        uses: list[Any] = [
            *of(scope, "Y_sum", "Y_2"),
            fact("martingale", Yu, "k"),
            fact("martingale", Yu, "ik"),
        ]
        book.prove("lem-A.1", "", uses, scope=scope, chart=COUNTS, apart=apart)


def _lemma_a2(book: Book) -> None:
    several: dict[str, Any] = {"scope": PARTICIPANTS, "claim": "lem-A.2", "place": _PLACE_A2}
    book.line(
        "lem-A.2: one client",
        S_2(t),
        "==",
        X_2(t),
        of(PARTICIPANTS, "S_2", "X_2"),
        vectors=False,
        chart=[equal(n, 1), equal(m, 1)],
        conditions=[Condition(n, "==", sp.Integer(1)), Condition(m, "==", sp.Integer(1))],
        **several,
    )
    # the chances that one, and that two different given clients take part
    book.line(
        "lem-A.2: line 1",
        S_2(t),
        "==",
        (m / n * O_2(t) + m * (m - 1) / (n * (n - 1)) * N_2(t)) / m**2,
        of(PARTICIPANTS, "S_2", "O_2", "N_2"),
        vectors=False,
        chart=[above(n, 2)],
        conditions=[_SEVERAL],
        **several,
    )
    book.prove("lem-A.2-pair", "", ["lem-A.2: line 1"], chart=[above(n, 2)])
    book.prove(
        "lem-A.2-exact",
        "",
        ["lem-A.2-pair", *of(PARTICIPANTS, "X_2", "D_2", "O_2", "N_2")],
        scope=PARTICIPANTS,
        chart=[above(n, 2)],
    )
    book.line(
        "lem-A.2: 1/(n - 1)",
        1 / (n - 1),
        "<=",
        2 / n,
        chart=[above(n, 2)],
        conditions=[_SEVERAL],
        claim="lem-A.2",
        place=_PLACE_A2,
    )
    uses: list[Any] = ["lem-A.2: one client", "lem-A.2-exact", "lem-A.2: 1/(n - 1)"]
    # its last step is an inequality, and n > 2 with m < n makes it strict
    book.prove("lem-A.2", "", uses, chart=COUNTS)
    single, exact, larger = (cite(name) for name in uses)
    slack = (n - m) / (m * n) * D_2(t)
    at_most = [
        by_branch(single, 1, 0, 0, 0),
        by_branch(exact, 0, 1, 1, 1),
        by_branch(larger, 0, slack, slack, slack),
    ]
    book.prove("lem-A.2", "", at_most, chart=COUNTS, reading=LEMMA_A2.readings[1])
    book.line(
        "lem-A.2/corrected",
        S_2(t),
        "==",
        X_2(t) + (n - m) / (m * n * sp.Max(n - 1, 1)) * D_2(t),
        at_most[:2],
        chart=COUNTS,
        claim="lem-A.2",
        source="ours",
    )


def _lemma_a3(book: Book) -> None:
    """Its displays are averaged over clients; L stands for L_u, L_v and L_uv, which it bounds."""
    start, end = value00, value11
    line: dict[str, Any] = {
        "scope": INCREMENTS,
        "claim": "lem-A.3",
        "assumptions": SMOOTH,
        "place": _PLACE_A3,
    }
    book.line(
        "lem-A.3: by blocks",
        end - start,
        "<=",
        ip(wu, du) + L / 2 * sq(du) + ip(av, dv) + L / 2 * sq(dv),
        [fact("descent", "value00", "value01", av), fact("descent", "value01", "value11", wu)],
        **line,
    )
    book.line(
        "lem-A.3: cross term, line 1",
        ip(wu, du),
        "==",
        ip(wu - au, du) + ip(au, du),
        **line,
    )
    # between these the paper has L_uv ||Delta v_i|| ||Delta u||, a product of norms
    book.line(
        "lem-A.3: cross term, line 3",
        ip(wu, du),
        "<=",
        L / 2 * (sq(dv) + sq(du)) + ip(au, du),
        [
            cite("lem-A.3: cross term, line 1", times=1),
            fact("smooth", wu, au),
            square(wu - au - L * du),
        ],
        **line,
    )
    book.line(
        "lem-A.3: client",
        end - start,
        "<=",
        ip(au, du) + ip(av, dv) + L * sq(du) + L * sq(dv),
        ["lem-A.3: by blocks", "lem-A.3: cross term, line 3"],
        **line,
    )
    uses: list[Any] = [
        "lem-A.3: client",
        *of(INCREMENTS, "f", "f next", "X_u", "X_v", "Du_2", "Dv_2"),
    ]
    book.prove("lem-A.3", "", uses, scope=INCREMENTS)


GROWTH = "1 + 2/(K - 1)"  # q of the geometric sums


def _geometric(book: Book) -> None:
    """q = 1 + 2/(K - 1): a sum of j powers is (K - 1)/2 (q^j - 1)."""
    several = [above(K, 2)]
    last = fact("power_grows", GROWTH, "j", "K - 1", times=(K - 1) / 2)
    for part, uses in (
        ("power k", []),
        ("last power", [last]),
        ("sum", [cite(f"lem-3.5-geo:{name}", times=1) for name in ("power k", "last power")]),
        ("4(K-1)", [fact("growth", "2", "K - 1", "8")]),
    ):
        book.prove("lem-3.5-geo", part, uses, chart=several)
    book.prove("lem-4.3-geo", "all steps", [last], chart=several)
    # q^(K-1) <= (K - 1)/2 is needed, and fails for K <= 13
    book.prove("lem-4.3-geo", "last power", [fact("growth", "2", "K - 1", "8")], chart=several)


def write(book: Book) -> None:
    """The steps of this chapter."""
    _lemma_a1(book)
    _lemma_a2(book)
    _lemma_a3(book)
    _geometric(book)
