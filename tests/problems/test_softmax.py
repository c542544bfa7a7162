"""Softmax regression: gradients, smoothness, splits, and the dial of the pre-training objective."""

import math
from dataclasses import replace

import array_api_strict as strict
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fedbounds.errors import FedboundsError
from fedbounds.facts import Constant, Fact
from fedbounds.problems import cohort_of, everyone, to_namespace
from fedbounds.problems.linear import rational
from fedbounds.problems.softmax import SPLITS, Softmax, class_means, pretraining, softmax_clients
from fedbounds.verify.measure.clients import Clients
from fedbounds.vocabulary import Provenance


def by_hand(own, client, model):
    """Loss and gradient of every sample of a client, in Python's numbers."""
    C, p = own.classes, own.features.shape[2]
    W = [[float(model[c * p + j]) for j in range(p)] for c in range(C)]
    losses, gradients = [], []
    for x, y in zip(own.features[client].tolist(), own.labels[client].tolist(), strict=True):
        scores = [sum(a * b for a, b in zip(row, x, strict=True)) for row in W]
        total = sum(map(math.exp, scores))
        losses.append(math.log(total) - scores[y])
        shares = [math.exp(s) / total - (c == y) for c, s in enumerate(scores)]
        gradients.append([share * feature for share in shares for feature in x])
    return np.array(losses), np.array(gradients)


@given(st.sampled_from(SPLITS), st.integers(0, 100))
def test_values_and_gradients_are_those_of_the_samples(split, seed):
    own = softmax_clients(split, clients=2, dimension=3, samples=5, seed=seed)
    rng = np.random.default_rng(seed)
    z, weights = rng.standard_normal((4, own.shared_dimension)), rng.random((2, 2, 5))
    values, gradients = (f(z, everyone(2, 2)) for f in (own.value, own.gradient))
    points = z.reshape(2, 2, -1).swapaxes(0, 1)  # rows are sorted by client
    every, weighted = own.sample_values(points), own.weighted_gradients(points, weights)
    for k in range(2):
        for row in range(2):
            losses, slopes = by_hand(own, k, z[2 * k + row])
            np.testing.assert_allclose(values[2 * k + row], losses.mean())
            np.testing.assert_allclose(gradients[2 * k + row], slopes.mean(axis=0), atol=1e-14)
            np.testing.assert_allclose(every[row, k], losses)
            np.testing.assert_allclose(weighted[row, k], weights[row, k] @ slopes, atol=1e-14)


def test_balls_of_rationals_have_what_floats_have():
    own = softmax_clients("IID", clients=2, dimension=2, samples=4)
    exactly = np.vectorize(rational, otypes=[object])
    exact = replace(own, features=exactly(own.features))
    models = np.random.default_rng(0).standard_normal((1, 2, own.shared_dimension))
    for name in ("value", "gradient"):
        balls = getattr(Clients(exact), name)(exactly(models))
        middles = np.vectorize(lambda x: float(x.ball.mid()), otypes=[float])(balls)
        np.testing.assert_allclose(middles, getattr(Clients(own), name)(models), atol=1e-14)
    found = exact.constants(None)[Constant.SMOOTHNESS]
    assert found.provenance is Provenance.CERTIFIED
    assert float(found.value) == pytest.approx(own.smoothness, rel=1e-3)


def test_clients_that_are_left_out_change_nothing():
    own, present = softmax_clients("IID", clients=3), np.array([[1, 0], [0, 0], [1, 1]])
    z = np.random.default_rng(0).standard_normal((3, own.shared_dimension))
    some, every = cohort_of(present), everyone(3, 1)
    for row, k in enumerate((0, 2, 2)):
        all_rows = np.repeat(z[row : row + 1], 3, axis=0)
        np.testing.assert_allclose(own.value(z, some)[row], own.value(all_rows, every)[k])
        np.testing.assert_allclose(own.gradient(z, some)[row], own.gradient(all_rows, every)[k])


def test_the_strict_array_library_gives_the_same():
    own = softmax_clients("Dirichlet", samples=6)
    rng = np.random.default_rng(0)
    y, weights = rng.standard_normal((2, 4, own.shared_dimension)), rng.random((2, 4, 6))
    one, other = Clients(own), Clients(to_namespace(own, strict), strict)
    there = strict.asarray(y)
    both = strict.asarray(weights)
    for found, wanted in (
        (other.value(there), one.value(y)),
        (other.gradient(there), one.gradient(y)),
        (other.sampled_gradient(there, both), one.sampled_gradient(y, weights)),
    ):
        assert isinstance(found, type(there))
        np.testing.assert_allclose(np.asarray(found), wanted, atol=1e-14)


@given(st.integers(0, 100))
def test_smoothness_bounds_the_change_of_gradients(seed):
    own = softmax_clients("IID", dimension=3, samples=12, seed=seed)
    v, w = np.random.default_rng(seed).standard_normal((2, 4, own.shared_dimension)) * 3
    at_v, at_w = (own.gradient(x, everyone(4, 1)) for x in (v, w))
    change = np.linalg.norm(at_v - at_w, axis=1)
    assert (change <= own.smoothness * np.linalg.norm(v - w, axis=1) * (1 + 1e-12)).all()
    assert own.constants(None)[Constant.SMOOTHNESS].value == own.smoothness


def test_what_it_says_of_itself():
    own = softmax_clients("IID")
    assert own.satisfies(Fact.SMOOTH).holds
    assert own.satisfies(Fact.CONVEX).holds
    assert own.satisfies(Fact.PL).holds is None


def test_batches_follow_each_other_and_begin_again():
    own = softmax_clients("IID", samples=16, batch=8)
    w = np.random.default_rng(0).standard_normal((4, own.shared_dimension))
    at = [own.on_batch(w, np.full(4, pointer)) for pointer in range(3)]
    assert np.allclose((at[0] + at[1]) / 2, own.value(w, everyone(4, 1)))
    assert (at[2] == at[0]).all()


def test_labels_of_every_split():
    one = softmax_clients("single label", clients=3)
    assert [set(own.tolist()) for own in one.labels] == [{0}, {1}, {2}]
    alike = softmax_clients("IID", samples=3000)
    skewed = softmax_clients("Dirichlet", samples=3000, alpha=0.1)
    shares = [np.array([(x.labels == c).mean(axis=1) for c in range(3)]) for x in (alike, skewed)]
    assert abs(shares[0] - 1 / 3).max() < 0.05 < abs(shares[1] - 1 / 3).max()


def test_the_dial_turns_means_away_and_keeps_their_length_in_the_mean():
    own = softmax_clients("IID", dimension=64)
    near, far = (pretraining(own, dial=x, samples=4000) for x in (0.0, 1.0))

    def along(pre):
        means = class_means(3, 64, 0)
        found = [pre.features[0][pre.labels[0] == c].mean(axis=0) for c in range(3)]
        return np.array([a @ b for a, b in zip(means, found, strict=True)]) / 4

    assert (along(near) > 0.9).all()
    assert (abs(along(far)) < 0.4).all()


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: softmax_clients("other"), "split is other; expected 'IID' or 'Dirichlet'"),
        (lambda: softmax_clients("IID", batch=0), "batch is 0"),
        (lambda: softmax_clients("Dirichlet", alpha=-1.0), "alpha is -1.0"),
        (lambda: pretraining(softmax_clients("IID"), dial=2.0), "dial is 2.0"),
        (lambda: Softmax(np.ones((2, 3)), np.ones(2), 2, 1), "shape of the features"),
        (lambda: Softmax(np.ones((2, 3, 1)), np.ones((2, 2)), 2, 1), "shape of the labels"),
    ],
)
def test_bad_input_is_refused(call, told):
    with pytest.raises(FedboundsError, match=told):
        call()
