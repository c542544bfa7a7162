"""Makers of masks."""

from fractions import Fraction as F

import numpy as np
import pytest
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st

from fedbounds.algorithms.masks import nested_masks, partition_masks, window_masks
from fedbounds.errors import FedboundsError


def test_nested_masks_hold_the_first_coordinates():
    assert nested_masks(3, 4, [F(1, 4), 0.5, 1]) == ((1, 0, 0, 0), (1, 1, 0, 0), (1, 1, 1, 1))
    assert nested_masks(1, 3, [0.01]) == ((1, 0, 0),)
    assert [sum(row) for row in nested_masks(3, 100, [0.29, 0.57, 0.07])] == [29, 57, 7]


@given(d=st.integers(1, 7), data=st.data())
def test_windows_and_partitions_cover_evenly(d, data):
    size = data.draw(st.integers(1, d))
    windows, blocks = np.array(window_masks(d, size)), np.array(partition_masks(d, size))
    assert windows.shape == (d, d)
    assert (windows.sum(axis=0) == size).all()
    assert (windows.sum(axis=1) == size).all()
    assert all((np.roll(windows[0], s) == windows[s]).all() for s in range(d))
    assert windows[0].tolist() == [1] * size + [0] * (d - size)
    assert blocks.shape == (size, d)
    assert (blocks.sum(axis=0) == 1).all()
    assert set(blocks.sum(axis=1)) <= {d // size, -(-d // size)}


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: window_masks(3, 4), "width of the windows is 4; expected between 1 and d = 3"),
        (lambda: partition_masks(3, 0), "parts S is 0"),
        (lambda: nested_masks(2, 3, [0.5]), "number of shares is 1; expected n = 2"),
        (lambda: nested_masks(1, 3, [fmpq(3, 2)]), "keep probability of client 0 is 3/2"),
        (lambda: nested_masks(1, 3, [0]), "keep probability of client 0 is 0; expected a finite"),
        (lambda: nested_masks(1, 3, 0.5), r"shape of keep is \(\); expected \(n,\)"),
    ],
)
def test_impossible_masks_are_refused(call, said):
    with pytest.raises(FedboundsError, match=said):
        call()
