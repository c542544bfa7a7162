"""Scaffold-P against a slow oracle, its invariants, exact expectations, and planted errors."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from flint import fmpq

from fedbounds.algorithms import fedavg_p, scaffold_p
from fedbounds.algorithms.fedavg_p import with_effective_step
from fedbounds.algorithms.scaffold_p import ScaffoldP
from fedbounds.problems import (
    FederatedQuadratic,
    Noise,
    NoiseLaw,
    Start,
    coupled_cosine,
    federated_quadratic,
    to_namespace,
)
from fedbounds.verify.moments import exact_moments
from fedbounds.verify.simulate import run_chunk, stream

NOISE = Noise(NoiseLaw.RADEMACHER, 0.5, 0.25)
N, M, K = 3, 2, 2
ALGORITHM = ScaffoldP(M, K, 0.05, 0.1, 1.5, 0.75)


def problem_and_start():
    problem = federated_quadratic(
        clients=N, shared_dimension=2, personal_dimension=1, coupling=0.3, noise=NOISE
    )
    rng = np.random.default_rng(5)
    return problem, Start(rng.standard_normal(2), rng.standard_normal((N, 1)))


def oracle(problem, start, initial_noise, rounds):
    """Algorithm 4.1 for one replica, per client and per step, line by line.

    ``rounds`` is a list of (participants, noise) with noise[k][i] the joint noise of client i.
    """
    n, d_u = problem.clients, problem.shared_dimension
    u, v = start.u.copy(), [row.copy() for row in start.v]

    def gradient(i, a, b):
        return problem.hessian[i] @ np.concatenate([a, b]) + problem.linear[i]

    own = []
    for i in range(n):
        drawn = [gradient(i, u, v[i])[:d_u] + initial_noise[k][i][:d_u] for k in range(K)]
        own.append(sum(drawn) / K)
    mean = sum(own) / n
    for participants, noise in rounds:
        ends, fresh = [], list(own)
        for i in participants:
            a, b = u.copy(), v[i].copy()
            for k in range(K):
                g = gradient(i, a, b) + noise[k][i]
                a, b = (
                    a - ALGORITHM.inner_step_u * (g[:d_u] - own[i] + mean),
                    b - ALGORITHM.inner_step_v * g[d_u:],
                )
            ends.append(a)
            v[i] = (1 - ALGORITHM.outer_step_v) * v[i] + ALGORITHM.outer_step_v * b
            fresh[i] = own[i] - mean + (u - a) / (K * ALGORITHM.inner_step_u)
        u = (1 - ALGORITHM.outer_step_u) * u + ALGORITHM.outer_step_u / M * sum(ends)
        mean = mean + sum(fresh[i] - own[i] for i in participants) / n
        own = fresh
    return u, v, own, mean


def run(problem, start):
    """A vectorised run of three replicas with its draws."""
    rng = np.random.default_rng(0)
    initial = scaffold_p.init_draw(problem, ALGORITHM, rng, 3)
    carry = scaffold_p.init(problem, ALGORITHM, start, 3, initial)
    draws = [scaffold_p.draw(problem, ALGORITHM, rng, 3, True) for _ in range(4)]
    for drawn in draws:
        carry = scaffold_p.step(problem, ALGORITHM, carry, drawn)
    return carry, initial, draws


def per_replica(noise, replica):
    return noise.reshape(K, N, 3, -1)[:, :, replica]


def deviation(problem, start):
    """Largest difference of a run from the oracle, over replicas and fields."""
    carry, initial, draws = run(problem, start)
    worst = 0.0
    for r in range(3):
        rounds = [(np.flatnonzero(d.present[:, r]), per_replica(d.noise, r)) for d in draws]
        u, v, own, mean = oracle(problem, start, per_replica(initial, r), rounds)
        pairs = (
            (carry.u[r], u),
            (carry.v[:, r], np.array(v)),
            (carry.controls[:, r], np.array(own)),
            (carry.control[r], mean),
        )
        worst = max(worst, *(float(np.abs(a - b).max()) for a, b in pairs))
    return worst


def test_a_run_equals_the_oracle():
    assert deviation(*problem_and_start()) < 1e-13


def test_the_mean_of_the_controls_is_the_control():
    carry, _, _ = run(*problem_and_start())
    np.testing.assert_allclose(carry.control, carry.controls.mean(axis=0), atol=1e-14)


def test_controls_are_the_mean_gradients_of_the_last_participation():
    """c_i = (1/K) sum_k of the stochastic gradients met when client i last took part."""
    problem, start = problem_and_start()
    rng = np.random.default_rng(1)
    initial = scaffold_p.init_draw(problem, ALGORITHM, rng, 3)
    carry = scaffold_p.init(problem, ALGORITHM, start, 3, initial)
    expected = carry.controls
    for _ in range(4):
        drawn = scaffold_p.draw(problem, ALGORITHM, rng, 3, True)
        met = []

        def visit(k, z, gradient, noisy, met=met):
            met.append(gradient)

        scaffold_p.local(problem, ALGORITHM, carry, drawn, visit)
        noisy = (sum(met) + drawn.noise.sum(axis=0)).reshape(N, 3, -1)[:, :, :2] / K
        carry = scaffold_p.step(problem, ALGORITHM, carry, drawn)
        expected = np.where(drawn.present[:, :, None] > 0, noisy, expected)
        np.testing.assert_allclose(carry.controls, expected, atol=1e-12)


def test_one_client_alone_needs_no_correction():
    problem = federated_quadratic(
        clients=1, shared_dimension=2, personal_dimension=1, dissimilarity=0.0
    )
    start = Start(np.ones(2), np.ones((1, 1)))
    steps = (1, K, 0.05, 0.1, 1.5, 0.75)
    corrected = exact_moments(problem, ScaffoldP(*steps), start, 5).series
    plain = exact_moments(problem, fedavg_p.FedAvgP(*steps), start, 5).series
    for name, series in plain.items():
        np.testing.assert_allclose(corrected[name], series, rtol=1e-10, atol=1e-14)


def test_array_libraries_agree_on_equal_draws(xp):
    problem = coupled_cosine(clients=N, shared_dimension=2, personal_dimension=1, noise=NOISE)
    start = Start(np.ones(2), np.ones((N, 1)))

    def final(namespace):
        moved, begin = to_namespace(problem, namespace), to_namespace(start, namespace)
        rng = stream(0, 0, 0)
        initial = scaffold_p.init_draw(moved, ALGORITHM, rng, 4)
        carry = scaffold_p.init(moved, ALGORITHM, begin, 4, initial)
        for _ in range(3):
            drawn = scaffold_p.draw(moved, ALGORITHM, rng, 4, False, namespace)
            carry = scaffold_p.step(moved, ALGORITHM, carry, drawn)
        return carry

    ours, reference = final(xp), final(np)
    for name in ("u", "v", "controls", "control"):
        np.testing.assert_allclose(
            np.asarray(getattr(ours, name)), getattr(reference, name), rtol=1e-12, atol=1e-14
        )


CURVATURE, SLOPE = (Fraction(2), Fraction(1)), (Fraction(1), Fraction(-3))
INNER, OUTER = Fraction(1, 8), Fraction(3, 2)


def enumerated_gradient(scale, rounds):
    """E ||grad f||^2 per round by brute force: n = 2, m = 1, K = 2, scalar u, no personal block."""
    walks = list(product([scale, -scale] if scale else [Fraction(0)], repeat=K))
    states = {}
    for first in product(walks, repeat=2):
        own = tuple(CURVATURE[i] + SLOPE[i] + sum(first[i]) / K for i in range(2))
        states[Fraction(1), own] = states.get((Fraction(1), own), 0) + Fraction(1, len(walks) ** 2)
    seen = []
    for _ in range(rounds + 1):
        slopes = {u: sum(CURVATURE[i] * u + SLOPE[i] for i in range(2)) / 2 for u, _ in states}
        seen.append(sum(p * slopes[u] ** 2 for (u, _), p in states.items()))
        after = {}
        for ((u, own), p), i, walk in product(states.items(), range(2), walks):
            mean, a = sum(own) / 2, u
            for off in walk:
                a -= INNER * (CURVATURE[i] * a + SLOPE[i] + off - own[i] + mean)
            fresh = list(own)
            fresh[i] = own[i] - mean + (u - a) / (K * INNER)
            key = ((1 - OUTER) * u + OUTER * a, tuple(fresh))
            after[key] = after.get(key, 0) + p / (2 * len(walks))
        states = after
    return seen


def rational(x):
    return fmpq(x.numerator, x.denominator)


@pytest.mark.parametrize(("scale", "rounds"), [(0, 4), (1, 2)])
def test_exact_expectations_equal_enumeration_in_rationals(scale, rounds):
    problem = FederatedQuadratic(
        np.array([[[rational(x)]] for x in CURVATURE], dtype=object),
        np.array([[rational(x)] for x in SLOPE], dtype=object),
        1,
        Noise(NoiseLaw.RADEMACHER, fmpq(scale), fmpq(0)),
    )
    start = Start(np.array([fmpq(1)], dtype=object), np.empty((2, 0), dtype=object))
    algorithm = ScaffoldP(1, K, rational(INNER), rational(INNER), rational(OUTER), fmpq(1))
    found = exact_moments(problem, algorithm, start, rounds).series["G_u"]
    assert [rational(x) for x in enumerated_gradient(Fraction(scale), rounds)] == list(found)


def test_exact_expectations_agree_with_sampling():
    problem, start = problem_and_start()
    exact = exact_moments(problem, ALGORITHM, start, 4).series
    replicas = 20_000
    sampled = run_chunk(
        problem, ALGORITHM, start, 4, replicas, stream(1, 2, 3), virtual=True,
        infimum=problem.infimum(),
    )  # fmt: skip
    # what is per client, or is no mean over replicas, is not sampled
    assert {"f", "G_u", "G_v", "B", "T_1u", "T_2u", "T_3u", "E"} <= sampled.keys() < exact.keys()
    for name in sampled:
        series, seen = exact[name], sampled[name][:, :4]
        error = seen.std(axis=0) / replicas**0.5 + 1e-12
        assert np.all(abs(seen.mean(axis=0) - series[:4]) < 5 * error), name


def test_heterogeneity_leaves_no_floor_where_fedavg_p_has_one():
    """Own curvature, no noise, one of three clients a round: the controls remove the floor."""
    problem = federated_quadratic(clients=3, shared_dimension=2, personal_dimension=0, seed=3)
    start = Start(np.ones(2), np.zeros((3, 0)))
    corrected = ScaffoldP(1, 3, 0.01, 0.01, 1.0, 1.0)
    ours, plain = (
        exact_moments(problem, algorithm, start, 5000, frozenset({"G_u"})).series["G_u"][-1]
        for algorithm in (corrected, with_effective_step(1, 3, 0.01))
    )
    assert ours < 1e-12 < 1e-4 < plain


def wrong_sign(monkeypatch):
    original = scaffold_p.local

    def local(problem, algorithm, carry, drawn, visit=lambda k, z, gradient, noisy: None):
        swapped = scaffold_p.Carry(carry.u, carry.v, -carry.controls, -carry.control)
        return original(problem, algorithm, swapped, drawn, visit)

    monkeypatch.setattr(scaffold_p, "local", local)


def zero_initial_controls(monkeypatch):
    original = scaffold_p.init

    def init(*arguments):
        carry = original(*arguments)
        return scaffold_p.Carry(carry.u, carry.v, carry.controls * 0, carry.control * 0)

    monkeypatch.setattr(scaffold_p, "init", init)


def correction_on_personal(monkeypatch):
    original = fedavg_p.descend

    def descend(problem, algorithm, z, drawn, correction, visit):
        spilled = correction.copy()
        spilled[:, 2:] = correction[:, :1]
        return original(problem, algorithm, z, drawn, spilled, visit)

    monkeypatch.setattr(fedavg_p, "descend", descend)


def mean_over_participants_only(monkeypatch):
    original = scaffold_p.server

    def server(algorithm, carry, drawn, reached):
        after = original(algorithm, carry, drawn, reached)
        control = carry.control + (after.control - carry.control) * N / M
        return scaffold_p.Carry(after.u, after.v, after.controls, control)

    monkeypatch.setattr(scaffold_p, "server", server)


def absent_clients_renewed(monkeypatch):
    original = scaffold_p.server

    def server(algorithm, carry, drawn, reached):
        everyone = fedavg_p.Draw(drawn.present * 0 + 1, drawn.noise, drawn.cohort)
        renewed = original(algorithm, carry, everyone, reached)
        after = original(algorithm, carry, drawn, reached)
        return scaffold_p.Carry(after.u, after.v, renewed.controls, renewed.control)

    monkeypatch.setattr(scaffold_p, "server", server)


@pytest.mark.parametrize(
    "plant",
    [
        wrong_sign,
        zero_initial_controls,
        correction_on_personal,
        mean_over_participants_only,
        absent_clients_renewed,
    ],
)
def test_planted_errors_are_caught_by_the_oracle(monkeypatch, plant):
    given = problem_and_start()
    assert deviation(*given) < 1e-13
    plant(monkeypatch)
    assert deviation(*given) > 1e-3
