"""Sub-model training with random masks (Algorithm 1 of the sub-model paper).

Every round every client draws a fresh mask, coordinates independent, and trains m_i o w. The
server fills in its own values, averages over all clients and projects.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from fedbounds.problems.domain import Domain, project
from fedbounds.problems.problem import Problem, Start

from . import parts, submodel_parts
from .fedavg_p import Carry
from .masks import bernoulli_masks, checked_keep
from .submodel_parts import Draw, draw_around

Array = Any
init_draw: Callable[..., None] = parts.init_draw
local: Callable[..., Array] = submodel_parts.local


@dataclass(frozen=True)
class RandomMasks:
    """Parameters of sub-model training with random masks.

    Attributes
    ----------
    keep : tuple of n numbers in (0, 1]; given as any sequence or array
        p_i, the probability with which client i keeps a coordinate; 1 is the full model.
    local_steps : int
        K.
    inner_step_u : number
        eta.
    domain : Box, Ball or None
        W; None is the whole space.
    """

    keep: Any
    local_steps: int
    inner_step_u: Any
    domain: Domain = None
    outer_step_u: ClassVar[int] = 1
    outer_step_v: ClassVar[int] = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "keep", checked_keep(self.keep))
        parts.check_parameters(self, ("local_steps",), ("inner_step_u",))

    @property
    def participants(self) -> int:
        """All n clients."""
        return len(self.keep)

    @property
    def inner_step_v(self) -> Any:
        """Moves nothing: there is no personal block."""
        return self.inner_step_u


def init(
    problem: Problem, algorithm: RandomMasks, start: Start, replicas: int, drawn: Any = None
) -> Carry:
    """The start, repeated over replicas."""
    return submodel_parts.init(problem, algorithm, None, start, replicas)


def draw(
    problem: Problem,
    algorithm: RandomMasks,
    rng: np.random.Generator,
    replicas: int,
    virtual: bool = False,
    xp: Any = np,
    carry: Any = None,
) -> Draw:
    """Sample the masks, then the noise, of one round on the host; all clients always run."""
    masks = bernoulli_masks(rng, algorithm.keep, replicas, problem.shared_dimension)
    return draw_around(problem, algorithm.local_steps, rng, masks, xp)


def server(algorithm: RandomMasks, carry: Carry, drawn: Draw, reached: Array) -> Carry:
    """w <- P_W((1/n) sum_i [m_i o w_i + (1 - m_i) o w])."""
    mean = submodel_parts.clients_mean(carry, drawn, reached)
    return Carry(u=project(algorithm.domain, mean), v=carry.v)


def step(problem: Problem, algorithm: RandomMasks, carry: Carry, drawn: Draw) -> Carry:
    """One round: `server` after `local`."""
    return server(algorithm, carry, drawn, local(problem, algorithm, carry, drawn))
