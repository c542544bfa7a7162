"""From (14) to (17)."""

from fedbounds.theory.checker.data import Premise
from fedbounds.theory.language.symbols import K, L, Mean_t, Sum_t, T, eta, f, t
from fedbounds.theory.proof.language import (
    Book,
    Uses,
    above,
    cite,
    condition,
    equal,
    root,
    split,
)
from fedbounds.theory.proof.text import text

from ..rounds import ALL, BOTH, CHAIN, POSITIVE_Q, POSITIVE_q
from ..sizes import (
    NOISE,
    OF_LOCAL_STEP,
    PULL,
    ROOT_C,
    ROOT_H,
    STEP,
    WIDE,
    YOUNG,
    OF_q,
)
from ..symbols import Delta, G_f, Q, V_m, c, c_h, delta, mu_PL, q_17, u

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
    _of_step(book)


def _of_step(book: Book) -> None:
    """(17) with the step size of Theorem 2.1, of which the second is the smaller one.

    mu is at most L, as f is L-smooth and PL, and c, c_h at most 1: where the first were smaller,
    the multiple of y f(0) that the bound lacks is taken from y <= 0.
    """
    told = "mu <= L as f is smooth and PL; c, c_h <= 1; f* is the least value of f"
    book.suppose("step of Theorem 2.1", mu_PL * ROOT_C * ROOT_H * f(0), 2 * L * (2 + u) * f(0),
                 told, ALL)  # fmt: skip
    edge = 2 * L * (2 + u) / (ROOT_C * ROOT_H)
    beyond = mu_PL - edge
    lacks = edge * beyond / (mu_PL**2 * (edge + 2 * beyond) * ROOT_C * ROOT_H * T * K)
    uses: Uses = [
        cite("eq-17: its delta in (15), any step", times=1 / (T * eta * K * OF_q)),
        "asm minimum, last",
        Premise("step", "asm step of Theorem 2.1", (text(lacks), "0")),
    ]
    book.prove("thm-2.1-explicit", "", uses, chart=[*_ROOTS, split(mu_PL, edge), equal(eta, STEP)])


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
