"""What is true instead, of one local step a round along one direction for all clients.

The mask keeps a share of the global gradient, by which f falls: no client's gradient bounds it.
"""

import sympy as sp

from fedbounds.facts import Fact
from fedbounds.theory.language.claims import Condition
from fedbounds.theory.language.symbols import K, L, Mean_t, T, eta, f, n, sigma2, t
from fedbounds.theory.proof.language import Book, below, cite
from fedbounds.theory.proof.vectors import given, ip, past, sq, vectors, xi

from .. import assumed
from ..measured import OF_ROUND
from ..scope_names import ONE_STEP
from ..sizes import FLOOR_ONCE, LOCAL_STEP
from ..symbols import G_f, M_f, X_f, c, mu_PL, u
from ..vectors import first, g0, mg0, mn0, w, w_next

PART = "one local step"
_OFTEN = Condition(K, "==", sp.Integer(1))
_SHORT = (_OFTEN, Condition(eta, "<=", LOCAL_STEP))
_ESTIMATED = (Fact.NOISE, assumed.EXACT, assumed.SHARED)
_STEP = (Fact.SMOOTH, *_ESTIMATED)
_WHOLE = (*_STEP, Fact.PL, assumed.GLOBAL)


def write(book: Book) -> None:
    """All of them."""
    _given(book)
    uses = [_of(name) for name in ("def X_f", "def M_f", "asm mask")]
    book.line(f"eq-10:{PART}/corrected", X_f(t), "==", -eta * M_f(t), uses, scope=ONE_STEP,
              vectors=False, conditions=(_OFTEN,), assumptions=_ESTIMATED)  # fmt: skip
    uses = [_of("asm descent of f"), f"eq-10:{PART}/corrected",
            *map(_of, ("def X_f", "def M_f", "asm Isserlis", "asm B.4"))]  # fmt: skip
    book.line(f"eq-12:{PART}/corrected", f(t + 1), "<=", f(t) - eta / 2 * M_f(t) + FLOOR_ONCE, uses,
              scope=ONE_STEP, vectors=False, chart=[below(eta, LOCAL_STEP)], conditions=_SHORT,
              assumptions=_STEP)  # fmt: skip
    summed = [cite(f"eq-12:{PART}/corrected", over="t"), cite("asm B.2", over="t"),
              cite("asm B.6 of the global gradient", over="t")]  # fmt: skip
    right = ((f(0) - f(T)) / T + FLOOR_ONCE) / (eta * c * mu_PL)
    book.line(f"thm-2.1-explicit:{PART}/corrected", Mean_t(f(t)), "<=", right, summed,
              conditions=_SHORT, assumptions=_WHOLE)  # fmt: skip


def _of(name: str) -> str:
    return f"{name} ({ONE_STEP})"


def _given(book: Book) -> None:
    slope, z = given(g0, past), vectors({"z": "z"})[0]
    for left in (X_f, M_f):
        book.define(_of(str(left)), left(t), OF_ROUND[str(left)], "ours", ONE_STEP)
    kept = given(mg0, past)
    mean, masked = given(first, past, z, xi), given(mg0 + mn0, past, xi)
    for name, left, relation, right, origin, assumptions in (
        ("descent of f", f(t + 1) - f(t), "<=", ip(slope, w_next - w) + L / 2 * sq(w_next - w),
         "Assumption B.1: descent from a point", (Fact.SMOOTH,)),
        ("mask", ip(slope, kept), "==", sq(kept), "entries of the mask are 0 or 1", ()),
        ("Isserlis", sq(mean), "==", (2 + u) * sq(masked),
         "fourth moments of a Gaussian direction that all clients have",
         (assumed.EXACT, assumed.SHARED)),
        ("B.4", sq(given(mn0, past, xi)), "<=", sigma2 / n,
         "Assumption B.4, clients independent; a mask shortens", (Fact.NOISE,)),
    ):  # fmt: skip
        book.suppose(_of(name), left, right, origin, assumptions, relation, ONE_STEP)
    book.suppose("B.6 of the global gradient", c * G_f(t), M_f(t),
                 "ours, in place of Assumption B.6", (assumed.GLOBAL,))  # fmt: skip
