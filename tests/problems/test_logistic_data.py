"""Synthetic data and digits: from identical clients to strongly different ones."""

import sys
from dataclasses import replace

import numpy as np
import pytest
from logistic_cases import deviation, random_rows, spread_of_points, synthetic

from fedbounds.errors import FedboundsError
from fedbounds.problems import everyone
from fedbounds.problems.logistic_data import digits_logistic


def test_without_heterogeneity_all_clients_have_the_same_objective():
    problem = synthetic(clients=4, heterogeneity=0.0)
    assert (problem.signed == problem.signed[:1]).all()
    z = np.repeat(random_rows(synthetic(clients=1), 50)[None], 4, axis=0)
    gradient = problem.gradient(z.reshape(200, -1), everyone(4, 50)).reshape(z.shape)
    assert (gradient == gradient[:1]).all()
    assert synthetic(heterogeneity=0.0, personal_dimension=0).dissimilarity == 0.0
    assert problem.dissimilarity > 0.0  # personal variables still pull the shared gradients apart


def test_a_sample_in_another_place_is_not_taken_for_common():
    """Fully shared: the bound covers what remains when common samples are left out."""
    common = synthetic(heterogeneity=0.0, personal_dimension=0)
    labels = common.labels.copy()
    labels[1, 2] *= -1.0
    one_differs = replace(common, labels=labels)
    z = spread_of_points(one_differs, 3)
    largest = deviation(one_differs, np.repeat(z[:1], 3, axis=0))[0].max()
    assert (
        0.0 < largest <= one_differs.dissimilarity < synthetic(personal_dimension=0).dissimilarity
    )


def test_heterogeneity_pulls_clients_apart():
    found = []
    for heterogeneity in (0.0, 0.3, 1.0):
        problem = synthetic(clients=8, samples=200, heterogeneity=heterogeneity)
        found.append(deviation(problem, np.zeros((8, 1, 5)))[0][0])
    assert found[0] <= 1e-30
    assert 10.0 * found[0] < found[1] < found[2] / 2.0


@pytest.mark.parametrize("heterogeneity", [0.0, 0.4, 1.0])
def test_features_keep_their_variance(heterogeneity):
    problem = synthetic(clients=4, samples=4000, heterogeneity=heterogeneity)
    for features in (problem.shared_features, problem.personal_features):
        np.testing.assert_allclose(features.var(axis=1), 1.0, atol=0.12)  # 5 standard errors


def test_the_same_seed_gives_the_same_data():
    first, again, other = synthetic(seed=5), synthetic(seed=5), synthetic(seed=6)
    assert (first.signed == again.signed).all()
    assert (first.signed != other.signed).any()


def digits(**options):
    pytest.importorskip("sklearn", reason="scikit-learn is not installed (extra 'data')")
    sizes = {"clients": 10, "shared_dimension": 5, "personal_dimension": 4}
    return digits_logistic(**({"heterogeneity": 1.0} | sizes | options))


def test_digits_are_split_by_class():
    problem = digits()
    assert problem.labels.shape == (10, 179)
    share_of_even = (problem.labels == 1.0).mean(axis=1)
    assert (share_of_even[::2] > 0.9).all()
    assert (share_of_even[1::2] < 0.1).all()
    assert (problem.shared_dimension, problem.personal_dimension) == (5, 4)


def test_digits_without_heterogeneity_are_the_same_everywhere():
    same, mixed = digits(heterogeneity=0.0), digits(heterogeneity=0.5)
    assert (same.signed == same.signed[:1]).all()
    assert (mixed.signed == mixed.signed[:1]).all(axis=(0, 2)).sum() == 179 - 90
    at_origin = [deviation(p, np.zeros((10, 1, 9)))[0][0] for p in (same, mixed, digits())]
    assert at_origin[0] < 1e-30 < at_origin[1] < at_origin[2]


def test_digits_are_scaled():
    problem = digits(heterogeneity=0.0, clients=1)
    assert problem.samples == 1797
    for features in (problem.shared_features[0], problem.personal_features[0]):
        np.testing.assert_allclose(features.mean(axis=0), 0.0, atol=1e-12)
        np.testing.assert_allclose(features.std(axis=0), 1.0, rtol=1e-12)


def test_a_missing_package_names_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.datasets", None)
    with pytest.raises(FedboundsError, match=r"scikit-learn is not installed; .*fedbounds\[data\]"):
        digits_logistic(shared_dimension=2, personal_dimension=2, heterogeneity=0.0)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"clients": 0}, "number of clients n is 0; expected at least 1"),
        ({"samples": 0}, "samples per client is 0; expected at least 1"),
        ({"shared_dimension": 0, "personal_dimension": 0}, r"dimensions \(d_u, d_v\) is \(0, 0\)"),
        ({"heterogeneity": 1.5}, "heterogeneity is 1.5; expected between 0 and 1"),
        ({"heterogeneity": float("nan")}, "heterogeneity is nan; expected between 0 and 1"),
    ],
)
def test_impossible_requests_are_refused(options, said):
    with pytest.raises(FedboundsError, match=said):
        synthetic(**options)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"shared_dimension": 60}, r"number of pixels d_u \+ d_v is 64; expected at most 61"),
        ({"clients": 2000}, "number of clients n is 2000; expected at most 1797 images"),
    ],
)
def test_impossible_requests_of_digits_are_refused(options, said):
    with pytest.raises(FedboundsError, match=said):
        digits(**options)
