"""Lemma 4.4: the recursion (A.10) for C^t, what bounds its terms, and their sum (A.14)."""

from typing import Any

import sympy as sp

from fedbounds.theory.language.claims import Condition
from fedbounds.theory.language.symbols import (
    Du_2,
    Dv_2,
    G_u,
    G_v,
    K,
    L,
    eta_u,
    eta_v,
    gamma,
    gamma_u,
    gamma_v,
    m,
    n,
    t,
    variance_u,
    variance_v,
)
from fedbounds.theory.personalization.lemmas import EFFECTIVE_STEP
from fedbounds.theory.personalization.scaffold_lemmas import NOISE
from fedbounds.theory.personalization.scaffold_memory import (
    DISPLAY_A13,
    LAG_STEPS,
    TWO_THIRDS,
)
from fedbounds.theory.personalization.symbols import (
    C,
    E,
    M_u,
    M_v,
    T_2u,
    T_2v,
)
from fedbounds.theory.proof.language import (
    Book,
    above,
    below,
    cite,
    condition,
    equal,
    integer,
    root,
    scaled,
    square,
)
from fedbounds.theory.proof.vectors import given, past, present, sq, xi
from fedbounds.theory.proof.vectors import i as client

from .scopes import (
    SCAFFOLD,
    Yu,
    al,
    be,
    c,
    ci,
    dv,
    hu,
    hv,
    u,
    uh,
    v,
    vh,
)
from .technical import COUNTS, by_branch, of

_PLACE = "proof of Lemma 4.4"
_ONE = Condition(m, "==", sp.Integer(1))
_THREE = Condition(n, ">=", sp.Integer(3))
_BEFORE = {t: t - 1}
_EFFECTIVE = [equal(gamma_u, gamma / eta_u), equal(gamma_v, gamma / eta_v)]


def _recursion(book: Book) -> None:
    """(A.10): the sum over clients and steps; kappa needs absent clients."""
    sums: list[Any] = [
        "def sum lags",
        *(cite(f"def sum {name}", at=_BEFORE) for name in ("lags", "E_ik", "Dv_i", "M_vi")),
        cite("def E_ik", at=_BEFORE, over="ik"),
    ]
    everyone = ("lem-4.4-young:u after split", "lem-4.4-young: v split")
    some = ("lem-4.4-young:u", "lem-4.4-young:v")
    book.prove(
        "eq-A.10",
        "",
        [
            *sums,
            *(by_branch(cite(name, over="ik"), 1, 0) for name in everyone),
            *(by_branch(cite(name, over="ik"), 0, 1) for name in some),
        ],
        chart=[integer(n, m)],
    )


_MEAN_M = 2 * n**2 * K / m * (M_u(t) + M_v(t))
_KEPT = (1 - m / (2 * n)) * C(t) + 2 * m / n * E(t)


def _own_recursion(book: Book) -> None:
    """(A.10) for the clients' mean: an absent client's share of Delta u averages out.

    Delta u given that i is absent is, in the mean, (n - m)/(n - 1) times the mean increment less
    client i's own share; the clients' shares are small against E ||Delta u||^2.
    """
    own = -gamma * K * (hu + Yu - ci + c)  # client's update, had it been alone
    absent = (n - m) / sp.Max(n - 1, 1)  # a client's chance to be absent if another takes part
    each, mean = (given(own, past, xi, client), given(own, past, xi))
    each_mean, all_mean = (given(own, past, client), given(own, past))
    with_it = (absent * each + (1 - absent) * n * mean) / m
    without = absent * (all_mean - each_mean / n)
    uses: list[Any] = [
        *of(SCAFFOLD, "C next", "C", "Du_2", "Dv_2", "E", "M_u", "M_v"),
        square(uh - u + with_it),
        square(m / (2 * n) * (al - u) + without),
        square(present(vh - v) + dv),
        square(be - v),
        square(each - each_mean),
        square(mean - all_mean),
        square(each_mean - all_mean),
        square(all_mean),
    ]
    line: dict[str, Any] = {
        "scope": SCAFFOLD,
        "vectors": False,
        "claim": "eq-A.10",
        "source": "ours",
        "assumptions": NOISE,
    }
    printed = _KEPT + 2 * n * K * (Du_2(t) + Dv_2(t)) + _MEAN_M
    # as printed but for one participant of two clients, where the shares need not be small
    for name, conditions, chart in (
        ("two participants", [Condition(m, ">=", sp.Integer(2))], [above(m, 2), integer(n, m)]),
        ("one participant", [_ONE, _THREE], [equal(m, 1), above(n, 3)]),
    ):
        book.line(
            f"eq-A.10: {name}",
            C(t + 1),
            "<=",
            printed,
            uses,
            conditions=[EFFECTIVE_STEP, *conditions],
            chart=chart,
            **line,
        )
    book.line(
        "eq-A.10/corrected",
        C(t + 1),
        "<=",
        printed + n * K / 2 * Du_2(t),
        uses,
        conditions=[EFFECTIVE_STEP],
        chart=COUNTS,
        **line,
    )


def _moments(book: Book) -> None:
    """(A.11) to (A.13): what the increments are bounded by."""
    line: dict[str, Any] = {
        "scope": SCAFFOLD,
        "place": _PLACE,
        "chart": COUNTS,
        "conditions": [EFFECTIVE_STEP],
        "assumptions": NOISE,
    }
    book.line(
        "eq-A.11: mean",
        M_u(t),
        "==",
        gamma**2 * K**2 * sq(given(hu, past)),
        of(SCAFFOLD, "M_u"),
        claim="eq-A.11",
        **line,
    )
    book.line(
        "eq-A.11: Jensen",
        M_u(t),
        "<=",
        T_2u(t),
        ["eq-A.11: mean", *of(SCAFFOLD, "T_2u"), square(given(hu, past, xi) - given(hu, past))],
        vectors=False,
        claim="eq-A.11",
        **line,
    )
    own = given(hv, past, client)
    book.line(
        "eq-A.12: Jensen",
        M_v(t),
        "<=",
        T_2v(t),
        [
            *of(SCAFFOLD, "M_v", "T_2v"),
            square(given(hv, past, xi, client) - own),
            square(own),
        ],
        vectors=False,
        claim="eq-A.12",
        **line,
    )
    for display, block in (("eq-A.11", "u"), ("eq-A.12", "v")):
        book.prove(display, "Jensen", [cite(f"{display}: Jensen", at=_BEFORE)])
        uses: list[Any] = [cite(f"lem-3.3:{block} ({SCAFFOLD})", at=_BEFORE)]
        book.prove(display, "bound", uses, chart=_EFFECTIVE)
    steps: dict[str, Any] = {
        "u": ["eq-A.8", f"lem-3.3:u ({SCAFFOLD})", "lem-4.2"],
        "v": [f"eq-A.4:mean ({SCAFFOLD})", f"lem-3.3:v ({SCAFFOLD})"],
    }
    for reading in DISPLAY_A13.readings:
        for block, names in steps.items():
            uses = [cite(name, at=_BEFORE) for name in names]
            chart = [above(n, m), *_EFFECTIVE]
            book.prove("eq-A.13", block, uses, chart=chart, reading=reading)


_LARGEST = below(gamma, m / (72 * L * K * n**TWO_THIRDS))
_CUBE_ROOTS = [scaled(n, 1, 3), below(m, n), _LARGEST]
_OUTER = [above(eta_u, sp.sqrt(m)), above(eta_v, sp.sqrt(n / m))]


def _combined(book: Book) -> None:
    """(A.14): all bounds in (A.10)."""
    bounds = [
        *(f"eq-A.{number}:{part}" for number in (11, 12) for part in ("Jensen", "bound")),
        *(f"eq-A.13:{block}" for block in ("u", "v")),
    ]
    book.prove("eq-A.14", "", ["eq-A.10", *bounds], chart=_CUBE_ROOTS)
    uses: list[Any] = [cite("eq-A.10/corrected", at=_BEFORE), *bounds]
    book.prove("eq-A.14", "", uses, chart=_CUBE_ROOTS, source="ours")


def _drift(book: Book) -> None:
    """The drift under Lemma 4.4's step sizes."""
    one = below(gamma, 1 / (72 * L * K))
    chart = [scaled(m, 1, 2), scaled(n, m, 2), *_OUTER, one, *_EFFECTIVE]
    book.prove("lem-4.4-E", "line 1", ["lem-4.3"], chart=chart)
    book.prove("lem-4.4-E", "line 2", chart=_EFFECTIVE)
    # gamma is at most 1/(72 L K) too
    shared = 96 * L**2 * K**2 * gamma * C(t) + 52 * n * K**2 * gamma * variance_u
    times = (
        (shared + 24 * n * K**3 * gamma * G_u(t)) / eta_u**2
        + 24 * n * K**3 * (gamma + 1 / (72 * L * K)) * G_v(t) / eta_v**2
        + 52 * n * K**2 * gamma * variance_v / eta_v**2
    )
    uses: list[Any] = [condition(LAG_STEPS[-1], option=1, times=times)]
    chart = [scaled(n, 1, 6), root(m, 2), *_OUTER, _LARGEST]
    book.prove("lem-4.4-E", "line 3", uses, chart=chart)
    lines = [cite(f"lem-4.4-E:line {number}", times=1) for number in (1, 2, 3)]
    book.prove("lem-4.4-E", "bound", lines, chart=[root(n, 3)])


def _bound(book: Book) -> None:
    uses: list[Any] = ["eq-A.14", cite("lem-4.4-E:bound", at=_BEFORE)]
    book.prove("lem-4.4", "", uses, chart=[root(n, 3)])


def write(book: Book) -> None:
    """The steps of this chapter."""
    _recursion(book)
    _own_recursion(book)
    _moments(book)
    _combined(book)
    _drift(book)
    _bound(book)
