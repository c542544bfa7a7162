"""Lemma 4.4: how far the iterates of the last participations lie, from round to round.

In the scope of a client's memory, client and step are fixed; i is drawn to say whether the client
takes part, which is as likely for all. The others enter through the increment of u alone.
"""

from dataclasses import dataclass

import sympy as sp

from fedbounds.theory.checker.data import Scope
from fedbounds.theory.claims import Condition
from fedbounds.theory.personalization.lemmas import SMOOTH_NOISE
from fedbounds.theory.personalization.scaffold_memory import (
    ONE_THIRD,
    TWO_THIRDS,
    DISPLAY_A13,
    LAG_STEPS,
)
from fedbounds.theory.proof.language import (
    Book,
    above,
    below,
    cite,
    condition,
    equal,
    given_times,
    integer,
    root,
    square,
)
from fedbounds.theory.proof.vectors import given, ip, past, present, sq, vectors, xi
from fedbounds.theory.proof.vectors import i as client
from fedbounds.theory.symbols import (
    A_ik,
    A_old,
    Bt_ik,
    Bt_old,
    C,
    Du_2,
    Dv_2,
    Dv_i,
    E,
    Eu_ik,
    Ev_ik,
    G_u,
    G_v,
    K,
    L,
    M_u,
    M_v,
    M_vi,
    T_2u,
    T_2v,
    U_ik,
    V_ik,
    eta_u,
    eta_v,
    gamma,
    gamma_u,
    gamma_v,
    k,
    m,
    n,
    t,
    variance_u,
    variance_v,
)

from .scopes import (
    SCAFFOLD,
    Yu,
    al,
    al1,
    be,
    be1,
    c,
    ci,
    du,
    dv,
    hu,
    hv,
    u,
    u1,
    uh,
    v,
    v1,
    vh,
)
from .technical import COUNTS, by_branch, of

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
_ONE = Condition(m, "==", sp.Integer(1))
_THREE = Condition(n, ">=", sp.Integer(3))
_CLAIMED = {"conditions": LAG_STEPS, "assumptions": SMOOTH_NOISE}
_BEFORE = {t: t - 1}
_EFFECTIVE = [equal(gamma_u, gamma / eta_u), equal(gamma_v, gamma / eta_v)]


def definitions(book: Book) -> None:
    """The quantities of one client's memory, and C of the next round."""
    for name, left, right in (
        ("A_ik", A_ik(t, k), sq(al - u)),
        ("A_ik next", A_ik(t + 1, k), sq(al1 - u1)),
        ("A_old next", A_old(t + 1, k), sq(al - u1)),
        ("U_ik next", U_ik(t + 1, k), sq(uh - u1)),
        ("Eu_ik", Eu_ik(t, k), sq(uh - u)),
        ("Du_2", Du_2(t), sq(du)),
        ("M_u", M_u(t), sq(given(du, past))),
        ("Bt_ik", Bt_ik(t, k), sq(be - v)),
        ("Bt_ik next", Bt_ik(t + 1, k), sq(be1 - v1)),
        ("Bt_old next", Bt_old(t + 1, k), sq(be - v1)),
        ("V_ik next", V_ik(t + 1, k), sq(vh - v1)),
        ("Ev_ik", Ev_ik(t, k), sq(vh - v)),
        ("Dv_i", Dv_i(t), sq(dv)),
        ("M_vi", M_vi(t), sq(given(dv, past))),
    ):
        book.define(f"{name} ({MEMORY})", left, right, "proof of Lemma 4.4", MEMORY)
    lag = n * K * (sq(al1 - u1) + sq(be1 - v1))
    book.define(f"C next ({SCAFFOLD})", C(t + 1), lag, "Table 1", SCAFFOLD)


@dataclass(frozen=True)
class _Block:
    """Names of a block's quantities, and its vectors."""

    name: str
    lag: str
    old: str
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
    for q in (A_ik, A_old, U_ik, Eu_ik, Du_2, M_u, Bt_ik, Bt_old, V_ik, Ev_ik, Dv_i, M_vi)
}
_BLOCKS = (
    _Block("u", "A_ik", "A_old", "U_ik", "Eu_ik", "Du_2", "M_u", u, u1, uh, al, al1, du),
    _Block("v", "Bt_ik", "Bt_old", "V_ik", "Ev_ik", "Dv_i", "M_vi", v, v1, vh, be, be1, dv),
)


def _split(book: Book, x: _Block) -> None:
    """A client's memory by whether it takes part; the new point depends on that too."""
    line = {"scope": MEMORY, "claim": "lem-4.4-split", "place": _PLACE, "chart": COUNTS}
    book.line(
        f"lem-4.4-split: {x.name}, line 1",
        sq(x.after - x.next),
        "==",
        sq(x.kept - present(x.kept) + present(x.reached) - x.next),
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
    uses = [cite(f"lem-4.4-split: {x.name}, line 2", at=_BEFORE, times=1)]
    book.prove("lem-4.4-split", x.name, uses)
    book.line(
        f"lem-4.4-split:{x.name}/corrected",
        sq(x.after - x.point),
        "==",
        (1 - m / n) * sq(x.kept - x.point) + m / n * sq(x.reached - x.point),
        source="ours",
        **line,
    )


def _young(book: Book, x: _Block) -> None:
    """Young's inequality for one client; printed for alpha, and "similar" for beta."""
    line = {"scope": MEMORY, "claim": "lem-4.4-young", "place": _PLACE, "chart": COUNTS}
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
    uses = [f"lem-4.4-split:{x.name}", cite(f"lem-4.4-young: {x.name} returned", at=_BEFORE)]
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
    uses = [cite("lem-4.4-young: v, next", at=_BEFORE)]
    book.prove("lem-4.4-young", "v", uses, chart=[above(n, m + 1)], source="ours")


def _recursion(book: Book) -> None:
    """(A.10): the sum over clients and steps; kappa needs absent clients."""
    sums = [
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
    uses = [
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
    line = {"scope": SCAFFOLD, "vectors": False, "claim": "eq-A.10", "source": "ours"}
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
            conditions=conditions,
            chart=chart,
            **line,
        )
    book.line(
        "eq-A.10/corrected",
        C(t + 1),
        "<=",
        printed + n * K / 2 * Du_2(t),
        uses,
        chart=COUNTS,
        **line,
    )


def _moments(book: Book) -> None:
    """(A.11) to (A.13): what the increments are bounded by."""
    book.line(
        "eq-A.11: mean",
        M_u(t),
        "==",
        gamma**2 * K**2 * sq(given(hu, past)),
        of(SCAFFOLD, "M_u"),
        scope=SCAFFOLD,
        claim="eq-A.11",
        place=_PLACE,
        chart=COUNTS,
    )
    book.line(
        "eq-A.11: Jensen",
        M_u(t),
        "<=",
        T_2u(t),
        ["eq-A.11: mean", *of(SCAFFOLD, "T_2u"), square(given(hu, past, xi) - given(hu, past))],
        scope=SCAFFOLD,
        vectors=False,
        claim="eq-A.11",
        place=_PLACE,
        chart=COUNTS,
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
        scope=SCAFFOLD,
        vectors=False,
        claim="eq-A.12",
        place=_PLACE,
        chart=COUNTS,
    )
    for display, block in (("eq-A.11", "u"), ("eq-A.12", "v")):
        book.prove(display, "Jensen", [cite(f"{display}: Jensen", at=_BEFORE)])
        uses = [cite(f"lem-3.3:{block} ({SCAFFOLD})", at=_BEFORE)]
        book.prove(display, "bound", uses, chart=_EFFECTIVE)
    steps = {
        "u": ["eq-A.8", f"lem-3.3:u ({SCAFFOLD})", "lem-4.2"],
        "v": [f"eq-A.4:mean ({SCAFFOLD})", f"lem-3.3:v ({SCAFFOLD})"],
    }
    for reading in DISPLAY_A13.readings:
        for block, names in steps.items():
            uses = [cite(name, at=_BEFORE) for name in names]
            chart = [above(n, m), *_EFFECTIVE]
            book.prove("eq-A.13", block, uses, chart=chart, reading=reading)


_CUBE_ROOTS = [root(n, 3), below(m, n), below(gamma, m / (72 * L * K * n**TWO_THIRDS))]
_SIXTH_ROOTS = [
    *(root(n, 6), root(m, 2)),
    *(above(eta_u, sp.sqrt(m)), above(eta_v, sp.sqrt(n / m))),
    below(gamma, m / (72 * L * K * n**TWO_THIRDS)),
]


def _combined(book: Book) -> None:
    """(A.14): all bounds in (A.10)."""
    book.line(
        "lem-4.4: cube root",
        n**ONE_THIRD,
        ">=",
        1,
        [condition(Condition(m, "<=", n), times=1 / (n**TWO_THIRDS + n**ONE_THIRD + 1))],
        chart=[root(n, 3)],
        claim="lem-4.4",
        source="ours",
    )
    spared = (
        2 * m / n * (n**ONE_THIRD + 1) * E(t - 1)
        + 2 * m / (81 * n ** (4 * ONE_THIRD)) * C(t - 1)
        + m / (72 * L**2 * n**ONE_THIRD) * variance_u
        + m**3 / (72 * L**2 * n ** (4 * ONE_THIRD)) * variance_v
    )
    bounds = [
        *(f"eq-A.{number}:{part}" for number in (11, 12) for part in ("Jensen", "bound")),
        *(f"eq-A.13:{block}" for block in ("u", "v")),
        cite("lem-4.4: cube root", times=spared),
    ]
    book.prove("eq-A.14", "", ["eq-A.10", *bounds], chart=_CUBE_ROOTS)
    uses = [cite("eq-A.10/corrected", at=_BEFORE), *bounds]
    book.prove("eq-A.14", "", uses, chart=_CUBE_ROOTS, source="ours")


def _bound(book: Book) -> None:
    """The drift in between, and (4.3)."""
    first, last = (part.name for part in LEMMA_44_E.parts[:-1]), LEMMA_44_E.parts[-1].name
    book.prove("lem-4.4-E", next(first), ["lem-4.3"])
    book.prove("lem-4.4-E", next(first), chart=_EFFECTIVE)
    at_most = 1 / (72 * L * K)  # the second bound on gamma
    shared = 96 * L**2 * K**2 * gamma * C(t) + 52 * n * K**2 * gamma * variance_u
    times = (
        (shared + 24 * n * K**3 * gamma * G_u(t)) / eta_u**2
        + (24 * n * K**3 * (gamma + at_most) * G_v(t)) / eta_v**2
        + 52 * n * K**2 * gamma * variance_v / eta_v**2
    )
    spared = K * n**ONE_THIRD * (n**ONE_THIRD + 1) / (216 * L**2) * G_u(t)
    uses = [
        condition(LAG_STEPS[-1], option=1, times=times),
        cite("lem-4.4: cube root", times=spared),
    ]
    book.prove("lem-4.4-E", last, uses, chart=_SIXTH_ROOTS)
    chain = [cite(f"lem-4.4-E:{part.name}", at=_BEFORE) for part in LEMMA_44_E.parts]
    book.prove("lem-4.4", "", ["eq-A.14", *chain], chart=[root(n, 3)])


def write(book: Book) -> None:
    """The steps of this chapter."""
    definitions(book)
    for block in _BLOCKS:
        _split(book, block)
    for block in _BLOCKS:
        _young(book, block)
    _own_young(book)
    _recursion(book)
    _own_recursion(book)
    _moments(book)
    _combined(book)
    _bound(book)
