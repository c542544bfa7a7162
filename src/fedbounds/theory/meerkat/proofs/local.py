"""Lemmas B.7 and B.8, and Theorem B.9: a local step of one client, and their sum."""

from fedbounds.facts import Fact
from fedbounds.theory.checker.data import Premise
from fedbounds.theory.language.symbols import L, eta, sigma2, t
from fedbounds.theory.proof.language import Book, cite, equal
from fedbounds.theory.proof.vectors import ip, sq

from .. import assumed
from ..estimator import LEMMA_B8
from ..local import READINGS
from ..measured import OF_STEP
from ..scope_names import LOCAL, SAMPLE
from ..symbols import V_k, bias_2, c, est_2, g_k2, s_k2, u, u_ratio
from ..vectors import after, est, g, mg, mn, noise, y

_ISSERLIS = "fourth moments of a Gaussian direction"


def _given(book: Book) -> None:
    squares = sq(est), (2 + u) * sq(mg + mn)
    samples = sq(mg + mn), c * sq(g + noise)
    for scope in (LOCAL, SAMPLE):
        book.suppose(f"Isserlis ({scope})", *squares, _ISSERLIS, (assumed.EXACT,), "==", scope)
        origin = "Assumption B.6"
        book.suppose(f"B.6 of samples ({scope})", *samples, origin, (assumed.SPARSE_SAMPLES,), "==",
                     scope)  # fmt: skip
    for left, scope in ((g_k2, LOCAL), (bias_2, LOCAL), (est_2, SAMPLE), (s_k2, SAMPLE)):
        name = str(left)
        book.define(name, left(t), OF_STEP[name], "Section 2.1", scope)
    for name, left, relation, right, origin, assumptions in (
        ("mask", ip(g, mg), "==", sq(mg), "entries of the mask are 0 or 1", ()),
        ("B.6", sq(mg), "==", c * sq(g), "Assumption B.6", (assumed.SPARSE,)),
        ("B.4", sq(noise), "<=", sigma2, "Assumption B.4", (Fact.NOISE,)),
        (
            "descent", V_k(t + 1) - V_k(t), "<=", ip(g, after - y) + L / 2 * sq(after - y),
            "Assumption B.1: descent from a point", (Fact.SMOOTH,),
        ),
    ):  # fmt: skip
        book.suppose(name, left, right, origin, assumptions, relation, LOCAL)


Use = str | Premise


def _of(scope: str, *names: str) -> list[str]:
    return [f"asm {name} ({scope})" for name in names]


def _estimator(book: Book) -> None:
    isserlis, sparse = _of(SAMPLE, "Isserlis", "B.6 of samples")
    for part, size, reading in zip(("count", "density"), (u, u_ratio), READINGS, strict=True):
        norm: list[Use] = [
            "def est_2",
            cite("def s_k2", times=-c * (2 + size)),
            isserlis,
            cite(sparse, times=2 + size),
        ]
        book.prove("lemma-b7", part, norm, scope=SAMPLE, reading=reading)
    book.prove("lemma-b8", "limit", ["def bias_2"], scope=LOCAL, reading=LEMMA_B8.readings[0])


def _descent(book: Book) -> None:
    uses = ["asm descent", "asm mask", "asm B.6", "asm B.4", "def g_k2",
            *_of(LOCAL, "B.6 of samples", "Isserlis")]  # fmt: skip
    for part, size, reading in zip(("count", "density"), (u, u_ratio), READINGS, strict=True):
        chart = [equal(eta, 1 / (L * (size + 2)))]
        book.prove("eq-6", part, uses, scope=LOCAL, reading=reading, chart=chart)
        summed = [cite(f"eq-6:{part}", over="t")]
        book.prove("eq-7", part, summed, reading=reading, chart=chart)
        book.prove("thm-b9", part, [f"eq-7:{part}"], reading=reading, chart=chart)


def write(book: Book) -> None:
    """All of them."""
    _given(book)
    _estimator(book)
    _descent(book)
