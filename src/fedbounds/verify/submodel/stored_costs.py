"""What the set-ups about sub-model training cost, from the values of their fields."""

from collections.abc import Sequence
from typing import Any

from ..stored.work import Cost, power

_QUANTITIES = 60  # about so many numbers are kept of every outcome
_MATRICES = 100  # flint multiplies matrices so many times as fast as arrays of rationals


def of_stability(given: Any) -> Sequence[Cost]:
    """Second moments on two data sets, and their limit, for every rung."""
    n, samples, d = given.problem.features.shape
    rungs, size = len(given.keeps), 2 * d + 1
    each = _affine(given, n, samples, size)
    limit = _branches(d, samples, given.local_steps) * n * size**4 / 10 + size**6 / _MATRICES
    return (Cost(rungs * limit), *(Cost(rungs * cost.operations, cost.depth) for cost in each))


def _branches(d: int, samples: int, steps: int) -> float:
    """Masks, and indices of samples, of a client in a round."""
    return power(2, d) * power(samples, steps)


def _affine(given: Any, n: int, samples: int, size: int) -> Sequence[Cost]:
    """Second moments of a joint state of this size, over masks and indices."""
    steps, d = given.local_steps, len(given.start)
    each = _branches(d, samples, steps) * n
    return (
        Cost(each * given.rounds * size**3, given.rounds * steps),
        Cost(_QUANTITIES * each * steps * d**2, steps),
    )
