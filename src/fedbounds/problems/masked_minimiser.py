"""The minimiser w*(p) of a masked objective over a domain, with a certified distance.

Quadratics: see `constrained`. Others: accelerated projected gradients in floats, and then a bound.
For any w and step s let v = P(w - s g(w)). With r = (w - v)/s the optimality of the projection
gives <g(w) - r, u - v> >= 0 for all u of the domain, hence
mu ||v - w*||^2 <= <g(v) - g(w*), v - w*> <= <g(v) - g(w) + r, v - w*>, and
||v - w*|| <= (||g(v) - g(w)|| + ||w - v||/s) / mu for a mu-strongly convex objective.
"""

from typing import Any, Protocol

import numpy as np

from fedbounds.errors import require, require_finite

from .arrays import to_rational
from .constrained import Minimum, minimise_quadratic
from .domain import Domain, project
from .linear import is_exact
from .masked import masked_gradient
from .masked_enumeration import dimension_of
from .masked_laws import Law, Rolling
from .masked_quadratic import masked_quadratic
from .problem import Problem
from .quadratic import FederatedQuadratic
from .spectrum import in_rationals, to_floats

Array = Any
_EPSILON = float(np.finfo(float).eps)
_MOST_STEPS = 20_000


def quadratic_minimiser(problem: FederatedQuadratic, law: Law, domain: Domain) -> Minimum:
    """w*(p) of a quadratic: exact on rationals (on a ball, where it is rational).

    Floats are solved as the rationals they are; then only the point itself is rounded.
    """
    mean = masked_quadratic(to_rational(problem), law)
    n = problem.clients
    found = minimise_quadratic(mean.hessian.sum(axis=0) / n, mean.linear.sum(axis=0) / n, domain)
    if is_exact(problem.hessian):
        return found
    point = to_floats(found.point)
    moved = in_rationals(point) - found.point
    return Minimum(point, float(sum(abs(x) for x in moved) + found.error) * (1 + _EPSILON))


class Rounded(Protocol):
    """A float problem that bounds the rounding of its gradients."""

    def rounding(self, reach: float) -> float:
        """A bound of the error of each client's gradient at points of norm at most ``reach``.

        At least 64 epsilons of the gradient itself.
        """


def convex_minimiser(
    problem: Problem,
    rounded: Rounded,
    law: Law,
    domain: Domain,
    *,
    smoothness: float,
    strong_convexity: float,
) -> Minimum:
    """w*(p) of any problem in floats, with a certified distance to it.

    Parameters
    ----------
    smoothness, strong_convexity : float
        Of F_p, from above and from below; the bound rests on the second alone.
    """
    require_finite("smoothness of F_p", smoothness, positive=True)
    require_finite("strong convexity of F_p", strong_convexity, positive=True)
    require(smoothness >= strong_convexity, "smoothness", smoothness, ">= strong convexity")
    step = 1.0 / smoothness
    ratio = (strong_convexity / smoothness) ** 0.5
    momentum = (1.0 - ratio) / (1.0 + ratio)
    w = last = project(domain, np.zeros(dimension_of(problem)))
    best = Minimum(w, float("inf"))
    masks = law.length if isinstance(law, Rolling) else 2 ** len(w)
    # the mean over the masks adds the rounding of their sum and of their probabilities
    more = 2.0 * (1.0 + (masks + 4 * len(w)) / 64)
    for _ in range(_MOST_STEPS):
        ahead = w + momentum * (w - last)
        slope = masked_gradient(problem, law, ahead)
        last, w = w, project(domain, ahead - step * slope)
        residual = np.linalg.norm(masked_gradient(problem, law, w) - slope)
        residual += np.linalg.norm(ahead - w) / step
        size = float(np.linalg.norm(w) + np.linalg.norm(ahead) + step * np.linalg.norm(slope))
        noise = more * rounded.rounding(size) + 16.0 * len(w) * _EPSILON * size / step
        error = float(residual + noise) / strong_convexity * (1 + 16 * _EPSILON)
        if error < best.error:
            best = Minimum(w, error)
        if residual <= noise:
            break
    return best
