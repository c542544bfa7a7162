"""Methods beside each other: masks by other means, runs by hand, rates by another simulation."""

import numpy as np
import pytest
from early_stopping_oracle import stopped

from fedbounds.algorithms.early_stopping import Calibration
from fedbounds.algorithms.masks_by_score import by_magnitude, by_squared_gradient
from fedbounds.problems.linear import rational
from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.meerkat import contests as own
from fedbounds.theory.meerkat.gradip_setups import LABELS
from fedbounds.theory.meerkat.ladders import SHOWN
from fedbounds.verify.decide.profile import Profile
from fedbounds.verify.measure.clients import Clients
from fedbounds.verify.measure.objectives import exact_array, objective
from fedbounds.verify.setups.contests import contest
from fedbounds.vocabulary import Kind

EVERY = tuple(dict.fromkeys(one for every in own.SHOWN.values() for one in every))
TASK, START = own.Objective("quadratics", own.TASK.data), exact_array(own.TASK.start)


def series(one, *ways):
    """Some ways of a contest, at its ends."""
    kept = {name: one.ways[name] for name in ways or one.ways}
    return contest(own.Contest(one.name, one.over, one.values, kept, one.quantity, one.told,
                               one.replicas, one.spread), Profile.QUICK)["series"]  # fmt: skip


def test_they_stand_beside_claims_and_no_verdict_is_theirs():
    assert all(entry(name).kind is not Kind.DEFINITION for name in SHOWN)
    assert set(own.SHOWN) < set(SHOWN)
    assert all(len(every) in (1, len(one.values))
               for one in EVERY for every in one.ways.values())  # fmt: skip


@pytest.mark.parametrize("kept", [1, 2, 3, 4])
def test_masks_are_those_of_scores(kept):
    problem = Clients(objective(TASK))
    assert own.of_task(kept) == by_squared_gradient(problem, START, kept)
    assert own.of_task(2) == own.of_pretraining(0)
    assert own.TRANSFER.ways["weight magnitude"][0][0][0].run.parameter("mask") == by_magnitude(
        START, 2
    )


def test_the_least_value_is_that_of_the_mean_objective():
    problem = objective(TASK)
    H, b = (np.asarray(x, dtype=float).mean(axis=0) for x in (problem.hessian, problem.linear))
    assert float(own.TASK.least) == pytest.approx(-b @ np.linalg.solve(H, b) / 2)


def walked(mask, eta, rounds):
    """E f - f* by moments of w - w*, of one direction and the mean objective."""
    problem = objective(TASK)
    H, b = (np.asarray(x, dtype=float).mean(axis=0) for x in (problem.hessian, problem.linear))
    away = np.asarray(START, dtype=float) + np.linalg.solve(H, b)
    m, M = np.diag(np.array(mask, dtype=float)), np.outer(away, away)
    for _ in range(rounds):
        square = m @ H @ M @ H @ m
        M = M - eta * (M @ H @ m + m @ H @ M) + eta**2 * (2 * square + np.trace(square) * m)
    return np.trace(H @ M) / 2


def test_one_local_step_is_by_hand():
    found = series(own.ONE_STEP)
    last = own.ONE_STEP.values[-1]
    for way, masks in (("Full-FedZO", [(1,) * 4]), ("task gradients", [own.of_task()]),
                       ("random, mean of all masks", own._ANY)):  # fmt: skip
        size = 6 * (sum(masks[0]) + 2)
        etas = [float(x) / size for x in (0.25, 0.5, 1, 2)]
        for at, rounds in enumerate((1, last)):
            wanted = min(np.mean([walked(m, eta, rounds) for m in masks]) for eta in etas)
            assert found[way][at] == pytest.approx(wanted, abs=1e-10)
    assert found["task gradients"][0] < found["Full-FedZO"][0]  # few rounds
    assert found["Full-FedZO"][-1] < found["task gradients"][-1]  # many: a mask leaves the rest


def test_the_best_mask_depends_on_the_dial():
    found = series(own.TRANSFER)["pre-training gradients"]
    other = series(own.TRANSFER, "task gradients", "weight magnitude")
    assert found == [other["task gradients"][0], other["weight magnitude"][-1]]


def test_who_is_flagged_is_what_another_simulation_has():
    """Step by step in NumPy, whose choice is another implementation."""
    for way, latest, absolute in (("as printed", False, False),
                                  ("latest steps, sizes", True, True)):  # fmt: skip
        by = Calibration(5, 5, 0.5, 2, 0.5, latest, absolute)
        found = series(own.OVER_LABELS, way)
        low, high = found[f"{way}, estimate, from"], found[f"{way}, estimate, to"]
        for at, labels in enumerate((LABELS[0], LABELS[-1])):
            share = np.mean([flagged(*map(float, labels), by, seed) for seed in range(150)])
            assert low[at] - 0.1 < share < high[at] + 0.1
    printed = series(own.OVER_LABELS, "as printed")["as printed, estimate"]
    assert printed[0] > printed[1]  # it flags balanced clients more often


def flagged(mean, spread, by, seed):
    """Whether a client of such labels is, along a = (1, 1) at 1/8, from 0."""
    random, w, scores = np.random.default_rng(seed), np.zeros(2), []
    for _ in range(20):
        z, noise = random.standard_normal(2), spread * random.choice([-1, 1], 2)
        g = z @ (np.ones(2) * (w.sum() - mean) + noise)
        scores.append(-g * z.sum())
        w = w - g * z / 8
    return stopped([rational(float(x)) for x in scores], by)


def test_gradients_that_grow_do_so_by_quadrature_too():
    """As epsilon tends to 0, a step from x along z leads to x - eta z^2 phi'(x)."""

    def slope(x):
        return 2 * x + 3 * np.sin(2 * x)

    z, weights = np.polynomial.hermite_e.hermegauss(80)
    start = slope(11 / 7)
    mean = weights @ slope(11 / 7 - z**2 * start / 24) / weights.sum()
    one = own.Contest("two steps", "T", (1, 2), {"a": own.GROWTH.ways["one client"][:2]},
                      "beyond", "", replicas=1024)  # fmt: skip
    told = contest(one, Profile.DEFAULT)["series"].values()
    (once, *_), (_, low, high) = zip(*told, strict=True)
    assert once == pytest.approx(-(start**2) / 100)
    assert 0 < low < start * (start + mean) / 2 - 1.01 * start**2 < high


def test_factor_pairs_reach_less_than_matrices_at_first():
    found = series(own.FACTORS)
    (name,) = own.FACTORS.ways
    assert all(x is not None for every in found.values() for x in every)
    start = walked((1,) * 4, 0, 0)
    assert 0 < found[f"{name}, estimate"][-1] < found[f"{name}, estimate"][0] < start
