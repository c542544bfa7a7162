"""Between the plain lists of `oracles` and the arrays of the package."""

from fractions import Fraction

import numpy as np
import oracles
from flint import fmpq
from history_oracle import State, frozen

from fedbounds.algorithms.fedavg_p import Carry, FedAvgP
from fedbounds.problems import FederatedQuadratic, Noise, NoiseLaw, Start
from fedbounds.verify.memory import Each


def exact(values):
    """An object array of rationals from nested lists of ints and fractions."""
    floats = np.asarray(values, dtype=object)
    out = np.empty(floats.shape, dtype=object)
    out.reshape(-1)[:] = [rational(x) for x in floats.reshape(-1)]
    return out


def rational(x):
    """The rational of an int, fraction, float or rational."""
    if isinstance(x, fmpq):
        return x
    numerator, denominator = x.as_integer_ratio()
    return fmpq(int(numerator), int(denominator))


def fraction(x):
    """The fraction of a rational, or of the plain 0 of an empty sum."""
    return Fraction(int(x.p), int(x.q)) if isinstance(x, fmpq) else Fraction(x)


def fractions(array):
    """Nested lists of fractions from an array of rationals."""
    return np.frompyfunc(fraction, 1, 1)(array).tolist() if array.size else array.tolist()


def exact_problem(objective, scale_u=0, scale_v=0):
    """The package's quadratic in rationals, with Rademacher noise."""
    d = len(objective.hessian[0])
    return FederatedQuadratic(
        hessian=exact(objective.hessian).reshape(objective.clients, d, d),
        linear=exact(objective.linear).reshape(objective.clients, d),
        shared_dimension=objective.d_u,
        noise=Noise(NoiseLaw.RADEMACHER, rational(scale_u), rational(scale_v)),
    )


def exact_start(u, v):
    """The package's start in rationals."""
    return Start(u=exact(u), v=exact(v).reshape(len(v), len(v[0])))


def algorithm(steps, number=rational, rule=FedAvgP):
    """The package's parameters from the oracle's."""
    return rule(
        participants=steps.m,
        local_steps=steps.K,
        inner_step_u=number(steps.gamma_u),
        inner_step_v=number(steps.gamma_v),
        outer_step_u=number(steps.eta_u),
        outer_step_v=number(steps.eta_v),
    )


def steps_of(parameters):
    """The oracle's parameters from the package's."""
    return oracles.Steps(
        m=parameters.participants,
        K=parameters.local_steps,
        gamma_u=parameters.inner_step_u,
        gamma_v=parameters.inner_step_v,
        eta_u=parameters.outer_step_u,
        eta_v=parameters.outer_step_v,
    )


def objective_of(problem):
    """The oracle's objective from the package's quadratic or coupled cosine (floats)."""
    if isinstance(problem, FederatedQuadratic):
        return oracles.Quadratic(
            problem.shared_dimension, problem.hessian.tolist(), problem.linear.tolist()
        )
    return oracles.Cosine(
        A=problem.shared_hessian.tolist(),
        a=problem.linear.tolist(),
        mu=problem.personal_curvature,
        s=problem.amplitude,
        w=problem.shared_direction.tolist(),
        q=problem.personal_direction.tolist(),
    )


def oracle_noise(drawn, algorithm, replica, d):
    """noise[i][k] of one replica of a draw, zero for clients that draw none."""
    clients, replicas = drawn.present.shape
    noise = np.zeros((clients, algorithm.local_steps, d))
    rows = {int(pair): row for row, pair in enumerate(drawn.cohort.pair)}
    for i in range(clients):
        row = rows.get(i * replicas + replica)
        if row is not None and drawn.noise is not None:
            noise[i] = drawn.noise[:, row, :]
    return noise.tolist()


def oracle_step(problem, parameters, carry, drawn):
    """One round of every replica by the oracle, as a `Carry`."""
    objective, steps = objective_of(problem), steps_of(parameters)
    d = problem.shared_dimension + problem.personal_dimension
    u, v = [], []
    for r in range(carry.u.shape[0]):
        participants = [i for i in range(problem.clients) if drawn.present[i, r] == 1]
        new_u, new_v = oracles.fedavg_p_round(
            objective,
            steps,
            carry.u[r].tolist(),
            carry.v[:, r].tolist(),
            participants,
            oracle_noise(drawn, parameters, r, d),
        )
        u.append(new_u)
        v.append(new_v)
    v_shape = (carry.u.shape[0], *carry.v[:, 0].shape)
    return Carry(
        u=np.reshape(u, carry.u.shape),
        v=np.reshape(v, v_shape).transpose(1, 0, 2),
    )


def state_of(carry, replica, local_steps):
    """The oracle's state of one replica; without a memory the last participation is now."""
    u, v = carry.u[replica].tolist(), carry.v[:, replica].tolist()
    n, d_u, d_v = len(v), len(u), len(v[0])
    if not isinstance(carry, Each):
        points = ([[u] * local_steps] * n, [[row] * local_steps for row in v])
        return State(*map(frozen, (u, v, (), (), *points, ())))
    points = carry.points[:, replica].reshape(n, local_steps, d_u + d_v)
    noise = carry.noise[:, replica].reshape(n, local_steps, d_u)
    controls = (carry.controls[:, replica], carry.control[replica])
    arrays = (*controls, points[:, :, :d_u], points[:, :, d_u:], noise)
    return State(*map(frozen, (u, v, *(array.tolist() for array in arrays))))


def random_carry(rng, problem, replicas):
    """A different random state in every replica."""
    return Carry(
        u=rng.standard_normal((replicas, problem.shared_dimension)),
        v=rng.standard_normal((problem.clients, replicas, problem.personal_dimension)),
    )
