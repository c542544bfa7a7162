"""The minimiser of a strongly convex function over R^d or a ball, in balls.

A point is made better by steps with one Hessian, and then a bound. With g = grad F, F mu-strongly
convex, v in the domain and t >= 0, t = 0 unless v is on the sphere: e = g(v) + t v gives
<g(v), u - v> >= <e, u - v> for all u of the domain. With <g(w*), v - w*> >= 0 it follows that
mu ||v - w*||^2 <= <g(v) - g(w*), v - w*> <= <e, v - w*>, hence ||v - w*|| <= ||e|| / mu.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from flint import arb, fmpq

from fedbounds.problems.linear import rational

from .balls import Ball, balls
from .unknowns import Refused

Array = Any
_STEPS = 12  # the error falls by 1e-8 or more with each


def enclosed(
    slope: Callable[[Array], Array], mu: Any, near: Array, curvature: Array, radius: Any = None
) -> Array:
    """A ball for each coordinate of the minimiser.

    Parameters
    ----------
    slope : function
        The gradient in balls, at a point of rationals or balls.
    mu : rational
    near : array, shape (d,)
        A point near the minimiser, in floats.
    curvature : array, shape (d, d)
        About the Hessian there, in floats.
    radius : rational or None
        Of the ball round 0 that is the domain; R^d if there is none.

    Raises
    ------
    Refused
        If no point of the domain was found to bound it from.
    """
    w = _exactly(near)
    inside = radius is None or float(near @ near) < float(radius) ** 2 * (1 - 1e-9)
    t = fmpq(0) if inside else _exactly([-(near @ _middles(slope(w))) / (near @ near)])[0]
    rows = curvature + float(t) * np.eye(len(w))
    if not inside:
        rows = np.block([[rows, near[:, None]], [near[None], np.zeros((1, 1))]])
    inverse = np.linalg.inv(rows)
    for _ in range(_STEPS):
        off = slope(w) + balls(w) * t
        if not inside:
            off = np.append(off, [Ball(arb((w @ w - radius**2) / 2))])
        size = max(abs(_middles(off)))
        if size < 1e-32:
            break
        move = _exactly(inverse @ _middles(off))
        w, t = w - move[: len(w)], t if inside else t - move[-1]
    if inside and radius is not None and w @ w > radius**2:
        raise Refused("the minimiser is too near the sphere to be told apart from it")
    v = balls(w) if inside else balls(w) * (radius / Ball(arb(w @ w)).sqrt())
    t = max(t, fmpq(0))
    left = slope(v) + v * t
    error = abs(left).sum() / mu  # no less than its norm
    around = Ball(arb(0, error.ball.abs_upper()))
    return v + around


def _exactly(numbers: Any) -> Array:
    found = np.empty(len(numbers), dtype=object)
    found[:] = [rational(float(x)) for x in numbers]
    return found


def _middles(numbers: Array) -> Array:
    return np.array([float(x.ball.mid()) for x in numbers])
