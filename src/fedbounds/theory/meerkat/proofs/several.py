"""What is true instead, of several local steps a round.

Local gradients are the global one at w^r, what a client's own differs from it, and what they change
while the client drifts; steps shorter by the number of local steps keep the drift small.
"""

import sympy as sp

from fedbounds.facts import Fact
from fedbounds.theory.language.claims import Condition
from fedbounds.theory.language.symbols import K, L, Mean_t, T, eta, f, sigma2, t
from fedbounds.theory.proof.language import Book, Uses, below, cite, square
from fedbounds.theory.proof.vectors import given, ip, past, sq

from .. import assumed
from ..measured import OF_ROUND
from ..scope_names import ROUND
from ..sizes import FLOOR_SEVERAL
from ..symbols import G_f, M_f, X_f, c, c_h, drift, est_m, mu_PL, sigma_h, u
from ..vectors import ests, g0, mg0, mgs, w, ys

PART = "several local steps"
_UNLIKE = 1 + c_h / c
_LONGEST = 1 / (5 * L * K * (2 + u) * _UNLIKE)
_SHORT = (Condition(eta, "<=", _LONGEST),)
_FLOOR = 2 * sigma_h**2 + sigma2
_ESTIMATED = (Fact.SMOOTH, Fact.NOISE, assumed.EXACT)
_STEP = (*_ESTIMATED, assumed.HETEROGENEITY, assumed.GLOBAL)
_NOTHING = sp.Integer(0)


def write(book: Book) -> None:
    """All of them."""
    _given(book)
    _of_drift(book)
    pulled = -eta * K / 2 * M_f(t) + eta * K * L**2 / 2 * drift(t)
    book.line(f"eq-10:{PART}/corrected", X_f(t), "<=", pulled,
              ["def X_f", "def X_mask", "def X_est", "def M_f", "def drift", "asm unbiased",
               "asm mask of a round", "asm B.1 after local steps",
               square(given(mg0, past) + mgs - mg0)],
              scope=ROUND, vectors=False, assumptions=_ESTIMATED)  # fmt: skip
    uses: Uses = [
        "eq-8",
        f"eq-10:{PART}/corrected",
        cite("eq-11:squares", times=L / 2),
        cite("second moment of a round", times=L / 2 * eta**2 * K**2),
        cite("drift of a round", times=eta * K * L**2 / 2 + L**3 * eta**2 * K**2 * (2 + u)),
    ]
    after = f(t) - eta * K / 4 * M_f(t) + FLOOR_SEVERAL
    book.line(f"eq-12:{PART}/corrected", f(t + 1), "<=", after, uses, vectors=False,
              chart=[below(eta, _LONGEST)], conditions=_SHORT,
              assumptions=_STEP)  # fmt: skip
    summed: Uses = [
        cite(f"eq-12:{PART}/corrected", over="t"),
        cite("asm B.2", over="t"),
        cite("asm B.6 of the global gradient", over="t"),
    ]
    right = 2 * ((f(0) - f(T)) / T + FLOOR_SEVERAL) / (eta * K * c * mu_PL)
    book.line(f"thm-2.1-explicit:{PART}/corrected", Mean_t(f(t)), "<=", right, summed,
              conditions=_SHORT, assumptions=(*_STEP, Fact.PL))  # fmt: skip


def _given(book: Book) -> None:
    slope, kept = given(g0, past), given(mg0, past)
    for left in (M_f, drift):
        book.define(str(left), left(t), OF_ROUND[str(left)], "ours", ROUND)
    apart = sq(mg0 - kept)
    for name, left, relation, right, origin, assumptions in (
        ("mask of a round", ip(slope - kept, mgs), "==", _NOTHING,
         "entries of the mask are 0 or 1", ()),
        ("B.1 after local steps", sq(mgs - mg0), "<=", L**2 * sq(ys - w),
         "Assumption B.1; a mask shortens", (Fact.SMOOTH,)),
        ("B.3, masked", apart, "<=", c_h * G_f(t) + sigma_h**2,
         "Assumption B.3; a mask shortens", (assumed.HETEROGENEITY,)),
        ("estimates of a round", sq(ests), "<=", (2 + u) * (sq(mgs) + sigma2),
         "fourth moments of a Gaussian direction; Assumption B.4", (assumed.EXACT, Fact.NOISE)),
        ("local steps add up", sq(ys - w), "<=", eta**2 * K**2 / 2 * sq(ests),
         "w_k^{r,t} is w^r less eta times t estimates; Cauchy-Schwarz", ()),
    ):  # fmt: skip
        book.suppose(name, left, right, origin, assumptions, relation, ROUND)


def _of_drift(book: Book) -> None:
    """The estimates of a round, and how far clients get."""
    whole = 2 * _UNLIKE * M_f(t) + _FLOOR
    uses: Uses = [
        "def est_m",
        "def M_f",
        "def drift",
        "asm estimates of a round",
        "asm B.1 after local steps",
        "asm B.3, masked",
        cite("asm B.6 of the global gradient", times=2 * (2 + u) * c_h / c),
        square(2 * mg0 - mgs),
    ]
    book.line("second moment of a round", est_m(t), "<=",
              (2 + u) * (whole + 2 * L**2 * drift(t)), uses, scope=ROUND, vectors=False,
              source="ours", assumptions=_STEP)  # fmt: skip
    uses = [
        "def est_m",
        "def drift",
        "asm local steps add up",
        cite("second moment of a round", times=eta**2 * K**2),
    ]
    book.line("drift of a round", drift(t), "<=",
              eta**2 * K**2 * (2 + u) * whole, uses, scope=ROUND, vectors=False,
              chart=[below(eta, _LONGEST)], source="ours",
              conditions=_SHORT, assumptions=_STEP)  # fmt: skip
