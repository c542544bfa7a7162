"""The sampling rule: intervals for a mean that are valid at every look.

A sample alone bounds no mean: rare events hide. The rule needs a certified range, and then the
empirical Bernstein inequality (Maurer and Pontil 2009, Theorem 4) holds for every sample size.
The error of one decision is a constant of this file: it does not depend on what else was run.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

Array = Any
LEVEL = 1e-6  # of one decision on one (claim, reading, part, instance), over all its looks
FIRST_LOOK = 1024  # replicas; look j has FIRST_LOOK * 2^j


@dataclass(frozen=True, eq=False)
class Sums:
    """Count, sum and sum of squares of replicas; adding is in chunk order."""

    count: int
    total: Array
    squares: Array

    def __add__(self, other: "Sums") -> "Sums":
        return Sums(
            self.count + other.count, self.total + other.total, self.squares + other.squares
        )


def sums_of(values: Array) -> Sums:
    """Sums over the first axis."""
    return Sums(len(values), values.sum(axis=0), (values * values).sum(axis=0))


def look_level(look: int) -> float:
    """The share of `LEVEL` that look number ``look`` = 0, 1, ... may spend."""
    return LEVEL / 2.0 ** (look + 1)


def half_width(sums: Sums, width: Array, level: float) -> Array:
    """Half-width of a one-sided interval for each mean, all of them valid together at ``level``.

    Parameters
    ----------
    width : array or number
        Certified range (largest minus smallest possible value) of each variable.
    level : float
        Probability that any of the intervals fails.
    """
    each = level / np.size(sums.total)
    mean = sums.total / sums.count
    variance = np.maximum(sums.squares - sums.count * mean * mean, 0.0) / (sums.count - 1)
    log = np.log(2.0 / each)
    return np.sqrt(2.0 * variance * log / sums.count) + 7.0 * width * log / (3 * (sums.count - 1))
