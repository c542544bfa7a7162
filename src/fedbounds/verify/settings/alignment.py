"""The masked alignment rho_k over boxes of models, in intervals with rational ends."""

from dataclasses import dataclass

import numpy as np
from flint import fmpq

from .exhibits import Exhibit
from .iterates import Box, Iterates, minimiser

Array = np.ndarray
_ZERO, _ONE = fmpq(0), fmpq(1)


@dataclass(frozen=True)
class Interval:
    """All numbers from ``low`` to ``high``."""

    low: fmpq
    high: fmpq


@dataclass(frozen=True)
class Ratio:
    """rho_k over a box: an interval, and why there is none (then the interval says nothing)."""

    over: Interval
    reason: str = ""


def alignment(exhibit: Exhibit, found: Iterates, *, everyone: bool = False) -> Ratio:
    """An interval that contains the infimum of rho_k over clients and iterates.

    Parameters
    ----------
    everyone : bool
        Every client at every model, not only at W^t and at its own local models.
    """
    best = minimiser(exhibit.problem, exhibit.algorithm)
    lows, highs = [], []
    for k in range(exhibit.problem.clients):
        for box in found.boxes:
            if everyone or box.client in (None, k):
                ratio = _over(exhibit, k, box, best)
                if ratio.reason:
                    return ratio
                lows.append(ratio.over.low)
                highs.append(ratio.over.high)
    # every box contains an iterate, so that the infimum is at most the largest value on it
    return Ratio(Interval(min(lows), min(highs)))


def _over(exhibit: Exhibit, k: int, box: Box, best: Array) -> Ratio:
    mask = exhibit.algorithm.masks[k]
    whole, masked = products(exhibit, k, box, best)
    if all(mask):  # both products are the same number; where they vanish nothing is asked
        return Ratio(Interval(_ONE, _ONE))
    if whole.low <= 0 <= whole.high:
        told = "vanishes" if whole.low == whole.high else "may vanish"
        return _none(f"the denominator of rho of client {k} {told}")
    if (masked.low <= 0 <= masked.high) or (masked.low > 0) != (whole.low > 0):
        exact = masked.low == masked.high and whole.low == whole.high
        told = f"is {masked.low / whole.low}" if exact else "may not be positive"
        return _none(f"rho of client {k} {told}")
    ends = [a / b for a in (masked.low, masked.high) for b in (whole.low, whole.high)]
    return Ratio(Interval(min(ends), max(ends)))


def _none(reason: str) -> Ratio:
    return Ratio(Interval(_ZERO, _ZERO), reason)


def products(exhibit: Exhibit, k: int, box: Box, best: Array) -> tuple[Interval, Interval]:
    """<grad F_k, W - W*> and <m_k o grad F_k, W - W*> over a box."""
    problem = exhibit.problem
    gradient = problem.hessian[k] @ box.centre + problem.linear[k]
    spread = abs(problem.hessian[k]) @ box.radius
    terms = [
        _times(_around(g, r), _around(x, s))
        for g, r, x, s in zip(gradient, spread, box.centre - best, box.radius, strict=True)
    ]
    kept = [term for term, entry in zip(terms, exhibit.algorithm.masks[k], strict=True) if entry]
    return _total(terms), _total(kept)


def largest_square(centre: Array, spread: Array) -> fmpq:
    """An upper bound of ||x||^2 over a box."""
    total: fmpq = sum(((abs(c) + r) ** 2 for c, r in zip(centre, spread, strict=True)), _ZERO)
    return total


def _around(centre: fmpq, radius: fmpq) -> Interval:
    return Interval(centre - radius, centre + radius)


def _times(a: Interval, b: Interval) -> Interval:
    ends = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
    return Interval(min(ends), max(ends))


def _total(terms: list[Interval]) -> Interval:
    return Interval(sum((t.low for t in terms), _ZERO), sum((t.high for t in terms), _ZERO))
