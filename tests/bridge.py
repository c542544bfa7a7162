"""Between the plain lists of `oracles` and the arrays of the package."""

from fractions import Fraction

import numpy as np
import oracles
from flint import fmpq

from fedbounds.problems import FederatedQuadratic, Noise, NoiseLaw


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
