"""Theorems 3 and 4."""

from typing import Any

import sympy as sp

from fedbounds.theory.language.symbols import L, T, eta, mu, n, sigma2, t
from fedbounds.theory.proof.language import Book, below, cite, equal, square
from fedbounds.theory.proof.vectors import given, ip, past, sq, xi
from fedbounds.theory.submodel.rolling_lemmas import CONVEX, NOISY, UNPROJECTED, short
from fedbounds.theory.submodel.rolling_theorems import (
    FREE,
    PROJECTED,
    ROLLING_GAP_BOUND,
    descended,
)
from fedbounds.theory.submodel.symbols import (
    B_M2,
    D_br,
    D_opt,
    L_Fp,
    V_bar,
    a_bar2,
    g_Fp,
    q_mean,
)
from fedbounds.theory.submodel.symbols_rounds import B_M2_x

from .. import assumed
from .definitions_rounds import EPOCH, FREE_EPOCH, GAP_ROLLING, Um, ho, hx, hy, nz, perm, wf, x, xo
from .random_convex import HYPOTHESIS, differences, gap
from .random_definitions import of
from .rolling_definitions import STEPS
from .rolling_lemmas import EDGE_8, EDGE_10

# 3.1 (1 + 3b)/2 times 1/2 and 4/3, at b = 1/8
_UNROUNDED = sp.Rational(341, 320), sp.Rational(341, 120)
_FIRST = STEPS * D_br(t) - L / 2 * V_bar(t)
_SECOND = 3 * (STEPS * sigma2 / n + STEPS * L**2 * V_bar(t) + 2 * L * STEPS**2 * D_br(t))


def _epoch(book: Book) -> None:
    claim, own = "thm-3", (*CONVEX, *UNPROJECTED)
    book.line(
        f"{claim}: first order", ip(x - xo, Um), ">=", _FIRST,
        of(EPOCH, "def D_br", "def V_bar", "asm convex", "asm descent"),
        scope=EPOCH, claim=claim, assumptions=own,
    )  # fmt: skip
    moved, start = given(hy - hx, past, perm, xi), given(hx - ho, past, perm)
    facts = of(EPOCH, "def D_br", "def V_bar", "asm mean noise", "asm smooth", "asm cocoercive")
    jensen = [square(hy - hx - moved), square(hx - ho - start)]
    parts = [given(nz, past, perm, xi), moved, start]
    book.line(
        f"{claim}: second order", sq(Um), "<=", _SECOND,
        [*facts, *differences(parts), *jensen], scope=EPOCH, claim=claim, assumptions=own,
    )  # fmt: skip
    uses = [*of(EPOCH, "def D_opt", "def D_opt next", "asm projection")]
    uses += [f"{claim}: first order", f"{claim}: second order"]
    book.line(
        f"{claim}: before Lemma 11", D_opt(t + 1), "<=",
        D_opt(t) - 2 * eta * _FIRST + eta**2 * _SECOND, uses,
        scope=EPOCH, vectors=False, claim=claim, assumptions=PROJECTED,
    )  # fmt: skip
    book.prove(claim, "coefficient", chart=[EDGE_10])
    uses = [f"{claim}: before Lemma 11", "lem-11:convex"]
    book.prove(claim, "epoch, Bregman gap", uses, chart=[EDGE_10])
    uses = [f"{claim}:epoch, Bregman gap", "asm strongly convex, rolling masks"]
    book.prove(claim, "epoch", uses, chart=[EDGE_10])


def _epochs(book: Book) -> None:
    claim = "thm-3"
    chart = [below(mu, L), below(q_mean, 1), EDGE_10]
    book.prove(claim, "distance", [f"{claim}:epoch", HYPOTHESIS], variable="t", chart=chart)
    nothing = [equal(sigma2, 0), equal(a_bar2, 0)]
    part = "sigma = 0, interior optimum"
    book.prove(claim, part, [f"{claim}:distance"], chart=[*nothing, *chart])
    book.prove(claim, "gap, sharper", ["lem-8:strongly convex"])
    share = below(q_mean, 1)
    gap(book, claim, GAP_ROLLING, ROLLING_GAP_BOUND, assumed.COVERAGE, share)


def _nonconvex(book: Book) -> None:
    claim, scope = "thm-4", FREE_EPOCH
    gradient, moved = given(hx, past), given(hy - hx, past)
    book.line(
        f"{claim}: first order", ip(gradient, wf - x), "<=",
        -eta * STEPS / 2 * g_Fp(t) + eta * L**2 / 2 * V_bar(t),
        [*of(scope, "def g_Fp", "def V_bar", "asm smooth"),
         square(gradient + moved), square(hy - hx - moved)],
        scope=scope, claim=claim, assumptions=(*NOISY, *UNPROJECTED),
    )  # fmt: skip
    moved = given(hy - hx, past, perm, xi)
    parts = [given(nz, past, perm, xi), moved, given(hx, past, perm)]
    facts = "def g_Fp", "def V_bar", "asm smooth", "asm mean noise", "asm every permutation"
    book.line(
        f"{claim}: second order", sq(wf - x), "<=",
        3 * eta**2 * (STEPS**2 * g_Fp(t) + STEPS * L**2 * V_bar(t) + STEPS * sigma2 / n),
        [*of(scope, *facts), *differences(parts), square(hy - hx - moved)],
        scope=scope, claim=claim, assumptions=(*NOISY, *UNPROJECTED),
    )  # fmt: skip
    book.prove(claim, "coefficient", chart=[EDGE_8])
    uses = [*of(scope, "asm L_Fp", "asm descent of F_M"), f"{claim}: first order"]
    uses += [f"{claim}: second order", "lem-11:nonconvex, value at x"]
    unrounded = f"{claim}: epoch before rounding"
    at_x = f"{unrounded}, value at x"
    line: dict[str, Any] = {
        "claim": claim,
        "conditions": [short(8)],
        "assumptions": FREE,
        "chart": [EDGE_8],
    }
    book.line(
        at_x, L_Fp(t + 1), "<=", descended(B_M2_x(t), *_UNROUNDED), uses,
        scope=scope, vectors=False, **line,
    )  # fmt: skip
    uses = [at_x, "asm B_M2"]
    book.line(unrounded, L_Fp(t + 1), "<=", descended(B_M2, *_UNROUNDED), uses, **line)
    book.prove(claim, "epoch, value at x", [at_x], chart=[EDGE_8])
    book.prove(claim, "epoch", [unrounded], chart=[EDGE_8])
    # 4 (1.08) > 4.3: the mean does not follow from the epoch as displayed
    times = 4 / (eta * STEPS * T)
    sums = [cite(unrounded, over="t", times=times), cite("def Phi", times=-times)]
    book.prove(claim, "mean", sums, chart=[EDGE_8])


def write(book: Book) -> None:
    """Theorems 3 and 4."""
    _epoch(book)
    _epochs(book)
    _nonconvex(book)
