"""One local step of Scaffold-P: the control variates, and Lemma 4.3's proof up to (A.9).

A client's scope fixes client i and step k; sources i and k are there any client and any step, of
whose last participations c, d and C^t are made.
"""

from typing import Any

from fedbounds.theory.checker.data import Scope
from fedbounds.theory.language.symbols import G_u, K, gamma_u, gamma_v, k, n, t, variance_u
from fedbounds.theory.personalization.scaffold_lemmas import (
    NOISE,
    SEVERAL_STEPS,
)
from fedbounds.theory.personalization.symbols import (
    C,
    C_i,
    Eu_ik,
    Ev_ik,
    cd_2,
    cd_i,
    g_vi,
)
from fedbounds.theory.proof.language import (
    Book,
    above,
    fact,
    square,
)
from fedbounds.theory.proof.vectors import given, past, sq, vectors

from ..measured_scaffold import OF_CLIENT
from .scopes import (
    SCAFFOLD,
    SCAFFOLD_STEP,
    Wh,
    Yu,
    Yv,
    au,
    av,
    c,
    ci,
    d,
    di,
    eu,
    gu,
    hu,
    hv,
    u,
    uh,
    up,
    v,
    vh,
    vp,
)
from .technical import of

CLIENT = f"client and memory of {SCAFFOLD}"
vj, aj, alj, bej, ej, Wj = vectors(
    {
        "vj": "v_j^t",
        "aj": r"\nabla_uf_j(u^t,v_j^t)",
        "alj": r"\alpha_{j,k}^{t-1}",
        "bej": r"\beta_{j,k}^{t-1}",
        "ej": r"\nabla_uf_j(\alpha_{j,k}^{t-1},\beta_{j,k}^{t-1})",
        "Wj": r"\hat W_{j,k}^t",
    }
)
_OWN, _ANY = ("past", "k"), ("past", "i", "k")
_IN_STEP = ("u", "v", "au", "av", "uh", "vh", "hu", "hv", "Yu", "Yv")
SCOPES = {
    CLIENT: Scope(
        sources=("past", "old", "new", "i", "k"),
        atoms=(
            *(atom for atom in SCAFFOLD_STEP.atoms if atom[0] in _IN_STEP),
            *((name, _OWN) for name in ("al", "be", "eu", "Wh")),
            *((name, ("past", "i")) for name in ("vj", "aj")),
            *((name, _ANY) for name in ("alj", "bej", "ej", "Wj")),
        ),
        centred=SCAFFOLD_STEP.centred,
        derived=(
            ("gu", "given(aj, past)"),
            ("di", "given(eu, past)"),
            ("ci", "given(eu + Wh, past)"),
            ("d", "given(ej, past)"),
            ("c", "given(ej + Wj, past)"),
            *SCAFFOLD_STEP.derived,
        ),
        gradients=(
            *SCAFFOLD_STEP.gradients,
            ("eu", "u", "al", "be"),
            ("aj", "u", "u", "vj"),
            ("ej", "u", "alj", "bej"),
        ),
        noises=(*SCAFFOLD_STEP.noises, ("Wh", "sigma_u2"), ("Wj", "sigma_u2")),
        differences=("Wh", "Wj"),
        needs=SCAFFOLD_STEP.needs,
    )
}

_PLACE = "proof of Lemma 4.3"
_SEVERAL = [above(K, 2)]


def definitions(book: Book) -> None:
    """The quantities of one client, its step, and all clients' last participations."""
    for name, left, right in (
        ("Eu_ik", Eu_ik(t, k), sq(uh - u)),
        ("Ev_ik", Ev_ik(t, k), sq(vh - v)),
        ("Eu_ik next", Eu_ik(t, k + 1), sq(up - u)),
        ("Ev_ik next", Ev_ik(t, k + 1), sq(vp - v)),
        ("g_vi", g_vi(t), sq(av)),
        ("G_u", G_u(t), sq(gu)),
        ("C_i", C_i(t), OF_CLIENT["C_i"]),
        ("C", C(t), n * K * (sq(alj - u) + sq(bej - vj))),
        ("cd_i", cd_i(t), OF_CLIENT["cd_i"]),
        ("cd_2", cd_2(t), sq(c - d)),
    ):
        book.define(f"{name} ({CLIENT})", left, right, "Table 1", CLIENT)


def _controls(book: Book) -> None:
    """How far the control variates are from their noise-free selves."""
    noise = [fact("variance", Wh)]
    book.line(
        "lem-4.3-c: client squares",
        cd_i(t),
        "==",
        sq(Wh) / K,
        [*of(CLIENT, "cd_i"), fact("martingale", Wh, "k")],
        scope=CLIENT,
        claim="lem-4.3-c",
        assumptions=NOISE,
        place=_PLACE,
    )
    book.prove("lem-4.3-c", "client", ["lem-4.3-c: client squares", *noise], scope=CLIENT)
    orthogonal = fact("martingale", Wh, "ik")
    parts: tuple[tuple[str, list[Any]], ...] = (
        ("mean noise", of(SCAFFOLD, "cd_2", "What_sum")),
        ("mean squares", [*of(SCAFFOLD, "What_sum", "What_2"), orthogonal]),
        (
            "mean",
            [
                *(f"lem-4.3-c:mean {line}" for line in ("noise", "squares")),
                *of(SCAFFOLD, "What_2"),
                *noise,
            ],
        ),
    )
    for part, uses in parts:
        book.prove("lem-4.3-c", part, uses, scope=SCAFFOLD)


def _step(book: Book) -> None:
    """One local step: Lemma 4.3's proof up to (A.9)."""
    line: dict[str, Any] = {
        "scope": CLIENT,
        "claim": "lem-4.3-u",
        "assumptions": NOISE,
        "place": _PLACE,
    }
    moved, noise = hu - ci + c, variance_u * gamma_u**2
    exact = sq(uh - gamma_u * moved - u)
    book.line(
        "lem-4.3-u: update",
        Eu_ik(t, k + 1),
        "==",
        sq(uh - gamma_u * (hu + Yu - ci + c) - u),
        of(CLIENT, "Eu_ik next"),
        **line,
    )
    # the noise is at most sigma_u^2, not equal to it
    uses: list[Any] = ["lem-4.3-u: update", fact("variance", Yu)]
    book.line("lem-4.3-u: noise", Eu_ik(t, k + 1), "==", exact + noise, uses, **line)
    book.line(
        "lem-4.3-u: noise/corrected",
        Eu_ik(t, k + 1),
        "<=",
        exact + noise,
        uses,
        source="ours",
        **line,
    )
    line |= {"conditions": (SEVERAL_STEPS,), "chart": _SEVERAL}
    grown = (1 + 1 / (K - 1)) * Eu_ik(t, k)
    book.line(
        "lem-4.3-u: Young",
        Eu_ik(t, k + 1),
        "<=",
        grown + K * gamma_u**2 * sq(moved) + noise,
        [
            "lem-4.3-u: noise/corrected",
            *of(CLIENT, "Eu_ik"),
            square(uh - u + (K - 1) * gamma_u * moved),
        ],
        **line,
    )
    six = [hu - au, au - di, d - gu, gu, di - ci, c - d]
    book.line(
        "lem-4.3-u: mean inequality",
        Eu_ik(t, k + 1),
        "<=",
        grown + 6 * K * gamma_u**2 * sum(map(sq, six)) + noise,
        [
            "lem-4.3-u: Young",
            *(square(a - b) for index, a in enumerate(six) for b in six[:index]),
        ],
        **line,
    )
    book.prove(
        "lem-4.3-u",
        "",
        [
            "lem-4.3-u: mean inequality",
            *("lem-4.3-c:client", "lem-4.3-c:mean"),
            *of(CLIENT, "Eu_ik", "Ev_ik", "G_u", "C_i", "C", "cd_i", "cd_2"),
            *(fact("smooth", a, b) for a, b in ((hu, au), (au, eu), (aj, ej))),
            square(au - eu - given(au - eu, past)),
            square(aj - ej - given(aj - ej, past)),
        ],
        scope=CLIENT,
        chart=_SEVERAL,
    )
    book.prove(
        "eq-A.9",
        "v",
        [
            *of(CLIENT, "Ev_ik next", "Eu_ik", "Ev_ik", "g_vi"),
            *(fact("smooth", hv, av), fact("variance", Yv)),
            *(square(vh - v + (K - 1) * gamma_v * hv), square(hv - 2 * av)),
        ],
        scope=CLIENT,
        chart=_SEVERAL,
    )
    uses = ["lem-4.3-u", "eq-A.9:v", "def E_ik", "def E_ik next"]
    book.prove("eq-A.9", "both", uses, chart=_SEVERAL)


def write(book: Book) -> None:
    """The steps of this chapter."""
    _controls(book)
    _step(book)
