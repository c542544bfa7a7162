"""All that is known of a problem as it stands: constants, what it satisfies, sizes."""

from typing import Any

from fedbounds.facts import Constant, Fact
from fedbounds.problems import Evidence, FederatedQuadratic, everyone
from fedbounds.problems.constants import OF_BLOCKS, Constants
from fedbounds.problems.problem import joint_rows, split
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


def evidence(problem: Any, found: Constants) -> dict[str, Evidence]:
    """What is decided of a quadratic, or said by another problem; missing ones are not known."""
    if not isinstance(problem, FederatedQuadratic):
        return {fact: problem.satisfies(fact) for fact in Fact}
    lowest = found[Constant.STRONG_CONVEXITY].value
    shown: dict[str, Evidence] = {fact: problem.satisfies(fact) for fact in OF_BLOCKS}
    held = {
        Fact.STRONGLY_CONVEX: (lowest > 0, f"smallest eigenvalue {lowest}"),
        Fact.CONVEX: (lowest >= 0, f"smallest eigenvalue {lowest}"),
        Fact.QUADRATIC: (True, "quadratic"),
        Fact.UNCONSTRAINED: (True, "no constraint"),
        Fact.UNBIASED: (True, "the noise has mean zero"),
        Fact.BOUNDED_VARIANCE: (True, "the noise is additive"),
        Fact.INDEPENDENT: (True, "drawn per client"),
        Fact.NOISELESS: (not _noisy(problem), "the noise's scale"),
        Fact.NOISY: (_noisy(problem), "the noise's scale"),
        Fact.SHARED_MINIMISER: (_shared_minimiser(problem), "gradients at the minimiser"),
    }
    return shown | {name: Evidence(bool(holds), why) for name, (holds, why) in held.items()}


def _shared_minimiser(problem: Any) -> bool:
    if problem.minimiser is None:
        return False
    at = joint_rows(split(problem, problem.minimiser))
    return not problem.gradient(at, everyone(problem.clients, 1)).any()


def _noisy(problem: Any) -> bool:
    return bool(problem.noise.scale_u or problem.noise.scale_v)


def sizes(problem: Any) -> dict[str, Any]:
    """Numbers of clients and of coordinates, and the variance of a client's stochastic gradient."""
    d_u, d_v, noise = problem.shared_dimension, problem.personal_dimension, problem.noise
    variance = d_u * noise.scale_u**2 + d_v * noise.scale_v**2
    return {"n": problem.clients, "d_u": d_u, "d_v": d_v, "sigma^2": variance}
