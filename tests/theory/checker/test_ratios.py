"""Quotients of polynomials: their arithmetic, and the signs that coefficients give away."""

from fractions import Fraction

import pytest
from checker_theory import value_at
from flint import fmpq
from hypothesis import assume, given
from hypothesis import strategies as st

from fedbounds.theory.checker.errors import Refused
from fedbounds.theory.checker.ratios import Ring
from fedbounds.theory.checker.values import CONSTANT, Value

RING = Ring(("a", "b", "c"), frozenset({"a", "b"}))  # c may be zero
NAMES = RING.names
positive = st.fractions(Fraction(1, 9), 9, max_denominator=9)
points = st.fixed_dictionaries({"a": positive, "b": positive, "c": st.one_of(st.just(Fraction(0)), positive)})  # fmt: skip
OPERATIONS = {
    "+": lambda x, y: x + y,
    "-": lambda x, y: x - y,
    "*": lambda x, y: x * y,
    "/": lambda x, y: x / y,
}
leaves = st.one_of(st.sampled_from(NAMES), st.integers(-4, 4))
trees = st.recursive(
    leaves, lambda inner: st.tuples(st.sampled_from("+-*/"), inner, inner), max_leaves=8
)


def ratio_of(tree):
    match tree:
        case (operation, left, right):
            return OPERATIONS[operation](ratio_of(left), ratio_of(right))
        case str():
            return RING.variable(tree)
    return RING.number(tree)


def number_of(tree, point):
    match tree:
        case (operation, left, right):
            return OPERATIONS[operation](number_of(left, point), number_of(right, point))
        case str():
            return point[tree]
    return Fraction(tree)


@given(trees, points)
def test_arithmetic_is_that_of_fractions_and_no_denominator_vanishes(tree, point):
    try:
        ratio = ratio_of(tree)
    except Refused:
        assume(False)
    # a division that was accepted is one by what is nowhere zero
    assert value_at(ratio, point) == number_of(tree, point)


@given(trees, points)
def test_claimed_signs_hold_everywhere(tree, point):
    try:
        ratio = ratio_of(tree)
    except Refused:
        assume(False)
    value = value_at(ratio, point)
    assert not ratio.nonnegative() or value >= 0
    assert not ratio.positive() or value > 0
    assert not ratio.is_zero() or value == 0


@given(trees, trees, points)
def test_equal_ratios_have_equal_values(left, right, point):
    try:
        first, second = ratio_of(left), ratio_of(right)
    except Refused:
        assume(False)
    assert first != second or value_at(first, point) == value_at(second, point)


def a_b_c():
    return (RING.variable(name) for name in NAMES)


def test_what_may_vanish_is_no_divisor():
    a, b, c = a_b_c()
    for divisor in (c, a - b, RING.number(0), a * c, c * c):
        with pytest.raises(Refused, match="division"):
            a / divisor
    assert (a / (a + c)).positive()
    assert (a / (-(a + c)) + RING.number(1)).nonnegative()


def test_a_singularity_cannot_be_cancelled_away():
    a, b, _ = a_b_c()
    with pytest.raises(Refused):
        ((a - b) * (a + b)) / (a - b)


def test_zero_is_told_from_positive():
    a, _, c = a_b_c()
    assert c.nonnegative()
    assert not c.positive()
    assert (a + c).positive()
    assert not (a * c).positive()
    assert not (-a).nonnegative()
    assert (a - a).nonnegative()
    assert not (a - a).positive()


@given(points, st.integers(-3, 3))
def test_integer_powers(point, exponent):
    ratio = (RING.variable("a") + RING.variable("b")) / RING.variable("a")
    expected = ((point["a"] + point["b"]) / point["a"]) ** exponent
    assert value_at(ratio.power(fmpq(exponent)), point) == expected


@given(points, st.integers(1, 3), st.integers(-2, 3))
def test_a_root_undoes_a_power(point, degree, exponent):
    a, b, c = a_b_c()
    base = RING.number(fmpq(2, 3)) * a * (b + c) / (a + b)
    root = base.power(fmpq(degree)).power(fmpq(exponent, degree))
    assert value_at(root, point) == value_at(base, point) ** exponent


@pytest.mark.parametrize(
    "made",
    [
        lambda a, b, c: (a + b).power(fmpq(1, 2)),  # no root of a sum
        lambda a, b, c: (a * a + b * b).power(fmpq(1, 2)),
        lambda a, b, c: (a * a * a).power(fmpq(1, 2)),
        lambda a, b, c: (-(a * a)).power(fmpq(1, 2)),
        lambda a, b, c: (-RING.number(4)).power(fmpq(1, 2)),
        lambda a, b, c: RING.number(2).power(fmpq(1, 2)),
        lambda a, b, c: c.power(fmpq(-1)),
        lambda a, b, c: (c * c).power(fmpq(-1, 2)),
        lambda a, b, c: (a - a).power(fmpq(-1)),
        lambda a, b, c: ((a - b) * (a - b)).power(fmpq(1, 2)),  # |a - b|
        lambda a, b, c: ((a - b) * (a - b) * (a + b) * (a + b)).power(fmpq(1, 2)),
    ],
)
def test_roots_that_are_not_known_are_refused(made):
    with pytest.raises(Refused):
        made(*a_b_c())


def test_a_variable_is_seen_in_the_base_and_the_exponent_of_a_power():
    ring = Ring(("q", "t", "t_2", "((1*q) / (1))**((1*t) / (1))"), frozenset({"q"}))
    power = ring.variable(ring.names[-1])
    assert power.has("t")
    assert power.has("q")
    assert not power.has("t_2")
    assert (power / (power + ring.variable("q"))).has("t")
    assert not ring.variable("q").has("t")


quantities = st.dictionaries(st.sampled_from([CONSTANT, "f(t)", "g(t)"]), st.sampled_from(NAMES))


def value_of(terms):
    return Value(RING, {key: RING.variable(name) for key, name in terms.items()})


def total(value, point, measured):
    return sum(value_at(ratio, point) * measured[key] for key, ratio in value.terms.items())


@given(quantities, quantities, trees, points, st.fractions(-3, 3), st.fractions(-3, 3))
def test_values_are_linear_in_the_quantities(left, right, tree, point, first, second):
    measured = {CONSTANT: 1, "f(t)": first, "g(t)": second}
    x, y = value_of(left), value_of(right)
    a, b = total(x, point, measured), total(y, point, measured)
    assert total(x + y, point, measured) == a + b
    assert total(x - y, point, measured) == a - b
    try:
        factor = ratio_of(tree)
    except Refused:
        assume(False)
    weight = value_at(factor, point)
    assert total(Value.of(factor) * x, point, measured) == weight * a
    assert total(x * Value.of(factor), point, measured) == weight * a


def test_quantities_are_neither_multiplied_nor_divided_by():
    f, g = Value.quantity(RING, "f(t)"), Value.quantity(RING, "g(t)")
    with pytest.raises(Refused, match="product"):
        f * g
    with pytest.raises(Refused):
        f / g
    assert not Value.of(RING.number(0)).terms
    assert not (f - f).terms
