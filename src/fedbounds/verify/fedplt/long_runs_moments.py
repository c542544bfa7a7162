"""Rounds of FedPLT on quadratics as affine maps, and where D^t tends: what the settings look at.

With x = W - W*, a round is x+ = M x + b + noise, and so is every W_k - W. The matrices are the
responses of the algorithm's own `local` and `server` to basis states and unit noises; a step size
per replica is had by pacing the gradients, with unit steps.
"""

from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

import numpy as np
from flint import acb_mat, arb, fmpq, fmpq_mat

from fedbounds.algorithms import fedplt_rows
from fedbounds.algorithms.fedavg_p import Carry, Draw
from fedbounds.algorithms.fedplt_rows import FedPLT, shares
from fedbounds.errors import FedboundsError, require
from fedbounds.problems import FederatedQuadratic, everyone
from fedbounds.problems.arrays import to_float
from fedbounds.problems.linear import is_exact, rational, solve

Array = Any
_UNIT = 2.0**-53
_SAFETY = 64  # of the count of operations behind an entry


@dataclass(frozen=True, eq=False)
class Rounds:
    """Affine rounds, one per step size (one in all, if it is constant).

    Attributes
    ----------
    mean : array, shape (J, d, d + 1)
        M and b.
    noise : array, shape (J, d, d)
        Covariance that the noise of a round adds.
    reach : array, shape (J, d)
        Largest size of that noise, per coordinate, if every noise is +- its scale.
    own : array, shape (J, n, d, d + 1)
        W_k - W after the local steps, from (x, 1).
    own_noise : array, shape (J,)
        sum_k c_k E ||noise in W_k||^2.
    entry_error : array, shape (J,)
        What rounding may have done to an entry of any of these, beside 1; 0 in rationals.
    """

    mean: Array
    noise: Array
    reach: Array
    own: Array
    own_noise: Array
    entry_error: Array


@dataclass(frozen=True, eq=False)
class _Paced:
    """A problem whose gradients and noises are multiplied by a step size of the replica."""

    problem: FederatedQuadratic
    steps: Array

    def _rows(self, cohort: Any) -> Array:
        return self.steps[cohort.replica][:, None]

    def gradient(self, z: Array, cohort: Any) -> Array:
        return self.problem.gradient(z, cohort) * self._rows(cohort)

    def disturbed(self, z: Array, gradient: Array, cohort: Any, noise: Array) -> Array:
        return gradient + noise * self._rows(cohort)


def centred(problem: FederatedQuadratic, algorithm: FedPLT) -> tuple[FederatedQuadratic, Array]:
    """The problem with W* = argmin sum_k c_k F_k at the origin, and W*; in exact rationals."""
    require(is_exact(problem.hessian), "problem", "floats", "exact rationals")
    c = np.asarray(shares(algorithm), dtype=object)
    best = solve(_weighted(c, problem.hessian), -_weighted(c, problem.linear)[:, None])
    if best is None:
        raise FedboundsError("sum_k c_k F_k has no minimiser")
    linear = problem.linear + problem.hessian @ best[:, 0]
    return replace(problem, linear=linear), best[:, 0]


def limit_of_distance(problem: FederatedQuadratic, algorithm: FedPLT) -> fmpq:
    """The limit of D^t with a constant step size, whatever the start, exact.

    Raises
    ------
    FedboundsError
        If a round does not contract.
    """
    centre, _ = centred(problem, algorithm)
    step = np.array([rational(algorithm.inner_step_u)], dtype=object)
    rounds = rounds_of(centre, algorithm, step)
    matrix, shift, noise = rounds.mean[0, :, :-1], rounds.mean[0, :, -1], rounds.noise[0]
    if not contraction(matrix) < 1:
        raise FedboundsError("D^t has no limit: a round does not contract")
    d = len(matrix)
    one = np.eye(d, dtype=int).astype(object)
    mean = solve(one - matrix, shift[:, None])
    moment = solve(np.kron(one, one) - np.kron(matrix, matrix), noise.reshape(-1, 1))
    assert mean is not None
    assert moment is not None
    found: fmpq = (mean * mean).sum() + moment.reshape(d, d).trace()
    return found


def contraction(matrix: Array) -> arb:
    """The largest size of an eigenvalue, as a ball that contains it."""
    rows, columns = matrix.shape
    entries = [rational(x) for x in matrix.reshape(-1)]
    every = acb_mat(fmpq_mat(rows, columns, entries)).eig(multiple=True)
    found: arb = reduce(lambda a, b: a.max(b), (abs(x) for x in every))
    return found


def _weighted(c: Array, arrays: Array) -> Array:
    return (arrays * c.reshape(-1, *(1,) * (arrays.ndim - 1))).sum(axis=0)


def rounds_of(problem: FederatedQuadratic, algorithm: FedPLT, steps: Array) -> Rounds:
    """The rounds with these step sizes, shape (J,), of a centred problem; exact if they are."""
    exact, count = is_exact(steps), len(steps)
    problem = problem if exact else to_float(problem)
    d = problem.shared_dimension
    flat = replace(problem, linear=problem.linear * 0)
    zero = steps[:1].sum() * 0
    one = np.eye(d, dtype=object if exact else float) + zero
    # basis states of the homogeneous problem: nothing is subtracted
    linear, moved = _after(flat, algorithm, np.tile(one, (count, 1)), np.repeat(steps, d))
    start, pulled = _after(problem, algorithm, np.zeros((count, d), one.dtype) + zero, steps)
    mean = np.concatenate([_last(linear, count), start[:, :, None]], axis=2)
    own = np.concatenate(
        [
            _last(moved - np.tile(one, (count, 1)), count),
            pulled.transpose(1, 0, 2)[:, :, :, None],
        ],
        axis=3,
    )
    noise, reach, spread = _noises(flat, algorithm, steps, zero)
    error = np.zeros(count) if exact else _entry_error(problem, algorithm, steps)
    return Rounds(mean, noise, reach, own, spread, error)


def _last(responses: Array, count: int) -> Array:
    """Replicas (step size, direction) of shape (..., J d, d) as matrices, directions last."""
    d = responses.shape[-1]
    if responses.ndim == 2:
        return responses.reshape(count, d, d).transpose(0, 2, 1)
    n = len(responses)
    return responses.reshape(n, count, d, d).transpose(1, 0, 3, 2)


def _after(
    problem: FederatedQuadratic,
    algorithm: FedPLT,
    states: Array,
    steps: Array,
    noise: Array | None = None,
) -> tuple[Array, Array]:
    """W^{t+1}, shape (R, d), and W_k^{t,tau}, shape (n, R, d), each replica with its own step."""
    (replicas, d), n = states.shape, problem.clients
    unit = replace(algorithm, inner_step_u=1)
    carry = Carry(u=states, v=states[None, :, :0].repeat(n, axis=0))
    drawn = Draw(present=np.ones((n, replicas)), noise=noise, cohort=everyone(n, replicas))
    paced: Any = _Paced(problem, steps)
    reached = fedplt_rows.local(paced, unit, carry, drawn)
    after = fedplt_rows.server(unit, carry, drawn, reached).u
    return after, reached.reshape(n, replicas, d)


def _noises(
    flat: FederatedQuadratic, algorithm: FedPLT, steps: Array, zero: Any
) -> tuple[Array, Array, Array]:
    """Covariance and largest size of a round's noise, and sum_k c_k E ||noise in W_k||^2."""
    (n, d), count, tau = flat.linear.shape, len(steps), algorithm.local_steps
    scale = flat.noise.scale_u + zero
    covariance = np.zeros((count, d, d), dtype=flat.linear.dtype) + zero
    reach, spread = covariance[:, 0] * 0, covariance[:, 0, 0] * 0
    if scale == 0:
        return covariance, reach, spread
    c = shares(algorithm) if is_exact(flat.linear) else [float(x) for x in shares(algorithm)]
    replicas, still = count * tau * d, np.zeros((count * tau * d, d), flat.linear.dtype) + zero
    unit = np.zeros((tau, n, count, tau, d, d), dtype=flat.linear.dtype) + zero
    for s in range(tau):
        for i in range(d):
            unit[s, :, :, s, i, i] += scale
    every = np.repeat(steps, tau * d)
    rows = unit.reshape(tau, n * replicas, d)
    _, reached = _after(flat, algorithm, still, every, rows)
    carry = Carry(u=still, v=still[None, :, :0].repeat(n, axis=0))
    drawn = Draw(present=np.ones((n, replicas)), noise=None, cohort=everyone(n, replicas))
    for k in range(n):
        alone = reached * 0
        alone[k] = reached[k]
        pushed = fedplt_rows.server(algorithm, carry, drawn, alone.reshape(-1, d)).u
        pushed = pushed.reshape(count, tau * d, d)
        covariance = covariance + pushed.transpose(0, 2, 1) @ pushed
        reach = reach + abs(pushed).sum(axis=1)
        own = reached[k].reshape(count, tau * d * d)
        spread = spread + (own * own).sum(axis=1) * c[k]
    return covariance, reach, spread


def _entry_error(problem: FederatedQuadratic, algorithm: FedPLT, steps: Array) -> Array:
    """Operations behind an entry, each of relative size u, times what a round can magnify."""
    (n, d), tau = problem.linear.shape, algorithm.local_steps
    norm = float(np.linalg.norm(abs(problem.hessian), 2, axis=(1, 2)).max())
    largest = 1 + float(abs(problem.linear).max()) + float(problem.noise.scale_u)
    psi = max(float(x) for x in fedplt_rows.compensation(algorithm))
    with np.errstate(over="ignore"):
        growth = (1 + steps * norm) ** tau * (1 + steps) * largest * psi
    found: Array = _SAFETY * (tau * (d + 4) + n + d) * _UNIT * growth
    return found
