"""Geometric sums have an integer as their last index; powers have a size."""

import pytest
from checker_theory import claim, prove

from fedbounds.theory.checker.errors import Refused


@pytest.mark.parametrize("last", ["T", "T - 1", "K", "n*T", "2*T - 1", "7", "t", "K + t"])
def test_a_sum_up_to_an_integer_is_known(last):
    known = f"Sum((1 + x)**r, (r, 0, {last}))"
    prove(claim(f"{known} <= {known} + x"))


@pytest.mark.parametrize("last", ["1/2", "x", "T/2", "T*x", "s", "gamma", "T**2/2", "sqrt(T)"])
def test_a_sum_up_to_what_may_be_no_integer_is_refused(last):
    with pytest.raises(Refused, match="no integer|cannot read"):
        prove(claim(f"Sum((1 + x)**r, (r, 0, {last})) <= Sum((1 + x)**r, (r, 0, {last}))"))


def test_half_a_sum_proves_nothing():
    """4^0 + ... + 4^(1/2) is no sum; (4^(3/2) - 1)/3 = 7/3 would exceed 2."""
    with pytest.raises(Refused):
        prove(claim("Sum(4**r, (r, 0, 1/2)) >= 2"))


@pytest.mark.parametrize(
    "text",
    [
        "(((9**64)**64)**64)**64 >= 0",
        "2**(10**9) >= 0",
        "(x + y + z + gamma + L)**64 >= 0",
        "(1/7)**(10**8) >= 0",
    ],
)
def test_powers_that_cannot_be_multiplied_out_are_refused(text):
    with pytest.raises(Refused, match="too large"):
        prove(claim(text))


def test_powers_of_a_moderate_size_are_multiplied_out():
    prove(claim("(1 + x)**64 >= 1 + 64*x"))
    prove(claim("x**1000 >= 0"))
