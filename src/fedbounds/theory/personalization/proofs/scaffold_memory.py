"""Lemma 4.4: how far the iterates of the last participations lie, from round to round.

In the scope of a client's memory, client and step are fixed; i is drawn to say whether the client
takes part, which is as likely for all. The others enter through the increment of u alone.
"""

from dataclasses import dataclass
from typing import Any

import sympy as sp

from fedbounds.theory.checker.data import Scope
from fedbounds.theory.language.claims import Condition
from fedbounds.theory.language.symbols import (
    Du_2,
    k,
    m,
    n,
    t,
)
from fedbounds.theory.personalization.lemmas import EFFECTIVE_STEP, SMOOTH_NOISE
from fedbounds.theory.personalization.scaffold_lemmas import NOISE
from fedbounds.theory.personalization.scaffold_memory import (
    LAG_STEPS,
)
from fedbounds.theory.personalization.symbols import (
    A_ik,
    A_new,
    A_old,
    Bt_ik,
    Bt_new,
    Bt_old,
    C,
    Dv_i,
    Eu_ik,
    Ev_ik,
    M_u,
    M_vi,
    U_ik,
    V_ik,
)
from fedbounds.theory.proof.language import (
    Book,
    above,
    cite,
    square,
)
from fedbounds.theory.proof.vectors import given, ip, past, present, sq, vectors

from ..measured_scaffold import AFTER, LAG_AFTER, LAGS, NEW_LAGS
from .scopes import (
    SCAFFOLD,
    STEP_OF_U,
    STEP_OF_V,
    al,
    al1,
    be,
    be1,
    du,
    dv,
    u,
    u1,
    uh,
    v,
    v1,
    vh,
)
from .technical import COUNTS, of

MEMORY = f"memory of {SCAFFOLD}"
(gv,) = vectors({"gv": r"-\gamma\textstyle\sum_k\nabla_vF(\hat u_{i,k}^t,\hat v_{i,k}^t;\xi)"})
SCOPES = {
    MEMORY: Scope(
        sources=("past", "S", "xi", "i"),
        atoms=(
            *((name, ("past",)) for name in ("u", "v", "al", "be")),
            *((name, ("past", "xi")) for name in ("uh", "vh", "gv")),
            ("du", ("past", "S", "xi")),
        ),
        derived=(
            ("dv", "present(gv)"),
            ("u1", "u + du"),
            ("v1", "v + dv"),
            ("al1", "present(uh) + al - present(al)"),
            ("be1", "present(vh) + be - present(be)"),
        ),
        sampled=True,
    )
}

_PLACE = "proof of Lemma 4.4"
_KAPPA = m / (2 * (n - m))
_SOME_ABSENT = Condition(m, "<=", n - 1)
_CLAIMED: dict[str, Any] = {"conditions": LAG_STEPS, "assumptions": SMOOTH_NOISE}
_BEFORE = {t: t - 1}


def definitions(book: Book) -> None:
    """The quantities of one client's memory, and C of the next round."""
    for name, left, right in (
        ("A_ik", A_ik(t, k), LAGS["A_ik"]),
        ("A_ik next", A_ik(t + 1, k), AFTER["A_ik"]),
        ("A_old next", A_old(t + 1, k), AFTER["A_old"]),
        ("A_new", A_new(t, k), NEW_LAGS["A_new"]),
        ("U_ik next", U_ik(t + 1, k), AFTER["U_ik"]),
        ("Eu_ik", Eu_ik(t, k), sq(uh - u)),
        ("Du_2", Du_2(t), sq(du)),
        ("M_u", M_u(t), sq(given(du, past))),
        ("Bt_ik", Bt_ik(t, k), LAGS["Bt_ik"]),
        ("Bt_ik next", Bt_ik(t + 1, k), AFTER["Bt_ik"]),
        ("Bt_old next", Bt_old(t + 1, k), AFTER["Bt_old"]),
        ("Bt_new", Bt_new(t, k), NEW_LAGS["Bt_new"]),
        ("V_ik next", V_ik(t + 1, k), AFTER["V_ik"]),
        ("Ev_ik", Ev_ik(t, k), sq(vh - v)),
        ("Dv_i", Dv_i(t), sq(dv)),
        ("M_vi", M_vi(t), sq(given(dv, past))),
    ):
        book.define(f"{name} ({MEMORY})", left, right, "proof of Lemma 4.4", MEMORY)
    steps = [STEP_OF_U, STEP_OF_V]
    book.define(f"C next ({SCAFFOLD})", C(t + 1), LAG_AFTER, "Table 1", SCAFFOLD, steps)


@dataclass(frozen=True)
class _Block:
    """Names of a block's quantities, and its vectors."""

    name: str
    lag: str
    old: str
    new: str
    back: str
    drift: str
    step: str
    mean: str
    point: sp.Symbol
    next: sp.Symbol
    reached: sp.Symbol
    kept: sp.Symbol
    after: sp.Symbol
    change: sp.Symbol

    def __call__(self, quantity: str, *index: sp.Expr) -> sp.Expr:
        """One of the block's quantities, at a round, and at step k where it has one."""
        own = _QUANTITIES[getattr(self, quantity)]
        steps = () if quantity in ("step", "mean") else (k,)
        return own(*index, *steps)

    def of(self, *names: str) -> list[str]:
        """Ids of definitions: "lag", "lag next"."""
        return of(MEMORY, *(" ".join([getattr(self, n.split()[0]), *n.split()[1:]]) for n in names))


_QUANTITIES = {
    q.__name__: q
    for q in (
        *(A_ik, A_old, A_new, U_ik, Eu_ik, Du_2, M_u),
        *(Bt_ik, Bt_old, Bt_new, V_ik, Ev_ik, Dv_i, M_vi),
    )
}
_BLOCKS = (
    _Block(
        *("u", "A_ik", "A_old", "A_new", "U_ik", "Eu_ik", "Du_2", "M_u"),
        *(u, u1, uh, al, al1, du),
    ),
    _Block(
        "v", "Bt_ik", "Bt_old", "Bt_new", "V_ik", "Ev_ik", "Dv_i", "M_vi", v, v1, vh, be, be1, dv
    ),
)


def _split(book: Book, x: _Block) -> None:
    """A client's memory by whether it takes part; the new point depends on that too."""
    line: dict[str, Any] = {
        "scope": MEMORY,
        "claim": "lem-4.4-split",
        "place": _PLACE,
        "chart": COUNTS,
    }
    book.line(
        f"lem-4.4-split: {x.name}, line 1",
        sq(x.after - x.next),
        "==",
        sq(x.kept - present(x.kept) + present(x.reached) - x.next),
        conditions=[EFFECTIVE_STEP],
        assumptions=NOISE,
        **{**line, "scope": SCAFFOLD},
    )
    # the new point depends on the participants: the expectations do not factor
    book.line(
        f"lem-4.4-split: {x.name}, line 2",
        x("lag", t + 1),
        "==",
        (1 - m / n) * x("old", t + 1) + m / n * x("back", t + 1),
        x.of("lag next", "old next", "back next"),
        vectors=False,
        **line,
    )
    uses: list[Any] = [cite(f"lem-4.4-split: {x.name}, line 2", at=_BEFORE, times=1)]
    book.prove("lem-4.4-split", x.name, uses)
    book.line(
        f"lem-4.4-split:{x.name}/corrected",
        x("new", t),
        "==",
        (1 - m / n) * x("lag", t) + m / n * x("drift", t),
        x.of("new", "lag", "drift"),
        source="ours",
        **line,
    )


def _young(book: Book, x: _Block) -> None:
    """Young's inequality for one client; printed for alpha, and "similar" for beta."""
    line: dict[str, Any] = {
        "scope": MEMORY,
        "claim": "lem-4.4-young",
        "place": _PLACE,
        "chart": COUNTS,
    }
    book.line(
        f"lem-4.4-young: {x.name} returned",
        x("back", t + 1),
        "<=",
        2 * (x("drift", t) + x("step", t)),
        [*x.of("back next", "drift", "step"), square(x.reached - x.point + x.change)],
        vectors=False,
        **line,
    )
    lag = x.kept - x.point
    squares = x("lag", t) + x("step", t)
    # alpha - u^t is alpha - u^{t-1} less Delta u
    for name, sign, source in (("", 2, "paper"), ("/corrected", -2, "ours")):
        book.line(
            f"lem-4.4-young: {x.name} product{name}",
            x("old", t + 1),
            "==",
            squares + sign * ip(x.change, lag),
            x.of("old next", "lag", "step"),
            source=source,
            **line,
        )
    book.line(
        f"lem-4.4-young: {x.name} kept",
        x("old", t + 1),
        "<=",
        squares + _KAPPA * x("lag", t) + x("mean", t) / _KAPPA,
        [
            f"lem-4.4-young: {x.name} product/corrected",
            *x.of("lag", "mean"),
            square(_KAPPA * lag + given(x.change, past)),
        ],
        vectors=False,
        conditions=[_SOME_ABSENT],
        **{**line, "chart": [above(n, m + 1)]},
    )
    split, old = f"lem-4.4-young: {x.name} split", f"lem-4.4-young: {x.name} old"
    uses: list[Any] = [
        f"lem-4.4-split:{x.name}",
        cite(f"lem-4.4-young: {x.name} returned", at=_BEFORE),
    ]
    kept = [cite(f"lem-4.4-young: {x.name} kept", at=_BEFORE)]
    if x.name == "u":
        split, old = "lem-4.4-young:u after split", "lem-4.4-young:u old"
        book.prove("lem-4.4-young", "u after split", uses)
        book.prove("lem-4.4-young", "u old", kept, chart=[above(n, m + 1)])
    else:  # "a similar deduction"
        line = {"claim": "lem-4.4-young", "place": _PLACE, "first": 1, **_CLAIMED}
        right = (1 - m / n) * x("old", t) + 2 * m / n * (x("drift", t - 1) + x("step", t - 1))
        book.line(split, x("lag", t), "<=", right, uses, **line)
        right = (1 + _KAPPA) * x("lag", t - 1) + x("step", t - 1) + x("mean", t - 1) / _KAPPA
        line |= {"conditions": (*LAG_STEPS, _SOME_ABSENT), "chart": [above(n, m + 1)]}
        book.line(old, x("old", t), "<=", right, kept, **line)
    book.prove("lem-4.4-young", x.name, [split, old], chart=[above(n, m + 1)])


def _own_young(book: Book) -> None:
    """For beta: what an absent client keeps does not move at all."""
    x = _BLOCKS[1]
    book.line(
        "lem-4.4-young: v, next",
        x("lag", t + 1),
        "<=",
        (1 - m / n) * x("lag", t) + 2 * m / n * x("drift", t) + 2 * x("step", t),
        [*x.of("lag next", "lag", "drift", "step"), square(present(vh - v) + dv)],
        scope=MEMORY,
        vectors=False,
        chart=COUNTS,
        claim="lem-4.4-young",
        source="ours",
    )
    uses: list[Any] = [cite("lem-4.4-young: v, next", at=_BEFORE)]
    book.prove("lem-4.4-young", "v", uses, chart=[above(n, m + 1)], source="ours")


def write(book: Book) -> None:
    """The steps of this chapter."""
    for block in _BLOCKS:
        _split(book, block)
    for block in _BLOCKS:
        _young(book, block)
    _own_young(book)
