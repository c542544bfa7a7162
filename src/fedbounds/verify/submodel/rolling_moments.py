"""Exact moments of sub-model training with rolling masks on quadratics.

Given the sets visited so far, a round is x+ = A x + b + noise with one of a few (A, b); moments
given each set are averages over the sub-model that came last. Between epochs nothing is kept.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from fedbounds.algorithms import rolling_masks
from fedbounds.algorithms.rolling_masks import RollingMasks
from fedbounds.errors import require
from fedbounds.problems import FederatedQuadratic, Start
from fedbounds.problems.masked_laws import Rolling
from fedbounds.problems.masked_quadratic import masked_quadratic

from .moments import Moments, begin, collected
from .moments_check import check_rounds
from .moments_drive import (
    Driver,
    driven_column,
    driver_of,
    noise_columns,
    noise_reach,
    noise_scale,
    own_models,
    slopes_at_centre,
    zeros,
)
from .moments_rounding import State, sizes_of
from .rolling_orders import Layer, checked_order, layers_in, layers_of
from .rolling_rounding import EpochLimits, Known, epoch_limits, given_sets, mixed_errors

Array = Any


@dataclass(frozen=True, eq=False)
class Epoch:
    """An epoch, the same every time.

    Attributes
    ----------
    driver : Driver
    maps : array, shape (owners, S, d, d + 1)
        (A, b) is the sum over owners, at the sub-model whose turn it is: one owner if the order is
        shared, else the clients.
    noise : array, shape (owners, S, d, d)
        Covariance of a round's noise, summed likewise.
    layers : tuple of S layers
    limits : EpochLimits or None
        What rounding may do; None in rationals.
    """

    driver: Driver
    maps: Array
    noise: Array
    layers: tuple[Layer, ...]
    limits: EpochLimits | None


def rolling_epoch(problem: FederatedQuadratic, algorithm: RollingMasks, order: Any = None) -> Epoch:
    """One epoch in float64, or in exact rationals where the problem is.

    Parameters
    ----------
    order : S numbers, or (n, S) where the order is not shared, or None
        The same order in every epoch; None: uniformly random, fresh in each.

    Raises
    ------
    FedboundsError
        If there is a projection, there are too many sets, or a round is not what was read off.
    """
    masked = masked_quadratic(problem, Rolling(algorithm.masks))
    driver = driver_of(problem, algorithm, masked)
    own, noise, pushed = _read_off(driver)
    n, epoch = own.shape[:2]
    sizes = sizes_of(driver)
    _check(driver, own, pushed, sizes)
    own, noise = own / n, noise / n**2
    if algorithm.shared_order:
        own, noise = own.sum(axis=0, keepdims=True), noise.sum(axis=0, keepdims=True)
    owners = len(own)
    if order is None:
        layers = layers_of(epoch, owners)
    else:
        layers = layers_in(checked_order(order, epoch, owners))
    return Epoch(driver, own, noise, layers, epoch_limits(sizes, own, layers))


def epoch_states(found: Epoch, state: State) -> list[State]:
    """The moments after each round of an epoch that starts from these."""
    known = Known(state.mean[None], state.covariance[None], 0.0, 0.0)
    states: list[State] = []
    with np.errstate(over="ignore", invalid="ignore"):
        for layer in found.layers:
            known = given_sets(found.maps, found.noise, layer, known, found.limits)
            states.append(_mixed(found, state, known, len(states) + 1))
    return states


def rolling_moments(
    problem: FederatedQuadratic,
    algorithm: RollingMasks,
    start: Start,
    epochs: int,
    order: Any = None,
) -> Moments:
    """Moments of w^0, ..., w^{E S}, round by round; see `rolling_epoch`."""
    require(epochs >= 0, "epochs", epochs, "at least 0")
    found = rolling_epoch(problem, algorithm, order)
    states = [begin(found.driver, start)]
    for _ in range(epochs):
        states += epoch_states(found, states[-1])
    return collected(found.driver.centre, states)


def _mixed(found: Epoch, start: State, known: Known, rounds: int) -> State:
    """Moments whichever the sets are: all are equally likely."""
    count = len(known.mean)
    mean = known.mean.sum(axis=0) / count
    apart = known.mean - mean
    covariance = known.covariance.sum(axis=0) / count + apart.T @ apart / count
    covariance = covariance / 2 + covariance.T / 2
    errors = (0.0, 0.0)
    if found.limits is not None:
        errors = mixed_errors(found.limits, start, known, apart, covariance, rounds)
    return State(mean, covariance, *errors)


def _masks(driver: Driver) -> Array:
    """m_{i,s} with a replica per sub-model, shape (n, S, d)."""
    return np.asarray(driver.algorithm.masks, dtype=bool)


def _read_off(driver: Driver) -> tuple[Array, Array, Array]:
    """(J, r), shape (n, S, d, d + 1), covariances of noise, and noise, (n, S, K d, d)."""
    masks = _masks(driver)
    n, epoch, d = masks.shape
    every, reach = [np.arange(d)], noise_reach(driver, masks)
    columns, pushed = [], []
    for j in range(d):
        column, way = driven_column(driver, masks, every, j)
        columns.append(column)
        pushed.append(noise_columns(reach, way, every[0], j))
    slopes = slopes_at_centre(driver, masks)
    columns.append(own_models(driver, masks, zeros(driver, epoch, d), slopes))
    # from (d, K, n, S, d) to steps and coordinates as one axis
    noise = np.stack(pushed, axis=1).transpose(2, 3, 0, 1, 4).reshape(n, epoch, -1, d)
    return np.stack(columns, axis=3), noise.transpose(0, 1, 3, 2) @ noise, noise


def _check(driver: Driver, own: Array, pushed: Array, sizes: Any) -> None:
    """Compare with rounds of the algorithm, one per sub-model."""

    def step(problem: Any, algorithm: Any, carry: Any, drawn: Any) -> Any:
        begun = rolling_masks.Carry(u=carry.u, v=carry.v)
        return rolling_masks.step(problem, algorithm, begun, drawn)

    def predict(masks: Array, states: Array, noise: Array) -> Array:
        models = (own[:, :, :, :-1] * states[None, :, None, :]).sum(axis=3) + own[:, :, :, -1]
        if noise_scale(driver) != 0:
            by_unit = noise.transpose(1, 2, 0, 3).reshape(*pushed.shape[:3]) / noise_scale(driver)
            models = models + (by_unit[:, :, :, None] * pushed).sum(axis=2)
        return models

    check_rounds(driver, step, predict, sizes, _masks(driver))
