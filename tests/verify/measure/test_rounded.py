"""What rounding does to arrays: sizes and errors against exact rationals."""

import array_api_compat.numpy as xp
import numpy as np
import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from fedbounds.verify.measure.rounded import UNIT, Rounded
from fedbounds.verify.measure.unknowns import Refused

NUMBERS = st.integers(-(2**20), 2**20).map(lambda k: fmpq(k, 3 * 2**10))
ARRAYS = st.lists(NUMBERS, min_size=6, max_size=6)
STEPS = st.lists(
    st.sampled_from(["add", "less", "scale", "matmul", "sum", "stack", "halve"]), max_size=7
)


def _floats(exact):
    return np.array([[int(x.p) / int(x.q) for x in row] for row in exact])


def _done(step, x, other, number, matrix):
    """One operation on floats, on rationals, or on what carries errors."""
    if step == "add":
        return x + other
    if step == "less":
        return other - x
    if step == "scale":
        return x * number
    if step == "halve":
        return x / number
    if step == "matmul":
        return x @ matrix
    if step == "sum":
        return xp.stack([x.sum(axis=1)] * 3, axis=1)
    return xp.concat([x[:, 1:], xp.permute_dims(xp.permute_dims(x, (1, 0)), (1, 0))[:, :1]], axis=1)


def _exact(rows):
    found = np.empty((2, 3), dtype=object)
    found.reshape(-1)[:] = rows
    return found


def _both(steps, first, second, numbers, planted=1.0):
    """Floats, rationals and bounds of the same operations."""
    exact, more = _exact(first), _exact(second)
    square = np.array([[fmpq(3 * i + j, 7) for j in range(3)] for i in range(3)], dtype=object)
    values = [(exact, more, square)]
    values.append(tuple(map(_floats, values[0])))
    values.append(tuple(Rounded.known(x) for x in values[1]))
    for x in values[2]:
        x.wrong = x.wrong * planted
    scales = (
        numbers,
        int(numbers.p) / int(numbers.q),
        Rounded.known(int(numbers.p) / int(numbers.q)),
    )
    found = []
    for (x, other, matrix), number in zip(values, scales, strict=True):
        for step in steps:
            x = _done(step, x, other, number, matrix)
        found.append(x)
    return found


@settings(max_examples=150, deadline=None)
@given(STEPS, ARRAYS, ARRAYS, NUMBERS.filter(bool))
def test_errors_and_sizes_are_bounds(steps, first, second, number):
    exact, floats, bound = _both(steps, first, second, number)
    wrong = [
        abs(fmpq(*float(x).as_integer_ratio()) - y)
        for x, y in zip(floats.flat, exact.flat, strict=True)
    ]
    for off, most, value, size in zip(
        wrong, bound.wrong.flat, floats.flat, bound.size.flat, strict=True
    ):
        assert off <= fmpq(*float(most).as_integer_ratio())
        assert abs(value) <= size


def test_a_forgotten_error_of_the_data_is_seen():
    third = [fmpq(k, 3) for k in range(1, 7)]
    exact, floats, bound = _both(["scale"], third, third, fmpq(1), planted=0.0)
    bound.wrong = bound.wrong - UNIT * bound.size  # of the product itself
    off = [
        abs(fmpq(*float(x).as_integer_ratio()) - y)
        for x, y in zip(floats.flat, exact.flat, strict=True)
    ]
    assert max(float(x.p) / float(x.q) for x in off) > bound.wrong.max() * 2


def test_bounds_of_a_sum_are_no_larger_than_need_be():
    _, floats, bound = _both(["add", "sum"], [fmpq(1)] * 6, [fmpq(1, 3)] * 6, fmpq(1))
    assert bound.wrong.max() < 40 * UNIT * abs(floats).max()


def test_what_may_be_zero_is_no_divisor():
    x = Rounded.known(np.ones(3))
    with pytest.raises(Refused, match="may be 0"):
        x / (x + x)


@pytest.mark.parametrize("function", [np.exp, np.sqrt, np.sign])
def test_other_functions_are_refused(function):
    with pytest.raises(Refused, match="not followed through rounding"):
        function(Rounded.known(np.ones(3)))
