"""Least squares of low rank: the quadratic that it is, and where a mask keeps coordinates."""

import numpy as np
import pytest
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st

from fedbounds.errors import FedboundsError
from fedbounds.problems import everyone
from fedbounds.problems.low_rank import LowRank


def drawn(seed, n=3, d=5, r=2):
    rng = np.random.default_rng(seed)
    factors, targets = rng.integers(-3, 4, (n, d, r)), rng.integers(-3, 4, (n, r))
    return LowRank(*(np.vectorize(fmpq, otypes=[object])(x) for x in (factors, targets))), rng


@given(st.integers(0, 10**6))
def test_it_is_the_quadratic_up_to_a_constant(seed):
    own, rng = drawn(seed)
    every = everyone(3, 2)
    z, w = (np.vectorize(fmpq, otypes=[object])(rng.integers(-4, 5, (6, 5))) for _ in range(2))
    same = own.quadratic()
    assert (own.gradient(z, every) == same.gradient(z, every)).all()
    apart = own.value(z, every) - own.value(w, every)
    assert (apart == same.value(z, every) - same.value(w, every)).all()


@given(st.integers(0, 10**6))
def test_restricted_it_has_the_same_values_and_kept_gradients(seed):
    own, rng = drawn(seed)
    mask = rng.permutation(np.array([1, 1, 0, 0, 0]))
    start = np.vectorize(fmpq, otypes=[object])(rng.integers(-4, 5, 5))
    less, kept = own.restrict(mask, start), mask > 0
    assert less.shared_dimension == 2
    inside = np.vectorize(fmpq, otypes=[object])(rng.integers(-4, 5, (3, 2)))
    whole = np.repeat(start[None], 3, axis=0)
    whole[:, kept] = inside
    one = everyone(3, 1)
    assert (less.value(inside, one) == own.value(whole, one)).all()
    assert (less.gradient(inside, one) == own.gradient(whole, one)[:, kept]).all()


def test_one_column_of_all_clients_keeps_one_share():
    a = np.array([1.0, 2.0, 2.0])
    own = LowRank(np.stack([a[:, None], 3 * a[:, None]]), np.array([[1.0], [-2.0]]))
    g = own.gradient(np.array([[1.0, 0.0, 2.0], [0.0, 1.0, 1.0]]), everyone(2, 1))
    assert np.allclose(g[:, 1] ** 2 / (g * g).sum(axis=1), 4 / 9)


def test_wrong_shapes_are_refused():
    with pytest.raises(FedboundsError, match="shape of the factors"):
        LowRank(np.ones((2, 3)), np.ones((2, 1)))
    with pytest.raises(FedboundsError, match="shape of the targets"):
        LowRank(np.ones((2, 3, 1)), np.ones((2, 2)))
