"""Where instances of a user's claims are searched: quadratics unlike those of the plan.

Where a file gives its problems no other is made: its functions may rest on what these have, whole
curvatures or a start at 0.
"""

from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.theory.language.setups import Setup
from fedbounds.theory.language.sought import Counts, Seeking, Sought, Steps

from ..setups.inside import NoStepsError
from .declare import Theory
from .families import Pair, quadratic
from .plan import parameters_of
from .view import set_up

_CLIENTS = (1, 2, 3, 5)
_DIMENSIONS = (1, 2)
_TURN = ((Fraction(3, 5), Fraction(-4, 5)), (Fraction(4, 5), Fraction(3, 5)))  # of two axes
_VALUES = 24  # values of the parameters are chosen among so many, in turn
_AGAIN = 2  # doublings of the number of rounds


def sought(theory: Theory) -> tuple[Sought, ...]:
    """Of a theory on the default problems; none of one that gives its own."""
    lengths = sorted({*theory.rounds, theory.horizon})
    every = product(lengths, _CLIENTS, _DIMENSIONS)
    counts = tuple({"T": T, "n": n, "d_u": d} for T, n, d in every)
    made = Sought(theory.algorithm_name, counts, Steps(), partial(_made, theory), _AGAIN)
    return (made,) if theory.varied else ()


def _made(theory: Theory, seek: Seeking) -> Setup:
    counts = seek.counts()
    problem, start = _other(seek, counts)
    if seek.choice((False, True)):
        start = problem.minimiser
    rounds = counts["T"]
    own = list(parameters_of(theory, problem, start, rounds, _shares(theory, seek)))
    if not own:
        raise NoStepsError("no combination of parameters here")
    return set_up(theory, problem, start, own[seek.choice(range(_VALUES)) % len(own)], rounds)


def _shares(theory: Theory, seek: Seeking) -> dict[str, fmpq]:
    """Of every parameter at edges: all, or less."""
    found = {}
    for name, given in theory.parameters.items():
        if given == "edges" and seek.choice((False, False, True)):
            share = seek.size("1/100", 1)
            found[name] = fmpq(share.numerator, share.denominator)
    return found


def _other(seek: Seeking, counts: Counts) -> Pair:
    """Quadratics along the axes, or along two that are turned."""
    n, d = int(counts["n"]), int(counts["d_u"])
    scale = seek.size("1/100", 100)
    alike = n > 1 and seek.choice((False, True))
    shapes = [np.diag([scale * seek.size("1/100", 1) for _ in range(d)])]
    shapes += [] if alike else [
        np.diag([scale * seek.size("1/100", 1) for _ in range(d)]) for _ in range(n - 1)
    ]  # fmt: skip
    if d == 2 and seek.choice((False, True)):
        turn = np.array(_TURN, dtype=object)
        shapes = [turn @ shape @ turn.T for shape in shapes]
    hessians = shapes * n if alike else shapes
    differ = n > 1 and seek.choice((True, False))
    slopes = [[_signed(seek, scale) if differ else 0 for _ in range(d)] for _ in range(n)]
    noise = scale * seek.size("1/10", 10) if seek.choice((False, True)) else 0
    return quadratic(hessians, slopes, [_signed(seek, 1) for _ in range(d)], noise)


def _signed(seek: Seeking, scale: Any) -> Any:
    return seek.choice((1, -1)) * scale * seek.size("1/10", 10)
