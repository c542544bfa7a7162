"""The proof of Lemma 3.1: the increments of a round, (A.2) to (A.4), and the descent.

Three scopes more. Of a client: it is fixed, and nothing is averaged over clients. Of its step: k
is fixed too, and old and new are the samples before it, and its own. Of the iterates: the
increments are made of the last local iterates, as the algorithm does.
"""

from dataclasses import replace
from typing import Any

import sympy as sp

from fedbounds.facts import Fact
from fedbounds.theory.checker.data import Scope
from fedbounds.theory.language.symbols import (
    Du_2,
    Dv_2,
    K,
    gamma,
    k,
    m,
    n,
    t,
)
from fedbounds.theory.personalization.lemmas import EFFECTIVE_STEP, SMOOTH_NOISE
from fedbounds.theory.personalization.symbols import (
    Dv_i,
    I_u,
    I_v,
    J_u,
    J_v,
    X_u,
    Y_ik,
    s_vi,
)
from fedbounds.theory.proof.language import Book, cite, equal, fact, square
from fedbounds.theory.proof.text import need
from fedbounds.theory.proof.vectors import S, given, ip, past, present, sq, xi

from .. import measured
from .scopes import (
    FEDAVG,
    NEED_V,
    ROUND,
    SCAFFOLD,
    SCAFFOLD_ROUND,
    STEP_OF_U,
    STEP_OF_V,
    Yu,
    Yv,
    av,
    dv,
    hu,
    hv,
)
from .technical import BOTH, COUNTS, of


def _iterates(scope: Scope, correction: str) -> Scope:
    """Increments made of the last local iterates; fu and fv are those that the paper states.

    Nothing is said of the noise.
    """
    derived = dict(scope.derived)
    made = {
        "fu": derived["du"],
        "fv": derived["dv"],
        "last_u": f"u - gamma_u*K*given(hu + Yu{correction}, past, xi, i)",
        "last_v": "v - gamma_v*K*given(hv + Yv, past, xi, i)",
        "du": "eta_u*n/m*given(present(last_u - u), past, S, xi)",
        "dv": "eta_v*present(last_v - v)",
    }
    return replace(scope, centred=(), derived=tuple((derived | made).items()), needs=())


_FIXED = ("u", "v", "uh", "vh", "hv", "av", "Yv")  # of one client
CLIENT = Scope(
    sources=("past", "S", "xi", "k"),
    atoms=tuple(
        (name, tuple(source for source in seen if source != "i"))
        for name, seen in ROUND.atoms
        if name in _FIXED
    ),
    centred=(("Yv", "xi"),),
    derived=(("dv", "-gamma*K*given(present(hv + Yv), past, S, xi)"),),
    gradients=tuple(row for row in ROUND.gradients if row[0] in _FIXED),
    noises=(("Yv", "sigma_v2"),),
    differences=("Yv",),
    sampled=True,
    needs=(need(("Yv",), Fact.NOISE), NEED_V),
)
CLIENT_STEP = Scope(
    sources=("past", "S", "old", "new"),
    atoms=(("Yu", ("past", "old", "new")),),
    centred=(("Yu", "new"),),
    noises=(("Yu", "sigma_u2"),),
    sampled=True,
    needs=(need(("Yu",), Fact.NOISE),),
)
SCOPES = {
    f"iterates of {FEDAVG}": _iterates(ROUND, ""),
    f"iterates of {SCAFFOLD}": _iterates(SCAFFOLD_ROUND, " - ci + c"),
    f"client of {FEDAVG}": CLIENT,
    f"client of {SCAFFOLD}": CLIENT,
    f"client's step of {FEDAVG}": CLIENT_STEP,
}

_CLIENT_STEP = f"client's step of {FEDAVG}"
_GRADIENT = measured.GRADIENT


def definitions(book: Book) -> None:
    """Quantities of one client, of its steps, and of the stated increments."""
    for algorithm, _ in BOTH:
        scope = f"client of {algorithm}"
        own = measured.OF_CLIENT
        book.define(f"Dv_i ({scope})", Dv_i(t), own["Dv_i"], "(A.4)", scope, [STEP_OF_V])
        book.define(f"s_vi ({scope})", s_vi(t), own["s_vi"], "(A.4)", scope)
        scope = f"iterates of {algorithm}"
        every = {**measured.OF_INCREMENTS, **measured.FOLLOWED}
        for quantity in (Du_2, I_u, J_u, Dv_2, I_v, J_v):
            name = quantity.__name__
            book.define(f"{name} ({scope})", quantity(t), every[name], "Algorithm 1", scope)
    noise = measured.NOISE["Y_ik"]
    book.define(f"Y_ik ({_CLIENT_STEP})", Y_ik(t, k), noise, "proof of Lemma 3.1", _CLIENT_STEP)


def _increments(book: Book) -> None:
    for algorithm, apart in BOTH:
        scope = f"iterates of {algorithm}"
        for part, names, step in (
            ("u", ("Du_2", "I_u", "J_u"), STEP_OF_U),
            ("v", ("Dv_2", "I_v", "J_v"), STEP_OF_V),
        ):
            book.prove(
                "alg-inc",
                part,
                of(scope, *names),
                scope=scope,
                chart=[*COUNTS, equal(step.left, step.right)],
                apart=apart,
            )


def _first_order(book: Book) -> None:
    """(A.2); in its lines the conditional mean given F_{i,k-1} leaves hu of a gradient."""
    line: dict[str, Any] = {
        "scope": FEDAVG,
        "claim": "eq-A.2",
        "conditions": [EFFECTIVE_STEP],
        "assumptions": SMOOTH_NOISE,
        "chart": COUNTS,
        "place": "(A.2)",
    }
    sampled, each = given(present(hu + Yu), past, S, xi), -gamma / m * n * K
    lines = (
        ip(_GRADIENT, each * sampled),
        each * ip(_GRADIENT, present(hu + Yu)),
        each * ip(_GRADIENT, present(hu)),
    )
    uses: list[Any] = of(FEDAVG, "X_u")
    before = X_u(t)
    for number, right in enumerate(lines, start=1):
        book.line(f"eq-A.2: line {number}", before, "==", right, uses, **line)
        before, uses = right, []
    uses = [cite(f"eq-A.2: line {number}", times=1) for number in (1, 2, 3)]
    uses += of(FEDAVG, "T_1u")
    book.prove("eq-A.2", "u", uses, scope=FEDAVG, chart=COUNTS)
    uses = of(SCAFFOLD, "X_u", "T_1u")
    book.prove("eq-A.2", "u", uses, scope=SCAFFOLD, chart=COUNTS, apart=SCAFFOLD)
    for algorithm, apart in BOTH:
        book.line(
            "eq-A.2: client" + (f" ({apart})" if apart else ""),
            ip(av, dv),
            "==",
            -gamma * m / n * K * ip(av, hv),
            **(line | {"scope": f"client of {algorithm}"}),
        )
        uses = of(algorithm, "X_v", "T_1v")
        book.prove("eq-A.2", "v", uses, scope=algorithm, chart=COUNTS, apart=apart)


def _noise(book: Book) -> None:
    """Y_{i,k} are martingale differences with E ||Y_{i,k}||^2 <= sigma_u^2 m/n."""
    line: dict[str, Any] = {
        "scope": _CLIENT_STEP,
        "claim": "eq-A.3",
        "assumptions": [Fact.NOISE],
        "chart": COUNTS,
        "place": "proof of Lemma 3.1",
    }
    old, own = sp.Symbol("old"), present(Yu)
    for name, seen in (("later steps", (past, S, old)), ("first step", (past, S))):
        book.line(f"eq-A.3: differences, {name}", sq(given(own, *seen)), "==", 0, **line)
    book.line("eq-A.3: noise of a participant", sq(own), "==", m / n * sq(Yu), **line)
    uses: list[Any] = [
        *of(_CLIENT_STEP, "Y_ik"),
        cite("eq-A.3: noise of a participant", times=1),
        fact("variance", Yu),
    ]
    book.prove("eq-A.3", "noise", uses, scope=_CLIENT_STEP, chart=COUNTS)


def _second_order(book: Book) -> None:
    """(A.3) and (A.4)."""
    sampled = given(present(hu + Yu), past, S, xi)
    book.line(
        "eq-A.3: line 1",
        Du_2(t),
        "==",
        sq(gamma / m * n * K * sampled),
        of(FEDAVG, "Du_2"),
        scope=FEDAVG,
        chart=COUNTS,
        conditions=[EFFECTIVE_STEP],
        assumptions=SMOOTH_NOISE,
        claim="eq-A.3",
        place="(A.3)",
    )
    split: list[Any] = [
        "eq-A.3: line 1",
        *of(FEDAVG, "P_u", "Y_sum"),
        "lem-A.1",
        square(given(present(hu - Yu), past, S, xi)),
    ]
    book.prove("eq-A.3", "split", split, scope=FEDAVG, chart=COUNTS)
    # Lemma A.2 for the vectors sum over k of grad_u f_i at the virtual iterates
    uses: list[Any] = of(FEDAVG, "P_u", "T_2u", "T_3u")
    book.prove("eq-A.3", "participants", uses, scope=FEDAVG, chart=COUNTS)
    uses = ["eq-A.3:split", "eq-A.3:participants", cite("eq-A.3:noise", over="ik"), "def sum Y_ik"]
    book.prove("eq-A.3", "bound", uses, scope=FEDAVG)
    for algorithm, apart in BOTH:
        scope = f"client of {algorithm}"
        uses = [
            *of(scope, "Dv_i", "s_vi"),
            fact("martingale", Yv, "k"),
            fact("variance", Yv),
            square(given(hv - Yv, past, xi)),
        ]
        book.prove("eq-A.4", "client", uses, scope=scope, chart=COUNTS, apart=apart)
        own = "eq-A.4:client" + (f" ({apart})" if apart else "")
        uses = [cite(own, over="i"), "def sum Dv_i", "def sum s_vi"]
        book.prove("eq-A.4", "mean", uses, scope=algorithm, apart=apart)


def write(book: Book) -> None:
    """The steps of this chapter."""
    _increments(book)
    _first_order(book)
    _noise(book)
    _second_order(book)
    uses: list[Any] = ["lem-A.3", "eq-A.2:u", "eq-A.2:v", "eq-A.3:bound", "eq-A.4:mean"]
    book.prove("lem-3.1", "", uses, scope=FEDAVG)
