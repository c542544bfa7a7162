"""Eigenvalues and roots of rational matrices and numbers are enclosed."""

import bridge
import numpy as np
import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from fedbounds.errors import FedboundsError
from fedbounds.problems.spectrum import (
    largest_eigenvalue,
    smallest_eigenvalue,
    smallest_positive_eigenvalue,
    square_root,
)
from fedbounds.vocabulary import Provenance

small = st.fractions(min_value=-3, max_value=3, max_denominator=4)


@given(st.lists(small, min_size=9, max_size=9))
@settings(max_examples=60, deadline=None)
def test_eigenvalues_are_enclosed(numbers):
    root = bridge.exact(numbers).reshape(3, 3)
    values = np.linalg.eigvalsh((root + root.T).astype(float))
    low, high = smallest_eigenvalue(root + root.T), largest_eigenvalue(root + root.T)
    for bracket, value in ((low, values[0]), (high, values[-1])):
        assert float(bracket.lower) - 1e-12 <= value <= float(bracket.upper) + 1e-12
        assert float(bracket.upper - bracket.lower) < 1e-9
    flat = root[:2].T @ root[:2]  # of rank 2 at most
    if (flat != 0).any():
        found = smallest_positive_eigenvalue(flat)
        squares = np.linalg.svd(root[:2].astype(float), compute_uv=False) ** 2
        least = min(x for x in squares if x > 1e-9)
        assert float(found.lower) <= least * (1 + 1e-9)
        assert float(found.upper) >= least * (1 - 1e-9)


def test_rational_eigenvalues_and_roots_are_exact():
    matrix = bridge.exact([[2, 1], [1, 2]])
    assert smallest_eigenvalue(matrix).below().provenance is Provenance.EXACT
    assert (smallest_eigenvalue(matrix).lower, largest_eigenvalue(matrix).upper) == (1, 3)
    flat = bridge.exact([[1, 1], [1, 1]])
    assert smallest_positive_eigenvalue(flat).lower == smallest_positive_eigenvalue(flat).upper == 2
    with pytest.raises(FedboundsError, match="positive semidefinite"):
        smallest_positive_eigenvalue(-flat)
    assert square_root(fmpq(9, 4)).lower == fmpq(3, 2)
    two = square_root(2)
    assert two.lower**2 < 2 < two.upper**2
    assert two.upper - two.lower < fmpq(1, 2**55)
