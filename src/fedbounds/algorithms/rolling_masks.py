"""Sub-model training with rolling masks (Algorithm 2 of the sub-model paper).

An epoch visits each of a client's S fixed sub-models once, in an order drawn at its start; a round
is one of random masks with the sub-model whose turn it is.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from flint import fmpq

from fedbounds.errors import FedboundsError, require
from fedbounds.problems.domain import Domain, project
from fedbounds.problems.problem import Problem, Start

from . import fedavg_p, parts, submodel_parts
from .masks import checked_masks, orders
from .submodel_parts import Draw, draw_around

Array = Any
init_draw: Callable[..., None] = parts.init_draw
local: Callable[..., Array] = submodel_parts.local


@dataclass(frozen=True)
class RollingMasks:
    """Parameters of sub-model training with rolling masks.

    Attributes
    ----------
    masks : tuple (n, S, d) of 0 and 1; given as any nested sequence or array
        m_{i,s}. Every coordinate is in some sub-model of every client.
    local_steps : int
        K.
    inner_step_u : number
        eta.
    shared_order : bool
        Whether all clients follow one permutation; else each draws its own.
    project_each_round : bool
        Whether to project after each round, not at the end of an epoch alone.
    domain : Box, Ball or None
        W; None is the whole space.
    """

    masks: Any
    local_steps: int
    inner_step_u: Any
    shared_order: bool = True
    project_each_round: bool = False
    domain: Domain = None
    outer_step_u: ClassVar[int] = 1
    outer_step_v: ClassVar[int] = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "masks", checked_masks(self.masks, "(n, S, d)"))
        for client, row in enumerate(coordinate_shares(self)):
            for j, share in enumerate(row):
                what = f"number of sub-models of client {client} with coordinate {j}"
                require(share > 0, what, 0, "at least 1")
        parts.check_parameters(self, ("local_steps",), ("inner_step_u",))

    @property
    def participants(self) -> int:
        """All n clients."""
        return len(self.masks)

    @property
    def epoch(self) -> int:
        """S, the rounds of an epoch."""
        return len(self.masks[0])

    @property
    def inner_step_v(self) -> Any:
        """Moves nothing: there is no personal block."""
        return self.inner_step_u


def coordinate_shares(algorithm: RollingMasks) -> tuple[tuple[fmpq, ...], ...]:
    """(1/S) sum_s (m_{i,s})_j, exact, shape (n, d)."""
    return tuple(
        tuple(fmpq(sum(column), len(own)) for column in zip(*own, strict=True))
        for own in algorithm.masks
    )


def coverage(algorithm: RollingMasks) -> tuple[fmpq, ...]:
    """q_i with (1/S) sum_s m_{i,s} = q_i 1, exact.

    Raises
    ------
    FedboundsError
        If a client's sub-models hold some coordinates more often than others.
    """
    found = coordinate_shares(algorithm)
    for client, row in enumerate(found):
        for j, share in enumerate(row):
            require(
                share == row[0],
                f"coverage of coordinate {j} by client {client}",
                share,
                f"{row[0]}, that of coordinate 0: uniform coverage",
            )
    return tuple(row[0] for row in found)


@dataclass(frozen=True, eq=False)
class Carry(fedavg_p.Carry):
    """Iterates between rounds, and where in the epoch they are.

    Attributes
    ----------
    position : int
        s, how many rounds of the epoch are done; 0 at its start.
    order : host array of int, shape (n, R, S), or None
        The epoch's permutations; None at position 0, or where masks were given by hand.
    """

    position: int = 0
    order: np.ndarray | None = None


def init(
    problem: Problem, algorithm: RollingMasks, start: Start, replicas: int, drawn: Any = None
) -> Carry:
    """The start, repeated over replicas, at the start of an epoch."""
    dimension = len(algorithm.masks[0][0])
    begun = submodel_parts.init(problem, algorithm, dimension, start, replicas)
    return Carry(u=begun.u, v=begun.v)


def masks_at(algorithm: RollingMasks, order: np.ndarray, position: int) -> np.ndarray:
    """m_{i, pi(s)} at position s for orders of shape (n, R, S); host bools, shape (n, R, d)."""
    table = np.asarray(algorithm.masks, dtype=bool)
    turn = order[:, :, position]
    found: np.ndarray = np.take_along_axis(table, turn[:, :, None], axis=1)
    return found


def draw(
    problem: Problem,
    algorithm: RollingMasks,
    rng: np.random.Generator,
    replicas: int,
    virtual: bool = False,
    xp: Any = np,
    carry: Carry | None = None,
) -> Draw:
    """Sample one round on the host: at the start of an epoch its orders, always the noise.

    Raises
    ------
    FedboundsError
        If ``carry``, which knows the place in the epoch, is missing or has lost its order.
    """
    if carry is None:
        raise FedboundsError(
            "carry is None; expected the state, which knows its place in the epoch"
        )
    order = carry.order
    if carry.position == 0:
        order = orders(rng, len(algorithm.masks), replicas, algorithm.epoch, algorithm.shared_order)
    if order is None:
        raise FedboundsError(
            f"order of the epoch is None at position {carry.position}; "
            "expected the one drawn at its start"
        )
    masks = masks_at(algorithm, order, carry.position)
    return draw_around(problem, algorithm.local_steps, rng, masks, xp, order)


def server(algorithm: RollingMasks, carry: Carry, drawn: Draw, reached: Array) -> Carry:
    """w <- (1/n) sum_i [m_i o w_i + (1 - m_i) o w], projected at the end of the epoch."""
    mean = submodel_parts.clients_mean(carry, drawn, reached)
    over = carry.position + 1 == algorithm.epoch
    projected = over or algorithm.project_each_round
    return Carry(
        u=project(algorithm.domain, mean) if projected else mean,
        v=carry.v,
        position=0 if over else carry.position + 1,
        order=None if over else drawn.order,
    )


def step(problem: Problem, algorithm: RollingMasks, carry: Carry, drawn: Draw) -> Carry:
    """One round: `server` after `local`."""
    return server(algorithm, carry, drawn, local(problem, algorithm, carry, drawn))
