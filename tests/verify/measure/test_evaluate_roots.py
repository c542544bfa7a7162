"""Powers and roots: exact where they are rational, refused where not, balls around the rest."""

from fractions import Fraction
from math import sqrt

import pytest
import sympy as sp
from flint import arb, ctx, fmpq
from hypothesis import given
from hypothesis import strategies as st
from kinds import in_balls, in_floats, in_rationals, object_array

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.symbols import K, L, T, f, m, n, t
from fedbounds.verify.measure.evaluate import (
    IrrationalError,
    Numbers,
    UndefinedError,
    evaluate,
    whole,
)

# ---- square roots


def exact(**values):
    return Numbers({k: fmpq(v) for k, v in values.items()}, {}, lambda p, q: fmpq(p, q))


def test_a_root_of_a_square_is_rational():
    assert evaluate(sp.sqrt(n), exact(n=fmpq(49, 4))) == fmpq(7, 2)
    assert evaluate(1 / sp.sqrt(n), exact(n=4)) == fmpq(1, 2)
    assert evaluate(sp.sqrt(n), exact(n=0)) == 0


@pytest.mark.parametrize("clients", [1, 2, 3, 7])
def test_a_ratio_of_equal_irrational_roots_is_one(clients):
    assert evaluate(sp.sqrt(n / m), exact(n=clients, m=clients)) == 1
    assert evaluate(sp.sqrt(n) / sp.sqrt(m), exact(n=clients, m=clients)) == 1


def test_roots_multiply_under_one_root():
    assert evaluate(sp.sqrt(2) * sp.sqrt(n) * K, exact(n=8, K=3)) == 12
    assert evaluate(sp.sqrt(n * L / K), exact(n=6, L=fmpq(3, 2), K=4)) == fmpq(3, 2)


@pytest.mark.parametrize("inside", [fmpq(2), fmpq(1, 2), fmpq(-4), fmpq(8, 9)])
def test_an_irrational_root_is_refused_in_rationals(inside):
    with pytest.raises(IrrationalError, match="not rational"):
        evaluate(sp.sqrt(n), exact(n=inside))


def test_an_irrational_root_is_a_ball_around_it():
    with ctx.workprec(300):
        ball = evaluate(sp.sqrt(n), Numbers({"n": arb(2)}, {}, lambda p, q: arb(fmpq(p, q))))
        assert (ball * ball).contains(2)
        assert ball.rad() < arb("1e-80")


@pytest.mark.parametrize("degree", [2, 3, 4])
def test_a_root_of_a_negative_number_has_no_value_in_balls(degree):
    """In rationals it is refused as irrational, and balls are asked next."""
    balls = Numbers({"n": arb(-8)}, {}, lambda p, q: arb(fmpq(p, q)))
    for exponent in (1, -1):
        with pytest.raises(UndefinedError, match="not real"):
            evaluate(n ** sp.Rational(exponent, degree), balls)


@given(st.integers(1, 200), st.integers(1, 200))
def test_roots_agree_in_floats_and_balls(a, b):
    expression = K * sp.sqrt(n / m) + sp.sqrt(n * m)
    values = {"n": Fraction(a), "m": Fraction(b), "K": Fraction(3)}
    expected = 3 * sqrt(a / b) + sqrt(a * b)
    assert evaluate(expression, in_floats(values, {})) == pytest.approx(expected, rel=1e-14)
    ball = evaluate(expression, in_balls(values, {}))
    assert float(ball.mid()) == pytest.approx(expected, rel=1e-14)


# ---- roots of any degree


def test_a_power_of_a_third_is_exact_where_it_is_rational():
    assert evaluate(n ** sp.Rational(2, 3), exact(n=8)) == fmpq(4)
    assert evaluate(n ** sp.Rational(-2, 3), exact(n=8)) == fmpq(1, 4)
    assert evaluate(n ** sp.Rational(1, 3), exact(n=fmpq(27, 64))) == fmpq(3, 4)
    assert evaluate(n ** sp.Rational(5, 2), exact(n=fmpq(9, 4))) == fmpq(243, 32)
    assert evaluate(n ** sp.Rational(3, 4) / m, exact(n=16, m=3)) == fmpq(8, 3)
    assert evaluate(n ** sp.Rational(2, 3), exact(n=1)) == 1
    assert evaluate(n ** sp.Rational(2, 3), exact(n=0)) == 0


@pytest.mark.parametrize("inside", [fmpq(2), fmpq(4), fmpq(9), fmpq(8, 9), fmpq(7, 27), fmpq(-8)])
def test_an_irrational_power_of_a_third_is_refused_in_rationals(inside):
    """Also of a negative number, whose real root is none of ours."""
    with pytest.raises(IrrationalError, match="not rational"):
        evaluate(n ** sp.Rational(2, 3), exact(n=inside))


@given(st.integers(1, 400), st.integers(1, 5), st.integers(2, 5), st.booleans())
def test_rationals_floats_and_balls_agree_on_any_root(base, p, q, below):
    exponent = sp.Rational(-p if below else p, q)
    values = {"n": Fraction(base)}
    expected = float(base) ** float(exponent)
    assert evaluate(n**exponent, in_floats(values, {})) == pytest.approx(expected, rel=1e-13)
    ball = evaluate(n**exponent, in_balls(values, {}))
    assert float(ball.mid()) == pytest.approx(expected, rel=1e-13)
    try:
        found = evaluate(n**exponent, in_rationals(values, {}))
    except IrrationalError:
        assert round(base ** (1 / exponent.q)) ** exponent.q != base
    else:
        # a rational root, tried by taking it back
        assert found**exponent.q == fmpq(base) ** exponent.p


def test_a_root_of_a_quantity_is_taken_round_by_round_and_stays_exact():
    series = {"f": object_array([fmpq(64), fmpq(1, 729)])}
    for exponent, expected in ((2, [8, fmpq(1, 27)]), (3, [4, fmpq(1, 9)])):
        numbers = Numbers({"n": fmpq(2)}, series, fmpq)
        found = evaluate(n * f(t) ** sp.Rational(1, exponent), numbers, range(2))
        assert list(found) == [2 * x for x in expected]


@pytest.mark.parametrize("degree", [2, 3])
def test_a_ball_around_a_root_of_a_quantity_contains_it(degree):
    """1/3 as a float is no third: what is raised to it is not the root."""
    with ctx.workprec(200):
        numbers = Numbers({}, {"f": object_array([arb(2), arb(5)])}, lambda p, q: arb(p) / q)
        found = evaluate(f(t) ** sp.Rational(1, degree), numbers, range(2))
        assert all((ball**degree).contains(x) for ball, x in zip(found, (2, 5), strict=True))


def test_a_ball_around_a_third_root_is_as_narrow_as_the_precision():
    with ctx.workprec(300):
        ball = evaluate(n ** sp.Rational(2, 3), Numbers({"n": arb(2)}, {}, lambda p, q: arb(p) / q))
        assert (ball**3).contains(4)
        assert ball.rad() < arb("1e-80")


# ---- powers with a symbol above


@pytest.mark.parametrize("kind", [in_floats, in_rationals, in_balls])
def test_a_whole_power_may_be_a_symbol(kind):
    numbers = kind({"n": Fraction(3, 2), "K": Fraction(4), "T": Fraction(2)}, {})
    assert evaluate(n**K, numbers) == kind({"x": Fraction(81, 16)}, {}).constants["x"]
    assert evaluate(n ** (K - T), numbers) == kind({"x": Fraction(9, 4)}, {}).constants["x"]
    assert evaluate(n ** (K - 4), numbers) == 1


@pytest.mark.parametrize("number", [1.5, fmpq(3, 2), arb(fmpq(3, 2))])
def test_a_number_that_is_not_whole_is_not_cut_to_one(number):
    """Else n**(K/2) would be another claim at odd K."""
    assert whole(number * 2) == 3
    with pytest.raises(FedboundsError, match="not a whole number"):
        whole(number)


@pytest.mark.parametrize("exponent", [K / 2, sp.sqrt(2), sp.pi])
def test_an_exponent_that_is_not_whole_is_refused(exponent):
    numbers = Numbers({"n": 2.0, "K": 3.0}, {})
    with pytest.raises(FedboundsError):
        evaluate(n**exponent, numbers)
