"""The smallest constant, exponent or threshold with which a step is proved."""

from fractions import Fraction

import pytest
import sympy as sp
from hypothesis import given as forall
from hypothesis import settings
from hypothesis import strategies as st
from small_book import DEFINITIONS, SQUARE, definitions, empty_book

from fedbounds.errors import FedboundsError
from fedbounds.facts import Fact
from fedbounds.theory.language.claims import Condition
from fedbounds.theory.language.symbols import F_0, G_u, K, L, Sum_t, T, gamma, n, t, variance_u
from fedbounds.theory.personalization.proofs.scopes import FEDAVG, au, hu
from fedbounds.theory.personalization.symbols import C, E, T_1u
from fedbounds.theory.proof.language import below, fact
from fedbounds.theory.proof.repair import THETA, _simplest, smallest
from fedbounds.theory.proof.replay import certified

SMOOTH = [Fact.SMOOTH]
STEP_SIZE = Condition(gamma, "<=", 1 / (L * K))


def with_line(left, right, uses=(), **more):
    book = definitions(empty_book())
    book.line("line", left, "<=", right, uses, assumptions=SMOOTH, vectors=False, **more)
    return book


def earlier(book):
    return {step.id: step.statement for step in book.steps[:-1]}


def test_the_constant_of_lemma_32_is_one():
    family = -gamma * K / 2 * G_u(t) + THETA * L**2 * gamma / n * E(t)
    book = with_line(T_1u(t), family.subs(THETA, sp.Rational(1, 2)),
                     [*DEFINITIONS, fact("smooth", hu, au), SQUARE], scope=FEDAVG)  # fmt: skip
    found = smallest(book, "line", family)
    assert (found.theta, found.fails) == (1, Fraction(63, 64))
    assert certified(book.theory, found.written, earlier(book)) == found.certificate
    numbers = dict(found.numbers)
    assert Fraction(numbers["left"]) > Fraction(numbers["right"])
    assert found.written.right == family.subs(THETA, 1)


def telescoped(noise):
    """As (4.5): a sum over rounds that follows from one round's descent with noise level 21/2."""
    book = with_line(Sum_t(G_u(t)) / T,
                     F_0 / (T * K * gamma) + noise * L * gamma * variance_u + Sum_t(C(t)) / T,
                     ["descent"])  # fmt: skip
    (line,) = [book.steps.pop()]
    book.line("descent", K * gamma * Sum_t(G_u(t)), "<=",
              F_0 + sp.Rational(21, 2) * T * K * L * gamma**2 * variance_u
              + K * gamma * Sum_t(C(t)), [], vectors=False)  # fmt: skip
    book.steps.append(line)
    return book


def test_a_constant_that_was_dropped_is_found_as_a_simple_fraction():
    family = F_0 / (T * K * gamma) + THETA * L * gamma * variance_u + Sum_t(C(t)) / T
    found = smallest(telescoped(2), "line", family, resolution=Fraction(1, 16))
    assert found.theta == Fraction(21, 2)
    assert found.fails < found.theta
    numbers = {name: Fraction(x) for name, x in found.numbers}
    assert numbers["left"] > numbers["right"]


@settings(max_examples=6, deadline=None)
@forall(st.integers(1, 40), st.integers(1, 12))
def test_any_constant_is_found(above, under):
    wanted = Fraction(above, under)
    book = empty_book()
    constant = sp.Rational(above, under)
    book.line("bound", E(t), "<=", constant * G_u(t), [], vectors=False)
    book.line("line", E(t), "<=", G_u(t), ["bound"], vectors=False)
    found = smallest(book, "line", THETA * G_u(t))
    assert found.theta == wanted


def test_an_exponent_is_an_integer_with_resolution_one():
    book = with_line(K**3 * G_u(t), K * G_u(t))
    found = smallest(book, "line", K**THETA * G_u(t), resolution=Fraction(1))
    assert (found.theta, found.fails) == (3, 2)
    assert dict(found.numbers)["K"] != "1"


def test_a_threshold_takes_the_charts_bound_along():
    book = with_line(L * K * gamma * G_u(t), G_u(t) / 32, chart=[below(gamma, 1 / (L * K))],
                     conditions=[STEP_SIZE])  # fmt: skip
    family = Condition(gamma, "<=", 1 / (L * K * THETA))
    found = smallest(book, "line", family, lowest=Fraction(1), resolution=Fraction(1, 4))
    assert found.theta == 32
    assert [a.bound for a in found.written.chart] == ["1/(32*K*L)"]
    assert found.written.conditions == (Condition(gamma, "<=", 1 / (32 * L * K)),)
    numbers = {name: Fraction(x) for name, x in found.numbers}
    assert numbers["L"] * numbers["K"] * numbers["gamma"] * found.fails <= 1
    assert numbers["left"] > numbers["right"]


def test_what_is_proved_at_once_needs_no_search():
    book = with_line(G_u(t), G_u(t))
    found = smallest(book, "line", (1 + THETA) * G_u(t))
    assert (found.theta, found.fails, found.numbers) == (0, None, None)


def test_no_value_in_the_interval_is_said_so():
    book = with_line(E(t), G_u(t))
    found = smallest(book, "line", THETA * G_u(t), highest=Fraction(4))
    assert (found.theta, found.certificate, found.fails) == (None, None, 4)


def test_bad_families_and_steps_are_errors():
    book = with_line(E(t), G_u(t), conditions=[STEP_SIZE])
    with pytest.raises(FedboundsError, match="does not name theta"):
        smallest(book, "line", G_u(t))
    with pytest.raises(FedboundsError, match="unknown step"):
        smallest(book, "lime", THETA * G_u(t))
    with pytest.raises(FedboundsError, match="no single condition on K >="):
        smallest(book, "line", Condition(K, ">=", THETA))


@forall(st.fractions(0, 20, max_denominator=50), st.fractions(Fraction(1, 500), 2))
def test_the_simplest_fraction_has_the_least_denominator(low, width):
    high = low + width
    found = _simplest(low, high)
    assert low < found <= high
    for denominator in range(1, found.denominator):
        first = (low * denominator).__floor__() + 1
        assert Fraction(first, denominator) > high
