"""All small instances on which the steps of the sub-model proofs are evaluated.

Step sizes lie at the edges of the steps' conditions, and beyond them.
"""

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.algorithms.rolling_masks import RollingMasks
from fedbounds.problems import FederatedQuadratic, Noise, NoiseLaw, Start
from fedbounds.problems.domain import Box
from fedbounds.problems.submodel_constants import curvature_of

from .objectives_corners import exact
from .rolling_draws import Draws
from .rolling_runs import RollingRun
from .step_draws import draws_case
from .step_epochs import epoch_cases
from .step_gap_clients import gap_cases
from .step_spaces import StepCase

_HALF, _MOST, _ALL = fmpq(1, 2), fmpq(4, 5), fmpq(1)
_BOX = Box(fmpq(-1, 2), fmpq(1, 2))
_FIRST, _SECOND = [[2, 1], [1, 2]], [[1, -_HALF], [-_HALF, 1]]


def _quadratics(matrices: Any, slopes: Any, noise: Any = 0) -> FederatedQuadratic:
    slopes = exact(slopes)
    law = Noise(NoiseLaw.RADEMACHER, fmpq(noise), fmpq(0))
    return FederatedQuadratic(exact(matrices), slopes, slopes.shape[1], law)


_HALF_NOISE = fmpq(1, 2)
_PLANE = _quadratics([_FIRST, _SECOND], [[1, -1], [2, _HALF]], _HALF_NOISE)
_SAME = _quadratics([[[2]], [[2]]], [[1], [-3]], _HALF_NOISE)
_FLAT = _quadratics([[[1, 1], [1, 1]]] * 2, [[-1, -1], [-1, -1]])
_SADDLE = _quadratics([[[1, 2], [2, 1]], [[2, -1], [-1, 2]]], [[1, 0], [-2, 1]])
_SPACE = _quadratics(
    [[[2, 1, 0], [1, 2, 0], [0, 0, 1]], [[2, -1, 0], [-1, 2, _HALF], [0, _HALF, 1]]],
    [[1, -1, 1], [2, _HALF, 2]],
)  # fmt: skip


def _start(problem: FederatedQuadratic, *at: Any) -> Start:
    return Start(exact(at), exact(np.zeros((problem.clients, 0))))


@cache
def cases() -> tuple[StepCase, ...]:
    """All instances."""
    return (*_rolling(), *_draws())


def _rolling() -> Iterator[StepCase]:
    split = [[[1, 0], [0, 1]], [[0, 1], [1, 0]]]
    windows = [[[1, 1, 0], [0, 1, 1], [1, 0, 1]], [[1, 0, 1], [1, 1, 0], [0, 1, 1]]]
    alone = [[[1]], [[1]]]
    plane, space = _start(_PLANE, _HALF, -_HALF), _start(_SPACE, _HALF, -_HALF, _HALF)
    for name, problem, start, masks, steps, epochs, shared, domain, edges in (
        ("split", _PLANE, plane, split, 2, 1, True, None, (8, 10)),
        ("split in a box", _PLANE, plane, split, 2, 1, True, _BOX, (10, _HALF)),
        ("split, own orders", _PLANE, plane, split, 1, 1, False, None, (8, 10)),
        ("windows", _SPACE, space, windows, 2, 2, True, None, (8, 10, fmpq(1, 3), fmpq(1, 12))),
        ("windows in a box", _SPACE, space, windows, 2, 1, True, _BOX, (8, 10)),
        ("windows, own orders", _SPACE, space, windows, 2, 1, False, _BOX, (10,)),
        ("full", _SAME, _start(_SAME, 2), alone, 1, 2, True, None, (8, 10)),
        ("flat", _FLAT, plane, split, 2, 2, True, None, (8, 10)),
        ("saddle", _SADDLE, plane, split, 2, 2, True, None, (8, 1)),
    ):
        for edge in edges:
            L, count = _smoothness(problem), len(masks[0])
            algorithm = RollingMasks(
                masks, steps, 1 / (edge * steps * count * L), shared, domain=domain
            )
            setup = RollingRun(problem, algorithm, start, epochs)
            for case in epoch_cases(f"rolling, {name}, eta S K L = 1/{edge}", setup):
                yield case
                if "x" in case.outcomes.vectors:
                    yield from gap_cases(setup, case)


def _smoothness(problem: FederatedQuadratic) -> Any:
    return curvature_of(problem)[0].upper


def _draws() -> Iterator[StepCase]:
    vectors = exact([[1, 0], [-2, 1], [3, _HALF], [0, -1]])
    for taken in (1, 2, 4):
        yield draws_case(f"{taken} of 4", Draws(vectors, taken, _HALF))
