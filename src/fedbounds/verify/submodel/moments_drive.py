"""Drive sub-model training on quadratics, in coordinates around a point c.

With x = w - c the client's model after a round is c + J x + r + noise, where J and r depend on the
mask alone. Both are responses of the algorithms' own `local`: J to basis states without slopes, r
to the slopes that the mask leaves at c. Nothing is subtracted, so nothing cancels.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fedbounds.algorithms import parts, submodel_parts
from fedbounds.algorithms.fedavg_p import Carry, Visit
from fedbounds.algorithms.submodel_parts import Draw, drawn_with
from fedbounds.errors import require
from fedbounds.problems import FederatedQuadratic, Start, everyone, to_float
from fedbounds.problems.linear import is_exact, rational, solve
from fedbounds.problems.spectrum import in_rationals, to_floats

Array = Any


@dataclass(frozen=True, eq=False)
class Driver:
    """A problem and an algorithm in one kind of numbers, and the point c."""

    problem: FederatedQuadratic
    algorithm: Any
    centre: Array

    @property
    def exact(self) -> bool:
        """Whether all numbers are rationals."""
        return is_exact(self.problem.hessian)

    @property
    def zero(self) -> Any:
        """0 in the kind of the problem's numbers."""
        return self.problem.linear.sum() * 0


@dataclass(frozen=True, eq=False)
class _Around:
    """A quadratic around c: gradients H_i x plus a slope of the row."""

    problem: FederatedQuadratic
    slopes: Array

    def gradient(self, z: Array, cohort: Any) -> Array:
        return self.problem.curvature(z, cohort) + self.slopes

    def disturbed(self, z: Array, gradient: Array, cohort: Any, noise: Array) -> Array:
        return gradient + noise


def driver_of(problem: FederatedQuadratic, algorithm: Any, masked: FederatedQuadratic) -> Driver:
    """Around a stationary point of the masked objective, or the origin where there is none.

    Raises
    ------
    FedboundsError
        If iterates are projected, or the problem is not a fully shared quadratic.
    """
    kind = type(problem).__name__
    require(isinstance(problem, FederatedQuadratic), "problem", kind, "FederatedQuadratic")
    require(algorithm.domain is None, "domain", algorithm.domain,
            "None: a projected round is not affine; enumerate it")  # fmt: skip
    parts.check_fully_shared(problem)
    clients, n = algorithm.participants, problem.clients
    require(clients == n, "number of clients of the masks", clients, str(n))
    exact = is_exact(problem.hessian)
    step = algorithm.inner_step_u
    algorithm = replace(algorithm, inner_step_u=rational(step) if exact else float(step))
    slope = masked.linear.sum(axis=0) / n
    found = solve(masked.hessian.sum(axis=0) / n, -slope[:, None])
    centre = slope * 0 if found is None else found[:, 0]
    return Driver(problem if exact else to_float(problem), algorithm, centre)


def masks_for_all(masks: Array, clients: int) -> Array:
    """The same masks, shape (R, d), for every client."""
    return np.repeat(np.asarray(masks, dtype=bool)[None], clients, axis=0)


def draws(masks: Array, noise: Array | None = None) -> Draw:
    """A draw of masks (n, R, d) and noise (K, n, R, d)."""
    rows = None if noise is None else noise.reshape(len(noise), -1, noise.shape[-1])
    return drawn_with(masks, rows)


def around_centre(
    driver: Driver, masks: Array, states: Array, slopes: Array | None, noise: Array | None
) -> tuple[Any, Carry, Draw]:
    """What to drive an algorithm with, from states x of shape (R, d); slopes as rows, or none."""
    carry = Carry(u=states, v=states[None, :, :0].repeat(len(masks), axis=0))
    rows = driver.zero if slopes is None else slopes.reshape(-1, states.shape[1])
    return _Around(driver.problem, rows), carry, draws(masks, noise)


def own_models(
    driver: Driver,
    masks: Array,
    states: Array,
    slopes: Array | None = None,
    noise: Array | None = None,
    visit: Visit = lambda k, y, gradient, noisy: None,
) -> Array:
    """What each client makes of states x, shape (R, d): its full model minus c, (n, R, d)."""
    around, carry, drawn = around_centre(driver, masks, states, slopes, noise)
    reached = submodel_parts.local(around, driver.algorithm, carry, drawn, visit)
    return submodel_parts.filled(carry, drawn, reached)


def noise_reach(driver: Driver, masks: Array) -> Array:
    """How far a standard noise on every coordinate moves that coordinate in one local step."""
    single = replace(driver, algorithm=replace(driver.algorithm, local_steps=1))
    noise = zeros(driver, 1, *masks.shape) + noise_scale(driver)
    return own_models(single, masks, zeros(driver, *masks.shape[1:]), noise=noise)


def driven_column(
    driver: Driver, masks: Array, groups: list[Array], position: int
) -> tuple[Array, list[Array]]:
    """Column ``position`` of J on every group, and the iterates y^0, ..., y^{K-1} on the way.

    Groups are driven at once: their coordinates are not coupled.
    """
    states = zeros(driver, *masks.shape[1:])
    for group in groups:
        if position < len(group):
            states[:, group[position]] += 1
    way: list[Array] = []

    def visit(k: int, y: Array, gradient: Array, noisy: Array) -> None:
        way.append(y.reshape(masks.shape))

    return own_models(driver, masks, states, visit=visit), way


def noise_columns(reach: Array, way: list[Array], group: Array, position: int) -> Array:
    """What a standard noise at a position of a group does by the end, shape (K, n, R, B).

    Noise in step k moves its own coordinate, and the K - 1 - k steps that are left move on from
    there as they would have from the start.
    """
    moved = reach[:, :, group[position], None]
    return np.stack([y[:, :, group] * moved for y in reversed(way)])


def zeros(driver: Driver, *shape: int) -> Array:
    """An array of zeros in the driver's kind of numbers."""
    return np.zeros(shape, dtype=driver.problem.hessian.dtype) + driver.zero


def noise_scale(driver: Driver) -> Any:
    """Standard deviation of a coordinate of a stochastic gradient."""
    scale = driver.problem.noise.scale_u
    return rational(scale) if driver.exact else float(scale)


def slopes_at_centre(driver: Driver, masks: Array) -> Array:
    """grad f_i(m_i o c), shape (n, R, d)."""
    n, replicas, d = masks.shape
    rows = (masks * driver.centre).reshape(-1, d)
    return driver.problem.gradient(rows, everyone(n, replicas)).reshape(masks.shape)


def from_centre(driver: Driver, start: Start) -> Array:
    """w^0 - c, subtracted in rationals."""
    moved = in_rationals(np.asarray(start.u)) - in_rationals(driver.centre)
    return moved if driver.exact else to_floats(moved)
