"""What floats do not hold is refused or compared exactly, and is no crash."""

import numpy as np
from flint import fmpq

from fedbounds.verify.measure.driven_errors import _weighed
from fedbounds.verify.measure.many import _alike


def test_a_matrix_that_rounding_leaves_indefinite_weighs_nothing():
    matrix = np.array([[1.0, 2.0], [2.0, 1.0]])
    assert _weighed(matrix, matrix, None) is None


def test_floats_among_rationals_compare_as_the_rationals_that_they_are():
    assert max(_alike([fmpq(1, 3), 0.1])) == fmpq(1, 3)
    tenth = _alike([fmpq(1, 10), 0.1])
    assert max(tenth) == tenth[1] > fmpq(1, 10)  # the float is above a tenth by rounding
    assert _alike([0.1, 0.2]) == [0.1, 0.2]


def test_what_is_not_bounded_stands_alone():
    assert _alike([fmpq(1, 3), np.inf]) == [np.inf]
