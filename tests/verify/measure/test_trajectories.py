"""Runs without randomness are followed in balls, with as many bits as they take."""

import numpy as np
import pytest
from traced_runs import scalar, square

from fedbounds.verify.measure.answers import Asked, by_enumeration
from fedbounds.verify.measure.trajectories import trajectory
from fedbounds.verify.measure.unknowns import Refused

MEASURED = {"n": square}


def cubic(problem, p, state, drawn):
    """Chaotic on [-1, 1]: an error triples in every round."""
    x = state["x"] / 8 if p["t"] == 0 else state["x"]
    return {"x": x * (3 - 4 * x**2)}


def test_the_first_rounds_are_those_of_rationals():
    exact = by_enumeration(scalar(cubic, start=3, rounds=5), Asked(functions=MEASURED))
    found = trajectory(scalar(cubic, start=3, rounds=5), MEASURED)
    assert all(
        (ball - value).contains(0) and float(ball.rad()) < 1e-20
        for ball, value in zip(found.series["n"], exact.series["n"], strict=True)
    )


def test_bits_grow_with_the_rounds_of_an_unstable_run():
    short, long = (trajectory(scalar(cubic, start=3, rounds=T), MEASURED) for T in (5, 300))
    assert long.bits > short.bits
    assert float(long.series["n"][-1].rad()) < 1e-20


def test_a_step_that_compares_is_followed_where_the_comparison_is_decided():
    def clipped(problem, p, state, drawn):
        x = state["x"]
        size = np.sqrt(x * x)
        return {"x": x - np.where(size > 1, x / (2 * size), x / 2)}

    found = trajectory(scalar(clipped, start=3, rounds=6), MEASURED)
    assert [float(v.mid()) for v in found.series["n"]] == [9, 6.25, 4, 2.25, 1, 0.25, 0.0625]


def test_a_comparison_that_no_bits_decide_is_refused():
    def undecided(problem, p, state, drawn):
        root = np.sqrt(state["x"] * 2)
        return {"x": np.where(root * root > 2, state["x"], state["x"] / 2)}

    with pytest.raises(Refused, match="not decided"):
        trajectory(scalar(undecided, start=1, rounds=2), MEASURED)


def test_a_random_run_is_refused():
    def noisy(problem, p, state, drawn):
        return {"x": state["x"] / 2 + drawn["e"]}

    subject = scalar(noisy, draw=lambda random, problem, p: {"e": random.signs(1)})
    with pytest.raises(Refused, match="draws signs"):
        trajectory(subject, MEASURED)
