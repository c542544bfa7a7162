"""Finite sums, and quantities per client and local step, in every kind of number."""

from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
from flint import arb, fmpq
from hypothesis import given
from hypothesis import strategies as st
from kinds import in_balls, in_floats, in_rationals

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.symbols import G_u, K, L, Max_t, Mean_t, Sum_t, T, j, k, n, t
from fedbounds.theory.personalization.symbols import (
    A_ik,
    C_i,
    E_ik,
    Eu_ik,
    g_ui,
)
from fedbounds.verify.measure.evaluate import Numbers, apart, evaluate, scale
from fedbounds.verify.measure.evaluate import in_balls as enclosed

KINDS = [in_floats, in_rationals, in_balls]
r = sp.Symbol("r", integer=True)

# ---- finite sums


@pytest.mark.parametrize("kind", KINDS)
def test_a_sum_is_taken_term_by_term(kind):
    numbers = kind({"n": Fraction(2), "K": Fraction(5), "j": Fraction(3)}, {})
    assert evaluate(sp.Sum(r, (r, 0, K - 1)), numbers) == 10
    assert evaluate(sp.Sum(n**r, (r, 0, K - 1)), numbers) == 31
    assert evaluate(n * sp.Sum(n**r, (r, 1, j)) - 1, numbers) == 27
    harmonic = evaluate(sp.Sum(1 / (r + 1), (r, 0, 2)), numbers)
    if kind is in_rationals:
        assert harmonic == fmpq(11, 6)
    elif kind is in_balls:
        assert harmonic.overlaps(arb(fmpq(11, 6)))
    else:
        assert harmonic == pytest.approx(11 / 6, rel=1e-15)


@pytest.mark.parametrize("kind", KINDS)
def test_an_empty_sum_is_zero(kind):
    """sum over r = 0, ..., K - 2 at K = 1."""
    numbers = kind({"K": Fraction(1)}, {})
    assert evaluate(sp.Sum(r**2 + 1, (r, 0, K - 2)), numbers) == 0
    assert evaluate(3 + sp.Sum(r**2 + 1, (r, 0, K - 2)), numbers) == 3


@given(st.fractions(0, 2, max_denominator=8), st.integers(1, 8))
def test_a_geometric_sum_is_its_closed_form(ratio, terms):
    numbers = in_rationals({"L": ratio, "K": Fraction(terms)}, {})
    found = evaluate(sp.Sum(L**r, (r, 0, K - 1)), numbers)
    closed = sum(ratio**i for i in range(terms))
    assert found == fmpq(closed.numerator, closed.denominator)


def test_the_index_of_a_sum_shadows_nothing():
    """A constant of the index's name outside the sum keeps its value."""
    numbers = Numbers({"K": 3.0, "r": 100.0}, {})
    assert evaluate(sp.Sum(r, (r, 0, K - 1)) + r, numbers) == 103.0
    assert numbers.constants["r"] == 100.0


def test_a_sum_of_a_quantity_is_taken_round_by_round():
    numbers = Numbers({"T": 2.0, "K": 3.0}, {"G_u": np.array([1.0, 10.0, 100.0])})
    found = evaluate(sp.Sum(r * G_u(t), (r, 1, K)), numbers, range(2))
    np.testing.assert_array_equal(found, [6.0, 60.0])


# ---- quantities per client and step: n = 2, K = 3, T = 2


def table(steps, shift=0.0):
    """Entry (i, k, t) is 100 i + 10 k + t, so that its digits tell where it came from."""
    i, at, rounds = np.meshgrid(np.arange(2), np.arange(steps), np.arange(3), indexing="ij")
    return 100.0 * i + 10.0 * at + rounds + shift


RUN = Numbers(
    {"T": 2.0, "K": 3.0, "n": 2.0},
    {
        "E_ik": table(4),  # k = 0, ..., K
        "Eu_ik": table(4),
        "A_ik": table(3),
        "C_i": table(1),
        "g_ui": table(1),
        "G_u": np.array([5.0, 6.0, 7.0]),
    },
)


def test_a_quantity_per_step_is_seen_at_every_client_and_step_below_K():
    found = evaluate(E_ik(t, k), RUN, range(2))
    assert found.shape == (2, 3, 2)
    np.testing.assert_array_equal(found, table(3)[..., :2])


def test_the_next_step_and_the_next_round_are_shifts():
    np.testing.assert_array_equal(evaluate(E_ik(t, k + 1), RUN, range(2)), table(4)[:, 1:, :2])
    np.testing.assert_array_equal(evaluate(E_ik(t + 1, k), RUN, range(2)), table(3)[..., 1:])
    np.testing.assert_array_equal(
        evaluate(A_ik(t, k) - A_ik(t - 1, k), RUN, range(1, 3)), np.ones((2, 3, 2))
    )
    differs = evaluate(E_ik(t, k + 1) - E_ik(t, k), RUN, range(2))
    np.testing.assert_array_equal(differs, np.full((2, 3, 2), 10.0))


def test_quantities_per_client_and_of_the_whole_stand_beside_those_per_step():
    found = evaluate(E_ik(t, k) + n * C_i(t) + G_u(t), RUN, range(2))
    expected = table(3)[..., :2] + 2.0 * table(1)[..., :2] + np.array([5.0, 6.0])
    np.testing.assert_array_equal(found, expected)
    assert evaluate(g_ui(t), RUN, range(2)).shape == (2, 1, 2)


def test_a_fixed_round_of_an_indexed_quantity_is_reached_by_name():
    np.testing.assert_array_equal(evaluate(E_ik(0, k), RUN, range(2)), table(3)[..., :1])
    np.testing.assert_array_equal(evaluate(E_ik(T, k), RUN), table(3)[..., 2])


def test_run_operators_leave_clients_and_steps_apart():
    np.testing.assert_array_equal(evaluate(Mean_t(E_ik(t, k)), RUN), table(3)[..., 0] + 0.5)
    np.testing.assert_array_equal(evaluate(Sum_t(C_i(t)), RUN), [[1.0], [201.0]])
    np.testing.assert_array_equal(evaluate(Max_t(A_ik(t, k + 0)), RUN), table(3)[..., 1])


@pytest.mark.parametrize("kind", [in_rationals, in_balls])
def test_indexed_quantities_keep_their_kind_of_number(kind):
    ball = kind is in_balls
    entries = np.empty((2, 3, 3), dtype=object)
    entries[...] = np.frompyfunc(lambda x: arb(int(x)) if ball else fmpq(int(x), 7), 1, 1)(table(3))
    numbers = Numbers({"T": fmpq(2), "K": fmpq(3)}, {"A_ik": entries}, fmpq)
    found = evaluate(2 * A_ik(t, k), numbers, range(2))
    assert found.shape == (2, 3, 2)
    assert found[1, 2, 1] == (arb(242) if ball else fmpq(242, 7))


def test_what_was_not_measured_is_refused():
    with pytest.raises(FedboundsError, match=r"step k \+ 1 is not measured"):
        evaluate(A_ik(t, k + 1), RUN, range(2))
    with pytest.raises(FedboundsError, match=r"step k \+ 2 is not measured"):
        evaluate(E_ik(t, k + 2), RUN, range(2))
    with pytest.raises(FedboundsError, match="not all measured"):
        evaluate(E_ik(t + 1, k), RUN, range(3))
    with pytest.raises(FedboundsError, match="'Ev_ik' was not measured"):
        evaluate(sp.Function("Ev_ik")(t, k), RUN, range(2))
    with pytest.raises(FedboundsError, match="outside any round"):
        evaluate(E_ik(t, k), RUN)


def test_a_step_before_the_first_is_refused():
    """k - 1 runs to -1, which must not be read as the last step, or as none."""
    with pytest.raises(FedboundsError, match="step k - 1 is not measured"):
        evaluate(E_ik(t, k - 1), RUN, range(2))


# ---- what rounding may do


def doubt(numbers, expression):
    return apart(evaluate(expression, enclosed(numbers), range(2)))[1]


def test_rounding_weighs_each_quantitys_own_error():
    errors = {"E_ik": np.full((2, 4, 3), 0.25), "G_u": np.full(3, 0.5), "A_ik": table(3)}
    numbers = Numbers(RUN.constants, RUN.series, errors=errors)
    found = doubt(numbers, 4 * E_ik(t, k) - G_u(t) + n * A_ik(t, k) + K)
    np.testing.assert_allclose(found, 4 * 0.25 + 0.5 + 2 * table(3)[..., :2], rtol=1e-8)


def test_what_has_no_error_stated_adds_none():
    assert (doubt(RUN, E_ik(t, k) + G_u(t)) <= 1e-15).all()
    errors = {"G_u": np.full(3, 0.5)}
    numbers = Numbers(RUN.constants, RUN.series, errors=errors)
    found = doubt(numbers, Eu_ik(t, k) + 3 * G_u(t) + K)
    np.testing.assert_allclose(found, np.full(found.shape, 1.5), rtol=1e-8)


def test_the_scale_of_an_indexed_gap_has_its_shape():
    found = scale(RUN, range(2), E_ik(t, k + 1) - E_ik(t, k), -G_u(t))
    expected = table(4)[:, 1:, :2] + table(3)[..., :2] + np.array([5.0, 6.0])
    np.testing.assert_array_equal(found, expected)
