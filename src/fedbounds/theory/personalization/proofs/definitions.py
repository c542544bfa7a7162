"""What the paper's quantities are, as expectations of products of vectors (Table 1, (3.1), (4.1)).

Taken as given, and compared with what is measured on the running algorithms in the tests.
"""

import sympy as sp

from fedbounds.theory.proof.language import Book
from fedbounds.theory.proof.vectors import S, given, ip, past, present, sq, xi
from fedbounds.theory.proof.vectors import i as client
from fedbounds.theory.symbols import (
    B_0,
    W_2,
    Y_2,
    A_ik,
    B,
    Bt_ik,
    C,
    C_i,
    Du_2,
    Dv_2,
    Dv_i,
    E,
    E_ik,
    Eu_ik,
    Ev_ik,
    G_u,
    G_v,
    K,
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
    f,
    g_ui,
    g_vi,
    gamma,
    k,
    m,
    n,
    s_vi,
    t,
)  # fmt: skip

from ..measured_scaffold import CONTROLS, LAG
from .scopes import (
    FEDAVG,
    FIRST_ROUND,
    FIRST_STEP,
    INCREMENTS,
    SCAFFOLD,
    STEP_OF_U,
    STEP_OF_V,
    Yu,
    au,
    av,
    du,
    dv,
    hu,
    hv,
    nu,
    u,
    uh,
    up,
    v,
    value00,
    value11,
    vh,
    vp,
)  # fmt: skip

_TABLE = "Table 1"
_GRADIENT = given(au, past)
_MEAN_H = given(hu, past, xi)


def _increments(book: Book) -> None:
    """What Lemma A.3 and (A.6) speak of, whatever the algorithm."""
    for name, left, right, origin in (
        ("X_u", X_u(t), ip(_GRADIENT, du), "Lemma A.3"),
        ("X_v", X_v(t), ip(av, dv), "Lemma A.3"),
        ("Du_2", Du_2(t), sq(du), "Lemma A.3"),
        ("Dv_2", Dv_2(t), sq(dv), "Lemma A.3"),
        ("f", f(t), value00, "(1.1)"),
        ("f next", f(t + 1), value11, "(1.1)"),
        ("B", B(t), n * sq(au), _TABLE),
        ("B next", B(t + 1), n * sq(nu), _TABLE),
    ):
        book.define(f"{name} ({INCREMENTS})", left, right, origin, INCREMENTS)


def _round(book: Book, scope: str) -> None:
    """Quantities of round t that both algorithms have."""
    for name, left, right, origin in (
        ("G_u", G_u(t), sq(_GRADIENT), _TABLE),
        ("G_v", G_v(t), sq(av), _TABLE),
        ("B", B(t), n * sq(au), _TABLE),
        ("E", E(t), n * K * (sq(uh - u) + sq(vh - v)), _TABLE),
        ("T_1u", T_1u(t), -gamma * K * ip(_GRADIENT, hu), "Definition 3.1"),
        ("T_1v", T_1v(t), -gamma * m * K / n * ip(av, hv), "Definition 3.1"),
        ("T_2u", T_2u(t), gamma**2 * K**2 * sq(_MEAN_H), "Definition 3.1"),
        (
            "T_2v", T_2v(t), gamma**2 * K**2 * m / n * sq(given(hv, past, xi, client)),
            "Definition 3.1",
        ),
        (
            "Y_sum", Y_sum(t), n**2 * K**2 * sq(given(present(Yu), past, S, xi)),
            "proof of Lemma 3.1",
        ),
        ("Y_2", Y_2(t), n * K * sq(present(Yu)), "proof of Lemma 3.1"),
    ):  # fmt: skip
        book.define(f"{name} ({scope})", left, right, origin, scope)
    for name, left, right, origin, step in (
        ("Du_2", Du_2(t), sq(du), "Lemma A.3", STEP_OF_U),
        ("Dv_2", Dv_2(t), sq(dv), "Lemma A.3", STEP_OF_V),
        ("X_u", X_u(t), ip(_GRADIENT, du), "Lemma A.3", STEP_OF_U),
        ("X_v", X_v(t), ip(av, dv), "Lemma A.3", STEP_OF_V),
        ("M_u", M_u(t), sq(given(du, past)), "(A.10)", STEP_OF_U),
        ("M_v", M_v(t), sq(given(dv, past, client)), "(A.10)", STEP_OF_V),
    ):
        book.define(f"{name} ({scope})", left, right, origin, scope, [step])


def _fedavg(book: Book) -> None:
    spread = given(hu, past, xi, client) - _MEAN_H
    sampled = -gamma * K * n / m * given(present(hu), past, S, xi)
    book.define(f"T_3u ({FEDAVG})", T_3u(t), n * K**2 * sq(spread), "Definition 3.1", FEDAVG)
    book.define(f"P_u ({FEDAVG})", P_u(t), sq(sampled), "(A.3)", FEDAVG)


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
            ("Eu_ik", Eu_ik(t, k), sq(uh - u)),
            ("Ev_ik", Ev_ik(t, k), sq(vh - v)),
            ("Eu_ik next", Eu_ik(t, k + 1), sq(up - u)),
            ("Ev_ik next", Ev_ik(t, k + 1), sq(vp - v)),
            ("g_ui", g_ui(t), sq(au)),
            ("g_vi", g_vi(t), sq(av)),
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
    drift = sq(uh - u) + sq(vh - v)
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
