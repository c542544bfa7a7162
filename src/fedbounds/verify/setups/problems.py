"""All that is known of a problem as it stands: constants, what it satisfies, sizes."""

from typing import Any

from fedbounds.facts import Constant, Fact
from fedbounds.problems import Evidence, FederatedQuadratic
from fedbounds.problems.constants import Constants
from fedbounds.problems.problem import split
from fedbounds.problems.spectrum import largest_eigenvalue, smallest_eigenvalue

Array = Any


def every_constant(problem: Any, start: Array) -> Constants:
    """All constants; the eigenvalues of a quadratic are exact or certified."""
    found = dict(problem.constants(split(problem, start)))
    if not isinstance(problem, FederatedQuadratic):
        return found
    lows = [smallest_eigenvalue(matrix) for matrix in problem.hessian]
    highs = [largest_eigenvalue(matrix) for matrix in problem.hessian]
    ends = zip(lows, highs, strict=True)
    # with personal blocks L is the largest norm of the blocks of Hessians, which the problem tells
    if not problem.personal_dimension and all(-low.lower <= high.upper for low, high in ends):
        found[Constant.SMOOTHNESS] = max((h.above() for h in highs), key=lambda c: c.value)
    found[Constant.STRONG_CONVEXITY] = min((x.below() for x in lows), key=lambda c: c.value)
    return found


def evidence(problem: Any) -> dict[str, Evidence]:
    """What it says of itself, decided or not known."""
    return {fact: problem.satisfies(fact) for fact in Fact}


def sizes(problem: Any) -> dict[str, Any]:
    """Numbers of clients and of coordinates, and the variance of a client's stochastic gradient."""
    d_u, d_v, noise = problem.shared_dimension, problem.personal_dimension, problem.noise
    variance = d_u * noise.scale_u**2 + d_v * noise.scale_v**2
    return {"n": problem.clients, "d_u": d_u, "d_v": d_v, "sigma^2": variance}
