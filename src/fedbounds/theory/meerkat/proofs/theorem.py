"""From (14) to (17)."""

from fedbounds.theory.language.symbols import K, L, Mean_t, Sum_t, T, eta, f, t
from fedbounds.theory.proof.language import Book, above, cite, condition, root

from ..rounds import ALL, BOTH, CHAIN, POSITIVE_Q, POSITIVE_q
from ..sizes import NOISE, OF_LOCAL_STEP, PULL, WIDE, YOUNG, OF_q
from ..symbols import Delta, G_f, Q, V_m, c, c_h, delta, q_17

_ROOTS = [root(x, 2) for x in (c, c_h)]
_MEAN, _SUM = Mean_t(f(t)), Sum_t(f(t))
_HALF = YOUNG.subs(delta, 1 / PULL)  # with the paper's choice of delta
_FELL = f(0) - f(T)


def write(book: Book) -> None:
    """All of them."""
    for part, reading in zip(("any step", "step of (7)"), BOTH, strict=True):
        divided = condition(POSITIVE_Q, times=-_MEAN / Q)
        chart = [*_ROOTS, above(delta, 1 / (2 * PULL))]
        uses = [cite(f"eq-15:{part}", times=1 / (T * Q)), divided]
        book.prove("eq-16", part, uses, reading=reading, chart=chart)
        _of_delta(book, part)
        divided = condition(POSITIVE_q, times=-_MEAN / q_17)
        uses = [cite(f"eq-17: its delta in (15), {part}", times=1 / (T * eta * K * q_17)), divided]
        book.prove("eq-17", part, uses, reading=reading, chart=_ROOTS)


def _of_delta(book: Book, part: str) -> None:
    """(14) and (15) at delta = 1/(eta T sqrt(c) (1 + sqrt(c_h)))."""
    conditions = (OF_LOCAL_STEP,) if part == "step of (7)" else ()
    name = f"eq-17: its delta in (14), {part}"
    whole = _FELL + _HALF * T + Sum_t(WIDE * V_m(t)) + NOISE * T
    book.line(name, PULL / 2 * Sum_t(G_f(t)), "<=", whole, [f"eq-13:{part}"], chart=_ROOTS,
              claim="eq-17", conditions=conditions, assumptions=CHAIN)  # fmt: skip
    curved = cite("asm B.2", over="t", times=PULL / 2)
    gaps = cite("gap-lemma:summed", times=WIDE)
    right = _FELL + (_HALF + L / 2 * WIDE * Delta + NOISE) * T
    book.line(f"eq-17: its delta in (15), {part}", eta * K * OF_q * _SUM, "<=", right,
              [name, gaps, curved], chart=_ROOTS, claim="eq-17", conditions=conditions,
              assumptions=ALL)  # fmt: skip
