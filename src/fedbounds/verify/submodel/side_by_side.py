"""Which runs of two kinds of masks are compared: equal shares of w, steps, rounds and start.

Step sizes: eta S K L = 1/10, inside Theorem 3, and eta K L = 3/5, 1 or 19/10, far outside; L is
rounded up to eighths.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from flint import fmpq

from fedbounds.algorithms.masks import nested_masks, partition_masks, window_masks
from fedbounds.algorithms.random_masks import RandomMasks
from fedbounds.algorithms.rolling_masks import RollingMasks, coverage
from fedbounds.algorithms.static_masks import StaticMasks
from fedbounds.problems import FederatedQuadratic, Noise, NoiseLaw, Start, to_rational
from fedbounds.problems.submodel_constants import curvature_of
from fedbounds.theory.submodel.names import ROLLING_RANDOM, ROLLING_STATIC
from fedbounds.vocabulary import Method

from ..case import Case
from ..profile import Profile
from .side_by_side_runs import SideBySide

Matrix = list[list[float]]


@dataclass(frozen=True)
class Cohort:
    """Clients 1/2 w'A_i w + h_i'w, how their models are split, and the start.

    Attributes
    ----------
    matrices, slopes, start
    masks : tuple (n, S, d)
        m_{i,s}.
    noise : float
        Rademacher, per coordinate.
    """

    matrices: tuple[Matrix, ...]
    slopes: list[list[float]]
    start: list[float]
    masks: tuple[tuple[tuple[int, ...], ...], ...]
    noise: float = 0.0


_EYE = [[1.0, 0.0], [0.0, 1.0]]
_STEEP = [[2.0, 0.0], [0.0, 1.0]]
_ALIGNED = [[1.0, 0.75], [0.75, 1.0]]
_OPPOSED = [[2.0, -1.0], [-1.0, 2.0]]
_PAIRS = [
    [1.0, 0.875, 0.0, 0.0],
    [0.875, 1.0, 0.0, 0.0],
    [0.0, 0.0, 1.0, 0.875],
    [0.0, 0.0, 0.875, 1.0],
]
_ACROSS = [[1.0, 0.0, 0.5, 0.0], [0.0, 1.0, 0.0, 0.5], [0.5, 0.0, 1.0, 0.0], [0.0, 0.5, 0.0, 1.0]]
_CHAIN = [[2.0, 1.0, 0.0], [1.0, 2.0, 1.0], [0.0, 1.0, 2.0]]
_HALVES, _THIRDS, _TWO_OF_FOUR = (partition_masks(*shape) for shape in ((2, 2), (3, 3), (4, 2)))
_WINDOWS = window_masks(3, 2)

COHORTS = {
    "one client, no coupling": Cohort((_STEEP,), [[1, -1]], [2, 1], (_HALVES,)),
    "one client, aligned features": Cohort((_ALIGNED,), [[-1, -1]], [1, 0], (_HALVES,)),
    "one client, aligned features, at the masked minimiser": Cohort(
        (_ALIGNED,), [[-11, -11]], [8, 8], (_HALVES,)
    ),
    "alike, no coupling": Cohort((_EYE,) * 2, [[1, -1]] * 2, [1, 1], (_HALVES,) * 2),
    "slopes differ, no coupling": Cohort((_EYE,) * 2, [[3, -1], [-1, 3]], [2, 2], (_HALVES,) * 2),
    "all differ": Cohort((_STEEP, _OPPOSED), [[1, -1], [2, 0.5]], [1, -2], (_HALVES,) * 2),
    "slopes differ, aligned features": Cohort(
        (_ALIGNED,) * 2, [[-3, 0], [1, -2]], [0, 0], (_HALVES,) * 2
    ),
    "slopes differ, noise": Cohort((_EYE,) * 2, [[3, -1], [-1, 3]], [2, 2], (_HALVES,) * 2, 0.5),
    "steep and shallow coordinates": Cohort((_STEEP,) * 2, [[-4, 0]] * 2, [0, 0.5], (_HALVES,) * 2),
    "four clients": Cohort(
        (_EYE, _STEEP, _EYE, _OPPOSED), [[2, 0], [-1, 1], [0, -2], [1, 1]], [3, -1], (_HALVES,) * 4
    ),
    "coupled inside the sub-models, noise": Cohort(
        (_PAIRS,), [[0] * 4], [0] * 4, (_TWO_OF_FOUR,), 1
    ),
    "coupled inside the sub-models": Cohort(
        (_PAIRS,) * 2, [[-1, -1, 1, 1], [-2, -1, 1, 0]], [1, 0, 1, 0], (_TWO_OF_FOUR,) * 2
    ),
    "coupled across the sub-models": Cohort(
        (_ACROSS,) * 2, [[-1, 2, -1, 0], [-1, 0, -1, 1]], [1, 1, 1, 1], (_TWO_OF_FOUR,) * 2
    ),
    "a chain, three sub-models": Cohort(
        (_CHAIN,) * 2, [[1, 0, 2], [-1, 2, 0]], [1, 1, 1], (_THIRDS,) * 2
    ),
    "a chain, windows of two": Cohort(
        (_CHAIN,) * 2, [[1, 0, 2], [-1, 2, 0]], [1, 1, 1], (_WINDOWS,) * 2
    ),
    "a large and a small client": Cohort(
        (_STEEP, _OPPOSED), [[1, -1], [2, 0.5]], [1, -2], (window_masks(2, 2), window_masks(2, 1))
    ),
}
_QUICK = ("one client, aligned features", "slopes differ, no coupling", "all differ",
          "coupled inside the sub-models, noise")  # fmt: skip
_SMALL = "eta S K L = 1/10"
_STEPS = {"eta K L = 3/5": fmpq(3, 5), "eta K L = 1": fmpq(1), "eta K L = 19/10": fmpq(19, 10)}
# K, step size and epochs
_RUNS = (
    (1, _SMALL, 1),
    (1, _SMALL, 6),
    (1, "eta K L = 19/10", 3),
    (1, "eta K L = 1", 3),
    (3, _SMALL, 2),
    (3, "eta K L = 3/5", 4),
)


def cases(profile: Profile, seed: int) -> Iterator[Case]:
    """Every comparison: small and large steps, orders shared or own, few and many epochs."""
    quick = profile is Profile.QUICK
    for name in _QUICK if quick else COHORTS:
        cohort = COHORTS[name]
        for steps, edge, epochs in _RUNS[:3] if quick else _RUNS:
            if cohort.noise and steps > 1:
                continue  # scripts have noise in single steps alone
            for shared in (True, False) if len(cohort.masks) > 1 else (True,):
                order = "one order" if shared else "own orders"
                label = f"{name}, K={steps}, {edge}, {order}"
                yield from compared(label, cohort, steps, edge, shared, epochs)


def compared(
    label: str, cohort: Cohort, steps: int, edge: str, shared: bool, epochs: int
) -> Iterator[Case]:
    """One run of rolling masks, against random and against static ones."""
    n, d = len(cohort.matrices), len(cohort.start)
    problem, start = prepared(cohort.matrices, cohort.slopes, cohort.start, cohort.noise)
    size = fmpq((8 * curvature_of(problem)[0].upper).ceil(), 8) * steps
    epoch = len(cohort.masks[0])
    step = 1 / (10 * epoch * size) if edge == _SMALL else _STEPS[edge] / size
    rolling = RollingMasks(cohort.masks, steps, step, shared)
    shares = coverage(rolling)
    others = (
        (ROLLING_RANDOM, "random", RandomMasks(shares, steps, step)),
        (ROLLING_STATIC, "static", StaticMasks(nested_masks(n, d, shares), steps, step)),
    )
    for names, kind, other in others:
        setup = SideBySide(problem, rolling, other, start, epochs)
        title = f"{label}, E={epochs}, against {kind}"
        yield Case(title, names[0], setup, Method.RATIONAL, setup.rounds * steps * 2 ** (n * d))


def prepared(
    matrices: tuple[Matrix, ...], slopes: list[list[float]], start: list[float], noise: float
) -> tuple[FederatedQuadratic, Start]:
    """Clients 1/2 w'A_i w + h_i'w with Rademacher noise per coordinate, in rationals."""
    law = Noise(NoiseLaw.RADEMACHER, float(noise), 0.0)
    hessian, linear = np.array(matrices, dtype=float), np.array(slopes, dtype=float)
    begun = Start(np.array(start, dtype=float), np.zeros((len(matrices), 0)))
    return to_rational(FederatedQuadratic(hessian, linear, len(start), law)), to_rational(begun)
