"""FedAvg (McMahan et al. 2017, algorithm 1) for the fully shared problem.

Clients weigh alike. A server step size eta other than 1 gives the form with two step sizes.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

from fedbounds.problems.problem import Problem, Start

from . import parts
from .fedavg_p import Carry, Draw, Visit, rows

Array = Any
init_draw, draw = parts.init_draw, parts.draw


@dataclass(frozen=True)
class FedAvg:
    """Parameters of FedAvg.

    Attributes
    ----------
    participants : int
        m, clients sampled per round.
    local_steps : int
        K.
    inner_step_u : number
        Step size of the clients' SGD.
    outer_step_u : number
        Server step size eta; 1 is the plain average.
    """

    participants: int
    local_steps: int
    inner_step_u: Any
    outer_step_u: Any = 1
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
    problem: Problem, algorithm: FedAvg, start: Start, replicas: int, drawn: Any = None
) -> Carry:
    """The start, repeated over replicas."""
    parts.check_fully_shared(problem)
    return parts.init(problem, algorithm, start, replicas, drawn)


def local(
    problem: Problem,
    algorithm: FedAvg,
    carry: Carry,
    drawn: Draw,
    visit: Visit = lambda k, z, gradient, noisy: None,
) -> Array:
    """ClientUpdate: K SGD steps from the server's u."""
    return parts.descend(problem, algorithm, rows(carry, drawn.cohort), drawn, None, visit)


def server(algorithm: FedAvg, carry: Carry, drawn: Draw, reached: Array) -> Carry:
    """u <- (1 - eta) u + eta (mean of the participants' models)."""
    models = parts.by_client(carry, drawn, reached)
    average = parts.participants_mean(algorithm.participants, drawn, models)
    eta = algorithm.outer_step_u
    return Carry(u=carry.u * (1 - eta) + average * eta, v=carry.v)


def step(problem: Problem, algorithm: FedAvg, carry: Carry, drawn: Draw) -> Carry:
    """One round: `server` after `local`."""
    return server(algorithm, carry, drawn, local(problem, algorithm, carry, drawn))
