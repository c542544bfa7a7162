"""Coupled cosines: gradients, block constants, infimum and an exact bound on dissimilarity."""

from dataclasses import replace
from itertools import product

import bridge
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from fedbounds.errors import FedboundsError
from fedbounds.facts import Constant, Fact
from fedbounds.problems import (
    CoupledCosine,
    Noise,
    NoiseLaw,
    Start,
    cohort_of,
    coupled_cosine,
    everyone,
    to_namespace,
)
from fedbounds.problems.constants import OF_BLOCKS
from fedbounds.vocabulary import Provenance, Side

CASES = {
    "n=4": coupled_cosine(clients=4, shared_dimension=3, personal_dimension=2, seed=1),
    "n=3, negative amplitude": coupled_cosine(
        clients=3, shared_dimension=2, personal_dimension=1, amplitude=-0.8, seed=2
    ),
    "n=1": coupled_cosine(clients=1, shared_dimension=2, personal_dimension=2, seed=3),
    "strong coupling": coupled_cosine(
        clients=5, shared_dimension=1, personal_dimension=1, amplitude=3.0, seed=4
    ),
    "weak coupling": coupled_cosine(
        clients=5, shared_dimension=2, personal_dimension=1, amplitude=0.01, seed=5
    ),
}
CASES["directions of any length"] = replace(
    CASES["n=3, negative amplitude"],
    shared_direction=np.array([2.0, -1.5]),
    personal_direction=np.array([0.3]),
)
every_case = pytest.mark.parametrize("problem", CASES.values(), ids=list(CASES))


def width(problem):
    return problem.shared_dimension + problem.personal_dimension


def random_rows(problem, replicas, seed=0):
    shape = (problem.clients * replicas, width(problem))
    return np.random.default_rng(seed).standard_normal(shape) * 3.0


def constants(problem):
    start = Start(
        np.zeros(problem.shared_dimension), np.zeros((problem.clients, problem.personal_dimension))
    )
    return {name: found.value for name, found in problem.constants(start).items()}


# ---- values and gradients


@every_case
def test_values_and_gradients_are_the_oracles(problem):
    objective, z = bridge.objective_of(problem), random_rows(problem, 3)
    cohort, d_u = everyone(problem.clients, 3), problem.shared_dimension
    values, gradients = problem.value(z, cohort), problem.gradient(z, cohort)
    for row, point in enumerate(z.tolist()):
        u, v = point[:d_u], point[d_u:]
        np.testing.assert_allclose(values[row], objective.value(row // 3, u, v), rtol=1e-12)
        shared, personal = objective.gradient(row // 3, u, v)
        np.testing.assert_allclose(gradients[row], [*shared, *personal], rtol=1e-11, atol=1e-13)


@every_case
def test_gradients_are_finite_differences(problem):
    cohort, z = everyone(problem.clients, 4), random_rows(problem, 4)
    gradient = problem.gradient(z, cohort)
    for p in range(width(problem)):
        # an imaginary step loses no digits
        step = np.zeros_like(z)
        step[:, p] = 1e-30
        slope = problem.value(z + 1j * step, cohort).imag / 1e-30
        np.testing.assert_allclose(slope, gradient[:, p], rtol=1e-12, atol=1e-12)
        h = step * 1e25
        central = (problem.value(z + h, cohort) - problem.value(z - h, cohort)) / 2e-5
        np.testing.assert_allclose(central, gradient[:, p], rtol=1e-6, atol=1e-6)


def test_a_partial_cohort_gets_the_rows_of_its_clients(xp):
    problem = CASES["n=4"]
    present = np.random.default_rng(3).random((4, 5)) < 0.5
    present[1] = False
    chosen, z = np.flatnonzero(present), random_rows(problem, 5)
    moved, cohort = to_namespace(problem, xp), cohort_of(present, xp)
    for name in ("gradient", "value"):
        whole = getattr(problem, name)(z, everyone(4, 5))
        found = getattr(moved, name)(xp.asarray(z[chosen]), cohort)
        np.testing.assert_allclose(np.asarray(found), whole[chosen], rtol=1e-13, atol=1e-14)


# ---- smoothness

BLOCKS = (
    (Constant.SMOOTHNESS_U, 0, 0),
    (Constant.SMOOTHNESS_V, 1, 1),
    (Constant.SMOOTHNESS_UV, 0, 1),
    (Constant.SMOOTHNESS_UV, 1, 0),  # the two cross constants agree
)


def change(problem, z, step, block):
    """Norm of the change of one block of every client's gradient."""
    cohort = everyone(problem.clients, len(z) // problem.clients)
    d_u = problem.shared_dimension
    part = (slice(0, d_u), slice(d_u, None))[block]
    difference = problem.gradient(z + step, cohort) - problem.gradient(z, cohort)
    return np.linalg.norm(difference[:, part], axis=1)


@every_case
@pytest.mark.parametrize(("name", "block", "moved"), BLOCKS)
def test_smoothness_is_never_exceeded(problem, name, block, moved):
    constant, rng = constants(problem)[name], np.random.default_rng(6)
    d_u = problem.shared_dimension
    part = (slice(0, d_u), slice(d_u, None))[moved]
    for size in (1e-3, 1e-1, 1.0, 10.0):
        z = random_rows(problem, 300)
        step = np.zeros_like(z)
        step[:, part] = size * rng.standard_normal(step[:, part].shape)
        ratio = change(problem, z, step, block) / np.linalg.norm(step, axis=1)
        assert (ratio <= constant * (1 + 1e-9)).all()


@every_case
@pytest.mark.parametrize(("name", "block", "moved"), BLOCKS)
def test_smoothness_is_attained(problem, name, block, moved):
    """In the limit of short steps, where the cosine is 1 or -1."""
    constant, best = constants(problem)[name], 0.0
    d_u, n = problem.shared_dimension, problem.clients
    w, q = problem.shared_direction, problem.personal_direction
    part = (slice(0, d_u), slice(d_u, None))[moved]
    for angle in (0.0, np.pi):
        z = np.zeros((n, width(problem)))
        z[:, d_u:] = angle * q / (q @ q)
        curvature = problem.shared_hessian - problem.amplitude * np.cos(angle) * np.outer(w, w)
        top = np.linalg.svd(curvature)[2][0]
        direction = {(0, 0): top, (1, 0): w, (0, 1): q, (1, 1): q}[block, moved]
        step = np.zeros_like(z)
        step[:, part] = 1e-4 * direction / np.linalg.norm(direction)
        best = max(best, change(problem, z, step, block).max() / 1e-4)
    np.testing.assert_allclose(best, constant, rtol=1e-6)


@every_case
def test_the_largest_block_constant_is_l(problem):
    found = constants(problem)
    assert found[Constant.SMOOTHNESS] == max(found[name] for name, _, _ in BLOCKS)


# ---- infimum


@every_case
def test_no_minimisation_goes_below_the_infimum(problem):
    n, d_u = problem.clients, problem.shared_dimension
    cohort = everyone(n, 1)

    def rows_of(point):
        u = np.repeat(point[None, :d_u], n, axis=0)
        return np.concatenate([u, point[d_u:].reshape(n, -1)], axis=1)

    def both(point):
        z = rows_of(point)
        gradient = problem.gradient(z, cohort) / n
        joint = [gradient[:, :d_u].sum(axis=0), gradient[:, d_u:].reshape(-1)]
        return problem.value(z, cohort).mean(), np.concatenate(joint)

    rng = np.random.default_rng(8)
    bound = problem.infimum()
    lowest = np.inf
    for size in (0.1, 1.0, 3.0, 10.0, 30.0):
        start = size * rng.standard_normal(d_u + n * problem.personal_dimension)
        found = minimize(both, start, jac=True, method="BFGS", options={"gtol": 1e-6})
        lowest = min(lowest, found.fun)
    assert bound <= lowest
    assert lowest <= bound + 2.0 * abs(problem.amplitude)


def test_without_coupling_the_infimum_is_the_minimum():
    problem = replace(CASES["n=4"], amplitude=0.0)
    mean = problem.linear.mean(axis=0)
    u = np.linalg.solve(problem.shared_hessian, -mean)
    z = np.repeat(np.concatenate([u, np.zeros(2)])[None], 4, axis=0)
    np.testing.assert_allclose(problem.value(z, everyone(4, 1)).mean(), problem.infimum())


def test_the_initial_gap_is_a_certified_upper_value():
    problem, rng = CASES["n=4"], np.random.default_rng(9)
    start = Start(rng.standard_normal(3), rng.standard_normal((4, 2)))
    found = problem.constants(start)
    gap = found[Constant.INITIAL_GAP]
    assert (gap.provenance, gap.side) == (Provenance.CERTIFIED, Side.UPPER)
    z = np.concatenate([np.repeat(start.u[None], 4, axis=0), start.v], axis=1)
    np.testing.assert_allclose(
        gap.value, problem.value(z, everyone(4, 1)).mean() - problem.infimum()
    )
    shared = problem.gradient(z, everyone(4, 1))[:, :3]
    np.testing.assert_allclose(found[Constant.INITIAL_GRADIENTS].value, (shared**2).sum())
    np.testing.assert_allclose(
        found[Constant.INITIAL_GRADIENT].value, (shared.mean(axis=0) ** 2).sum()
    )


# ---- dissimilarity


def deviation(problem, z, replicas):
    """(1/n) sum_i ||grad_u f_i - mean||^2 in each replica; rows share u within a replica."""
    n, d_u = problem.clients, problem.shared_dimension
    stacked = z.reshape(n, replicas, -1).copy()
    stacked[:, :, :d_u] = stacked[:1, :, :d_u]
    gradient = problem.gradient(stacked.reshape(n * replicas, -1), everyone(n, replicas))
    shared = gradient.reshape(n, replicas, -1)[:, :, :d_u]
    return ((shared - shared.mean(axis=0)) ** 2).sum(axis=2).mean(axis=0)


def at_signs(problem, u, signs):
    """Rows with sin(w'u + q'v_i) = signs[i]."""
    w, q = problem.shared_direction, problem.personal_direction
    angle = np.pi / 2 * np.asarray(signs) - w @ u
    return np.concatenate(
        [np.repeat(u[None], problem.clients, axis=0), angle[:, None] * q / (q @ q)], axis=1
    )


@every_case
@pytest.mark.parametrize("size", [0.1, 1.0, 100.0])
def test_the_deviation_is_never_above_dissimilarity(problem, size):
    found = deviation(problem, random_rows(problem, 2000, seed=7) * size, 2000)
    assert (found <= problem.dissimilarity * (1 + 1e-12) + 1e-15).all()


@every_case
def test_dissimilarity_is_attained_by_a_choice_of_personal_variables(problem):
    rng = np.random.default_rng(10)
    for _ in range(3):
        u = rng.standard_normal(problem.shared_dimension) * 2.0  # at every shared point
        found = [
            deviation(problem, at_signs(problem, u, signs), 1)[0]
            for signs in product((-1, 1), repeat=problem.clients)
        ]
        np.testing.assert_allclose(max(found), problem.dissimilarity, rtol=1e-6, atol=1e-15)


def test_dissimilarity_by_hand():
    """d_u = 1, two clients, a = (2, 0), w = 1: (a_1 - a_2 - s (t_1 - t_2))^2 / 4 at t = (-1, 1)."""
    problem = CoupledCosine(
        shared_hessian=np.eye(1),
        linear=np.array([[2.0], [0.0]]),
        personal_curvature=1.0,
        amplitude=0.5,
        shared_direction=np.ones(1),
        personal_direction=np.ones(1),
    )
    assert problem.dissimilarity == (2.0 + 0.5 * 2.0) ** 2 / 4.0
    found = constants(problem)
    assert found[Constant.SMOOTHNESS_U] == found[Constant.SMOOTHNESS_V] == 1.5
    assert found[Constant.SMOOTHNESS_UV] == 0.5
    assert problem.infimum() == -1.0  # -(1/2) 1^2 - 1/2


@given(st.floats(-2.0, 2.0), st.integers(0, 100))
def test_the_sign_of_the_amplitude_does_not_matter(amplitude, seed):
    problem = coupled_cosine(
        clients=3, shared_dimension=2, personal_dimension=1, amplitude=amplitude, seed=seed
    )
    opposite = replace(problem, amplitude=-amplitude)
    np.testing.assert_allclose(problem.dissimilarity, opposite.dissimilarity, rtol=1e-12)
    assert problem.infimum() == opposite.infimum()
    assert constants(problem)[Constant.SMOOTHNESS] == constants(opposite)[Constant.SMOOTHNESS]


def test_one_client_has_no_dissimilarity():
    assert abs(CASES["n=1"].dissimilarity) <= 1e-15


@pytest.mark.parametrize("assumption", sorted(OF_BLOCKS - {Fact.BOUNDED_GRADIENTS}))
def test_every_assumption_but_bounded_gradients_holds_with_a_reason(assumption):
    evidence = CASES["n=4"].satisfies(assumption)
    assert evidence.holds is True
    assert assumption.value in evidence.reason


def test_gradients_grow_without_bound_along_the_quadratic_part():
    problem = CASES["n=4"]
    evidence = problem.satisfies(Fact.BOUNDED_GRADIENTS)
    assert evidence.holds is False
    assert "no bound" in evidence.reason
    at = np.zeros((problem.clients, width(problem)))
    norms = []
    for size in (1.0, 1e3, 1e6):
        at[:, : problem.shared_dimension] = size
        gradient = problem.gradient(at, everyone(problem.clients, 1))
        norms.append(np.linalg.norm(gradient[:, : problem.shared_dimension], axis=1).max())
    assert norms[2] > 100 * norms[1] > 1e4 * norms[0] > 0


def test_variances_are_those_of_the_noise():
    problem = replace(CASES["n=4"], noise=Noise(NoiseLaw.GAUSSIAN, 0.5, 2.0))
    found = constants(problem)
    assert found[Constant.VARIANCE_U] == 3 * 0.25
    assert found[Constant.VARIANCE_V] == 2 * 4.0


# ---- refusals


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"linear": np.zeros((17, 3))}, "number of clients is 17; expected 1 to 16"),
        ({"linear": np.zeros((0, 3))}, "number of clients is 0; expected 1 to 16"),
        ({"linear": np.zeros((4, 2))}, "shapes of A and w"),
        ({"shared_direction": np.ones(2)}, "shapes of A and w"),
        ({"personal_curvature": 0.0}, "personal curvature mu is 0.0; expected > 0"),
        ({"personal_curvature": float("nan")}, "personal curvature mu is nan; expected > 0"),
        ({"personal_direction": np.zeros(2)}, "norm of the personal direction q is 0.0"),
        ({"personal_direction": np.zeros(0)}, "norm of the personal direction q is 0.0"),
        (
            {"personal_direction": np.full(2, np.nan)},
            "personal_direction is .nan nan.; expected finite numbers",
        ),
        ({"shared_hessian": np.diag([1.0, 1.0, -0.5])}, "smallest eigenvalue of A is -0.5"),
        ({"shared_hessian": np.triu(np.ones((3, 3)))}, "A symmetric and finite"),
        ({"shared_hessian": np.full((3, 3), np.nan)}, "shared_hessian is"),
    ],
)
def test_impossible_parts_are_refused(changes, said):
    with pytest.raises(FedboundsError, match=said):
        replace(CASES["n=4"], **changes)


@pytest.mark.parametrize(
    "changes",
    [
        {"linear": np.full((4, 3), np.nan)},
        {"amplitude": float("nan")},
        {"amplitude": float("inf")},
        {"shared_direction": np.full(3, np.inf)},
    ],
)
def test_numbers_that_are_not_finite_are_refused(changes):
    with pytest.raises(FedboundsError):
        replace(CASES["n=4"], **changes)
