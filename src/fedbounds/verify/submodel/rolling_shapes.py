"""Cohorts and masks of the plan of rolling masks: rational, few coordinates, corners among them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.algorithms.masks import partition_masks, window_masks
from fedbounds.problems import FederatedQuadratic, Noise, NoiseLaw, Start, to_rational
from fedbounds.problems.domain import Box

Rows = list[list[float]]
Masks = tuple[tuple[int, ...], ...]
# matrices of the clients, slopes, starting point
Cohort = tuple[list[Rows], Rows, list[float]]

FIRST, SECOND = [[2.0, 1.0], [1.0, 2.0]], [[2.0, -1.0], [-1.0, 2.0]]
TIGHT, EYE = [[5.0, 4.0], [4.0, 5.0]], [[1.0, 0.0], [0.0, 1.0]]
CHAIN = [[2.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 2.0]]
BLOCKS = [[2.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 1.0]]
SQUARE = [[3.0, 1.0, 0.0, 1.0], [1.0, 3.0, 1.0, 0.0], [0.0, 1.0, 3.0, 1.0], [1.0, 0.0, 1.0, 3.0]]
STEPPED = [[1.0, 0.0, 0.0, 0.5], [0.0, 2.0, 0.5, 0.0], [0.0, 0.5, 3.0, 0.0], [0.5, 0.0, 0.0, 4.0]]

PLANE: Cohort = ([FIRST, SECOND], [[1.0, -1.0], [2.0, 0.5]], [1.0, -1.0])
COUPLED: Cohort = ([TIGHT] * 2, [[-9.0, -9.0], [-9.0, -9.0]], [0.0, 0.0])
ALONE: Cohort = ([TIGHT], [[3.0, -4.0]], [0.0, 0.0])
SPACE: Cohort = ([CHAIN, BLOCKS], [[-3.0, 1.0, 1.0], [0.0, 2.0, -1.0]], [0.0, 1.0, 2.0])
LONELY: Cohort = ([CHAIN], [[-3.0, 1.0, 2.0]], [0.0, 1.0, 2.0])
CORNERED: Cohort = ([SQUARE, STEPPED], [[1.0, -2.0, 0.0, 3.0], [-1.0, 0.0, 4.0, 1.0]], [1.0] * 4)

PARTS: dict[tuple[int, int], Masks] = {
    (d, s): partition_masks(d, s) for d, s in ((2, 2), (3, 2), (3, 3), (4, 2), (4, 4))
}
WINDOWS: dict[tuple[int, int], Masks] = {
    (d, w): window_masks(d, w) for d, w in ((2, 1), (3, 1), (3, 2), (4, 2), (4, 3))
}
CROSSED: Masks = ((1, 0, 1, 0), (0, 1, 0, 1))
APART: Masks = ((0, 1), (1, 0))
NOISE = 0.5


@dataclass(frozen=True)
class Shape:
    """A cohort, the masks of each client, and how it is run."""

    name: str
    cohort: Cohort
    masks: tuple[Masks, ...]
    local_steps: int = 1
    epochs: int = 1
    noise: bool = False
    shared: bool = True
    domain: Box | None = None
    each_round: bool = False

    @property
    def sub_models(self) -> int:
        """S."""
        return len(self.masks[0])


def built(shape: Shape) -> tuple[FederatedQuadratic, Start]:
    """The cohort in rationals, its start moved into the domain."""
    matrices, slopes, start = shape.cohort
    n, d = len(matrices), len(start)
    noise = Noise(NoiseLaw.RADEMACHER, NOISE if shape.noise else 0.0, 0.0)
    problem = FederatedQuadratic(np.array(matrices), np.array(slopes), d, noise)
    begun = to_rational(Start(np.array(start), np.zeros((n, 0))))
    if shape.domain is not None:
        bounds = shape.domain.bounds(d)
        inside = [min(max(x, a), b) for x, (a, b) in zip(begun.u, bounds, strict=True)]
        begun = Start(np.array(inside, dtype=object), begun.v)
    return to_rational(problem), begun


def box(low: Any, high: Any) -> Box:
    """A box of rationals; a pair is a ratio."""
    return Box(fmpq(*low) if isinstance(low, tuple) else fmpq(low),
               fmpq(*high) if isinstance(high, tuple) else fmpq(high))  # fmt: skip


# ---- for limits; two clients whose pulls cancel
OPPOSED: Cohort = ([EYE, EYE], [[1.0, -1.0], [-1.0, 1.0]], [1.0, 0.0])
QUIET: Cohort = ([EYE, EYE], [[0.0, 0.0], [0.0, 0.0]], [1.0, 1.0])
_STEEP = [[1.0, 0.0, 0.0], [0.0, 8.0, 0.0], [0.0, 0.0, 1.0]]
_GENTLE = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
UNEVEN: Cohort = ([_STEEP, _GENTLE], [[0.0, 0.0, 0.0], [0.0, -1.0, 0.0]], [0.0, 0.0, 0.0])
BENT: Cohort = (
    [[[1.0, 0.0, -1.0], [0.0, 3.0, 0.0], [-1.0, 0.0, 2.0]]], [[1.0, 1.0, 1.0]], [0.0, 0.0, 0.0]
)  # fmt: skip
HELD: Cohort = ([FIRST, SECOND], [[1.0, -1.0], [2.0, 0.5]], [-1.0, 0.0])
PULLED: Cohort = ([[[1.0]], [[1.0]]], [[-6.0], [2.0]], [1.0])
CORNER: Cohort = ([TIGHT] * 2, [[-9.0, -9.0], [-9.0, -9.0]], [1.0, 1.0])
FACED: Cohort = (SPACE[0], SPACE[1], [1.0, -0.75, -0.125])
FACE = Box((fmpq(-4),) * 3, (fmpq(3, 8), fmpq(4), fmpq(4)))  # one bound that the minimiser meets
LEFT_HEAVY: Masks = ((1, 1, 0), (0, 0, 1))
RIGHT_HEAVY: Masks = ((1, 0, 0), (0, 1, 1))
