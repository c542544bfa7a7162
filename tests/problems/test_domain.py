"""Domains: projections are nearest points, on floats and on rationals; norms are never below."""

from fractions import Fraction as F

import bridge
import numpy as np
import pytest
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st

from fedbounds.errors import FedboundsError
from fedbounds.problems.domain import (
    Ball,
    Box,
    check_inside,
    contains,
    diameter,
    diameter_squared,
    largest_norm,
    largest_norm_squared,
    project,
)

NUMBERS = st.floats(-4, 4, allow_subnormal=False)
POINTS = st.tuples(NUMBERS, NUMBERS, NUMBERS)
BOX, BALL = Box([-1, 0, F(1, 2)], [2, 0, 3]), Ball(1.5)


@given(w=POINTS, other=POINTS)
@pytest.mark.parametrize("domain", [BOX, BALL])
def test_projections_are_inside_nearest_and_idempotent(domain, w, other):
    w, other = np.array(w), project(domain, np.array(other))
    found = project(domain, w)
    assert contains(Ball(1.5 + 1e-15) if domain is BALL else domain, found)
    assert (w - found) @ (other - found) <= 1e-12  # the variational inequality of a projection
    np.testing.assert_allclose(project(domain, found), found, rtol=1e-15)
    if contains(domain, w):
        np.testing.assert_array_equal(found, w)


@given(w=st.tuples(*[st.fractions(-4, 4, max_denominator=9)] * 3))
def test_a_box_projects_rationals_exactly(w):
    found = bridge.fractions(project(BOX, bridge.exact([w, w])))
    low, high = (-1, 0, F(1, 2)), (2, 0, 3)
    assert found == [[min(max(x, a), b) for x, a, b in zip(w, low, high, strict=True)]] * 2


def test_a_ball_projects_rationals_where_the_result_is_rational():
    points = bridge.exact([[3, 4], [F(3, 5), F(4, 5)], [0, F(-1, 2)]])
    assert bridge.fractions(project(Ball(1), points)) == [
        [F(3, 5), F(4, 5)],
        [F(3, 5), F(4, 5)],
        [0, F(-1, 2)],
    ]
    with pytest.raises(FedboundsError, match="point of squared norm 2 is not rational"):
        project(Ball(1), bridge.exact([[1, 1]]))


def test_projections_run_on_each_array_library(xp):
    points = np.array([[[3.0, -4.0, 0.0], [0.1, 0.2, 0.3]]])
    for domain in (BOX, BALL, Box(-1, 1), None):
        found = project(domain, xp.asarray(points))
        assert found.dtype == xp.float64
        np.testing.assert_allclose(np.asarray(found), project(domain, points), rtol=1e-15)
    np.testing.assert_allclose(project(BALL, points)[0, 0], [0.9, -1.2, 0.0])


def test_membership_is_exact():
    assert contains(Ball(1), np.array([0.0, 1.0]))
    assert not contains(Ball(1), np.array([1e-9, 1.0]))
    assert not contains(Box(0, fmpq(1, 3)), np.array([0.1, 1 / 3 + 1e-16]))
    assert contains(None, np.array([np.inf]))
    assert not contains(Box(0, 1), np.array([np.nan]))
    assert not contains(Box(0, 1), np.array([[0.0], [2.0]]))
    with pytest.raises(FedboundsError, match=r"start is \[2.\]; expected a point of the domain"):
        check_inside(Box(0, 1), np.array([2.0]))


def test_norms_and_diameters():
    assert largest_norm_squared(BOX) == 4 + 9
    assert diameter_squared(BOX) == 9 + fmpq(25, 4)
    assert largest_norm(Box(-3, 1), 4) == 6
    assert diameter(Box(-3, 1), 4) == 8
    assert (largest_norm(BALL), diameter(BALL)) == (fmpq(3, 2), 3)


@given(w=st.fractions(0, 9, max_denominator=50).filter(bool))
def test_a_root_is_above_by_little(w):
    box = Box(0, bridge.rational(w))
    found = largest_norm(box, 2)
    assert largest_norm_squared(box, 2) < found * found
    assert (found - fmpq(1, 2**64)) ** 2 <= largest_norm_squared(box, 2)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: Box([0, 2], 1), "lower bound of coordinate 1 is 2; expected at most the upper, 1"),
        (lambda: Box(0, float("inf")), "upper bound is inf; expected a finite number"),
        (lambda: Box([0, 0], [1, 1, 1]), "lengths of lower and upper bound"),
        (lambda: Box([[0]], 1), r"shape of the lower bound is \(1, 1\)"),
        (lambda: Ball(0), "radius of the ball is 0; expected a finite number > 0"),
        (lambda: largest_norm(Box(0, 1)), "dimension of Box.* is None; expected d"),
        (lambda: project(BOX, np.zeros(2)), r"dimension of the box is \[3, 3\]; expected 2"),
    ],
)
def test_wrong_domains_are_refused(call, said):
    with pytest.raises(FedboundsError, match=said):
        call()
