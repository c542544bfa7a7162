"""What is known of regression as a finite sum: of the loss of every sample."""

from collections.abc import Mapping
from typing import Any

from fedbounds.problems import Evidence
from fedbounds.problems.constants import Constants, ConstantValue
from fedbounds.problems.linear import rational
from fedbounds.problems.sampled_regression import SampledRegression
from fedbounds.vocabulary import Assumption, Constant


def constants(problem: SampledRegression) -> Constants:
    """L and mu of every sample's loss, attained; mu if it is positive."""
    found = {Constant.SMOOTHNESS: ConstantValue(problem.smoothness())}
    lowest = problem.strong_convexity()
    if lowest > 0:
        found[Constant.STRONG_CONVEXITY] = ConstantValue(lowest)
    return found


def facts(problem: SampledRegression, given: Mapping[str, Any]) -> dict[Assumption, Evidence]:
    """What squares and Huber's losses of affine functions satisfy.

    Parameters
    ----------
    given : mapping from constant to number
        Constants that are said to be admissible: no less than L, no more than mu.
    """
    largest, lowest = rational(problem.smoothness()), rational(problem.strong_convexity())
    L, mu = given.get("L", largest), given.get("mu", lowest)
    form = "squares or Huber's loss of an affine function, and a ridge"
    smooth = Evidence(bool(largest <= L), f"{form}: {largest} against L = {L}")
    convex = Evidence(True, form)
    strongly = Evidence(bool(0 < mu <= lowest), f"mu of the samples is {lowest} against mu = {mu}")
    return {
        Assumption.SMOOTH: smooth,
        Assumption.SMOOTH_SAMPLES: smooth,
        Assumption.CONVEX: convex,
        Assumption.CONVEX_SAMPLES: convex,
        Assumption.STRONGLY_CONVEX: strongly,
        Assumption.STRONGLY_CONVEX_SAMPLES: strongly,
    }
