"""What the paper's quantities are, as expectations of products of vectors (Table 1, (3.1), (4.1)).

Taken as given, and compared with what is measured on the running algorithms in the tests.
"""

import sympy as sp

from fedbounds.theory.language.symbols import (
    B_0,
    B,
    Du_2,
    Dv_2,
    G_u,
    G_v,
    f,
    gamma,
    k,
    m,
    n,
    t,
)
from fedbounds.theory.personalization.symbols import (
    W_2,
    Y_2,
    A_ik,
    Bt_ik,
    C,
    C_i,
    Dv_i,
    E,
    E_ik,
    Eu_ik,
    Ev_ik,
    M_u,
    M_v,
    M_vi,
    P_u,
    S_3u,
    T_1u,
    T_1v,
    T_2u,
    T_2v,
    T_3u,
    W_mean,
    W_own,
    What_2,
    What_sum,
    X_u,
    X_v,
    Y_ik,
    Y_sum,
    cd_2,
    g_ui,
    g_vi,
    s_vi,
)
from fedbounds.theory.proof.language import Book

from .. import measured
from ..measured_scaffold import CONTROLS, LAG
from .scopes import (
    FEDAVG,
    FIRST_ROUND,
    FIRST_STEP,
    INCREMENTS,
    SCAFFOLD,
    STEP_OF_U,
    STEP_OF_V,
    value00,
    value11,
)  # fmt: skip

_TABLE = "Table 1"
_MEAN_H = measured.MEAN_H


def _increments(book: Book) -> None:
    """What Lemma A.3 and (A.6) speak of, whatever the algorithm."""
    for quantity in (X_u, X_v, Du_2, Dv_2):
        name = quantity.__name__
        right = measured.OF_INCREMENTS[name]
        book.define(f"{name} ({INCREMENTS})", quantity(t), right, "Lemma A.3", INCREMENTS)
    for name, left, right, origin in (
        ("f", f(t), value00, "(1.1)"),
        ("f next", f(t + 1), value11, "(1.1)"),
        ("B", B(t), measured.OF_ROUND["B"], _TABLE),
        ("B next", B(t + 1), measured.B_NEXT, _TABLE),
    ):
        book.define(f"{name} ({INCREMENTS})", left, right, origin, INCREMENTS)


def _round(book: Book, scope: str) -> None:
    """Quantities of round t that both algorithms have."""
    for origin, every in (
        (_TABLE, (G_u, G_v, B, E)),
        ("Definition 3.1", (T_1u, T_1v, T_2u, T_2v)),
        ("proof of Lemma 3.1", (Y_sum, Y_2)),
    ):
        for quantity in every:
            name = quantity.__name__
            right = measured.OF_ROUND[name]
            book.define(f"{name} ({scope})", quantity(t), right, origin, scope)
    for quantity, origin, step in (
        (Du_2, "Lemma A.3", STEP_OF_U),
        (Dv_2, "Lemma A.3", STEP_OF_V),
        (X_u, "Lemma A.3", STEP_OF_U),
        (X_v, "Lemma A.3", STEP_OF_V),
        (M_u, "(A.10)", STEP_OF_U),
        (M_v, "(A.10)", STEP_OF_V),
    ):
        name = quantity.__name__
        right = measured.OF_INCREMENTS[name]
        book.define(f"{name} ({scope})", quantity(t), right, origin, scope, [step])


def _fedavg(book: Book) -> None:
    for quantity, origin in ((T_3u, "Definition 3.1"), (P_u, "(A.3)")):
        name = quantity.__name__
        book.define(f"{name} ({FEDAVG})", quantity(t), measured.FEDAVG[name], origin, FEDAVG)


def _scaffold(book: Book) -> None:
    for quantity, origin in (
        (S_3u, "(4.1)"),
        (C, "Table 1"),
        (cd_2, "proof of Lemma 4.3"),
        *((noise, "(A.7)") for noise in (What_2, What_sum, W_2, W_own, W_mean)),
    ):
        name = quantity.__name__
        book.define(f"{name} ({SCAFFOLD})", quantity(t), CONTROLS[name], origin, SCAFFOLD)


def _steps(book: Book) -> None:
    """Quantities of one client, or of one of its local steps."""
    for algorithm in (FEDAVG, SCAFFOLD):
        scope = f"step of {algorithm}"
        for name, left, right in (
            ("Eu_ik", Eu_ik(t, k), measured.DRIFT["Eu_ik"]),
            ("Ev_ik", Ev_ik(t, k), measured.DRIFT["Ev_ik"]),
            ("Eu_ik next", Eu_ik(t, k + 1), measured.DRIFT_NEXT["Eu_ik"]),
            ("Ev_ik next", Ev_ik(t, k + 1), measured.DRIFT_NEXT["Ev_ik"]),
            ("g_ui", g_ui(t), measured.OF_CLIENT["g_ui"]),
            ("g_vi", g_vi(t), measured.OF_CLIENT["g_vi"]),
        ):
            book.define(f"{name} ({scope})", left, right, _TABLE, scope)


def _sums(book: Book) -> None:
    """Sums over blocks, over clients, and over their local steps."""
    book.define("E_ik", E_ik(t, k), Eu_ik(t, k) + Ev_ik(t, k), _TABLE)
    book.define("E_ik next", E_ik(t, k + 1), Eu_ik(t, k + 1) + Ev_ik(t, k + 1), _TABLE)
    sum_i, sum_ik = sp.Function("Sum_i"), sp.Function("Sum_ik")
    for name, left, right in (
        ("sum E_ik", E(t), sum_ik(E_ik(t, k))),
        ("sum g_ui", B(t), sum_i(g_ui(t))),
        ("sum g_vi", G_v(t), sum_i(g_vi(t)) / n),
        ("sum C_i", C(t), sum_i(C_i(t))),
        ("sum Dv_i", Dv_2(t), sum_i(Dv_i(t)) / n),
        ("sum M_vi", M_v(t), sum_i(M_vi(t)) / n),
        ("sum s_vi", T_2v(t), gamma**2 * m / n**2 * sum_i(s_vi(t))),
        ("sum Y_ik", Y_2(t), sum_ik(Y_ik(t, k))),
        ("sum lags", C(t), sum_ik(A_ik(t, k)) + sum_ik(Bt_ik(t, k))),
    ):
        book.define(name, left, right, _TABLE)
    book.define("B start", B_0, B(0), "Theorem 3.11")


def _starts(book: Book) -> None:
    """Where local steps and memory begin: uh = u, and alpha = u."""
    drift = measured.DRIFT["Eu_ik"] + measured.DRIFT["Ev_ik"]
    book.define(f"E_ik ({FIRST_STEP})", E_ik(t, 0), drift, _TABLE, FIRST_STEP)
    own = [f"def E_ik ({FIRST_STEP})"]
    book.line("E_ik start", E_ik(t, 0), "==", 0, own, scope=FIRST_STEP, vectors=False)
    book.define(f"C ({FIRST_ROUND})", C(0), LAG, "Algorithm 4.1", FIRST_ROUND)
    own = [f"def C ({FIRST_ROUND})"]
    book.line("C start", C(0), "==", 0, own, scope=FIRST_ROUND, vectors=False)


def write(book: Book) -> None:
    """All definitions; sums come first, of names that vectors then say in their scopes."""
    _sums(book)
    _increments(book)
    for scope in (FEDAVG, SCAFFOLD):
        _round(book, scope)
    _fedavg(book)
    _scaffold(book)
    _steps(book)
    _starts(book)
