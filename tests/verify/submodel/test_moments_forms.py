"""Expectations of distances, values and squared gradients."""

from dataclasses import replace

import numpy as np
import pytest
from flint import fmpq
from masked_moments_cases import float_start, floats, quadratic, start, subject

from fedbounds.algorithms.random_masks import RandomMasks
from fedbounds.errors import FedboundsError
from fedbounds.problems import FederatedQuadratic, to_float
from fedbounds.problems.masked import masked_gradient, masked_value
from fedbounds.problems.masked_laws import Bernoulli
from fedbounds.verify.measure.enumerated import enumerated
from fedbounds.verify.submodel.moments_forms import (
    distance_to,
    expectation,
    masked_exactly,
    squared_gradient_of,
    value_of,
)
from fedbounds.verify.submodel.moments_random import random_moments

KEEP = (fmpq(1, 2), fmpq(3, 4))
ALGORITHM = RandomMasks(KEEP, 2, fmpq(1, 4))
X = np.array([fmpq(1, 3), fmpq(-2)], dtype=object)


def forms(problem):
    masked = masked_exactly(problem, Bernoulli(KEEP))
    return [
        distance_to(X),
        value_of(problem),
        value_of(masked),
        squared_gradient_of(masked),
        value_of(masked, above=True),
    ]


def plain(problem):
    """The same functions of one point, in the problem's own words."""
    ones, law = Bernoulli((1, 1)), Bernoulli(KEEP)

    def gradient(w):
        slope = masked_gradient(problem, law, w)
        return slope @ slope

    return [
        lambda w: (w - X) @ (w - X),
        lambda w: masked_value(problem, ones, w),
        lambda w: masked_value(problem, law, w),
        gradient,
    ]


def test_expectations_equal_those_of_every_outcome():
    problem, begun, algorithm = quadratic(2, 2, 0.5), start(2, 2), replace(ALGORITHM, local_steps=1)
    found = random_moments(problem, algorithm, begun, 1)
    run = enumerated(subject(problem, algorithm, begun, 1))
    for form, function in zip(forms(problem), plain(problem), strict=False):
        expected = [
            sum(c * function(w) for w, c in zip(rows.state["x"], rows.chances, strict=True))
            for rows in (run.rounds[0].start, run.last)
        ]
        assert (expectation(found, form).values == expected).all()
        assert form(X) == function(X)


def test_the_excess_vanishes_at_the_minimiser():
    problem = quadratic(2, 2)
    masked = masked_exactly(problem, Bernoulli(KEEP))
    form = value_of(masked, above=True)
    assert form(form.point) == 0
    assert form(X) == value_of(masked)(X) - value_of(masked)(form.point)
    found = random_moments(problem, ALGORITHM, start(2, 2), 0)
    assert (form.point == found.centre).all()


def test_floats_are_within_their_bounds_and_the_bounds_small():
    problem, begun = quadratic(2, 2, 0.5), start(2, 2)
    exact = random_moments(problem, ALGORITHM, begun, 8)
    found = random_moments(to_float(problem), ALGORITHM, float_start(begun), 8)
    for form in forms(problem):
        expected, seen = expectation(exact, form), expectation(found, form)
        assert (abs(seen.values - floats(expected.values)) <= seen.errors).all()
        assert seen.errors.max() < 1e-10 * (1 + abs(seen.values).max())
        assert (expected.errors == 0).all()


def test_nothing_cancels_near_the_point():
    """Full models without noise converge: the distance falls far below the square of an ulp of w."""
    problem = FederatedQuadratic(np.array([[[1.0]]]), np.array([[-1e6]]), 1)
    begun = start(1, 1)
    found = random_moments(problem, RandomMasks((1.0,), 1, 0.5), float_start(begun), 60)
    seen = expectation(found, distance_to(np.array([1e6])))
    assert seen.values[60] == pytest.approx(1e12 * 0.25**60, rel=1e-5)
    assert seen.values[60] < 1e-23


def test_unbounded_objectives_and_other_dimensions_are_refused():
    flat = FederatedQuadratic(np.zeros((1, 1, 1)), np.ones((1, 1)), 1)
    with pytest.raises(FedboundsError, match="vanishes nowhere"):
        value_of(flat)
    found = random_moments(quadratic(2, 2), ALGORITHM, start(2, 2), 0)
    with pytest.raises(FedboundsError, match="dimension of the form is 3"):
        expectation(found, distance_to(np.zeros(3)))
