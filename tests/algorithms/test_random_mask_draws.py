"""Draws of random masks: their law, other array libraries, FedAvg to the bit, and refusals."""

from dataclasses import replace

import bridge
import numpy as np
import pytest

from fedbounds.algorithms import fedavg, random_masks
from fedbounds.algorithms.fedavg import FedAvg
from fedbounds.algorithms.masks import bernoulli_masks
from fedbounds.algorithms.random_masks import RandomMasks
from fedbounds.algorithms.rules import rules_of
from fedbounds.algorithms.submodel_parts import drawn_with
from fedbounds.errors import FedboundsError
from fedbounds.problems import (
    SILENT,
    Noise,
    NoiseLaw,
    Start,
    federated_logistic,
    federated_quadratic,
    to_namespace,
    to_rational,
)
from fedbounds.problems.domain import Ball, Box


def gaussian(n=3):
    noise = Noise(NoiseLaw.GAUSSIAN, 0.5, 0.0)
    return federated_quadratic(clients=n, shared_dimension=3, personal_dimension=0, noise=noise)


START = Start(u=np.array([1.0, -2.0, 0.5]), v=np.zeros((3, 0)))
FLOATS = RandomMasks([0.3, 0.5, 0.9], 3, 0.1)


def run_in_floats(problem, algorithm, rules, draws, xp=np):
    carry = rules.init(problem, algorithm, to_namespace(START, xp), draws[0].present.shape[1])
    for drawn in draws:
        carry = rules.step(problem, algorithm, carry, drawn)
    return carry.u


def test_with_every_coordinate_kept_it_is_fedavg_to_the_bit():
    problem, full = gaussian(), replace(FLOATS, keep=[1, 1.0, 1])
    rng = np.random.default_rng(0)
    draws = [random_masks.draw(problem, full, rng, 5) for _ in range(4)]
    assert all(drawn.masks.all() for drawn in draws)
    found = run_in_floats(problem, full, random_masks, draws)
    expected = run_in_floats(problem, FedAvg(3, 3, 0.1), fedavg, draws)
    np.testing.assert_array_equal(found, expected)
    thinned = [replace(d, masks=d.masks & (np.arange(3) > 0)) for d in draws]
    assert (run_in_floats(problem, full, random_masks, thinned) != expected).any()


# ---- draws


def check_frequencies(draws):
    """Every coordinate is kept with its client's probability, independently of any other."""
    keep, count = np.array([0.2, 0.5, 0.9]), 40_000
    masks = draws(np.random.default_rng(1), tuple(keep), count, 2)
    assert masks.shape == (3, count, 2)
    flat = masks.transpose(1, 0, 2).reshape(count, 6).astype(float)
    chances = np.repeat(keep, 2)
    both = np.outer(chances, chances)
    np.fill_diagonal(both, chances)
    assert (abs(flat.T @ flat / count - both) < 5 * np.sqrt(0.25 / count)).all()


def test_masks_are_independent_with_the_clients_probabilities():
    check_frequencies(bernoulli_masks)


@pytest.mark.parametrize(
    "planted",
    [
        lambda rng, keep, R, d: bernoulli_masks(rng, tuple(1 - p for p in keep), R, d),
        lambda rng, keep, R, d: bernoulli_masks(rng, keep[::-1], R, d),
        lambda rng, keep, R, d: np.repeat(bernoulli_masks(rng, keep, R, 1), d, axis=2),
        lambda rng, keep, R, d: rng.random((1, R, d)) < np.array(keep)[:, None, None],
    ],
    ids=["dropped", "clients swapped", "one for all coordinates", "one for all clients"],
)
def test_other_laws_of_the_masks_are_caught(planted):
    with pytest.raises(AssertionError):
        check_frequencies(planted)


def test_every_round_draws_fresh_masks():
    rng = np.random.default_rng(0)
    first, second = (random_masks.draw(gaussian(), FLOATS, rng, 50) for _ in range(2))
    assert (first.masks != second.masks).any(axis=2).mean() > 0.5
    assert first.present.all()
    assert first.cohort.everyone
    assert first.noise.shape == (3, 150, 3)
    assert random_masks.draw(federated_silent(), FLOATS, rng, 2).noise is None


def federated_silent():
    return federated_quadratic(clients=3, shared_dimension=3, personal_dimension=0, noise=SILENT)


def test_draws_and_rounds_are_equal_on_each_array_library(xp):
    algorithm = replace(FLOATS, domain=Box([-1, -2, -1], 1))
    draws = {}
    for library in (np, xp):
        rng = np.random.default_rng(3)
        draws[library] = [
            random_masks.draw(gaussian(), algorithm, rng, 4, xp=library) for _ in range(3)
        ]
    for one, other in zip(draws[np], draws[xp], strict=True):
        np.testing.assert_array_equal(one.masks, np.asarray(other.masks))
        np.testing.assert_array_equal(one.noise, np.asarray(other.noise))
    expected = run_in_floats(gaussian(), algorithm, random_masks, draws[np])
    found = run_in_floats(to_namespace(gaussian(), xp), algorithm, random_masks, draws[xp], xp)
    np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-13)


def test_floats_agree_with_rationals_on_drawn_masks():
    problem = gaussian()
    drawn = random_masks.draw(problem, FLOATS, np.random.default_rng(2), 6)
    carry = random_masks.init(problem, FLOATS, START, 6)
    exact = random_masks.step(
        to_rational(problem),
        to_rational(FLOATS),
        to_rational(carry),
        drawn_with(drawn.masks, bridge.exact(drawn.noise)),
    )
    found = random_masks.step(problem, FLOATS, carry, drawn)
    np.testing.assert_allclose(found.u, exact.u.astype(float), rtol=1e-13)
    assert found.u.dtype == np.float64


def test_a_minibatch_gradient_is_taken_at_the_clients_own_model():
    problem = federated_logistic(
        clients=3, shared_dimension=3, personal_dimension=0, samples=4, heterogeneity=1.0, batch=1
    )
    drawn = random_masks.draw(problem, FLOATS, np.random.default_rng(0), 2)
    carry, seen = random_masks.init(problem, FLOATS, START, 2), []
    random_masks.local(problem, FLOATS, carry, drawn, lambda *each: seen.append(each))
    for k, y, _, noisy in seen:
        own = np.where(drawn.masks.reshape(y.shape), y, 0.0)
        slope = problem.gradient(own, drawn.cohort)
        expected = problem.disturbed(own, slope, drawn.cohort, drawn.noise[k])
        np.testing.assert_array_equal(noisy, expected)


def test_the_rules_are_registered():
    assert rules_of(FLOATS) is random_masks
    assert hash(FLOATS) == hash(RandomMasks((0.3, 0.5, 0.9), 3, 0.1))


# ---- refusals


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            {"keep": [0.5, 0, 1]},
            "keep probability of client 1 is 0.0; expected a finite number > 0",
        ),
        ({"keep": [0.5, 1, 1.5]}, "keep probability of client 2 is 1.5; expected at most 1"),
        ({"keep": [float("nan")] * 3}, "keep probability of client 0 is nan"),
        ({"keep": 0.5}, r"shape of keep is \(\); expected \(n,\)"),
        ({"keep": []}, r"shape of keep is \(0,\)"),
        ({"local_steps": 0}, "local steps is 0; expected at least 1"),
        ({"inner_step_u": -1}, "inner step u is -1"),
    ],
)
def test_wrong_parameters_are_refused(change, said):
    with pytest.raises(FedboundsError, match=said):
        replace(FLOATS, **change)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"keep": [0.5] * 2}, r"clients and dimension of the masks is \(2, 3\); expected \(3, 3\)"),
        ({"domain": Box(-1, 1)}, "start is .* expected a point of the domain Box"),
        ({"domain": Ball(2)}, "expected a point of the domain Ball"),
        ({"domain": Box([-9, -9], 9)}, r"dimension of the box is \[2\]; expected 3"),
    ],
)
def test_a_start_or_problem_that_does_not_fit_is_refused(change, said):
    with pytest.raises(FedboundsError, match=said):
        random_masks.init(gaussian(), replace(FLOATS, **change), START, 1)


def test_a_start_of_another_size_is_refused():
    with pytest.raises(FedboundsError, match="shape of the start"):
        random_masks.init(gaussian(), FLOATS, Start(u=np.zeros(2), v=np.zeros((3, 0))), 1)


def test_a_personal_block_is_refused():
    problem = federated_quadratic(clients=3, shared_dimension=3, personal_dimension=1)
    with pytest.raises(FedboundsError, match="personal dimension d_v is 1"):
        random_masks.init(problem, FLOATS, Start(u=np.zeros(3), v=np.zeros((3, 1))), 1)
