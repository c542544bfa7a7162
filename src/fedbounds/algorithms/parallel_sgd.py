"""Parallel SGD for the fully personal problem: every client one SGD step on its own v_i."""

from dataclasses import dataclass
from typing import Any, ClassVar

from fedbounds.errors import require
from fedbounds.problems.problem import Problem, Start

from . import parts
from .fedavg_p import Carry, Draw, Visit, disturbed, rows

Array = Any
init_draw, draw = parts.init_draw, parts.draw


@dataclass(frozen=True)
class ParallelSGD:
    """Parameters of parallel SGD; what measures it reads K and outer step sizes as 1.

    Attributes
    ----------
    clients : int
        n; all of them take part.
    step : number
        gamma, of v_i <- v_i - gamma grad F(v_i; xi_i).
    """

    clients: int
    step: Any
    local_steps: ClassVar[int] = 1
    outer_step_u: ClassVar[int] = 1
    outer_step_v: ClassVar[int] = 1

    def __post_init__(self) -> None:
        parts.check_parameters(self, ("clients",), ("step",))

    @property
    def participants(self) -> int:
        """m = n."""
        return self.clients

    @property
    def inner_step_u(self) -> Any:
        """Moves nothing: there is no shared block."""
        return self.step

    @property
    def inner_step_v(self) -> Any:
        """gamma."""
        return self.step


def init(
    problem: Problem, algorithm: ParallelSGD, start: Start, replicas: int, drawn: Any = None
) -> Carry:
    """The start, repeated over replicas."""
    n, d_u = problem.clients, problem.shared_dimension
    require(algorithm.clients == n, "clients", algorithm.clients, f"the problem's n = {n}")
    require(d_u == 0, "shared dimension d_u", d_u, "0: parallel SGD has no shared variables")
    return parts.init(problem, algorithm, start, replicas, drawn)


def local(
    problem: Problem,
    algorithm: ParallelSGD,
    carry: Carry,
    drawn: Draw,
    visit: Visit = lambda k, z, gradient, noisy: None,
) -> Array:
    """One SGD step of every client."""
    z = rows(carry, drawn.cohort)
    gradient = problem.gradient(z, drawn.cohort)
    noisy = disturbed(problem, z, gradient, drawn, 0)
    visit(0, z, gradient, noisy)
    return z - noisy * algorithm.step


def server(algorithm: ParallelSGD, carry: Carry, drawn: Draw, reached: Array) -> Carry:
    """Nothing is shared: every client keeps what it reached."""
    return Carry(u=carry.u, v=parts.by_client(carry, drawn, reached))


def step(problem: Problem, algorithm: ParallelSGD, carry: Carry, drawn: Draw) -> Carry:
    """One round: `server` after `local`."""
    return server(algorithm, carry, drawn, local(problem, algorithm, carry, drawn))
