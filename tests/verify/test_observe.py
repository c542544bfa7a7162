"""Quantities of each replica against the oracle's table 1, on the replica's own noise."""

import bridge
import numpy as np
import oracles
import pytest

from fedbounds.algorithms import fedavg_p
from fedbounds.algorithms.fedavg_p import FedAvgP
from fedbounds.problems import (
    Noise,
    NoiseLaw,
    coupled_cosine,
    federated_quadratic,
    to_namespace,
)
from fedbounds.verify.observe import forms, observe, per_replica

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


@pytest.mark.parametrize("K", [1, 3])
@pytest.mark.parametrize("name", PROBLEMS)
def test_quantities_are_those_of_table_one(name, K):
    problem, replicas = PROBLEMS[name], 4
    # the outer step of a dropped block is free, so gamma is that of the other
    algorithm = {
        "no personal block": FedAvgP(2, K, 0.15, 0.1, 2.0, 99.0),
        "no shared block": FedAvgP(2, K, 0.15, 0.1, 77.0, 3.0),
    }.get(name, FedAvgP(2, K, 0.15, 0.1, 2.0, 3.0))
    rng = np.random.default_rng(K)
    carry = bridge.random_carry(rng, problem, replicas)
    drawn = fedavg_p.draw(problem, algorithm, rng, replicas, virtual=True)
    features, _ = observe(problem, algorithm, carry, drawn)
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
        for r in range(replicas)
    ]
    table = forms(problem, algorithm)
    assert {quantity.value for quantity in table} | {"f"} == set(expected[0])
    for quantity, form in table.items():
        found = per_replica(form, features)
        wanted = [float(seen[quantity.value]) for seen in expected]
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-13, err_msg=quantity)


def test_observing_changes_no_step():
    problem, algorithm = PROBLEMS["quadratic"], FedAvgP(2, 3, 0.15, 0.1, 2.0, 3.0)
    rng = np.random.default_rng(0)
    carry = bridge.random_carry(rng, problem, 4)
    drawn = fedavg_p.draw(problem, algorithm, rng, 4, virtual=True)
    _, reached = observe(problem, algorithm, carry, drawn)
    np.testing.assert_array_equal(reached, fedavg_p.local(problem, algorithm, carry, drawn))


@pytest.mark.parametrize("name", PROBLEMS)
def test_every_array_library_observes_the_same(name, xp):
    problem, algorithm = PROBLEMS[name], FedAvgP(2, 2, 0.15, 0.1, 2.0, 3.0)
    rng = np.random.default_rng(0)
    carry = bridge.random_carry(rng, problem, 4)
    drawn = fedavg_p.draw(problem, algorithm, rng, 4, virtual=True)
    expected, _ = observe(problem, algorithm, carry, drawn)
    moved, there, sample = (to_namespace(data, xp) for data in (problem, carry, drawn))
    found, _ = observe(moved, algorithm, there, sample)
    for form in forms(problem, algorithm).values():
        np.testing.assert_allclose(
            np.asarray(per_replica(form, found)),
            per_replica(form, expected),
            rtol=1e-12,
            atol=1e-13,
        )
