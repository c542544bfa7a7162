"""Exact moments under masks: one-off preparation, and time per round."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from fedbounds.algorithms.masks import partition_masks
from fedbounds.algorithms.rolling_masks import RollingMasks
from fedbounds.problems import FederatedQuadratic, Noise, NoiseLaw, Start
from fedbounds.verify.submodel.moments import begin
from fedbounds.verify.submodel.rolling_moments import epoch_states, rolling_epoch

from .workloads import Row


def blocks_problem(clients: int, dimension: int, block: int) -> FederatedQuadratic:
    """Strongly convex quadratics whose Hessians share blocks of coordinates; Gaussian noise."""
    rng = np.random.default_rng(0)
    raw = rng.standard_normal((clients, dimension, dimension)) / dimension**0.5
    group = np.arange(dimension) // block
    hessian = raw @ raw.transpose(0, 2, 1) * (group[:, None] == group[None, :])
    hessian = hessian + 0.5 * np.eye(dimension)
    linear = rng.standard_normal((clients, dimension))
    return FederatedQuadratic(hessian, linear, dimension, Noise(NoiseLaw.GAUSSIAN, 0.1, 0.0))


def ones(problem: FederatedQuadratic) -> Start:
    """Start at (1, ..., 1)."""
    return Start(np.ones(problem.shared_dimension), np.zeros((problem.clients, 0)))


def rolling_masks_times(
    clients: int, dimension: int, sub_models: int, local_steps: int
) -> tuple[float, float]:
    """Seconds of preparation and per round, rolling masks in a shared order."""
    problem = blocks_problem(clients, dimension, dimension)
    masks = (partition_masks(dimension, sub_models),) * clients
    algorithm = RollingMasks(masks, local_steps, 0.02)
    epoch, prepared = timed(lambda: rolling_epoch(problem, algorithm))
    state = begin(epoch.driver, ones(problem))
    _, spent = timed(lambda: epoch_states(epoch, state))
    return prepared, spent / sub_models


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """The result and the seconds spent."""
    began = time.perf_counter()
    found = work()
    return found, time.perf_counter() - began


def rows() -> list[Row]:
    """Lines of the benchmark table."""
    found = []

    def add(name: str, times: tuple[float, float], limit: str = "") -> None:
        found.append(Row(f"{name}, preparation", times[0] * 1e3, "ms"))
        found.append(Row(f"{name}, per round", times[1] * 1e3, "ms", limit))

    add("rolling masks, d=30, n=10, S=10, K=5", rolling_masks_times(10, 30, 10, 5))
    return found
