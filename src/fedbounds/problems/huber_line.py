"""Huber's losses on the line: suprema and minima over all of R, exact.

Gradients are piecewise linear and constant beyond the last breakpoint; what is bounded here is a
sum of squares of them, convex between breakpoints, so that its supremum is at one of them.
"""

from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.errors import require

from .masked import masked_gradient, masked_value
from .masked_laws import Law
from .sampled_regression import SampledRegression

Array = Any


def breakpoints(problem: SampledRegression) -> list[fmpq]:
    """Where some sample's gradient turns, ascending.

    Raises
    ------
    FedboundsError
        If the losses are not Huber's on the line without a ridge.
    """
    threshold, d = problem.loss.threshold, problem.shared_dimension
    require(threshold is not None, "threshold", threshold, "a number: Huber's loss")
    require(d == 1 and problem.loss.ridge == 0, "dimension and ridge", (d, problem.loss.ridge),
            "1 and 0")  # fmt: skip
    slopes, targets = problem.features.reshape(-1), problem.targets.reshape(-1)
    return sorted(
        {(y + s) / a for a, y in zip(slopes, targets, strict=True) if a != 0
         for s in (-threshold, threshold)}
    )  # fmt: skip


def masked_infimum(problem: SampledRegression, law: Law) -> fmpq:
    """inf F_p, which is attained: the gradient rises piecewise linearly from minus to plus."""
    ends = breakpoints(problem)
    slopes = [masked_gradient(problem, law, _point(w))[0] for w in ends]
    candidates = [w for w, slope in zip(ends, slopes, strict=True) if slope == 0]
    for low, high, left, right in zip(ends, ends[1:], slopes, slopes[1:], strict=False):
        if left < 0 < right:
            candidates.append(low - left * (high - low) / (right - left))
    # sums of numbers of both signs: some point has slope 0
    assert candidates
    return fmpq(min(masked_value(problem, law, _point(w)) for w in candidates))


def _point(w: fmpq) -> Array:
    return np.array([w], dtype=object)
