"""Bounds of what rounding does to means and covariances, in the 2-norm.

Sums of products are off by at most ``unit`` times the sum of the products' sizes. Sizes come from
the algorithm itself, driven with -|H_i|, full masks and slopes |H_i||c| + |h_i|: no mask and no
sign can make an entry larger. Errors of the past shrink as moments do: the map of covariances is
positive, so that -e I <= E <= e I is mapped to between -e and e times the image of I.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .moments_drive import Driver, masks_for_all, noise_reach, own_models

Array = Any
_UNIT = 2.0**-53


@dataclass(frozen=True, eq=False)
class State:
    """E x, Cov x, and bounds of their errors in the 2-norm."""

    mean: Array
    covariance: Array
    mean_error: float
    covariance_error: float


@dataclass(frozen=True, eq=False)
class Sizes:
    """What entries of a round are made of.

    Attributes
    ----------
    unit : float
        Relative rounding of an entry.
    own : array, shape (n, d, d + 1)
        Bounds of the sizes behind J and r of a client.
    noise : float
        Bound of the sizes behind the trace of a round's noise.
    """

    unit: float
    own: Array
    noise: float


def sizes_of(driver: Driver, patterns: int = 1) -> Sizes | None:
    """Sizes behind the maps of the clients; None in rationals."""
    if driver.exact:
        return None
    problem, (n, d) = driver.problem, driver.problem.linear.shape
    steps, one = driver.algorithm.local_steps, np.eye(d)
    slopes = -(abs(problem.hessian) @ abs(driver.centre) + abs(problem.linear))
    away = replace(driver, problem=replace(problem, hessian=-abs(problem.hessian)))
    full = masks_for_all(np.ones((d, d)), n)
    way: list[Array] = []
    with np.errstate(over="ignore", invalid="ignore"):
        linear = own_models(
            away, full, one, visit=lambda k, y, gradient, noisy: way.append(y)
        ).transpose(0, 2, 1)
        shift = own_models(away, full[:, :1], one[:1] * 0, slopes[:, None])
        own = np.concatenate([linear, shift.transpose(0, 2, 1)], axis=2)
        # noise moves its own coordinate, and what follows moves on from there
        reach = noise_reach(driver, full[:, :1])[:, 0, :, None]
        noise = float(sum(((y.reshape(n, d, d) * reach) ** 2).sum() for y in way)) / n**2
    return Sizes(8.0 * _UNIT * (steps * (d + 6) + 3 * d + n + patterns), own, noise)


def norm(matrix: Array) -> float:
    """The 2-norm; infinite where an entry is not finite."""
    return float(np.linalg.norm(matrix, 2)) if np.isfinite(matrix).all() else float("inf")
