"""The power of one series in another, by least squares: for display, never a verdict."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from fedbounds.errors import require

Array = Any


@dataclass(frozen=True)
class Exponent:
    """Slope of a series against a parameter, both in logarithms; for display, never a verdict.

    ``low`` and ``high`` bound it at level 95 % if the residuals were independent and Gaussian.
    """

    slope: float
    low: float
    high: float


def fitted_exponent(values: Array, series: Array) -> Exponent:
    """Least squares of log ``series`` on log ``values``; at least three positive points."""
    from scipy.stats import t as student

    x, y = (np.array([float(a) for a in array]) for array in (values, series))
    require(len(x) >= 3, "points of a fit", len(x), "at least 3")
    positive = bool((x > 0).all() and (y > 0).all())
    require(positive, "smallest point of a fit", float(min(x.min(), y.min())), "positive")
    x, y = np.log(x), np.log(y)
    x, y = x - x.mean(), y - y.mean()
    spread = float(x @ x)
    require(spread > 0, "spread of a fit's parameter", spread, "positive: different values")
    slope = float(x @ y) / spread
    left = y - slope * x
    width = float(np.sqrt(left @ left / (len(x) - 2) / spread)) * student.ppf(0.975, len(x) - 2)
    return Exponent(slope, slope - width, slope + width)
