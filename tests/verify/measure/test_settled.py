"""Where runs settle that are projected: by hand, against long runs, and what is refused."""

from dataclasses import replace

import numpy as np
import pytest
from flint import fmpq
from traced_runs import scalar

from fedbounds.algorithms.traced import Algorithm
from fedbounds.own import quadratic
from fedbounds.theory.language.setups import Shown
from fedbounds.theory.language.symbols import VectorSymbol
from fedbounds.theory.proof.vectors import sq
from fedbounds.verify.measure import settled as settling
from fedbounds.verify.measure.clients import Clients
from fedbounds.verify.measure.enumerated import enumerated
from fedbounds.verify.measure.settled import by_moments, by_states, on_a_face, settled
from fedbounds.verify.measure.subject import Subject
from fedbounds.verify.measure.unknowns import Refused

X = sq(VectorSymbol("X", "X"))
SHOWN = Shown(draws={"turn": ("turn",)}, vectors={"X": ()})
MATRIX = [[2, 1], [1, 2]]
STEP = fmpq(1, 4)


def _draw(random, problem, p):
    return {"turn": random.index(2)}


def _step(problem, p, state, drawn, see):
    """One of two slopes, then onto the box."""
    x = state["x"]
    see(X=x)
    slope = np.take_along_axis(p["slopes"][None], drawn["turn"][:, None, None], axis=1)[:, 0]
    return {"x": problem.project(x - (problem.gradient(x)[:, 0] + slope) * STEP, p["box"])}


def boxed(slopes, start, box, rounds=1, step=_step):
    problem, at = quadratic([MATRIX], [[0, 0]], start)
    own = Algorithm(lambda problem, start: {"x": start}, _draw, step, "own")
    values = {"slopes": slopes, "box": box}
    return Subject(own, Clients(problem), at, values, rounds, SHOWN)


def after(subject, rounds):
    last = enumerated(replace(subject, rounds=rounds)).last
    return (last.chances * (last.state["x"] ** 2).sum(axis=1)).sum()


def test_a_wide_box_leaves_the_moments_of_runs_that_are_not_projected():
    def free(problem, p, state, drawn, see):
        return _step(_Free(problem), p, state, drawn, see)

    wide = boxed(((1, 0), (-1, 2)), (0, 0), (-9, 9))
    found = on_a_face(wide, X, {})
    assert found == by_moments(boxed(((1, 0), (-1, 2)), (0, 0), (-9, 9), step=free), X, {})
    assert found == settled(wide, X, {})
    assert float(after(wide, 12)) == pytest.approx(float(found), rel=0.1)


class _Free:
    def __init__(self, problem):
        self._problem = problem

    def __getattr__(self, name):
        return (lambda w, box: w) if name == "project" else getattr(self._problem, name)


def test_a_face_keeps_what_is_pushed_against_it():
    pushed = boxed(((-9, 0), (-8, 1)), (1, 0), (-1, 1))
    found = settled(pushed, X, {})
    # x_1 = 1 for ever; y+ = y - (1 + 2 y + (0 or 1)) / 4: mean -3/4, variance (1/8)^2 / (1 - 1/4)
    assert found == 1 + fmpq(9, 16) + fmpq(1, 64) / (1 - fmpq(1, 4))
    assert float(after(pushed, 12)) == pytest.approx(float(found), rel=0.1)


def test_few_states_have_the_law_that_comes_back_for_ever():
    # one outcome leads to the corner (1, 1) from everywhere; from there the other one steps away
    corner = boxed(((-99, -99), (-2, -2)), (0, 0), (-1, 1))
    with pytest.raises(Refused, match="states are visited"):
        by_states(corner, X, {})
    corner = boxed(((-99, -99), (99, -99)), (0, 0), (-1, 1))
    assert by_states(corner, X, {}) == after(corner, 4) == 2


def test_rounds_that_flip_between_states_have_no_limit():
    def flips(problem, p, state, drawn, see):
        see(X=state["x"] + 1)
        return {"x": problem.project(-state["x"] * 3, p["box"])}

    with pytest.raises(Refused, match="no outcome of a round takes all states to one"):
        by_states(boxed(((0, 0), (0, 0)), (1, 1), (-1, 1), step=flips), X, {})


def test_a_face_that_rounds_leave_is_none(monkeypatch):
    leaving = boxed(((-9, 0), (9, 1)), (1, 0), (-1, 1))
    with pytest.raises(Refused, match="no face"):
        on_a_face(leaving, X, {})
    monkeypatch.setattr(settling, "_leads", lambda *_: True)  # planted: nothing is looked at
    assert on_a_face(leaving, X, {}) != after(leaving, 12)


def test_a_face_that_rounds_leave_after_they_were_projected_is_none():
    def halved(problem, p, state, drawn, see):
        return {"x": _step(problem, p, state, drawn, see)["x"] / 2}

    with pytest.raises(Refused, match="no face"):
        on_a_face(boxed(((-9, 0), (-8, 1)), (1, 0), (-1, 1), step=halved), X, {})


def test_a_start_outside_the_box_and_rounds_that_differ_are_refused():
    with pytest.raises(Refused, match="start in the box"):
        on_a_face(boxed(((0, 0), (0, 0)), (2, 0), (-1, 1)), X, {})

    def later(problem, p, state, drawn, see):
        see(X=state["x"])
        return {"x": problem.project(state["x"] / (p["t"] + 2), p["box"])}

    with pytest.raises(Refused, match="round"):
        settled(boxed(((0, 0), (0, 0)), (1, 0), (-1, 1), step=later), X, {})


def test_without_a_projection_moments_are_all_there_is():
    grows = scalar(lambda problem, p, state, drawn: {"x": state["x"] * 2})
    with pytest.raises(Refused, match=r"contract.*states are visited.*projected"):
        settled(replace(grows, shown=Shown(vectors={"x": ()})), sq(VectorSymbol("x", "x")), {})
