"""Limits of moments: closed forms by hand, existence, fixed points, and planted errors."""

from fractions import Fraction as F

import numpy as np
import pytest
from flint import fmpq, fmpq_mat
from hypothesis import given, settings
from hypothesis import strategies as st

from fedbounds.algorithms.masks import partition_masks
from fedbounds.algorithms.random_masks import RandomMasks
from fedbounds.algorithms.rolling_masks import RollingMasks
from fedbounds.algorithms.static_masks import StaticMasks
from fedbounds.errors import FedboundsError
from fedbounds.problems import FederatedQuadratic, Noise, NoiseLaw, Start, to_rational
from fedbounds.verify.submodel import limits, rolling_moments
from fedbounds.verify.submodel.limits import (
    _as_moments,
    expected,
    limit,
    moment_map,
)
from fedbounds.verify.submodel.moments_forms import distance_to
from fedbounds.verify.submodel.moments_random import random_moments
from fedbounds.verify.submodel.moments_static import static_moments
from fedbounds.verify.submodel.rolling_orders import layers_in

HALVES = partition_masks(2, 2)
FAST = settings(max_examples=15, deadline=None, derandomize=True)


def problem(hessian, slopes, scale=0.0):
    noise = Noise(NoiseLaw.RADEMACHER, scale, 0.0)
    arrays = np.array(hessian, dtype=float), np.array(slopes, dtype=float)
    return to_rational(FederatedQuadratic(*arrays, len(slopes[0]), noise))


def start(point, n):
    return to_rational(Start(np.array(point, dtype=float), np.zeros((n, 0))))


PLANE = problem([[[2, 1], [1, 2]], [[2, -1], [-1, 3]]], [[1, -1], [2, 0.5]], 0.5)
BEGUN = start([1, -1], 2)
STEP = fmpq(1, 20)
RANDOM = RandomMasks((fmpq(1, 2), fmpq(4, 5)), 2, STEP)
ROLLING = RollingMasks((HALVES, HALVES), 2, STEP)
OWN = RollingMasks((HALVES, HALVES), 2, STEP, shared_order=False)
STATIC = StaticMasks(((1, 0), (1, 0)), 2, STEP)


def packed(found, state):
    """1, first and second moments."""
    mean = state.mean[list(found.moving)]
    second = state.covariance[np.ix_(found.moving, found.moving)] + mean[:, None] * mean
    return [fmpq(1), *mean, *second[found.pairs]]


def after_many(found, times):
    """The moments after so many rounds, or epochs, by the matrix."""
    now = fmpq_mat(len(packed(found, found.begun)), 1, packed(found, found.begun))
    for _ in range(times):
        now = found.matrix * now
    return _as_moments(found, now.entries())


@pytest.mark.parametrize(
    ("algorithm", "moments"),
    [
        (RANDOM, random_moments),
        (ROLLING, rolling_moments.rolling_moments),
        (OWN, rolling_moments.rolling_moments),
        (STATIC, static_moments),
    ],
)
def test_many_rounds_are_those_one_by_one(algorithm, moments):
    moves = moment_map(PLANE, algorithm, BEGUN)
    for times in (0, 1, 4):
        own, slow = after_many(moves, times), moments(PLANE, algorithm, BEGUN, times)
        assert (own.mean[-1] == slow.mean[-1]).all()
        assert (own.covariance[-1] == slow.covariance[-1]).all()


@pytest.mark.parametrize("algorithm", [RANDOM, ROLLING, OWN, STATIC])
def test_many_rounds_tend_to_the_limit(algorithm):
    moves = moment_map(PLANE, algorithm, BEGUN)
    found, late = limit(moves), after_many(moves, 400)
    assert found is not None
    far = max(abs(float(x)) for x in (found.mean - late.mean).reshape(-1))
    wide = max(abs(float(x)) for x in (found.covariance - late.covariance).reshape(-1))
    assert max(far, wide) < 1e-12
    assert max(abs(float(x)) for x in found.covariance.reshape(-1)) > 1e-6


def line(eta, p, a=1.0, noise=0.5):
    """One client, one coordinate, one step: w moves by -eta m (a w - 3 + noise)."""
    one, begun = problem([[[a]]], [[-3]], noise), start([7], 1)
    return moment_map(one, RandomMasks((p,), 1, eta), begun)


def test_a_limit_by_hand():
    eta, p, a = F(1, 4), F(1, 3), 2
    found = limit(line(fmpq(1, 4), fmpq(1, 3), 2.0))
    # v = w - 3/a: E v^2 = E v^2 (1 - p + p (1 - eta a)^2) + p eta^2 / 4
    square = p * eta**2 / 4 / (p - p * (1 - eta * a) ** 2)
    assert expected(found, distance_to(np.array([fmpq(3, 2)]))) == fmpq(
        square.numerator, square.denominator
    )


@pytest.mark.parametrize(
    ("eta", "p", "exists"),
    [
        (fmpq(199, 100), fmpq(1), True),
        (fmpq(2), fmpq(1), False),
        (fmpq(2), fmpq(1, 2), False),  # the mean still contracts
        (fmpq(5, 2), fmpq(1, 4), False),
        (fmpq(199, 100), fmpq(1, 4), True),
    ],
)
def test_there_is_a_limit_exactly_where_second_moments_shrink(eta, p, exists):
    assert (limit(line(eta, p)) is not None) is exists


def test_a_direction_without_curvature_has_no_limit():
    flat = problem([[[1, 1], [1, 1]]], [[0, 0]])
    moves = moment_map(flat, RandomMasks((fmpq(1),), 1, fmpq(1, 10)), start([1, 0], 1))
    assert limit(moves) is None


def test_unheld_coordinates_keep_their_start_in_the_limit():
    found = limit(moment_map(PLANE, STATIC, BEGUN))
    assert found.centre[1] + found.mean[-1][1] == -1
    # mean of 2 w + 1 and 2 w + 2: two steps of different clients share this fixed point
    assert found.centre[0] + found.mean[-1][0] == fmpq(-3, 4)


@FAST
@given(
    entries=st.lists(st.integers(-2, 2), min_size=8, max_size=8),
    slopes=st.lists(st.integers(-3, 3), min_size=4, max_size=4),
    steps=st.integers(1, 3),
    shared=st.booleans(),
)
def test_the_limit_forgets_the_start_and_does_not_move(entries, slopes, steps, shared):
    roots = np.array(entries, dtype=float).reshape(2, 2, 2)
    drawn = problem(np.swapaxes(roots, 1, 2) @ roots + np.eye(2), np.reshape(slopes, (2, 2)), 0.5)
    rolling = RollingMasks((HALVES, HALVES), steps, fmpq(1, 32), shared)
    for algorithm in (RandomMasks((fmpq(1, 2),) * 2, steps, fmpq(1, 32)), rolling):
        here, there = (moment_map(drawn, algorithm, start(u, 2)) for u in ([0, 0], [5, -1]))
        found, other = limit(here), limit(there)
        assert (found.mean == other.mean).all()
        assert (found.covariance == other.covariance).all()
        column = [fmpq(1), *found.mean[-1]]
        second = found.covariance[-1] + found.mean[-1][:, None] * found.mean[-1]
        column += list(second[np.triu_indices(2)])
        table = here.matrix.tolist()
        assert [sum(a * b for a, b in zip(row, column, strict=True)) for row in table] == column


# ---- planted errors


def test_a_coordinate_that_moves_without_a_holder_is_an_error(monkeypatch):
    monkeypatch.setattr(limits, "holders", lambda algorithm: (0, 2))
    with pytest.raises(FedboundsError, match="coordinates that nobody holds"):
        moment_map(PLANE, STATIC, BEGUN)


def test_a_fixed_order_has_another_limit(monkeypatch):
    shuffled = limit(moment_map(PLANE, OWN, BEGUN))
    order = ((0, 1), (0, 1))
    monkeypatch.setattr(rolling_moments, "layers_of", lambda epoch, owners: layers_in(order))
    fixed = limit(moment_map(PLANE, OWN, BEGUN))
    assert (shuffled.covariance != fixed.covariance).any()


def test_floats_are_refused():
    plain = FederatedQuadratic(np.eye(2)[None], np.zeros((1, 2)), 2)
    with pytest.raises(FedboundsError, match="rationals"):
        moment_map(plain, RandomMasks((0.5,), 1, 0.1), Start(np.zeros(2), np.zeros((1, 0))))
