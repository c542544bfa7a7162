"""FedSim (Pillutla et al. 2022): simultaneous local updates, the server averages shared models."""

from dataclasses import dataclass
from typing import Any, ClassVar

import array_api_compat

from fedbounds.problems.problem import Problem

from . import parts
from .fedavg_p import Carry, Draw, Visit, rows

Array = Any
init_draw, init, draw = parts.init_draw, parts.init, parts.draw


@dataclass(frozen=True)
class FedSim:
    """Parameters of FedSim; it has no outer step sizes, and what measures it reads them as 1.

    Attributes
    ----------
    participants : int
        m, clients sampled per round.
    local_steps : int
        K.
    inner_step_u, inner_step_v : number
        Step sizes of the shared and of the personal variables.
    """

    participants: int
    local_steps: int
    inner_step_u: Any
    inner_step_v: Any
    outer_step_u: ClassVar[int] = 1
    outer_step_v: ClassVar[int] = 1

    def __post_init__(self) -> None:
        parts.check_parameters(
            self, ("participants", "local_steps"), ("inner_step_u", "inner_step_v")
        )


def local(
    problem: Problem,
    algorithm: FedSim,
    carry: Carry,
    drawn: Draw,
    visit: Visit = lambda k, z, gradient, noisy: None,
) -> Array:
    """LocalSim: K SGD steps on (u, v_i) at once, both gradients at the old point."""
    return parts.descend(problem, algorithm, rows(carry, drawn.cohort), drawn, None, visit)


def server(algorithm: Any, carry: Carry, drawn: Draw, reached: Array) -> Carry:
    """u <- mean of the participants' shared models; participants keep their last v_i."""
    xp = array_api_compat.array_namespace(carry.u)
    d_u = carry.u.shape[1]
    last = parts.by_client(carry, drawn, reached)
    return Carry(
        u=parts.participants_mean(algorithm.participants, drawn, last[:, :, :d_u]),
        v=xp.where(drawn.present[:, :, None] > 0, last[:, :, d_u:], carry.v),
    )


def step(problem: Problem, algorithm: FedSim, carry: Carry, drawn: Draw) -> Carry:
    """One round: `server` after `local`."""
    return server(algorithm, carry, drawn, local(problem, algorithm, carry, drawn))
