"""Which runs of two kinds of masks are compared: equal shares of w, steps, rounds and start.

Step sizes: eta S K L = 1/10, inside Theorem 3, and eta K L = 3/5, 1 or 19/10, far outside; L is
rounded up to eighths.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import floor
from typing import Any

from fedbounds.theory.language.beside import Beside, PlannedBeside
from fedbounds.theory.language.setups import Number, Objective, Run, Setup

from .point_setups import Masks, windows

_HALF = "1/2"


@dataclass(frozen=True)
class Cohort:
    """Clients w'A_i w / 2 + h_i'w, a start, their sub-models, noise of +-scale; L in eighths."""

    hessians: Any
    slopes: Any
    start: tuple[Number, ...]
    masks: Masks
    L: Number
    noise: Number = 0


_EYE, _STEEP = ((1, 0), (0, 1)), ((2, 0), (0, 1))
_ALIGNED, _OPPOSED = ((1, "3/4"), ("3/4", 1)), ((2, -1), (-1, 2))
_PAIRS = ((1, "7/8", 0, 0), ("7/8", 1, 0, 0), (0, 0, 1, "7/8"), (0, 0, "7/8", 1))
_ACROSS = ((1, 0, _HALF, 0), (0, 1, 0, _HALF), (_HALF, 0, 1, 0), (0, _HALF, 0, 1))
_CHAIN = ((2, 1, 0), (1, 2, 1), (0, 1, 2))
_HALVES, _THIRDS = ((1, 0), (0, 1)), ((1, 0, 0), (0, 1, 0), (0, 0, 1))
_TWO_OF_FOUR = ((1, 1, 0, 0), (0, 0, 1, 1))
_APART = ((3, -1), (-1, 3))
_CHAINED = ((1, 0, 2), (-1, 2, 0))

COHORTS = {
    "one client, no coupling": Cohort((_STEEP,), ((1, -1),), (2, 1), (_HALVES,), 2),
    "one client, aligned features": Cohort((_ALIGNED,), ((-1, -1),), (1, 0), (_HALVES,), "7/4"),
    "one client, aligned features, at the masked minimiser": Cohort(
        (_ALIGNED,), ((-11, -11),), (8, 8), (_HALVES,), "7/4"
    ),
    "alike, no coupling": Cohort((_EYE,) * 2, ((1, -1),) * 2, (1, 1), (_HALVES,) * 2, 1),
    "slopes differ, no coupling": Cohort((_EYE,) * 2, _APART, (2, 2), (_HALVES,) * 2, 1),
    "all differ": Cohort((_STEEP, _OPPOSED), ((1, -1), (2, _HALF)), (1, -2), (_HALVES,) * 2, 3),
    "slopes differ, aligned features": Cohort(
        (_ALIGNED,) * 2, ((-3, 0), (1, -2)), (0, 0), (_HALVES,) * 2, "7/4"
    ),
    "slopes differ, noise": Cohort((_EYE,) * 2, _APART, (2, 2), (_HALVES,) * 2, 1, _HALF),
    "steep and shallow coordinates": Cohort(
        (_STEEP,) * 2, ((-4, 0),) * 2, (0, _HALF), (_HALVES,) * 2, 2
    ),
    "four clients": Cohort(
        (_EYE, _STEEP, _EYE, _OPPOSED), ((2, 0), (-1, 1), (0, -2), (1, 1)), (3, -1),
        (_HALVES,) * 4, 3,
    ),
    "coupled inside the sub-models, noise": Cohort(
        (_PAIRS,), ((0,) * 4,), (0,) * 4, (_TWO_OF_FOUR,), "15/8", 1
    ),
    "coupled inside the sub-models": Cohort(
        (_PAIRS,) * 2, ((-1, -1, 1, 1), (-2, -1, 1, 0)), (1, 0, 1, 0), (_TWO_OF_FOUR,) * 2, "15/8"
    ),
    "coupled across the sub-models": Cohort(
        (_ACROSS,) * 2, ((-1, 2, -1, 0), (-1, 0, -1, 1)), (1,) * 4, (_TWO_OF_FOUR,) * 2, "3/2"
    ),
    "a chain, three sub-models": Cohort(
        (_CHAIN,) * 2, _CHAINED, (1, 1, 1), (_THIRDS,) * 2, "7/2"
    ),
    "a chain, windows of two": Cohort(
        (_CHAIN,) * 2, _CHAINED, (1, 1, 1), windows(2, 3, 2), "7/2"
    ),
    "a large and a small client": Cohort(
        (_STEEP, _OPPOSED), ((1, -1), (2, _HALF)), (1, -2), (windows(1, 2, 2)[0], _HALVES), 3
    ),
}  # fmt: skip
_QUICK = ("one client, aligned features", "slopes differ, no coupling", "all differ",
          "coupled inside the sub-models, noise")  # fmt: skip
_SMALL = "eta S K L = 1/10"
_LENGTHS = {"eta K L = 3/5": "3/5", "eta K L = 1": "1", "eta K L = 19/10": "19/10"}
# K, step size and epochs
_RUNS = (
    (1, _SMALL, 1),
    (1, _SMALL, 6),
    (1, "eta K L = 19/10", 3),
    (1, "eta K L = 1", 3),
    (3, _SMALL, 2),
    (3, "eta K L = 3/5", 4),
)
_QUICK_RUNS = 3


def planned() -> Iterator[PlannedBeside]:
    """Every comparison: small and large steps, orders shared or own, few and many epochs."""
    for name, cohort in COHORTS.items():
        for at, (steps, edge, epochs) in enumerate(_RUNS):
            if cohort.noise and steps > 1:
                continue
            for orders in (1, len(cohort.masks)) if len(cohort.masks) > 1 else (1,):
                order = "one order" if orders == 1 else "own orders"
                label = f"{name}, K={steps}, {edge}, {order}, E={epochs}"
                quick = name in _QUICK and at < _QUICK_RUNS
                own = cohort, orders, steps, length(cohort, steps, edge), epochs
                yield PlannedBeside(f"{label}, against random", beside_random(*own), quick)
                yield PlannedBeside(f"{label}, against static", beside_static(*own), quick)


def length(cohort: Cohort, steps: int, edge: str) -> Fraction:
    """eta."""
    size = Fraction(cohort.L) * steps
    if edge == _SMALL:
        return 1 / (10 * len(cohort.masks[0]) * size)
    return Fraction(_LENGTHS[edge]) / size


def shares(masks: Masks) -> tuple[Fraction, ...]:
    """Of the coordinates that a client trains in a round."""
    return tuple(Fraction(sum(map(sum, own)), len(own) * len(own[0])) for own in masks)


def beside_random(cohort: Cohort, orders: int, steps: int, eta: Any, epochs: int) -> Beside:
    """With equal shares; S rounds for every epoch."""
    keep = {"keep": shares(cohort.masks), "K": steps, "eta": eta}
    return Beside("submodel", "rolling beside random masks", (
        _rolling(cohort, keep, orders, epochs),
        _with(cohort, keep, epochs * len(cohort.masks[0]), "side by side, random masks"),
    ))  # fmt: skip


def beside_static(cohort: Cohort, orders: int, steps: int, eta: Any, epochs: int) -> Beside:
    """Client i holds the first q_i d coordinates, to the nearest number; what nobody holds."""
    keep = {"keep": shares(cohort.masks), "K": steps, "eta": eta}
    d = len(cohort.start)
    widths = [max(1, floor(share * d + Fraction(1, 2))) for share in keep["keep"]]
    masks = tuple(tuple(int(j < width) for j in range(d)) for width in widths)
    own, rounds = {**keep, "masks": masks}, epochs * len(cohort.masks[0])
    setups = (
        _rolling(cohort, keep, orders, epochs),
        _with(cohort, own, rounds, "side by side, static masks"),
        _with(cohort, own, rounds, "side by side, coordinates that nobody holds"),
    )
    if max(widths) == d:
        return Beside("submodel", "rolling beside static masks", setups[:2])
    return Beside("submodel", "rolling beside static masks, and what nobody holds", setups)


def _rolling(cohort: Cohort, keep: Any, orders: int, epochs: int) -> Setup:
    own = {**keep, "sub_models": cohort.masks, "orders": orders}
    return _with(cohort, own, epochs, "side by side, rolling masks")


def _with(cohort: Cohort, parameters: Any, rounds: int, view: str) -> Setup:
    data = {"hessians": cohort.hessians, "slopes": cohort.slopes, "noise": cohort.noise}
    problem = Objective("quadratics", tuple(data.items()))
    return Setup("submodel", view, Run(problem, cohort.start, tuple(parameters.items()), rounds))
