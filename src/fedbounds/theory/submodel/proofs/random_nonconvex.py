"""Lemma 6 and Theorem 2."""

from fedbounds.theory.language.symbols import K, L, T, eta, n, sigma2, t
from fedbounds.theory.proof.language import Book, above, below, cite, condition, equal, fact, square
from fedbounds.theory.proof.vectors import given, ip, past, sq, xi
from fedbounds.theory.submodel.random_convex import NOISY
from fedbounds.theory.submodel.random_nonconvex import THEOREM_2
from fedbounds.theory.submodel.symbols import Phi, V_bar, g_Fp, nu2_x
from fedbounds.theory.submodel.symbols_rounds import v_mean

from .definitions_rounds import ROUND, hx, hy, mask, nz, wf, x
from .random_convex import EDGE_4, differences
from .random_definitions import of

EDGE_8 = below(eta, 1 / (8 * K * L))
MOVED = given(hy - hx, past)


def _drift(book: Book) -> None:
    claim = "lem-6"
    uses = of(ROUND, "def H_x", "def nu2_x", "def B2_x", "def g_Fp")
    book.prove(claim, "identity", uses, scope=ROUND)
    uses = ["lem-5:drift", f"{claim}:identity"]
    book.prove(claim, "drift, values at w^t", uses, chart=[EDGE_4])
    suprema = ["asm nu2", "asm B2"]
    book.prove(claim, "drift", [f"{claim}:drift, values at w^t", *suprema], chart=[EDGE_4])


def _round(book: Book) -> None:
    claim = "thm-2"
    book.line(
        f"{claim}: first order", ip(given(hx, past), wf - x), "<=",
        -eta * K / 2 * g_Fp(t) + eta * L**2 / 2 * V_bar(t),
        [*of(ROUND, "def g_Fp", "def V_bar", "asm smooth"),
         square(given(hx, past) + MOVED), square(hy - hx - MOVED)],
        scope=ROUND, claim=claim, assumptions=NOISY,
    )  # fmt: skip
    moved = given(hy - hx, past, mask, xi)
    parts = [given(nz, past, mask, xi), moved, given(hx, past, mask)]
    facts = of(ROUND, "def g_Fp", "def V_bar", "def nu2_x", "asm smooth", "asm mean noise")
    book.line(
        f"{claim}: second order", sq(wf - x), "<=",
        3 * eta**2 * (K**2 * g_Fp(t) + K**2 * nu2_x(t) / n + K * L**2 * V_bar(t) + K * sigma2 / n),
        [*facts, *of(ROUND, "asm masks at x"), *differences(parts), square(hy - hx - moved)],
        scope=ROUND, claim=claim, assumptions=NOISY,
    )  # fmt: skip
    book.prove(claim, "coefficient", chart=[EDGE_8])
    uses = [*of(ROUND, "asm L_Fp", "asm descent of F_p"), f"{claim}: first order"]
    uses += [f"{claim}: second order", "lem-6:drift, values at w^t"]
    book.prove(claim, "round, values at w^t", uses, scope=ROUND, chart=[EDGE_8])
    uses = [f"{claim}:round, values at w^t", "asm nu2", "asm B2"]
    book.prove(claim, "round", uses, chart=[EDGE_8])
    times = 4 / (eta * K * T)
    sums = [cite(f"{claim}:round", over="t", times=times), cite("def Phi", times=-times)]
    book.prove(claim, "mean", sums, chart=[EDGE_8])


def _tuned(book: Book) -> None:
    claim = "thm-2"
    short_part, root_part = (THEOREM_2.part(f"tuned, {x}") for x in ("1/(8L)", "root"))
    split = short_part.conditions[-1]  # v = nu^2 + sigma^2/K
    # sqrt(24 x) is read as 2 sqrt(6 x)
    below_root, inside = (3 * v_mean / (16 * n)) ** 2, 6 * L * Phi * v_mean / (n * T)
    larger = fact("root_grows", below_root, inside, times=4)
    level = -(6 * eta * K * L / n + 8 * eta**2 * K**2 * L**2)
    mean = cite(f"{claim}:mean", times=1)
    book.prove(
        claim, "tuned, 1/(8L)", [mean, condition(split, times=level), larger],
        chart=[above(Phi, 3 * T * v_mean / (128 * n * L)), equal(eta, 1 / (8 * K * L))],
    )  # fmt: skip
    value = 3 * L * T * v_mean * eta**2 * K**2 / (2 * n)
    split = root_part.conditions[-1]
    book.prove(
        claim, "tuned, root", [mean, condition(split, times=level)],
        chart=[EDGE_8, equal(Phi, value)],
    )  # fmt: skip


def write(book: Book) -> None:
    """Lemma 6 and Theorem 2."""
    _drift(book)
    _round(book)
    _tuned(book)
