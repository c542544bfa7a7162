"""Constants over domains and at minimisers: no point exceeds them, and vertices attain them."""

from fractions import Fraction as F

import bridge
import numpy as np
import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from fedbounds.errors import FedboundsError
from fedbounds.problems import federated_quadratic, to_rational
from fedbounds.problems.constrained import Minimum
from fedbounds.problems.domain import Ball, Box
from fedbounds.problems.masked import (
    dissimilarity_at,
    largest_discrepancy_at,
    mask_variance,
    masked_gradient,
    mean_square,
    positions,
    rolling_dissimilarity_at,
)
from fedbounds.problems.masked_enumeration import by_mask
from fedbounds.problems.masked_forms import Form, corners, largest, squared
from fedbounds.problems.masked_laws import Bernoulli, Rolling
from fedbounds.problems.masked_minimiser import quadratic_minimiser
from fedbounds.problems.spectrum import (
    largest_eigenvalue,
    smallest_eigenvalue,
    smallest_positive_eigenvalue,
    square_root,
)
from fedbounds.problems.strongly_convex import strongly_convex_cohort
from fedbounds.problems.submodel_constants import (
    constants_over,
    curvature_of,
    dissimilarity_form,
    gradient_bound,
    masked_curvature,
    variance_form,
)
from fedbounds.problems.submodel_optimum import constants_at
from fedbounds.vocabulary import Provenance, Side

small = st.fractions(min_value=-3, max_value=3, max_denominator=4)
EXACT = to_rational(
    federated_quadratic(clients=3, shared_dimension=3, personal_dimension=0, seed=5)
)
LAWS = {
    "random": Bernoulli((fmpq(1, 2), fmpq(2, 3), fmpq(1, 5))),
    "rolling": Rolling([[[1, 0, 1], [0, 1, 0]], [[1, 1, 0], [0, 0, 1]], [[1, 1, 1], [0, 1, 1]]]),
}
every_law = pytest.mark.parametrize("law", LAWS.values(), ids=list(LAWS))


def points(count, seed=0):
    """Random exact points of [-1, 1]^3."""
    return bridge.exact(np.random.default_rng(seed).uniform(-1, 1, (count, 3)))


@every_law
def test_forms_are_the_moments(law):
    for w in points(5):
        assert dissimilarity_form(EXACT, law).at(w) == dissimilarity_at(EXACT, law, w)
        assert variance_form(EXACT, law).at(w) == mask_variance(EXACT, law, w)


@every_law
def test_constants_over_a_box_bound_every_point_and_are_attained(law):
    box = Box([fmpq(-1), fmpq(1, 4), fmpq(0)], [fmpq(1), fmpq(1), fmpq(1, 2)])
    found = constants_over(EXACT, law, box)
    low, high = bridge.exact([-1, F(1, 4), 0]), bridge.exact([1, 1, F(1, 2)])
    inside = [low + (high - low) * (w + 1) / 2 for w in points(20)]
    vertices = corners(box.bounds())
    for name, quantity in {
        "dissimilarity": dissimilarity_at,
        "mask_variance": mask_variance,
        "rolling_dissimilarity": rolling_dissimilarity_at,
        "discrepancy": largest_discrepancy_at,
    }.items():
        constant = getattr(found, name)
        assert constant.provenance is Provenance.EXACT
        assert all(quantity(EXACT, law, w) <= constant.value for w in inside), name
        assert max(quantity(EXACT, law, w) for w in vertices) == constant.value, name
    # G over all masks: gradients of f_i at m . w, before they are masked
    masks = [bridge.exact([k & 1, k >> 1 & 1, k >> 2 & 1]) for k in range(8)]
    steepest = max(
        ((a @ (m * w) + b) ** 2).sum()
        for a, b in zip(EXACT.hessian, EXACT.linear, strict=True)
        for m in masks
        for w in vertices
    )
    assert 0 <= found.gradient.value**2 - steepest <= fmpq(1, 2**40)
    assert found.reach.value == square_root(fmpq(9, 4)).upper == fmpq(3, 2)
    assert 0 <= found.diameter.value**2 - (4 + fmpq(9, 16) + fmpq(1, 4)) < fmpq(1, 2**40)
    _, slopes, _ = by_mask(EXACT, law, vertices[0])
    assert all((g * g).sum() <= found.gradient.value**2 for own in slopes for g in own)


@every_law
def test_constants_over_a_ball_bound_every_point_and_are_nearly_attained(law):
    radius = fmpq(3, 2)
    found = constants_over(EXACT, law, Ball(radius))
    on_sphere = np.random.default_rng(1).standard_normal((4000, 3))
    on_sphere *= 1.5 / np.linalg.norm(on_sphere, axis=1, keepdims=True)
    for constant, form in (
        (found.dissimilarity, dissimilarity_form(EXACT, law)),
        (found.mask_variance, variance_form(EXACT, law)),
    ):
        matrix, slope = form.matrix.astype(float), form.slope.astype(float)
        values = ((on_sphere @ matrix) * on_sphere).sum(axis=1) + 2 * on_sphere @ slope
        highest = values.max() + float(form.constant)
        assert constant.side is Side.UPPER
        assert highest <= float(constant.value) * (1 + 1e-12)
        assert highest >= float(constant.value) * 0.97
    assert (found.reach.value, found.diameter.value) == (radius, 2 * radius)


@given(st.lists(small, min_size=6, max_size=6), st.fractions(min_value=F(1, 4), max_value=2))
@settings(max_examples=40, deadline=None)
def test_the_bound_on_a_ball_holds_and_is_met_by_a_point(numbers, r):
    """Also in the hard case of a slope without a share in the top eigenvectors."""
    form = squared(bridge.exact(numbers[:4]).reshape(2, 2), bridge.exact(numbers[4:]))
    bound = float(largest(form, Ball(bridge.rational(r))).value)
    angles = np.linspace(0, 2 * np.pi, 2001)
    circle = float(r) * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    matrix, slope = form.matrix.astype(float), form.slope.astype(float)
    values = ((circle @ matrix) * circle).sum(axis=1) + 2 * circle @ slope + float(form.constant)
    assert values.max() <= bound * (1 + 1e-12)
    assert values.max() >= bound * (1 - 1e-4) - 1e-12


def test_on_the_whole_space_only_constants_are_bounded():
    found = constants_over(EXACT, LAWS["random"], None)
    assert [found.reach, found.diameter, found.gradient, found.dissimilarity] == [None] * 4
    flat = Form(bridge.exact([[0]]), bridge.exact([0]), fmpq(7))
    assert largest(flat, None).value == largest(flat, Ball(2)).value == 7
    same = to_rational(federated_quadratic(
        clients=2, shared_dimension=2, personal_dimension=0, dissimilarity=2.0
    ))  # fmt: skip
    full = constants_over(same, Bernoulli((1, 1)), None)
    assert float(full.dissimilarity.value) == pytest.approx(2.0)
    assert full.mask_variance.value == 0
    assert gradient_bound(same, None) is None


@every_law
@pytest.mark.parametrize("domain", [None, Box(-1, fmpq(1, 3)), Ball(fmpq(1, 3))])
def test_constants_at_the_minimiser(law, domain):
    minimum = quadratic_minimiser(EXACT, law, domain)
    top, _ = curvature_of(EXACT)
    found, w = constants_at(EXACT, law, minimum, top.upper), minimum.point
    direct = {
        "heterogeneity": mean_square(EXACT, law, w),
        "mask_variance": mask_variance(EXACT, law, w),
        "gradient": (masked_gradient(EXACT, law, w) ** 2).sum(),
    }
    if isinstance(law, Rolling):
        direct["position_spread"] = positions(EXACT, law, w).spread
    else:
        assert found.position_spread is None
    for name, value in direct.items():
        constant = getattr(found, name)
        if minimum.exact:
            assert (constant.value, constant.side) == (value, Side.BOTH)
        else:
            assert constant.side is Side.UPPER
            assert 0 <= constant.value - value < fmpq(1, 10**12)
    if domain is None:
        assert found.gradient.value == 0


def test_a_minimiser_known_up_to_a_distance_gives_upper_values():
    law = LAWS["rolling"]
    right = quadratic_minimiser(EXACT, law, None).point
    away = bridge.exact([F(1, 50), 0, 0])
    top, _ = curvature_of(EXACT)
    raised = constants_at(EXACT, law, Minimum(right + away, fmpq(1, 50)), top.upper)
    exact = constants_at(EXACT, law, Minimum(right), top.upper)
    for name in ("heterogeneity", "mask_variance", "gradient", "position_spread"):
        assert getattr(raised, name).value > getattr(exact, name).value


@given(st.lists(small, min_size=9, max_size=9))
@settings(max_examples=60, deadline=None)
def test_eigenvalues_are_enclosed(numbers):
    root = bridge.exact(numbers).reshape(3, 3)
    values = np.linalg.eigvalsh((root + root.T).astype(float))
    low, high = smallest_eigenvalue(root + root.T), largest_eigenvalue(root + root.T)
    for bracket, value in ((low, values[0]), (high, values[-1])):
        assert float(bracket.lower) - 1e-12 <= value <= float(bracket.upper) + 1e-12
        assert float(bracket.upper - bracket.lower) < 1e-9
    flat = root[:2].T @ root[:2]  # of rank 2 at most
    if (flat != 0).any():
        found = smallest_positive_eigenvalue(flat)
        squares = np.linalg.svd(root[:2].astype(float), compute_uv=False) ** 2
        least = min(x for x in squares if x > 1e-9)
        assert float(found.lower) <= least * (1 + 1e-9)
        assert float(found.upper) >= least * (1 - 1e-9)


def test_rational_eigenvalues_and_roots_are_exact():
    matrix = bridge.exact([[2, 1], [1, 2]])
    assert smallest_eigenvalue(matrix).below().provenance is Provenance.EXACT
    assert (smallest_eigenvalue(matrix).lower, largest_eigenvalue(matrix).upper) == (1, 3)
    flat = bridge.exact([[1, 1], [1, 1]])
    assert smallest_positive_eigenvalue(flat).lower == smallest_positive_eigenvalue(flat).upper == 2
    with pytest.raises(FedboundsError, match="positive semidefinite"):
        smallest_positive_eigenvalue(-flat)
    assert square_root(fmpq(9, 4)).lower == fmpq(3, 2)
    two = square_root(2)
    assert two.lower**2 < 2 < two.upper**2
    assert two.upper - two.lower < fmpq(1, 2**55)


@every_law
def test_masked_curvature_is_within_the_sheets_bounds_with_equal_coverage(law):
    """Only an oracle for the brackets: coverage c_j gives mu min c_j and L max c_j."""
    cohort = strongly_convex_cohort(clients=3, dimension=3, seed=2)
    high, low = masked_curvature(cohort.problem, law)
    masks = np.array(law.masks).mean(axis=(0, 1)) if isinstance(law, Rolling) else None
    share = [sum(law.keep) / 3] * 3 if masks is None else [bridge.rational(float(x)) for x in masks]
    assert low.upper >= cohort.strong_convexity * min(share)
    assert high.lower <= cohort.smoothness * max(share) + fmpq(1, 10**12)
