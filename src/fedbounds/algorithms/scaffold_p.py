"""Scaffold-P (Algorithm 4.1 of the partial-personalisation paper): FedAvg-P with control variates.

Each client's shared gradient is corrected by -c_i + c, where c_i tracks the client's own gradient
and c their mean over all clients. With the personal block dropped (d_v = 0) it is Scaffold.
"""

from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

import array_api_compat
import numpy as np

from fedbounds.problems.cohort import everyone
from fedbounds.problems.problem import Problem, Start

from . import fedavg_p
from .fedavg_p import Draw, FedAvgP, Visit

Array = Any


@dataclass(frozen=True)
class ScaffoldP(FedAvgP):
    """Parameters of Scaffold-P: those of FedAvg-P."""


@dataclass(frozen=True, eq=False)
class Carry:
    """Iterates and control variates between rounds.

    Attributes
    ----------
    u, v : arrays, shapes (R, d_u) and (n, R, d_v)
        As in FedAvg-P.
    controls : array, shape (n, R, d_u)
        c_i.
    control : array, shape (R, d_u)
        c.
    """

    u: Array
    v: Array
    controls: Array
    control: Array


def init_draw(
    problem: Problem, algorithm: ScaffoldP, rng: np.random.Generator, replicas: int
) -> Array | None:
    """Draws of the K initial gradients of every client, leading axes (K, n R); None without."""
    return problem.sample_noise(rng, (algorithm.local_steps, problem.clients * replicas))


def init(
    problem: Problem, algorithm: ScaffoldP, start: Start, replicas: int, drawn: Array | None = None
) -> Carry:
    """The start, and c_i^0 = (1/K) sum_k of stochastic gradients there, for every client."""
    base = fedavg_p.init(problem, algorithm, start, replicas)
    xp = array_api_compat.array_namespace(base.u)
    n = problem.clients
    cohort = everyone(n, replicas, xp)
    z = fedavg_p.rows(base, cohort)
    gradient = problem.gradient(z, cohort)
    if drawn is not None:
        noise, steps = xp.asarray(drawn), range(algorithm.local_steps)
        seen = [problem.disturbed(z, gradient, cohort, noise[k, ...]) for k in steps]
        gradient = reduce(add, seen) / len(seen)
    controls = xp.reshape(gradient, (n, replicas, -1))[:, :, : problem.shared_dimension]
    return Carry(u=base.u, v=base.v, controls=controls, control=xp.sum(controls, axis=0) / n)


def draw(
    problem: Problem,
    algorithm: ScaffoldP,
    rng: np.random.Generator,
    replicas: int,
    virtual: bool,
    xp: Any = np,
) -> Draw:
    """As in FedAvg-P."""
    return fedavg_p.draw(problem, algorithm, rng, replicas, virtual, xp)


def local(
    problem: Problem,
    algorithm: ScaffoldP,
    carry: Carry,
    drawn: Draw,
    visit: Visit = lambda k, z, gradient, noisy: None,
) -> Array:
    """K corrected local steps of every row (lines 4 to 8); the correction spares v."""
    xp = array_api_compat.array_namespace(carry.u)
    (n, replicas, d_u), cohort = carry.controls.shape, drawn.cohort
    own = xp.take(xp.reshape(carry.controls, (n * replicas, d_u)), cohort.pair, axis=0)
    shared = xp.take(carry.control, cohort.replica, axis=0) - own
    z = fedavg_p.rows(carry, cohort)
    correction = xp.concat([shared, z[:, d_u:] * 0], axis=1)
    return fedavg_p.descend(problem, algorithm, z, drawn, correction, visit)


def server(algorithm: ScaffoldP, carry: Carry, drawn: Draw, reached: Array) -> Carry:
    """Average as in FedAvg-P, and renew the control variates (lines 9 to 13)."""
    xp = array_api_compat.array_namespace(carry.u)
    n, replicas, d_u = carry.controls.shape
    base = fedavg_p.server(algorithm, carry, drawn, reached)
    every = xp.reshape(xp.take(reached, drawn.cohort.row, axis=0), (n, replicas, -1))
    moved = (carry.u - every[:, :, :d_u]) / (algorithm.local_steps * algorithm.inner_step_u)
    present = drawn.present[:, :, None] > 0
    controls = xp.where(present, carry.controls - carry.control + moved, carry.controls)
    control = carry.control + xp.sum(controls - carry.controls, axis=0) / n
    return Carry(u=base.u, v=base.v, controls=controls, control=control)


def step(problem: Problem, algorithm: ScaffoldP, carry: Carry, drawn: Draw) -> Carry:
    """One round: `server` after `local`."""
    return server(algorithm, carry, drawn, local(problem, algorithm, carry, drawn))
