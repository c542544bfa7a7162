"""Draws without replacement: what is measured of them, what is seen, and which judge the claim.

`ln(2/delta)` is no rational number. The two that a set-up gives lie about it, which the exponential
series shows, and no outcome lies between what they make of the inequality.
"""

from collections.abc import Iterator
from fractions import Fraction

import sympy as sp

from fedbounds.theory.language.setups import (
    Definition,
    Largest,
    Number,
    Objective,
    Planned,
    Run,
    Says,
    Setup,
    Shown,
    View,
    dot,
    positive,
)
from fedbounds.theory.language.symbols import m, n
from fedbounds.theory.proof.vectors import S, given, present, sq

from .names import DRAWS
from .proofs.definitions_rounds import DRAWN, drawn
from .symbols_rounds import delta_p

log_low, log_high, farthest = sp.symbols("log_low log_high farthest", positive=True)

# ---- what is measured

OFF = n * given(present(drawn), S) - m * given(drawn)  # the sum of the drawn less m times the mean
_APART = drawn - given(drawn)
NU_V2 = sq(_APART)


def _outlying(log: sp.Expr) -> sp.Expr:
    """The chance that the squared deviation is above 8 c^2 (1 - (m - 1)/n) ``log`` m."""
    return given(positive(dot(OFF, OFF) - 8 * farthest * (1 - (m - 1) / n) * log * m))


QUANTITIES = {"Dr_2": sq(OFF), "P_out": _outlying(log_low)}
CONSTANTS: dict[str, Definition] = {"nu_v2": NU_V2, "farthest": Largest(dot(_APART, _APART))}

_TERMS = 40


def _series(x: sp.Expr) -> sp.Expr:
    return sp.Add(*(x**k / sp.factorial(k) for k in range(_TERMS)))


# what is left of the series is at most twice its next term
_LEFT = 2 * log_low**_TERMS / sp.factorial(_TERMS)
ABOUT = (
    Says(log_low, "<=", sp.Integer(_TERMS) / 2),
    Says(_series(log_low) + _LEFT, "<=", 2 / delta_p),
    Says(_series(log_high), ">=", 2 / delta_p),
    Says(_outlying(log_low), "==", _outlying(log_high)),
)

WITHOUT_REPLACEMENT = View(
    told="vectors drawn without replacement",
    algorithm="draws.WITHOUT_REPLACEMENT",
    shown=Shown(
        draws={"S": ("present",)},
        indices={"i": ""},
        vectors={"drawn": ("i",)},
        factors={"present": ("i",)},
    ),
    runs=DRAWS,
    scopes=(DRAWN,),
    quantities=QUANTITIES,
    constants=CONSTANTS,
    takes=("m", "delta_p"),
    single=True,
    requires=ABOUT,
)
VIEWS = {"draws without replacement": WITHOUT_REPLACEMENT}

# ---- which

# with 12 digits of ln(2/delta) from both sides
_LOGS: dict[Number, tuple[Number, Number]] = {
    1: ("0.693147180559", "0.693147180560"),
    "3/5": ("1.203972804325", "1.203972804326"),
    "1/2": ("1.386294361119", "1.386294361120"),
    "1/20": ("3.688879454113", "3.688879454114"),
}
_Vectors = tuple[tuple[Number, ...], ...]
# and numbers m of them that are drawn
_FAMILIES: tuple[tuple[str, _Vectors, tuple[int, ...]], ...] = (
    ("numbers", ((3,), (-1,), (-1,), (0,), (-1,)), (1, 2, 4)),
    ("half and half", ((1,), (-1,)) * 6, (3, 6, 9)),
    ("plane", ((1, 0), (0, 1), (-1, 0), (0, -1), (2, 2), (0, 3)), (1, 3, 5)),
    ("simplex", ((1, 0, 0), (0, 1, 0), (0, 0, 1)), (1, 2)),
    ("a far one", ((9,), *(((0,),) * 9)), (2, 8)),
    ("two", ((1,), (4,)), (1, 2)),
    ("all alike", ((2, 1),) * 3, (2,)),
    ("one", ((5,),), (1,)),
)  # fmt: skip
_PROVED: _Vectors = ((1, 0), (-2, 1), (3, "1/2"), (0, -1))


def setup_of(vectors: _Vectors, taken: int, failure: Number) -> Setup:
    """The vectors as slopes of linear functions."""
    d = len(vectors[0])
    flat = (((0,) * d,) * d,) * len(vectors)
    problem = Objective("quadratics", (("hessians", flat), ("slopes", vectors)))
    run = Run(problem, (0,) * d, (("m", taken), ("delta_p", failure)), 1)
    low, high = _LOGS[failure]
    return Setup(
        "submodel", "draws without replacement", run, (("log_low", low), ("log_high", high))
    )


def planned() -> Iterator[Planned]:
    """Families of vectors, at several probabilities of failure."""
    for at, (name, vectors, numbers) in enumerate(_FAMILIES):
        for taken in numbers:
            for failure in (1, "3/5", "1/20"):
                told = f"{name}: {taken} of {len(vectors)}, delta = {Fraction(failure)}"
                yield Planned(told, setup_of(vectors, taken, failure), at < 2)
    for taken in (1, 2, 4):
        yield Planned(f"{taken} of 4", setup_of(_PROVED, taken, "1/2"), True)
