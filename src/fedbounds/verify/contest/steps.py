"""The least value of a bound over its step size, for many parameters at once.

A bound c_1 g^{p_1} + ... + c_J g^{p_J} with coefficients c_j >= 0 is convex in log g, so that the
zero of its slope, or an end of the admissible interval, is the least value over all g in it.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp

from fedbounds.errors import FedboundsError
from fedbounds.verify.evaluate import Numbers, evaluate

Array = Any
_HALVINGS = 60  # of the interval of log g: down to rounding
_SMALLEST = 1e-30  # of the largest admissible step: the low end of the search


@dataclass(frozen=True)
class Powers:
    """A bound as sum_j c_j g^{p_j}: pairs (p_j, c_j), the c_j expressions without g."""

    terms: tuple[tuple[float, sp.Expr], ...]


@dataclass(frozen=True, eq=False)
class Least:
    """The least bound and the step that attains it; arrays, or numbers."""

    step: Array
    value: Array


def powers_of(bound: sp.Expr, step: sp.Symbol) -> Powers:
    """The bound in powers of the step.

    Raises
    ------
    FedboundsError
        If the step is within a root, a maximum or a quotient of sums.
    """
    found: dict[sp.Expr, sp.Expr] = {}
    for term in sp.Add.make_args(sp.expand(bound)):
        coefficient, rest = term.as_independent(step, as_Add=False)
        base, power = rest.as_base_exp()
        if rest != 1 and (base != step or not power.is_Rational):
            raise FedboundsError(
                f"the bound has the term {term}, no power of {step} times a constant: its best "
                f"{step} is not shown to be the least; give {step}"
            )
        power = sp.S.Zero if rest == 1 else power
        found[power] = found.get(power, sp.S.Zero) + coefficient
    return Powers(tuple((float(power), found[power]) for power in sorted(found)))


def coefficients(bound: Powers, values: dict[str, Any], shape: tuple[int, ...]) -> Array:
    """The c_j at these values of the symbols, shape (J, *shape).

    Raises
    ------
    FedboundsError
        If one is negative: the least value would not be shown to be the least.
    """
    numbers = Numbers(values, {})
    found = np.stack(
        [np.broadcast_to(evaluate(c, numbers), shape).astype(float) for _, c in bound.terms]
    )
    if (found < 0).any():
        place = int(np.argwhere((found < 0).reshape(len(found), -1).any(axis=1))[0, 0])
        raise FedboundsError(
            f"the coefficient {bound.terms[place][1]} is negative: the best step size is not shown "
            "to be the least; give the step size"
        )
    return found


def value(bound: Powers, found: Array, step: Array) -> Array:
    """The bound at a step; ``found`` are its coefficients."""
    return sum(c * step**power for (power, _), c in zip(bound.terms, found, strict=True))


def least(bound: Powers, found: Array, largest: Array) -> Least:
    """The least value over steps in (0, largest]."""
    power = np.array([p for p, _ in bound.terms]).reshape(-1, *(1,) * (found.ndim - 1))
    high = np.broadcast_to(np.log(largest), found.shape[1:]).astype(float)
    low = high + np.log(_SMALLEST)

    def rises(at: Array) -> Array:
        return (found * power * np.exp(power * at)).sum(axis=0) > 0

    edge = ~rises(high)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        up = rises(middle) & ~edge
        high, low = np.where(up, middle, high), np.where(up | edge, low, middle)
    step = np.exp(high)
    step = np.where(edge, largest, step)
    return Least(step, value(bound, found, step))
