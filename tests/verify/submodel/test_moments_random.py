"""Exact moments under random masks, against the traced algorithm, hand formulas and sampling."""

from dataclasses import replace

import numpy as np
import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st
from masked_moments_cases import float_start, floats, quadratic, same, start, traced

from fedbounds.algorithms import random_masks
from fedbounds.algorithms.random_masks import RandomMasks
from fedbounds.errors import FedboundsError
from fedbounds.problems import FederatedQuadratic, Noise, NoiseLaw, Start, to_float
from fedbounds.problems.domain import Box
from fedbounds.verify.submodel.moments import moments, states
from fedbounds.verify.submodel.moments_random import random_moments, random_round
from fedbounds.verify.submodel.moments_single_step import single_step_round

STEP = fmpq(1, 4)
KEEP = (fmpq(1, 2), fmpq(3, 4), fmpq(1))


@pytest.mark.parametrize(
    ("n", "d", "K", "noise", "rounds"),
    [(1, 2, 1, 0.5, 2), (2, 2, 1, 0.0, 2), (2, 2, 2, 0.5, 1), (1, 3, 3, 0.0, 2), (3, 1, 2, 0.5, 2)],
)
def test_moments_equal_those_of_every_outcome(n, d, K, noise, rounds):
    problem, begun = quadratic(n, d, noise), start(n, d)
    algorithm = RandomMasks(KEEP[:n], K, STEP)
    found = random_moments(problem, algorithm, begun, rounds)
    same(found, traced(problem, algorithm, begun, rounds))
    assert (found.covariance_error == 0).all()


@pytest.mark.parametrize("groups", [[0, 0, 1, 1], [0, 1, 1, 0], [0, 1, 2, 0]])
def test_blocks_in_any_places_equal_every_outcome(groups):
    problem, begun = quadratic(2, 4, groups=groups), start(2, 4)
    algorithm = RandomMasks(KEEP[:2], 2, STEP)
    found = random_moments(problem, algorithm, begun, 1)
    same(found, traced(problem, algorithm, begun, 1))


def test_one_coordinate_by_hand():
    """w+ = (1 - eta a) w - eta h with probability p, else w."""
    problem = quadratic(1, 1)
    a, h, p, w = problem.hessian[0, 0, 0], problem.linear[0, 0], fmpq(1, 3), fmpq(3, 4)
    kept = w - STEP * (a * w + h)
    found = random_moments(problem, RandomMasks((p,), 1, STEP), start(1, 1), 1)
    assert found.mean[1, 0] + found.centre[0] == p * kept + (1 - p) * w
    assert found.covariance[1, 0, 0] == p * (1 - p) * (kept - w) ** 2


def test_the_centre_is_the_masked_minimiser():
    problem = quadratic(1, 2)
    found = random_moments(problem, RandomMasks((fmpq(1, 2),), 1, STEP), start(1, 2), 0)
    whole = problem.hessian[0]
    diagonal = whole * np.eye(2, dtype=int)
    slope = (whole / 4 + diagonal / 4) @ found.centre + problem.linear[0] / 2
    assert (slope == 0).all()


@settings(max_examples=12, deadline=None)
@given(
    n=st.integers(1, 3),
    d=st.integers(1, 4),
    seed=st.integers(0, 1000),
    noise=st.sampled_from([0.0, 0.5]),
)
def test_the_closed_form_of_one_step_equals_all_masks(n, d, seed, noise):
    problem = quadratic(n, d, noise, seed)
    driven = random_round(problem, RandomMasks(KEEP[:n], 1, STEP))
    closed = single_step_round(driven.driver)
    assert (closed.mean == driven.mean).all()
    assert (closed.noise == driven.noise).all()
    rng = np.random.default_rng(seed)
    mean, root = (rng.integers(-3, 4, shape).astype(object) + fmpq(0) for shape in [(d,), (d, d)])
    covariance = root @ root.T
    assert (closed.spread(mean, covariance) == driven.spread(mean, covariance)).all()


@pytest.mark.parametrize("K", [1, 3])
def test_floats_agree_with_rationals_within_their_bounds(K):
    problem, begun = quadratic(3, 3, 0.25), start(3, 3)
    algorithm = RandomMasks((fmpq(1, 2), fmpq(3, 4), fmpq(1)), K, STEP)
    exact = random_moments(problem, algorithm, begun, 6)
    found = random_moments(to_float(problem), algorithm, float_start(begun), 6)
    by_mean = np.linalg.norm(found.mean + found.centre - floats(exact.mean + exact.centre), axis=1)
    by_covariance = np.linalg.norm(found.covariance - floats(exact.covariance), 2, axis=(1, 2))
    ulps = 1e-15 * (1 + abs(found.centre).max())  # of the sum with the centre, in this test
    assert (by_mean <= found.mean_error + ulps).all()
    assert (by_covariance <= found.covariance_error).all()
    assert by_covariance.max() < 1e-14
    assert found.covariance_error.max() < 1e-10


def test_rounding_bounds_do_not_grow_in_a_long_run():
    problem, begun = to_float(quadratic(2, 3, 0.25)), float_start(start(2, 3))
    found = random_moments(problem, RandomMasks((0.5, 0.75), 2, 0.25), begun, 2000)
    settled = np.linalg.norm(found.covariance[-1] - found.covariance[-200], 2)
    assert settled < 1e-14
    assert found.covariance_error[-1] <= 1.01 * found.covariance_error[-200] < 1e-10


def test_full_models_without_noise_stay_points():
    problem, begun = quadratic(2, 3), start(2, 3)
    found = random_moments(problem, RandomMasks((1, 1), 3, STEP), begun, 4)
    assert (found.covariance == 0).all()


@pytest.mark.parametrize(("d", "groups", "K"), [(9, None, 1), (6, [0, 0, 0, 1, 1, 1], 3)])
def test_sampling_agrees(d, groups, K):
    rng = np.random.default_rng(7)
    problem = to_float(quadratic(3, d, 0.0, 3, groups))
    problem = replace(problem, noise=Noise(NoiseLaw.GAUSSIAN, 0.5, 0.0))
    algorithm, begun = RandomMasks((0.4, 0.7, 1.0), K, 0.125), float_start(start(3, d))
    found = random_moments(problem, algorithm, begun, 3)
    replicas = 20_000
    carry = random_masks.init(problem, algorithm, begun, replicas)
    for r in range(1, 4):
        drawn = random_masks.draw(problem, algorithm, rng, replicas)
        carry = random_masks.step(problem, algorithm, carry, drawn)
        x = carry.u - found.centre
        deviation = np.sqrt(np.diag(found.covariance[r]))
        off = abs(x.mean(axis=0) - found.mean[r]) / deviation
        assert off.max() < 5 / replicas**0.5
        y = (x - found.mean[r]) / deviation
        expected = found.covariance[r] / np.outer(deviation, deviation)
        spread = (y[:, :, None] * y[:, None, :]).std(axis=0)
        assert (abs(y.T @ y / replicas - expected) < 5 * spread / replicas**0.5).all()


def test_a_wrong_keep_probability_would_be_seen():
    problem, begun = quadratic(2, 2), start(2, 2)
    expected = traced(problem, RandomMasks(KEEP[:2], 1, STEP), begun, 1)
    wrong = random_moments(problem, RandomMasks((fmpq(1, 2), fmpq(5, 8)), 1, STEP), begun, 1)
    with pytest.raises(AssertionError):
        same(wrong, expected)


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("d", [2, 9])
def test_a_round_that_is_not_affine_is_refused(monkeypatch, exact, d):
    problem = quadratic(1, d) if exact else to_float(quadratic(1, d))
    step = random_masks.step

    def bent(*given):
        after = step(*given)
        return replace(after, u=after.u + after.u * after.u / 1000)

    monkeypatch.setattr(random_masks, "step", bent)
    with pytest.raises(
        FedboundsError, match="a round of RandomMasks is not what its responses say"
    ):
        random_round(problem, RandomMasks((0.5,), 1, 0.25))


def test_projection_and_many_coupled_coordinates_are_refused():
    with pytest.raises(FedboundsError, match="domain is Box"):
        random_round(quadratic(1, 2), RandomMasks((0.5,), 1, 0.25, Box(0, 1)))
    many = FederatedQuadratic(np.ones((1, 13, 13)) + np.eye(13), np.ones((1, 13)), 13)
    with pytest.raises(
        FedboundsError, match="13 coordinates are coupled .* are 2; expected at most 12"
    ):
        random_round(many, RandomMasks((0.5,), 2, 0.01))
    with pytest.raises(FedboundsError, match="clients"):
        random_round(quadratic(1, 2), RandomMasks((0.5, 0.5), 1, 0.25))


def test_states_go_on_without_end_and_starts_are_checked():
    found = random_round(quadratic(1, 2), RandomMasks((fmpq(1, 2),), 1, STEP))
    endless = states(found, start(1, 2))
    third = [next(endless) for _ in range(4)][3]
    assert (third.covariance == moments(found, start(1, 2), 3).covariance[3]).all()
    with pytest.raises(FedboundsError, match="shape of the start"):
        next(states(found, Start(np.zeros(3), np.zeros((1, 0)))))
