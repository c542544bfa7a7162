"""Enumerated runs against plain Python fractions, and what they must satisfy."""

from collections import Counter
from fractions import Fraction as F
from itertools import permutations, product

import numpy as np
import pytest
from flint import fmpq
from masked_moments_cases import quadratic, start

from fedbounds.algorithms.rolling_ends import EACH_PROJECTED, PROJECTED, SHUFFLED
from fedbounds.algorithms.sub_models import RANDOM
from fedbounds.verify.measure.clients import Clients
from fedbounds.verify.measure.enumerated import enumerated
from fedbounds.verify.measure.subject import Subject

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
    values = {"K": K, "eta": STEP, "keep": (fmpq(1, 3), fmpq(3, 4))}
    last = enumerated(Subject(RANDOM, Clients(problem), begun.u, values, rounds)).last
    keep = (F(1, 3), F(3, 4))
    expected = plain_random(problem, keep, K, F(1, 4), F(scale), fractions(begun.u), rounds)
    assert law_of(last.state["x"], last.chances) == expected


def within(w, box):
    return tuple(min(max(x, box[0]), box[1]) for x in w)


@pytest.mark.parametrize("algorithm", [SHUFFLED, PROJECTED, EACH_PROJECTED])
@pytest.mark.parametrize(("orders", "epochs"), [(1, 2), (2, 1)])
def test_rolling_masks_have_the_law_over_all_orders(algorithm, orders, epochs):
    problem, begun, box = quadratic(2, 2), start(2, 2), (F(1, 8), F(3, 4))
    single = list(permutations(range(3)))
    both = [(o, o) for o in single] if orders == 1 else list(product(single, single))
    silent = [[[F(0)] * 2] * 2] * 2
    law = Counter()
    for run_orders in product(both, repeat=epochs):
        w = tuple(fractions(begun.u))
        for own, s in product(run_orders, range(3)):
            masks = [ROLLING[i][own[i][s]] for i in range(2)]
            w = plain_round(problem, w, masks, silent, 2, F(1, 4))
            if algorithm is EACH_PROJECTED or (algorithm is PROJECTED and s == 2):
                w = within(w, box)
        law[w] += F(1, len(both) ** epochs)
    values = {"K": 2, "eta": STEP, "sub_models": ROLLING, "orders": orders}
    if algorithm is not SHUFFLED:
        values["box"] = box
    last = enumerated(Subject(algorithm, Clients(problem), begun.u, values, epochs)).last
    assert law_of(last.state["x"], last.chances) == law
