"""Rounding is told from violation, and a broken law is readable."""

from fractions import Fraction

import numpy as np
import pytest
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st

from fedbounds.laws import Law, LawBroken, agree

DEMO = Law("demo", "left is right")
FINITE = st.floats(-1e6, 1e6, allow_nan=False)


def broken(left, right, **keywords):
    with pytest.raises(LawBroken) as caught:
        agree(DEMO, left, right, {"x": np.array([1.0, 0.5])}, **keywords)
    return caught.value


@given(st.lists(FINITE, min_size=1, max_size=20), st.randoms(use_true_random=False))
def test_sums_in_another_order_agree(numbers, random):
    shuffled = random.sample(numbers, len(numbers))
    agree(DEMO, sum(shuffled), sum(numbers), {}, scale=max(map(abs, numbers)))


@given(st.integers(-1000, 1000).filter(bool), st.integers(-30, 30))
def test_a_millionth_is_no_rounding(whole, exponent):
    number = whole * 2.0**exponent
    broken(number, number * (1 + 1e-6))


@given(st.fractions(), st.fractions())
def test_exact_numbers_agree_only_when_equal(left, right):
    agree(DEMO, left, fmpq(left.numerator, left.denominator), {})
    if left != right:
        found = broken(np.array([left, 0]), np.array([right, 0]))
        assert (found.left[0], found.right[0]) == (left, right)


def test_exact_numbers_get_no_tolerance():
    tiny = Fraction(1, 10**30)
    assert "1/1" in str(broken(tiny, Fraction(0)))
    agree(DEMO, np.array([tiny]), np.array([0.0]), {}, scale=1.0)  # a float beside it: rounding


def test_the_coarser_type_sets_the_rounding():
    third = np.float32(1) / np.float32(3)
    agree(DEMO, third, 1 / 3, {})
    broken(float(third), 1 / 3)


def test_cancellation_is_judged_on_the_scale_of_what_cancelled():
    left = (0.1 + 0.2) - 0.3
    broken(left, 0.0)
    agree(DEMO, left, 0.0, {}, scale=0.3)


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_what_is_not_finite_never_agrees(wrong):
    broken(wrong, wrong)


def test_shapes_must_be_equal():
    found = broken(np.zeros(2), np.zeros((2, 1)))
    assert (found.left, found.right) == ((2,), (2, 1))


def test_a_broken_law_says_where_in_two_lines():
    found = broken(np.array([[1.0, 2.0]]), np.array([[1.0, 2.5]]))
    assert isinstance(found, AssertionError)
    assert (found.law, found.statement) == ("demo", "left is right")
    assert str(found).splitlines() == [
        "demo: left is right",
        "broken at x = [1, 0.5]: left[0, 1] = 2, right[0, 1] = 2.5",
    ]


def test_digits_are_shown_where_they_differ():
    assert "1.00000001" in str(broken(1.00000001, 1.0))


def test_large_arrays_are_cut():
    assert len(str(broken(np.arange(1000.0), np.zeros(1000)))) < 200
