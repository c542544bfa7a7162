"""How far a run with bounded noise can go: certified upper bounds of every quantity.

Gradients are Lipschitz in the joint point, so a bound on the distance from the start bounds the
gradients met, which bounds the next distance. Crude and rigorous: the premise under which
sampling may say "not violated".
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from fedbounds.algorithms.fedavg_p import FedAvgP
from fedbounds.problems import (
    Constants,
    CoupledCosine,
    FederatedQuadratic,
    NoiseLaw,
    Start,
    everyone,
)
from fedbounds.problems.problem import initial_value, joint_rows
from fedbounds.vocabulary import Constant, Quantity

Array = Any


@dataclass(frozen=True, eq=False)
class Reach:
    """Upper bounds of the absolute value of each quantity, shape (T + 1,) each."""

    series: dict[str, Array]


def joint_smoothness(constants: Constants) -> float:
    """A Lipschitz constant of each joint gradient, from the block constants."""
    u, v, uv = (
        float(constants[name].value)
        for name in (Constant.SMOOTHNESS_U, Constant.SMOOTHNESS_V, Constant.SMOOTHNESS_UV)
    )
    return max(u, v) + uv


def bounded_reach(
    problem: FederatedQuadratic | CoupledCosine,
    algorithm: FedAvgP,
    start: Start,
    rounds: int,
    constants: Constants,
) -> Reach | None:
    """Bounds for FedAvg-P with Rademacher noise; None for another rule or unbounded noise."""
    if problem.noise.law is not NoiseLaw.RADEMACHER or type(algorithm) is not FedAvgP:
        return None
    n, m, steps = problem.clients, algorithm.participants, algorithm.local_steps
    lipschitz = joint_smoothness(constants)
    slope = np.linalg.norm(problem.gradient(joint_rows(start), everyone(n, 1)), axis=1).max()
    noise = float(
        np.sqrt(constants[Constant.VARIANCE_U].value + constants[Constant.VARIANCE_V].value)
    )
    inner = max(algorithm.inner_step_u, algorithm.inner_step_v)
    # the shared and the personal move of one client may both be as long as the longest drift
    outer = float(np.hypot(algorithm.outer_step_u, algorithm.outer_step_v))
    # where a block is absent its step sizes are free: the larger product bounds the other too
    gamma = max(
        algorithm.inner_step_u * algorithm.outer_step_u,
        algorithm.inner_step_v * algorithm.outer_step_v,
    )
    # f is measured above its infimum where there is one
    gap = (
        float(constants[Constant.INITIAL_GAP].value)
        if Constant.INITIAL_GAP in constants
        else abs(float(initial_value(problem, start)))
    )
    names = [
        Quantity.GAP,
        Quantity.GRADIENT_U,
        Quantity.GRADIENT_V,
        Quantity.GRADIENTS,
        Quantity.T_1U,
        Quantity.T_1V,
        Quantity.T_2U,
        Quantity.T_2V,
        Quantity.T_3U,
        Quantity.DRIFT,
    ]
    series = {name.value: np.zeros(rounds + 1) for name in names}
    distance = 0.0
    for t in range(rounds + 1):
        drift = 0.0
        for _ in range(steps - 1):
            drift += inner * (slope + lipschitz * (distance + drift) + noise)
        start_slope = slope + lipschitz * distance
        local_slope = slope + lipschitz * (distance + drift)
        bounds = {
            Quantity.GAP: gap + slope * distance + lipschitz * distance**2 / 2.0,
            Quantity.GRADIENT_U: start_slope**2,
            Quantity.GRADIENT_V: start_slope**2,
            Quantity.GRADIENTS: n * start_slope**2,
            Quantity.T_1U: gamma * steps * start_slope * local_slope,
            Quantity.T_1V: gamma * m / n * steps * start_slope * local_slope,
            Quantity.T_2U: (gamma * steps * local_slope) ** 2,
            Quantity.T_2V: (gamma * steps * local_slope) ** 2 * m / n,
            # deviations from a mean have no larger mean square than the vectors themselves
            Quantity.T_3U: n * (steps * local_slope) ** 2,
            Quantity.DRIFT: n * steps * drift**2,
        }
        for name, bound in bounds.items():
            series[name.value][t] = bound
        drift += inner * (local_slope + noise)
        distance += outer * drift
    return Reach(series)
