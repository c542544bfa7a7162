"""Extremes of spectra in balls: known eigenvalues, mpmath, and samples that are refused."""

import bridge
import mpmath
import numpy as np
import pytest
from flint import arb, ctx, fmpq
from hypothesis import given
from hypothesis import strategies as st

from fedbounds.errors import FedboundsError
from fedbounds.problems.neural_kernels import (
    expected_extremes,
    extremes,
    infinite_gram,
    positive_extremes,
)
from fedbounds.problems.spectrum import in_arbs

# of length 1, no two parallel
UNITS = bridge.exact(
    [[fmpq(x, 65), fmpq(y, 65)] for x, y in ((39, 52), (52, -39), (33, 56), (-25, 60), (16, 63))]
)


def ends(ball):
    return ball.lower().fmpq(), ball.upper().fmpq()


def has(ball, number):
    low, high = ends(ball)
    return low <= number <= high


@pytest.mark.parametrize("bits", [53, 128])
def test_lambda_of_unit_samples_is_certified(bits):
    before = ctx.prec
    try:
        ctx.prec = bits
        least, most = positive_extremes(UNITS)
        near = np.linalg.eigvalsh(infinite_gram(UNITS.astype(float)))
        with mpmath.workdps(30):
            exact = mpmath.eigsy(
                mpmath.matrix(
                    [[mpmath.mpf(float(x)) for x in row] for row in infinite_gram(UNITS)]
                ),
                eigvals_only=True,
            )
        for ball, value, other in ((least, near[0], exact[0]), (most, near[-1], exact[4])):
            assert abs(float(ball) - value) < 1e-12
            assert abs(float(ball) - float(other)) < 1e-12
            assert ball.rad() < 1e-12
        assert 0 < least < fmpq(1, 2) < most
    finally:
        ctx.prec = before


def test_two_samples_by_hand():
    """Of x = (1, 0) and y = (3/5, 4/5): 1/2 minus and plus 3/5 (pi - arccos 3/5) / (2 pi)."""
    found = positive_extremes(bridge.exact([[1, 0], [fmpq(3, 5), fmpq(4, 5)]]))
    aside = arb(fmpq(3, 5)) * (1 - arb(fmpq(3, 5)).acos() / arb.pi()) / 2
    for ball, value in zip(found, (arb(0.5) - aside, arb(0.5) + aside), strict=True):
        assert ball.overlaps(value)
        assert ball.rad() < 1e-13


@pytest.mark.parametrize(
    ("samples", "told"),
    [
        ([[1, 0], [0, 1], [2, 0]], r"samples that are parallel is \[\[0, 2\]\]; expected none"),
        ([[1, 3], [1, 2], [fmpq(1, 2), 1]], r"parallel is \[\[1, 2\]\]"),
        ([[1, 0], [0, 0]], r"number of a sample that is 0 is \[1\]"),
        # x, -x, y, -y, x + y, -x - y: H^infinity is singular, though no two are in one direction
        ([[1, 0], [-1, 0], [0, 1], [0, -1], [1, 1], [-1, -1]], "a ball above 0"),
    ],
)
def test_samples_with_which_it_is_singular_are_refused(samples, told):
    with pytest.raises(FedboundsError, match=told) as error:
        positive_extremes(bridge.exact(samples))
    assert "\n" not in str(error.value)


def test_opposite_samples_alone_are_not_singular():
    least, most = positive_extremes(bridge.exact([[3, 4], [-3, -4]]) / 5)
    assert has(least, fmpq(1, 2))
    assert has(most, fmpq(1, 2))
    assert positive_extremes(np.array([[1.0], [-3.0]]))[0].rad() < 1e-12


def planted(values, seed):
    """A rational matrix with these eigenvalues: an exact reflection turns it."""
    v = bridge.exact(np.random.default_rng(seed).integers(-3, 4, len(values)))
    v[0] += 7
    turn = bridge.exact(np.eye(len(values), dtype=int)) - np.outer(v, v) * (2 / (v @ v))
    return (turn * bridge.exact(values)) @ turn


@given(st.lists(st.integers(-4, 4), min_size=1, max_size=4), st.integers(0, 10**6))
def test_extremes_contain_known_eigenvalues(values, seed):
    """As rationals; as balls without and with a radius; and of more rows, where balls decide."""
    matrix = planted(values, seed)
    for width, own in ((0, matrix), (0, in_arbs(matrix)), (1e-6, in_arbs(matrix) + arb(0, 1e-6))):
        for ball, value in zip(extremes(own), (min(values), max(values)), strict=True):
            assert has(ball, value)
            assert ball.rad() <= 8 * width + 1e-10
    for ball, value in zip(extremes(matrix.astype(float)), (min(values), max(values)), strict=True):
        assert abs(ball - value) < 1e-9  # other numbers, if rounded


def test_extremes_of_many_rows_contain_known_eigenvalues():
    values = [fmpq(k * k, 7) for k in range(1, 25)]
    for ball, value in zip(extremes(planted(values, 0)), (values[0], values[-1]), strict=True):
        assert has(ball, value)
        assert ball.rad() < 1e-9


@given(st.integers(0, 10**6))
def test_extremes_of_balls_are_those_of_every_matrix_in_them(seed):
    rng = np.random.default_rng(seed)
    middle, width = rng.integers(-3, 4, (3, 3)), 2.0**-4
    middle = middle + middle.T
    least, most = extremes(in_arbs(bridge.exact(middle)) + arb(0, width))
    for _ in range(4):
        off = rng.choice([-1, 1], (3, 3))
        off = np.triu(off) + np.triu(off, 1).T
        values = np.linalg.eigvalsh(middle + off * width)
        assert float(least.lower()) <= values[0] + 1e-12
        assert float(least.upper()) >= values[0] - 1e-12
        assert float(most.lower()) <= values[-1] + 1e-12
        assert float(most.upper()) >= values[-1] - 1e-12


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: extremes(UNITS), r"shape of the matrix is \(5, 2\); expected \(N, N\)"),
        (lambda: extremes(bridge.exact([[1, 2], [3, 1]])), "not symmetric"),
        (lambda: extremes(in_arbs(bridge.exact([[1, 2], [3, 1]]))), "not symmetric"),
        (lambda: extremes(np.array([[np.nan]])), "matrix is not finite"),
        (lambda: extremes(np.array([[arb("nan")]], dtype=object)), "matrix is not finite"),
    ],
)
def test_bad_input_is_refused_in_a_line(call, told):
    with pytest.raises(FedboundsError, match=told) as error:
        call()
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("samples", [[[1, 2], [2, 4]], [[1, 2], [0, 0]]])
def test_of_parallel_samples_the_least_eigenvalue_is_zero_and_the_largest_is_known(samples):
    least, largest = expected_extremes(bridge.exact(samples))
    assert least == 0
    values = np.linalg.eigvalsh(infinite_gram(np.array(samples, dtype=float)))
    assert abs(values[0]) < 1e-7
    assert float(largest.mid()) == pytest.approx(values[-1], abs=1e-7)


def test_of_others_both_are_the_positive_ones():
    found, wanted = (
        own(bridge.exact([[1, 0], [-1, 1]])) for own in (expected_extremes, positive_extremes)
    )
    assert all(a.overlaps(b) for a, b in zip(found, wanted, strict=True))
    assert found[0] > 0
