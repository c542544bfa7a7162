"""Exact vectors and forms, against matrices."""

import numpy as np
import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from fedbounds.verify.commands.pep.forms import Form, Vector, inner, square, sum_of_squares

SIZE = 4
vectors = st.lists(st.integers(-3, 3), min_size=SIZE, max_size=SIZE)


def vector(entries):
    return Vector(tuple((at, fmpq(x)) for at, x in enumerate(entries) if x))


def matrix(form):
    found = np.zeros((SIZE, SIZE))
    for (a, b), c in form.products.items():
        found[a, b] += float(c) / 2
        found[b, a] += float(c) / 2
    return found


@given(vectors, vectors, st.integers(-3, 3))
def test_products_are_bilinear(first, second, factor):
    a, b = vector(first), vector(second)
    assert np.array_equal(
        matrix(inner(a + factor * b, b)),
        matrix(inner(a, b) + factor * square(b)),
    )
    assert (a - a) == Vector()
    assert (inner(a, b) - inner(b, a)).products == {}


@given(st.lists(vectors, min_size=SIZE, max_size=SIZE), st.integers(-2, 2))
@settings(deadline=None)
def test_a_form_is_a_sum_of_squares_exactly_where_no_eigenvalue_is_negative(rows, shift):
    symmetric = np.array(rows) + np.array(rows).T + 6 * shift * np.eye(SIZE, dtype=int)
    products = {
        (a, b): fmpq(int(symmetric[a, b]) * (1 if a == b else 2))
        for a in range(SIZE)
        for b in range(a, SIZE)
        if symmetric[a, b]
    }
    form = Form(products)
    found = sum_of_squares(form, SIZE)
    lowest = np.linalg.eigvalsh(symmetric.astype(float))[0]
    if abs(lowest) > 1e-9:
        assert (found is not None) == (lowest > 0)
    if found is not None:
        assert all(weight > 0 for weight, _ in found)
        total = sum((weight * square(v) for weight, v in found), start=Form())
        assert (total - form).products == {}


@pytest.mark.parametrize("products", [{(0, 1): fmpq(1)}, {(0, 0): fmpq(-1)}])
def test_a_form_without_the_sign_is_none(products):
    assert sum_of_squares(Form(products), SIZE) is None
