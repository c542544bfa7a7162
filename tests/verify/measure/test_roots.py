"""Sums of roots are exact: zero shows, order agrees with balls, and refusals are told."""

from math import isqrt

import pytest
import sympy as sp
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st

from fedbounds.verify.measure.roots import (
    _PRIMES,
    IrrationalError,
    Roots,
    UndefinedError,
    as_roots,
    rational_root,
    total,
)

rationals = st.fractions(-20, 20, max_denominator=9).map(lambda x: fmpq(x.numerator, x.denominator))
positive = st.fractions(0, 20, max_denominator=9).map(lambda x: fmpq(x.numerator, x.denominator))
terms = st.lists(st.tuples(rationals, positive, st.integers(1, 3)), max_size=4)


def _sum(given_terms):
    total = as_roots(0)
    for c, r, q in given_terms:
        total = total + c * as_roots(r).root(q)
    return total


def _sympy(given_terms):
    return sum(
        (sp.Rational(int(c.p), int(c.q)) * sp.Rational(int(r.p), int(r.q)) ** sp.Rational(1, q))
        for c, r, q in given_terms
    )


@given(terms, terms)
def test_sums_and_products_agree_with_sympy(one, two):
    a, b = _sum(one), _sum(two)
    x, y = _sympy(one), _sympy(two)
    for found, expected in ((a + b, x + y), (a - b, x - y), (a * b, sp.expand(x * y))):
        assert float(found) == pytest.approx(float(sp.N(expected, 30)), rel=1e-12, abs=1e-12)


@given(terms, terms)
def test_equal_sums_are_equal_however_they_are_written(one, two):
    a, b = _sum(one), _sum(two)
    assert ((a + b) * (a - b) - a * a + b * b).terms == ()
    assert (a + b) * (a + b) == a * a + 2 * a * b + b * b
    assert (a == b) == (b == a)
    assert [a < b, a == b, a > b].count(True) == 1


@given(positive.filter(bool), st.integers(2, 4))
def test_a_root_is_undone_by_its_power(number, degree):
    root = as_roots(number).root(degree)
    assert root**degree == number
    assert (root.rational() is None) == (rational_root(number, degree) is None)
    assert 1 / root * root == 1
    assert root**-degree * number == 1
    assert root**-2 * root * root == 1


@given(*[rationals.filter(bool), positive.filter(bool)] * 2, terms)
def test_a_sum_of_two_square_roots_divides(c, r, d, s, above):
    divisor = c * as_roots(r).root(2) + d * as_roots(s).root(2)
    if divisor != 0:
        assert _sum(above) / divisor * divisor == _sum(above)


def test_a_hair_is_seen_at_any_size():
    two = as_roots(2).root(2)
    for digits in (5, 50, 400):
        near = fmpq(isqrt(2 * 10 ** (2 * digits)), 10**digits)
        assert near < two
        assert two < near + fmpq(1, 10**digits)


def test_what_is_no_sum_of_roots_is_refused():
    two, three = (as_roots(x).root(2) for x in (2, 3))
    with pytest.raises(IrrationalError):
        (two + three).root(2)
    with pytest.raises(IrrationalError):
        1 / (1 + two + three)
    with pytest.raises(IrrationalError):
        as_roots(0.5)
    with pytest.raises(IrrationalError):
        int(two)
    with pytest.raises(ZeroDivisionError):
        1 / (two - two)
    with pytest.raises(UndefinedError):
        (1 - two).root(2)
    assert isinstance(abs(1 - two), Roots)


def test_many_roots_at_once_are_their_sum():
    numbers = [as_roots(fmpq(p, q)).root(2) * (-1) ** p for p in range(1, 40) for q in (1, 7, 12)]
    one_by_one = as_roots(0)
    for number in numbers:
        one_by_one = Roots((*one_by_one.terms,)) + number
    assert total(numbers) == one_by_one
    assert total([*numbers, *(-x for x in numbers)]).terms == ()
    squarefree = [n for n in range(1, 60) if all(n % d**2 for d in range(2, 8))]
    every = total(as_roots(n * d**2).root(2) for n in squarefree for d in (1, 2, 5))
    assert len(every.terms) == len(squarefree)


def test_a_root_of_a_multiple_of_a_prime_that_sorts_roots():
    prime = _PRIMES[0]
    many = [as_roots(n).root(2) for n in range(1, 30)]
    found = total([*many, as_roots(prime).root(2), as_roots(4 * prime).root(2)])
    assert found == total(many) + 3 * as_roots(prime).root(2)
    assert total([*many, as_roots(4).root(4)]) == total(many) + as_roots(2).root(2)
