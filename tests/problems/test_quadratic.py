"""Quadratics: gradients, constants, minimiser and dissimilarity, exact in rationals."""

from dataclasses import replace
from fractions import Fraction as F

import bridge
import numpy as np
import oracles
import pytest
from flint import fmpq, fmpq_mat
from hypothesis import given
from hypothesis import strategies as st

from fedbounds.errors import FedboundsError
from fedbounds.facts import Constant, Fact
from fedbounds.problems import (
    FederatedQuadratic,
    Noise,
    NoiseLaw,
    Start,
    cohort_of,
    everyone,
    federated_quadratic,
    to_float,
    to_namespace,
    to_rational,
)
from fedbounds.problems.problem import initial_value
from fedbounds.vocabulary import Provenance, Side

small = st.fractions(min_value=-3, max_value=3, max_denominator=5)


@st.composite
def quadratics(draw, *, definite=False):
    """Small exact quadratics as the oracle's lists, any blocks."""
    d_u, d_v = draw(st.sampled_from([(1, 1), (2, 1), (1, 2), (2, 0), (0, 2)]))
    n, d = draw(st.integers(1, 3)), d_u + d_v
    hessian = []
    for _ in range(n):
        root = [[draw(small) for _ in range(d)] for _ in range(d)]
        if definite:
            hessian.append([[oracles.dot(x, y) + (x is y) * F(1, 3) for y in root] for x in root])
        else:
            hessian.append([[root[p][q] + root[q][p] for q in range(d)] for p in range(d)])
    return oracles.Quadratic(d_u, hessian, [[draw(small) for _ in range(d)] for _ in range(n)])


def rows(objective, data):
    """A random exact point of every client, with the rows the package takes."""
    d = len(objective.linear[0])
    points = [[data.draw(small) for _ in range(d)] for _ in range(objective.clients)]
    return points, bridge.exact(points)


def random_rows(problem, replicas, seed=0):
    d = problem.shared_dimension + problem.personal_dimension
    return np.random.default_rng(seed).standard_normal((problem.clients * replicas, d)) * 3.0


def origin(problem):
    zero = problem.linear[:1].sum() * 0
    return Start(
        u=problem.linear[0, : problem.shared_dimension] * 0,
        v=problem.linear[:, problem.shared_dimension :] * 0 + zero,
    )


def value_of(problem, name):
    return problem.constants(origin(problem))[name].value


# ---- values and gradients


@given(quadratics(), st.data())
def test_values_and_gradients_are_the_oracles(objective, data):
    problem = bridge.exact_problem(objective)
    points, z = rows(objective, data)
    cohort = everyone(objective.clients, 1)
    values, gradients = problem.value(z, cohort), problem.gradient(z, cohort)
    for i, point in enumerate(points):
        u, v = point[: objective.d_u], point[objective.d_u :]
        assert bridge.fraction(values[i]) == objective.value(i, u, v)
        shared, personal = objective.gradient(i, u, v)
        assert bridge.fractions(gradients[i]) == [*shared, *personal]


@given(quadratics(), st.data())
def test_gradients_are_central_differences(objective, data):
    """Exactly: the third derivative of a quadratic vanishes."""
    problem = bridge.exact_problem(objective)
    _, z = rows(objective, data)
    cohort, h = everyone(objective.clients, 1), fmpq(1, 3)
    gradient = problem.gradient(z, cohort)
    for p in range(z.shape[1]):
        step = z * 0
        step[:, p] = step[:, p] + h
        slope = (problem.value(z + step, cohort) - problem.value(z - step, cohort)) / (2 * h)
        assert (slope == gradient[:, p]).all()


@pytest.mark.parametrize("dimensions", [(2, 1), (0, 2), (2, 0)])
def test_a_partial_cohort_gets_the_rows_of_its_clients(dimensions):
    problem = federated_quadratic(
        clients=4, shared_dimension=dimensions[0], personal_dimension=dimensions[1], seed=1
    )
    rng = np.random.default_rng(2)
    present = rng.random((4, 6)) < 0.5
    present[2] = False  # a client that never takes part
    cohort, z = cohort_of(present), random_rows(problem, 6)
    for function in (problem.gradient, problem.value, problem.curvature):
        whole = function(z, everyone(4, 6))
        np.testing.assert_allclose(
            function(z[cohort.pair], cohort), whole[cohort.pair], rtol=1e-13, atol=1e-14
        )


def test_every_array_library_computes_the_same(xp):
    problem = federated_quadratic(
        clients=3, shared_dimension=2, personal_dimension=1, coupling=0.4, seed=1
    )
    moved, z = to_namespace(problem, xp), random_rows(problem, 5)
    present = np.ones((3, 5))
    present[1, 2:] = 0
    for cohort, rows_ in (
        (everyone(3, 5, xp), z),
        (cohort_of(present, xp), z[np.flatnonzero(present)]),
    ):
        host = everyone(3, 5) if len(rows_) == 15 else cohort_of(present)
        for name in ("gradient", "value"):
            found = getattr(moved, name)(xp.asarray(rows_), cohort)
            assert type(found) is type(xp.zeros(1))
            expected = getattr(problem, name)(rows_, host)
            np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-13, atol=1e-14)


# ---- smoothness

BLOCKS = (
    (Constant.SMOOTHNESS_U, 0, 0),
    (Constant.SMOOTHNESS_V, 1, 1),
    (Constant.SMOOTHNESS_UV, 0, 1),
    (Constant.SMOOTHNESS_UV, 1, 0),  # the two cross constants agree
)


def change(problem, moved, block, shift):
    """Norm of the change of one block of the gradient when ``moved`` block moves by ``shift``."""
    d_u = problem.shared_dimension
    parts = (slice(0, d_u), slice(d_u, None))
    z = random_rows(problem, 1)
    step = np.zeros_like(z)
    step[:, parts[moved]] = shift
    cohort = everyone(problem.clients, 1)
    difference = problem.gradient(z + step, cohort) - problem.gradient(z, cohort)
    return np.linalg.norm(difference[:, parts[block]], axis=1)


@pytest.mark.parametrize(("name", "block", "moved"), BLOCKS)
def test_smoothness_is_never_exceeded(name, block, moved):
    problem = federated_quadratic(
        clients=4, shared_dimension=3, personal_dimension=2, coupling=0.5, seed=3
    )
    constant = value_of(problem, name)
    rng = np.random.default_rng(4)
    width = (3, 2)[moved]
    for _ in range(200):
        shift = rng.standard_normal((4, width)) * 10.0 ** rng.integers(-3, 4)
        ratio = change(problem, moved, block, shift) / np.linalg.norm(shift, axis=1)
        assert (ratio <= constant * (1 + 1e-9)).all()


@pytest.mark.parametrize(("name", "block", "moved"), BLOCKS)
def test_smoothness_is_attained(name, block, moved):
    problem = federated_quadratic(
        clients=4, shared_dimension=3, personal_dimension=2, coupling=0.5, seed=3
    )
    parts = (slice(0, 3), slice(3, 5))
    matrices = problem.hessian[:, parts[block], parts[moved]]
    directions = np.stack([np.linalg.svd(matrix)[2][0] for matrix in matrices])
    ratio = change(problem, moved, block, directions * 2.0) / 2.0
    np.testing.assert_allclose(ratio.max(), value_of(problem, name), rtol=1e-9)


def test_the_largest_block_constant_is_l():
    for coupling in (0.0, 0.9):
        problem = federated_quadratic(
            clients=3, shared_dimension=2, personal_dimension=2, coupling=coupling
        )
        largest = max(value_of(problem, name) for name, _, _ in BLOCKS)
        assert value_of(problem, Constant.SMOOTHNESS) == largest


@given(st.lists(st.lists(small, min_size=2, max_size=2), min_size=1, max_size=3))
def test_norms_of_diagonal_rationals_are_exact(diagonals):
    objective = oracles.Quadratic(
        2, [[[a, F(0)], [F(0), b]] for a, b in diagonals], [[F(0), F(0)] for _ in diagonals]
    )
    problem = bridge.exact_problem(objective)
    found = problem.constants(origin(problem))[Constant.SMOOTHNESS_U]
    assert bridge.fraction(found.value) == max(abs(x) for pair in diagonals for x in pair)
    assert (found.provenance, found.side) == (Provenance.EXACT, Side.BOTH)


@given(quadratics())
def test_norms_of_other_rationals_are_certified_upper_bounds(objective):
    """Checked with determinants of b^2 I - M'M + e I: no eigenvalue of M'M above b^2."""
    problem = bridge.exact_problem(objective)
    shared, coupling, personal = problem.blocks()
    constants = problem.constants(origin(problem))
    for name, block in (
        (Constant.SMOOTHNESS_U, shared),
        (Constant.SMOOTHNESS_V, personal),
        (Constant.SMOOTHNESS_UV, coupling),
    ):
        bound = constants[name].value
        floats = [np.linalg.norm(m.astype(float), 2) for m in block if m.size]
        true = max(floats, default=0.0)
        assert true * (1 - 1e-12) <= float(bound) <= true * (1 + 1e-5) + 1e-9
        for matrix in block:
            assert_norm_at_most(matrix, bound)


def assert_norm_at_most(matrix, bound):
    """All coefficients of det(x I + b^2 I - M'M) are >= 0 exactly when b^2 I - M'M is >= 0."""
    size = matrix.shape[1]
    if matrix.size == 0:
        return
    square = matrix.T @ matrix
    gap = fmpq_mat(size, size, [
        bound * bound * (p == q) - square[p, q] for p in range(size) for q in range(size)
    ])  # fmt: skip
    coefficients = (-1 * gap).charpoly().coeffs()  # det(x I + gap)
    assert all(coefficient >= 0 for coefficient in coefficients)


def test_an_irrational_norm_is_bounded_from_above():
    golden = oracles.Quadratic(2, [[[F(1), F(1)], [F(1), F(0)]]], [[F(0), F(0)]])
    problem = bridge.exact_problem(golden)
    found = problem.constants(origin(problem))[Constant.SMOOTHNESS_U]
    assert found.value**2 - found.value - 1 > 0
    assert float(found.value) < 1.6180340 * (1 + 1e-5)
    assert (found.provenance, found.side) == (Provenance.CERTIFIED, Side.UPPER)


def test_the_norm_of_a_zero_coupling_is_zero():
    problem = to_rational(federated_quadratic(clients=2, shared_dimension=1, personal_dimension=2))
    assert value_of(problem, Constant.SMOOTHNESS_UV) == 0


# ---- minimiser and infimum


@given(quadratics(definite=True))
def test_the_minimiser_has_no_gradient_and_the_least_value(objective):
    problem = bridge.exact_problem(objective)
    point = problem.split(problem.minimiser)
    z = np.concatenate([np.stack([point.u] * objective.clients), point.v], axis=1)
    gradient = problem.gradient(z, everyone(objective.clients, 1))
    assert (gradient[:, : objective.d_u].sum(axis=0) == 0).all()
    assert (gradient[:, objective.d_u :] == 0).all()
    assert bridge.fraction(problem.infimum()) == oracles.least_value(objective)


@given(quadratics(definite=True), st.data())
def test_no_value_is_below_the_infimum(objective, data):
    problem = bridge.exact_problem(objective)
    points, z = rows(objective, data)
    z[:, : objective.d_u] = z[0, : objective.d_u]  # one shared point
    assert problem.value(z, everyone(len(points), 1)).sum() / len(points) >= problem.infimum()


def test_in_floats_too():
    problem = federated_quadratic(
        clients=5, shared_dimension=3, personal_dimension=2, coupling=0.6, seed=7
    )
    point = problem.split(problem.minimiser)
    z = np.concatenate([np.stack([point.u] * 5), point.v], axis=1)
    gradient = problem.gradient(z, everyone(5, 1))
    np.testing.assert_allclose(gradient[:, :3].sum(axis=0), 0.0, atol=1e-13)
    np.testing.assert_allclose(gradient[:, 3:], 0.0, atol=1e-13)
    rng = np.random.default_rng(8)
    for size in (1e-3, 1.0, 1e3):
        start = Start(
            point.u + size * rng.standard_normal(3), point.v + size * rng.standard_normal((5, 2))
        )
        assert initial_value(problem, start) >= problem.infimum()


def one_client(matrix, slope, d_u=1):
    matrix, slope = np.array(matrix, dtype=float), np.array(slope, dtype=float)
    return FederatedQuadratic(matrix[None], slope[None], d_u)


FLAT = [[1.0, 0.0], [0.0, 0.0]]
BELOW = {
    "indefinite": one_client([[1.0, 0.0], [0.0, -1.0]], [0.0, 0.0]),
    "slope along a flat direction": one_client(FLAT, [0.0, 1.0]),
}


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("name", BELOW)
def test_unbounded_below_is_found(name, exact):
    problem = to_rational(BELOW[name]) if exact else BELOW[name]
    assert problem.minimiser is None
    assert problem.infimum() is None
    evidence = problem.satisfies(Fact.BOUNDED_BELOW)
    assert evidence.holds is False
    assert "unbounded below" in evidence.reason
    assert Constant.INITIAL_GAP not in problem.constants(origin(problem))
    assert problem.centred() is problem


def test_a_flat_direction_without_slope_is_bounded_below():
    problem = one_client(FLAT, [2.0, 0.0])
    assert problem.infimum() == -2.0
    assert problem.satisfies(Fact.BOUNDED_BELOW).holds


def test_a_flat_direction_without_slope_is_bounded_below_in_rationals():
    problem = to_rational(one_client(FLAT, [2.0, 0.0]))
    assert problem.satisfies(Fact.BOUNDED_BELOW).holds
    assert problem.infimum() == -2


# ---- bounded gradient dissimilarity


def deviation(problem, z, replicas):
    """(1/n) sum_i ||grad_u f_i - mean||^2 in each replica; rows share u within a replica."""
    n, d_u = problem.clients, problem.shared_dimension
    stacked = z.reshape(n, replicas, -1).copy()
    stacked[:, :, :d_u] = stacked[:1, :, :d_u]
    gradient = problem.gradient(stacked.reshape(n * replicas, -1), everyone(n, replicas))
    shared = gradient.reshape(n, replicas, -1)[:, :, :d_u]
    return ((shared - shared.mean(axis=0)) ** 2).sum(axis=2).mean(axis=0)


@pytest.mark.parametrize("n", [2, 5])
def test_dissimilarity_is_attained_everywhere(n):
    problem = federated_quadratic(
        clients=n, shared_dimension=2, personal_dimension=2, dissimilarity=0.7, seed=1
    )
    assert problem.satisfies(Fact.DISSIMILARITY).holds
    found = deviation(problem, random_rows(problem, 50), 50)
    np.testing.assert_allclose(found, problem.dissimilarity, rtol=1e-10)
    assert value_of(problem, Constant.DISSIMILARITY) == problem.dissimilarity


def test_dissimilarity_of_rationals_is_exact():
    hessian = [[[F(1), F(0)], [F(0), F(i + 1)]] for i in range(3)]
    slopes = [F(1, 2), F(-1, 3), F(2)]
    problem = bridge.exact_problem(oracles.Quadratic(1, hessian, [[a, F(1)] for a in slopes]))
    mean = sum(slopes) / 3
    expected = sum((a - mean) ** 2 for a in slopes) / 3
    assert bridge.fraction(problem.dissimilarity) == expected


GROWING = {
    "own shared curvature": (dict(coupling=0.0, seed=2), "u"),
    "own shared curvature and coupling": (dict(coupling=0.5, seed=2), "u"),
}


def in_block(problem, block, size):
    """Random rows that lie in one block, multiplied by ``size``."""
    z = random_rows(problem, 1, seed=5)
    part = (
        slice(problem.shared_dimension, None)
        if block == "u"
        else slice(0, problem.shared_dimension)
    )
    z[:, part] = 0.0
    return z * size


def assert_grows(problem, block):
    assert problem.dissimilarity is None
    assert Constant.DISSIMILARITY not in problem.constants(origin(problem))
    evidence = problem.satisfies(Fact.DISSIMILARITY)
    assert evidence.holds is False
    assert evidence.reason.endswith(f"without bound in {block}")
    sizes = 10.0 ** np.arange(1, 7)
    seen = [deviation(problem, in_block(problem, block, size), 1)[0] for size in sizes]
    np.testing.assert_allclose(np.diff(np.log10(seen))[2:], 2.0, atol=0.05)


@pytest.mark.parametrize("name", GROWING)
def test_otherwise_the_deviation_grows_in_the_block_named(name):
    options, block = GROWING[name]
    problem = federated_quadratic(clients=3, shared_dimension=2, personal_dimension=2, **options)
    assert_grows(problem, block)


def test_with_one_shared_curvature_and_coupling_it_grows_in_v():
    problem = federated_quadratic(
        clients=3, shared_dimension=2, personal_dimension=2, coupling=0.5, seed=2
    )
    hessian = problem.hessian.copy()
    hessian[:, :2, :2] = hessian[0, :2, :2]
    assert_grows(replace(problem, hessian=hessian), "v")


def test_the_same_coupling_in_every_client_still_grows_in_v():
    """The personal variables differ, so a common C does not cancel."""
    one = federated_quadratic(clients=1, shared_dimension=2, personal_dimension=2, coupling=0.5)
    problem = FederatedQuadratic(np.repeat(one.hessian, 3, axis=0), np.zeros((3, 4)), 2)
    assert_grows(problem, "v")


def test_one_client_has_no_dissimilarity():
    problem = federated_quadratic(
        clients=1, shared_dimension=2, personal_dimension=2, coupling=0.5, seed=3
    )
    assert problem.dissimilarity == 0.0
    assert problem.satisfies(Fact.DISSIMILARITY).holds


def test_without_a_shared_block_there_is_no_dissimilarity():
    problem = federated_quadratic(clients=3, shared_dimension=0, personal_dimension=2)
    assert problem.dissimilarity == 0.0


# ---- other constants


def test_constants_of_the_start():
    noise = Noise(NoiseLaw.GAUSSIAN, 0.5, 3.0)
    problem = federated_quadratic(
        clients=3, shared_dimension=2, personal_dimension=1, noise=noise, seed=4
    )
    rng = np.random.default_rng(5)
    start = Start(rng.standard_normal(2), rng.standard_normal((3, 1)))
    found = {name: constant.value for name, constant in problem.constants(start).items()}
    assert found[Constant.VARIANCE_U] == 2 * 0.25
    assert found[Constant.VARIANCE_V] == 9.0
    value = sum(
        problem.value(np.array([[*start.u, *start.v[i]]] * 3), everyone(3, 1))[i] for i in range(3)
    )
    np.testing.assert_allclose(found[Constant.INITIAL_GAP], value / 3 - problem.infimum())
    gradients = [
        problem.hessian[i, :2] @ [*start.u, *start.v[i]] + problem.linear[i, :2] for i in range(3)
    ]
    np.testing.assert_allclose(
        found[Constant.INITIAL_GRADIENTS], sum(g @ g for g in gradients), rtol=1e-13
    )
    mean = sum(gradients) / 3
    np.testing.assert_allclose(found[Constant.INITIAL_GRADIENT], mean @ mean, rtol=1e-13)


def test_the_gap_at_the_minimiser_is_zero_and_not_below():
    problem = federated_quadratic(
        clients=4, shared_dimension=2, personal_dimension=2, coupling=0.5, seed=6
    )
    start = problem.split(problem.minimiser)
    gap = problem.constants(start)[Constant.INITIAL_GAP].value
    assert 0.0 <= gap <= 1e-15
    exact = to_rational(problem)
    start = exact.split(exact.minimiser)
    assert exact.constants(start)[Constant.INITIAL_GAP].value == 0


@pytest.mark.parametrize("assumption", [Fact.SMOOTH, Fact.NOISE])
def test_smoothness_and_noise_always_hold(assumption):
    problem = federated_quadratic(clients=2, shared_dimension=1, personal_dimension=1, coupling=0.5)
    assert problem.satisfies(assumption).holds


# ---- the origin at the minimiser


@given(quadratics(definite=True), st.data())
def test_centred_is_the_same_objective_around_its_minimiser(objective, data):
    problem = bridge.exact_problem(objective)
    centred, shift = problem.centred(), problem.minimiser
    assert (centred.minimiser == 0).all()
    assert centred.infimum() == 0
    start = Start(*(bridge.exact(np.reshape([data.draw(small) for _ in range(x.size)], x.shape))
                    for x in (origin(problem).u, origin(problem).v)))  # fmt: skip
    there = problem.split(shift)
    moved = Start(start.u + there.u, start.v + there.v)
    assert centred.constants(start) == problem.constants(moved)
    assert initial_value(centred, start) == initial_value(problem, moved) - problem.infimum()
    assert centred.dissimilarity == problem.dissimilarity


def test_centred_floats_keep_their_constants():
    problem = federated_quadratic(
        clients=4, shared_dimension=2, personal_dimension=2, dissimilarity=2.0, seed=9
    )
    centred = problem.centred()
    np.testing.assert_allclose(centred.minimiser, 0.0, atol=1e-15)
    for name in (Constant.SMOOTHNESS, Constant.DISSIMILARITY, Constant.STRONG_CONVEXITY):
        np.testing.assert_allclose(value_of(centred, name), value_of(problem, name), rtol=1e-12)


# ---- number types


def test_rationals_and_back_is_the_same_problem():
    noise = Noise(NoiseLaw.RADEMACHER, 0.1, 0.2)
    problem = federated_quadratic(
        clients=3, shared_dimension=2, personal_dimension=1, coupling=0.3, noise=noise
    )
    exact = to_rational(problem)
    assert all(isinstance(x, fmpq) for x in exact.hessian.reshape(-1))
    assert isinstance(exact.noise.scale_u, fmpq)
    assert bridge.fraction(exact.hessian[1, 0, 1]) == F(problem.hessian[1, 0, 1])
    back = to_float(exact)
    np.testing.assert_array_equal(back.hessian, problem.hessian)
    np.testing.assert_array_equal(back.linear, problem.linear)
    assert back.hessian.dtype == np.float64
    assert back.noise == problem.noise
    assert back.shared_dimension == problem.shared_dimension


def test_to_namespace_and_back_is_the_same_problem(xp):
    problem = federated_quadratic(clients=3, shared_dimension=2, personal_dimension=1)
    moved = to_namespace(problem, xp)
    assert type(moved.hessian) is type(xp.zeros(1))
    back = to_namespace(moved, np)
    np.testing.assert_array_equal(back.hessian, problem.hessian)
    np.testing.assert_array_equal(back.linear, problem.linear)


# ---- refusals


@pytest.mark.parametrize("wrong", [float("nan"), float("inf")])
def test_entries_that_are_not_finite_are_refused_by_client_and_place(wrong):
    hessian, linear = np.repeat(np.eye(2)[None], 3, axis=0), np.zeros((3, 2))
    bad = hessian.copy()
    bad[2, 0, 1] = bad[2, 1, 0] = wrong
    with pytest.raises(FedboundsError, match=rf"Hessian of client 2, entry \(0, 1\), is {wrong}"):
        FederatedQuadratic(bad, linear, 1)
    bad = linear.copy()
    bad[1, 0] = wrong
    with pytest.raises(FedboundsError, match=rf"linear term of client 1, entry \(0,\), is {wrong}"):
        FederatedQuadratic(hessian, bad, 1)


@pytest.mark.parametrize("exact", [False, True])
def test_a_hessian_that_is_not_symmetric_is_refused_by_client_and_entry(exact):
    hessian = np.repeat(np.eye(3)[None], 2, axis=0)
    hessian[1, 0, 2] = 0.5
    linear = np.zeros((2, 3))
    if exact:
        hessian, linear = bridge.exact(hessian.tolist()), bridge.exact(linear.tolist())
    with pytest.raises(
        FedboundsError,
        match=r"Hessian of client 1 is not symmetric: entry \(0, 2\) is (0\.5|1/2) "
        r"and entry \(2, 0\) is 0",
    ):
        FederatedQuadratic(hessian, linear, 1)


@pytest.mark.parametrize(
    ("hessian", "linear", "d_u", "said"),
    [
        ((2, 3, 2), (2, 3), 1, r"shape of the Hessians is \(2, 3, 2\); expected \(n, d, d\)"),
        ((3, 3), (3,), 1, r"shape of the Hessians is \(3, 3\)"),
        ((0, 2, 2), (0, 2), 1, "number of clients is 0; expected at least 1"),
        ((2, 2, 2), (2, 3), 1, r"shape of the linear terms is \(2, 3\); expected \(2, 2\)"),
        ((2, 2, 2), (2, 2), 3, "shared dimension d_u is 3; expected between 0 and 2"),
        ((2, 2, 2), (2, 2), -1, "shared dimension d_u is -1; expected between 0 and 2"),
    ],
)
def test_wrong_shapes_are_refused(hessian, linear, d_u, said):
    with pytest.raises(FedboundsError, match=said):
        FederatedQuadratic(np.zeros(hessian), np.zeros(linear), d_u)


def test_a_start_of_another_shape_is_refused():
    problem = federated_quadratic(clients=3, shared_dimension=2, personal_dimension=1)
    with pytest.raises(
        FedboundsError, match=r"shape of the start \(u, v\) is \(\(2,\), \(2, 1\)\)"
    ):
        problem.constants(Start(np.zeros(2), np.zeros((2, 1))))


# ---- what it says of itself


HALF = F(1, 2)
SAYS = {
    # curvatures and slopes of two clients on the line; convex, strongly convex, one minimiser
    "bowls": (((2, 0), (1, 0)), True, True, True),
    "bowls apart": (((2, 1), (1, -1)), True, True, False),
    "one is flat": (((2, 0), (0, 0)), True, False, True),
    "one is a hill": (((2, 0), (-1, 0)), False, False, False),  # which has no minimiser
}


@pytest.mark.parametrize("name", SAYS)
def test_convexity_and_a_shared_minimiser_are_decided(name):
    clients, *expected = SAYS[name]
    hessian, linear = [[[F(a)]] for a, _ in clients], [[F(h)] for _, h in clients]
    problem = bridge.exact_problem(oracles.Quadratic(1, hessian, linear))
    asked = (Fact.CONVEX, Fact.STRONGLY_CONVEX, Fact.SHARED_MINIMISER)
    assert [problem.satisfies(fact).holds for fact in asked] == expected


def test_a_semidefinite_hessian_is_convex_though_its_roots_are_irrational():
    """The path of four: eigenvalues 0, 2 and 2 +- sqrt 2."""
    path = [[1, -1, 0, 0], [-1, 2, -1, 0], [0, -1, 2, -1], [0, 0, -1, 1]]
    for shift, convex in ((F(0), True), (F(1, 10**20), False)):
        matrix = [
            [F(x) - shift * (i == j) for j, x in enumerate(row)] for i, row in enumerate(path)
        ]
        problem = bridge.exact_problem(oracles.Quadratic(4, [matrix], [[F(0)] * 4]))
        assert problem.satisfies(Fact.CONVEX).holds is convex


@pytest.mark.parametrize("scales", [(0, 0), (0, 1), (HALF, 0)])
def test_gradients_are_full_or_noisy(scales):
    problem = federated_quadratic(clients=2, shared_dimension=1, personal_dimension=1, coupling=0.5)
    noisy = replace(problem, noise=Noise(NoiseLaw.RADEMACHER, *scales))
    assert noisy.satisfies(Fact.NOISY).holds is bool(any(scales))
    assert noisy.satisfies(Fact.NOISELESS).holds is not any(scales)
