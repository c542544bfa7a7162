"""What every problem family offers, and the point a run starts from."""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from fedbounds.errors import require

from .cohort import Cohort, everyone
from .constants import Constants, Evidence

Array = Any


@dataclass(frozen=True, eq=False)
class Start:
    """Deterministic initial point: shared ``u`` of shape (d_u,), personal ``v`` of (n, d_v)."""

    u: Array
    v: Array


class Problem(Protocol):
    """An objective f(u, v) = (1/n) sum_i f_i(u, v_i) whose constants are known.

    The joint point of client i is the row z_i = (u, v_i) of length d_u + d_v.
    """

    @property
    def clients(self) -> int:
        """n."""

    @property
    def shared_dimension(self) -> int:
        """d_u."""

    @property
    def personal_dimension(self) -> int:
        """d_v."""

    def gradient(self, z: Array, cohort: Cohort) -> Array:
        """Gradients of f_i at the rows ``z`` of shape (rows, d_u + d_v); same shape."""

    def value(self, z: Array, cohort: Cohort) -> Array:
        """Values of f_i at the rows ``z``; shape (rows,)."""

    def sample_noise(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array | None:
        """Host draws behind stochastic gradients, leading axes ``shape``; None without noise."""

    def noise_outcomes(self, steps: int) -> Array:
        """All equally likely draws of one client in a round; an error if there are too many."""

    def disturbed(self, z: Array, gradient: Array, cohort: Cohort, noise: Array) -> Array:
        """Stochastic gradients at the rows ``z`` from exact ones and one step's draws."""

    def constants(self, start: Start) -> Constants:
        """Every constant this problem knows, for a run from ``start``."""

    def infimum(self) -> Any:
        """inf f or a certified lower bound of it; None if f is unbounded below."""

    def satisfies(self, assumption: str) -> Evidence:
        """Whether the assumption holds at all points, and why."""


def check_start(problem: Problem, start: Start) -> None:
    """Raise unless the start has the problem's shapes."""
    expected = ((problem.shared_dimension,), (problem.clients, problem.personal_dimension))
    given = (tuple(start.u.shape), tuple(start.v.shape))
    require(given == expected, "shape of the start (u, v)", given, str(expected))


def entries_of(problem: Problem) -> int:
    """Of a point (u, v_1, ..., v_n): d_u + n d_v."""
    return problem.shared_dimension + problem.clients * problem.personal_dimension


def split(problem: Problem, point: Array) -> Start:
    """A joint vector (u, v_1, ..., v_n) as a start."""
    d_u = problem.shared_dimension
    shape = (problem.clients, problem.personal_dimension)
    return Start(u=point[:d_u], v=point[d_u:].reshape(shape))


def joint_rows(start: Start) -> Array:
    """The start as rows z_i = (u, v_i), shape (n, d_u + d_v); host arrays."""
    n = start.v.shape[0]
    return np.concatenate([np.stack([start.u] * n), start.v], axis=1)


def initial_gradients(problem: Problem, start: Start) -> tuple[Any, Any]:
    """B^0 = sum_i ||grad_u f_i(u^0, v_i^0)||^2, and ||grad_u f(u^0, v^0)||^2."""
    gradient = problem.gradient(joint_rows(start), everyone(problem.clients, 1))
    shared = gradient[:, : problem.shared_dimension]
    mean = shared.sum(axis=0) / problem.clients
    return (shared * shared).sum(), (mean * mean).sum()


def initial_value(problem: Problem, start: Start) -> Any:
    """f(u^0, v^0)."""
    values = problem.value(joint_rows(start), everyone(problem.clients, 1))
    return values.sum() / problem.clients
