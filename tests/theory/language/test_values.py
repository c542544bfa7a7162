"""Values of formulas against SymPy and mpmath; signs and conditions at their edges."""

from fractions import Fraction

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Integer, Max, Min, Rational, sqrt

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.claims import Condition
from fedbounds.theory.language.symbols import G_u, K, L, Mean_t, T, gamma, m, n, t
from fedbounds.theory.language.values import failure, holds, names_in, number, replaced, sign
from fedbounds.vocabulary import Provenance

x, y = sp.symbols("x y", positive=True)
NUMBERS = st.fractions(Fraction(1, 50), 50, max_denominator=50).map(
    lambda f: Rational(f.numerator, f.denominator)
)


def formulas(leaves):
    """Sums, products, powers, maxima and roots."""
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.tuples(inner, inner).map(lambda p: p[0] + p[1]),
            st.tuples(inner, inner).map(lambda p: p[0] * p[1]),
            st.tuples(inner, inner).map(lambda p: Max(*p)),
            st.tuples(inner, st.sampled_from([-2, -1, 2, 3])).map(lambda p: p[0] ** p[1]),
        ),
        max_leaves=8,
    )


@settings(max_examples=40, deadline=None)
@given(formulas(st.one_of(st.sampled_from([x, y]), NUMBERS)), NUMBERS, NUMBERS)
def test_a_rational_formula_has_the_exact_value_that_sympy_gives(e, a, b):
    found = number(sp.sympify(e), {"x": a, "y": b})
    expected = sp.sympify(e).subs({x: a, y: b})
    if found.provenance is Provenance.EXACT:  # longer ones are floats
        assert sp.Rational(found.number.numerator, found.number.denominator) == expected
    assert float(found) == pytest.approx(float(expected), rel=1e-14)


@settings(max_examples=20, deadline=None)
@given(NUMBERS, NUMBERS)
def test_roots_agree_with_sympy_to_a_float(a, b):
    e = sqrt(x + sqrt(y)) / (1 + x ** Rational(2, 3)) + sp.log(1 + y)
    found = number(e, {"x": a, "y": b})
    assert found.provenance is Provenance.CERTIFIED
    assert found.number == pytest.approx(float(e.subs({x: a, y: b}).evalf(30)), rel=1e-15)


def test_a_root_that_is_rational_stays_exact():
    assert number(sqrt(n) / sqrt(m), {"n": Integer(40), "m": Integer(10)}).number == 2
    assert number(x**-2, {"x": sqrt(y), "y": Integer(10)}).number == Fraction(1, 10)


def test_a_power_of_many_rounds_is_a_ball_not_a_long_fraction():
    found = number((1 - x) ** T, {"x": Rational(1, 10**6), "T": Integer(10**8)})
    assert found.provenance is Provenance.CERTIFIED
    assert found.number == pytest.approx(float(sp.exp(-100)), rel=1e-3)


def test_minima_and_finite_sums():
    r = sp.Symbol("r", integer=True)
    e = sp.Sum((1 + 2 / (K - 1)) ** r, (r, 0, K - 1)) * Min(x, Rational(1, 2))
    assert number(e, {"K": Integer(3), "x": Integer(9)}).number == Fraction(7, 2)
    assert names_in(e) == {"K", "x"}


@pytest.mark.parametrize(
    ("e", "values"),
    [
        (1 / (K - 1), {"K": Integer(1)}),
        (sqrt(1 - x), {"x": Integer(2)}),
        (x + y, {"x": Integer(2)}),
        (sqrt(2) / (sqrt(x) - sqrt(2)), {"x": Integer(2)}),
        (x**400, {"x": Integer(10)}),
        (sqrt(x) ** 801, {"x": Integer(10)}),
    ],
)
def test_what_is_no_real_number_is_an_error(e, values):
    with pytest.raises(FedboundsError):
        number(e, values)


def test_names_are_symbols_the_round_and_measured_numbers_as_written():
    assert names_in(x * G_u(t + 1) + Mean_t(G_u(t)) ** t) == {
        "x",
        "t",
        "G_u(t+1)",
        "Mean_t(G_u(t))",
    }


@pytest.mark.parametrize("a", [2, 3, 10, Rational(1, 3)])
def test_equal_irrational_numbers_have_sign_zero(a):
    values = {"x": sqrt(y), "y": sp.sympify(a), "z": sqrt(y) + 1}
    z = sp.Symbol("z", positive=True)
    assert sign(x**2 - y, values) == 0
    assert sign(z - 1 - sqrt(y), values) == 0
    assert sign(sqrt(y + 2 * x * 3 + 9) - x - 3, values) == 0  # only by simplification
    assert sign(z - 1 - sqrt(y) - Rational(1, 10**40), values) == -1
    assert sign(z - 1 - sqrt(y) + Rational(1, 10**300), values) == 1


@pytest.mark.parametrize("over", [Rational(0), Rational(1, 10**30), Rational(-1, 10**30)])
def test_a_condition_holds_up_to_its_edge_and_no_further(over):
    condition = Condition(gamma, "<=", Min(1, m / n ** Rational(2, 3)) / (72 * L * K))
    values = {"L": Rational(1, 3), "K": Integer(7), "m": Integer(5), "n": Integer(50)}
    values["gamma"] = condition.right + over
    assert holds(condition, values) == (over <= 0)
    assert (failure(condition, values) is None) == (over <= 0)


def test_a_failure_shows_both_sides():
    said = failure(Condition(gamma, "<=", 1 / (4 * L)), {"gamma": Integer(1), "L": Integer(1)})
    assert said == "gamma <= 1/(4*L) fails: 1 against 0.25"


def test_formulas_are_written_out_to_the_end():
    assert replaced(x + y, {"x": y**2, "y": 3 * m, "m": Integer(2)}) == 9 * m**2 + 3 * m
