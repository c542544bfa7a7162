"""Who takes part: m distinct clients, every set equally often, afresh in every round."""

from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2

from fedbounds.algorithms.participation import (
    all_participants,
    check_participants,
    draw_participants,
    inclusion,
)
from fedbounds.errors import FedboundsError

sizes = st.integers(1, 8).flatmap(lambda n: st.tuples(st.just(n), st.integers(1, n)))


@given(sizes, st.integers(1, 50), st.integers(0, 2**32))
def test_a_column_has_m_ones(size, replicas, seed):
    n, m = size
    present = draw_participants(np.random.default_rng(seed), n, m, replicas)
    assert present.shape == (n, replicas)
    assert np.isin(present, (0.0, 1.0)).all()
    assert (present.sum(axis=0) == m).all()


@pytest.mark.parametrize(("n", "m"), [(5, 2), (4, 1), (4, 3), (6, 3)])
def test_every_set_is_equally_likely(n, m):
    replicas = 20_000
    present = draw_participants(np.random.default_rng(11), n, m, replicas)
    codes = (2.0 ** np.arange(n)) @ present
    _, counts = np.unique(codes, return_counts=True)
    cells = comb(n, m)
    assert len(counts) == cells
    expected = replicas / cells
    statistic = ((counts - expected) ** 2 / expected).sum()
    # two-sided: counts that are too even would mean the replicas are not independent
    assert 1e-4 < chi2.sf(statistic, cells - 1) < 1 - 1e-4


def test_rounds_and_replicas_differ():
    rng = np.random.default_rng(0)
    first, second = (draw_participants(rng, 6, 3, 100) for _ in range(2))
    assert (first != second).any(axis=0).mean() > 0.8  # 19 in 20 expected
    assert len(np.unique(first, axis=1).T) == 20


def test_rounds_are_independent():
    """The sets of two consecutive rounds fill every pair of cells equally."""
    rng = np.random.default_rng(5)
    weights = 2.0 ** np.arange(3)
    first, second = (weights @ draw_participants(rng, 3, 2, 18_000) for _ in range(2))
    _, counts = np.unique(first * 8 + second, return_counts=True)
    assert len(counts) == 9
    assert chi2.sf(((counts - 2000.0) ** 2 / 2000.0).sum(), 8) > 1e-4


@given(sizes)
def test_all_participants_lists_every_set_once(size):
    n, m = size
    present = all_participants(n, m)
    sets = [tuple(np.flatnonzero(column)) for column in present.T]
    assert sorted(sets) == sorted(combinations(range(n), m))


@given(sizes)
def test_inclusion_probabilities_are_frequencies_over_all_sets(size):
    n, m = size
    present = all_participants(n, m).astype(int)
    count = present.shape[1]
    single, pair = inclusion(n, m)
    both = present @ present.T
    for i in range(n):
        assert Fraction(int(both[i, i]), count) == single
        for j in range(i):
            assert Fraction(int(both[i, j]), count) == pair


@pytest.mark.parametrize("m", [0, 4, -1])
def test_an_impossible_number_is_refused(m):
    with pytest.raises(
        FedboundsError, match=rf"participants m is {m}; expected between 1 and .* n = 3"
    ):
        check_participants(m, 3)
