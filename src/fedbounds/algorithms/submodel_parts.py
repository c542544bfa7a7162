"""What random, rolling and static masks share: the draw, local training and the server's mean.

All clients take part. A client trains m_i o w on the coordinates of its mask. Its iterates are
kept as virtual ones: y_i^0 = w, y_i <- y_i - eta m_i o (g_i(m_i o y_i)); then m_i o y_i is the
client's own model and the other coordinates of y_i are the server's.
"""

from dataclasses import dataclass
from typing import Any

import array_api_compat
import numpy as np
from flint import fmpq

from fedbounds.errors import require
from fedbounds.problems.cohort import everyone
from fedbounds.problems.domain import check_inside
from fedbounds.problems.linear import is_exact
from fedbounds.problems.problem import Problem, Start

from . import fedavg_p, parts
from .fedavg_p import Carry, Visit, disturbed, rows

Array = Any


@dataclass(frozen=True, eq=False)
class Draw(fedavg_p.Draw):
    """Randomness of one round.

    Attributes
    ----------
    masks : bool array, shape (n, R, d)
        m_i of every client in every replica, kept for all local steps.
    order : host array of int, shape (n, R, S), or None
        Which sub-model comes when in this epoch, for rolling masks.
    """

    masks: Array
    order: np.ndarray | None = None


def draw_around(
    problem: Problem,
    local_steps: int,
    rng: np.random.Generator,
    masks: np.ndarray,
    xp: Any,
    order: np.ndarray | None = None,
) -> Draw:
    """The draw of a round with these host masks; samples the noise."""
    n, replicas, _ = masks.shape
    noise = problem.sample_noise(rng, (local_steps, n * replicas))
    return drawn_with(
        xp.asarray(masks), None if noise is None else xp.asarray(noise), xp=xp, order=order
    )


def drawn_with(
    masks: Array, noise: Array | None, *, xp: Any = np, order: np.ndarray | None = None
) -> Draw:
    """The draw of a round with given masks, for exact expectations.

    Parameters
    ----------
    masks : bool array, shape (n, R, d)
        For instance every pattern as a replica.
    noise : array, leading axes (K, n * R), or None
        Row ``i * R + r`` is client i in replica r.
    """
    n, replicas, _ = masks.shape
    present = xp.asarray(np.ones((n, replicas)))
    cohort = everyone(n, replicas, xp)
    return Draw(present=present, noise=noise, cohort=cohort, masks=masks, order=order)


def init(
    problem: Problem, algorithm: Any, dimension: int | None, start: Start, replicas: int
) -> Carry:
    """The start, repeated over replicas; ``dimension`` is the masks' where they are fixed."""
    parts.check_fully_shared(problem)
    d = problem.shared_dimension
    given = (algorithm.participants, d if dimension is None else dimension)
    expected = (problem.clients, d)
    require(given == expected, "clients and dimension of the masks", given, f"{expected}")
    begun = parts.init(problem, algorithm, start, replicas)
    check_inside(algorithm.domain, start.u)
    return begun


def local(
    problem: Problem,
    algorithm: Any,
    carry: Any,
    drawn: Draw,
    visit: Visit = lambda k, y, gradient, noisy: None,
) -> Array:
    """K local steps of every client; returns the rows y_i^K, whose masked parts are w_i^K.

    ``visit(k, y, gradient, noisy)`` sees virtual iterates, and exact and stochastic gradients of
    f_i at m_i o y_i before the mask.
    """
    xp = array_api_compat.array_namespace(carry.u)
    y = rows(carry, drawn.cohort)
    # numbers 0 and 1: on random masks a product is ten times faster than a selection
    mask = _as_numbers(xp.reshape(drawn.masks, y.shape), y, xp)
    for k in range(algorithm.local_steps):
        own = y * mask
        gradient = problem.gradient(own, drawn.cohort)
        noisy = disturbed(problem, own, gradient, drawn, k)
        visit(k, y, gradient, noisy)
        y = y - noisy * algorithm.inner_step_u * mask
    return y


def _as_numbers(masks: Array, like: Array, xp: Any) -> Array:
    """0 and 1 in the number type of an array."""
    if isinstance(like, np.ndarray) and is_exact(like):
        return np.asarray((fmpq(0), fmpq(1)), dtype=object)[masks.astype(int)]
    return xp.astype(masks, like.dtype)


def filled(carry: Any, drawn: Draw, reached: Array) -> Array:
    """m_i o w_i^K + (1 - m_i) o w from rows y_i^K or w_i^K, shape (n, R, d)."""
    xp = array_api_compat.array_namespace(carry.u)
    every = parts.by_client(carry, drawn, reached)
    return xp.where(drawn.masks, every, xp.broadcast_to(carry.u[None, :, :], every.shape))


def clients_mean(carry: Any, drawn: Draw, reached: Array) -> Array:
    """(1/n) sum_i [m_i o w_i^K + (1 - m_i) o w], shape (R, d)."""
    xp = array_api_compat.array_namespace(carry.u)
    models = filled(carry, drawn, reached)
    mean = xp.sum(models, axis=0) / models.shape[0]
    # the mean of n equal floats may be another float; what nobody trains is to stay
    return xp.where(xp.any(drawn.masks, axis=0), mean, carry.u)
