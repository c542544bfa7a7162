"""All small instances on which the steps of the sub-model proofs are evaluated.

Step sizes lie at the edges of the steps' conditions, and beyond them.
"""

from collections.abc import Iterator
from functools import cache

from flint import fmpq

from fedbounds.algorithms.random_masks import RandomMasks
from fedbounds.problems.domain import Box
from fedbounds.problems.sampled_regression import Loss, SampledRegression

from .objectives_corners import exact
from .rolling_draws import Draws
from .stability_data import CoupledLaw, CoupledPair, SampleLaw
from .step_coupled import law_cases, pair_cases
from .step_draws import draws_case
from .step_spaces import StepCase

_HALF, _MOST, _ALL = fmpq(1, 2), fmpq(4, 5), fmpq(1)
_BOX = Box(fmpq(-1, 2), fmpq(1, 2))


@cache
def cases() -> tuple[StepCase, ...]:
    """All instances."""
    return (*_draws(), *_coupled())


def _draws() -> Iterator[StepCase]:
    vectors = exact([[1, 0], [-2, 1], [3, _HALF], [0, -1]])
    for taken in (1, 2, 4):
        yield draws_case(f"{taken} of 4", Draws(vectors, taken, _HALF))


def _coupled() -> Iterator[StepCase]:
    features = exact([[[1, 1], [2, 0]], [[0, 2], [1, 0]]])
    targets = exact([[1, 0], [2, -1]])
    for name, loss in (("squares", Loss(fmpq(1, 4))), ("huber", Loss(fmpq(0), _HALF))):
        problem = SampledRegression(features, targets, loss)
        for keep, steps, rounds, step, domain in (
            ((_HALF, _MOST), 1, 2, fmpq(1, 4), None),
            ((_HALF, _MOST), 2, 1, fmpq(1, 3), _BOX),
            ((_ALL, _ALL), 2, 2, fmpq(1, 8), None),
        ):
            algorithm = RandomMasks(keep, steps, step, domain)
            pair = CoupledPair(
                problem, 0, 1, exact([1, 1]), fmpq(1), algorithm, exact([0, 0]), rounds
            )
            yield from pair_cases(f"coupled, {name}, {keep}", pair)
        laws = tuple(SampleLaw(features[i], targets[i], exact([_HALF, _HALF])) for i in (0, 1))
        algorithm = RandomMasks((_HALF, _MOST), 1, fmpq(1, 4), _BOX)
        yield from law_cases(
            f"coupled laws, {name}", CoupledLaw(laws, 2, loss, algorithm, exact([0, 0]), 1)
        )
