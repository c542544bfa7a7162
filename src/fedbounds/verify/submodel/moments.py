"""Means and covariances of w^0, ..., w^R, measured from a point c, with bounds of the rounding."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from fedbounds.errors import require
from fedbounds.problems import Start

from .moments_drive import Driver, from_centre
from .moments_rounding import State

Array = Any


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


def collected(centre: Array, given: list[State]) -> Moments:
    """States of successive rounds as one."""
    return Moments(
        centre=centre,
        mean=np.stack([s.mean for s in given]),
        covariance=np.stack([s.covariance for s in given]),
        mean_error=np.array([s.mean_error for s in given]),
        covariance_error=np.array([s.covariance_error for s in given]),
    )
