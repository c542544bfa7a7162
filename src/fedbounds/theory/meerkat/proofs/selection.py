"""The chain of Theorem 2.2, as the text has it: (20) to (28)."""

from fedbounds.theory.language.symbols import K, L, Mean_t, Sum_t, T, eta, f, n, t
from fedbounds.theory.proof.language import Book, Uses, cite, condition, root

from .. import assumed
from ..selection import EQ_20, EQ_23, EQ_25, EQ_28, OF_C_S_IS, OF_D_IS, SECOND_MOMENT
from ..sizes import (
    ALL_STEPS,
    NOISE_KEPT,
    OF_C_S,
    OF_LOCAL_STEP,
    ROOT_C,
    ROOT_H,
    WIDE_KEPT,
)
from ..symbols import G_1, D_delta, Delta, G_f, V_g, X_b, X_g, c, c_h, gamma_g, sigma_h

_ROOTS = [root(x, 2) for x in (c, c_h)]
_PULL = eta * ROOT_C * ALL_STEPS / n


def _given(book: Book) -> None:
    """Displays of the text whose own proofs are not written here."""
    bracket = _PULL * (ROOT_H * G_f(t) + sigma_h * G_1(t))
    chained = "Assumptions B.6 and B.3, of norms of single gradients, as the text has it"
    supposed = (assumed.HETEROGENEITY, assumed.SPARSE)
    book.suppose("chain, some stopped", eta * (K * X_g(t) + X_b(t)), bracket, chained, supposed)
    share = gamma_g * (Sum_t(f(t)) + L * T / 2 * Delta)
    told = "the display before (28)"
    book.suppose("share of kept clients", Sum_t(V_g(t)), share, told, (assumed.SHARE,))
    for name, part, relation, origin in (
        ("mean of (19)", EQ_20.parts[0], "==", "Lemma B.8 of every local step"),
        ("second moment", SECOND_MOMENT.parts[0], "<=", "Lemma B.7 and Cauchy-Schwarz"),
        ("(7) of kept clients", EQ_23.parts[1], "<=", "(7), with its step size"),
        ("B.3 of stopped clients", EQ_23.parts[2], "<=", "Assumption B.3 and two squares"),
    ):
        book.suppose(name, part.left, part.right, origin, part.assumptions, relation,
                     conditions=part.conditions)  # fmt: skip


def write(book: Book) -> None:
    """All of them."""
    _given(book)
    uses = ["eq-8", "asm mean of (19)", "asm chain, some stopped"]
    book.prove("eq-21", "", uses, chart=_ROOTS)
    displays = ("second moment", "(7) of kept clients", "B.3 of stopped clients")
    for part, reading in zip(("any step", "step of (7)"), EQ_25.readings, strict=False):
        local = ["eq-21", *(f"asm {name}" for name in displays)]
        book.prove("eq-24", part, local, reading=reading, chart=_ROOTS)
        book.prove("eq-25", part, [cite(f"eq-24:{part}", over="t")], reading=reading)
        book.prove("eq-27", part, [f"eq-25:{part}"], reading=reading, chart=_ROOTS)
        _of_delta(book, part)
        divided = condition(OF_C_S_IS, times=-Mean_t(f(t)))
        last = [cite(f"eq-28: its delta in (27), {part}", times=1 / T), divided]
        book.prove("eq-28", part, last, reading=reading, chart=_ROOTS)


def _of_delta(book: Book, part: str) -> None:
    """(27) at delta = n/D_delta, with the share of kept clients and B.2."""
    conditions = (OF_D_IS, *((OF_LOCAL_STEP,) if part == "step of (7)" else ()))
    level = eta**2 * c * ALL_STEPS**2 * sigma_h**2 / (2 * n * D_delta)
    right = f(0) - f(T) + (level + L / 2 * WIDE_KEPT * gamma_g * Delta + NOISE_KEPT) * T
    uses: Uses = [
        f"eq-25:{part}",
        cite("asm share of kept clients", times=WIDE_KEPT),
        cite("asm B.2", over="t", times=_PULL / 2),
        condition(OF_D_IS, times=-Sum_t(G_f(t)) / (2 * n)),
    ]
    book.line(f"eq-28: its delta in (27), {part}", OF_C_S * Sum_t(f(t)), "<=", right, uses,
              chart=_ROOTS, claim="eq-28", conditions=conditions,
              assumptions=EQ_28.parts[0].assumptions)  # fmt: skip
