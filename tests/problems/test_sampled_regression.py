"""Regression as a finite sum: values, gradients, single samples, constants, and what is refused."""

from fractions import Fraction as F
from itertools import product

import numpy as np
import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from fedbounds.errors import FedboundsError
from fedbounds.facts import Fact
from fedbounds.problems import Start, cohort_of, everyone, to_float, to_rational
from fedbounds.problems.sampled_regression import Loss, SampledRegression
from fedbounds.problems.spectrum import in_rationals, largest_eigenvalue, smallest_eigenvalue

FEATURES = [[[1, 2], [-1, 0]], [[3, 1], [0, -2]]]
TARGETS = [[1, -2], [0, 4]]
LOSSES = (Loss(), Loss(fmpq(1, 2)), Loss(threshold=fmpq(1)), Loss(fmpq(1, 3), fmpq(3, 2)))
small = st.integers(-6, 6)


def problem(loss=LOSSES[0]):
    return SampledRegression(
        in_rationals(np.array(FEATURES, dtype=float)),
        in_rationals(np.array(TARGETS, dtype=float)),
        loss,
    )


def point(*numbers):
    return in_rationals(np.array(numbers, dtype=float))


def sample_loss(loss, a, y, w):
    """By hand, in fractions."""
    r = sum(F(x) * u for x, u in zip(a, w, strict=True)) - y
    ridge = F(str(loss.ridge)) * sum(u * u for u in w) / 2
    if loss.threshold is None or abs(r) <= (limit := F(str(loss.threshold))):
        return r * r / 2 + ridge
    return limit * (abs(r) - limit / 2) + ridge


@pytest.mark.parametrize("loss", LOSSES)
@given(w=st.tuples(small, small))
@settings(max_examples=30)
def test_values_are_means_of_losses_by_hand(loss, w):
    own = problem(loss)
    found = own.value(np.stack([point(*w)] * 2), everyone(2, 1))
    for i in range(2):
        by_hand = sum(
            sample_loss(loss, a, y, [F(x) for x in w])
            for a, y in zip(FEATURES[i], TARGETS[i], strict=True)
        )
        assert F(str(found[i])) == by_hand / 2


@pytest.mark.parametrize("loss", LOSSES)
@given(w=st.tuples(small, small), v=st.tuples(small, small))
@settings(max_examples=30)
def test_gradients_lie_below_convex_losses_and_are_smooth(loss, w, v):
    own, a, b = problem(loss), point(*w)[None], point(*v)[None]
    for i, j in product(range(2), repeat=2):
        z = own.features[i, j], own.targets[i, j]
        slope, other = (loss.gradients(*z, x) for x in (a, b))
        assert loss.values(*z, b)[0] >= loss.values(*z, a)[0] + (slope * (b - a)).sum()
        away = ((slope - other) ** 2).sum()
        assert away <= own.smoothness() ** 2 * ((a - b) ** 2).sum()


def test_gradients_of_squares_are_central_differences():
    own, w, h = problem(LOSSES[1]), point(3, -2), fmpq(1, 7)
    found = own.gradient(np.stack([w] * 2), everyone(2, 1))
    for k, e in enumerate((point(1, 0), point(0, 1))):
        rows = [own.value(np.stack([w + e * s] * 2), everyone(2, 1)) for s in (h, -h)]
        assert ((rows[0] - rows[1]) / (2 * h) == found[:, k]).all()


@pytest.mark.parametrize("loss", LOSSES)
def test_single_samples_average_to_the_gradient(loss):
    own, cohort = problem(loss), everyone(2, 3)
    z = in_rationals(np.random.default_rng(0).integers(-4, 5, (6, 2)).astype(float))
    exact = own.gradient(z, cohort)
    draws = [own.disturbed(z, exact, cohort, np.full(6, j)) for j in range(2)]
    assert ((draws[0] + draws[1]) / 2 == exact).all()
    mixed = own.disturbed(z, exact, cohort, np.array([0, 1, 0, 1, 0, 1]))
    assert (mixed[::2] == draws[0][::2]).all()
    assert (mixed[1::2] == draws[1][1::2]).all()


def test_rows_of_absent_clients_are_left_out():
    own = problem()
    cohort = cohort_of(np.array([[0, 1], [1, 1]]))
    z = np.stack([point(1, 1)] * 3)
    both = own.gradient(np.stack([point(1, 1)] * 2), everyone(2, 1))
    assert (own.gradient(z, cohort) == both[[0, 1, 1]]).all()


def test_constants_of_squares_are_those_of_the_hessians():
    own = problem(LOSSES[1])
    hessians = [np.outer(a, a) + np.eye(2, dtype=int).astype(object) * fmpq(1, 2)
                for a in own.features.reshape(-1, 2)]  # fmt: skip
    assert max(largest_eigenvalue(h).upper for h in hessians) == own.smoothness()
    assert min(smallest_eigenvalue(h).lower for h in hessians) == own.strong_convexity()
    line = SampledRegression(own.features[:, :, :1] + fmpq(1, 2), own.targets)
    assert line.strong_convexity() == fmpq(1, 4)
    assert problem(LOSSES[2]).strong_convexity() == 0


def test_the_quadratic_is_the_same_up_to_a_constant():
    own = problem(LOSSES[1])
    other, cohort = own.quadratic(), everyone(2, 2)
    z = in_rationals(np.arange(8.0).reshape(4, 2))
    assert (own.gradient(z, cohort) == other.gradient(z, cohort)).all()
    away = own.value(z, cohort) - other.value(z, cohort)
    assert (away[::2] == away[1::2]).all()


def test_floats_follow_the_rationals():
    for loss in LOSSES:
        own = to_rational(problem(loss))
        z = in_rationals(np.array([[0.5, -1.0], [2.0, 3.0]]))
        found = to_float(own).gradient(z.astype(float), everyone(2, 1))
        assert np.allclose(found, own.gradient(z, everyone(2, 1)).astype(float))


def test_draws_are_uniform_indices():
    own = problem()
    assert own.noise_outcomes(2).tolist() == [[0, 0], [0, 1], [1, 0], [1, 1]]
    every = np.indices((2, 2, 2)).reshape(3, 8).T
    assert (own.noise_outcomes(3) == every).all()
    alone = SampledRegression(own.features[:, :1], own.targets[:, :1])
    assert (alone.noise_outcomes(100) == np.zeros((1, 100))).all()
    noise = own.sample_noise(np.random.default_rng(1), (400,))
    assert set(noise.tolist()) == {0, 1}
    with pytest.raises(FedboundsError, match="number of index draws"):
        own.noise_outcomes(20)


def test_what_is_refused():
    with pytest.raises(FedboundsError, match="shape of the targets"):
        SampledRegression(problem().features, problem().targets[:, :1])
    with pytest.raises(FedboundsError, match="shape of the features"):
        SampledRegression(problem().targets, problem().targets)
    with pytest.raises(FedboundsError, match="threshold"):
        Loss(threshold=fmpq(0))
    with pytest.raises(FedboundsError, match="expected squares"):
        problem(LOSSES[2]).quadratic()


def test_what_is_known():
    own = problem()
    assert own.satisfies(Fact.CONVEX_SAMPLES).holds
    assert own.satisfies(Fact.NOISE).holds is None
    at = np.stack([own.minimiser] * 2)
    assert own.infimum() == own.value(at, everyone(2, 1)).sum() / 2 > 0
    assert not own.gradient(at, everyone(2, 1)).sum(axis=0).any()
    huber = problem(LOSSES[2])
    assert (huber.infimum(), huber.minimiser) == (0, None)
    start = Start(point(0, 0), np.zeros((2, 0), dtype=object))
    assert [c.value for c in own.constants(start).values()] == [10]
