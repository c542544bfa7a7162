"""What a step may ask of a problem about boxes and masks, and what moments make of it."""

from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
from flint import fmpq
from masked_moments_cases import quadratic, start

from fedbounds.algorithms import sub_models
from fedbounds.errors import FedboundsError
from fedbounds.facts import Constant, Fact
from fedbounds.problems import FederatedQuadratic, to_float
from fedbounds.theory.language.setups import Largest, Shown, dot
from fedbounds.theory.proof.vectors import given, past, sq, vectors
from fedbounds.verify.measure.clients import Clients
from fedbounds.verify.measure.known import Known
from fedbounds.verify.measure.moments import moments
from fedbounds.verify.measure.objectives import constants, facts
from fedbounds.verify.measure.subject import Subject
from fedbounds.verify.measure.trace import traced
from fedbounds.verify.measure.unknowns import Refused

HALF, KEEP = fmpq(1, 2), (fmpq(1, 2), fmpq(3, 4))
BOX = (fmpq(-1, 4), fmpq(3, 4))
hx, x = vectors({"hx": "h", "x": "x"})
SHOWN = Shown({"mask": ("masks",), "xi": ("noise",)}, {"i": ""}, {"x": (), "xn": (), "hx": ("i",)})


def run(rounds=1, algorithm=sub_models.RANDOM, problem=None, **more):
    values = {"keep": KEEP, "K": 2, "eta": fmpq(1, 4), **more}
    return Subject(algorithm, Clients(problem or quadratic(2, 2)), start(2, 2).u, values, rounds,
                   SHOWN)  # fmt: skip


# ---- problems


def test_masked_clients_are_means_over_every_mask():
    problem, w = Clients(quadratic(2, 2)), np.array([[fmpq(1, 3), fmpq(-2)]], dtype=object)
    masked = problem.masked(np.array(KEEP, dtype=object))
    value, gradient = 0, 0
    for number in range(16):
        bits = np.array([[(number >> (2 * i + j)) & 1 for j in (0, 1)] for i in (0, 1)])
        masks = bits.astype(object)[None]
        chance = np.prod([p if bit else 1 - p for p, row in zip(KEEP, bits, strict=True)
                          for bit in row])  # fmt: skip
        value = value + problem.value(masks * problem.spread(w)) * chance
        gradient = gradient + masks * problem.gradient(masks * problem.spread(w)) * chance
    assert (masked.value(w) == value).all()
    assert (masked.gradient(w) == gradient).all()


def test_the_minimiser_in_a_box_is_none_of_the_others():
    problem, equal = Clients(quadratic(2, 2)), np.array([HALF, HALF], dtype=object)
    best = problem.best(equal, BOX)
    assert (problem.best(equal) != best).any()
    lowest = problem.value(best[None]).sum()
    corners = [[a, b] for a in (*BOX, best[0]) for b in (*BOX, best[1])]
    assert all(problem.value(np.array([at], dtype=object)).sum() >= lowest for at in corners)
    floats = Clients(to_float(problem.objective)).best(np.array([0.5, 0.5]), (-0.25, 0.75))
    assert np.allclose(floats, [float(Fraction(str(entry))) for entry in best])


def test_points_are_projected_entry_by_entry():
    problem = Clients(quadratic(2, 2))
    found = problem.project(np.array([[fmpq(-3), fmpq(1, 3)], [fmpq(2), BOX[0]]]), BOX)
    assert (found == np.array([[BOX[0], fmpq(1, 3)], [BOX[1], BOX[0]]])).all()


def test_a_box_without_points_is_an_error():
    with pytest.raises(FedboundsError, match=r"box is \(1, 0\); expected its least entry"):
        traced(run(box=(1, 0)))


def saddle(*matrices):
    return FederatedQuadratic(
        np.array(matrices) + fmpq(0), np.zeros((len(matrices), 2), dtype=int) + fmpq(0), 2
    )


def test_without_convexity_there_is_no_mu():
    one = saddle([[1, 2], [2, 1]], [[0, 0], [0, -4]])
    assert constants(one)[Constant.SMOOTHNESS].value == 4
    assert Constant.STRONG_CONVEXITY not in constants(one)
    assert Clients(one).smoothness == 4
    assert not facts(one)[Fact.CONVEX].holds
    flat = saddle([[1, 1], [1, 1]])
    assert facts(flat)[Fact.CONVEX].holds
    assert not facts(flat)[Fact.STRONGLY_CONVEX].holds


# ---- methods


def test_moments_are_those_of_every_outcome():
    """Also of entries that a mask multiplies twice: m m = m."""
    subject = run(rounds=2)
    trace = traced(subject)
    for at, values in enumerate(moments(subject).values[:2]):
        squares = Known(trace, {}, {}).products(sq(x))[at]
        assert values[1, 1] + values[2, 2] == squares


def test_moments_refuse_a_projection_and_enumeration_does_not():
    with pytest.raises(Refused, match="compares"):
        moments(run(box=BOX))
    ends = traced(run(box=BOX)).end.vectors["x"].reshape(-1)
    assert min(ends) >= BOX[0]
    assert max(ends) <= BOX[1]
    free = traced(run()).end.vectors["x"].reshape(-1)
    assert min(free) < BOX[0]


def test_static_masks_leave_alone_what_nobody_holds():
    for rule in (sub_models.STATIC, sub_models.OVER_HOLDERS):
        subject = Subject(
            rule, Clients(quadratic(2, 2)), start(2, 2).u,
            {"masks": ((1, 0), (1, 0)), "K": 2, "eta": fmpq(1, 4)}, 2,
            Shown({}, {}, {"x": ()}),
        )  # fmt: skip
        after = traced(subject).end.vectors["x"].reshape(-1)
        assert after[1] == start(2, 2).u[1]
        assert after[0] != start(2, 2).u[0]


def test_a_largest_conditional_mean_is_the_largest_of_the_states():
    trace = traced(run(rounds=2))
    known = Known(trace, {}, {})
    by_state = [
        space.mean((space.vectors["hx"] ** 2).sum(axis=-1, keepdims=True), ("past",)).reshape(-1)
        for space in trace.spaces
    ]
    assert len(by_state[1]) > 1
    square = dot(hx, hx)
    found = known.number(Largest(given(square, past)))
    assert found == max(max(each) for each in by_state)
    assert found < known.number(Largest(square))
    assert known.number(Largest(given(square, past) / 2 + sp.Integer(1))) == found / 2 + 1
