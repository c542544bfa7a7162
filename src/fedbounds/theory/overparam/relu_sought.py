"""Two-layer ReLU networks, their starts, and schedules: where instances are searched.

Samples have length 1, and a neuron is 1/4 or more away from every change of sign: of at most 4mR
the sign may change within R, as (66) has it of starts.
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import isqrt
from typing import Any

import sympy as sp

from fedbounds.theory.language.setups import Number, Objective, Run, Setup
from fedbounds.theory.language.sought import Counts, Seeking, Sought, Steps
from fedbounds.theory.language.symbols import K

from .names import RELU, RELU_SAMPLED
from .sought_counts import at_random, on_schedule, signed
from .symbols import samples

_ROWS = 3  # that a schedule has at most
_FEW = (1, 2, 3)  # clients, each with one sample; local steps; rounds
_MOST = 12  # local steps of all clients and rounds
_GIVEN: dict[str, Number] = {"C_w": 1, "chance": "1/10"}
_TWICE = {1: 1, 2: 2, 3: 1}  # each neuron of clients: so that rows are 4, 16 and 16
_CLOSE = (Fraction(3, 5), Fraction(4, 5))


def _shapes() -> Iterator[Counts]:
    for n, steps, rounds in product(_FEW, repeat=3):
        if n * steps * rounds <= _MOST:
            yield {"n": n, "K": steps, "T": rounds}


def _rows(n: int) -> list[tuple[tuple[int, ...], int]]:
    """Of every pattern of signs on inputs, neurons of either sign."""
    patterns = product((1, -1), repeat=n)
    return [(own, a) for own in patterns for _ in range(_TWICE[n]) for a in (1, -1)]


def _root_of_copies(n: int) -> int:
    """Of a width that is enough: 1/lambda^4 is below 144, and log(n/delta)^2 below 12."""
    return isqrt(144 * 12 * n**8 // len(_rows(n))) + 1


def _networks(seek: Seeking) -> tuple[Objective, tuple[Any, ...], dict[str, Any]]:
    """A network with data, its start, and what is chosen of a round."""
    n = seek.counts()["n"]
    features = [[Fraction(int(i == j)) for j in range(n)] for i in range(n)]
    if n == 2 and seek.choice((False, True)):
        features[1] = list(_CLOSE)
    rows, root = _rows(n), _root_of_copies(n)
    data = {
        "features": [(tuple(map(str, own)),) for own in features],
        "targets": [(str(signed(seek, "1/100", 10)),) for _ in range(n)],
        "signs": tuple(a for _, a in rows),
        "copies": root**2,
    }
    # by so little neurons of either sign differ that outputs of orthogonal samples are within 1
    half = Fraction(2, root * isqrt(len(rows)))
    size, apart = seek.size(2, 8), [(seek.share() - seek.share()) * half for _ in range(n)]
    start = tuple(
        str(root * sign * (size + a * x))
        for own, a in rows
        for sign, x in zip(own, apart, strict=True)
    )
    problem = Objective("ReLU", tuple(data.items()))
    return problem, start, seek.steps(problem, start, _GIVEN)


def _setup(view: str, seek: Seeking, **own: Any) -> Setup:
    problem, start, steps = _networks(seek)
    taken = {"eta": steps["eta"], "K": seek.counts()["K"], "radius": steps["radius"], **own}
    run = Run(problem, start, tuple(taken.items()), steps["T"])
    return Setup("overparam", view, run, tuple(_GIVEN.items()))


def _scheduled(seek: Seeking) -> Setup:
    n, least, most, rounds = (seek.counts()[x] for x in ("n", "S_least", "S_most", "T"))
    return _setup("ReLU rounds", seek, schedule=seek.schedule(n, least, most, min(rounds, _ROWS)))


def _of_some(seek: Seeking) -> Setup:
    return _setup("ReLU rounds, clients at random", seek, m=seek.counts()["m"])


_STEPS = Steps(largest={"eta": 1 / (4 * samples * K), "radius": sp.Rational(1, 2)})
SOUGHT = (
    Sought(RELU[0], on_schedule(_shapes()), _STEPS, _scheduled),
    Sought(RELU_SAMPLED[0], at_random(_shapes()), _STEPS, _of_some),
)
