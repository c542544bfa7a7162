"""Lemmas 3.2 to 3.4: the first- and second-order terms of a round, by its drift."""

from typing import Any

from fedbounds.facts import Fact
from fedbounds.theory.language.symbols import K, L, b2, gamma, n, t
from fedbounds.theory.personalization.lemmas import EFFECTIVE_STEP, SMOOTH
from fedbounds.theory.personalization.symbols import E, T_1u, T_2u, T_3u
from fedbounds.theory.proof.language import Book, cite, fact, square
from fedbounds.theory.proof.vectors import given, ip, past, sq, xi
from fedbounds.theory.proof.vectors import i as client

from .scopes import FEDAVG, au, av, hu, hv
from .technical import BOTH, of

_GRADIENT = given(au, past)
_LINES: dict[str, Any] = {"conditions": [EFFECTIVE_STEP], "assumptions": SMOOTH}


def _lemma_32(book: Book) -> None:
    line: dict[str, Any] = _LINES | {"claim": "lem-3.2", "place": "proof of Lemma 3.2"}
    for algorithm, apart in BOTH:
        end = f" ({apart})" if apart else ""
        own: dict[str, Any] = line | {"scope": algorithm}
        kept, apart_by = sq(_GRADIENT), hu - au
        split = ip(_GRADIENT, hu - _GRADIENT) + ip(_GRADIENT, _GRADIENT)
        young = -K * gamma / 2 * kept + gamma * K / 2 * sq(apart_by)
        lines: tuple[tuple[str, Any, list[Any]], ...] = (
            ("==", -gamma * K * split, of(algorithm, "T_1u")),
            ("==", -K * gamma * kept - gamma * K * ip(_GRADIENT, apart_by), []),
            ("<=", young, [square(_GRADIENT + apart_by)]),
        )
        uses: list[Any]
        before = T_1u(t)
        for number, (relation, right, uses) in enumerate(lines, start=1):
            book.line(f"lem-3.2: line {number}{end}", before, relation, right, uses, **own)
            before = right
        uses = [
            *(cite(f"lem-3.2: line {number}{end}", times=1) for number in (1, 2, 3)),
            *of(algorithm, "G_u", "E"),
            fact("smooth", hu, au),
        ]
        book.prove("lem-3.2", "u", uses, scope=algorithm, apart=apart)
        uses = [*of(algorithm, "T_1v", "G_v", "E"), fact("smooth", hv, av), square(hv)]
        book.prove("lem-3.2", "v", uses, scope=algorithm, apart=apart)


def _lemma_33(book: Book) -> None:
    line: dict[str, Any] = _LINES | {"claim": "lem-3.3", "place": "proof of Lemma 3.3"}
    for algorithm, apart in BOTH:
        end = f" ({apart})" if apart else ""
        own: dict[str, Any] = line | {"scope": algorithm}
        apart_by = hu - au
        book.line(
            f"lem-3.3: line 1{end}",
            T_2u(t),
            "==",
            gamma**2 * K**2 * sq(given(hu - _GRADIENT, past, xi) + _GRADIENT),
            of(algorithm, "T_2u"),
            **own,
        )
        book.line(
            f"lem-3.3: line 2{end}",
            T_2u(t),
            "<=",
            2 * K**2 * gamma**2 * sq(_GRADIENT) + 2 * K**2 * gamma**2 * sq(apart_by),
            [
                f"lem-3.3: line 1{end}",
                square(given(hu - 2 * au, past, xi)),
                square(apart_by - given(apart_by, past, xi)),
            ],
            **own,
        )
        uses: list[Any] = [
            f"lem-3.3: line 2{end}",
            *of(algorithm, "G_u", "E"),
            fact("smooth", hu, au),
        ]
        book.prove("lem-3.3", "u", uses, scope=algorithm, apart=apart)
        uses = [
            *of(algorithm, "T_2v", "G_v", "E"),
            fact("smooth", hv, av),
            square(given(hv - 2 * av, past, xi, client)),
            square(hv - av - given(hv - av, past, xi, client)),
        ]
        book.prove("lem-3.3", "v", uses, scope=algorithm, apart=apart)


def _lemma_34(book: Book) -> None:
    line: dict[str, Any] = {
        "scope": FEDAVG,
        "claim": "lem-3.4",
        "assumptions": [Fact.SMOOTH, Fact.DISSIMILARITY],
    }
    shown = line | {"place": "proof of Lemma 3.4"}
    own = given(hu - au, past, xi, client)
    mean, spread = given(hu - au, past, xi), au - _GRADIENT
    book.line(
        "lem-3.4: line 1",
        T_3u(t),
        "<=",
        3 * n * K**2 * (sq(own) + sq(mean) + sq(spread)),
        [
            *of(FEDAVG, "T_3u"),
            square(own + mean),
            square(own - spread),
            square(mean + spread),
        ],
        **shown,
    )
    # as |own - mean|^2 averages to |own|^2 - |mean|^2, the second mean is not needed
    book.line(
        "lem-3.4: line 2",
        3 * n * K**2 * (sq(own) + sq(mean) + sq(spread)),
        "<=",
        6 * n * K**2 * sq(hu - au) + 3 * n * K**2 * sq(spread),
        [square(hu - au - own), square(own - mean)],
        **shown,
    )
    last: list[Any] = [fact("smooth", hu, au), fact("dissimilarity", au), *of(FEDAVG, "E")]
    book.prove("lem-3.4", "", ["lem-3.4: line 1", "lem-3.4: line 2", *last], scope=FEDAVG)
    book.line(
        "lem-3.4/sharper",
        T_3u(t),
        "<=",
        2 * n * K**2 * b2 + 4 * L**2 * K * E(t),
        [
            *of(FEDAVG, "T_3u"),
            *last,
            square(own - mean - spread),
            square(mean),
            square(hu - au - own),
        ],
        vectors=False,
        source="ours",
        **line,
    )


def write(book: Book) -> None:
    """The steps of this chapter."""
    _lemma_32(book)
    _lemma_33(book)
    _lemma_34(book)
