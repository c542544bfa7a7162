"""Expectations of quadratics of w^r: distances, objective values, squared gradients.

Each is (w - z)' Q (w - z) + k with z where its own slope vanishes, so that nothing cancels near z.
Q, z and k are found in rationals and rounded once.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.errors import FedboundsError, require
from fedbounds.problems import FederatedQuadratic, to_rational
from fedbounds.problems.linear import solve
from fedbounds.problems.masked_laws import Law
from fedbounds.problems.masked_quadratic import masked_quadratic
from fedbounds.problems.spectrum import in_rationals, to_floats

from .moments import Moments, exact

Array = Any
_UNIT = 2.0**-53


@dataclass(frozen=True, eq=False)
class AroundPoint:
    """w -> (w - point)' matrix (w - point) + constant, in rationals."""

    matrix: Array
    point: Array
    constant: fmpq

    def __call__(self, w: Array) -> Any:
        """The values at rationals w, shape (..., d)."""
        moved = w - self.point
        return (moved @ self.matrix * moved).sum(axis=-1) + self.constant


@dataclass(frozen=True, eq=False)
class Expected:
    """E of a quadratic at w^0, ..., w^R and bounds of the rounding, zero in rationals."""

    values: Array
    errors: Array


def distance_to(point: Array) -> AroundPoint:
    """||w - x||^2."""
    x = in_rationals(np.asarray(point))
    one = in_rationals(np.eye(len(x)))
    return AroundPoint(one, x, fmpq(0))


def value_of(problem: FederatedQuadratic, *, above: bool = False) -> AroundPoint:
    """F = (1/n) sum_i f_i, or its excess over its value where its slope vanishes.

    Raises
    ------
    FedboundsError
        If the slope vanishes nowhere: F is then unbounded below.
    """
    matrix, slope = _mean(problem)
    point = _stationary(matrix, slope)
    # F(z) = 1/2 h' z, as A z = -h
    return AroundPoint(matrix / 2, point, fmpq(0) if above else slope @ point / 2)


def squared_gradient_of(problem: FederatedQuadratic) -> AroundPoint:
    """||grad F||^2 of F = (1/n) sum_i f_i."""
    matrix, slope = _mean(problem)
    return AroundPoint(matrix @ matrix, _stationary(matrix, slope), fmpq(0))


def masked_exactly(problem: FederatedQuadratic, law: Law) -> FederatedQuadratic:
    """The quadratic whose mean is F_p (or F_M), in rationals."""
    return masked_quadratic(to_rational(problem), law)


def _mean(problem: FederatedQuadratic) -> tuple[Array, Array]:
    n = problem.clients
    hessian, linear = in_rationals(problem.hessian), in_rationals(problem.linear)
    return hessian.sum(axis=0) / n, linear.sum(axis=0) / n


def _stationary(matrix: Array, slope: Array) -> Array:
    found = solve(matrix, -slope[:, None])
    if found is None:
        raise FedboundsError("slope of the objective vanishes nowhere; expected a minimum")
    return found[:, 0]


def expectation(found: Moments, form: AroundPoint) -> Expected:
    """E of the form at every w^r."""
    given, expected = len(form.point), found.mean.shape[1]
    require(given == expected, "dimension of the form", given, f"d = {expected}")
    away = form.point - in_rationals(found.centre)
    if exact(found):
        lean = found.mean - away
        spread = (found.covariance * form.matrix).sum(axis=(1, 2))
        values = (lean @ form.matrix * lean).sum(axis=1) + spread + form.constant
        return Expected(values, np.zeros(len(values)))
    matrix, away = to_floats(form.matrix), to_floats(away)
    constant, d = float(to_floats(np.array([form.constant]))[0]), expected
    with np.errstate(over="ignore", invalid="ignore"):
        lean = found.mean - away
        spread = (found.covariance * matrix).sum(axis=(1, 2))
        values = (lean @ matrix * lean).sum(axis=1) + spread + constant
        eigenvalues = np.abs(np.linalg.eigvalsh(matrix))
        length = np.linalg.norm(lean, axis=1)
        moved = found.mean_error + _UNIT * (np.abs(found.mean) + np.abs(away)).sum(axis=1)
        errors = eigenvalues.max() * (2 * length + moved) * moved
        errors += eigenvalues.sum() * found.covariance_error
        sizes = (np.abs(lean) @ np.abs(matrix) * np.abs(lean)).sum(axis=1) + abs(constant)
        sizes += np.abs(found.covariance * matrix).sum(axis=(1, 2))
    return Expected(values, (1 + 1e-9) * errors + 2 * (d * d + 4) * _UNIT * sizes)
