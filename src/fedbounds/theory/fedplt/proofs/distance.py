"""Steps 4.3 and 4.5."""

from fedbounds.theory.fedplt.distance import (
    CONDITIONS,
    CONTRACTION,
    CURVE,
    HETEROGENEITY,
    SLOPE,
)
from fedbounds.theory.fedplt.one_step import SMOOTH
from fedbounds.theory.fedplt.scope_names import ROUND, STEP
from fedbounds.theory.fedplt.vectors import W, Wk, Wstar
from fedbounds.theory.language.symbols import D_W, eta, t
from fedbounds.theory.proof.language import Book, square
from fedbounds.theory.proof.vectors import given, past, sq

from .. import assumed
from ..symbols import A_2, A_24, V_W, F_att, F_opt
from .one_step import COMPENSATED, of_step
from .writing import prove

REPAIRED = (*SMOOTH, *COMPENSATED)
EQUAL = (*REPAIRED, assumed.EQUAL_ATTENUATION)


def _grouping(book: Book) -> None:
    claim, own = "A2-grouped", of_step("def V_W")
    # part 3 as printed has no c_k on a term that has it here
    prove(book, claim, "", [*own, "A2-expansion", "A2.1:d", "A2.2-part3:as printed"], scope=STEP)
    uses = [*own, "A2-expansion", "A2.1:d", "A2.2-part3:c_k"]
    prove(book, claim, "", uses, scope=STEP, source="ours")
    book.line(
        f"{claim}/corrected", A_2(t), "<=",
        D_W(t) + V_W(t) - eta * CONTRACTION * sq(Wk - Wstar)
        + CURVE * F_att(t) - SLOPE * F_opt(t),
        [*own, "A2-expansion", "A2.1:d", "A2.2-part3/corrected"],
        scope=STEP, claim=claim, source="ours", assumptions=REPAIRED,
    )  # fmt: skip


def _average(book: Book) -> None:
    # masks, compensation and local steps each break it; nothing is derived
    for part in ("W", "direction"):
        prove(book, "global-is-average", part, scope=STEP)
    prove(book, "global-is-average", "round", scope=ROUND)
    jensen = square(Wk - given(Wk, past))
    uses = [*of_step("def D_W"), "global-is-average:direction"]
    prove(book, "jensen-distance", "", [*uses, jensen], scope=STEP)
    # without the average: half of the distance, less the divergence
    book.line(
        "jensen-distance/corrected", D_W(t) / 2 - V_W(t), "<=", sq(Wk - Wstar),
        [*of_step("def D_W", "def V_W"), square(2 * Wk - W - Wstar)],
        scope=STEP, claim="jensen-distance", source="ours",
    )  # fmt: skip


def _bound(book: Book) -> None:
    claim = "A2-bound"
    prove(book, claim, "", ["A2-grouped", "jensen-distance", "def A_24"], scope=STEP)
    book.line(
        f"{claim}/corrected", A_2(t), "<=",
        (1 - eta * CONTRACTION / 2) * D_W(t) + (1 + eta * CONTRACTION) * V_W(t) + A_24(t),
        ["A2-grouped/corrected", "jensen-distance/corrected", "def A_24"],
        scope=STEP, vectors=False, claim=claim, source="ours", assumptions=REPAIRED,
    )  # fmt: skip


def _final(book: Book) -> None:
    claim = "A2-final"
    prove(book, claim, "", ["A2-bound", "A2.4:equal"])
    book.line(
        f"{claim}/corrected", A_2(t), "<=",
        (1 - eta * CONTRACTION / 2) * D_W(t)
        + (2 + eta * CONTRACTION) * V_W(t) + HETEROGENEITY,
        ["A2-bound/corrected", "A2.4:equal"],
        claim=claim, source="ours", conditions=CONDITIONS, assumptions=EQUAL,
    )  # fmt: skip


def write(book: Book) -> None:
    """Steps 4.3 and 4.5."""
    _grouping(book)
    _average(book)
    _bound(book)
    _final(book)
