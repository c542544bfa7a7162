"""FedAvg, FedSim, FedAlt, Scaffold and parallel SGD against their own papers' pseudo-code."""

from dataclasses import replace

import bridge
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fedbounds.algorithms import fedalt, fedavg, fedsim, parallel_sgd, parts, scaffold
from fedbounds.algorithms.fedalt import FedAlt
from fedbounds.algorithms.fedavg import FedAvg
from fedbounds.algorithms.fedsim import FedSim
from fedbounds.algorithms.parallel_sgd import ParallelSGD
from fedbounds.algorithms.rules import rules_of
from fedbounds.algorithms.scaffold import Scaffold
from fedbounds.errors import FedboundsError
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

NOISE = Noise(NoiseLaw.GAUSSIAN, 0.7, 0.3)
REPLICAS, ROUNDS = 3, 3
MODULES = {
    FedAvg: fedavg,
    FedSim: fedsim,
    FedAlt: fedalt,
    Scaffold: scaffold,
    ParallelSGD: parallel_sgd,
}
# kind -> parameters for n, m, K, and the blocks (d_u, d_v) it is for
KINDS = {
    FedAvg: (lambda n, m, K: FedAvg(m, K, 0.21, 1.7), (2, 0)),
    FedSim: (lambda n, m, K: FedSim(m, K, 0.21, 0.13), (2, 1)),
    FedAlt: (lambda n, m, K: FedAlt(m, K, 2, 0.21, 0.13), (1, 2)),
    Scaffold: (lambda n, m, K: Scaffold(m, K, 0.21, 1.7), (2, 0)),
    ParallelSGD: (lambda n, m, K: ParallelSGD(n, 0.21), (0, 2)),
}


def quadratic(n, d_u, d_v, seed=1, noise=NOISE):
    return federated_quadratic(
        clients=n,
        shared_dimension=d_u,
        personal_dimension=d_v,
        coupling=0.5 if d_u and d_v else 0.0,
        noise=noise,
        seed=seed,
    )


class Scaled(FederatedQuadratic):
    """Noise that multiplies gradients: a stochastic gradient is the problem's to make."""

    def disturbed(self, z, gradient, cohort, noise):
        return gradient * (1 + noise)


def random_start(problem, seed):
    rng = np.random.default_rng(seed)
    d_u, d_v = problem.shared_dimension, problem.personal_dimension
    return Start(rng.standard_normal(d_u), rng.standard_normal((problem.clients, d_v)))


# ---- each paper's pseudo-code, for one replica; noise[t][i][k], and initial[k][i] for Scaffold


class Oracle:
    """Stochastic gradients of one replica, on plain vectors."""

    def __init__(self, problem):
        self.objective = bridge.objective_of(problem)
        self.n = problem.clients
        self.scaled = isinstance(problem, Scaled)

    def g(self, i, u, v, noise):
        """(g_u, g_v)."""
        gradient = np.concatenate(self.objective.gradient(i, list(u), list(v)))
        noise = np.asarray(noise)
        found = gradient * (1 + noise) if self.scaled else gradient + noise
        return found[: len(u)], found[len(u) :]


def fedavg_oracle(oracle, a, start, sets, noise, initial):
    """McMahan et al. 2017: ClientUpdate, and the average of the chosen clients' weights."""
    w, nothing = start.u, np.zeros(0)
    for t, chosen in enumerate(sets):
        sent = []
        for i in chosen:
            own = w
            for k in range(a.local_steps):
                own = own - a.inner_step_u * oracle.g(i, own, nothing, noise[t][i][k])[0]
            sent.append(own)
        w = (1 - a.outer_step_u) * w + a.outer_step_u * sum(sent) / len(chosen)
    return {"u": w, "v": start.v}


def fedsim_oracle(oracle, a, start, sets, noise, initial):
    """Pillutla et al. 2022: LocalSim."""
    u, v = start.u, list(start.v)
    for t, chosen in enumerate(sets):
        sent = []
        for i in chosen:
            u_k, v_k = u, v[i]
            for k in range(a.local_steps):
                g_u, g_v = oracle.g(i, u_k, v_k, noise[t][i][k])
                v_k = v_k - a.inner_step_v * g_v
                u_k = u_k - a.inner_step_u * g_u
            v[i] = v_k
            sent.append(u_k)
        u = sum(sent) / len(chosen)
    return {"u": u, "v": np.array(v)}


def fedalt_oracle(oracle, a, start, sets, noise, initial):
    """Pillutla et al. 2022: LocalAlt."""
    u, v = start.u, list(start.v)
    for t, chosen in enumerate(sets):
        sent = []
        for i in chosen:
            for k in range(a.personal_steps):
                v[i] = v[i] - a.inner_step_v * oracle.g(i, u, v[i], noise[t][i][k])[1]
            u_k = u
            for k in range(a.shared_steps):
                drawn = noise[t][i][a.personal_steps + k]
                u_k = u_k - a.inner_step_u * oracle.g(i, u_k, v[i], drawn)[0]
            sent.append(u_k)
        u = sum(sent) / len(chosen)
    return {"u": u, "v": np.array(v)}


def scaffold_oracle(oracle, a, start, sets, noise, initial):
    """Karimireddy et al. 2020, algorithm 1 with option II."""
    x, nothing, K = start.u, np.zeros(0), a.local_steps
    c_i = [sum(oracle.g(i, x, nothing, initial[k][i])[0] for k in range(K)) / K
           for i in range(oracle.n)]  # fmt: skip
    c = sum(c_i) / oracle.n
    for t, chosen in enumerate(sets):
        delta_y, delta_c = [], []
        for i in chosen:
            y = x
            for k in range(K):
                y = y - a.inner_step_u * (oracle.g(i, y, nothing, noise[t][i][k])[0] - c_i[i] + c)
            plus = c_i[i] - c + (x - y) / (K * a.inner_step_u)
            delta_y.append(y - x)
            delta_c.append(plus - c_i[i])
            c_i[i] = plus
        x = x + a.outer_step_u * sum(delta_y) / len(chosen)
        c = c + len(chosen) / oracle.n * sum(delta_c) / len(chosen)
    return {"u": x, "v": start.v, "controls": np.array(c_i), "control": c}


def parallel_sgd_oracle(oracle, a, start, sets, noise, initial):
    """v_i <- v_i - gamma g_i(v_i), every client in every round."""
    v, nothing = list(start.v), np.zeros(0)
    for t in range(len(sets)):
        for i in range(oracle.n):
            v[i] = v[i] - a.step * oracle.g(i, nothing, v[i], noise[t][i][0])[1]
    return {"u": start.u, "v": np.array(v)}


ORACLES = {
    FedAvg: fedavg_oracle,
    FedSim: fedsim_oracle,
    FedAlt: fedalt_oracle,
    Scaffold: scaffold_oracle,
    ParallelSGD: parallel_sgd_oracle,
}


def deviation(problem, algorithm, *, seed=0, virtual=False):
    """Largest difference of a run from the oracle's, over replicas and parts of the state."""
    kind, rules = type(algorithm), MODULES[type(algorithm)]
    rng = np.random.default_rng(seed)
    start = random_start(problem, seed)
    initial = rules.init_draw(problem, algorithm, rng, REPLICAS)
    carry = rules.init(problem, algorithm, start, REPLICAS, initial)
    draws = [rules.draw(problem, algorithm, rng, REPLICAS, virtual) for _ in range(ROUNDS)]
    for drawn in draws:
        carry = rules.step(problem, algorithm, carry, drawn)
    d, worst = problem.shared_dimension + problem.personal_dimension, 0.0
    for r in range(REPLICAS):
        first = None if initial is None else initial.reshape(-1, problem.clients, REPLICAS, d)
        expected = ORACLES[kind](
            Oracle(problem),
            algorithm,
            start,
            [np.flatnonzero(drawn.present[:, r]) for drawn in draws],
            [bridge.oracle_noise(drawn, algorithm, r, d) for drawn in draws],
            None if first is None else first[:, :, r],
        )
        for name, value in expected.items():
            found = getattr(carry, name)
            found = found[r] if found.ndim == 2 else found[:, r]
            assert found.shape == value.shape
            worst = max(worst, float(abs(found - value).max(initial=0.0)))
    return worst


# ---- the oracles


@pytest.mark.parametrize("kind", KINDS)
@given(
    n=st.integers(1, 4),
    data=st.data(),
    K=st.integers(1, 3),
    seed=st.integers(0, 1000),
    virtual=st.booleans(),
)
def test_runs_are_the_oracles_whatever_the_sizes(kind, n, data, K, seed, virtual):
    make, dimensions = KINDS[kind]
    m = data.draw(st.integers(1, n))
    problem = quadratic(n, *dimensions, seed=seed)
    assert deviation(problem, make(n, m, K), seed=seed, virtual=virtual) < 1e-12


@pytest.mark.parametrize("kind", [FedSim, FedAlt])
@pytest.mark.parametrize("virtual", [False, True])
def test_runs_are_the_oracles_on_a_coupled_nonlinear_problem(kind, virtual):
    problem = coupled_cosine(
        clients=4, shared_dimension=2, personal_dimension=1, noise=NOISE, seed=2
    )
    assert deviation(problem, KINDS[kind][0](4, 2, 3), virtual=virtual) < 1e-12


@pytest.mark.parametrize("kind", KINDS)
def test_runs_are_the_oracles_when_noise_is_not_added(kind):
    make, dimensions = KINDS[kind]
    problem = Scaled(**vars(quadratic(3, *dimensions)))
    assert deviation(problem, make(3, 2, 2)) < 1e-12


@pytest.mark.parametrize("kind", [FedSim, FedAlt])
@pytest.mark.parametrize("dimensions", [(2, 0), (0, 2)])
def test_a_block_may_be_empty(kind, dimensions):
    assert deviation(quadratic(3, *dimensions), KINDS[kind][0](3, 2, 2)) < 1e-12


def test_the_order_of_blocks_matters_to_fedalt_and_not_to_fedsim():
    """FedAlt with one step each is not FedSim with one, since u sees the new v_i."""
    problem = quadratic(3, 2, 1, noise=Noise(NoiseLaw.GAUSSIAN, 0.0, 0.0))
    start = random_start(problem, 0)
    sim, alt = FedSim(3, 1, 0.2, 0.1), FedAlt(3, 1, 1, 0.2, 0.1)
    carry = fedsim.init(problem, sim, start, 1)
    drawn = fedsim.draw(problem, sim, np.random.default_rng(0), 1, True)
    a, b = fedsim.step(problem, sim, carry, drawn), fedalt.step(problem, alt, carry, drawn)
    np.testing.assert_allclose(a.v, b.v, rtol=1e-14)
    assert abs(a.u - b.u).max() > 1e-3


# ---- plain data, array libraries, exact expectations


@pytest.mark.parametrize("kind", KINDS)
def test_array_libraries_agree_on_equal_draws(kind, xp):
    make, dimensions = KINDS[kind]
    problem, algorithm, rules = quadratic(3, *dimensions), make(3, 2, 2), MODULES[kind]
    start = random_start(problem, 0)

    def final(namespace):
        moved, begin = to_namespace(problem, namespace), to_namespace(start, namespace)
        rng = np.random.default_rng(4)
        initial = rules.init_draw(moved, algorithm, rng, 4)
        carry = rules.init(moved, algorithm, begin, 4, initial)
        for _ in range(2):
            drawn = rules.draw(moved, algorithm, rng, 4, False, namespace)
            carry = rules.step(moved, algorithm, carry, drawn)
        return carry

    ours, reference = final(xp), final(np)
    for name in vars(reference):
        np.testing.assert_allclose(
            np.asarray(getattr(ours, name)), getattr(reference, name), rtol=1e-12, atol=1e-14
        )


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_given_is_changed(kind):
    make, dimensions = KINDS[kind]
    problem, algorithm, rules = quadratic(3, *dimensions), make(3, 2, 2), MODULES[kind]
    rng = np.random.default_rng(0)
    carry = rules.init(problem, algorithm, random_start(problem, 0), 2)
    drawn = rules.draw(problem, algorithm, rng, 2, False)
    before = {name: array.copy() for name, array in vars(carry).items()}
    noise = drawn.noise.copy()
    rules.step(problem, algorithm, carry, drawn)
    for name, array in before.items():
        np.testing.assert_array_equal(getattr(carry, name), array)
    np.testing.assert_array_equal(drawn.noise, noise)


@pytest.mark.parametrize("kind", KINDS)
def test_exact_expectations_of_a_silent_run_of_all_clients_are_that_run(kind):
    make, dimensions = KINDS[kind]
    problem = quadratic(3, *dimensions, noise=Noise(NoiseLaw.GAUSSIAN, 0.0, 0.0))
    algorithm, rules, start = make(3, 3, 2), rules_of(make(3, 3, 2)), random_start(problem, 0)
    series = exact_moments(problem, algorithm, start, 2).series
    objective, rng = bridge.objective_of(problem), np.random.default_rng(0)
    carry = rules.init(problem, algorithm, start, 1)
    for t in range(3):
        seen = [
            objective.gradient(i, carry.u[0].tolist(), carry.v[i, 0].tolist()) for i in range(3)
        ]
        mean_u = np.mean([g_u for g_u, _ in seen], axis=0)
        own = np.mean([np.dot(g_v, g_v) for _, g_v in seen])
        np.testing.assert_allclose(series["G_u"][t], np.sum(mean_u**2), rtol=1e-9, atol=1e-14)
        np.testing.assert_allclose(series["G_v"][t], own, rtol=1e-9, atol=1e-14)
        carry = rules.step(problem, algorithm, carry, rules.draw(problem, algorithm, rng, 1, True))


@pytest.mark.parametrize(
    ("algorithm", "dimensions", "message"),
    [
        (FedAvg(2, 1, 0.1), (2, 1), "personal dimension d_v is 1"),
        (Scaffold(2, 1, 0.1, 1.0), (2, 1), "personal dimension d_v is 1"),
        (ParallelSGD(3, 0.1), (1, 2), "shared dimension d_u is 1"),
        (ParallelSGD(2, 0.1), (0, 2), "clients is 2; expected the problem's n = 3"),
        (FedSim(4, 1, 0.1, 0.1), (2, 1), "participants m is 4"),
    ],
)
def test_a_problem_of_the_wrong_shape_is_refused(algorithm, dimensions, message):
    problem = quadratic(3, *dimensions)
    with pytest.raises(FedboundsError, match=message):
        MODULES[type(algorithm)].init(problem, algorithm, random_start(problem, 0), 1)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: FedAvg(0, 1, 0.1), "participants is 0"),
        (lambda: FedAvg(1, 1, 0.1, 0.0), "outer step u is 0.0"),
        (lambda: FedSim(1, 0, 0.1, 0.1), "local steps is 0"),
        (lambda: FedSim(1, 1, 0.1, float("nan")), "inner step v is nan"),
        (lambda: FedAlt(1, 1, 0, 0.1, 0.1), "shared steps is 0"),
        (lambda: Scaffold(1, 1, -0.1, 1.0), "inner step u is -0.1"),
        (lambda: ParallelSGD(0, 0.1), "clients is 0"),
    ],
)
def test_parameters_out_of_range_are_refused(make, message):
    with pytest.raises(FedboundsError, match=message):
        make()


# ---- planted errors


def one_step_fewer(monkeypatch):
    original = parts.descend

    def descend(problem, algorithm, *rest):
        return original(problem, replace(algorithm, local_steps=algorithm.local_steps - 1), *rest)

    monkeypatch.setattr(parts, "descend", descend)


def mean_over_all(monkeypatch):
    original = parts.participants_mean
    monkeypatch.setattr(
        parts, "participants_mean", lambda m, drawn, vectors: original(len(vectors), drawn, vectors)
    )


def everyone_counts(monkeypatch):
    original = parts.participants_mean
    monkeypatch.setattr(
        parts,
        "participants_mean",
        lambda m, drawn, vectors: original(
            m, replace(drawn, present=drawn.present * 0 + 1), vectors
        ),
    )


@pytest.mark.parametrize("plant", [one_step_fewer, mean_over_all, everyone_counts])
@pytest.mark.parametrize("kind", [FedAvg, FedSim, Scaffold])
def test_planted_errors_are_caught_by_the_oracle(monkeypatch, plant, kind):
    make, dimensions = KINDS[kind]
    problem, algorithm = quadratic(4, *dimensions), make(4, 2, 3)
    assert deviation(problem, algorithm, virtual=True) < 1e-12
    plant(monkeypatch)
    assert deviation(problem, algorithm, virtual=True) > 1e-3


def test_a_shared_update_at_the_old_personal_variables_is_caught(monkeypatch):
    problem, algorithm = quadratic(3, 1, 2), FedAlt(2, 2, 2, 0.21, 0.13)
    original = fedalt.local

    def local(problem, algorithm, carry, drawn, *visit):
        last = original(problem, algorithm, carry, drawn, *visit)
        still = FedSim(algorithm.participants, algorithm.shared_steps, 0.21, 1e-300)
        later = replace(drawn, noise=drawn.noise[algorithm.personal_steps :])
        last[:, :1] = fedsim.local(problem, still, carry, later)[:, :1]
        return last

    assert deviation(problem, algorithm) < 1e-12
    monkeypatch.setattr(fedalt, "local", local)
    assert deviation(problem, algorithm) > 1e-3
