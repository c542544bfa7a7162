"""What is true instead, of rounds in which some clients are stopped after one local step.

A client counts by its local steps, so the round follows another mean of the gradients than f's: how
far clients differ stays in the bound, however short the steps are.
"""

import sympy as sp

from fedbounds.facts import Fact
from fedbounds.theory.language.claims import Condition
from fedbounds.theory.language.symbols import K, L, Mean_t, T, eta, f, sigma2, t
from fedbounds.theory.proof.language import Book, Uses, below, cite, equal, square
from fedbounds.theory.proof.vectors import given, ip, past, sq, vectors

from .. import assumed
from ..measured import OF_STOPPED
from ..scope_names import STOPPED_ROUND
from ..symbols import Dw_2, M_f, X_f, c, c_h, drift_g, est_g, mu_PL, near, sigma_h, taken_share, u
from ..vectors import away, cests, cg, cmg0, cmgs, g0, mg0

_LONGEST = near / (36 * L * K * (2 + u))
# c_h is between 0 and 1
_BELOW_1 = (Condition(near, "<=", sp.Integer(1)), Condition(c_h, "==", 1 - near))
_OF_NEAR = [below(near, 1), equal(c_h, 1 - near)]
_SHORT = (*_BELOW_1, Condition(eta, "<=", _LONGEST))
_STEP = (Fact.SMOOTH, Fact.NOISE, assumed.EXACT, assumed.NEAR_MASKED)
_NOISY = 4 * sigma_h**2 + sigma2


def write(book: Book) -> None:
    """All of them."""
    _given(book)
    _of_drift(book)
    pulled = (
        -eta * K * taken_share * near / 4 * M_f(t)
        + sp.Rational(3, 4) * eta * K * taken_share * sigma_h**2
        + sp.Rational(3, 2) * eta * K * L**2 / near * drift_g(t)
    )
    young = near / 2  # of the two differences
    uses: Uses = [
        *map(_of, ("def X_f", "def M_f", "def drift_g", "asm unbiased", "asm mask")),
        _of("asm counted"),
        _of("asm counted, squared"),
        cite(_of("asm B.3 of masked gradients"), times=eta * K / 2 * (1 + young)),
        cite(_of("asm B.1 after local steps"), times=eta * K / 2 * (1 + 1 / young)),
        square(cmgs),
        square(young * (cmg0 - cg) - (cmgs - cmg0)),
    ]
    book.line("eq-20/corrected", X_f(t), "<=", pulled, uses, scope=STOPPED_ROUND, vectors=False,
              chart=_OF_NEAR, conditions=_BELOW_1,
              assumptions=_STEP)  # fmt: skip
    noisy = sp.Rational(3, 5) * eta * L * K * (2 + u) * _NOISY
    floor = eta * K * taken_share * (sp.Rational(3, 4) * sigma_h**2 + noisy)
    uses = [
        "eq-8",
        "eq-20/corrected",
        cite("squares of a stopped round", times=L / 2),
        cite("second moment of a stopped round", times=L / 2 * eta**2 * K**2),
        cite(
            "drift of a stopped round",
            times=sp.Rational(3, 2) * eta * K * L**2 / near + L**3 * eta**2 * K**2 * (2 + u),
        ),
    ]
    falls = eta * K * taken_share * near / 8
    book.line("eq-24/corrected", f(t + 1), "<=", f(t) - falls * M_f(t) + floor, uses,
              vectors=False, chart=[*_OF_NEAR, below(eta, _LONGEST)], conditions=_SHORT,
              assumptions=_STEP)  # fmt: skip
    summed: Uses = [
        cite("eq-24/corrected", over="t"),
        cite("asm B.2", over="t"),
        cite("asm B.6 of the global gradient", over="t"),
    ]
    right = ((f(0) - f(T)) / T + floor) / (2 * falls * c * mu_PL)
    book.line("thm-2.2-explicit/corrected", Mean_t(f(t)), "<=", right, summed,
              chart=_OF_NEAR, conditions=_SHORT,
              assumptions=(*_STEP, Fact.PL, assumed.GLOBAL))  # fmt: skip


def _of(name: str) -> str:
    return f"{name} ({STOPPED_ROUND})"


def _given(book: Book) -> None:
    slope, kept = given(g0, past), given(mg0, past)
    for left in (M_f, est_g, drift_g):
        name = str(left)
        book.define(_of(name), left(t), OF_STOPPED[name], "ours", STOPPED_ROUND)
    for name, left, relation, right, origin, assumptions in (
        ("unbiased", ip(slope, cests - cmgs), "==", sp.Integer(0),
         "Lemma B.8 of every local step, as epsilon tends to 0", (Fact.NOISE, assumed.EXACT)),
        ("mask", ip(slope - kept, cmgs), "==", sp.Integer(0),
         "entries of the mask are 0 or 1", ()),
        ("counted", ip(kept - cg, cmgs), "==", sp.Integer(0), "a step is taken or not", ()),
        ("counted, squared", sq(cg), "==", taken_share * sq(kept),
         "A of the n K steps are taken", ()),
        ("B.1 after local steps", sq(cmgs - cmg0), "<=", L**2 * sq(away),
         "Assumption B.1; a mask shortens", (Fact.SMOOTH,)),
        ("B.3 of masked gradients", sq(cmg0 - cg), "<=",
         taken_share * (c_h * sq(kept) + sigma_h**2), "ours, in place of Assumption B.3",
         (assumed.NEAR_MASKED,)),
        ("estimates", sq(cests), "<=", (2 + u) * (sq(cmgs) + taken_share * sigma2),
         "fourth moments of a Gaussian direction; Assumption B.4", (assumed.EXACT, Fact.NOISE)),
        ("local steps add up", sq(away), "<=", eta**2 * K**2 / 2 * sq(cests),
         "w_k^{r,t} is w^r less eta times t estimates; Cauchy-Schwarz", ()),
    ):  # fmt: skip
        book.suppose(_of(name), left, right, origin, assumptions, relation, STOPPED_ROUND)


def _of_drift(book: Book) -> None:
    """The estimates of a round, and how far clients get."""
    mean = given(cests, past, *vectors({"z": "z", "xi": "xi"}))
    book.line("squares of a stopped round", Dw_2(t), "<=", eta**2 * K**2 * est_g(t),
              [*map(_of, ("def Dw_2", "def est_g")), square(cests - mean)], scope=STOPPED_ROUND,
              vectors=False, source="ours")  # fmt: skip
    whole = taken_share * (8 * M_f(t) + _NOISY)
    uses: Uses = [
        *map(
            _of,
            (
                "def est_g",
                "def M_f",
                "def drift_g",
                "asm estimates",
                "asm B.1 after local steps",
                "asm B.3 of masked gradients",
                "asm counted, squared",
            ),
        ),
        square(2 * cmg0 - cmgs),
        square(2 * cg - cmg0),
    ]
    book.line("second moment of a stopped round", est_g(t), "<=",
              (2 + u) * (whole + 2 * L**2 * drift_g(t)), uses, scope=STOPPED_ROUND, vectors=False,
              source="ours", chart=_OF_NEAR, conditions=_BELOW_1,
              assumptions=_STEP)  # fmt: skip
    uses = [
        *map(_of, ("def est_g", "def drift_g", "asm local steps add up")),
        cite("second moment of a stopped round", times=eta**2 * K**2),
    ]
    book.line("drift of a stopped round", drift_g(t), "<=",
              eta**2 * K**2 * (2 + u) * whole, uses, scope=STOPPED_ROUND, vectors=False,
              source="ours", chart=[*_OF_NEAR, below(eta, _LONGEST)], conditions=_SHORT,
              assumptions=_STEP)  # fmt: skip
