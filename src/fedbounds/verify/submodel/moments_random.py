"""Exact moments of sub-model training with random masks on quadratics."""

from fedbounds.algorithms.random_masks import RandomMasks
from fedbounds.errors import FedboundsError
from fedbounds.problems import FederatedQuadratic, Start
from fedbounds.problems.masked_laws import Bernoulli
from fedbounds.problems.masked_quadratic import masked_quadratic

from .moments import Moments, Round, moments
from .moments_blocks import blocks_round, largest_block
from .moments_drive import driver_of
from .moments_single_step import single_step_round

SMALL_BLOCK = 8  # enumerated whatever K is, and the most in rationals
MOST_BLOCK = 12  # with several local steps there is no other way


def random_round(problem: FederatedQuadratic, algorithm: RandomMasks) -> Round:
    """One round in float64, or in exact rationals where the problem is.

    Every mask is driven where no more than 8 coordinates are coupled (12 with K > 1); with K = 1
    second moments over masks are in closed form at any dimension. In rationals 8 is the limit.

    Raises
    ------
    FedboundsError
        If there is a projection, more than 12 coupled coordinates with K > 1, or a round that is
        not what was read off.
    """
    masked = masked_quadratic(problem, Bernoulli(algorithm.keep))
    driver = driver_of(problem, algorithm, masked)
    coupled = largest_block(driver)
    if algorithm.local_steps == 1 and coupled > SMALL_BLOCK:
        return single_step_round(driver)
    most = SMALL_BLOCK if driver.exact else MOST_BLOCK
    if coupled <= most:
        return blocks_round(driver)
    raise FedboundsError(
        f"{coupled} coordinates are coupled by the Hessians, local steps K are "
        f"{algorithm.local_steps}; expected at most {most} coupled, or K = 1"
    )


def random_moments(
    problem: FederatedQuadratic, algorithm: RandomMasks, start: Start, rounds: int
) -> Moments:
    """Moments of w^0, ..., w^R."""
    return moments(random_round(problem, algorithm), start, rounds)
