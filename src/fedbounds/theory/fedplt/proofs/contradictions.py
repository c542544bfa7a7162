"""What cannot be met: premises that lead to a number below zero that is not.

Each chain ends with a statement in constants alone that is false whatever their values. W is a
point far from W*, and nothing is assumed of the algorithm.
"""

import sympy as sp

from fedbounds.facts import Fact
from fedbounds.theory.checker.data import Scope
from fedbounds.theory.fedplt.distance import BELOW_ONE, SHORT
from fedbounds.theory.fedplt.feasibility import (
    FIRST_SHORT,
    LARGE_ALIGNMENT,
    LATE,
    POSITIVE_FREE,
)
from fedbounds.theory.fedplt.symbols import psi_sup
from fedbounds.theory.language.symbols import G2, L, eta, mu
from fedbounds.theory.proof.language import Book, cite, condition, equal, square
from fedbounds.theory.proof.vectors import ip, sq, vectors

from .. import assumed
from ..symbols import alpha_k as alpha
from ..symbols import psi_max, psi_min, rho_k, rho_min, w_first, w_large

FAR = "a point far from W*"
far, gF, gk, gs0, mgk = vectors(
    {
        "far": "(W-W^*)",
        "gF": r"\nabla F(W)",
        "gk": r"\nabla F_k(W)",
        "gs0": r"\nabla F_k(W^*)",
        "mgk": r"(m_k\odot\nabla F_k(W))",
    }
)
# all of them fixed: squares are those of the vectors themselves
SCOPE = Scope(sources=("xi",), atoms=tuple((str(v), ()) for v in (far, gF, gk, gs0, mgk)))

_CONVEX = (Fact.STRONGLY_CONVEX,)
_PARTIAL = (assumed.LEAVES_OUT,)
_EVERYWHERE = (assumed.ALIGNED_EVERYWHERE,)
# mu <= L, as both bound the curvature of F_k
_ORDER = (Fact.SMOOTH, Fact.STRONGLY_CONVEX)


def _bounded_gradient(book: Book) -> None:
    """Assumption 5 on R^d, at a point with ||W - W*||^2 = G^2/mu^2 + 1."""
    bounded = (Fact.GLOBAL_GRADIENT_EVERYWHERE,)
    for name, left, relation, right, origin, assumptions in (
        ("F convex", ip(gF, far), ">=", mu * sq(far), "Assumption 2, as grad F(W*) = 0", _CONVEX),
        ("F bounded", sq(gF), "<=", G2, "Assumption 5, for all W in R^d", bounded),
        ("W for 5", sq(far), "==", G2 / mu**2 + 1, "our choice of W, in any direction", ()),
    ):
        book.suppose(f"{name} ({FAR})", left, right, origin, assumptions, relation, FAR)
    book.line(
        "A5: growth", mu**2 * sq(far), "<=", sq(gF),
        [f"asm F convex ({FAR})", square(gF - mu * far)],
        scope=FAR, claim="A5", source="ours", assumptions=_CONVEX,
    )  # fmt: skip
    book.line(
        "A5: contradiction", mu**2, "<=", 0,
        ["A5: growth", f"asm F bounded ({FAR})", f"asm W for 5 ({FAR})"],
        scope=FAR, vectors=False, claim="A5", source="ours", assumptions=(*_CONVEX, *bounded),
    )  # fmt: skip


def _alignment(book: Book) -> None:
    """Assumption 6 on R^d, at a point along a coordinate that m_k leaves out.

    There ||W - W*||^2 = ||grad F_k(W*)||^2/mu^2 + 1; its square root is the length along the
    coordinate. The denominator of rho_k is positive there, so that Assumption 6 speaks of it.
    """
    for name, left, relation, right, origin, assumptions in (
        ("F_k convex", ip(gk - gs0, far), ">=", mu * sq(far), "Assumption 2", _CONVEX),
        ("W for 6", sq(far), "==", sq(gs0) / mu**2 + 1, "our choice of the length", ()),
        ("left out", ip(mgk, far), "==", 0, "our choice of the direction", _PARTIAL),
        (
            "rho_k", ip(mgk, far), "==", rho_k * ip(gk, far),
            "Assumption 6 at W, where the denominator is positive", _EVERYWHERE,
        ),
    ):  # fmt: skip
        book.suppose(f"{name} ({FAR})", left, right, origin, assumptions, relation, FAR)
    book.line(
        "A6: denominator", ip(gk, far), ">=", mu / 2,
        [f"asm F_k convex ({FAR})", f"asm W for 6 ({FAR})", square(gs0 + mu * far)],
        scope=FAR, claim="A6", source="ours", assumptions=_CONVEX,
    )  # fmt: skip
    book.line(
        "A6: contradiction", rho_k * mu / 2, "<=", 0,
        ["A6: denominator", f"asm left out ({FAR})", f"asm rho_k ({FAR})"],
        scope=FAR, vectors=False, claim="A6", source="ours",
        assumptions=(*_CONVEX, *_PARTIAL, *_EVERYWHERE),
    )  # fmt: skip


def _step_sizes(book: Book) -> None:
    """Conditions (i) and (iii): at the first and at a late round of 1/(z(t+1)); for a large rho."""
    book.suppose("mu at most L", mu, L, "Assumptions 1 and 2, at two points", _ORDER)
    book.line(
        "conditions: contradiction, decaying", w_first / 2, "<=", 0,
        [
            condition(LATE, times=sp.Rational(1, 2)),
            condition(BELOW_ONE, times=mu),
            cite("asm mu at most L", times=1),
        ],
        chart=[equal(rho_min, FIRST_SHORT.right / (mu * psi_min))],
        vectors=False, claim="conditions", source="ours",
        conditions=(FIRST_SHORT, LATE, BELOW_ONE), assumptions=_ORDER,
    )  # fmt: skip
    book.line(
        "conditions: contradiction, large", w_large, "<=", 0,
        [condition(SHORT, times=2 * L * psi_max**2 * alpha**2), condition(BELOW_ONE, times=1)],
        chart=[equal(rho_min, LARGE_ALIGNMENT.right / psi_min)],
        vectors=False, claim="conditions", source="ours",
        conditions=(LARGE_ALIGNMENT, SHORT, BELOW_ONE),
    )  # fmt: skip


def _free_values(book: Book) -> None:
    """Condition (ii) where psi_i is 0 or less at a coordinate that nobody trains."""
    book.line(
        "conditions: contradiction, free values", 2 * eta * psi_sup**2 * alpha**2 * L, "<=", 0,
        [condition(POSITIVE_FREE)], vectors=False, claim="conditions", source="ours",
        conditions=(POSITIVE_FREE,),
    )  # fmt: skip


def write(book: Book) -> None:
    """Assumptions 5 and 6 on all of R^d, and the conditions on eta."""
    _bounded_gradient(book)
    _alignment(book)
    _step_sizes(book)
    _free_values(book)
