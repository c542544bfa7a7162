"""What is so whatever the unknowns are: shown of squares, and of nothing that may fail."""

import numpy as np
import pytest
from flint import Ordering, fmpq, fmpq_mpoly_ctx
from hypothesis import assume, given
from hypothesis import strategies as st

from fedbounds.verify.measure import surely as module
from fedbounds.verify.measure.surely import surely
from fedbounds.verify.measure.unknowns import Unknown

N = 3
CONTEXT = fmpq_mpoly_ctx.get(("x", "y", "z"), Ordering.lex)
x, y, z = UNKNOWNS = CONTEXT.gens()
ZERO, ONE = x * 0, x * 0 + 1
number = st.fractions(-3, 3, max_denominator=3).map(lambda q: fmpq(q.numerator, q.denominator))
positive = number.filter(lambda q: q > 0)
lines = st.lists(number, min_size=N + 1, max_size=N + 1)


def line(entries):
    first, *others = entries
    return sum((a * b for a, b in zip(others, UNKNOWNS, strict=True)), ONE * first)


# ---- by hand

SHOWN = {
    "nothing": (ZERO, ("==", "<=", ">=")),
    "both sides are one polynomial": ((x + y) ** 3 - x**3 - 3 * x * y * (x + y) - y**3, ("==", "<=", ">=")),
    "a square": (x * x, (">=",)),
    "less than nothing": (-x * x, ("<=",)),
    "a constant besides": (x * x + 1, (">=",)),
    "a square of a difference": ((x - y) ** 2, (">=",)),
    "of a line": ((x - 2 * y + 3) ** 2, (">=",)),
    "just positive": (x * x + y * y - 2 * x * y + 2 * z + z * z + 1, (">=",)),
}  # fmt: skip
NOT_SHOWN = {
    "a coordinate": x,
    "a product": x * y,
    "a difference of squares": x * x - y * y,
    "below its constant": x * x - 1,
    "a little below": x * x + 2 * x + 1 - fmpq(1, 10**12),
    "degree three": x**3,
    "degree three beside squares": x * x + y * y + 1 + x * y * z,
    "degree four, though a square": x**4,
    "no square in y": x * x + y,
    "flat in y": x * x + x * y,
}


@pytest.mark.parametrize("name", SHOWN)
def test_what_is_shown(name):
    polynomial, relations = SHOWN[name]
    for relation in ("==", "<=", ">="):
        wanted = True if relation in relations else None
        assert surely(polynomial, relation) is wanted
        assert surely(Unknown(polynomial), relation) is wanted


@pytest.mark.parametrize("name", NOT_SHOWN)
@pytest.mark.parametrize("relation", ["==", "<=", ">=", "<", ">"])
def test_what_is_not_known(name, relation):
    assert surely(NOT_SHOWN[name], relation) is None


@given(number)
def test_numbers_are_compared(value):
    assert surely(value, "==") is (value == 0)
    assert surely(value, "<=") is (value <= 0)
    assert surely(value, ">=") is (value >= 0)


@pytest.mark.parametrize("value", [-1, 0, 1])
def test_constants_are_numbers(value):
    for relation in ("==", "<=", ">=", "<", ">"):
        wanted = surely(fmpq(value), relation)
        assert wanted is not None
        assert surely(ONE * value, relation) is wanted


@pytest.mark.parametrize("relation", ["<", ">"])
def test_no_polynomial_is_strictly_so_for_certain(relation):
    assert surely(x * x + 1, relation) is None


# ---- of random polynomials


@given(st.lists(lines, min_size=1, max_size=4), st.sampled_from([0, fmpq(1, 9), 2]))
def test_squares_and_a_constant_are_shown_and_not_with_the_wrong_sign(rows, constant):
    polynomial = sum((line(row) ** 2 for row in rows), ONE * constant)
    assert surely(polynomial, ">=") is True
    assert surely(-polynomial, "<=") is True
    assume(any(map(any, polynomial.to_dict())))  # else it is a number
    wrong = None
    assert surely(polynomial, "<=") is wrong
    assert surely(-polynomial, ">=") is wrong
    assert surely(polynomial, "==") is wrong


@given(st.lists(lines, max_size=3), lines, positive, lines)
def test_indefinite_ones_are_not_shown(rows, own, size, point):
    """A square is taken away, more of it than squares have at a point."""
    values = {"x": point[1], "y": point[2], "z": point[3]}
    at = tuple(values.values())
    assume(line(own)(*at) != 0)
    squares = sum((line(row) ** 2 for row in rows), ZERO)
    taken = (squares(*at) + size) / line(own)(*at) ** 2
    polynomial = squares - taken * line(own) ** 2
    assert polynomial(*at) == -size
    assert surely(polynomial, ">=") is None
    assert surely(-polynomial, "<=") is None


symmetric = st.lists(number, min_size=10, max_size=10)


@given(symmetric, st.integers(0, 12))
def test_it_is_shown_where_eigenvalues_are_positive_and_nowhere_else(entries, more):
    """Of every quadratic: against floats, wherever these leave no doubt."""
    M, kept = np.zeros((N + 1, N + 1)), iter(entries)
    polynomial, every = ZERO, [ONE, *UNKNOWNS]
    for i in range(N + 1):
        for j in range(i, N + 1):
            value = next(kept) + (more if i == j else 0)
            polynomial += value * every[i] * every[j]
            M[i, j] += float(value) / 2
            M[j, i] += float(value) / 2
    least = np.linalg.eigvalsh(M).min()
    assume(abs(least) > 1e-9)
    assume(any(map(any, polynomial.to_dict())))
    assert surely(polynomial, ">=") is (True if least > 0 else None)


# ---- planted errors


def test_an_error_planted_in_the_matrix_is_caught(monkeypatch):
    def diagonal_alone(matrix):
        return all(matrix[i, i] >= 0 for i in range(len(matrix)))

    hidden = {"a coordinate", "a product", "a little below", "no square in y", "flat in y"}
    assert all(surely(NOT_SHOWN[name], ">=") is None for name in hidden)
    monkeypatch.setattr(module, "is_positive_semidefinite", diagonal_alone)
    assert {name for name in NOT_SHOWN if surely(NOT_SHOWN[name], ">=")} == hidden
