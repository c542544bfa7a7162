"""Constants of logistic losses: no point exceeds them, and where they are attained."""

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st
from logistic_cases import (
    CASES,
    all_batches,
    by_hand,
    constants,
    deviation,
    origin,
    parts,
    spread_of_points,
    synthetic,
    width,
)

from fedbounds.facts import Constant
from fedbounds.problems import Start, everyone, to_rational
from fedbounds.problems.logistic import FederatedLogistic
from fedbounds.problems.spectrum import in_rationals
from fedbounds.vocabulary import Provenance, Side

every_case = pytest.mark.parametrize("problem", CASES.values(), ids=list(CASES))


entries = st.one_of(
    st.sampled_from([0.0, 1.0, -1.0, 3.0]), st.floats(-4.0, 4.0).filter(lambda x: abs(x) > 1e-6)
)


@st.composite
def problems(draw):
    n, N, d_u, d_v = (draw(st.integers(low, top)) for low, top in ((1, 3), (1, 4), (1, 2), (0, 3)))

    def array(*shape):
        count = math.prod(shape)
        cells = draw(st.lists(entries, min_size=count, max_size=count))
        return np.array(cells, dtype=np.float64).reshape(shape)

    labels = np.where(array(n, N) < 0, -1.0, 1.0)
    rho = draw(st.sampled_from([0.0, 0.1, 2.0]))
    return FederatedLogistic(
        array(n, N, d_u), array(n, N, d_v), labels, rho, draw(st.integers(1, 2))
    )


@given(problems(), st.integers(0, 1000))
def test_no_point_exceeds_a_constant(problem, seed):
    found, z = constants(problem), spread_of_points(problem, seed)
    n = problem.clients
    rounding = 1e-13 * (1.0 + max(found.values()))
    differences, squares = deviation(problem, z)
    assert differences.max() <= found[Constant.DISSIMILARITY] + rounding
    assert squares.max() <= problem.gradient_bound + rounding
    x = np.concatenate([problem.shared_features, problem.personal_features], axis=2)
    x = x * problem.labels[:, :, None]
    for i in range(n):
        slopes = -0.5 * (1.0 - np.tanh(z[i] @ x[i].T / 2.0))[:, :, None] * x[i]
        noise = slopes - slopes.mean(axis=1, keepdims=True)
        for part, name, bound in zip(
            parts(problem),
            (Constant.VARIANCE_U, Constant.VARIANCE_V),
            problem.noise_support,
            strict=True,
        ):
            lengths = (noise[:, :, part] ** 2).sum(axis=2)
            assert lengths.mean(axis=1).max() / problem.batch <= found[name] + rounding
            assert np.sqrt(lengths.max()) <= bound + rounding


BLOCKS = (
    (Constant.SMOOTHNESS_U, 0, 0),
    (Constant.SMOOTHNESS_V, 1, 1),
    (Constant.SMOOTHNESS_UV, 0, 1),
    (Constant.SMOOTHNESS_UV, 1, 0),
)


def quotients(problem, z, step, block):
    """||change of one block of the gradient|| / ||step||, for rows and steps of equal shape."""
    n = problem.clients
    rows, steps = z.reshape(-1, z.shape[-1]), step.reshape(-1, z.shape[-1])
    cohort = everyone(n, len(rows) // n)
    change = problem.gradient(rows + steps, cohort) - problem.gradient(rows, cohort)
    return np.linalg.norm(change[:, parts(problem)[block]], axis=1) / np.linalg.norm(steps, axis=1)


@given(problems(), st.integers(0, 1000), st.sampled_from([1e-3, 1e-1, 1.0, 30.0]))
def test_no_pair_of_points_exceeds_smoothness(problem, seed, size):
    found, z = constants(problem), spread_of_points(problem, seed)
    assert found[Constant.SMOOTHNESS] == max(found[name] for name, _, _ in BLOCKS)
    z, rng = z[:, np.abs(z[0]).max(axis=1) < 100.0][:, :1000], np.random.default_rng(seed)
    for name, block, moved in BLOCKS:
        step = np.zeros_like(z)
        part = parts(problem)[moved]
        step[:, :, part] = size * rng.standard_normal(step[:, :, part].shape)
        if step.any():
            largest = quotients(problem, z, step, block).max()
            assert largest <= found[name] * (1.0 + 1e-9) + 1e-10


@every_case
@pytest.mark.parametrize(
    ("name", "block"), [(Constant.SMOOTHNESS_U, 0), (Constant.SMOOTHNESS_V, 1)]
)
def test_own_smoothness_is_attained_at_the_origin(problem, name, block):
    constant, best = constants(problem)[name], 0.0
    features = (problem.shared_features, problem.personal_features)[block]
    if features.shape[2] == 0:
        assert constant == 0.0
        return
    for i in range(problem.clients):
        step = np.zeros((problem.clients, width(problem)))
        step[:, parts(problem)[block]] = 1e-4 * np.linalg.svd(features[i])[2][0]
        best = max(best, quotients(problem, -step / 2.0, step, block).max())
    np.testing.assert_allclose(best, constant, rtol=1e-6)


def test_coupling_that_cancels_at_the_origin_appears_elsewhere():
    """a = (1, 1), b = (1, -1): A'B = 0, but the weights differ where u + v and u - v do."""
    problem = by_hand([[[1.0], [1.0]]], [[[1.0], [-1.0]]], [[1, 1]])
    bound = constants(problem)[Constant.SMOOTHNESS_UV]
    grid = np.array(list(product(np.linspace(-4.0, 4.0, 81), repeat=2)))[None]
    step = np.zeros_like(grid)
    step[..., 1] = 1e-5
    at_origin = quotients(problem, -step[:, :1] / 2.0, step[:, :1], 0)
    largest = quotients(problem, grid - step / 2.0, step, 0).max()
    assert at_origin.max() <= 1e-9
    assert 0.1 < largest <= bound <= 0.125 * (1.0 + 1e-12)


def test_coupling_is_attained_by_a_single_sample():
    problem = by_hand([[[3.0, 4.0]]], [[[2.0]]], [[-1]])  # 5 * 2 / 4
    np.testing.assert_allclose(constants(problem)[Constant.SMOOTHNESS_UV], 2.5, rtol=1e-12)
    step = np.array([[[0.0, 0.0, 1e-4]]])
    np.testing.assert_allclose(quotients(problem, -step / 2.0, step, 0), 2.5, rtol=1e-6)


@pytest.mark.parametrize("seed", range(20))
def test_weights_at_all_corners_stay_within_the_bounds(seed):
    """Free weights in {0, 1}: what points far out approach when personal features separate."""
    rng = np.random.default_rng(seed)
    n, N, d_u = 2, 4, 2
    y = rng.standard_normal((n, N, d_u)) + rng.choice([0.0, 2.0]) * rng.standard_normal((n, 1, d_u))
    free = np.repeat(np.eye(N)[None], n, axis=0)
    problem = by_hand(y, free, np.ones((n, N)), batch=3)
    found = constants(problem)
    corners = np.array(list(product((0.0, 1.0), repeat=N)))
    gradients = -np.einsum("wl,nld->nwd", corners, y) / N
    both = np.stack(np.broadcast_arrays(gradients[0][:, None], gradients[1][None]))
    differences = ((both - both.mean(axis=0)) ** 2).sum(axis=-1).mean(axis=0)
    assert differences.max() <= found[Constant.DISSIMILARITY] * (1.0 + 1e-12)
    assert found[Constant.DISSIMILARITY] <= 6.0 * differences.max()
    assert (both**2).sum(axis=-1).mean(axis=0).max() <= problem.gradient_bound * (1.0 + 1e-12)
    noise = -corners[None, :, :, None] * y[:, None] - gradients[:, :, None]
    lengths = (noise**2).sum(axis=-1)
    variance = lengths.mean(axis=-1).max() / 3
    assert variance <= found[Constant.VARIANCE_U] * (1.0 + 1e-12)
    assert found[Constant.VARIANCE_U] <= 2.5 * variance
    assert np.sqrt(lengths.max()) <= problem.noise_support[0] * (1.0 + 1e-12)
    # the family reaches such a corner: scores of 400 in the personal variables
    z = np.concatenate([np.zeros((n, d_u)), -800.0 * (corners[[5, 9]] - 0.5)], axis=1)
    reached = problem.gradient(z, everyone(n, 1))[:, :d_u]
    np.testing.assert_allclose(reached, gradients[[0, 1], [5, 9]], rtol=1e-12, atol=1e-15)


# ---- cases where a bound is attained


def test_dissimilarity_is_attained_by_opposite_clients():
    problem = by_hand([[[1.0]], [[1.0]]], [[[1.0]], [[1.0]]], [[1], [-1]])
    differences, _ = deviation(problem, np.array([[[0.0, -50.0]], [[0.0, 50.0]]]))
    np.testing.assert_allclose(differences, 1.0, rtol=1e-12)
    np.testing.assert_allclose(problem.dissimilarity, 1.0, rtol=1e-12)


def test_variance_and_support_are_attained_by_equal_shared_features():
    problem = by_hand([[[2.0], [2.0]]], [[[1.0], [-1.0]]], [[1, 1]], batch=1)
    found = all_batches(problem, np.array([[0.0, -80.0]]))[0, :, 0]  # weights 1 and 0
    np.testing.assert_allclose(found, [-2.0, 0.0], atol=1e-15)
    np.testing.assert_allclose(constants(problem)[Constant.VARIANCE_U], found.var(), rtol=1e-12)
    np.testing.assert_allclose(problem.noise_support[0], 1.0, rtol=1e-12)


def test_the_gradient_bound_is_attained_by_the_regulariser_alone():
    problem = by_hand(np.zeros((2, 1, 3)), np.zeros((2, 1, 1)), np.ones((2, 1)), rho=0.7)
    u = np.array([1.0, 1.0, 1.0]) / 3.0
    z = np.array([[[*u, 0.0]], [[*u, 5.0]]])
    np.testing.assert_allclose(deviation(problem, z)[1], problem.gradient_bound, rtol=1e-12)


def test_one_sample_has_no_noise_and_one_client_no_dissimilarity():
    found = constants(CASES["one sample"])
    assert found[Constant.VARIANCE_U] == found[Constant.VARIANCE_V] == 0.0
    assert CASES["one sample"].noise_support == (0.0, 0.0)
    assert CASES["n=1"].dissimilarity == 0.0


def test_exact_gradients_have_no_noise():
    problem = synthetic(batch=None)
    found = problem.constants(origin(problem))
    for name in (Constant.VARIANCE_U, Constant.VARIANCE_V):
        assert (found[name].value, found[name].provenance) == (0.0, Provenance.EXACT)
    assert problem.noise_support == (0.0, 0.0)


@every_case
def test_bounds_are_called_certified_upper_values(problem):
    found = problem.constants(origin(problem))
    exact = {Constant.SMOOTHNESS_U, Constant.SMOOTHNESS_V, Constant.SMOOTHNESS}
    exact |= {Constant.INITIAL_GRADIENTS, Constant.INITIAL_GRADIENT}
    for name, constant in found.items():
        if name in exact or constant.value == 0.0:
            assert (constant.provenance, constant.side) == (Provenance.EXACT, Side.BOTH)
        else:
            assert (constant.provenance, constant.side) == (Provenance.CERTIFIED, Side.UPPER)


def test_the_constants_of_the_start():
    problem, rng = CASES["n=3"], np.random.default_rng(9)
    start = Start(rng.standard_normal(2), rng.standard_normal((3, 3)))
    found = problem.constants(start)
    z = np.concatenate([np.repeat(start.u[None], 3, axis=0), start.v], axis=1)
    value = problem.value(z, everyone(3, 1)).mean() - problem.infimum()
    assert value <= found[Constant.INITIAL_GAP].value <= value * (1.0 + 1e-11)
    shared = problem.gradient(z, everyone(3, 1))[:, :2]
    np.testing.assert_allclose(found[Constant.INITIAL_GRADIENTS].value, (shared**2).sum())
    np.testing.assert_allclose(
        found[Constant.INITIAL_GRADIENT].value, (shared.mean(axis=0) ** 2).sum()
    )


@given(problems(), st.integers(0, 9))
def test_constants_of_rationals_are_those_of_floats_and_no_lower(problem, seed):
    """Norms and roots are rounded up; a constant that is lower by more than floats lose is wrong."""
    rational = replace(
        to_rational(problem), regularisation=fmpq(*problem.regularisation.as_integer_ratio())
    )
    rng = np.random.default_rng(seed)
    u, v = (
        rng.integers(-8, 8, problem.shared_dimension),
        rng.integers(-8, 8, (problem.clients, problem.personal_dimension)),
    )
    floats = problem.constants(Start(u / 4, v / 4))
    exact = rational.constants(Start(in_rationals(u / 4), in_rationals(v / 4)))
    assert exact.keys() == floats.keys()
    for name, found in exact.items():
        assert isinstance(found.value, fmpq | int | float), name
        value, wanted = float(fmpq_float(found.value)), floats[name].value
        assert abs(value - wanted) <= 1e-9 * (1e-3 + wanted), name
        if found.value:
            assert found.provenance is Provenance.CERTIFIED, name
            assert found.side is Side.UPPER, name


def fmpq_float(value):
    return int(value.p) / int(value.q) if isinstance(value, fmpq) else value
