"""Softmax regression: gradients, smoothness, splits, and the dial of the pre-training objective."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fedbounds.errors import FedboundsError
from fedbounds.problems.softmax import SPLITS, class_means, pretraining, softmax_clients


@given(st.sampled_from(SPLITS), st.integers(0, 100))
def test_gradients_are_those_of_differences(split, seed):
    own = softmax_clients(split, clients=2, dimension=3, samples=12, seed=seed)
    rng = np.random.default_rng(seed)
    w, z = rng.standard_normal((2, 2, own.shared_dimension))
    step = 1e-5
    slope = (own.whole(w + step * z) - own.whole(w - step * z)) / (2 * step)
    assert np.allclose(slope, (own.gradient(w) * z).sum(axis=1), atol=1e-8)


@given(st.integers(0, 100))
def test_smoothness_bounds_the_change_of_gradients(seed):
    own = softmax_clients("IID", dimension=3, samples=12, seed=seed)
    v, w = np.random.default_rng(seed).standard_normal((2, 4, own.shared_dimension)) * 3
    change = np.linalg.norm(own.gradient(v) - own.gradient(w), axis=1)
    assert (change <= own.smoothness * np.linalg.norm(v - w, axis=1) * (1 + 1e-12)).all()


def test_batches_follow_each_other_and_begin_again():
    own = softmax_clients("IID", samples=16, batch=8)
    w = np.random.default_rng(0).standard_normal((4, own.shared_dimension))
    at = [own.value(w, np.full(4, pointer)) for pointer in range(3)]
    assert np.allclose((at[0] + at[1]) / 2, own.whole(w))
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
    ],
)
def test_bad_input_is_refused(call, told):
    with pytest.raises(FedboundsError, match=told):
        call()
