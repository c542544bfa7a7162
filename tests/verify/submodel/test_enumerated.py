"""Enumerated runs against plain Python fractions, and what they must satisfy."""

from collections import Counter
from fractions import Fraction as F
from itertools import permutations, product
from math import factorial

import numpy as np
import pytest
from flint import fmpq
from masked_moments_cases import quadratic, start, subject
from rounds_enumerated import enumerate_rounds, expectation

from fedbounds.algorithms.random_masks import RandomMasks
from fedbounds.algorithms.rolling_masks import RollingMasks
from fedbounds.errors import FedboundsError
from fedbounds.problems import Noise, NoiseLaw
from fedbounds.problems.domain import Box
from fedbounds.verify.measure.enumerated import enumerated

STEP = fmpq(1, 4)
ROLLING = [[[1, 0], [0, 1], [1, 1]], [[0, 1], [1, 0], [1, 1]]]


def fractions(array):
    return [F(int(x.p), int(x.q)) for x in np.asarray(array, dtype=object).reshape(-1)]


def plain_round(problem, w, masks, noise, K, eta):
    """One round of the sheet's algorithm, word for word, in fractions."""
    n, d = problem.linear.shape
    total = [F(0)] * d
    for i in range(n):
        A, h, m = fractions(problem.hessian[i]), fractions(problem.linear[i]), masks[i]
        own = [m[j] * w[j] for j in range(d)]
        for k in range(K):
            gradient = [sum(A[j * d + c] * own[c] for c in range(d)) + h[j] for j in range(d)]
            own = [own[j] - eta * m[j] * (gradient[j] + noise[i][k][j]) for j in range(d)]
        total = [t + m[j] * own[j] + (1 - m[j]) * w[j] for j, t in enumerate(total)]
    return tuple(t / n for t in total)


def plain_random(problem, keep, K, eta, scale, w, rounds):
    """The law of w^R by recursion over everything."""
    n, d = problem.linear.shape
    law = Counter({tuple(w): F(1)})
    for _ in range(rounds):
        after = Counter()
        for bits in product((0, 1), repeat=n * d):
            masks = [bits[i * d : (i + 1) * d] for i in range(n)]
            chance = F(1)
            for i in range(n):
                for bit in masks[i]:
                    chance *= keep[i] if bit else 1 - keep[i]
            signs = (
                list(product((-scale, scale), repeat=n * K * d))
                if scale
                else [(F(0),) * (n * K * d)]
            )
            for sign in signs:
                noise = [
                    [sign[(i * K + k) * d : (i * K + k + 1) * d] for k in range(K)]
                    for i in range(n)
                ]
                for point, weight in law.items():
                    reached = plain_round(problem, point, masks, noise, K, eta)
                    after[reached] += weight * chance / len(signs)
        law = Counter({point: weight for point, weight in after.items() if weight})
    return law


def law_of(points, chances):
    law = Counter()
    for point, chance in zip(points.tolist(), chances, strict=True):
        law[tuple(F(int(x.p), int(x.q)) for x in point)] += F(int(chance.p), int(chance.q))
    return law


@pytest.mark.parametrize(("K", "rounds", "scale"), [(1, 1, 0.5), (2, 2, 0.0), (1, 2, 0.0)])
def test_random_masks_have_the_law_of_plain_fractions(K, rounds, scale):
    problem, begun = quadratic(2, 2, scale), start(2, 2)
    algorithm = RandomMasks((fmpq(1, 3), fmpq(3, 4)), K, STEP)
    last = enumerated(subject(problem, algorithm, begun, rounds)).last
    keep = (F(1, 3), F(3, 4))
    expected = plain_random(problem, keep, K, F(1, 4), F(scale), fractions(begun.u), rounds)
    assert law_of(last.state["x"], last.chances) == expected


@pytest.mark.parametrize(("shared", "epochs"), [(True, 2), (False, 1)])
def test_rolling_masks_have_the_law_over_all_orders(shared, epochs):
    problem, begun = quadratic(2, 2), start(2, 2)
    orders = list(permutations(range(3)))
    both = [(o, o) for o in orders] if shared else list(product(orders, orders))
    silent = [[[F(0)] * 2] * 2] * 2
    law = Counter()
    for run_orders in product(both, repeat=epochs):
        w = tuple(fractions(begun.u))
        for own, s in product(run_orders, range(3)):
            masks = [ROLLING[i][own[i][s]] for i in range(2)]
            w = plain_round(problem, w, masks, silent, 2, F(1, 4))
        law[w] += F(1, len(both) ** epochs)
    run = enumerate_rounds(problem, RollingMasks(ROLLING, 2, STEP, shared), begun, 3 * epochs)
    assert law_of(run.states[-1].points, run.states[-1].chance) == law
    assert set(run.states[-1].visited) == set(run.states[0].visited)


@pytest.mark.parametrize(
    "algorithm",
    [
        RollingMasks(ROLLING, 2, STEP),
        RollingMasks(ROLLING, 2, STEP, shared_order=False),
    ],
)
def test_chances_add_up_and_virtual_iterates_average_to_the_next_state(algorithm):
    run = enumerate_rounds(quadratic(2, 2, 0.5), algorithm, start(2, 2), 1)
    found = run.rounds[0]
    assert found.chance.sum() == 1
    assert all(states.chance.sum() == 1 for states in run.states)
    assert (found.virtual[-1].sum(axis=0) / 2 == found.after).all()
    assert (found.before == run.states[0].points[found.state]).all()
    for k in range(2):
        moved = np.where(found.masks, found.noisy[k] * STEP, fmpq(0))
        assert (found.virtual[k] - moved == found.virtual[k + 1]).all()
    own = np.where(found.masks, found.noisy - found.gradients, fmpq(0))
    assert (expectation(found, own.transpose(2, 0, 1, 3)) == 0).all()
    square = expectation(found, (own**2).sum(axis=3).transpose(2, 0, 1))
    kept = expectation(found, found.masks.sum(axis=2).astype(object).T)
    assert (square == kept / 4).all()


WINDOWS = [[[1, 1], [0, 1]], [[1, 0], [1, 1]]]


def test_noise_is_listed_on_kept_coordinates_alone():
    run = enumerate_rounds(quadratic(2, 2, 0.5), RollingMasks(WINDOWS, 1, STEP), start(2, 2), 1)
    assert len(run.rounds[0].chance) == 2**3 + 2**3  # three coordinates are kept in both


def test_a_certain_mask_has_one_pattern():
    run = enumerate_rounds(
        quadratic(2, 2), RollingMasks([[[1, 1]], [[1, 1]]], 2, STEP), start(2, 2), 3
    )
    assert [len(found.chance) for found in run.rounds] == [1, 1, 1]


@pytest.mark.parametrize("each_round", [True, False])
def test_rolling_masks_project_where_they_are_told_to(each_round):
    box = Box(fmpq(1, 8), fmpq(3, 4))
    algorithm = RollingMasks(ROLLING, 2, STEP, True, each_round, box)
    run = enumerate_rounds(quadratic(2, 2), algorithm, start(2, 2), 3)
    inside = [((s.points >= box.lower) & (s.points <= box.upper)).all() for s in run.states]
    assert inside[3]
    assert all(inside) == each_round


def test_merging_keeps_the_number_of_states_of_rolling_masks_small():
    masks = [[[1, 0, 0], [0, 1, 0], [0, 0, 1]]]
    separable = quadratic(1, 3, groups=[0, 1, 2])
    run = enumerate_rounds(separable, RollingMasks(masks, 1, STEP), start(1, 3), 6)
    # blocks commute here: an order does not matter, the set of what was visited does
    assert [len(s.chance) for s in run.states] == [1, 3, 3, 1, 3, 3, 1]
    assert len(run.rounds[5].chance) == 3 < factorial(3)


def test_too_many_outcomes_are_counted_and_refused():
    rolling = RollingMasks(WINDOWS, 1, STEP)
    with pytest.raises(
        FedboundsError, match="number of outcomes of round 0 is 16; expected at most 15"
    ):
        enumerate_rounds(quadratic(2, 2, 0.5), rolling, start(2, 2), 1, most_rows=15)


def test_gaussian_noise_is_refused():
    problem = quadratic(2, 2)
    object.__setattr__(problem, "noise", Noise(NoiseLaw.GAUSSIAN, fmpq(1), fmpq(0)))
    with pytest.raises(FedboundsError, match="noise law is gaussian; expected rademacher"):
        enumerate_rounds(problem, RollingMasks(WINDOWS, 1, STEP), start(2, 2), 1)


def test_another_algorithm_is_refused():
    with pytest.raises(FedboundsError, match="algorithm is int"):
        enumerate_rounds(quadratic(1, 2), 3, start(1, 2), 1)
