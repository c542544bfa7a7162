"""Samples of clients: what is asked of them is there, and what cannot be is refused."""

import sys

import numpy as np
import pytest

from fedbounds.errors import FedboundsError
from fedbounds.problems.network_data import digit_samples, random_samples


def digits(**options):
    pytest.importorskip("sklearn", reason="scikit-learn is not installed (extra 'data')")
    return digit_samples(**({"clients": 20, "samples": 6} | options))


def test_a_client_sees_three_classes_and_no_image_twice():
    features, targets = digits()
    assert features.shape == (20, 6, 784)
    assert targets.shape == (20, 6, 10)
    for c, own in enumerate(targets.argmax(axis=2)):
        assert {*own.tolist()} == {c % 10, (c + 1) % 10, (c + 2) % 10}
    assert (targets.sum(axis=2) == 1).all()
    assert len(np.unique(features.reshape(120, 784), axis=0)) == 120


def test_images_are_those_of_their_digits():
    from sklearn.datasets import load_digits

    features, targets = digits(side=8, samples=3)
    images, labels = load_digits(return_X_y=True)
    for x, y in zip(features.reshape(60, 64), targets.reshape(60, 10), strict=True):
        (same,) = np.flatnonzero((images == 16 * x).all(axis=1))
        assert labels[same] == y.argmax()


@pytest.mark.parametrize("side", [8, 16, 28])
def test_larger_images_show_every_pixel_as_a_square_in_their_middle(side):
    small, _ = digits(side=8, samples=1)
    large, _ = digits(side=side, samples=1)
    times, first = side // 8, (side % 8) // 2
    for a, b in zip(small.reshape(20, 8, 8), large.reshape(20, side, side), strict=True):
        wanted = np.zeros((side, side))
        for i in range(8 * times):
            for j in range(8 * times):
                wanted[first + i, first + j] = a[i // times, j // times]
        assert (b == wanted).all()
    flat = small.reshape(20, -1), large.reshape(20, -1)
    np.testing.assert_allclose(flat[1] @ flat[1].T, times**2 * flat[0] @ flat[0].T)


def test_the_seed_chooses_images():
    assert (digits(seed=1)[0] == digits(seed=1)[0]).all()
    assert (digits(seed=1)[0] != digits(seed=2)[0]).any()


def test_a_missing_package_names_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.datasets", None)
    with pytest.raises(FedboundsError, match=r"scikit-learn is not installed; .*fedbounds\[data\]"):
        digit_samples(clients=2, samples=3)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"clients": 0}, "number of clients n is 0; expected at least 1"),
        ({"samples": 0}, "number of samples per client is 0; expected at least 1"),
        ({"side": 7}, "rows of an image is 7; expected at least 8"),
        ({"classes": 11}, "classes a client is 11; expected 1 to 10"),
        ({"clients": 1, "samples": 600}, "images of 0 is 200; expected at most 178"),
    ],
)
def test_impossible_requests_of_digits_are_refused(options, said):
    with pytest.raises(FedboundsError, match=said):
        digits(**options)


def synthetic(**options):
    sizes = {"clients": 3, "samples": 4, "inputs": 20, "outputs": 2}
    return random_samples(**(sizes | {"least": 0.5, "largest": 3.0} | options))


@pytest.mark.parametrize("rank", [None, 1, 5])
def test_singular_values_are_those_that_are_asked_for(rank):
    ends = {"least": 3.0} if rank == 1 else {}
    features, _ = synthetic(rank=rank, **ends)
    found = np.linalg.svd(features.reshape(12, 20), compute_uv=False)
    count = rank or 12
    np.testing.assert_allclose(found[0], 3.0)
    np.testing.assert_allclose(found[count - 1], ends.get("least", 0.5))
    np.testing.assert_allclose(found[count:], 0, atol=1e-12)


def test_targets_are_of_a_linear_map_where_that_is_asked_for():
    for realisable in (True, False):
        features, targets = synthetic(realisable=realisable, rank=5)
        X, Y = features.reshape(12, 20), targets.reshape(12, 2)
        missed = X @ np.linalg.lstsq(X, Y, rcond=None)[0] - Y
        assert bool(np.abs(missed).max() < 1e-10) is realisable


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"outputs": 0}, "clients, samples, inputs and outputs is"),
        ({"rank": 13}, "rank of X is 13; expected 1 to 12"),
        ({"least": 0.0}, "expected 0 < least <= largest"),
        ({"least": 4.0}, "expected 0 < least <= largest"),
        ({"rank": 1}, "least and largest of one singular value"),
    ],
)
def test_impossible_requests_of_random_samples_are_refused(options, said):
    with pytest.raises(FedboundsError, match=said):
        synthetic(**options)
