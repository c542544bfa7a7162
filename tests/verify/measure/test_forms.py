"""Ranges of numbers: whatever a number is made of, it lies between the ends that are told."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fedbounds.verify.measure.depending import depending, found_in
from fedbounds.verify.measure.forms import Form, ends, ranging
from fedbounds.verify.measure.unknowns import Refused

STEPS = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "square": lambda a, b: a * a,
    "power": lambda a, b: a**2,
    "half": lambda a, b: a / 2,
    "minus": lambda a, b: -b,
    "more": lambda a, b: 3 + a * 0.7,
    "less": lambda a, b: 1 - b,
    "sin": lambda a, b: np.sin(np.array([a], dtype=object if isinstance(a, Form) else float))[0],
    "cos": lambda a, b: np.cos(np.array([b], dtype=object if isinstance(b, Form) else float))[0],
}
number = st.floats(-3, 3).map(lambda x: round(x, 6))


@st.composite
def walks(draw):
    """Ranges of three numbers, numbers in them, and steps that combine what there is."""
    low = [draw(number) for _ in range(3)]
    high = [x + draw(st.sampled_from([0.0, 1e-9, 0.1, 1.0, 5.0])) for x in low]
    steps = draw(
        st.lists(st.tuples(st.sampled_from(list(STEPS)), st.integers(0, 9), st.integers(0, 9)),
                 min_size=1, max_size=8)
    )  # fmt: skip
    return low, high, steps, draw(st.integers(0, 2**32 - 1))


@given(walks())
def test_no_number_leaves_its_range(walk):
    low, high, steps, seed = walk
    start = np.array([low, high])
    forms = list(ranging(start[0], start[1], 0, 3))
    rng = np.random.default_rng(seed)
    corners = rng.integers(2, size=(20, 3))
    points = np.concatenate([start[corners, [0, 1, 2]], rng.uniform(low, high, (40, 3))])
    values = list(points.T)
    for name, a, b in steps:
        forms.append(STEPS[name](forms[a % len(forms)], forms[b % len(forms)]))
        one, other = values[a % len(values)], values[b % len(values)]
        if name in ("sin", "cos"):
            values.append(np.sin(one) if name == "sin" else np.cos(other))
        else:
            values.append(STEPS[name](one, other))
    least, most = ends(np.array(forms, dtype=object))
    for at, own in enumerate(values):
        slack = 1e-12 * (1 + np.abs(own).max())  # of the values, in floats too
        assert least[at] - slack <= own.min()
        assert own.max() <= most[at] + slack


def test_a_difference_of_equal_dependence_is_small():
    """What intervals lose: u (1 - eta) + eta u is u."""
    (u,) = ranging(np.array([-1.0]), np.array([1.0]), 0, 1)
    back = u * (1 - 6.0) + (u + 0.25) * 6.0
    assert back.low == pytest.approx(0.5)
    assert back.high == pytest.approx(2.5)


def test_an_error_that_is_left_out_would_be_seen():
    """Without the bend the sine would leave its range."""
    (x,) = ranging(np.array([0.5]), np.array([1.5]), 0, 1)
    straight = Form(np.sin(1.0), x.slopes * np.cos(1.0))
    assert np.sin(1.5) < straight.high - 0.1
    assert not straight.low <= np.sin(0.5) - 0.1 <= straight.high
    assert x.sin().low <= np.sin(0.5) <= np.sin(1.5) <= x.sin().high


@pytest.mark.parametrize("asked", [lambda x: x < 1, lambda x: x == 0, lambda x: 1 / (x * x + 1)])
def test_what_a_range_does_not_tell_is_refused(asked):
    (x,) = ranging(np.array([-1.0]), np.array([1.0]), 0, 1)
    with pytest.raises((Refused, TypeError)):
        asked(x)


# ---- numbers that carry on what they depend


def test_what_is_computed_depends_on_all_that_it_is_made_of():
    a, b = depending((2, 3), "past"), depending((2, 3), 1)
    assert found_in(a) == {"past"}
    assert found_in(np.sin(a * 2) - b / 3 + 1) == {"past", 1}
    assert found_in((a.sum(axis=0) * 0) ** 2) == {"past"}  # whatever it is multiplied by
    assert found_in(np.zeros(3)) == frozenset()


@pytest.mark.parametrize("asked", [lambda x: x < 0, lambda x: bool(x), lambda x: x == 1])
def test_branches_on_what_depends_on_draws_are_refused(asked):
    with pytest.raises(Refused, match="depends on draws"):
        asked(depending((1,), 0)[0])
