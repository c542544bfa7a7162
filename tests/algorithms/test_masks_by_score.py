"""Masks of the largest scores: oracles written out, exact scores, transfer, and what is refused."""

import math
from fractions import Fraction as F

import array_api_strict as strict
import numpy as np
import pytest
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st

from fedbounds.algorithms.masks_by_score import (
    at_random,
    by_magnitude,
    by_squared_gradient,
    largest,
    squared_gradients,
)
from fedbounds.errors import FedboundsError
from fedbounds.problems import FederatedQuadratic, pretraining, softmax_clients, to_namespace
from fedbounds.problems.sampled_regression import Loss, SampledRegression
from fedbounds.verify.measure.clients import Clients

SCORES = st.lists(st.integers(-4, 4), min_size=1, max_size=7)


def rationals(values):
    return np.vectorize(fmpq, otypes=[object])(np.array(values))


# ---- which are kept


def one_by_one(scores, kept):
    """The largest that is left, again and again; of equal ones the first."""
    left, chosen = list(range(len(scores))), []
    for _ in range(kept):
        best = left[0]
        for j in left:
            if scores[j] > scores[best]:
                best = j
        chosen.append(best)
        left.remove(best)
    return tuple(int(j in chosen) for j in range(len(scores)))


@given(SCORES, st.data())
def test_the_largest_are_kept_and_of_equal_ones_the_first(scores, data):
    kept = data.draw(st.integers(1, len(scores)))
    for values in (np.array(scores, dtype=float), rationals(scores)):
        assert largest(values, kept) == one_by_one(scores, kept)
        assert by_magnitude(values, kept) == one_by_one([abs(x) for x in scores], kept)


@given(SCORES, st.data())
def test_a_smaller_mask_is_inside_a_larger_one(scores, data):
    kept = data.draw(st.integers(1, len(scores)))
    some, every = largest(scores, kept), largest(scores, len(scores))
    assert every == (1,) * len(scores)
    if kept < len(scores):
        assert all(a <= b for a, b in zip(some, largest(scores, kept + 1), strict=True))


def is_uniform(make):
    """Whether masks of exactly u of d come about equally often, in 1200 seeds."""
    found = [make(4, 2, seed) for seed in range(1200)]
    counts = [found.count(one) for one in set(found)]
    exact = all(len(one) == 4 and sum(one) == 2 for one in found)
    return exact and len(counts) == 6 and max(abs(c - 200) for c in counts) < 5 * math.sqrt(200)


def independent(coordinates, kept, seed):
    """Planted: every coordinate by itself with probability u/d, so that the number is another."""
    drawn = np.random.default_rng(seed).random(coordinates) < kept / coordinates
    return tuple(drawn.astype(int).tolist())


def shifted(coordinates, kept, seed):
    """Planted: a window, which is the right number of coordinates and not any of them."""
    return tuple(int((j + seed) % coordinates < kept) for j in range(coordinates))


def test_random_masks_are_any_of_exactly_u():
    assert is_uniform(at_random)
    assert not is_uniform(independent)
    assert not is_uniform(shifted)


# ---- scores


def regression(features, targets):
    return SampledRegression(rationals(features), rationals(targets), Loss(fmpq(0), None))


@given(st.integers(0, 10**6), st.integers(1, 3), st.integers(1, 3))
def test_scores_are_exact_means_of_squared_partial_derivatives(seed, n, samples):
    rng, d = np.random.default_rng(seed), 3
    a, y = rng.integers(-3, 4, (n, samples, d)), rng.integers(-3, 4, (n, samples))
    w = rng.integers(-3, 4, d)
    total = [F(0)] * d
    for own, targets in zip(a.tolist(), y.tolist(), strict=True):
        for x, target in zip(own, targets, strict=True):
            off = sum(p * q for p, q in zip(x, w.tolist(), strict=True)) - target
            total = [t + F((off * p) ** 2, n * samples) for t, p in zip(total, x, strict=True)]
    problem = Clients(regression(a, y))
    found = squared_gradients(problem, rationals(w))
    assert found.tolist() == [fmpq(t.numerator, t.denominator) for t in total]
    assert by_squared_gradient(problem, rationals(w), 2) == one_by_one(total, 2)


def test_the_square_of_the_mean_is_another_score():
    """Two samples whose derivatives cancel count, though a gradient of the client is 0 there."""
    problem, w = Clients(regression([[[2, 0], [-2, 0], [0, 1]]], [[1, 1, 1]])), rationals([0, 0])
    mean = problem.gradient(w[None])[0, 0]
    assert largest(mean * mean, 1) == (0, 1)
    assert by_squared_gradient(problem, w, 1) == (1, 0)


def test_a_client_without_samples_has_its_own_gradient():
    quadratic = FederatedQuadratic(
        rationals([[[1, 0], [0, 2]], [[3, 0], [0, 1]]]), rationals([[1, -1], [0, 2]]), 2
    )
    found = squared_gradients(Clients(quadratic), rationals([1, 1]))
    assert found.tolist() == [fmpq(4 + 9, 2), fmpq(1 + 9, 2)]


def test_the_strict_array_library_gives_the_same():
    own, w = softmax_clients("IID", samples=4), np.linspace(-1, 1, 24)
    there = Clients(to_namespace(own, strict), strict)
    found = squared_gradients(there, strict.asarray(w))
    np.testing.assert_allclose(np.asarray(found), squared_gradients(Clients(own), w))


# ---- transfer, on a linear layer of ten classes and 64 features


def kept_shares(split, dials):
    """Shares of the clients' squared gradients that a tenth of all coordinates keeps."""
    problem = softmax_clients(split, clients=4, classes=10, dimension=64, samples=120)
    w, kept = np.zeros(640), 64
    gradients = Clients(problem).gradient(w[None])[0]

    def share(mask):
        inside = np.flatnonzero(mask)
        return (gradients[:, inside] ** 2).sum() / (gradients**2).sum()

    far = {
        dial: share(by_squared_gradient(Clients(pretraining(problem, dial=dial)), w, kept))
        for dial in dials
    }
    task = share(by_squared_gradient(Clients(problem), w, kept))
    return far, task, np.mean([share(at_random(640, kept, seed)) for seed in range(20)])


@pytest.mark.parametrize("split", ["IID", "Dirichlet", "single label"])
def test_a_pretraining_mask_transfers_as_far_as_the_dial_says(split):
    found, task, other = kept_shares(split, (0.0, 1.0))
    assert task > found[0.0] > found[1.0]
    assert found[0.0] > 1.3 * other
    assert abs(other - 0.1) < 0.01


# ---- bad input


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (
            lambda: largest([1.0, 2.0], 3),
            "kept coordinates u is 3; expected a whole number, 1 to 2",
        ),
        (lambda: largest([1.0, 2.0], 0), "kept coordinates u is 0"),
        (lambda: largest([1.0, 2.0], 0.5), "kept coordinates u is 0.5; expected a whole number"),
        (lambda: largest([], 1), "kept coordinates u is 1; expected a whole number, 1 to 0"),
        (lambda: largest(np.ones((2, 2)), 1), r"shape of the scores is \(2, 2\)"),
        (lambda: largest([1.0, math.nan, math.nan], 1), "score of coordinate 1, 2 is NaN"),
        (lambda: at_random(4, 0, 0), "kept coordinates u is 0"),
        (lambda: at_random(4, 5, 0), "kept coordinates u is 5; expected a whole number, 1 to 4"),
    ],
)
def test_bad_input_is_refused_in_a_line(call, told):
    with pytest.raises(FedboundsError, match=told) as error:
        call()
    assert "\n" not in str(error.value)
