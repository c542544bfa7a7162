"""Exact moments against enumeration in rationals, a closed form, sampling and long runs."""

from dataclasses import replace
from fractions import Fraction as F

import bridge
import numpy as np
import oracles
import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from fedbounds.algorithms import fedavg_p
from fedbounds.algorithms.fedavg_p import Carry, with_effective_step
from fedbounds.errors import FedboundsError
from fedbounds.problems import (
    FederatedQuadratic,
    Noise,
    NoiseLaw,
    Start,
    everyone,
    federated_quadratic,
    to_rational,
)
from fedbounds.problems.problem import initial_value
from fedbounds.verify.affine import read_off, state_size
from fedbounds.verify.moments import advance, exact_moments, initial_moment
from fedbounds.verify.observe import forms, observe, per_replica
from fedbounds.vocabulary import Quantity

NAMES = ("f", "G_u", "G_v", "B", "T_1u", "T_1v", "T_2u", "T_2v", "T_3u", "E")


def steps(m, K, gamma=F(1, 5), eta_u=F(1), eta_v=F(1)):
    """Step sizes with gamma_u eta_u = gamma_v eta_v = gamma."""
    return oracles.Steps(m, K, gamma / eta_u, gamma / eta_v, eta_u, eta_v)


def scalar_blocks(A, C, D, a, d):
    """d_u = d_v = 1: one number per client and block."""
    hessian = [[[A_i, C_i], [C_i, D_i]] for A_i, C_i, D_i in zip(A, C, D, strict=True)]
    return oracles.Quadratic(1, hessian, [list(pair) for pair in zip(a, d, strict=True)])


OWN_CURVATURE = scalar_blocks(
    A=[F(1), F(3, 2), F(2)], C=[F(1, 2), F(-1), F(1, 3)], D=[F(1), F(2), F(3, 4)],
    a=[F(1), F(-2), F(3)], d=[F(0), F(1), F(-1)],
)  # fmt: skip
TWO = scalar_blocks(
    A=[F(1), F(2)], C=[F(1, 2), F(-2, 3)], D=[F(1), F(3, 2)], a=[F(1), F(-1, 2)], d=[F(1, 3), F(2)]
)
SHARED_ONLY = oracles.Quadratic(
    2,
    [
        [[F(2), F(1, 2)], [F(1, 2), F(1)]],
        [[F(1), F(0)], [F(0), F(3)]],
        [[F(1), F(-1)], [F(-1), F(2)]],
    ],
    [[F(1), F(0)], [F(-1), F(2)], [F(1, 2), F(-3)]],
)
PERSONAL_ONLY = oracles.Quadratic(0, SHARED_ONLY.hessian, SHARED_ONLY.linear)
WIDE = oracles.Quadratic(
    1,
    [
        [[F(2), F(1, 2), F(1, 3)], [F(1, 2), F(1), F(1, 4)], [F(1, 3), F(1, 4), F(3, 2)]],
        [[F(1), F(-1, 3), F(0)], [F(-1, 3), F(2), F(1, 2)], [F(0), F(1, 2), F(1)]],
    ],
    [[F(1), F(-1), F(2)], [F(0), F(1, 2), F(-1, 3)]],
)
UNBOUNDED = scalar_blocks(
    A=[F(1), F(-2)], C=[F(1, 2), F(1)], D=[F(1), F(1)], a=[F(1), F(2)], d=[F(0), F(-1)]
)

# objective, step sizes, (scale_u, scale_v), T
ENUMERATED = {
    "n=3 m=2 K=2": (OWN_CURVATURE, steps(2, 2), (F(1, 2), F(0)), 2),
    "n=3 m=1 K=2": (OWN_CURVATURE, steps(1, 2), (F(1), F(1, 2)), 1),
    "n=3 m=3 K=1": (OWN_CURVATURE, steps(3, 1, F(1, 4)), (F(1, 2), F(1, 3)), 1),
    "n=3 m=2 K=1 unequal inner steps": (
        OWN_CURVATURE, steps(2, 1, F(1, 5), F(3, 2), F(5, 4)), (F(0), F(1, 2)), 3,
    ),
    "n=2 m=1 K=2 unequal inner steps": (
        TWO, steps(1, 2, F(1, 6), F(3), F(1, 2)), (F(1), F(0)), 3,
    ),
    "n=2 m=2 K=2": (TWO, steps(2, 2), (F(0), F(1)), 2),
    "n=2 m=1 K=3": (TWO, steps(1, 3, F(1, 7), F(3, 2), F(2)), (F(1, 2), F(1, 2)), 1),
    "n=2 m=2 K=3": (TWO, steps(2, 3, F(1, 4), F(2), F(1)), (F(1), F(0)), 1),
    "n=1": (oracles.Quadratic(1, TWO.hessian[:1], TWO.linear[:1]), steps(1, 2), (F(1), F(1)), 2),
    "no noise": (OWN_CURVATURE, steps(2, 3, F(1, 9), F(2), F(3)), (F(0), F(0)), 3),
    "no personal block": (SHARED_ONLY, steps(2, 2, F(1, 5), F(2)), (F(1, 2), F(0)), 1),
    "no shared block": (PERSONAL_ONLY, steps(1, 2, F(1, 5), F(1), F(2)), (F(0), F(1, 2)), 1),
    "no shared block, m=n": (PERSONAL_ONLY, steps(3, 1, F(1, 5)), (F(0), F(1)), 1),
    "wide personal block": (WIDE, steps(1, 1, F(1, 4), F(4, 3), F(2)), (F(1), F(1, 2)), 2),
    "unbounded below": (UNBOUNDED, steps(1, 2), (F(1), F(0)), 2),
}  # fmt: skip


def start_of(objective):
    """Distinct small fractions."""
    d_u, n = objective.d_u, objective.clients
    d_v = len(objective.linear[0]) - d_u
    u = [F(1, 1 + p) for p in range(d_u)]
    return u, [[F(i + 1, 2 + p) for p in range(d_v)] for i in range(n)]


def exact_series(objective, parameters, scales, rounds):
    u, v = start_of(objective)
    found = exact_moments(
        bridge.exact_problem(objective, *scales),
        bridge.algorithm(parameters),
        bridge.exact_start(u, v),
        rounds,
    )
    assert found.diverged_at is None
    return {name: [bridge.fraction(x) for x in found.series[name]] for name in NAMES}


def enumerated_series(objective, parameters, scales, rounds, *, infimum, jointly=False):
    u, v = start_of(objective)
    spread = [scales[0]] * objective.d_u + [scales[1]] * (len(objective.linear[0]) - objective.d_u)
    found = oracles.enumerate_expectations(
        objective, parameters, u, v, spread, rounds, jointly=jointly
    )
    series = {name: [F(seen[name]) for seen in found] for name in NAMES}
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
    objective, parameters = TWO, steps(1, 2, F(1, 6), F(3), F(1, 2))
    scales = (F(1), F(0))
    quick = enumerated_series(objective, parameters, scales, 2, infimum=0)
    brute = enumerated_series(objective, parameters, scales, 2, infimum=0, jointly=True)
    assert quick == brute


small = st.fractions(min_value=-2, max_value=2, max_denominator=4)
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
        root = [[draw(small) for _ in range(d_u + d_v)] for _ in range(d_u + d_v)]
        # R R' + 1/4 is positive definite
        hessian.append([[oracles.dot(x, y) + (x is y) * F(1, 4) for y in root] for x in root])
    linear = [[draw(small) for _ in range(d_u + d_v)] for _ in range(n)]
    noisy = draw(st.sampled_from("uv")) if d_u and d_v else "u" if d_u else "v"
    scale = draw(st.sampled_from([F(0), F(1, 2), F(1)]))
    scales = (scale, F(0)) if noisy == "u" else (F(0), scale)
    parameters = steps(m, K, draw(positive) / 8, draw(positive), draw(positive))
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
    u, v = start_of(objective)
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
    start = bridge.exact_start(*start_of(objective))
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
    objective = scalar_blocks(
        A=[F(1)] * 3, C=[F(0)] * 3, D=[F(1, 2), F(1), F(2)],
        a=[F(1), F(-2), F(1, 2)], d=[F(1), F(0), F(-1)],
    )  # fmt: skip
    parameters = steps(m, K, F(1, 4), F(2), F(1, 2))
    scales = (F(1, 2), F(0)) if rounds > 1 or m == 3 else (F(1, 2), F(1))
    expected = enumerated_series(
        objective, parameters, scales, rounds, infimum=oracles.least_value(objective)
    )
    plain = oracles.Decoupled(
        1.0, [1.0, -2.0, 0.5], [0.5, 1.0, 2.0], [1.0, 0.0, -1.0], *map(float, scales)
    )
    u, v = start_of(objective)
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
        features, reached = observe(problem, parameters, carry, drawn)
        seen = {name.value: per_replica(form, features) for name, form in table.items()}
        z = np.concatenate([np.broadcast_to(carry.u, (4, replicas, 2)), carry.v], axis=2)
        values = problem.value(z.reshape(4 * replicas, 3), everyone(4, replicas))
        seen["f"] = values.reshape(4, replicas).mean(axis=0) - problem.infimum()
        assert set(seen) == set(NAMES)
        for name, values in seen.items():
            error = values.std(ddof=1) / np.sqrt(replicas)
            assert abs(values.mean() - exact[name][t]) <= 5 * error + 1e-12, (name, t)
        carry = fedavg_p.server(parameters, carry, drawn, reached)


# ---- float64


@pytest.mark.parametrize("coupling", [0.0, 0.5])
def test_floats_and_rationals_agree(coupling):
    problem = federated_quadratic(
        clients=4, shared_dimension=2, personal_dimension=2, coupling=coupling,
        noise=Noise(NoiseLaw.GAUSSIAN, 0.5, 0.25), seed=5,
    )  # fmt: skip
    parameters = with_effective_step(2, 3, 0.1, 2.0, 1.5)
    rng = np.random.default_rng(0)
    start = Start(u=rng.standard_normal(2), v=rng.standard_normal((4, 2)))
    floats = exact_moments(problem, parameters, start, 6).series
    rationals = exact_moments(
        to_rational(problem), to_rational(parameters), to_rational(start), 6
    ).series
    for name in NAMES:
        expected = np.array([float(x) for x in rationals[name]])
        np.testing.assert_allclose(floats[name], expected, rtol=1e-12, err_msg=name)


def test_ten_thousand_rounds_with_noise_become_stationary():
    problem = federated_quadratic(
        clients=4, shared_dimension=2, personal_dimension=2, coupling=0.5,
        noise=Noise(NoiseLaw.GAUSSIAN, 1.0, 1.0), seed=2,
    )  # fmt: skip
    parameters = with_effective_step(2, 3, 0.1, 2.0, 2.0)
    start = Start(u=np.full(2, 10.0), v=np.full((4, 2), -10.0))
    found = exact_moments(problem, parameters, start, 10_000)
    assert found.diverged_at is None
    for name in NAMES:
        series = found.series[name]
        assert series.shape == (10_001,)
        assert np.isfinite(series).all()
        np.testing.assert_allclose(series[5000:], series[-1], rtol=1e-11, err_msg=name)
    for name in ("f", "G_u", "G_v", "B", "T_2u", "T_2v", "T_3u", "E"):
        assert (found.series[name] > 0).all()


@pytest.mark.parametrize(("coupling", "floor"), [(0.0, 1e-150), (0.5, 1e-30)])
def test_a_noise_free_homogeneous_run_decays_to_nothing_and_never_below(coupling, floor):
    # with coupling the minimiser's rounding leaves slopes of 1e-17 that differ between clients
    one = federated_quadratic(
        clients=1, shared_dimension=2, personal_dimension=1, coupling=coupling,
        strong_convexity=0.2, seed=6,
    )  # fmt: skip
    problem = FederatedQuadratic(
        np.repeat(one.hessian, 4, axis=0), np.repeat(one.linear, 4, axis=0), 2
    )
    start = Start(u=np.array([1.0, -2.0]), v=np.full((4, 1), 0.5))
    found = exact_moments(problem, with_effective_step(2, 2, 0.1, 1.5, 1.5), start, 10_000)
    assert found.diverged_at is None
    gap = found.series["f"]
    assert (np.diff(gap)[gap[:-1] > 2 * floor] < 0).all()
    for name in ("f", "G_u", "G_v", "B", "E"):
        assert (found.series[name] >= 0).all(), name
        assert found.series[name][-1] <= floor * max(1.0, found.series[name][0]), name


@pytest.mark.parametrize("seed", [1, 3])
def test_a_converged_tail_still_obeys_smoothness(seed):
    """G_u <= 2 L (f - inf f) and G_v likewise, although both have sunk to the squared rounding."""
    problem = federated_quadratic(
        clients=5, shared_dimension=2, personal_dimension=1, dissimilarity=4.0,
        strong_convexity=0.2, seed=seed,
    )  # fmt: skip
    start = Start(u=np.ones(2), v=np.ones((5, 1)))
    found = exact_moments(problem, with_effective_step(5, 1, 0.4), start, 3000).series
    assert found["f"][-1] <= 1e-30
    for name in ("G_u", "G_v"):
        assert (found[name] >= 0).all()
        assert (found[name] <= 2 * found["f"] * (1 + 1e-9)).all(), name


def test_divergence_is_reported_with_its_round():
    hessian, linear = np.ones((1, 1, 1)), np.zeros((1, 1))
    problem = FederatedQuadratic(hessian, linear, shared_dimension=1)
    start = Start(u=np.ones(1), v=np.zeros((1, 0)))
    # u+ = -10 u, so G_u = u^2 = 10^(2t) overflows between t = 150 and 155
    found = exact_moments(problem, with_effective_step(1, 1, 11.0), start, 200)
    assert 150 <= found.diverged_at <= 155
    expected = 10.0 ** (2 * np.arange(found.diverged_at))
    np.testing.assert_allclose(found.series["G_u"], expected, rtol=1e-10)


def test_second_moments_stay_exactly_symmetric():
    """Else rounding feeds an antisymmetric part that may grow."""
    problem = federated_quadratic(
        clients=4, shared_dimension=2, personal_dimension=2, coupling=0.5,
        noise=Noise(NoiseLaw.GAUSSIAN, 1.0, 1.0), seed=2,
    )  # fmt: skip
    algorithm = with_effective_step(2, 3, 0.1, 2.0, 2.0)
    found = read_off(problem.centred(), algorithm)
    moment = initial_moment(problem, algorithm, Start(u=np.ones(2), v=np.ones((4, 2))))
    for _ in range(50):
        moment = advance(found, moment, 1 / 2, 1 / 6)
        np.testing.assert_array_equal(moment, moment.T)


# ---- refusals


def test_a_state_too_large_is_refused():
    problem = FederatedQuadratic(np.zeros((2, 751, 751)), np.zeros((2, 751)), shared_dimension=0)
    assert state_size(problem, with_effective_step(1, 1, 0.1)) == 1502
    with pytest.raises(FedboundsError, match="its size is 1502, at most 1500 .* use sampling"):
        read_off(problem, with_effective_step(1, 1, 0.1))


def clip_server(original):
    def server(algorithm, carry, drawn, reached):
        moved = original(algorithm, carry, drawn, reached)
        return Carry(u=np.clip(moved.u, -3.0, 3.0), v=moved.v)

    return server


def sign_of_participation(original):
    def server(algorithm, carry, drawn, reached):
        moved = original(algorithm, carry, drawn, reached)
        return Carry(u=moved.u, v=moved.v * drawn.present[:1, :, None])

    return server


@pytest.mark.parametrize("plant", [clip_server, sign_of_participation])
def test_a_round_that_is_not_affine_is_refused(plant, monkeypatch):
    problem = federated_quadratic(clients=3, shared_dimension=1, personal_dimension=1, seed=1)
    start = Start(u=np.ones(1), v=np.ones((3, 1)))
    parameters = with_effective_step(2, 2, 0.1)
    exact_moments(problem, parameters, start, 1)
    monkeypatch.setattr(fedavg_p, "server", plant(fedavg_p.server))
    with pytest.raises(FedboundsError, match="not affine in state, noise and participation"):
        exact_moments(problem, parameters, start, 1)


def test_a_round_that_is_not_affine_in_the_noise_is_refused(monkeypatch):
    """e^3 answers a unit probe as e does, and so would go unnoticed."""
    original = fedavg_p.local

    def local(problem, algorithm, carry, drawn, *visit):
        cubed = None if drawn.noise is None else drawn.noise**3
        return original(problem, algorithm, carry, replace(drawn, noise=cubed), *visit)

    problem = federated_quadratic(
        clients=3,
        shared_dimension=1,
        personal_dimension=1,
        noise=Noise(NoiseLaw.GAUSSIAN, 1.0, 1.0),
    )
    monkeypatch.setattr(fedavg_p, "local", local)
    with pytest.raises(FedboundsError, match="not affine"):
        exact_moments(
            problem, with_effective_step(2, 2, 0.1), Start(np.ones(1), np.ones((3, 1))), 1
        )


def test_wrong_shapes_and_too_many_participants_are_refused():
    problem = federated_quadratic(clients=3, shared_dimension=1, personal_dimension=1)
    start = Start(u=np.ones(1), v=np.ones((3, 1)))
    with pytest.raises(FedboundsError, match="participants m is 4"):
        exact_moments(problem, with_effective_step(4, 1, 0.1), start, 1)
    with pytest.raises(FedboundsError, match="shape of the start"):
        exact_moments(problem, with_effective_step(2, 1, 0.1), Start(start.u, start.v[:2]), 1)


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
    u, v = start_of(objective)
    start = bridge.exact_start(u, v)
    shift = bridge.exact([F(7, 2), F(7, 2)])
    moved = replace(problem, linear=problem.linear + problem.hessian @ shift)
    elsewhere = Start(u=start.u - shift[:1], v=start.v - shift[1:])
    algorithm = bridge.algorithm(parameters)
    here = exact_moments(problem, algorithm, start, 3).series
    there = exact_moments(moved, algorithm, elsewhere, 3).series
    for name in NAMES:
        assert (here[name] == there[name]).all(), name


def test_every_quantity_of_the_vocabulary_is_measured():
    lemma_a2 = {Quantity.SAMPLE_MEAN, Quantity.POPULATION_MEAN, Quantity.SPREAD}
    assert set(NAMES) == {name.value for name in set(Quantity) - lemma_a2}


def test_results_of_rationals_are_rationals():
    objective, parameters, scales, _ = ENUMERATED["n=2 m=2 K=2"]
    found = exact_moments(
        bridge.exact_problem(objective, *scales),
        bridge.algorithm(parameters),
        bridge.exact_start(*start_of(objective)),
        1,
    )
    assert all(isinstance(x, fmpq) for name in NAMES for x in found.series[name])


def test_whole_outer_steps_serve_rationals_too():
    """`with_effective_step` has outer steps 1 unless told otherwise."""
    problem = federated_quadratic(clients=3, shared_dimension=1, personal_dimension=1)
    start = Start(u=np.ones(1), v=np.ones((3, 1)))
    parameters = with_effective_step(2, 2, 0.125)
    found = exact_moments(to_rational(problem), to_rational(parameters), to_rational(start), 2)
    expected = exact_moments(problem, parameters, start, 2)
    for name in NAMES:
        np.testing.assert_allclose(
            [float(x) for x in found.series[name]], expected.series[name], rtol=1e-12
        )


def test_a_start_too_far_to_square_diverges_at_once():
    problem = federated_quadratic(
        clients=1, shared_dimension=1, personal_dimension=0, strong_convexity=1.0
    )
    start = Start(u=np.array([1e200]), v=np.zeros((1, 0)))
    assert exact_moments(problem, with_effective_step(1, 1, 0.1), start, 3).diverged_at == 0
