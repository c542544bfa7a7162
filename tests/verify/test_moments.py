"""Exact moments against enumeration in rationals, a closed form, sampling and the start."""

from dataclasses import replace
from fractions import Fraction as F

import bridge
import numpy as np
import oracles
import pytest
import small_quadratics as small
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from fedbounds.algorithms import fedavg_p
from fedbounds.algorithms.fedavg_p import with_effective_step
from fedbounds.problems import (
    FederatedQuadratic,
    Noise,
    NoiseLaw,
    Start,
    everyone,
    federated_quadratic,
)
from fedbounds.problems.problem import initial_value
from fedbounds.verify.moments import exact_moments
from fedbounds.verify.observe import forms, observe, per_replica

NAMES = small.TABLE_ONE


# objective, step sizes, (scale_u, scale_v), T
ENUMERATED = {
    "n=3 m=2 K=2": (small.OWN_CURVATURE, small.steps(2, 2), (F(1, 2), F(0)), 2),
    "n=3 m=1 K=2": (small.OWN_CURVATURE, small.steps(1, 2), (F(1), F(1, 2)), 1),
    "n=3 m=3 K=1": (small.OWN_CURVATURE, small.steps(3, 1, F(1, 4)), (F(1, 2), F(1, 3)), 1),
    "n=3 m=2 K=1 unequal inner steps": (
        small.OWN_CURVATURE, small.steps(2, 1, F(1, 5), F(3, 2), F(5, 4)), (F(0), F(1, 2)), 3,
    ),
    "n=2 m=1 K=2 unequal inner steps": (
        small.TWO, small.steps(1, 2, F(1, 6), F(3), F(1, 2)), (F(1), F(0)), 3,
    ),
    "n=2 m=2 K=2": (small.TWO, small.steps(2, 2), (F(0), F(1)), 2),
    "n=2 m=1 K=3": (small.TWO, small.steps(1, 3, F(1, 7), F(3, 2), F(2)), (F(1, 2), F(1, 2)), 1),
    "n=2 m=2 K=3": (small.TWO, small.steps(2, 3, F(1, 4), F(2), F(1)), (F(1), F(0)), 1),
    "n=1": (oracles.Quadratic(1, small.TWO.hessian[:1], small.TWO.linear[:1]), small.steps(1, 2), (F(1), F(1)), 2),
    "no noise": (small.OWN_CURVATURE, small.steps(2, 3, F(1, 9), F(2), F(3)), (F(0), F(0)), 3),
    "no personal block": (small.SHARED_ONLY, small.steps(2, 2, F(1, 5), F(2)), (F(1, 2), F(0)), 1),
    "no shared block": (small.PERSONAL_ONLY, small.steps(1, 2, F(1, 5), F(1), F(2)), (F(0), F(1, 2)), 1),
    "no shared block, m=n": (small.PERSONAL_ONLY, small.steps(3, 1, F(1, 5)), (F(0), F(1)), 1),
    "wide personal block": (small.WIDE, small.steps(1, 1, F(1, 4), F(4, 3), F(2)), (F(1), F(1, 2)), 2),
    "unbounded below": (small.UNBOUNDED, small.steps(1, 2), (F(1), F(0)), 2),
}  # fmt: skip


def exact_series(objective, parameters, scales, rounds):
    u, v = small.start_of(objective)
    found = exact_moments(
        bridge.exact_problem(objective, *scales),
        bridge.algorithm(parameters),
        bridge.exact_start(u, v),
        rounds,
        names=frozenset(NAMES),
    )
    assert found.diverged_at is None
    return {name: [bridge.fraction(x) for x in found.series[name]] for name in NAMES}


def enumerated_series(objective, parameters, scales, rounds, *, infimum, jointly=False):
    run = (objective, parameters, *small.start_of(objective), small.spread(objective, scales))
    found = oracles.enumerate_expectations(*map(small.quick, run), rounds, jointly=jointly)
    series = {name: [bridge.fraction(seen[name]) for seen in found] for name in NAMES}
    series["f"] = [value - infimum for value in series["f"]]
    return series


# ---- rationals


@pytest.mark.parametrize("case", ENUMERATED)
def test_equals_enumeration_exactly(case):
    objective, parameters, scales, rounds = ENUMERATED[case]
    infimum = 0 if case == "unbounded below" else oracles.least_value(objective)
    expected = enumerated_series(objective, parameters, scales, rounds, infimum=infimum)
    assert exact_series(objective, parameters, scales, rounds) == expected


@pytest.mark.parametrize("case", ["n=2 m=2 K=2", "no shared block, m=n", "wide personal block"])
def test_the_oracle_may_use_that_clients_noise_is_independent(case):
    objective, parameters, scales, _ = ENUMERATED[case]
    quick = enumerated_series(objective, parameters, scales, 1, infimum=0)
    brute = enumerated_series(objective, parameters, scales, 0, infimum=0, jointly=True)
    assert {name: values[:1] for name, values in quick.items()} == brute


def test_the_oracles_agree_jointly_after_a_round():
    objective, parameters = small.TWO, small.steps(1, 2, F(1, 6), F(3), F(1, 2))
    scales = (F(1), F(0))
    quick = enumerated_series(objective, parameters, scales, 2, infimum=0)
    brute = enumerated_series(objective, parameters, scales, 2, infimum=0, jointly=True)
    assert quick == brute


fraction = st.fractions(min_value=-2, max_value=2, max_denominator=4)
positive = st.sampled_from([F(1, 4), F(1, 2), F(1), F(3, 2), F(2)])


@st.composite
def instances(draw):
    """Small strictly convex quadratics with any blocks, and any step sizes with one product."""
    d_u, d_v = draw(st.sampled_from([(1, 0), (0, 1), (1, 1), (2, 0), (1, 1), (1, 2)]))
    n = draw(st.integers(1, 3))
    m = draw(st.integers(1, n))
    K = draw(st.integers(1, 2 if n < 3 else 1))
    hessian = []
    for _ in range(n):
        root = [[draw(fraction) for _ in range(d_u + d_v)] for _ in range(d_u + d_v)]
        # R R' + 1/4 is positive definite
        hessian.append([[oracles.dot(x, y) + (x is y) * F(1, 4) for y in root] for x in root])
    linear = [[draw(fraction) for _ in range(d_u + d_v)] for _ in range(n)]
    noisy = draw(st.sampled_from("uv")) if d_u and d_v else "u" if d_u else "v"
    scale = draw(st.sampled_from([F(0), F(1, 2), F(1)]))
    scales = (scale, F(0)) if noisy == "u" else (F(0), scale)
    parameters = small.steps(m, K, draw(positive) / 8, draw(positive), draw(positive))
    return oracles.Quadratic(d_u, hessian, linear), parameters, scales


@settings(max_examples=20)
@given(instances())
def test_equals_enumeration_on_any_small_instance(instance):
    objective, parameters, scales = instance
    expected = enumerated_series(
        objective, parameters, scales, 1, infimum=oracles.least_value(objective)
    )
    assert exact_series(objective, parameters, scales, 1) == expected


@settings(max_examples=10)
@given(instances(), st.randoms(use_true_random=False))
def test_renaming_clients_changes_nothing(instance, random):
    objective, parameters, scales = instance
    order = list(range(objective.clients))
    random.shuffle(order)
    u, v = small.start_of(objective)
    renamed = oracles.Quadratic(
        objective.d_u,
        [objective.hessian[i] for i in order],
        [objective.linear[i] for i in order],
    )
    expected = exact_series(objective, parameters, scales, 2)
    found = exact_moments(
        bridge.exact_problem(renamed, *scales),
        bridge.algorithm(parameters),
        bridge.exact_start(u, [v[i] for i in order]),
        2,
    )
    assert {name: [bridge.fraction(x) for x in found.series[name]] for name in NAMES} == expected


def test_the_law_of_the_noise_does_not_matter():
    objective, parameters, scales, rounds = ENUMERATED["n=3 m=2 K=2"]
    problem = bridge.exact_problem(objective, *scales)
    gaussian = replace(problem, noise=replace(problem.noise, law=NoiseLaw.GAUSSIAN))
    start = bridge.exact_start(*small.start_of(objective))
    series = [
        exact_moments(one, bridge.algorithm(parameters), start, rounds).series
        for one in (problem, gaussian)
    ]
    for name in NAMES:
        assert (series[0][name] == series[1][name]).all()


# ---- closed form


@pytest.mark.parametrize(
    ("n", "m", "K", "eta_u", "eta_v"),
    [(10, 5, 10, 3.0, 1.5), (10, 5, 10, 1.0, 1.0), (10, 1, 10, 2.0, 0.5), (10, 10, 10, 4.0, 1.0),
     (7, 3, 1, 1.0, 2.0), (2, 1, 6, 2.0, 2.0)],
)  # fmt: skip
def test_equals_the_closed_form(n, m, K, eta_u, eta_v):
    rng = np.random.default_rng(1)
    plain = oracles.Decoupled(
        A=0.9,
        a=rng.standard_normal(n).tolist(),
        D=rng.uniform(0.2, 1.0, n).tolist(),
        d=rng.standard_normal(n).tolist(),
        sigma_u=0.7,
        sigma_v=1.1,
    )
    gamma = 0.3 / K
    parameters = oracles.Steps(m, K, gamma / eta_u, gamma / eta_v, eta_u, eta_v)
    start = Start(u=np.array([1.5]), v=rng.standard_normal((n, 1)))
    expected = oracles.closed_form(plain, parameters, 1.5, start.v[:, 0].tolist(), 30)
    hessian = np.zeros((n, 2, 2))
    hessian[:, 0, 0], hessian[:, 1, 1] = plain.A, plain.D
    problem = FederatedQuadratic(
        hessian,
        np.array([plain.a, plain.d]).T,
        shared_dimension=1,
        noise=Noise(NoiseLaw.GAUSSIAN, plain.sigma_u, plain.sigma_v),
    )
    found = exact_moments(problem, bridge.algorithm(parameters, float), start, 30)
    for name in NAMES:
        np.testing.assert_allclose(found.series[name], expected[name], rtol=1e-10, err_msg=name)


@pytest.mark.parametrize(("m", "K", "rounds"), [(1, 2, 1), (2, 1, 2), (3, 2, 1)])
def test_the_closed_form_equals_enumeration(m, K, rounds):
    objective = small.scalar_blocks(
        A=[F(1)] * 3, C=[F(0)] * 3, D=[F(1, 2), F(1), F(2)],
        a=[F(1), F(-2), F(1, 2)], d=[F(1), F(0), F(-1)],
    )  # fmt: skip
    parameters = small.steps(m, K, F(1, 4), F(2), F(1, 2))
    scales = (F(1, 2), F(0)) if rounds > 1 or m == 3 else (F(1, 2), F(1))
    expected = enumerated_series(
        objective, parameters, scales, rounds, infimum=oracles.least_value(objective)
    )
    plain = oracles.Decoupled(
        1.0, [1.0, -2.0, 0.5], [0.5, 1.0, 2.0], [1.0, 0.0, -1.0], *map(float, scales)
    )
    u, v = small.start_of(objective)
    floats = oracles.Steps(m, K, 0.125, 0.5, 2.0, 0.5)
    found = oracles.closed_form(plain, floats, float(u[0]), [float(v_i[0]) for v_i in v], rounds)
    for name in NAMES:
        np.testing.assert_allclose(found[name], [float(x) for x in expected[name]], rtol=1e-13)


# ---- sampling


@pytest.mark.parametrize("law", list(NoiseLaw))
@pytest.mark.parametrize("m", [2, 4])
def test_agrees_with_sampling_within_its_errors(law, m):
    replicas, rounds = 4000, 4
    problem = federated_quadratic(
        clients=4, shared_dimension=2, personal_dimension=1, coupling=0.4,
        noise=Noise(law, 0.8, 0.5), seed=3,
    )  # fmt: skip
    parameters = with_effective_step(m, 3, 0.15, 1.5, 1.25)
    rng = np.random.default_rng(7)
    start = Start(u=rng.standard_normal(2), v=rng.standard_normal((4, 1)))
    exact = exact_moments(problem, parameters, start, rounds).series
    carry = fedavg_p.init(problem, parameters, start, replicas)
    table = forms(problem, parameters)
    for t in range(rounds):
        drawn = fedavg_p.draw(problem, parameters, rng, replicas, virtual=True)
        observed = observe(problem, parameters, fedavg_p, carry, drawn)
        seen = {name: per_replica(form, observed.features) for name, form in table.items()}
        z = np.concatenate([np.broadcast_to(carry.u, (4, replicas, 2)), carry.v], axis=2)
        values = problem.value(z.reshape(4 * replicas, 3), everyone(4, replicas))
        seen["f"] = values.reshape(4, replicas).mean(axis=0) - problem.infimum()
        assert set(NAMES) < set(seen) < set(exact)
        for name, values in seen.items():
            error = values.std(ddof=1) / np.sqrt(replicas)
            assert abs(values.mean() - exact[name][t]) <= 5 * error + 1e-12, (name, t)
        carry = fedavg_p.server(parameters, carry, drawn, observed.reached)


# ---- the starting point


def test_round_zero_is_the_start_itself():
    problem = federated_quadratic(clients=3, shared_dimension=2, personal_dimension=1, coupling=0.3)
    rng = np.random.default_rng(8)
    start = Start(u=rng.standard_normal(2), v=rng.standard_normal((3, 1)))
    series = exact_moments(problem, with_effective_step(1, 1, 0.1), start, 0).series
    gradient = np.stack([
        problem.hessian[i] @ [*start.u, *start.v[i]] + problem.linear[i] for i in range(3)
    ])  # fmt: skip
    gap = initial_value(problem, start) - problem.infimum()
    np.testing.assert_allclose(series["f"], [gap])
    np.testing.assert_allclose(series["B"], [(gradient[:, :2] ** 2).sum()])
    np.testing.assert_allclose(series["G_u"], [(gradient[:, :2].mean(axis=0) ** 2).sum()])
    np.testing.assert_allclose(series["G_v"], [(gradient[:, 2:] ** 2).sum() / 3])
    np.testing.assert_array_equal(series["E"], [0.0])


def test_moving_the_origin_changes_nothing():
    """f(z + c) started at x - c is the same run, to rounding exact in rationals."""
    objective, parameters, scales, _ = ENUMERATED["n=3 m=2 K=2"]
    problem = bridge.exact_problem(objective, *scales)
    u, v = small.start_of(objective)
    start = bridge.exact_start(u, v)
    shift = bridge.exact([F(7, 2), F(7, 2)])
    moved = replace(problem, linear=problem.linear + problem.hessian @ shift)
    elsewhere = Start(u=start.u - shift[:1], v=start.v - shift[1:])
    algorithm = bridge.algorithm(parameters)
    here = exact_moments(problem, algorithm, start, 3).series
    there = exact_moments(moved, algorithm, elsewhere, 3).series
    for name in NAMES:
        assert (here[name] == there[name]).all(), name


def test_results_of_rationals_are_rationals():
    objective, parameters, scales, _ = ENUMERATED["n=2 m=2 K=2"]
    found = exact_moments(
        bridge.exact_problem(objective, *scales),
        bridge.algorithm(parameters),
        bridge.exact_start(*small.start_of(objective)),
        1,
    )
    assert all(isinstance(x, fmpq) for name in NAMES for x in found.series[name])
