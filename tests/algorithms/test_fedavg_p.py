"""FedAvg-P against the oracle, its special cases, its symmetries and other array libraries."""

from dataclasses import replace
from fractions import Fraction as F

import array_api_strict
import bridge
import numpy as np
import oracles
import pytest
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st

from fedbounds.algorithms import fedavg_p
from fedbounds.algorithms.fedavg_p import Carry, Draw, FedAvgP, with_effective_step
from fedbounds.algorithms.participation import all_participants
from fedbounds.errors import FedboundsError
from fedbounds.problems import (
    Noise,
    NoiseLaw,
    Start,
    cohort_of,
    coupled_cosine,
    everyone,
    federated_quadratic,
    to_namespace,
)

REPLICAS = 7
GAUSSIAN = Noise(NoiseLaw.GAUSSIAN, 0.7, 0.3)


def quadratic(d_u=2, d_v=1, clients=4, noise=GAUSSIAN, seed=1):
    return federated_quadratic(
        clients=clients,
        shared_dimension=d_u,
        personal_dimension=d_v,
        coupling=0.5 if d_u and d_v else 0.0,
        noise=noise,
        seed=seed,
    )


def cosine():
    return coupled_cosine(
        clients=4, shared_dimension=2, personal_dimension=1, noise=GAUSSIAN, seed=2
    )


PROBLEMS = {
    "quadratic": quadratic(),
    "rademacher": quadratic(noise=Noise(NoiseLaw.RADEMACHER, 0.5, 1.5)),
    "silent": quadratic(noise=Noise(NoiseLaw.GAUSSIAN, 0.0, 0.0)),
    "no personal block": quadratic(d_v=0),
    "no shared block": quadratic(d_u=0, d_v=2),
    "cosine": cosine(),
}


def close(found, expected, rtol=1e-13):
    np.testing.assert_allclose(found.u, expected.u, rtol=rtol, atol=rtol)
    np.testing.assert_allclose(found.v, expected.v, rtol=rtol, atol=rtol)


def one_round(problem, algorithm, *, virtual, seed=0, replicas=REPLICAS):
    rng = np.random.default_rng(seed)
    carry = bridge.random_carry(rng, problem, replicas)
    return carry, fedavg_p.draw(problem, algorithm, rng, replicas, virtual)


def exact_round(seed=0):
    """A round in rationals: problem, algorithm, carry, draw, and the oracle's steps."""
    rng = np.random.default_rng(seed)
    n, replicas, K = 3, 4, 3

    def numbers(*shape):
        return np.frompyfunc(lambda x: F(int(x), 4), 1, 1)(rng.integers(-9, 10, shape))

    half = numbers(n, 3, 3)
    objective = oracles.Quadratic(
        2, (half + half.transpose(0, 2, 1)).tolist(), numbers(n, 3).tolist()
    )
    steps = oracles.Steps(2, K, F(1, 7), F(1, 11), F(5, 3), F(3, 2))
    present = np.array([[1, 1, 0, 0], [1, 0, 1, 1], [0, 1, 1, 1]], dtype=object)
    u, v, noise = numbers(replicas, 2), numbers(n, replicas, 1), numbers(K, n * replicas, 3)
    carry = Carry(u=bridge.exact(u), v=bridge.exact(v))
    drawn = Draw(present=present, noise=bridge.exact(noise), cohort=everyone(n, replicas))
    by_client = noise.reshape(K, n, replicas, 3)
    expected = [
        oracles.fedavg_p_round(
            objective,
            steps,
            u[r].tolist(),
            v[:, r].tolist(),
            np.flatnonzero(present[:, r]).tolist(),
            by_client[:, :, r].transpose(1, 0, 2).tolist(),
        )
        for r in range(replicas)
    ]
    return objective, steps, carry, drawn, expected


# ---- the oracle


@pytest.mark.parametrize("virtual", [False, True])
@pytest.mark.parametrize("name", PROBLEMS)
def test_a_step_is_the_oracles_round_in_every_replica(name, virtual):
    problem = PROBLEMS[name]
    algorithm = FedAvgP(2, 3, 0.21, 0.13, 1.7, 0.6)
    carry, drawn = one_round(problem, algorithm, virtual=virtual)
    expected = bridge.oracle_step(problem, algorithm, carry, drawn)
    close(fedavg_p.step(problem, algorithm, carry, drawn), expected)


@given(
    n=st.integers(1, 5),
    data=st.data(),
    K=st.integers(1, 4),
    dimensions=st.sampled_from([(1, 1), (2, 1), (1, 2), (0, 2), (2, 0)]),
    seed=st.integers(0, 1000),
    virtual=st.booleans(),
)
def test_a_step_is_the_oracles_round_whatever_the_sizes(n, data, K, dimensions, seed, virtual):
    m = data.draw(st.integers(1, n))
    problem = quadratic(*dimensions, clients=n, seed=seed)
    algorithm = FedAvgP(m, K, 0.3, 0.2, 1.5, 0.5)
    carry, drawn = one_round(problem, algorithm, virtual=virtual, seed=seed, replicas=2)
    expected = bridge.oracle_step(problem, algorithm, carry, drawn)
    close(fedavg_p.step(problem, algorithm, carry, drawn), expected, rtol=1e-12)


def test_a_step_is_the_oracles_round_exactly_in_rationals():
    objective, steps, carry, drawn, expected = exact_round()
    moved = fedavg_p.step(bridge.exact_problem(objective), bridge.algorithm(steps), carry, drawn)
    for r, (u, v) in enumerate(expected):
        assert bridge.fractions(moved.u[r]) == u
        assert bridge.fractions(moved.v[:, r]) == v


def test_a_step_in_rationals_keeps_to_participants():
    """The same round with only the participants' rows in the cohort."""
    objective, steps, carry, drawn, expected = exact_round()
    cohort = cohort_of(drawn.present)
    drawn = replace(drawn, noise=drawn.noise[:, cohort.pair], cohort=cohort)
    moved = fedavg_p.step(bridge.exact_problem(objective), bridge.algorithm(steps), carry, drawn)
    for r, (u, v) in enumerate(expected):
        assert bridge.fractions(moved.u[r]) == u
        assert bridge.fractions(moved.v[:, r]) == v


@pytest.mark.parametrize("name", PROBLEMS)
def test_virtual_iterates_are_the_actual_ones_of_participants(name):
    problem = PROBLEMS[name]
    algorithm = FedAvgP(2, 4, 0.2, 0.1, 1.5, 1.0)
    carry, virtual = one_round(problem, algorithm, virtual=True)
    cohort = cohort_of(virtual.present)
    noise = None if virtual.noise is None else virtual.noise[:, cohort.pair]
    actual = replace(virtual, noise=noise, cohort=cohort)
    seen, ends = {}, {}
    for key, drawn in (("virtual", virtual), ("actual", actual)):
        visited = seen[key] = []

        def visit(*given, into=visited):
            into.append(given)

        ends[key] = fedavg_p.local(problem, algorithm, carry, drawn, visit)
    assert [k for k, *_ in seen["actual"]] == list(range(4))
    for (_, *every), (_, *some) in zip(seen["virtual"], seen["actual"], strict=True):
        assert len(some) == 3  # where the clients are, their gradients, and those with noise
        for of_all, of_participants in zip(every, some, strict=True):
            np.testing.assert_allclose(of_participants, of_all[cohort.pair], rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose(ends["actual"], ends["virtual"][cohort.pair], rtol=1e-13, atol=1e-14)
    close(
        fedavg_p.server(algorithm, carry, actual, ends["actual"]),
        fedavg_p.server(algorithm, carry, virtual, ends["virtual"]),
    )


def test_virtual_iterates_do_not_depend_on_the_participants():
    problem = PROBLEMS["quadratic"]
    algorithm = FedAvgP(2, 3, 0.2, 0.1, 1.5, 1.0)
    carry, drawn = one_round(problem, algorithm, virtual=True)
    others = replace(drawn, present=drawn.present[::-1])
    np.testing.assert_array_equal(
        fedavg_p.local(problem, algorithm, carry, drawn),
        fedavg_p.local(problem, algorithm, carry, others),
    )


# ---- special cases the paper names


def test_without_personal_variables_it_is_fedavg():
    problem = PROBLEMS["no personal block"]
    gamma_u, eta_u, K, m = 0.2, 1.4, 3, 2
    # eta_v is free when the block is dropped
    algorithm = FedAvgP(m, K, gamma_u, 123.0, eta_u, 77.0)
    carry, drawn = one_round(problem, algorithm, virtual=True)
    noise = drawn.noise.reshape(K, 4, REPLICAS, 2)
    expected = np.empty_like(carry.u)
    for r in range(REPLICAS):
        total = np.zeros(2)
        for i in np.flatnonzero(drawn.present[:, r]):
            x = carry.u[r].copy()
            for k in range(K):
                x = x - gamma_u * (problem.hessian[i] @ x + problem.linear[i] + noise[k, i, r])
            total = total + x
        expected[r] = (1 - eta_u) * carry.u[r] + eta_u * total / m
    moved = fedavg_p.step(problem, algorithm, carry, drawn)
    np.testing.assert_allclose(moved.u, expected, rtol=1e-13)
    assert moved.v.shape == (4, REPLICAS, 0)


@pytest.mark.parametrize("eta_v", [1.0, 2.5])
def test_without_shared_variables_one_step_of_all_is_parallel_sgd(eta_v):
    problem = PROBLEMS["no shared block"]
    gamma = 0.3
    algorithm = with_effective_step(4, 1, gamma, 99.0, eta_v)
    carry, drawn = one_round(problem, algorithm, virtual=False)
    moved = fedavg_p.step(problem, algorithm, carry, drawn)
    noise = drawn.noise.reshape(1, 4, REPLICAS, 2)
    for i in range(4):
        for r in range(REPLICAS):
            v = carry.v[i, r]
            gradient = problem.hessian[i] @ v + problem.linear[i] + noise[0, i, r]
            np.testing.assert_allclose(moved.v[i, r], v - gamma * gradient, rtol=1e-13)


def test_with_outer_steps_one_it_is_fedsim():
    problem = PROBLEMS["quadratic"]
    algorithm = FedAvgP(2, 3, 0.2, 0.1, 1, 1)
    carry, drawn = one_round(problem, algorithm, virtual=True)
    reached = fedavg_p.local(problem, algorithm, carry, drawn).reshape(4, REPLICAS, 3)
    moved = fedavg_p.step(problem, algorithm, carry, drawn)
    for r in range(REPLICAS):
        chosen = np.flatnonzero(drawn.present[:, r])
        np.testing.assert_allclose(moved.u[r], reached[chosen, r, :2].mean(axis=0), rtol=1e-13)
        for i in range(4):
            own = reached[i, r, 2:] if i in chosen else carry.v[i, r]
            np.testing.assert_allclose(moved.v[i, r], own, rtol=1e-13)


def test_increments_are_sums_of_noisy_gradients():
    """The identity alg-inc: both increments carry the effective step gamma."""
    problem, gamma, m, K = PROBLEMS["cosine"], 0.12, 2, 3
    algorithm = with_effective_step(m, K, gamma, 1.6, 0.8)
    carry, drawn = one_round(problem, algorithm, virtual=True)
    noisy = []

    def visit(k, z, gradient, disturbed):
        np.testing.assert_array_equal(disturbed, gradient + drawn.noise[k])
        noisy.append(gradient + drawn.noise[k])

    fedavg_p.local(problem, algorithm, carry, drawn, visit)
    total = sum(noisy).reshape(4, REPLICAS, 3) * drawn.present[:, :, None]
    moved = fedavg_p.step(problem, algorithm, carry, drawn)
    shared = -gamma / m * total[:, :, :2].sum(axis=0)
    np.testing.assert_allclose(moved.u - carry.u, shared, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(moved.v - carry.v, -gamma * total[:, :, 2:], rtol=1e-12, atol=1e-13)


# ---- symmetries


@given(st.permutations(range(4)), st.sampled_from(sorted(PROBLEMS)))
def test_renaming_clients_renames_the_result(order, name):
    problem, algorithm = PROBLEMS[name], FedAvgP(2, 3, 0.2, 0.1, 1.5, 0.7)
    carry, drawn = one_round(problem, algorithm, virtual=True, replicas=3)
    order = list(order)
    arrays = {"linear": problem.linear[order]}
    if name != "cosine":
        arrays["hessian"] = problem.hessian[order]
    noise = drawn.noise
    if noise is not None:
        split = noise.reshape(3, 4, 3, -1)[:, order]
        noise = split.reshape(noise.shape)
    moved = fedavg_p.step(problem, algorithm, carry, drawn)
    renamed = fedavg_p.step(
        replace(problem, **arrays),
        algorithm,
        Carry(u=carry.u, v=carry.v[order]),
        replace(drawn, present=drawn.present[order], noise=noise),
    )
    np.testing.assert_allclose(renamed.u, moved.u, rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose(renamed.v, moved.v[order], rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize("m", [1, 2, 3, 4])
def test_aggregation_is_unbiased(m):
    """The mean over every set of participants is the step of full participation, for u."""
    problem, n = PROBLEMS["cosine"], 4
    rng = np.random.default_rng(3)
    sets = all_participants(n, m)
    count = sets.shape[1]
    u, v, noise = (
        rng.standard_normal(2),
        rng.standard_normal((n, 1)),
        rng.standard_normal((3, n, 3)),
    )

    def after(participants, present):
        replicas = present.shape[1]
        algorithm = FedAvgP(participants, 3, 0.2, 0.1, 1.5, 0.7)
        start = Start(u=u, v=v)
        carry = fedavg_p.init(problem, algorithm, start, replicas)
        every = np.repeat(noise[:, :, None], replicas, axis=2).reshape(3, n * replicas, 3)
        return fedavg_p.step(problem, algorithm, carry, Draw(present, every, everyone(n, replicas)))

    sampled, full = after(m, sets), after(n, np.ones((n, 1)))
    assert sampled.u.shape == (count, 2)
    np.testing.assert_allclose(sampled.u.mean(axis=0), full.u[0], rtol=1e-13)
    expected = (1 - m / n) * v + m / n * full.v[:, 0]
    np.testing.assert_allclose(sampled.v.mean(axis=1), expected, rtol=1e-13)


def test_replicas_do_not_see_each_other():
    problem, algorithm = PROBLEMS["cosine"], FedAvgP(2, 3, 0.2, 0.1, 1.5, 0.7)
    carry, drawn = one_round(problem, algorithm, virtual=False)
    together = fedavg_p.step(problem, algorithm, carry, drawn)
    for r in range(REPLICAS):
        present = drawn.present[:, r : r + 1]
        mine = np.asarray(drawn.cohort.replica) == r
        alone = fedavg_p.step(
            problem,
            algorithm,
            Carry(u=carry.u[r : r + 1], v=carry.v[:, r : r + 1]),
            Draw(present, drawn.noise[:, mine], cohort_of(present)),
        )
        np.testing.assert_allclose(alone.u[0], together.u[r], rtol=1e-13)
        np.testing.assert_allclose(alone.v[:, 0], together.v[:, r], rtol=1e-13)


# ---- plain data


def test_nothing_given_is_changed():
    problem, algorithm = PROBLEMS["quadratic"], FedAvgP(2, 3, 0.2, 0.1, 1.5, 0.7)
    start = Start(u=np.ones(2), v=np.ones((4, 1)))
    carry = fedavg_p.init(problem, algorithm, start, REPLICAS)
    rng = np.random.default_rng(0)
    drawn = fedavg_p.draw(problem, algorithm, rng, REPLICAS, False)
    before = [x.copy() for x in (carry.u, carry.v, drawn.present, drawn.noise)]
    fedavg_p.step(problem, algorithm, carry, drawn)
    for old, new in zip(before, (carry.u, carry.v, drawn.present, drawn.noise), strict=True):
        np.testing.assert_array_equal(old, new)
    carry.u[:], carry.v[:] = 5.0, 5.0
    assert (start.u == 1.0).all()
    assert (start.v == 1.0).all()


def test_the_start_is_repeated_over_replicas(xp):
    problem, algorithm = PROBLEMS["quadratic"], with_effective_step(2, 1, 0.1)
    start = Start(u=np.array([1.0, 2.0]), v=np.arange(4.0).reshape(4, 1))
    carry = fedavg_p.init(problem, algorithm, to_namespace(start, xp), 3)
    np.testing.assert_array_equal(np.asarray(carry.u), np.tile(start.u, (3, 1)))
    np.testing.assert_array_equal(np.asarray(carry.v), np.repeat(start.v[:, None], 3, axis=1))


def test_the_same_generator_draws_the_same():
    problem, algorithm = PROBLEMS["quadratic"], with_effective_step(2, 2, 0.1)
    first, second = (
        fedavg_p.draw(problem, algorithm, np.random.default_rng(9), 5, False) for _ in range(2)
    )
    np.testing.assert_array_equal(first.present, second.present)
    np.testing.assert_array_equal(first.noise, second.noise)


def test_noise_differs_between_steps_and_clients():
    problem, algorithm = PROBLEMS["quadratic"], with_effective_step(2, 3, 0.1)
    drawn = fedavg_p.draw(problem, algorithm, np.random.default_rng(9), 5, True)
    assert drawn.noise.shape == (3, 20, 3)
    assert len(np.unique(drawn.noise)) == drawn.noise.size


def test_absent_clients_run_only_when_virtual():
    problem, algorithm = PROBLEMS["quadratic"], with_effective_step(1, 2, 0.1)
    rng = np.random.default_rng(9)
    assert fedavg_p.draw(problem, algorithm, rng, 5, False).noise.shape == (2, 5, 3)
    assert fedavg_p.draw(problem, algorithm, rng, 5, True).noise.shape == (2, 20, 3)


def test_effective_steps_are_products():
    algorithm = with_effective_step(1, 2, fmpq(1, 10), fmpq(3, 2), fmpq(7))
    assert algorithm.inner_step_u * algorithm.outer_step_u == fmpq(1, 10)
    assert algorithm.inner_step_v * algorithm.outer_step_v == fmpq(1, 10)


@pytest.mark.parametrize("name", ["inner_step_u", "inner_step_v", "outer_step_u", "outer_step_v"])
@pytest.mark.parametrize("wrong", [0.0, -0.1, float("nan"), float("inf"), fmpq(-1, 3)])
def test_a_step_size_that_is_not_positive_and_finite_is_refused(name, wrong):
    words = name.replace("_", " ")
    with pytest.raises(FedboundsError, match=rf"{words} is .*; expected a finite number > 0"):
        replace(with_effective_step(1, 1, 0.1), **{name: wrong})


def test_numbers_of_participants_and_steps_are_checked():
    with pytest.raises(FedboundsError, match="participants m is 0; expected at least 1"):
        with_effective_step(0, 1, 0.1)
    with pytest.raises(FedboundsError, match="local steps K is 0; expected at least 1"):
        with_effective_step(1, 0, 0.1)
    problem, start = PROBLEMS["quadratic"], Start(u=np.ones(2), v=np.ones((4, 1)))
    with pytest.raises(FedboundsError, match="participants m is 5; expected between 1 and"):
        fedavg_p.init(problem, with_effective_step(5, 1, 0.1), start, 1)
    with pytest.raises(FedboundsError, match="shape of the start"):
        fedavg_p.init(problem, with_effective_step(2, 1, 0.1), replace(start, u=np.ones(3)), 1)


# ---- other array libraries, on equal draws


def three_rounds(problem, algorithm, xp):
    """Three rounds with draws made on the host, computed in ``xp``."""
    moved = to_namespace(problem, xp)
    start = Start(u=np.array([1.0, -1.0]), v=np.arange(4.0).reshape(4, 1))
    carry = fedavg_p.init(moved, algorithm, to_namespace(start, xp), REPLICAS)
    rng = np.random.default_rng(6)
    for t in range(3):
        drawn = fedavg_p.draw(problem, algorithm, rng, REPLICAS, t == 1)
        carry = fedavg_p.step(moved, algorithm, carry, to_namespace(drawn, xp))
    return carry


@pytest.mark.parametrize("name", ["quadratic", "silent", "cosine"])
@pytest.mark.parametrize("m", [2, 4])
def test_the_strict_array_library_gives_the_same(name, m):
    problem, algorithm = PROBLEMS[name], FedAvgP(m, 3, 0.2, 0.1, 1.5, 0.7)
    expected = three_rounds(problem, algorithm, np)
    found = three_rounds(problem, algorithm, array_api_strict)
    assert type(found.u) is type(array_api_strict.zeros(1))
    close(Carry(u=np.asarray(found.u), v=np.asarray(found.v)), expected, rtol=1e-12)


def test_draws_can_be_made_for_a_library(xp):
    problem, algorithm = PROBLEMS["quadratic"], with_effective_step(2, 2, 0.1)
    drawn = fedavg_p.draw(problem, algorithm, np.random.default_rng(1), 5, False, xp)
    expected = fedavg_p.draw(problem, algorithm, np.random.default_rng(1), 5, False)
    assert type(drawn.present) is type(drawn.cohort.pair) is type(xp.zeros(1))
    np.testing.assert_array_equal(np.asarray(drawn.present), expected.present)
    np.testing.assert_array_equal(np.asarray(drawn.noise), expected.noise)
    np.testing.assert_array_equal(np.asarray(drawn.cohort.pair), expected.cohort.pair)


@pytest.mark.gpu
@pytest.mark.parametrize("name", ["quadratic", "silent", "cosine"])
def test_cupy_gives_the_same(name):
    import cupy

    problem, algorithm = PROBLEMS[name], FedAvgP(2, 3, 0.2, 0.1, 1.5, 0.7)
    expected = three_rounds(problem, algorithm, np)
    found = three_rounds(problem, algorithm, cupy)
    assert isinstance(found.u, cupy.ndarray)
    close(Carry(u=cupy.asnumpy(found.u), v=cupy.asnumpy(found.v)), expected, rtol=1e-10)
