"""Powers of balls: what is in a ball has its power in the power."""

from fractions import Fraction

import numpy as np
import sympy as sp
from flint import arb, fmpq
from hypothesis import given
from hypothesis import strategies as st

from fedbounds.verify.measure.balls import Ball, raised
from fedbounds.verify.measure.evaluate import Numbers, evaluate

inside = st.fractions(-1, 1, max_denominator=8)


@given(st.fractions(-2, 2, max_denominator=8), st.integers(0, 3), inside, st.integers(0, 7))
def test_powers_contain_those_of_all_points(middle, radius, part, power):
    """Of balls round 0 too, of which flint tells nothing; `middle` may be 0."""
    ball = arb(fmpq(*middle.as_integer_ratio()), radius)
    point = Fraction(middle) + part * radius
    assert raised(ball, power).contains(arb(fmpq(*(point**power).as_integer_ratio())))
    assert (Ball(ball) ** power).ball.is_finite()


def test_squares_in_a_formula_are_finite_where_a_ball_contains_0():
    x = sp.Symbol("x", real=True)
    for base in (arb(0, 1e-9), np.array([arb(0, 1e-9), arb(2)], dtype=object)):
        found = evaluate(x**2, Numbers({"x": base}, {}, fmpq))
        assert all(one.is_finite() for one in np.ravel(found))
