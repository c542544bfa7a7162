"""Expressions evaluate alike in floats, exact rationals and balls; gaps in the data are errors."""

from dataclasses import replace
from fractions import Fraction
from math import prod

import numpy as np
import pytest
import sympy as sp
from flint import arb, fmpq
from hypothesis import given
from hypothesis import strategies as st
from kinds import in_balls as exact_balls
from kinds import in_floats, in_rationals, object_array

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.symbols import (
    B,
    G_u,
    G_v,
    K,
    L,
    Max_t,
    Mean_t,
    Min_to,
    Prod_to,
    Sum_t,
    T,
    b2,
    eta_u,
    f,
    gamma,
    m,
    n,
    t,
)
from fedbounds.verify.measure.evaluate import (
    IrrationalError,
    Numbers,
    apart,
    around,
    evaluate,
    in_balls,
    scale,
    terms,
)

SYMBOLS = (n, m, K, L, gamma, b2)
QUANTITIES = (f, G_u, G_v, B)
ROUNDS = 3


# ---- random expressions, with an evaluation of their own in fractions

positive = st.fractions(min_value=Fraction(1, 20), max_value=20, max_denominator=20)


@st.composite
def tables(draw):
    values = {symbol.name: draw(positive) for symbol in SYMBOLS} | {"T": Fraction(ROUNDS)}
    series = {q.__name__: [draw(positive) for _ in range(ROUNDS + 1)] for q in QUANTITIES}
    return values, series


@st.composite
def expressions(draw, values, series, depth=3):
    """A SymPy expression with its value per round, computed beside it in fractions."""
    if depth == 0 or draw(st.integers(0, 4)) == 0:
        kind = draw(st.sampled_from(["symbol", "number", "quantity", "fixed round"]))
        if kind == "symbol":
            symbol = draw(st.sampled_from(SYMBOLS))
            return symbol, [values[symbol.name]] * ROUNDS
        if kind == "number":
            number = draw(st.fractions(-5, 5, max_denominator=6))
            return sp.Rational(number.numerator, number.denominator), [number] * ROUNDS
        quantity = draw(st.sampled_from(QUANTITIES))
        own = series[quantity.__name__]
        if kind == "quantity":
            shift = draw(st.integers(0, 1))
            return quantity(t + shift), [own[r + shift] for r in range(ROUNDS)]
        at, index = draw(st.sampled_from([(sp.Integer(0), 0), (T, ROUNDS), (sp.Integer(2), 2)]))
        return quantity(at), [own[index]] * ROUNDS
    step = draw(st.sampled_from(["+", "*", "/", "power", "mean", "sum", "max", "product", "least"]))
    a, x = draw(expressions(values, series, depth - 1))
    if step == "power":
        exponent = draw(st.integers(0, 3))
        return a**exponent, [v**exponent for v in x]
    if step == "mean":
        return Mean_t(a), [sum(x) / ROUNDS] * ROUNDS
    if step == "sum":
        return Sum_t(a), [sum(x)] * ROUNDS
    if step == "max":
        return Max_t(a), [max(x)] * ROUNDS
    if step == "product":
        return Prod_to(a), [prod(x[: at + 1]) for at in range(ROUNDS)]
    if step == "least":
        return Min_to(a), [min(x[: at + 1]) for at in range(ROUNDS)]
    b, y = draw(expressions(values, series, depth - 1))
    if step == "+":
        return a + b, [p + q for p, q in zip(x, y, strict=True)]
    if step == "/":
        divisor = draw(st.sampled_from(SYMBOLS))
        return a * b / divisor, [p * q / values[divisor.name] for p, q in zip(x, y, strict=True)]
    return a * b, [p * q for p, q in zip(x, y, strict=True)]


@given(st.data())
def test_rationals_floats_and_balls_give_the_value_computed_by_hand(data):
    values, series = data.draw(tables())
    expression, expected = data.draw(expressions(values, series))
    rounds = range(ROUNDS)
    exact = np.broadcast_to(evaluate(expression, in_rationals(values, series), rounds), ROUNDS)
    assert [fmpq(x) for x in exact] == [fmpq(x.numerator, x.denominator) for x in expected]
    size = float(max(abs(x) for x in expected)) + 1.0
    floats = np.broadcast_to(evaluate(expression, in_floats(values, series), rounds), ROUNDS)
    # 1e9: the largest intermediate value may cancel
    assert np.abs(floats - [float(x) for x in expected]).max() <= 1e-16 * 1e9 * size
    balls = np.broadcast_to(evaluate(expression, exact_balls(values, series), rounds), ROUNDS)
    assert all(arb(x).overlaps(arb(y)) for x, y in zip(balls, exact, strict=True))


@pytest.mark.parametrize(
    ("running", "by_hand"), [(Prod_to(f(t) - n, 1), [35, -35, -105]), (Min_to(f(t), 1), [7, 1, 1])]
)
def test_what_runs_up_to_a_round_starts_at_its_first(running, by_hand):
    numbers = in_rationals({"n": Fraction(2)} | {"T": Fraction(5)}, {"f": [3, 9, 7, 1, 5]})
    assert list(evaluate(running, numbers, range(2, 5))) == by_hand
    with pytest.raises(FedboundsError, match="says nothing of round 0"):
        evaluate(running, numbers, range(5))
    with pytest.raises(FedboundsError, match="outside any round"):
        evaluate(running, numbers)


def test_of_balls_that_overlap_the_least_so_far_holds_both():
    series = object_array([arb(2, 1), arb(2.5, 1), arb(9)])
    found = evaluate(Min_to(f(t)), Numbers({"T": fmpq(3)}, {"f": series}, fmpq), range(3))
    assert all(x.contains(1.5) and x.contains(2.5) for x in found[1:])
    assert found[1] < 4


PER_ROUND = (
    f(t + 1) - f(t) + n * G_u(t) ** 2,
    Prod_to(f(t)) + Min_to(B(t)),
    sp.sqrt(n) * B(t) / K,
    3 * L * G_v(t) - b2,
)
PER_RUN = (
    Mean_t(f(t) + n * G_u(t)) - 4 * f(0) / T,
    Max_t(G_u(t)) + Sum_t(B(t) * G_v(t)),
    f(0) - f(T) + K,
)


@pytest.mark.parametrize("expression", PER_ROUND + PER_RUN, ids=str)
def test_replicas_evaluate_one_by_one(expression):
    """A leading replica axis commutes with evaluation."""
    rng = np.random.default_rng(0)
    series = {q.__name__: rng.standard_normal((5, ROUNDS + 1)) for q in QUANTITIES}
    constants = {symbol.name: float(rng.uniform(1, 2)) for symbol in SYMBOLS} | {"T": ROUNDS}
    rounds = range(ROUNDS) if expression in PER_ROUND else None
    together = evaluate(expression, Numbers(constants, series), rounds)
    assert together.shape == ((5, ROUNDS) if expression in PER_ROUND else (5,))
    for row, found in enumerate(together):
        alone = {name: values[row] for name, values in series.items()}
        np.testing.assert_allclose(
            found, evaluate(expression, Numbers(constants, alone), rounds), rtol=1e-12
        )


def test_a_run_operator_beside_a_round_keeps_replicas_apart():
    """Each replica's own mean is taken off it, also where there are as many replicas as rounds."""
    values = np.arange(16.0).reshape(4, 4)
    found = evaluate(f(t) - Mean_t(f(t)), Numbers({"T": 4}, {"f": values}), range(4))
    np.testing.assert_array_equal(found, values - values.mean(axis=1, keepdims=True))
    ends = evaluate(f(t) - f(0), Numbers({"T": 4}, {"f": values}), range(4))
    np.testing.assert_array_equal(ends, values - values[:, :1])


# ---- rounds

SERIES = {"f": np.array([5.0, 3.0, 2.0, 7.0]), "G_u": np.array([1.0, 4.0, 9.0, 16.0])}
RUN = Numbers({"T": 3.0, "n": 2.0}, SERIES)


def test_a_shift_looks_at_the_neighbouring_round():
    np.testing.assert_array_equal(evaluate(f(t + 1) - f(t), RUN, range(3)), [-2.0, -1.0, 5.0])
    np.testing.assert_array_equal(evaluate(f(t - 1), RUN, range(1, 3)), [5.0, 3.0])


def test_the_first_and_last_round_are_reached_by_name():
    assert evaluate(f(T) - f(0), RUN) == 2.0
    assert evaluate(f(sp.Integer(1)), RUN) == 3.0


def test_run_operators_range_over_rounds_0_to_T_minus_1():
    assert evaluate(Mean_t(f(t)), RUN) == pytest.approx(10 / 3)
    assert evaluate(Sum_t(f(t)), RUN) == 10.0
    assert evaluate(Max_t(f(t)), RUN) == 5.0  # 7 is the value at T
    assert evaluate(Max_t(f(t + 1)), RUN) == 7.0


def test_run_operators_of_a_constant_count_the_rounds():
    assert evaluate(Mean_t(n), RUN) == 2.0
    assert evaluate(Max_t(n), RUN) == 2.0
    assert evaluate(Sum_t(n), RUN) == 6.0


def test_a_run_operator_ignores_the_rounds_outside_it():
    inside = evaluate(Mean_t(G_u(t)) + G_u(t), RUN, range(1, 2))
    np.testing.assert_allclose(inside, [14 / 3 + 4.0])


def test_a_mean_telescopes_exactly():
    exact = Numbers(
        {"T": fmpq(3)},
        {"f": object_array([fmpq(1, 3), fmpq(2, 7), fmpq(5), fmpq(-1, 9)])},
        lambda p, q: fmpq(p, q),
    )
    left = evaluate(Mean_t(f(t + 1) - f(t)), exact)
    assert left == evaluate((f(T) - f(0)) / T, exact) == (fmpq(-1, 9) - fmpq(1, 3)) / 3


def test_run_operators_work_when_every_constant_is_a_ball():
    """T, too: precision is raised by turning all numbers into balls."""
    balls = Numbers(
        {"T": arb(2)},
        {"f": object_array([arb(1), arb(3), arb(2)])},
        lambda p, q: arb(fmpq(p, q)),
    )
    assert evaluate(Mean_t(f(t)) + f(T), balls) == 4


# ---- the larger and the smaller


@pytest.mark.parametrize("kind", [in_floats, in_rationals, exact_balls])
def test_the_larger_of_two_is_found_in_every_kind_of_number(kind):
    for a, b in ((2, 3), (3, 2), (9, 3)):
        numbers = kind({"n": Fraction(a * a), "T": Fraction(b)}, {})
        found = evaluate(sp.Max(T, sp.sqrt(n)), numbers)
        assert found == max(a, b)


def test_the_larger_of_two_quantities_is_found_round_by_round():
    found = evaluate(sp.Max(f(t), G_u(t)), RUN, range(3))
    np.testing.assert_array_equal(found, [5.0, 4.0, 9.0])


@pytest.mark.parametrize("kind", [in_floats, in_rationals, exact_balls])
def test_the_smaller_of_several_is_found_in_every_kind_of_number(kind):
    for a, b, c in ((2, 3, 7), (3, 2, 7), (9, 3, 1), (4, 4, 4)):
        numbers = kind({"n": Fraction(a * a), "T": Fraction(b), "K": Fraction(c)}, {})
        assert evaluate(sp.Min(T, sp.sqrt(n), K), numbers) == min(a, b, c)


def test_the_smaller_of_a_constant_and_a_quantity_is_found_round_by_round():
    found = evaluate(sp.Min(f(t), 4 + 0 * n), RUN, range(3))
    np.testing.assert_array_equal(found, [4.0, 3.0, 2.0])
    exact = Numbers({"T": fmpq(2)}, {"f": object_array([fmpq(1, 3), fmpq(5)])}, fmpq)
    found = evaluate(sp.Min(f(t), sp.Rational(1, 2)), exact, range(2))
    assert list(found) == [fmpq(1, 3), fmpq(1, 2)]


def test_a_minimum_inside_a_mean_is_taken_round_by_round():
    assert evaluate(Mean_t(sp.Min(f(t), G_u(t))), RUN) == pytest.approx((1 + 3 + 2) / 3)


# ---- what is missing is named


def test_a_symbol_without_a_value_is_named():
    with pytest.raises(FedboundsError, match="'b\\^2'"):
        evaluate(3 * b2, RUN)


def test_a_quantity_that_was_not_measured_is_named():
    with pytest.raises(FedboundsError, match="'G_v' was not measured"):
        evaluate(G_v(t), RUN, range(2))


def test_a_round_outside_any_run_is_refused():
    with pytest.raises(FedboundsError, match=r"f\(t\)"):
        evaluate(f(t), RUN)


def test_a_round_that_was_not_measured_is_refused():
    """A series that ends too early (or a round before the first) is no shorter answer."""
    for expression, rounds in ((f(t + 1), range(4)), (f(t - 1), range(3)), (f(t), range(5))):
        with pytest.raises(FedboundsError, match="f"):
            evaluate(expression, RUN, rounds)


def test_a_logarithm_is_a_ball_or_a_float_and_no_rational():
    exact = Numbers({"n": fmpq(2)}, {}, fmpq)
    with pytest.raises(IrrationalError, match="log"):
        evaluate(sp.log(n), exact)
    assert evaluate(sp.log(n), replace(exact, constants={"n": fmpq(1)})) == 0
    found = evaluate(sp.log(n), in_balls(exact))
    assert found.overlaps(arb(2).log())
    assert evaluate(sp.log(n), Numbers({"n": 2.0}, {})) == pytest.approx(0.6931471805599453)


@pytest.mark.parametrize("expression", [sp.tan(n), sp.pi, sp.sin(n) * n, sp.oo])
def test_what_cannot_be_evaluated_is_refused(expression):
    with pytest.raises(FedboundsError, match="cannot evaluate"):
        evaluate(expression, RUN)


# ---- scale


def test_terms_are_the_summands_of_both_sides():
    assert set(terms(f(t) + 2 * G_u(t), -n * eta_u)) == {f(t), 2 * G_u(t), -n * eta_u}


@given(st.data())
def test_the_scale_bounds_every_gap_of_its_terms(data):
    values, series = data.draw(tables())
    left, x = data.draw(expressions(values, series))
    right, y = data.draw(expressions(values, series))
    numbers = in_rationals(values, series)
    size = np.broadcast_to(scale(numbers, range(ROUNDS), left, right), ROUNDS)
    for total, p, q in zip(size, x, y, strict=True):
        assert fmpq(total) >= abs(fmpq((p - q).numerator, (p - q).denominator))


def test_an_exact_quantity_multiplies_the_rounding_of_another():
    measured, exact = sp.Function("measured"), sp.Function("exact")
    series = {"measured": np.array([2.0, 3.0]), "exact": np.array([5.0, 7.0])}
    numbers = Numbers({"c": 3.0}, series, errors={"measured": np.array([0.25, 0.5])})
    c = sp.Symbol("c")
    both = c * exact(t) * measured(t) + exact(t) + c * exact(t)
    values, wrong = apart(evaluate(both, in_balls(numbers), range(2)))
    assert list(values) == [50.0, 91.0]
    np.testing.assert_allclose(wrong, [3.75, 10.5], rtol=1e-8)


@given(st.lists(st.tuples(st.floats(-1e9, 1e9), st.floats(0, 1e3)), min_size=1, max_size=5))
def test_floats_in_balls_and_back_lose_nothing(pairs):
    values, wrong = (np.array(x) for x in zip(*pairs, strict=True))
    again, more = apart(around(values, wrong))
    assert list(again) == list(values)
    assert (more >= wrong).all()
    np.testing.assert_allclose(more, wrong, rtol=1e-8)


def test_what_no_float_is_has_an_error():
    third = np.array([fmpq(1, 3), fmpq(1, 4)], dtype=object)
    values, wrong = apart(around(third, 0.0))
    assert list(values) == [1 / 3, 0.25]
    assert abs(fmpq(1, 3) - fmpq(*(1 / 3).as_integer_ratio())) <= fmpq(*wrong[0].as_integer_ratio())
    assert wrong[1] == 0.0


def test_the_largest_of_balls_that_overlap_contains_each():
    """Planted: of [0, 10] and [1, 2] neither is the larger one."""
    name = sp.Function("measured")
    numbers = Numbers({"T": 2.0}, {"measured": np.array([5.0, 1.5])},
                      errors={"measured": np.array([5.0, 0.5])})  # fmt: skip
    found = evaluate(Max_t(name(t)), in_balls(numbers))
    assert found.contains(10)
    assert found.contains(1)


def test_the_sign_of_a_ball_about_zero_is_not_known():
    c = sp.Symbol("c")
    numbers = Numbers({"c": 1.0}, {}, errors={"c": 2.0})
    found = evaluate(sp.sign(c), in_balls(numbers))
    assert found.contains(-1)
    assert found.contains(1)
    assert evaluate(sp.sign(c), in_balls(Numbers({"c": 1.0}, {}, errors={"c": 0.5}))) == 1
