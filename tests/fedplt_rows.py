"""FedPLT on rows, a replica and a client each, in any array namespace: what tests drive.

The parts are those of `fedplt`. One step size: for steps that change with the round, call
``dataclasses.replace`` between rounds. Full gradients (FGD) are a problem without noise.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import array_api_compat
import numpy as np
from flint import fmpq

from fedbounds.algorithms import fedplt, parts
from fedbounds.algorithms.fedavg_p import Carry, Draw, Visit, disturbed, rows
from fedbounds.errors import require, require_finite
from fedbounds.problems.linear import numbers_like, rational
from fedbounds.problems.problem import Problem, Start

Array = Any
init_draw: Callable[..., None] = parts.init_draw
draw: Callable[..., Draw] = parts.draw


@dataclass(frozen=True)
class FedPLT:
    """Parameters of FedPLT.

    Attributes
    ----------
    masks : tuple of n tuples of d numbers, each 0 or 1; given as any nested sequence or array
        m_k: client k trains the coordinates where it is 1. A coordinate may be trained by nobody.
    weights : tuple of n numbers; given as any sequence or array
        n_k > 0; only their ratios matter.
    local_steps : int
        tau.
    inner_step_u : number
        eta.
    """

    masks: Any
    weights: Any
    local_steps: int
    inner_step_u: Any
    outer_step_u: ClassVar[int] = 1
    outer_step_v: ClassVar[int] = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "masks", _checked_masks(self.masks))
        object.__setattr__(self, "weights", _checked_weights(self.weights, len(self.masks)))
        parts.check_parameters(self, ("local_steps",), ("inner_step_u",))

    @property
    def participants(self) -> int:
        """All n clients."""
        return len(self.masks)

    @property
    def inner_step_v(self) -> Any:
        """Moves nothing: there is no personal block."""
        return self.inner_step_u


def _checked_masks(given: Any) -> tuple[tuple[int, ...], ...]:
    masks = np.asarray(given, dtype=object)
    shape = masks.shape
    require(len(shape) == 2 and 0 not in shape, "shape of the masks", shape, "(n, d)")
    for client, row in enumerate(masks.tolist()):
        for i, entry in enumerate(row):
            require(entry in (0, 1), f"mask of client {client}, coordinate {i},", entry, "0 or 1")
        require(any(row), f"mask of client {client}", "empty", "at least one coordinate")
    return tuple(tuple(int(entry != 0) for entry in row) for row in masks.tolist())


def _checked_weights(given: Any, clients: int) -> tuple[Any, ...]:
    weights = np.asarray(given)
    require(weights.shape == (clients,), "shape of the weights", weights.shape, f"({clients},)")
    for client, weight in enumerate(weights.tolist()):
        require_finite(f"weight of client {client}", weight, positive=True)
    return tuple(weights.tolist())


def shares(algorithm: FedPLT) -> tuple[fmpq, ...]:
    """c_k = n_k / sum_j n_j, exact."""
    found = fedplt.shares(np.asarray([rational(x) for x in algorithm.weights], dtype=object))
    return tuple(found.tolist())


def compensation(algorithm: FedPLT) -> tuple[fmpq, ...]:
    """psi_i, exact; 1 where nobody trains i."""
    c = np.asarray(shares(algorithm), dtype=object)
    return tuple(fedplt.compensation(np.asarray(algorithm.masks) > 0, c).tolist())


def untrained(algorithm: FedPLT) -> tuple[int, ...]:
    """The coordinates that no client trains: they keep their starting values."""
    columns = zip(*algorithm.masks, strict=True)
    return tuple(i for i, column in enumerate(columns) if not any(column))


def init(
    problem: Problem, algorithm: FedPLT, start: Start, replicas: int, drawn: Any = None
) -> Carry:
    """The start, repeated over replicas."""
    parts.check_fully_shared(problem)
    shape = (len(algorithm.masks), len(algorithm.masks[0]))
    expected = (problem.clients, problem.shared_dimension)
    require(shape == expected, "shape (n, d) of the masks", shape, f"the problem's, {expected}")
    return parts.init(problem, algorithm, start, replicas, drawn)


def local(
    problem: Problem,
    algorithm: FedPLT,
    carry: Carry,
    drawn: Draw,
    visit: Visit = lambda k, z, gradient, noisy: None,
) -> Array:
    """tau steps W_k <- W_k - eta (m_k o g) of every client; returns the rows W_k."""
    xp = array_api_compat.array_namespace(carry.u)
    z, cohort = rows(carry, drawn.cohort), drawn.cohort
    trained = xp.take(_trained(algorithm, xp), cohort.pair // cohort.replicas, axis=0)

    def noisy(s: int, z: Array) -> Array:
        gradient = problem.gradient(z, cohort)
        found = disturbed(problem, z, gradient, drawn, s)
        visit(s, z, gradient, found)
        return found

    return fedplt.local(noisy, trained, algorithm.inner_step_u, algorithm.local_steps, z)


def server(algorithm: FedPLT, carry: Carry, drawn: Draw, reached: Array) -> Carry:
    """W <- W + psi o sum_k c_k (m_k o U_k), U_k = W_k - W."""
    xp = array_api_compat.array_namespace(carry.u)
    moved = parts.by_client(carry, drawn, reached) - carry.u[None, :, :]
    c = numbers_like(shares(algorithm), carry.u, xp)
    updates = xp.permute_dims(moved, (1, 0, 2))
    return Carry(u=fedplt.server(carry.u, updates, _trained(algorithm, xp), c), v=carry.v)


def step(problem: Problem, algorithm: FedPLT, carry: Carry, drawn: Draw) -> Carry:
    """One round: `server` after `local`."""
    return server(algorithm, carry, drawn, local(problem, algorithm, carry, drawn))


def _trained(algorithm: FedPLT, xp: Any) -> Array:
    """Whether client k trains coordinate i, shape (n, d)."""
    return xp.asarray(algorithm.masks) > 0
