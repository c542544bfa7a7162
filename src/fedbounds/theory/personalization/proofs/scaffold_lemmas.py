"""Lemmas 4.1 and 4.2: Scaffold-P's descent and the spread of its corrected gradients."""

from typing import Any

import sympy as sp

from fedbounds.theory.checker.data import Premise
from fedbounds.theory.language.claims import Claim
from fedbounds.theory.language.symbols import (
    Du_2,
    K,
    gamma,
    m,
    n,
    t,
    variance_u,
)
from fedbounds.theory.personalization.lemmas import EFFECTIVE_STEP, SMOOTH_NOISE
from fedbounds.theory.personalization.scaffold_lemmas import DISPLAY_A8, LEMMA_41, NOISE
from fedbounds.theory.personalization.symbols import (
    S_3u,
    T_2u,
    W_mean,
    What_sum,
)
from fedbounds.theory.proof.language import (
    Book,
    fact,
    square,
)
from fedbounds.theory.proof.vectors import S, given, past, present, sq, xi
from fedbounds.theory.proof.vectors import i as client

from .scopes import (
    SCAFFOLD,
    Wh,
    Yu,
    au,
    c,
    ci,
    d,
    di,
    eu,
    hu,
)
from .technical import COUNTS, of

_LEMMA_41 = "proof of Lemma 4.1"
_CORRECTED = hu - di + d  # a client's noise-free corrected gradient
_MEAN_H = given(hu, past, xi)
_SAMPLED = gamma * K * n / m * given(present(_CORRECTED), past, S, xi)


def _sharper(claim: Claim) -> sp.Expr:
    """The claim's right side with 4 in place of 18."""
    right = claim.part("").right
    return right - sp.Rational(14, 18) * right.coeff(variance_u) * variance_u


def _noise(book: Book) -> None:
    """(A.7): the noise that the control variates carry."""
    orthogonal = [fact("martingale", Wh, "k"), fact("martingale", Wh, "ik")]
    line: dict[str, Any] = {
        "scope": SCAFFOLD,
        "claim": "eq-A.7",
        "assumptions": NOISE,
        "place": _LEMMA_41,
    }
    book.line(
        "eq-A.7: W",
        sq(present(Wh)),
        "<=",
        variance_u * m / n,
        [fact("variance", Wh)],
        chart=COUNTS,
        **line,
    )
    book.line("eq-A.7: W hat", sq(Wh), "<=", variance_u, [fact("variance", Wh)], **line)

    def part(name: str, *uses: str | Premise) -> None:
        book.prove("eq-A.7", name, uses, scope=SCAFFOLD, chart=COUNTS)

    part("own noise", *of(SCAFFOLD, "W_own", "W_2"), *orthogonal)
    part("own bound", *of(SCAFFOLD, "W_2"), "eq-A.7: W")
    # the sum of the indicators is m, so that the factor is (m/n)^2
    part("mean noise", *of(SCAFFOLD, "W_mean", "What_sum"), *orthogonal)
    part("mean squares", *of(SCAFFOLD, "What_sum", "What_2"), *orthogonal)
    part("mean bound", *of(SCAFFOLD, "What_2"), "eq-A.7: W hat")
    book.line(
        "eq-A.7/corrected",
        W_mean(t),
        "==",
        (m / n) ** 2 * What_sum(t),
        of(SCAFFOLD, "W_mean", "What_sum"),
        vectors=False,
        chart=COUNTS,
        source="ours",
        **line,
    )


def _increment(book: Book) -> None:
    """(A.8): the increment of the shared variable."""
    drawn: dict[str, Any] = {"scope": SCAFFOLD, "chart": COUNTS}
    line: dict[str, Any] = {
        **drawn,
        "claim": "eq-A.8",
        "place": _LEMMA_41,
        "conditions": (EFFECTIVE_STEP,),
        "assumptions": NOISE,
    }
    noisy = -gamma * K * n / m * given(present(hu + Yu - ci + c), past, S, xi)
    book.line(
        "eq-A.8: line 1",
        Du_2(t),
        "==",
        sq(noisy),
        of(SCAFFOLD, "Du_2"),
        **line,
    )

    def split(name: str, sign: int, source: str) -> None:
        rest = given(present(Yu + sign * (ci - di) + (c - d)), past, S, xi)
        book.line(
            name,
            Du_2(t),
            "<=",
            2 * sq(_SAMPLED) + 2 * gamma**2 * n**2 * K**2 / m**2 * sq(rest),
            ["eq-A.8: line 1", square(_SAMPLED - gamma * K * n / m * rest)],
            source=source,
            **line,
        )

    # the control variate c_i is subtracted
    split("eq-A.8: line 2", 1, "paper")
    split("eq-A.8: line 2/corrected", -1, "ours")
    noises = [
        *(fact("martingale", noise, over) for noise in (Yu, Wh) for over in ("k", "ik")),
        *(fact("variance", noise) for noise in (Yu, Wh)),
    ]
    shares = [given(present(x), past, S, xi) for x in (Yu, di - ci, c - d)]
    book.line(
        "eq-A.8: line 3",
        Du_2(t),
        "<=",
        2 * sq(_SAMPLED) + 18 * K * gamma**2 * variance_u / m,
        [
            "eq-A.8: line 2/corrected",
            *noises,
            *(square(a - b) for a, b in zip(shares, (*shares[1:], shares[0]), strict=True)),
        ],
        **line,
    )
    book.line(
        "eq-A.8: participants",
        sq(_SAMPLED),
        "<=",
        T_2u(t) + 2 * gamma**2 * (n - m) / (m * n**2) * S_3u(t),
        of(SCAFFOLD, "T_2u", "S_3u"),
        **line,
    )
    book.prove("eq-A.8", "", ["eq-A.8: line 3", "eq-A.8: participants"], **drawn)
    # the new noise is orthogonal to the old, and c - d is the mean of the c_i - d_i
    book.line(
        "eq-A.8/sharper",
        Du_2(t),
        "<=",
        _sharper(DISPLAY_A8),
        ["eq-A.8: line 2/corrected", "eq-A.8: participants", *noises],
        vectors=False,
        source="ours",
        **line,
    )


def _descent(book: Book) -> None:
    apart = [f"{name} ({SCAFFOLD})" for name in ("eq-A.2:u", "eq-A.2:v", "eq-A.4:mean")]
    book.prove("lem-4.1", "", ["lem-A.3", "eq-A.8", *apart], chart=COUNTS)
    book.line(
        "lem-4.1/sharper",
        LEMMA_41.part("").left,
        "<=",
        _sharper(LEMMA_41),
        ["lem-A.3", "eq-A.8/sharper", *apart],
        chart=COUNTS,
        conditions=(EFFECTIVE_STEP,),
        assumptions=SMOOTH_NOISE,
        claim="lem-4.1",
        source="ours",
    )


def _spread(book: Book) -> None:
    """Lemma 4.2; with both terms of its second line (amb-10)."""
    sums, mean = given(hu, past, xi, client) - di, _MEAN_H - d
    line: dict[str, Any] = {"scope": SCAFFOLD, "claim": "lem-4.2", "place": "Section 4.2.1"}
    book.line(
        "lem-4.2: line 1",
        S_3u(t),
        "<=",
        2 * n * K**2 * sq(sums) + 2 * n * K**2 * sq(mean),
        [*of(SCAFFOLD, "S_3u"), square(sums + mean)],
        **line,
    )
    apart = [hu - au, au - eu]
    every = sum(apart)
    book.line(
        "lem-4.2: line 2",
        S_3u(t),
        "<=",
        4 * n * K**2 * (2 * sq(apart[0]) + 2 * sq(apart[1])),
        [
            "lem-4.2: line 1",
            square(every - given(every, past, xi, client)),
            square(given(every, past, xi, client) - given(every, past, xi)),
            square(apart[0] - apart[1]),
        ],
        **line,
    )
    smooth = [fact("smooth", hu, au), fact("smooth", au, eu)]
    book.prove("lem-4.2", "", ["lem-4.2: line 2", *of(SCAFFOLD, "C", "E"), *smooth], scope=SCAFFOLD)


def write(book: Book) -> None:
    """The steps of this chapter."""
    _noise(book)
    _increment(book)
    _descent(book)
    _spread(book)
