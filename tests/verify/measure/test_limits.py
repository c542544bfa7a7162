"""Limits of moments are fixed points that long runs come to, or there is none and it is said."""

from dataclasses import replace

import numpy as np
import pytest
from flint import fmpq
from traced_runs import partial_training, scalar, square

from fedbounds.algorithms.traced import Algorithm
from fedbounds.theory.language.symbols import VectorSymbol
from fedbounds.theory.proof.vectors import sq
from fedbounds.verify.measure.answers import Asked, by_moments
from fedbounds.verify.measure.limits import factor, limit
from fedbounds.verify.measure.moments import form
from fedbounds.verify.measure.ranges import as_range, of_ball
from fedbounds.verify.measure.spaces import product
from fedbounds.verify.measure.unknowns import Refused
from fedbounds.verify.measure.unrolled import unrolled_space

W = VectorSymbol("W", "W")


@pytest.mark.parametrize("tau", [1, 2])
def test_a_long_run_comes_to_the_limit(tau):
    subject = partial_training(tau=tau, rounds=300)
    found = limit(subject)
    space = unrolled_space(subject, found.unrolled)
    settled = found(form(space.variables, product(sq(W), space, {})))
    last = by_moments(subject, Asked(functions={"n": square})).series["n"][-1]
    assert abs(float(last - settled)) < 1e-9 * float(settled)
    start = by_moments(partial_training(tau=tau, rounds=1), Asked(functions={"n": square}))
    assert abs(float(start.series["n"][0] - settled)) > 1  # it is no fixed point by accident


def test_noise_alone_keeps_the_mean_square_where_theory_has_it():
    # x+ = x/2 + e/2 with variance 1/4: m = m/4 + 1/16
    def step(problem, p, state, drawn):
        return {"x": state["x"] / 2 + drawn["noise"][:, 0, 0] / 2}

    def draw(random, problem, p):
        return {"noise": random.noise(problem, 1)}

    found = limit(scalar(step, draw=draw, noise=fmpq(1, 2)))
    assert found.values[1, 1] == fmpq(1, 12)
    assert found.values[0, 1] == 0


@pytest.mark.parametrize("factor", [1, 2, -1])
def test_a_step_that_does_not_contract_has_no_limit(factor):
    subject = scalar(lambda problem, p, state, drawn: {"x": state["x"] * factor})
    with pytest.raises(Refused, match="contract"):
        limit(subject)


def test_a_step_that_asks_for_the_round_has_no_limit():
    subject = scalar(lambda problem, p, state, drawn: {"x": state["x"] / (p["t"] + 2)})
    with pytest.raises(Refused, match="round"):
        limit(subject)


def test_slow_contraction_is_shown_by_a_power():
    def step(problem, p, state, drawn):
        x = state["x"]
        return {"x": x * fmpq(99, 100), "y": state["y"] * fmpq(1, 2) + 40 * x}

    subject = scalar(step)
    subject.algorithm.__dict__["init"] = lambda problem, start: {"x": start, "y": start * 0}
    found = limit(subject)
    assert found.power > 1
    assert set(found.values.values()) == {fmpq(0), fmpq(1)}


def test_a_round_of_means_has_the_factor_of_its_largest_eigenvalue():
    def step(problem, p, state, drawn):
        x, y = state["x"][:, 0], state["x"][:, 1]
        return {"x": np.stack([(x + y) / 2, y / 3 - x / 2 + 1], axis=1)}

    own = Algorithm(lambda problem, x: {"x": x}, lambda random, problem, p: {}, step, "own")
    low, high = as_range(of_ball(factor(replace(partial_training(), algorithm=own)))).ends
    sizes = abs(np.linalg.eigvals([[1 / 2, 1 / 2], [-1 / 2, 1 / 3]]))
    assert float(high - low) < 1e-12
    assert abs(float(low) - max(sizes)) < 1e-12


def test_rounds_that_differ_have_no_common_factor():
    def step(problem, p, state, drawn):
        return {"x": state["x"] / (p["t"] + 2)}

    with pytest.raises(Refused, match="no common factor"):
        factor(scalar(step))
