"""Exponents of a series: those of power laws, or a refusal."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fedbounds.errors import FedboundsError
from fedbounds.verify.decide.exponent import fitted_exponent


@given(power=st.sampled_from([-2, -1, 0.5, 1, 3]), factor=st.floats(0.1, 10))
def test_a_power_law_has_its_exponent(power, factor):
    values = np.array([1.0, 2.0, 5.0, 10.0])
    found = fitted_exponent(values, factor * values**power)
    assert found.slope == pytest.approx(power, abs=1e-9)
    assert found.low - 1e-9 <= power <= found.high + 1e-9


@pytest.mark.parametrize("series", [[1.0, 2.0], [1.0, 0.0, 2.0]])
def test_a_fit_without_enough_positive_points_is_refused(series):
    with pytest.raises(FedboundsError):
        fitted_exponent(np.arange(1.0, len(series) + 1), np.array(series))
