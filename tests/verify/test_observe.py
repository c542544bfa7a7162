"""Quantities of each replica against the oracles, on the replica's own noise and history."""

from itertools import combinations

import bridge
import numpy as np
import oracles
import pytest
from history_oracle import Run, after, path_of
from quantity_oracle import of_a_round, of_a_state, of_the_paths

from fedbounds.algorithms import fedavg_p
from fedbounds.algorithms.fedavg_p import FedAvgP
from fedbounds.algorithms.scaffold_p import ScaffoldP
from fedbounds.problems import (
    Noise,
    NoiseLaw,
    Start,
    coupled_cosine,
    federated_quadratic,
    to_namespace,
)
from fedbounds.verify.memory import Each, rules_with_memory
from fedbounds.verify.observe import (
    forms,
    increments,
    measured,
    observe,
    per_replica,
    round_forms,
)

NOISE = Noise(NoiseLaw.GAUSSIAN, 0.5, 0.4)
PROBLEMS = {
    "quadratic": federated_quadratic(
        clients=3, shared_dimension=2, personal_dimension=1, coupling=0.4, noise=NOISE, seed=1
    ),
    "no personal block": federated_quadratic(
        clients=3, shared_dimension=2, personal_dimension=0, noise=NOISE, seed=2
    ),
    "no shared block": federated_quadratic(
        clients=3, shared_dimension=0, personal_dimension=2, noise=NOISE, seed=3
    ),
    "cosine": coupled_cosine(
        clients=3, shared_dimension=2, personal_dimension=1, noise=NOISE, seed=4
    ),
}
REPLICAS = 4


def algorithm_of(name, K, rule=FedAvgP):
    """The outer step of a dropped block is free, so gamma is that of the other."""
    outer = {"no personal block": (2.0, 99.0), "no shared block": (77.0, 3.0)}
    return rule(2, K, 0.15, 0.1, *outer.get(name, (2.0, 3.0)))


@pytest.mark.parametrize("K", [1, 3])
@pytest.mark.parametrize("name", PROBLEMS)
def test_quantities_are_those_of_table_one(name, K):
    problem, algorithm = PROBLEMS[name], algorithm_of(name, K)
    rng = np.random.default_rng(K)
    carry = bridge.random_carry(rng, problem, REPLICAS)
    drawn = fedavg_p.draw(problem, algorithm, rng, REPLICAS, virtual=True)
    features = observe(problem, algorithm, fedavg_p, carry, drawn).features
    d = problem.shared_dimension + problem.personal_dimension
    objective, steps = bridge.objective_of(problem), bridge.steps_of(algorithm)
    expected = [
        oracles.table_one(
            objective,
            steps,
            carry.u[r].tolist(),
            carry.v[:, r].tolist(),
            bridge.oracle_noise(drawn, algorithm, r, d),
        )
        for r in range(REPLICAS)
    ]
    table = dict(forms(problem, algorithm))
    assert set(table) | {"f"} == set(expected[0]) | {"P_u", "Y_sum", "Y_2"}  # tested below
    for quantity in set(expected[0]) - {"f"}:
        found = per_replica(table[quantity], features)
        wanted = [float(seen[quantity]) for seen in expected]
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-13, err_msg=quantity)


def expected_of(problem, algorithm, carry, drawn, r):
    """Every quantity of one replica, those of the participants averaged over all sets."""
    d_u, d_v = problem.shared_dimension, problem.personal_dimension
    corrected = isinstance(algorithm, ScaffoldP)
    objective, steps = bridge.objective_of(problem), bridge.steps_of(algorithm)
    run = Run(objective, steps, [1.0] * (d_u + d_v), corrected)
    state = bridge.state_of(carry, r, algorithm.local_steps)
    noise = bridge.oracle_noise(drawn, algorithm, r, d_u + d_v)
    paths = [path_of(run, state, i, noise[i]) for i in range(3)]
    found = of_a_state(run, state) | of_the_paths(run, state, paths)
    subsets = list(combinations(range(3), algorithm.participants))
    rounds = [of_a_round(run, state, paths, s, after(run, state, paths, s)) for s in subsets]
    found |= {key: sum(seen[key] for seen in rounds) / len(rounds) for key in rounds[0]}
    actual = np.flatnonzero(drawn.present[:, r]).tolist()
    return found, of_a_round(run, state, paths, actual, after(run, state, paths, actual))


@pytest.mark.parametrize("K", [1, 2])
@pytest.mark.parametrize("rule", [FedAvgP, ScaffoldP])
@pytest.mark.parametrize("name", PROBLEMS)
def test_quantities_are_those_of_the_lemmas(name, rule, K):
    """In a replica with a history of two rounds, and its increments with its own participants."""
    problem, algorithm = PROBLEMS[name], algorithm_of(name, K, rule)
    rules = rules_with_memory(algorithm, Each)
    rng = np.random.default_rng(K)
    initial = rules.init_draw(problem, algorithm, rng, REPLICAS)
    begin = bridge.random_carry(rng, problem, 1)
    start = Start(begin.u[0], begin.v[:, 0])
    carry = rules.init(problem, algorithm, start, REPLICAS, initial)
    for _ in range(2):
        drawn = rules.draw(problem, algorithm, rng, REPLICAS, True)
        carry = rules.step(problem, algorithm, carry, drawn)
    drawn = rules.draw(problem, algorithm, rng, REPLICAS, True)
    seen = observe(problem, algorithm, rules, carry, drawn)
    later = rules.server(algorithm, carry, drawn, seen.reached)
    features = seen.features | increments(carry, later)
    averaged, own = zip(
        *(expected_of(problem, algorithm, carry, drawn, r) for r in range(REPLICAS)), strict=True
    )
    averages = forms(problem, algorithm)
    assert measured(averages, features) == averages  # nothing is left out
    for table, wanted in ((averages, averaged), (round_forms(3, 1.0), own)):
        for quantity, form in table.items():
            found = per_replica(form, features)
            by_oracle = [float(one[quantity,]) for one in wanted]
            np.testing.assert_allclose(found, by_oracle, rtol=1e-10, atol=1e-11, err_msg=quantity)


def test_observing_changes_no_step():
    problem, algorithm = PROBLEMS["quadratic"], FedAvgP(2, 3, 0.15, 0.1, 2.0, 3.0)
    rng = np.random.default_rng(0)
    carry = bridge.random_carry(rng, problem, 4)
    drawn = fedavg_p.draw(problem, algorithm, rng, 4, virtual=True)
    reached = observe(problem, algorithm, fedavg_p, carry, drawn).reached
    np.testing.assert_array_equal(reached, fedavg_p.local(problem, algorithm, carry, drawn))


def test_what_is_seen_are_the_iterates_and_gradients_of_every_local_step():
    problem, algorithm = PROBLEMS["cosine"], FedAvgP(2, 3, 0.15, 0.1, 2.0, 3.0)
    rng = np.random.default_rng(0)
    carry = bridge.random_carry(rng, problem, 4)
    drawn = fedavg_p.draw(problem, algorithm, rng, 4, virtual=True)
    seen = observe(problem, algorithm, fedavg_p, carry, drawn)
    assert len(seen.points) == len(seen.gradients) == len(seen.noisy) == 3
    steps = np.array([0.15, 0.15, 0.1])
    ends = [*seen.points[1:], seen.reached.reshape(3, 4, 3)]
    noise = drawn.noise.reshape(3, 3, 4, 3)
    for k, end in enumerate(ends):
        exact = problem.gradient(seen.points[k].reshape(12, 3), drawn.cohort).reshape(3, 4, 3)
        np.testing.assert_allclose(seen.gradients[k], exact, rtol=1e-13)
        np.testing.assert_allclose(seen.noisy[k], exact + noise[k], rtol=1e-13)
        np.testing.assert_allclose(end, seen.points[k] - steps * seen.noisy[k], rtol=1e-13)


@pytest.mark.parametrize("name", PROBLEMS)
def test_every_array_library_observes_the_same(name, xp):
    problem, algorithm = PROBLEMS[name], FedAvgP(2, 2, 0.15, 0.1, 2.0, 3.0)
    rng = np.random.default_rng(0)
    carry = bridge.random_carry(rng, problem, 4)
    drawn = fedavg_p.draw(problem, algorithm, rng, 4, virtual=True)
    expected = observe(problem, algorithm, fedavg_p, carry, drawn).features
    moved, there, sample = (to_namespace(data, xp) for data in (problem, carry, drawn))
    found = observe(moved, algorithm, fedavg_p, there, sample).features
    for form in forms(problem, algorithm).values():
        np.testing.assert_allclose(
            np.asarray(per_replica(form, found)),
            per_replica(form, expected),
            rtol=1e-12,
            atol=1e-13,
        )
