"""The chain of Theorem 2.2, as the text has it: (19) to (28)."""

import sympy as sp

from fedbounds.facts import Fact
from fedbounds.theory.language.symbols import K, L, Mean_t, Sum_t, T, eta, f, n, t
from fedbounds.theory.proof.language import (
    Book,
    Uses,
    below,
    cite,
    condition,
    equal,
    fact,
    integer,
    root,
    split,
    square,
)
from fedbounds.theory.proof.vectors import given, ip, past, sq

from .. import assumed
from ..measured import OF_STOPPED
from ..scope_names import STOPPED_ROUND
from ..selection import EQ_23, EQ_25, EQ_28, EXPLICIT, OF_C_S_IS, OF_D_IS
from ..sizes import (
    ALL_STEPS,
    NOISE_KEPT,
    OF_C_S,
    OF_LOCAL_STEP,
    ROOT_C,
    WIDE_KEPT,
)
from ..symbols import (
    G_1,
    D_delta,
    Delta,
    Dw_2,
    G_f,
    K_b,
    K_g,
    V_g,
    X_b,
    X_be,
    X_f,
    X_g,
    X_ge,
    c,
    c_h,
    g_b,
    g_g,
    gamma_g,
    mu_PL,
    sigma_h,
    u,
)
from ..vectors import cests, g0, kests, kmgs, sfirst, sg, sg0, smg0

_ROOTS = [root(x, 2) for x in (c, c_h)]
_COUNTED = [*_ROOTS, equal(K_b, n - K_g)]
_PULL = eta * ROOT_C * ALL_STEPS / n


def _given(book: Book) -> None:
    """Of kept clients, and what a theorem supposes of them."""
    share = gamma_g * (Sum_t(f(t)) + L * T / 2 * Delta)
    told = "the display before (28)"
    book.suppose("share of kept clients", Sum_t(V_g(t)), share, told, (assumed.SHARE,))
    of_7 = EQ_23.parts[1]
    book.suppose("(7) of kept clients", of_7.left, of_7.right, "(7), with its step size",
                 of_7.assumptions, conditions=of_7.conditions)  # fmt: skip


def _of(name: str) -> str:
    return f"{name} ({STOPPED_ROUND})"


def _norms(book: Book) -> None:
    """(26): the mean of a norm, and the sum of these; any_d is any positive number."""
    slope, d = given(g0, past), sp.Symbol("any_d", positive=True)
    for left in (G_1, G_f):
        book.define(_of(str(left)), left(t), OF_STOPPED[str(left)], "Appendix B.5", STOPPED_ROUND)
    uses: Uses = [
        cite(_of("def G_1"), times=1),
        cite(_of("def G_f"), times=-1 / (2 * d)),
        fact("mean_norm", slope, d, times=1 / (2 * d)),
    ]
    book.line("mean norm", G_1(t), "<=", sp.sqrt(G_f(t)), uses, scope=STOPPED_ROUND, vectors=False,
              rule="root")  # fmt: skip
    book.prove("eq-26", "", [cite("mean norm", over="t", tangent=d / T, times=1)], rule="root")


def _one_round(book: Book) -> None:
    """(19), its mean, and gradients of stopped clients."""
    slope, same = given(g0, past), sp.Integer(0)
    for left in (X_f, Dw_2, X_g, X_b, X_ge, X_be, g_g, g_b):
        book.define(_of(str(left)), left(t), OF_STOPPED[str(left)], "Appendix B.5", STOPPED_ROUND)
    unbiased = (Fact.NOISE,)
    for name, left, relation, right, origin, assumptions, restated in (
        ("stopped clients take one step", ip(slope, K * cests - K * kests - sfirst), "==", same,
         "Algorithm 1", (), ()),
        ("unbiased, kept", ip(slope, kests - kmgs), "==", same,
         "Lemma B.8 of every local step, as epsilon tends to 0", unbiased, ("lemma-b8:limit",)),
        ("unbiased, stopped", ip(slope, sfirst - smg0), "==", same,
         "Lemma B.8 of the first local step, as epsilon tends to 0", unbiased,
         ("lemma-b8:limit",)),
        ("stopped clients, counted", sq(sg), "==", K_b / n * sq(slope), "K_b of n clients", (),
         ()),
        ("B.3 of stopped clients", sq(sg0 - sg), "<=", K_b / n * (c_h * sq(slope) + sigma_h**2),
         "Assumption B.3", (assumed.HETEROGENEITY,), ()),
    ):  # fmt: skip
        book.suppose(_of(name), left, right, origin, assumptions, relation, STOPPED_ROUND,
                     restates=restated)  # fmt: skip
    defined = [_of(f"def {x}") for x in (X_f, X_ge, X_be)]
    uses: Uses = [*defined, _of("asm stopped clients take one step")]
    book.prove("eq-19", "", uses, scope=STOPPED_ROUND)
    uses = ["eq-19", *defined[1:], *(_of(f"def {x}") for x in (X_g, X_b)),
            _of("asm unbiased, kept"), _of("asm unbiased, stopped")]  # fmt: skip
    book.prove("eq-20", "sums", uses, scope=STOPPED_ROUND)
    uses = [*(_of(f"def {x}") for x in (G_f, g_b)), _of("asm stopped clients, counted"),
            _of("asm B.3 of stopped clients"), square(sg0 - 2 * sg)]  # fmt: skip
    book.prove("eq-23", "stopped", uses, scope=STOPPED_ROUND, reading=EQ_23.readings[0])


def write(book: Book) -> None:
    """All of them."""
    _given(book)
    _norms(book)
    _one_round(book)
    # B.3 is of w^r: of gradients after local steps nothing bounds the left side
    book.prove("eq-20", "bracket", [], chart=_COUNTED)
    book.prove("eq-21", "", ["eq-8", "eq-20:sums", "eq-20:bracket"], chart=_COUNTED)
    # Lemma B.7 is of gradients of samples, whose squares are larger by the variance
    book.prove("vp-secmom", "", [])
    # (7) is at its own step size
    book.prove("eq-23", "any step", ["asm (7) of kept clients"], reading=EQ_23.readings[0])
    displays = ["vp-secmom", "asm (7) of kept clients", "eq-23:stopped"]
    for part, reading in zip(("any step", "step of (7)"), EQ_25.readings, strict=False):
        local = ["eq-21", *displays]
        book.prove("eq-24", part, local, reading=reading, chart=_COUNTED)
        book.prove("eq-25", part, [cite(f"eq-24:{part}", over="t")], reading=reading)
        book.prove("eq-27", part, [f"eq-25:{part}"], reading=reading, chart=_ROOTS)
        _of_delta(book, part)
        divided = condition(OF_C_S_IS, times=-Mean_t(f(t)))
        last = [cite(f"eq-28: its delta in (27), {part}", times=1 / T), divided]
        book.prove("eq-28", part, last, reading=reading, chart=_ROOTS)
    # the middle term of (28) at this step is over mu: sigma_h^2/2 needs mu >= 2 and more
    explicit: Uses = ["eq-28: its delta in (27), any step", condition(OF_D_IS),
                      cite("asm minimum", at={t: 0}), "asm minimum, last"]  # fmt: skip
    book.prove("thm-2.2-explicit", "D_delta positive", explicit, reading=EXPLICIT.readings[0],
               chart=[_ROOTS[0], below(c_h, 1), equal(K_b, n - K_g), integer(u, 1),
                      split(mu_PL, L)])  # fmt: skip


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
