"""Masked objectives: closed forms, enumeration and a plain oracle in fractions agree exactly."""

from dataclasses import replace
from fractions import Fraction as F
from itertools import product

import bridge
import numpy as np
import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from fedbounds.errors import FedboundsError
from fedbounds.problems import (
    FederatedQuadratic,
    federated_logistic,
    federated_quadratic,
    to_rational,
)
from fedbounds.problems.masked import (
    at,
    bregman,
    dissimilarity_at,
    floor_at,
    gap_between,
    largest_discrepancy_at,
    largest_over,
    mask_variance,
    masked_gradient,
    masked_value,
    mean_square,
    positions,
    rolling_dissimilarity_at,
)
from fedbounds.problems.masked_enumeration import enumerated
from fedbounds.problems.masked_hessian import enumerated_hessians, masked_hessian, masked_hessians
from fedbounds.problems.masked_laws import Bernoulli, Rolling, coverage, outcomes, static
from fedbounds.problems.masked_quadratic import closed_form, masked_quadratic
from fedbounds.problems.pl_composed import ComposedBowls
from fedbounds.problems.ridge_logistic import RidgeLogistic
from fedbounds.problems.sine import sine_bowls

small = st.fractions(min_value=-3, max_value=3, max_denominator=4)
keeps = st.fractions(min_value=F(1, 6), max_value=1, max_denominator=6)


@st.composite
def cases(draw):
    """A quadratic as lists, a law as (mask, probability) per client, and a point; all fractions."""
    n, d = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    hessian = []
    for _ in range(n):
        root = [[draw(small) for _ in range(d)] for _ in range(d)]
        hessian.append([[root[p][q] + root[q][p] for q in range(d)] for p in range(d)])
    linear = [[draw(small) for _ in range(d)] for _ in range(n)]
    if draw(st.booleans()):
        keep = [draw(keeps) for _ in range(n)]
        law = Bernoulli(tuple(fmpq(p.numerator, p.denominator) for p in keep))
        outcome = [[(m, _chance(p, m)) for m in product((0, 1), repeat=d)] for p in keep]
    else:
        length = draw(st.integers(1, 3))
        masks = [
            [[draw(st.integers(0, 1)) for _ in range(d)] for _ in range(length)] for _ in range(n)
        ]
        law = Rolling(masks)
        outcome = [[(tuple(m), F(1, length)) for m in own] for own in masks]
    return hessian, linear, law, outcome, [draw(small) for _ in range(d)]


def _chance(p, mask):
    chance = F(1)
    for kept in mask:
        chance *= p if kept else 1 - p
    return chance


def _masked_gradient(hessian, linear, mask, w):
    own = [m * x for m, x in zip(mask, w, strict=True)]
    full = [sum(a * x for a, x in zip(row, own, strict=True)) + b
            for row, b in zip(hessian, linear, strict=True)]  # fmt: skip
    return [m * g for m, g in zip(mask, full, strict=True)]


def _masked_value(hessian, linear, mask, w):
    own = [m * x for m, x in zip(mask, w, strict=True)]
    return sum(
        x * (sum(a * y for a, y in zip(row, own, strict=True)) / 2 + b)
        for x, row, b in zip(own, hessian, linear, strict=True)
    )


def _square(x):
    return sum(a * a for a in x)


def _oracle(hessian, linear, outcome, w):
    """Values, gradients and variances of every client, from the definitions."""
    found = []
    for a, b, law in zip(hessian, linear, outcome, strict=True):
        value = sum(t * _masked_value(a, b, m, w) for m, t in law)
        slopes = [(_masked_gradient(a, b, m, w), t) for m, t in law]
        mean = [sum(t * g[j] for g, t in slopes) for j in range(len(w))]
        variance = sum(
            t * _square([x - y for x, y in zip(g, mean, strict=True)]) for g, t in slopes
        )
        found.append((value, mean, variance))
    return found


def _problem(hessian, linear):
    d = len(linear[0])
    return FederatedQuadratic(
        bridge.exact(hessian).reshape(len(linear), d, d), bridge.exact(linear).reshape(-1, d), d
    )


@given(cases())
@settings(max_examples=60, deadline=None)
def test_closed_forms_and_enumeration_are_the_definitions(case):
    hessian, linear, law, outcome, w = case
    problem, point, n = _problem(hessian, linear), bridge.exact(w), len(linear)
    expected = _oracle(hessian, linear, outcome, w)
    for found in (closed_form(problem, law, point), enumerated(problem, law, point)):
        assert bridge.fractions(found.values) == [x for x, _, _ in expected]
        assert bridge.fractions(found.gradients) == [x for _, x, _ in expected]
        assert bridge.fractions(found.variances) == [x for _, _, x in expected]
    mean = [sum(g[j] for _, g, _ in expected) / n for j in range(len(w))]
    apart = [_square([x - y for x, y in zip(g, mean, strict=True)]) for _, g, _ in expected]
    exact = bridge.fraction
    assert exact(masked_value(problem, law, point)) == sum(x for x, _, _ in expected) / n
    assert bridge.fractions(masked_gradient(problem, law, point)) == mean
    assert exact(dissimilarity_at(problem, law, point)) == sum(apart) / n
    assert exact(mask_variance(problem, law, point)) == sum(v for _, _, v in expected) / n
    # H and B_M^2 once more from every mask
    every = [
        (t, _masked_gradient(a, b, m, w))
        for a, b, own in zip(hessian, linear, outcome, strict=True)
        for m, t in own
    ]
    assert exact(mean_square(problem, law, point)) == sum(t * _square(g) for t, g in every) / n
    assert exact(rolling_dissimilarity_at(problem, law, point)) == (
        sum(t * _square([x - y for x, y in zip(g, mean, strict=True)]) for t, g in every) / n
    )
    pairs = [
        _square([x - y for x, y in zip(g, h, strict=True)])
        for _, g, _ in expected
        for _, h, _ in expected
    ]
    assert exact(largest_discrepancy_at(problem, law, point)) == max(pairs)


@given(cases())
@settings(max_examples=30, deadline=None)
def test_a_masked_quadratic_is_the_quadratic_of_the_masked_values(case):
    hessian, linear, law, _, w = case
    problem, point = _problem(hessian, linear), bridge.exact(w)
    whole = masked_quadratic(problem, law)
    assert (enumerated_hessians(_WithHessians(problem), law, point) == whole.hessian).all()
    assert (masked_hessians(problem, law, point) == whole.hessian).all()
    # along a line F_p is a parabola with that curvature
    ahead, back = (masked_value(problem, law, point * t) for t in (2, 0))
    bend = ahead - 2 * masked_value(problem, law, point) + back
    assert bend == point @ (masked_hessian(problem, law, point) @ point)


class _WithHessians:
    """A quadratic that tells its Hessians row by row, for enumeration."""

    def __init__(self, problem):
        self.problem = problem
        self.clients, self.shared_dimension = problem.clients, problem.shared_dimension
        self.personal_dimension = 0

    def hessians(self, z, cohort):
        return self.problem.hessian[cohort.pair // cohort.replicas]


def test_a_planted_sign_is_seen():
    """The comparison of closed form and enumeration can fail."""
    problem = to_rational(federated_quadratic(clients=2, shared_dimension=3, personal_dimension=0))
    law, w = Bernoulli((fmpq(1, 3), fmpq(1, 2))), bridge.exact([1, -2, 3])
    right = enumerated(problem, law, w)
    turned = closed_form(replace(problem, linear=-problem.linear), law, w)
    assert (turned.gradients != right.gradients).all()
    assert (turned.variances != right.variances).all()
    # q (1 - q) diag A forgotten
    keep = bridge.exact([F(1, 9), F(1, 4)])[:, None, None]
    assert (keep * problem.hessian != masked_quadratic(problem, law).hessian).any()


@given(cases())
@settings(max_examples=30, deadline=None)
def test_positions_of_rolling_masks_are_the_definitions(case):
    hessian, linear, law, _, w = case
    if not isinstance(law, Rolling):
        return
    n, length, d = len(linear), law.length, len(w)
    slopes = [
        [_masked_gradient(hessian[i], linear[i], law.masks[i][s], w) for s in range(length)]
        for i in range(n)
    ]
    a = [[sum(slopes[i][s][j] for i in range(n)) / n for j in range(d)] for s in range(length)]
    mean = [sum(row[j] for row in a) / length for j in range(d)]
    found = positions(_problem(hessian, linear), law, bridge.exact(w))
    assert bridge.fractions(found.means) == a
    assert bridge.fractions(found.mean) == mean
    spread = [_square([x - y for x, y in zip(row, mean, strict=True)]) for row in a]
    assert bridge.fraction(found.spread) == sum(spread) / length
    own = at(_problem(hessian, linear), law, bridge.exact(w)).variances
    assert (found.own_spread == own).all()


def test_the_full_model_has_no_variance_and_is_the_problem():
    problem = to_rational(federated_quadratic(clients=3, shared_dimension=3, personal_dimension=0))
    w, full = bridge.exact([1, F(-1, 2), 2]), Bernoulli((1, 1, 1))
    assert mask_variance(problem, full, w) == 0
    assert (masked_quadratic(problem, full).hessian == problem.hessian).all()
    assert gap_between(problem, full, static([[1, 1, 1]] * 3), w) == 0
    assert gap_between(problem, full, Bernoulli((fmpq(1, 2),) * 3), w) > 0


CURVED = {
    "ridge logistic": RidgeLogistic(
        federated_logistic(
            clients=2, shared_dimension=3, personal_dimension=0, samples=5, heterogeneity=0.6,
            regularisation=0.0,
        ),
        0.1,
    ),
    "sine": sine_bowls(clients=2, dimension=3, spread=0.3, seed=1),
    "sine, rotated": sine_bowls(clients=2, dimension=3, spread=0.3, rotated=True, seed=2),
    "composed": ComposedBowls(
        np.array([[1.0, 2.0, 0.0], [0.0, 1.0, -1.0]]), np.array([[1.0, 0.0], [-1.0, 2.0]]), 0.5, 1.0
    ),
}  # fmt: skip
LAWS = [
    Bernoulli((0.4, 0.9)),
    Rolling([[[1, 0, 1], [0, 1, 1]], [[1, 1, 0], [0, 0, 1]]]),
    static([[1, 0, 1], [1, 1, 1]]),
]


@pytest.mark.parametrize("problem", CURVED.values(), ids=list(CURVED))
@pytest.mark.parametrize("law", LAWS, ids=["random", "rolling", "static"])
def test_derivatives_of_the_masked_objective_are_finite_differences(problem, law):
    w, step = np.array([0.7, -0.4, 1.3]), 1e-5
    moved = np.concatenate([w + step * np.eye(3), w - step * np.eye(3)])
    values = np.array([masked_value(problem, law, x) for x in moved])
    slopes = np.array([masked_gradient(problem, law, x) for x in moved])
    gradient, hessian = masked_gradient(problem, law, w), masked_hessian(problem, law, w)
    np.testing.assert_allclose((values[:3] - values[3:]) / (2 * step), gradient, atol=1e-7)
    np.testing.assert_allclose((slopes[:3] - slopes[3:]) / (2 * step), hessian, atol=1e-7)


def test_bregman_gaps_and_floors():
    problem = to_rational(federated_quadratic(clients=2, shared_dimension=3, personal_dimension=0))
    law, w, origin = Bernoulli((fmpq(1, 2), 1)), bridge.exact([1, 2, 3]), bridge.exact([0, -1, 1])
    hessian = masked_hessian(problem, law, w)
    assert bregman(problem, law, w, origin) == (w - origin) @ (hessian @ (w - origin)) / 2
    lowest = masked_quadratic(problem, law).infimum()
    assert floor_at(problem, law, w, fmpq(1, 100)) < lowest
    points = np.stack([w, origin])
    most = largest_over(dissimilarity_at, problem, law, points)
    assert most == max(dissimilarity_at(problem, law, x) for x in points)


def test_laws():
    law = Rolling([[[1, 0], [0, 1]], [[1, 1], [1, 1]]])
    assert coverage(law) == (fmpq(1, 2), 1)
    assert coverage(static([[1, 0]])) is None
    masks, weights = outcomes(Bernoulli((fmpq(1, 3),)), 2, exact=True)
    assert weights.sum() == 1
    assert ((weights[:, :, None] * masks).sum(axis=1) == fmpq(1, 3)).all()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: Bernoulli((0.5, 0)), "keep probability of client 1 is 0; expected in (0, 1]"),
        (lambda: Bernoulli(()), "number of keep probabilities is 0"),
        (lambda: Rolling([[1, 0]]), "shape of the masks is (1, 2); expected (n, S, d)"),
        (lambda: Rolling([[[1, 2]]]), "coordinate) (0, 0, 1) is 2; expected 0 or 1"),
        (lambda: static([1, 0]), "shape of the masks is (2,); expected (n, d)"),
        (
            lambda: outcomes(Bernoulli((0.5,)), 13, exact=False),
            "coordinates is 13; expected at most 12",
        ),
        (
            lambda: masked_value(_plain(), Bernoulli((0.5,)), np.zeros(2)),
            "clients of the mask law is 1; expected 2",
        ),
        (
            lambda: masked_value(_plain(), static([[1], [1]]), np.zeros(2)),
            "coordinates of the masks is 1; expected 2",
        ),
        (
            lambda: masked_value(_plain(d_v=1), Bernoulli((0.5, 0.5)), np.zeros(2)),
            "personal dimension of a masked problem is 1",
        ),
        (lambda: positions(_plain(), Bernoulli((0.5, 0.5)), np.zeros(2)), "expected rolling masks"),
        (
            lambda: enumerated(_plain(), Bernoulli((0.5, 0.5)), np.zeros(3)),
            "shape of the point w is (3,); expected (2,)",
        ),
    ],
)
def test_bad_input_is_named(wrong, message):
    with pytest.raises(FedboundsError) as error:
        wrong()
    assert message in str(error.value)


def _plain(d_v=0):
    return federated_quadratic(clients=2, shared_dimension=2, personal_dimension=d_v)
