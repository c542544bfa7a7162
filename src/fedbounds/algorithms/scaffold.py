"""Scaffold (Karimireddy et al. 2020, algorithm 1, option II) for the fully shared problem.

Its control variates may start anywhere; they start as the partial-personalisation paper's do.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import array_api_compat

from fedbounds.problems.problem import Problem, Start

from . import parts, scaffold_p
from .fedavg_p import Draw, Visit, rows
from .scaffold_p import Carry

Array = Any
draw = parts.draw
init_draw: Callable[..., Array | None] = scaffold_p.init_draw
_same_init: Callable[..., Carry] = scaffold_p.init


@dataclass(frozen=True)
class Scaffold:
    """Parameters of Scaffold.

    Attributes
    ----------
    participants : int
        m, clients sampled per round.
    local_steps : int
        K.
    inner_step_u : number
        Local step size eta_l.
    outer_step_u : number
        Global step size eta_g.
    """

    participants: int
    local_steps: int
    inner_step_u: Any
    outer_step_u: Any
    outer_step_v: ClassVar[int] = 1

    def __post_init__(self) -> None:
        parts.check_parameters(
            self, ("participants", "local_steps"), ("inner_step_u", "outer_step_u")
        )

    @property
    def inner_step_v(self) -> Any:
        """Moves nothing: there is no personal block."""
        return self.inner_step_u


def init(
    problem: Problem, algorithm: Scaffold, start: Start, replicas: int, drawn: Array | None = None
) -> Carry:
    """The start, c_i the mean of K stochastic gradients there, and c their mean."""
    parts.check_fully_shared(problem)
    return _same_init(problem, algorithm, start, replicas, drawn)


def local(
    problem: Problem,
    algorithm: Scaffold,
    carry: Carry,
    drawn: Draw,
    visit: Visit = lambda k, z, gradient, noisy: None,
) -> Array:
    """y_i <- x, then K steps y_i <- y_i - eta_l (g_i(y_i) - c_i + c)."""
    xp = array_api_compat.array_namespace(carry.u)
    (n, replicas, d_u), cohort = carry.controls.shape, drawn.cohort
    flat = xp.reshape(carry.control[None, :, :] - carry.controls, (n * replicas, d_u))
    correction = xp.take(flat, cohort.pair, axis=0)
    return parts.descend(problem, algorithm, rows(carry, cohort), drawn, correction, visit)


def server(algorithm: Scaffold, carry: Carry, drawn: Draw, reached: Array) -> Carry:
    """Participants send (y_i - x, c_i^+ - c_i); the server adds their means to x and to c.

    x <- x + eta_g mean_S (y_i - x) and c <- c + (m/n) mean_S (c_i^+ - c_i).
    """
    xp = array_api_compat.array_namespace(carry.u)
    n, m = carry.controls.shape[0], algorithm.participants
    moved = parts.by_client(carry, drawn, reached) - carry.u[None, :, :]
    scale = algorithm.local_steps * algorithm.inner_step_u
    renewed = carry.controls - carry.control[None, :, :] - moved / scale
    change = renewed - carry.controls
    return Carry(
        u=carry.u + parts.participants_mean(m, drawn, moved) * algorithm.outer_step_u,
        v=carry.v,
        controls=xp.where(drawn.present[:, :, None] > 0, renewed, carry.controls),
        control=carry.control + parts.participants_mean(m, drawn, change) * m / n,
    )


def step(problem: Problem, algorithm: Scaffold, carry: Carry, drawn: Draw) -> Carry:
    """One round: `server` after `local`."""
    return server(algorithm, carry, drawn, local(problem, algorithm, carry, drawn))
