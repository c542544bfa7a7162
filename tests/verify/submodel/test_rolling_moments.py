"""Exact moments under rolling masks, against all orders, enumeration and sampling."""

from itertools import permutations, product
from math import factorial

import numpy as np
import pytest
from flint import fmpq
from masked_moments_cases import enumerated, float_start, floats, quadratic, same, start

from fedbounds.algorithms import rolling_masks
from fedbounds.algorithms.masks import partition_masks, window_masks
from fedbounds.algorithms.rolling_masks import RollingMasks, masks_at
from fedbounds.algorithms.submodel_parts import drawn_with
from fedbounds.errors import FedboundsError
from fedbounds.problems import to_float
from fedbounds.problems.domain import Box
from fedbounds.verify.submodel.rolling_moments import rolling_epoch, rolling_moments
from fedbounds.verify.submodel.rolling_orders import layers_of

STEP = fmpq(1, 4)
OWN = [[[1, 0], [0, 1], [1, 1]], [[0, 1], [1, 1], [1, 0]]]


def all_orders(problem, algorithm, begun, epochs):
    """Means and covariances over every order of every epoch, without noise: the orders as replicas."""
    n, S = len(algorithm.masks), algorithm.epoch
    single = list(permutations(range(S)))
    owners = 1 if algorithm.shared_order else n
    chosen = list(product(product(single, repeat=owners), repeat=epochs))
    runs = np.array(chosen).reshape(len(chosen), epochs, owners, S)
    runs = np.broadcast_to(runs, (len(chosen), epochs, n, S))
    carry = rolling_masks.init(problem, algorithm, begun, len(chosen))
    points = [carry.u]
    for e, s in product(range(epochs), range(S)):
        order = runs[:, e].transpose(1, 0, 2)
        drawn = drawn_with(masks_at(algorithm, order, s), None, order=order)
        carry = rolling_masks.step(problem, algorithm, carry, drawn)
        points.append(carry.u)
    means = [u.sum(axis=0) / len(chosen) for u in points]
    apart = [u - mean for u, mean in zip(points, means, strict=True)]
    return np.stack(means), np.stack([x.T @ x / len(chosen) for x in apart])


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("K", [1, 2])
def test_moments_equal_those_of_all_orders(shared, K):
    problem, begun = quadratic(2, 2), start(2, 2)
    algorithm = RollingMasks(OWN, K, STEP, shared)
    epochs = 2 if shared else 1
    found = rolling_moments(problem, algorithm, begun, epochs)
    same(found, all_orders(problem, algorithm, begun, epochs))


def test_sets_of_sub_models_stand_for_all_orders_of_five_windows():
    problem, begun = quadratic(2, 5), start(2, 5)
    masks = (window_masks(5, 2), window_masks(5, 3))
    algorithm = RollingMasks(masks, 1, STEP)
    found = rolling_moments(problem, algorithm, begun, 1)
    same(found, all_orders(problem, algorithm, begun, 1))
    assert sum(layer.count for layer in layers_of(5, 1)) == 2**5 - 1 < factorial(5)


@pytest.mark.parametrize("shared", [True, False])
def test_moments_with_noise_equal_those_of_every_outcome(shared):
    problem, begun = quadratic(2, 2, 0.5), start(2, 2)
    algorithm = RollingMasks((partition_masks(2, 2),) * 2, 1, STEP, shared)
    found = rolling_moments(problem, algorithm, begun, 1)
    same(found, enumerated(problem, algorithm, begun, 2))


def test_states_between_epochs_carry_on():
    problem, begun = quadratic(2, 2), start(2, 2)
    algorithm = RollingMasks(OWN, 1, STEP, False)
    found = rolling_moments(problem, algorithm, begun, 2)
    mean, covariance = enumerated(problem, algorithm, begun, 4)
    assert (found.mean[:5] + found.centre == mean).all()
    assert (found.covariance[:5] == covariance).all()


@pytest.mark.parametrize("shared", [True, False])
def test_a_fixed_order_is_a_product_of_rounds(shared):
    problem, begun = quadratic(2, 2), start(2, 2)
    algorithm = RollingMasks(OWN, 2, STEP, shared)
    rows = [(2, 0, 1)] if shared else [(2, 0, 1), (1, 2, 0)]
    found = rolling_moments(problem, algorithm, begun, 2, rows[0] if shared else rows)
    order = np.array(rows * (2 if shared else 1))[:, None]
    carry = rolling_masks.init(problem, algorithm, begun, 1)
    for r in range(6):
        assert (found.mean[r] + found.centre == carry.u[0]).all()
        drawn = drawn_with(masks_at(algorithm, order, r % 3), None, order=order)
        carry = rolling_masks.step(problem, algorithm, carry, drawn)
    assert (found.mean[6] + found.centre == carry.u[0]).all()
    assert (found.covariance == 0).all()


@pytest.mark.parametrize("shared", [True, False])
def test_floats_agree_with_rationals_within_their_bounds(shared):
    problem, begun = quadratic(2, 3, 0.25), start(2, 3)
    algorithm = RollingMasks((window_masks(3, 1), window_masks(3, 2)), 2, STEP, shared)
    exact = rolling_moments(problem, algorithm, begun, 3)
    found = rolling_moments(to_float(problem), algorithm, float_start(begun), 3)
    by_mean = np.linalg.norm(found.mean + found.centre - floats(exact.mean + exact.centre), axis=1)
    by_covariance = np.linalg.norm(found.covariance - floats(exact.covariance), 2, axis=(1, 2))
    ulps = 1e-15 * (1 + abs(found.centre).max())  # of the sum with the centre, in this test
    assert (by_mean <= found.mean_error + ulps).all()
    assert (by_covariance <= found.covariance_error).all()
    assert by_covariance.max() < 1e-14
    assert found.covariance_error.max() < 1e-10


def test_rounding_bounds_do_not_grow_in_a_long_run():
    problem, begun = to_float(quadratic(2, 3, 0.25)), float_start(start(2, 3))
    algorithm = RollingMasks((partition_masks(3, 3),) * 2, 2, 0.25)
    found = rolling_moments(problem, algorithm, begun, 300)
    assert found.covariance_error[-1] <= 1.01 * found.covariance_error[-301] < 1e-10


def test_sampling_agrees():
    rng = np.random.default_rng(3)
    problem, begun = to_float(quadratic(2, 4, 0.5)), float_start(start(2, 4))
    algorithm = RollingMasks((window_masks(4, 2), window_masks(4, 1)), 2, 0.125, False)
    found = rolling_moments(problem, algorithm, begun, 2)
    replicas = 20_000
    carry = rolling_masks.init(problem, algorithm, begun, replicas)
    for r in range(1, 9):
        drawn = rolling_masks.draw(problem, algorithm, rng, replicas, carry=carry)
        carry = rolling_masks.step(problem, algorithm, carry, drawn)
        deviation = np.sqrt(np.diag(found.covariance[r]))
        y = (carry.u - found.centre - found.mean[r]) / deviation
        assert abs(y.mean(axis=0)).max() < 5 / replicas**0.5
        expected = found.covariance[r] / np.outer(deviation, deviation)
        spread = (y[:, :, None] * y[:, None, :]).std(axis=0)
        assert (abs(y.T @ y / replicas - expected) < 5 * spread / replicas**0.5).all()


def test_one_sub_model_is_no_randomness():
    problem, begun = quadratic(2, 2), start(2, 2)
    found = rolling_moments(problem, RollingMasks([[[1, 1]]] * 2, 2, STEP), begun, 3)
    assert (found.covariance == 0).all()


def test_an_order_that_is_not_one_is_refused():
    algorithm = RollingMasks(OWN, 1, STEP)
    with pytest.raises(FedboundsError, match="order is .*each of 0..2 once"):
        rolling_epoch(quadratic(2, 2), algorithm, (0, 0, 2))
    with pytest.raises(FedboundsError, match="shape of the order"):
        rolling_epoch(quadratic(2, 2), algorithm, [(0, 1, 2), (0, 1, 2)])


def test_too_many_sets_are_counted_and_refused():
    with pytest.raises(FedboundsError, match="transitions .* is 10485760; expected at most 600000"):
        layers_of(20, 1)


def test_a_round_that_is_not_affine_is_refused(monkeypatch):
    server = rolling_masks.server

    def bent(algorithm, carry, drawn, reached):
        return server(algorithm, carry, drawn, reached * reached)

    monkeypatch.setattr(rolling_masks, "server", bent)
    with pytest.raises(FedboundsError, match="a round of RollingMasks is not what"):
        rolling_epoch(quadratic(2, 2), RollingMasks(OWN, 1, STEP))


def test_projection_is_refused():
    with pytest.raises(FedboundsError, match="domain is Box"):
        rolling_epoch(quadratic(2, 2), RollingMasks(OWN, 1, STEP, domain=Box(0, 1)))
