"""Shapes: what is shown is true on samples, and a planted sign is not shown."""

from itertools import pairwise

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from fedbounds.verify.commands.bound.shape import falls, is_convex, is_posynomial, powers

x, T, a, b = sp.symbols("x T a b", positive=True)
VALUES = {"a": sp.Rational(1, 3), "b": sp.Integer(2)}
ENDS = (None, sp.Rational(1, 4))


def at(e, **values):
    return float(
        e.subs({sp.Symbol(name, positive=True): v for name, v in (VALUES | values).items()})
    )


POSYNOMIALS = [
    a / x + b * x**2 + 1,
    sp.sqrt(a + b * x + 1 / x) * x,
    (a * x + b) ** sp.Rational(3, 2) + 1 / x**2,
    sp.Max(a * x, b / x),
    (b - a) * x + 1 / x,
]


@pytest.mark.parametrize("e", POSYNOMIALS)
def test_a_posynomial_is_convex_in_the_logarithm(e):
    assert is_posynomial(e, x, VALUES)
    for left in (0.01, 0.3, 2, 5):
        for right in (0.02, 0.7, 11):
            middle = at(e, x=(left * right) ** 0.5)
            assert middle**2 <= at(e, x=left) * at(e, x=right) * (1 + 1e-12)


@pytest.mark.parametrize(
    "e", [a / x - x, (a - b) * x + 1 / x, sp.exp(x), 1 / (1 + x), sp.sqrt(b - x), (1 - x) ** 3]
)
def test_a_negative_factor_or_another_function_is_no_posynomial(e):
    assert not is_posynomial(e, x, VALUES)


def test_cancelling_summands_are_added_before_their_sign_is_taken():
    e = 4 * x / a - 4 * x / b + 1 / x
    assert is_posynomial(e, x, VALUES)
    assert not is_posynomial(e, x, {"a": sp.Integer(2), "b": sp.Rational(1, 3)})


@pytest.mark.parametrize(
    ("e", "shown"),
    [
        (a / x - b * x + 1, True),
        (a / x - b * x**2, False),
        (b * (1 - 3 * x) ** 9 + a * x, True),
        (b * (1 - 5 * x) ** 9 + a * x, False),  # negative beyond 1/5
        (-b * (1 - 3 * x) ** 9, False),
        (-a * sp.sqrt(x), True),
        (a * sp.sqrt(x), False),
    ],
)
def test_convexity_in_the_variable(e, shown):
    assert is_convex(e, x, VALUES, ENDS) is shown
    if shown:
        for left in (0.01, 0.1):
            for right in (0.15, 0.25):
                middle = at(e, x=(left + right) / 2)
                assert middle <= (at(e, x=left) + at(e, x=right)) / 2 + 1e-12


def test_a_whole_power_is_convex_only_where_it_is_not_negative():
    assert not is_convex((1 - x) ** 3, x, VALUES, (None, None))


FALLING = [
    a / T + b,
    a / sp.sqrt(T) + x / T,
    a / (T + 1),
    a * (1 - a) ** T,
    sp.sqrt(a / T + b) * (1 + 1 / T),
    a / (T * x) + b * x,
    b * x + (1 - 4 * x) ** T,
]


@pytest.mark.parametrize("e", FALLING)
def test_what_is_shown_to_fall_falls(e):
    assert falls(e, T, VALUES, x, ENDS)
    values = [at(e, T=rounds, x=0.2) for rounds in (1, 2, 3, 5, 100, 10**3)]
    assert all(0 <= later <= former for former, later in pairwise(values))


@pytest.mark.parametrize(
    "e",
    [
        T,
        a * T + 1 / T,
        b / T - 1,
        b**T,
        (1 - b) ** T,
        sp.log(T) / T,
        1 / (T - a),
        (a - b) / T,
        (1 - 5 * x) ** T,  # negative beyond 1/5
        (1 + x) ** T,
        (1 - a) ** (2 - T),
    ],
)
def test_what_may_rise_is_not_shown_to_fall(e):
    assert not falls(e, T, VALUES, x, ENDS)


@settings(max_examples=40, deadline=None)
@given(st.dictionaries(st.integers(-3, 3), st.integers(-5, 5), max_size=5))
def test_powers_put_together_give_the_formula(found):
    e = sp.Add(*(c * x**p for p, c in found.items()))
    back = powers(e, x)
    assert back is not None
    assert sp.expand(sp.Add(*(c * x**p for p, c in back.items())) - e) == 0
    assert powers(e + sp.sqrt(1 + x), x) is None
