"""Bounds of what rounding does to means and covariances, in the 2-norm.

Sums of products are off by at most ``unit`` times the sum of the products' sizes. Sizes come from
the algorithm itself, driven with -|H_i|, full masks and slopes |H_i||c| + |h_i|: no mask and no
sign can make an entry larger. Errors of the past shrink as moments do: the map of covariances is
positive, so that -e I <= E <= e I is mapped to between -e and e times the image of I.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .moments_drive import Driver, masks_for_all, noise_reach, own_models

Array = Any
_UNIT = 2.0**-53
_SLACK = 1.0 + 1e-9  # of norms computed in floats


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


@dataclass(frozen=True, eq=False)
class Limits:
    """How errors grow in a round.

    Attributes
    ----------
    sizes : Sizes
    random : bool
        Whether masks are.
    whole : float
        Norm of the mean of the clients' sizes J, and the slopes' part of it, ``shift``.
    contraction : float
        Of errors of the mean.
    second : float
        Of errors of the covariance.
    linear, constant : float
        Norms of E[D D'], of D's part with x and of that without.
    """

    sizes: Sizes
    random: bool
    whole: float
    shift: float
    contraction: float
    second: float
    linear: float
    constant: float


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


def limits_of(
    sizes: Sizes | None, mean: Array, spread: Callable[[Array, Array], Array] | None
) -> Limits | None:
    """How errors grow in a round; None in rationals."""
    if sizes is None:
        return None
    d, matrix, average = len(mean), mean[:, :-1], sizes.own.mean(axis=0)
    linear, left, norms = np.zeros((d, d)), 0.0, (0.0, 0.0)
    with np.errstate(over="ignore", invalid="ignore"):
        if spread is not None:
            still = spread(np.zeros(d), np.zeros((d, d)))
            linear = spread(np.zeros(d), np.eye(d)) - still
            left = 8 * sizes.unit * float((sizes.own**2).sum()) * d / len(sizes.own) ** 2
            norms = (norm(linear) * _SLACK + left, norm(still) * _SLACK + left)
        whole = norm(average[:, :-1]) * _SLACK
        return Limits(
            sizes=sizes,
            random=spread is not None,
            whole=whole,
            shift=float(np.linalg.norm(average[:, -1])),
            contraction=norm(matrix) * _SLACK + sizes.unit * whole,
            second=norm(matrix @ matrix.T + linear) * _SLACK + 4 * sizes.unit * whole**2 + left,
            linear=norms[0],
            constant=norms[1],
        )


def norm(matrix: Array) -> float:
    """The 2-norm; infinite where an entry is not finite."""
    return float(np.linalg.norm(matrix, 2)) if np.isfinite(matrix).all() else float("inf")


def next_errors(limits: Limits, state: State) -> tuple[float, float]:
    """Bounds after one more round."""
    sizes, e = limits.sizes, state.mean_error
    length, trace = float(np.linalg.norm(state.mean)), float(state.covariance.trace())
    mean = limits.contraction * e + sizes.unit * (limits.whole * length + limits.shift)
    share = 0.0
    if limits.random:
        reach = np.sqrt(np.abs(state.covariance.diagonal())) + np.abs(state.mean)
        behind = sizes.own[:, :, :-1] @ reach + sizes.own[:, :, -1]
        share = float((behind**2).sum()) / len(behind) ** 2
    made = 8 * sizes.unit * (limits.whole**2 * trace + share + sizes.noise)
    moved = limits.linear * (2 * length * e + e * e)
    moved += 2 * e * (limits.linear * limits.constant) ** 0.5
    return mean, limits.second * state.covariance_error + moved + made
