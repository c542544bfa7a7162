"""Means and covariances of w^0, ..., w^R when masks are independent between clients.

With x = w - c a round is x+ = A x + b + D (x, 1) + noise, A and b the means over the masks and D
their deviation, which is independent of x. So Cov x+ = A Cov A' + E[D S D'] + Cov noise with
S = E (x, 1)(x, 1)': sums of positive parts, nothing cancels.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from fedbounds.errors import require
from fedbounds.problems import Start
from fedbounds.problems.linear import is_exact

from .moments_drive import Driver, from_centre
from .moments_rounding import Limits, State, next_errors

Array = Any
Spread = Callable[[Array, Array], Array]


@dataclass(frozen=True, eq=False)
class Round:
    """One round, the same in every round.

    Attributes
    ----------
    driver : Driver
        The problem, the algorithm and the point c.
    mean : array, shape (d, d + 1)
        A and b.
    spread : function of E x and Cov x, or None
        E[D S D']; None where masks are not random.
    noise : array, shape (d, d)
        Covariance that the noise of a round adds.
    limits : Limits or None
        What rounding may do; None in rationals.
    """

    driver: Driver
    mean: Array
    spread: Spread | None
    noise: Array
    limits: Limits | None


@dataclass(frozen=True, eq=False)
class Moments:
    """Moments of w^r, r = 0, ..., R, and bounds of what rounding did to them.

    Attributes
    ----------
    centre : array, shape (d,)
        c, a stationary point of the masked objective up to rounding.
    mean : array, shape (R + 1, d)
        E w^r - c.
    covariance : array, shape (R + 1, d, d)
        Cov w^r.
    mean_error, covariance_error : arrays, shape (R + 1,)
        Bounds of rounding errors in the 2-norm; zero in rationals.
    """

    centre: Array
    mean: Array
    covariance: Array
    mean_error: Array
    covariance_error: Array


def begin(driver: Driver, start: Start) -> State:
    """The start: no spread, and a rounding error if it was not a rational."""
    given, d = tuple(np.shape(start.u)), len(driver.centre)
    require(given == (d,), "shape of the start", given, f"({d},)")
    mean = from_centre(driver, start)
    covariance = mean[:, None] * mean[None, :] * 0
    return State(mean, covariance, 0.0 if driver.exact else 2.0**-53 * float(abs(mean).sum()), 0.0)


def advance(found: Round, state: State) -> State:
    """The moments after one round."""
    matrix, shift = found.mean[:, :-1], found.mean[:, -1]
    with np.errstate(over="ignore", invalid="ignore"):
        mean = matrix @ state.mean + shift
        after = matrix @ state.covariance @ matrix.T + found.noise
        if found.spread is not None:
            after = after + found.spread(state.mean, state.covariance)
        # rounding would otherwise feed an antisymmetric part that grows
        after = after / 2 + after.T / 2
        errors = (0.0, 0.0) if found.limits is None else next_errors(found.limits, state)
    return State(mean, after, *errors)


def states(found: Round, start: Start) -> Iterator[State]:
    """The moments of w^0, w^1, ... without end."""
    state = begin(found.driver, start)
    while True:
        yield state
        state = advance(found, state)


def moments(found: Round, start: Start, rounds: int) -> Moments:
    """The moments of w^0, ..., w^R."""
    require(rounds >= 0, "rounds", rounds, "at least 0")
    return collected(found.driver.centre, [s for s, _ in zip(states(found, start),
                                           range(rounds + 1), strict=False)])  # fmt: skip


def collected(centre: Array, given: list[State]) -> Moments:
    """States of successive rounds as one."""
    return Moments(
        centre=centre,
        mean=np.stack([s.mean for s in given]),
        covariance=np.stack([s.covariance for s in given]),
        mean_error=np.array([s.mean_error for s in given]),
        covariance_error=np.array([s.covariance_error for s in given]),
    )


def exact(found: Moments) -> bool:
    """Whether the moments are rationals."""
    return is_exact(found.mean)
