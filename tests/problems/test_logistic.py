"""Logistic losses: values, gradients, minibatches enumerated, and what is refused."""

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from each import each
from flint import fmpq
from logistic_cases import (
    CASES,
    all_batches,
    by_hand,
    parts,
    random_rows,
    sample_slopes,
    shrinkage,
    synthetic,
    width,
)

from fedbounds.errors import FedboundsError
from fedbounds.facts import Fact
from fedbounds.problems import (
    cohort_of,
    coupled_cosine,
    everyone,
    federated_quadratic,
    to_namespace,
    to_rational,
)
from fedbounds.problems.constants import OF_BLOCKS
from fedbounds.problems.spectrum import in_rationals
from fedbounds.verify.measure.balls import balls

every_case = pytest.mark.parametrize("problem", CASES.values(), ids=list(CASES))


# ---- values and gradients


@every_case
def test_gradients_and_values_are_sums_over_samples(problem):
    z, cohort = random_rows(problem, 3), everyone(problem.clients, 3)
    values, gradients = problem.value(z, cohort), problem.gradient(z, cohort)
    for row, point in enumerate(z):
        i = row // 3
        expected = sample_slopes(problem, i, point).mean(axis=0) + shrinkage(problem, point)
        np.testing.assert_allclose(gradients[row], expected, rtol=1e-12, atol=1e-14)
        u, v = (point[part] for part in parts(problem))
        scores = problem.labels[i] * (
            problem.shared_features[i] @ u + problem.personal_features[i] @ v
        )
        loss = sum(math.log1p(math.exp(-s)) for s in scores) / problem.samples
        ridge = sum(b @ b / (1.0 + b @ b) for b in (u, v)) * problem.regularisation
        np.testing.assert_allclose(values[row], loss + ridge, rtol=1e-12)


@every_case
def test_gradients_are_finite_differences(problem):
    z, cohort = random_rows(problem, 4, size=1.0), everyone(problem.clients, 4)
    gradient = problem.gradient(z, cohort)
    for p in range(width(problem)):
        step = np.zeros_like(z)
        step[:, p] = 1e-5
        central = (problem.value(z + step, cohort) - problem.value(z - step, cohort)) / 2e-5
        np.testing.assert_allclose(central, gradient[:, p], rtol=1e-6, atol=1e-8)


def test_far_points_neither_overflow_nor_lose_the_slope():
    problem = by_hand([[[1.0], [-2.0]]], [[[], []]], [[1, 1]])
    z, cohort = np.array([[1e5]]), everyone(1, 1)
    assert problem.value(z, cohort)[0] == 1e5  # the second sample's 2e5, halved
    assert problem.gradient(z, cohort)[0, 0] == 1.0
    assert problem.value(-z, cohort)[0] == 5e4


@pytest.mark.parametrize("case", ["n=3", "no personal block", "no shared block"])
def test_a_partial_cohort_gets_the_rows_of_its_clients(case, xp):
    problem, rng = CASES[case], np.random.default_rng(3)
    present = rng.random((3, 5)) < 0.5
    present[1] = False
    chosen, z = np.flatnonzero(present), random_rows(problem, 5)
    noise = problem.sample_noise(rng, (15,))
    moved, cohort = to_namespace(problem, xp), cohort_of(present, xp)
    for name in ("gradient", "value"):
        whole = getattr(problem, name)(z, everyone(3, 5))
        for rows, some in ((chosen, cohort), (slice(None), everyone(3, 5, xp))):
            found = getattr(moved, name)(xp.asarray(z[rows]), some)
            np.testing.assert_allclose(np.asarray(found), whole[rows], rtol=1e-13, atol=1e-14)
    whole = problem.disturbed(z, None, everyone(3, 5), noise)
    for rows, some in ((chosen, cohort), (slice(None), everyone(3, 5, xp))):
        found = moved.disturbed(xp.asarray(z[rows]), None, some, xp.asarray(noise[rows]))
        np.testing.assert_allclose(np.asarray(found), whole[rows], rtol=1e-13, atol=1e-14)


# ---- minibatches


@every_case
def test_a_minibatch_is_the_mean_of_its_samples(problem):
    z = random_rows(problem, 1)
    found, draws = all_batches(problem, z), problem.noise_outcomes(1)[:, 0, :]
    for i, point in enumerate(z):
        slopes = sample_slopes(problem, i, point)
        for outcome, indices in zip(found[i], draws, strict=True):
            expected = slopes[indices].mean(axis=0) + shrinkage(problem, point)
            np.testing.assert_allclose(outcome, expected, rtol=1e-12, atol=1e-14)


@every_case
@pytest.mark.parametrize("batch", [1, 2, 3])
def test_minibatches_are_unbiased_with_population_variance_over_batch(problem, batch):
    problem = replace(problem, batch=batch)
    for size in (0.1, 3.0, 30.0):
        z = random_rows(problem, 1, size=size)
        found = all_batches(problem, z)
        exact = problem.gradient(z, everyone(problem.clients, 1))
        np.testing.assert_allclose(found.mean(axis=1), exact, rtol=1e-11, atol=1e-13)
        variance = ((found - exact[:, None]) ** 2).mean(axis=1)
        for i, point in enumerate(z):
            population = sample_slopes(problem, i, point).var(axis=0)
            np.testing.assert_allclose(variance[i], population / batch, rtol=1e-9, atol=1e-14)


def test_all_draws_of_one_client_are_listed_once():
    draws = synthetic(samples=3).noise_outcomes(2)
    assert draws.shape == (81, 2, 2)
    assert sorted(map(tuple, draws.reshape(81, 4).tolist())) == list(product(range(3), repeat=4))
    assert synthetic(samples=1).noise_outcomes(40).shape == (1, 40, 2)
    assert synthetic(batch=None).noise_outcomes(3) is None
    with pytest.raises(FedboundsError, match=r"N\^\(batch steps\) = 4\^10 is 1048576; expected at"):
        synthetic().noise_outcomes(5)


def test_index_draws_are_uniform():
    problem = synthetic(samples=5, batch=3)
    noise = problem.sample_noise(np.random.default_rng(0), (7, 400))
    assert noise.shape == (7, 400, 3)
    counts = np.bincount(noise.reshape(-1), minlength=5)
    assert counts.size == 5
    assert ((counts - 1680) ** 2 / 1680).sum() < 18.5  # chi-square, 4 degrees, level 0.001
    assert replace(problem, batch=None).sample_noise(np.random.default_rng(0), (7, 4)) is None


@each("assumption", list(Fact))
def test_every_assumption_on_blocks_holds_with_a_reason_and_no_other_is_claimed(assumption):
    evidence = CASES["n=3"].satisfies(assumption)
    assert evidence.holds is (True if assumption in OF_BLOCKS else None)
    assert evidence.reason.startswith(f"{assumption.value}: ")


# what they decide; in floats no shared minimiser, as gradients there are rounded
OF_QUADRATICS = {
    *(*OF_BLOCKS, Fact.CONVEX, Fact.STRONGLY_CONVEX, Fact.PL, Fact.QUADRATIC, Fact.UNCONSTRAINED),
    *(Fact.UNBIASED, Fact.BOUNDED_VARIANCE, Fact.INDEPENDENT, Fact.NOISY, Fact.NOISELESS),
}


@each(
    "family, assumption",
    [
        (family, assumption)
        for family, spoken in ((federated_quadratic, OF_QUADRATICS), (coupled_cosine, OF_BLOCKS))
        for assumption in sorted(set(Fact) - spoken)
    ],
)
def test_a_family_claims_nothing_of_assumptions_it_does_not_speak_of(family, assumption):
    problem = family(clients=2, shared_dimension=1, personal_dimension=1)
    assert problem.satisfies(assumption).holds is None


# ---- refusals

GOOD = CASES["n=3"]


def with_entry(array, place, value):
    changed = array.copy()
    changed[place] = value
    return changed


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"labels": np.ones((3, 5))}, r"shapes of the features and labels is .*\(3, 5\).*expected"),
        ({"personal_features": np.ones((3, 4))}, "shapes of the features and labels"),
        (
            {"labels": with_entry(GOOD.labels, (1, 2), 0.0)},
            "labels of client 1, sample 2, hold 0.0; expected 1 or -1",
        ),
        (
            {"labels": with_entry(GOOD.labels, (0, 3), np.nan)},
            "labels of client 0, sample 3, hold nan",
        ),
        (
            {"shared_features": with_entry(GOOD.shared_features, (2, 1, 0), np.inf)},
            "shared_features of client 2, sample 1, hold inf; expected 0, or a size of 1e-100 to 1e100",
        ),
        (
            {"personal_features": with_entry(GOOD.personal_features, (0, 1, 2), 1e-200)},
            "personal_features of client 0, sample 1, hold 1e-200",
        ),
        (
            {"shared_features": GOOD.shared_features.astype(np.float32)},
            "type of shared_features is float32; expected float64",
        ),
        ({"regularisation": -0.1}, "regularisation rho is -0.1; expected a finite number >= 0"),
        ({"regularisation": float("nan")}, "regularisation rho is nan"),
        ({"batch": 0}, "batch is 0; expected an integer, at least 1, or None"),
        ({"batch": 2.5}, "batch is 2.5; expected an integer"),
    ],
)
def test_impossible_parts_are_refused(changes, said):
    with pytest.raises(FedboundsError, match=said):
        replace(GOOD, **changes)


@pytest.mark.parametrize(
    ("shapes", "said"),
    [
        (((0, 2, 1), (0, 2, 1), (0, 2)), "number of clients is 0; expected at least 1"),
        (((2, 0, 1), (2, 0, 1), (2, 0)), "samples per client is 0; expected at least 1"),
        (((2, 1, 0), (2, 1, 0), (2, 1)), r"number of features d_u \+ d_v is 0"),
    ],
)
def test_empty_problems_are_refused(shapes, said):
    with pytest.raises(FedboundsError, match=said):
        by_hand(*(np.ones(shape) for shape in shapes))


def exactly(problem):
    """Of floats, which are rationals too."""
    found = to_rational(problem)
    return replace(found, regularisation=fmpq(*problem.regularisation.as_integer_ratio()))


def test_a_mixture_of_exact_numbers_and_floats_is_refused():
    with pytest.raises(FedboundsError, match="shared_features mixes exact numbers with floats"):
        replace(exactly(GOOD), shared_features=GOOD.shared_features)
    with pytest.raises(FedboundsError, match="labels is"):
        replace(exactly(GOOD), labels=exactly(GOOD).labels * 2)


@every_case
def test_balls_contain_what_floats_give(problem):
    z, exact = random_rows(problem, 2), exactly(problem)
    cohort, points = everyone(problem.clients, 2), balls(in_rationals(z))
    for name in ("value", "gradient"):
        found = np.vectorize(middle, otypes=[float])(getattr(exact, name)(points, cohort))
        np.testing.assert_allclose(found, getattr(problem, name)(z, cohort), rtol=1e-12, atol=1e-14)


@every_case
def test_minibatches_have_the_gradients_and_the_values_of_their_samples(problem):
    """All samples of a client alike: what they have in the mean; one alone: by its own data."""
    n, N = problem.clients, problem.samples
    z = random_rows(problem, 1).reshape(1, n, width(problem))
    rows, cohort = z[0], everyone(n, 1)
    values = problem.sample_values(z)
    alone = np.broadcast_to(np.eye(N)[:, None, None, :], (N, 1, n, N))
    gradients = np.stack([problem.weighted_gradients(z, one) for one in alone], axis=2)
    weights = np.arange(1.0, n * N + 1).reshape(1, n, N)  # what they are in the sum of a batch
    np.testing.assert_allclose(
        problem.weighted_gradients(z, weights), (gradients * weights[..., None]).sum(axis=2)
    )
    np.testing.assert_allclose(values[0].mean(axis=1), problem.value(rows, cohort), rtol=1e-12)
    whole = problem.gradient(rows, cohort)
    np.testing.assert_allclose(gradients[0].mean(axis=1), whole, rtol=1e-12, atol=1e-14)
    for i, point in enumerate(rows):
        own = sample_slopes(problem, i, point) + shrinkage(problem, point)
        np.testing.assert_allclose(gradients[0, i], own, rtol=1e-12, atol=1e-14)
    size = 1e-6
    for at in range(width(problem)):  # value and gradient are of the same sample
        moved = np.zeros(width(problem))
        moved[at] = size
        slope = (problem.sample_values(z + moved) - problem.sample_values(z - moved)) / (2 * size)
        assert slope.shape == (1, n, N)
        np.testing.assert_allclose(slope, gradients[..., at], rtol=1e-6, atol=1e-7)


def middle(ball):
    return float(ball.ball.mid())
