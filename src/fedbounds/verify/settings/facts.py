"""What is known of an exhibit: its iterates, alignment, gradients and constants, exactly."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.algorithms.fedplt_rows import compensation, shares, untrained
from fedbounds.problems.linear import rational, solve

from .alignment import Interval, Ratio, alignment, largest_square
from .exhibits import Exhibit, Steps
from .iterates import Box, Iterates, decaying, fixed_point, iterates, minimiser

_STRICT = fmpq(1)  # added to G^2, which Assumption 5 wants to exceed every squared gradient


@dataclass(frozen=True, eq=False)
class Facts:
    """What the run is known to do.

    Attributes
    ----------
    found : Iterates, or why they are not known
    aligned : Ratio
        Of every client at its own iterates, as far as they are known.
    everywhere : Ratio
        Of every client at all iterates.
    G2_wide, G2_local : rational or None
        Bounds of the squared gradients of F and of every F_k at all iterates.
    """

    found: Iterates | str
    aligned: Ratio
    everywhere: Ratio
    G2_wide: fmpq | None
    G2_local: fmpq | None


@lru_cache(maxsize=64)
def facts(exhibit: Exhibit) -> Facts:
    """Everything about one exhibit, computed once."""
    found = _found(exhibit)
    if isinstance(found, str):
        unknown = Ratio(Interval(fmpq(0), fmpq(0)), found)
        return Facts(found, unknown, unknown, None, None)
    wide, local = _gradients(exhibit, found)
    own, every = (alignment(exhibit, found, everyone=everyone) for everyone in (False, True))
    return Facts(found, own, every, wide, local)


def _found(exhibit: Exhibit) -> Iterates | str:
    """The iterates; with decaying steps, from the alignment that z is made of."""
    if exhibit.steps is Steps.CONSTANT:
        return iterates(exhibit)
    first = first_step(exhibit)
    if first is None:
        return "no alignment at the fixed point to make z of"
    found = decaying(exhibit, first)
    if isinstance(found, str):
        return found
    ratio = alignment(exhibit, found).over
    expected = 1 / (first * exhibit.mu * min(_psi(exhibit)))
    if ratio.low != expected or ratio.high != expected:
        return "the infimum of the alignment is not that at the fixed point, which made z"
    return found


def first_step(exhibit: Exhibit) -> fmpq | None:
    """1/z with the least alignment at the fixed point; None if there is none."""
    W = fixed_point(exhibit)
    if W is None:
        return None
    ratio = alignment(exhibit, Iterates((Box(W, W * 0),)))
    if ratio.reason:
        return None
    z: fmpq = exhibit.mu * min(_psi(exhibit)) * ratio.over.low
    return 1 / z


def _gradients(exhibit: Exhibit, found: Iterates) -> tuple[fmpq, fmpq]:
    """Numbers that exceed every ||grad F||^2, and every ||grad F_k||^2, at all iterates."""
    problem = exhibit.problem
    c = np.array(shares(exhibit.algorithm), dtype=object)
    pairs = [
        (np.tensordot(c, problem.hessian, 1), np.tensordot(c, problem.linear, 1)),
        *zip(problem.hessian, problem.linear, strict=True),
    ]
    wide, *local = (
        max(largest_square(H @ box.centre + h, abs(H) @ box.radius) for box in found.boxes)
        for H, h in pairs
    )
    return wide + _STRICT, max(local) + _STRICT


def _psi(exhibit: Exhibit) -> list[fmpq]:
    """Compensation factors of the coordinates that are trained."""
    free = untrained(exhibit.algorithm)
    return [p for i, p in enumerate(compensation(exhibit.algorithm)) if i not in free]


def values(exhibit: Exhibit, rho_min: fmpq | None) -> dict[str, Any]:
    """Constants by the names of their symbols, for one value of rho_min; None if unknown.

    All masks train something, so that every alpha is 1. What is not defined is left out.
    """
    c = shares(exhibit.algorithm)
    psi = _psi(exhibit)
    d = exhibit.problem.shared_dimension
    known: dict[str, Any] = {
        "mu": exhibit.mu,
        "L": exhibit.L,
        "tau": fmpq(exhibit.algorithm.local_steps),
        "psi_max": max(psi),
        "psi_min": min(psi),
        "alpha_k": fmpq(1),
        "sigma^2": d * rational(exhibit.problem.noise.scale_u) ** 2,
        "Gamma": sum(c, fmpq(0)),
        "Lambda": heterogeneity(exhibit),
    }
    if exhibit.steps is Steps.CONSTANT:
        known["eta"] = rational(exhibit.algorithm.inner_step_u)
    if rho_min is None:
        return known
    z = exhibit.mu * min(psi) * rho_min
    known |= {"rho_min": rho_min, "z": z}
    if exhibit.steps is Steps.CONSTANT and 1 / known["eta"] > z:
        known["w_gap"] = 1 / known["eta"] - z
    if exhibit.steps is Steps.DECAYING and z > exhibit.L:
        known["w_first"] = z - exhibit.L
    return known


def heterogeneity(exhibit: Exhibit) -> fmpq:
    """Lambda = sum_k c_k (F_k(W*) - F_k*)."""
    problem = exhibit.problem
    best = minimiser(problem, exhibit.algorithm)
    total = fmpq(0)
    for c, H, h in zip(shares(exhibit.algorithm), problem.hessian, problem.linear, strict=True):
        slope = H @ best + h
        answer = solve(H, slope[:, None])
        assert answer is not None
        total += c * (slope @ answer[:, 0]) / 2
    return total
