"""Minimisers over boxes and balls, in rationals: optimality conditions and an independent solver."""

from fractions import Fraction as F

import bridge
import numpy as np
import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from fedbounds.errors import FedboundsError
from fedbounds.problems import federated_logistic, federated_quadratic, to_rational
from fedbounds.problems.constrained import is_box_minimiser, minimise_quadratic
from fedbounds.problems.domain import Ball, Box, contains, project
from fedbounds.problems.masked import masked_gradient
from fedbounds.problems.masked_laws import Bernoulli
from fedbounds.problems.masked_minimiser import convex_minimiser, quadratic_minimiser
from fedbounds.problems.masked_quadratic import masked_quadratic
from fedbounds.problems.ridge_logistic import RidgeLogistic
from fedbounds.problems.spectrum import smallest_eigenvalue

small = st.fractions(min_value=-3, max_value=3, max_denominator=4)


@st.composite
def bowls(draw):
    """A positive definite matrix and a slope in rationals."""
    d = draw(st.integers(1, 3))
    root = [[draw(small) for _ in range(d)] for _ in range(d)]
    matrix = [
        [sum(a * b for a, b in zip(x, y, strict=True)) + (i == j) * F(1, 3)
         for j, y in enumerate(root)] for i, x in enumerate(root)
    ]  # fmt: skip
    return bridge.exact(matrix).reshape(d, d), bridge.exact([draw(small) for _ in range(d)])


def value(matrix, slope, w):
    return w @ (matrix @ w) / 2 + slope @ w


@given(bowls(), st.data())
@settings(max_examples=60, deadline=None)
def test_on_a_box_no_feasible_direction_goes_down(bowl, data):
    matrix, slope = bowl
    d = len(slope)
    ends = [sorted((data.draw(small), data.draw(small))) for _ in range(d)]
    box = Box([bridge.rational(a) for a, _ in ends], [bridge.rational(b) for _, b in ends])
    found = minimise_quadratic(matrix, slope, box)
    assert found.exact
    assert contains(box, found.point)
    # first-order optimality against every vertex is optimality over the box
    gradient = matrix @ found.point + slope
    for k in range(2**d):
        vertex = bridge.exact([ends[j][k >> j & 1] for j in range(d)])
        assert gradient @ (vertex - found.point) >= 0
    lower, upper = (bridge.exact([end[k] for end in ends]) for k in (0, 1))
    assert is_box_minimiser(matrix, slope, lower, upper, found.point)
    # with a planted sign of the slope the conditions fail unless the minimiser is the same
    other = minimise_quadratic(matrix, -slope, box).point
    if (other != found.point).any():
        assert not is_box_minimiser(matrix, slope, lower, upper, other)


@given(bowls(), st.fractions(min_value=F(1, 5), max_value=3, max_denominator=5))
@settings(max_examples=60, deadline=None)
def test_on_a_ball_the_point_is_as_near_the_minimiser_as_certified(bowl, r):
    matrix, slope = bowl
    radius = bridge.rational(r)
    found = minimise_quadratic(matrix, slope, Ball(radius))
    w = found.point
    assert contains(Ball(radius), w)
    gradient = matrix @ w + slope
    if found.exact:
        # <g, v - w> >= 0 on the ball: g.w = -r ||g||, or g = 0
        assert gradient @ w <= 0
        assert (gradient @ w) ** 2 == radius**2 * (gradient @ gradient)
        return
    assert found.error < fmpq(1, 10**15)
    # F(w) - F* is between 0 and <g, w> + r ||g||, and at least mu/2 of the squared distance
    mu = smallest_eigenvalue(matrix).lower
    size = float(gradient @ gradient) ** 0.5
    assert abs(float(gradient @ w) + float(radius) * size) <= 1e-13 * (1 + size) * (
        1 + float(1 / mu)
    )
    free = minimise_quadratic(matrix, slope, None).point
    assert free @ free > radius**2


def test_a_rational_multiplier_is_found_exactly():
    # A = diag(1, 3), t = 1: w = (3/5, 4/5) needs -b = (A + I) w
    w = bridge.exact([F(3, 5), F(4, 5)])
    matrix = bridge.exact([[1, 0], [0, 3]])
    found = minimise_quadratic(matrix, -(matrix @ w + w), Ball(1))
    assert found.exact
    assert (found.point == w).all()


def test_without_strong_convexity_it_refuses():
    flat = bridge.exact([[1, 1], [1, 1]])
    with pytest.raises(FedboundsError, match="not positive definite"):
        minimise_quadratic(flat, bridge.exact([0, 0]), Box(-1, 1))
    with pytest.raises(FedboundsError, match="coordinates is 7; expected at most 6 on a box"):
        minimise_quadratic(np.eye(7), np.ones(7), Box(-1, 1))


LAW = Bernoulli((fmpq(1, 3), fmpq(3, 4), 1))
DOMAINS = {"space": None, "box": Box(fmpq(-1, 2), 1), "ball": Ball(fmpq(1, 2))}


@pytest.mark.parametrize("domain", DOMAINS.values(), ids=list(DOMAINS))
def test_masked_minimisers_in_floats_and_in_rationals(domain):
    problem = federated_quadratic(clients=3, shared_dimension=4, personal_dimension=0, seed=3)
    exact = quadratic_minimiser(to_rational(problem), LAW, domain)
    floats = quadratic_minimiser(problem, LAW, domain)
    assert floats.error < 1e-14
    assert float(abs(exact.point - bridge.exact(floats.point)).max()) <= floats.error
    mean = masked_quadratic(problem, LAW)
    matrix, slope = mean.hessian.mean(axis=0), mean.linear.mean(axis=0)
    kinds = {
        "space": {},
        "box": {"bounds": [(-0.5, 1.0)] * 4},
        "ball": {"constraints": {"type": "ineq", "fun": lambda w: 0.25 - w @ w}},
    }
    kind = next(name for name, each in DOMAINS.items() if each is domain)
    tried = minimize(lambda w: value(matrix, slope, w), np.zeros(4), jac=lambda w: matrix @ w + slope,
                     tol=1e-14, **kinds[kind])  # fmt: skip
    np.testing.assert_allclose(floats.point, tried.x, atol=2e-5)
    if domain is None:
        assert (masked_gradient(to_rational(problem), LAW, exact.point) == 0).all()


@pytest.mark.parametrize("domain", DOMAINS.values(), ids=list(DOMAINS))
def test_minimisers_of_other_losses_come_with_a_distance(domain):
    data = federated_logistic(
        clients=3, shared_dimension=3, personal_dimension=0, samples=8, heterogeneity=0.7,
        regularisation=0.0,
    )  # fmt: skip
    problem = RidgeLogistic(data, 0.2)
    mean = float(sum(LAW.keep)) / 3
    found = convex_minimiser(
        problem, problem, LAW, domain,
        smoothness=problem.smoothness * mean, strong_convexity=0.2 * mean * (1 - 1e-12),
    )  # fmt: skip
    assert found.error < 1e-9
    step = masked_gradient(problem, LAW, found.point) / problem.smoothness
    np.testing.assert_allclose(project(domain, found.point - step), found.point, atol=1e-11)


def test_the_certified_distance_holds_where_the_minimiser_is_known():
    """Also where a large smoothness makes it stop early."""
    quadratic = federated_quadratic(clients=3, shared_dimension=3, personal_dimension=0, seed=1)
    rounded = type("Rounded", (), {"rounding": staticmethod(lambda reach: 1e-13 * (1 + reach))})
    for domain in DOMAINS.values():
        right = quadratic_minimiser(quadratic, LAW, domain).point
        for smoothness in (0.9, 3.0, 300.0):
            found = convex_minimiser(
                quadratic, rounded, LAW, domain, smoothness=smoothness, strong_convexity=0.05
            )
            assert np.linalg.norm(found.point - right) <= found.error
