"""FedAvg-P (Algorithm 3.1 of the partial-personalisation paper), vectorised over replicas.

With the personal block dropped (d_v = 0) it is FedAvg; with the shared block dropped (d_u = 0),
K = 1 and m = n it is parallel SGD. All randomness is in the draw; `local` and `server` are
deterministic and run on any array library, and on object arrays of exact numbers.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import array_api_compat
import numpy as np

from fedbounds.errors import require, require_finite
from fedbounds.problems.cohort import Cohort, cohort_of, everyone
from fedbounds.problems.problem import Problem, Start, check_start

from .participation import check_participants, draw_participants

Array = Any
Visit = Callable[[int, Array, Array, Array], None]


@dataclass(frozen=True)
class FedAvgP:
    """Parameters of FedAvg-P.

    Attributes
    ----------
    participants : int
        m, clients sampled per round.
    local_steps : int
        K.
    inner_step_u, inner_step_v : number
        gamma_u and gamma_v, step sizes of the local iteration.
    outer_step_u, outer_step_v : number
        eta_u and eta_v, step sizes of the server and of the personal averaging.
    """

    participants: int
    local_steps: int
    inner_step_u: Any
    inner_step_v: Any
    outer_step_u: Any
    outer_step_v: Any

    def __post_init__(self) -> None:
        require(self.participants >= 1, "participants m", self.participants, "at least 1")
        require(self.local_steps >= 1, "local steps K", self.local_steps, "at least 1")
        for name in ("inner_step_u", "inner_step_v", "outer_step_u", "outer_step_v"):
            require_finite(name.replace("_", " "), getattr(self, name), positive=True)


def with_effective_step(
    participants: int, local_steps: int, step: Any, outer_step_u: Any = 1, outer_step_v: Any = 1
) -> FedAvgP:
    """FedAvg-P with gamma = gamma_u eta_u = gamma_v eta_v, as the paper's analysis imposes."""
    return FedAvgP(
        participants=participants,
        local_steps=local_steps,
        inner_step_u=step / outer_step_u,
        inner_step_v=step / outer_step_v,
        outer_step_u=outer_step_u,
        outer_step_v=outer_step_v,
    )


@dataclass(frozen=True, eq=False)
class Carry:
    """Iterates between rounds: ``u`` of shape (R, d_u), ``v`` of shape (n, R, d_v)."""

    u: Array
    v: Array


@dataclass(frozen=True, eq=False)
class Draw:
    """Randomness of one round.

    Attributes
    ----------
    present : array, shape (n, R)
        1 where client i is in S^t, else 0.
    noise : array, leading axes (K, rows), or None
        What makes the gradients stochastic: additive noise, or a minibatch's indices, for every
        row of the cohort in every local step.
    cohort : Cohort
        Who runs local steps: the participants or, for virtual iterates, everyone.
    """

    present: Array
    noise: Array | None
    cohort: Cohort


def init_draw(problem: Problem, algorithm: FedAvgP, rng: np.random.Generator, replicas: int) -> Any:
    """FedAvg-P starts without randomness: None."""
    return None


def init(
    problem: Problem, algorithm: FedAvgP, start: Start, replicas: int, drawn: Any = None
) -> Carry:
    """The start, repeated over replicas."""
    check_start(problem, start)
    check_participants(algorithm.participants, problem.clients)
    xp = array_api_compat.array_namespace(start.u)
    n, d_v = start.v.shape
    u = xp.asarray(xp.broadcast_to(start.u[None, :], (replicas, start.u.shape[0])), copy=True)
    v = xp.asarray(xp.broadcast_to(start.v[:, None, :], (n, replicas, d_v)), copy=True)
    return Carry(u=u, v=v)


def draw(
    problem: Problem,
    algorithm: FedAvgP,
    rng: np.random.Generator,
    replicas: int,
    virtual: bool,
    xp: Any = np,
) -> Draw:
    """Sample one round on the host; ``virtual`` runs absent clients too, for the lemmas."""
    present = draw_participants(rng, problem.clients, algorithm.participants, replicas)
    cohort = everyone(problem.clients, replicas, xp) if virtual else cohort_of(present, xp)
    noise = problem.sample_noise(rng, (algorithm.local_steps, cohort.bounds[-1]))
    return Draw(
        present=xp.asarray(present),
        noise=None if noise is None else xp.asarray(noise),
        cohort=cohort,
    )


def local(
    problem: Problem,
    algorithm: FedAvgP,
    carry: Carry,
    drawn: Draw,
    visit: Visit = lambda k, z, gradient, noisy: None,
) -> Array:
    """K local steps of every row of the cohort (lines 4 to 8); returns the rows (u_K, v_K).

    ``visit(k, z, gradient, noisy)`` sees iterates, exact and stochastic gradients at step k.
    """
    return descend(problem, algorithm, rows(carry, drawn.cohort), drawn, None, visit)


def rows(carry: Any, cohort: Cohort) -> Array:
    """The joint points (u, v_i) of a cohort at the start of a round, from any carry's u and v."""
    xp = array_api_compat.array_namespace(carry.u)
    n, replicas, d_v = carry.v.shape
    u = xp.take(carry.u, cohort.replica, axis=0)
    v = xp.take(xp.reshape(carry.v, (n * replicas, d_v)), cohort.pair, axis=0)
    return xp.concat([u, v], axis=1)


def descend(
    problem: Problem,
    algorithm: FedAvgP,
    z: Array,
    drawn: Draw,
    correction: Array | None,
    visit: Visit,
) -> Array:
    """K stochastic gradient steps on both blocks at once; ``correction`` is added to gradients."""
    xp = array_api_compat.array_namespace(z)
    d_u, d_v = problem.shared_dimension, problem.personal_dimension
    steps = xp.asarray(
        [algorithm.inner_step_u] * d_u + [algorithm.inner_step_v] * d_v, dtype=z.dtype
    )
    for k in range(algorithm.local_steps):
        gradient = problem.gradient(z, drawn.cohort)
        noisy = disturbed(problem, z, gradient, drawn, k)
        visit(k, z, gradient, noisy)
        followed = noisy if correction is None else noisy + correction
        z = z - steps * followed  # v uses the old u (lines 6 and 7)
    return z


def disturbed(problem: Problem, z: Array, gradient: Array, drawn: Draw, k: int) -> Array:
    """Stochastic gradients of step k from the exact ones."""
    if drawn.noise is None:
        return gradient
    return problem.disturbed(z, gradient, drawn.cohort, drawn.noise[k, ...])


def server(algorithm: FedAvgP, carry: Any, drawn: Draw, reached: Array) -> Carry:
    """Average personal variables with outer step eta_v and shared ones with eta_u (lines 9, 11)."""
    xp = array_api_compat.array_namespace(carry.u)
    (n, replicas, _), d_u = carry.v.shape, carry.u.shape[1]
    every = xp.reshape(xp.take(reached, drawn.cohort.row, axis=0), (n, replicas, -1))
    present = drawn.present[:, :, None] > 0
    eta_u, eta_v = algorithm.outer_step_u, algorithm.outer_step_v
    v = xp.where(present, carry.v * (1 - eta_v) + every[:, :, d_u:] * eta_v, carry.v)
    nothing = (carry.u * 0)[None, :, :]
    total = xp.sum(xp.where(present, every[:, :, :d_u], nothing), axis=0)
    u = carry.u * (1 - eta_u) + total / algorithm.participants * eta_u
    return Carry(u=u, v=v)


def step(problem: Problem, algorithm: FedAvgP, carry: Carry, drawn: Draw) -> Carry:
    """One round: `server` after `local`."""
    return server(algorithm, carry, drawn, local(problem, algorithm, carry, drawn))
