"""Limits of rolling masks against long runs, by hand and by sampling."""

from dataclasses import replace
from math import sqrt

import numpy as np
import pytest
from flint import fmpq

from fedbounds.algorithms import rolling_masks
from fedbounds.algorithms.masks import window_masks
from fedbounds.algorithms.rolling_masks import RollingMasks
from fedbounds.errors import FedboundsError
from fedbounds.problems import FederatedQuadratic, Noise, NoiseLaw, Start, to_float, to_rational
from fedbounds.problems.domain import Ball, Box
from fedbounds.problems.masked_laws import Rolling
from fedbounds.theory.setups import Objective, Run, Setup
from fedbounds.verify.case import find
from fedbounds.verify.submodel import rolling_ends
from fedbounds.verify.submodel.frame import Frame
from fedbounds.verify.submodel.rolling_ends import RollingLimit
from fedbounds.verify.submodel.rolling_moments import rolling_moments
from fedbounds.verify.submodel.rolling_projected import Bounds, run

HALVES = ((1, 0), (0, 1))
PLANE = [[[2.0, 1.0], [1.0, 2.0]], [[2.0, -1.0], [-1.0, 2.0]]]


def quadratic(matrices, slopes, noise=0.0):
    matrices, slopes = np.array(matrices), np.array(slopes)
    law = Noise(NoiseLaw.RADEMACHER, noise, 0.0)
    return to_rational(FederatedQuadratic(matrices, slopes, slopes.shape[1], law))


def at(*u, n=2):
    return to_rational(Start(np.array(u, dtype=float), np.zeros((n, 0))))


def plane(noise=0.5):
    return quadratic(PLANE, [[1.0, -1.0], [2.0, 0.5]], noise)


@pytest.mark.parametrize("shared", [True, False])
def test_limits_are_where_long_runs_end(shared):
    algorithm = RollingMasks((HALVES,) * 2, 2, fmpq(1, 12), shared)
    limits = find(RollingLimit(plane(), algorithm, at(1, 1))).parameters
    start, floats = Start(np.ones(2), np.zeros((2, 0))), to_float(plane())
    algorithm = replace(algorithm, inner_step_u=1 / 12)
    in_turn = [(0, 1)] * (1 if shared else 2)
    for name, order in (("shuffle_floor", None), ("fixed_floor", in_turn)):
        ran = rolling_moments(floats, algorithm, start, 300, order)
        left = np.trace(ran.covariance[-1]) + ran.mean[-1] @ ran.mean[-1]
        assert left == pytest.approx(float(limits[name]), rel=1e-9)


def test_drawing_with_replacement_by_hand():
    # one coordinate at a time: x <- (1 - a/2) x or the other client's, or both, or none
    problem = quadratic([np.eye(2)] * 2, [[0.0, 0.0]] * 2, 1.0)
    algorithm = RollingMasks((HALVES,) * 2, 1, fmpq(1, 10), False)
    a = fmpq(1, 20)
    kept = fmpq(1, 4) + (1 - a) ** 2 / 2 + (1 - 2 * a) ** 2 / 4
    limits = find(RollingLimit(problem, algorithm, at(0, 0))).parameters
    assert limits["drawn_floor"] == 2 * a * a / (1 - kept)
    same = (1 - 2 * a) ** 2, 2 * a * a
    apart = (1 - a) ** 4, a * a * (1 + (1 - a) ** 2)
    assert limits["shuffle_floor"] == 2 * (same[1] + apart[1]) / (2 - same[0] - apart[0])


def test_without_projection_the_limit_is_that_of_random_epochs_by_sampling():
    algorithm = RollingMasks((window_masks(3, 2),), 1, fmpq(1, 8))
    problem = quadratic([[[1.0, 0.0, -1.0], [0.0, 3.0, 0.0], [-1.0, 0.0, 2.0]]], [[1.0, 1.0, 1.0]])
    limits = find(RollingLimit(problem, algorithm, at(0, 0, 0, n=1))).parameters
    rng, floats = np.random.default_rng(0), to_float(problem)
    carry = rolling_masks.init(
        floats, replace(algorithm, inner_step_u=0.125), Start(np.zeros(3), np.zeros((1, 0))), 4000
    )
    for _ in range(3 * 120):
        drawn = rolling_masks.draw(floats, algorithm, rng, 4000, carry=carry)
        carry = rolling_masks.step(floats, replace(algorithm, inner_step_u=0.125), carry, drawn)
    best = np.linalg.solve(*_masked(problem, algorithm))
    apart = ((carry.u - best) ** 2).sum(axis=1)
    assert abs(apart.mean() - float(limits["shuffle_floor"])) < 5 * apart.std() / sqrt(4000)


def _masked(problem, algorithm):
    masks = np.array(algorithm.masks[0], dtype=float)
    a, h = problem.hessian[0].astype(float), problem.linear[0].astype(float)
    return sum(np.outer(m, m) * a for m in masks), -sum(m * h for m in masks)


@pytest.mark.parametrize("each_round", [True, False])
def test_a_projected_limit_is_reached_by_enumeration(each_round):
    # one client pushes out, the other in: few states, and one order that leads all to one
    problem = quadratic([[[1.0]], [[1.0]]], [[-6.0], [2.0]])
    masks = (((1,), (0,)), ((0,), (1,)))
    algorithm = RollingMasks(masks, 1, fmpq(1, 20), True, each_round, Box(-1, 1))
    limits = find(RollingLimit(problem, algorithm, at(1))).parameters
    view = "epochs in a box, every round projected" if each_round else "epochs in a box"
    data = {"hessians": (((1,),), ((1,),)), "slopes": ((-6,), (2,)), "noise": 0}
    run = {"sub_models": masks, "orders": 1, "K": 1, "eta": "1/20", "box": (-1, 1)}
    three = Run(Objective("quadratics", tuple(data.items())), (1,), tuple(run.items()), 3)
    reached = find(Setup("submodel", view, three)).series["D_opt"]
    name = "round_limit" if each_round else "epoch_limit"
    assert reached[-1] == limits[name]
    # 12 leads to 37/40 from everywhere, 21 from there to y, and to the bound from elsewhere
    step, low = fmpq(1, 40), fmpq(37, 40)
    x = low - step * (low + 2)
    y = x - step * (x - 6)
    assert limits["round_limit"] == (1 - low) ** 2 / 2 + (1 - y) ** 2 / 4


def test_a_face_holds_what_is_pushed_against_it():
    masks = (window_masks(3, 2),) * 2
    chain = [[2.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 2.0]]
    blocks = [[2.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 1.0]]
    problem = quadratic([chain, blocks], [[-3.0, 1.0, 1.0], [0.0, 2.0, -1.0]])
    face = Box((-4, -4, -4), (fmpq(3, 8), 4, 4))
    algorithm = RollingMasks(masks, 1, fmpq(1, 20), domain=face)
    limits = find(RollingLimit(problem, algorithm, at(0.375, 0, 0))).parameters
    rounds = rolling_ends.rounds_of(problem, algorithm)
    low, high = (np.array(x, dtype=object) for x in zip(*face.bounds(3), strict=True))
    box = Bounds((low - rounds.centre).astype(float), (high - rounds.centre).astype(float))
    orders = [[type(m)(m.matrix.astype(float), m.shift.astype(float), m.noise, m.chance) for m in o]
              for o in rolling_ends.every_order(rounds)]  # fmt: skip
    best = _constrained(problem, algorithm, rounds.centre)
    rng, x, total = np.random.default_rng(1), box.upper * 0 + np.array([box.upper[0], 0, 0]), []
    for epoch in range(20_000):
        x = run(orders[rng.integers(len(orders))], box, x)
        total += [((x - best) ** 2).sum()] if epoch >= 500 else []
    assert np.mean(total) == pytest.approx(float(limits["round_limit"]), rel=0.1)


def _constrained(problem, algorithm, centre):
    frame = Frame(problem, Rolling(algorithm.masks), algorithm.domain)
    return (frame.masked.minimiser - centre).astype(float)


def test_a_limit_without_certificate_is_not_given():
    algorithm = RollingMasks((window_masks(3, 2),), 1, fmpq(1, 20), domain=Box(-1, fmpq(1, 2)))
    problem = quadratic([np.eye(3) + 0.5], [[-3.0, 1.0, 2.0]])
    limits = find(RollingLimit(problem, algorithm, at(0, 0, 0, n=1))).parameters
    assert "free_limit" in limits
    assert not {"epoch_limit", "round_limit"} & limits.keys()


def test_a_domain_of_balls_is_refused():
    algorithm = RollingMasks((HALVES,) * 2, 1, fmpq(1, 60), domain=Ball(1.0))
    with pytest.raises(FedboundsError, match="domain is Ball"):
        RollingLimit(plane(), algorithm, at(0, 0))
