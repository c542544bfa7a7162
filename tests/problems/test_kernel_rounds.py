"""Rounds under a fixed kernel against networks of one layer, lists of sets, and all schedules."""

from itertools import combinations, product

import numpy as np
import pytest
from flint import fmpq
from overparam_cases import case_of, fractions

from fedbounds.errors import FedboundsError
from fedbounds.problems import kernel_rounds
from fedbounds.problems.kernel_rounds import (
    client_rounds,
    in_the_mean,
    on_schedule,
    round_of,
    worst_schedule,
)
from fedbounds.theory.overparam.setups import PLANNED
from fedbounds.verify.measure.objectives import exact_array, objective


def of(setup):
    """The kernel, the first residual and A_c of a planned network of one layer."""
    problem = objective(setup.run.problem)
    start, n = exact_array(setup.run.start), problem.clients
    every = problem.features.reshape(-1, problem.features.shape[2])
    missed = (every @ start) * problem.scale - problem.targets.reshape(-1)
    given = dict(setup.run.parameters)
    eta = exact_array((given["eta"],))[0]
    moves = client_rounds(problem.gram(start), [problem.samples] * n, eta, given["K"])
    return moves, missed


def planned(name):
    return next(one.setup for one in PLANNED if one.name == name)


ON_SCHEDULES = ["one layer, both features: one, then both, K=3 T=4",
                "one layer, two samples a client: in turns, K=3 T=4",
                "one layer, three clients: one, two and all, K=15 T=3"]  # fmt: skip


@pytest.mark.parametrize("name", ON_SCHEDULES)
def test_a_network_of_one_layer_is_its_kernel(name):
    setup = planned(name)
    moves, missed = of(setup)
    rows = setup.run.parameter("schedule")
    taken = [rows[t % len(rows)] for t in range(setup.run.rounds)]
    assert fractions(on_schedule(moves, missed, taken)) == case_of(setup).wanted["R_2"]


@pytest.mark.parametrize("m", [1, 2, 3])
def test_the_mean_is_that_of_the_oracle(m):
    setup = planned(f"one layer, three clients: {m} of 3 at random, K=2 T=3")
    moves, missed = of(setup)
    assert fractions(in_the_mean(moves, missed, m, 3)) == case_of(setup).wanted["R_2"]


def some(seed, n=3, eta="1/40", steps=2):
    """A kernel of random features, and a residual: residuals of others may grow in a round."""
    random = np.random.default_rng(seed)
    features = random.integers(-3, 4, (n, 4))
    kernel = np.array([[fmpq(int(x)) for x in row] for row in features @ features.T], dtype=object)
    residual = np.array([fmpq(int(x)) for x in random.integers(-3, 4, n)], dtype=object)
    return client_rounds(kernel, [1] * n, fmpq(*map(int, eta.split("/"))), steps), residual


@pytest.mark.parametrize("seed", range(4))
def test_the_worst_schedule_is_that_of_all(seed):
    moves, residual = some(seed)
    sets = [
        tuple(int(c in own) for c in range(3))
        for size in (1, 2, 3)
        for own in combinations(range(3), size)
    ]
    every = {rows: on_schedule(moves, residual, rows)[-1] for rows in product(sets, repeat=3)}
    found = worst_schedule(moves, residual, 3, (1, 2, 3))
    assert found.value == max(every.values()) == every[found.rows]
    fewer = worst_schedule(moves, residual, 3, (2,))
    assert fewer.value == max(x for rows, x in every.items() if {*map(sum, rows)} == {2})
    assert found.looked <= 1 + 7 + 49 + 343


def test_the_mean_is_over_all_schedules():
    moves, residual = some(1)
    rows = [row for row in product((0, 1), repeat=3) if sum(row) == 2]
    every = [on_schedule(moves, residual, own)[-1] for own in product(rows, repeat=2)]
    assert in_the_mean(moves, residual, 2, 2)[-1] == sum(every) / len(every)
    worst = worst_schedule(moves, residual, 2, (2,)).value
    assert min(every) <= in_the_mean(moves, residual, 2, 2)[-1] <= worst == max(every)


def test_what_is_left_out_is_certified():
    """Residuals that shrink: of 15 rounds nearly all are left, and the limit is counted."""
    moves, residual = some(2, eta="1/100")
    with pytest.raises(FedboundsError, match="more than 50 residuals"):
        worst_schedule(moves, residual, 6, (1, 2, 3), most=50)


@pytest.mark.parametrize("wrong", ["over everyone", "K - 1", "another block"])
def test_a_planted_error_is_seen(wrong, monkeypatch):
    setup = planned(ON_SCHEDULES[0])
    right = kernel_rounds.client_rounds

    def planted(kernel, counts, eta, steps):
        if wrong == "K - 1":
            return right(kernel, counts, eta, steps - 1)
        if wrong == "another block":
            return right(kernel, counts, eta, steps)[::-1]
        return [own * fmpq(1, 2) + np.eye(len(own), dtype=int) * fmpq(1, 2)
                for own in right(kernel, counts, eta, steps)]  # fmt: skip

    monkeypatch.setitem(globals(), "client_rounds", planted)
    moves, missed = of(setup)
    rows = setup.run.parameter("schedule")
    found = on_schedule(moves, missed, [rows[t % 2] for t in range(4)])
    assert fractions(found) != case_of(setup).wanted["R_2"]


def test_what_fits_nothing_is_refused():
    moves, residual = some(0)
    with pytest.raises(FedboundsError, match="clients of a round"):
        round_of(moves, (0, 0, 0))
    with pytest.raises(FedboundsError, match="clients of a round"):
        worst_schedule(moves, residual, 2, (4,))
    with pytest.raises(FedboundsError, match="clients of a round"):
        in_the_mean(moves, residual, 0, 1)
    with pytest.raises(FedboundsError, match="outputs of clients"):
        client_rounds(np.array([[fmpq(1)]], dtype=object), [2], fmpq(1), 1)
