"""Exact moments of sub-model training with static masks: an affine map and noise."""

from dataclasses import replace
from typing import Any

import numpy as np

from fedbounds.algorithms import static_masks
from fedbounds.algorithms.static_masks import StaticMasks
from fedbounds.problems import FederatedQuadratic, Start
from fedbounds.problems.masked_laws import static
from fedbounds.problems.masked_quadratic import masked_quadratic

from .moments import Moments, Round, moments
from .moments_check import check_rounds
from .moments_drive import (
    Driver,
    around_centre,
    driven_column,
    driver_of,
    noise_columns,
    noise_reach,
    noise_scale,
    slopes_at_centre,
    zeros,
)
from .moments_rounding import Sizes, limits_of, sizes_of

Array = Any


def static_round(problem: FederatedQuadratic, algorithm: StaticMasks) -> Round:
    """One round in float64, or in exact rationals where the problem is.

    Raises
    ------
    FedboundsError
        If there is a projection, or a round that is not what was read off.
    """
    masked = masked_quadratic(problem, static(algorithm.masks))
    driver = driver_of(problem, algorithm, masked)
    one = np.eye(len(driver.centre), dtype=driver.problem.hessian.dtype) + driver.zero
    slopes = slopes_at_centre(driver, _masks(driver, 1))
    linear = _after(driver, one, None, None).T
    shift = _after(driver, one[:1] * 0, slopes, None)
    mean = np.concatenate([linear, shift.T], axis=1)
    pushed = _pushed(driver)
    sizes = _sizes(driver)

    def predict(masks: Array, states: Array, noise: Array) -> Array:
        after = states @ linear.T + shift
        if noise_scale(driver) != 0:
            by_unit = noise.transpose(2, 0, 1, 3).reshape(len(states), -1) / noise_scale(driver)
            after = after + by_unit @ pushed
        return np.broadcast_to(after, masks.shape)

    check_rounds(driver, static_masks.step, predict, sizes, _masks(driver, 4))
    noise = pushed.T @ pushed if len(pushed) else linear * 0
    return Round(driver, mean, None, noise, limits_of(sizes, mean, None))


def static_moments(
    problem: FederatedQuadratic, algorithm: StaticMasks, start: Start, rounds: int
) -> Moments:
    """Moments of w^0, ..., w^R."""
    return moments(static_round(problem, algorithm), start, rounds)


def _masks(driver: Driver, replicas: int) -> Array:
    """The masks in every replica, shape (n, R, d)."""
    masks = np.asarray(driver.algorithm.masks, dtype=bool)
    return np.repeat(masks[:, None], replicas, axis=1)


def _after(driver: Driver, states: Array, slopes: Array | None, noise: Array | None) -> Array:
    """The state after a round, both measured from c."""
    masks = _masks(driver, len(states))
    around, carry, drawn = around_centre(driver, masks, states, slopes, noise)
    return static_masks.step(around, driver.algorithm, carry, drawn).u


def _pushed(driver: Driver) -> Array:
    """Response to a standard noise in every (step, client, coordinate), shape (K n d, d)."""
    masks = _masks(driver, 1)
    n, _, d = masks.shape
    if noise_scale(driver) == 0:
        return zeros(driver, 0, d)
    every, reach = [np.arange(d)], noise_reach(driver, masks)
    columns = [
        noise_columns(reach, driven_column(driver, masks, every, j)[1], every[0], j)
        for j in range(d)
    ]
    own = np.concatenate(columns, axis=2)  # (K, n, d, d): the third axis is where the noise was
    found = [_sent_alone(driver, own[:, i].reshape(-1, d), i) for i in range(n)]
    steps = driver.algorithm.local_steps
    return np.stack([a.reshape(steps, d, d) for a in found], axis=1).reshape(-1, d)


def _sent_alone(driver: Driver, models: Array, client: int) -> Array:
    """What the server makes of a client's models, shape (R, d), where nobody else has moved."""
    masks = _masks(driver, len(models))
    alone = zeros(driver, *masks.shape)
    alone[client] = models
    _, carry, drawn = around_centre(driver, masks, models * 0, None, None)
    rows = alone.reshape(-1, models.shape[1])
    return static_masks.server(driver.algorithm, carry, drawn, rows).u


def _sizes(driver: Driver) -> Sizes | None:
    """A mean over few holders is at most the largest of all clients."""
    sizes = sizes_of(driver)
    if sizes is None or not driver.algorithm.average_over_holders:
        return sizes
    largest = np.broadcast_to(sizes.own.max(axis=0), sizes.own.shape)
    return replace(sizes, own=largest, noise=sizes.noise * len(sizes.own) ** 2)
