"""FedAlt (Pillutla et al. 2022): local updates of v_i first, then of u at the new v_i."""

from dataclasses import dataclass
from typing import Any, ClassVar

import array_api_compat

from fedbounds.problems.problem import Problem

from . import fedsim, parts
from .fedavg_p import Carry, Draw, Visit, disturbed, rows

Array = Any
init_draw, init, draw = parts.init_draw, parts.init, parts.draw
server = fedsim.server  # the two differ in their local updates alone


@dataclass(frozen=True)
class FedAlt:
    """Parameters of FedAlt; it has no outer step sizes, and what measures it reads them as 1.

    Attributes
    ----------
    participants : int
        m, clients sampled per round.
    personal_steps, shared_steps : int
        K_v steps on v_i, then K_u steps on u.
    inner_step_u, inner_step_v : number
        Step sizes of the shared and of the personal variables.
    """

    participants: int
    personal_steps: int
    shared_steps: int
    inner_step_u: Any
    inner_step_v: Any
    outer_step_u: ClassVar[int] = 1
    outer_step_v: ClassVar[int] = 1

    def __post_init__(self) -> None:
        parts.check_parameters(
            self,
            ("participants", "personal_steps", "shared_steps"),
            ("inner_step_u", "inner_step_v"),
        )

    @property
    def local_steps(self) -> int:
        """Stochastic gradients that a participant draws in a round, K_v + K_u."""
        return self.personal_steps + self.shared_steps


def local(
    problem: Problem,
    algorithm: FedAlt,
    carry: Carry,
    drawn: Draw,
    visit: Visit = lambda k, z, gradient, noisy: None,
) -> Array:
    """LocalAlt: K_v SGD steps on v_i at the server's u, then K_u on u at the last v_i."""
    z = rows(carry, drawn.cohort)
    xp = array_api_compat.array_namespace(z)
    d_u, d_v = problem.shared_dimension, problem.personal_dimension
    on_v = xp.asarray([0] * d_u + [algorithm.inner_step_v] * d_v, dtype=z.dtype)
    on_u = xp.asarray([algorithm.inner_step_u] * d_u + [0] * d_v, dtype=z.dtype)
    for k in range(algorithm.local_steps):
        gradient = problem.gradient(z, drawn.cohort)
        noisy = disturbed(problem, z, gradient, drawn, k)
        visit(k, z, gradient, noisy)
        z = z - (on_v if k < algorithm.personal_steps else on_u) * noisy
    return z


def step(problem: Problem, algorithm: FedAlt, carry: Carry, drawn: Draw) -> Carry:
    """One round: `server` after `local`."""
    return server(algorithm, carry, drawn, local(problem, algorithm, carry, drawn))
