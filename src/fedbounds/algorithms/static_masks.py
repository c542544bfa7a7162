"""Sub-model training with fixed masks, as in HeteroFL: each client always holds the same ones.

A coordinate that nobody holds keeps its starting value.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import array_api_compat
import numpy as np
from flint import fmpq

from fedbounds.errors import require
from fedbounds.problems.domain import Domain, project
from fedbounds.problems.linear import numbers_like
from fedbounds.problems.problem import Problem, Start

from . import parts, submodel_parts
from .fedavg_p import Carry
from .masks import checked_masks
from .submodel_parts import Draw, draw_around

Array = Any
init_draw: Callable[..., None] = parts.init_draw
local: Callable[..., Array] = submodel_parts.local


@dataclass(frozen=True)
class StaticMasks:
    """Parameters of sub-model training with static masks.

    Attributes
    ----------
    masks : tuple (n, d) of 0 and 1; given as any nested sequence or array
        m_i; each client holds at least one coordinate.
    local_steps : int
        K.
    inner_step_u : number
        eta.
    average_over_holders : bool
        Whether a coordinate is averaged over the clients that hold it, not over all n.
    domain : Box, Ball or None
        W; None is the whole space.
    """

    masks: Any
    local_steps: int
    inner_step_u: Any
    average_over_holders: bool = False
    domain: Domain = None
    outer_step_u: ClassVar[int] = 1
    outer_step_v: ClassVar[int] = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "masks", checked_masks(self.masks, "(n, d)"))
        for client, row in enumerate(self.masks):
            require(any(row), f"mask of client {client}", "empty", "at least one coordinate")
        parts.check_parameters(self, ("local_steps",), ("inner_step_u",))

    @property
    def participants(self) -> int:
        """All n clients."""
        return len(self.masks)

    @property
    def inner_step_v(self) -> Any:
        """Moves nothing: there is no personal block."""
        return self.inner_step_u


def holders(algorithm: StaticMasks) -> tuple[int, ...]:
    """How many clients hold each coordinate."""
    return tuple(map(sum, zip(*algorithm.masks, strict=True)))


def init(
    problem: Problem, algorithm: StaticMasks, start: Start, replicas: int, drawn: Any = None
) -> Carry:
    """The start, repeated over replicas."""
    return submodel_parts.init(problem, algorithm, len(algorithm.masks[0]), start, replicas)


def draw(
    problem: Problem,
    algorithm: StaticMasks,
    rng: np.random.Generator,
    replicas: int,
    virtual: bool = False,
    xp: Any = np,
    carry: Any = None,
) -> Draw:
    """Sample the noise of one round on the host; the masks are the fixed ones."""
    masks = np.asarray(algorithm.masks, dtype=bool)
    every = np.repeat(masks[:, None, :], replicas, axis=1)
    return draw_around(problem, algorithm.local_steps, rng, every, xp)


def server(algorithm: StaticMasks, carry: Carry, drawn: Draw, reached: Array) -> Carry:
    """w <- P_W((1/n) sum_i [m_i o w_i + (1 - m_i) o w]), or the mean over holders."""
    if algorithm.average_over_holders:
        mean = _holders_mean(algorithm, carry, drawn, reached)
    else:
        mean = submodel_parts.clients_mean(carry, drawn, reached)
    return Carry(u=project(algorithm.domain, mean), v=carry.v)


def _holders_mean(algorithm: StaticMasks, carry: Carry, drawn: Draw, reached: Array) -> Array:
    """w_j <- the mean of (w_i)_j over the clients that hold j; unchanged where nobody does."""
    xp = array_api_compat.array_namespace(carry.u)
    models = parts.by_client(carry, drawn, reached)
    total = xp.sum(xp.where(drawn.masks, models, models * 0), axis=0)
    counted = holders(algorithm)
    held = xp.asarray(counted) > 0
    divisor = numbers_like(tuple(fmpq(max(count, 1)) for count in counted), carry.u, xp)
    return xp.where(held, total / divisor, carry.u)


def step(problem: Problem, algorithm: StaticMasks, carry: Carry, drawn: Draw) -> Carry:
    """One round: `server` after `local`."""
    return server(algorithm, carry, drawn, local(problem, algorithm, carry, drawn))
