"""A run of a user's algorithm as data, and what is known of its problem."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from fedbounds.problems import Evidence, FederatedQuadratic, Start, everyone
from fedbounds.problems.constants import OF_BLOCKS, Constants
from fedbounds.problems.linear import is_exact
from fedbounds.problems.spectrum import largest_eigenvalue, smallest_eigenvalue
from fedbounds.vocabulary import Assumption, Constant

Array = Any
Values = tuple[tuple[str, Any], ...]


@dataclass(frozen=True, eq=False)
class OwnRun:
    """Rounds of an own algorithm; how they are measured is for the methods to say.

    Attributes
    ----------
    theory : str
        Key of the theory whose algorithm it is.
    source : str
        A hash of the file that defines it, so that a changed file makes new records.
    problem : FederatedQuadratic or int
        Or the number, from 0, of another problem among those of the theory.
    values : tuple of pairs (parameter, number or tuple of numbers)
    start : array, shape (d,)
    rounds : int
        T.
    """

    theory: str
    source: str
    problem: Any
    values: Values
    start: Array
    rounds: int

    @property
    def exact(self) -> bool:
        """Whether it is in rationals."""
        return bool(is_exact(self.start))


def constants(problem: Any, start: Array) -> Constants:
    """All constants; the eigenvalues of a quadratic are exact or certified."""
    begin = Start(start, np.empty((problem.clients, 0), dtype=start.dtype))
    found = dict(problem.constants(begin))
    if not isinstance(problem, FederatedQuadratic):
        return found
    lows = [smallest_eigenvalue(matrix) for matrix in problem.hessian]
    highs = [largest_eigenvalue(matrix) for matrix in problem.hessian]
    if all(-low.lower <= high.upper for low, high in zip(lows, highs, strict=True)):
        found[Constant.SMOOTHNESS] = max((h.above() for h in highs), key=lambda c: c.value)
    found[Constant.STRONG_CONVEXITY] = min((x.below() for x in lows), key=lambda c: c.value)
    return found


def evidence(problem: Any, found: Constants) -> dict[Assumption, Evidence]:
    """What is decided of a quadratic, or said by another problem; missing ones are not known."""
    if not isinstance(problem, FederatedQuadratic):
        return {assumption: problem.satisfies(assumption) for assumption in Assumption}
    lowest = found[Constant.STRONG_CONVEXITY].value
    shown = {assumption: problem.satisfies(assumption) for assumption in OF_BLOCKS}
    held = {
        Assumption.STRONGLY_CONVEX: (lowest > 0, f"smallest eigenvalue {lowest}"),
        Assumption.CONVEX: (lowest >= 0, f"smallest eigenvalue {lowest}"),
        Assumption.QUADRATIC: (True, "quadratic"),
        Assumption.UNCONSTRAINED: (True, "no constraint"),
        Assumption.UNBIASED: (True, "the noise has mean zero"),
        Assumption.BOUNDED_VARIANCE: (True, "the noise is additive"),
        Assumption.INDEPENDENT: (True, "drawn per client"),
        Assumption.NOISELESS: (not problem.noise.scale_u, "the noise's scale"),
        Assumption.NOISY: (bool(problem.noise.scale_u), "the noise's scale"),
        Assumption.SHARED_MINIMISER: (_shared_minimiser(problem), "gradients at the minimiser"),
    }
    return shown | {name: Evidence(bool(holds), why) for name, (holds, why) in held.items()}


def _shared_minimiser(problem: Any) -> bool:
    if problem.minimiser is None:
        return False
    at = np.stack([problem.minimiser] * problem.clients)
    return not problem.gradient(at, everyone(problem.clients, 1)).any()
