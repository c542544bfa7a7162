"""Step sizes inside a part's own conditions, at their edges where asked; in rationals."""

from math import frexp, log2
from typing import Any

import numpy as np
import sympy as sp
from flint import fmpq

from fedbounds.problems.linear import rational
from fedbounds.theory.claims import Condition, Part

from .evaluate import IrrationalError, Numbers, evaluate

Array = Any
_STEPS = {"gamma", "gamma_u", "gamma_v", "eta_u", "eta_v"}


def rounded(number: float, bits: int, towards: int = 0) -> float:
    """To so many significant binary digits: to nearest, down (-1) or up (1)."""
    exponent = frexp(number)[1] - bits
    scaled = float(number) / 2.0**exponent
    whole = {-1: np.floor(scaled), 0: np.round(scaled), 1: np.ceil(scaled)}[towards]
    return float(whole) * 2.0**exponent


def simple(array: Array, bits: int) -> Array:
    out = np.empty(array.shape, dtype=object)
    out.reshape(-1)[:] = [rational(rounded(x, bits)) for x in array.reshape(-1)]
    return out


def step_sizes(
    part: Part,
    known: dict[str, Any],
    fractions: tuple[float, float, float],
    bits: int,
) -> tuple[fmpq, fmpq, fmpq] | None:
    """Rational gamma, eta_u and eta_v inside the part's conditions, or None.

    Parameters
    ----------
    known : dict
        Constants and counts by symbol name, in rationals.
    fractions : tuple of float
        Gamma over the largest admissible one; each outer step over the smallest.
    bits : int
        Significant binary digits of what is irrational or free.
    """
    needed: set[str] = set().union(*(names_in(c) for c in part.conditions))
    if not needed <= known.keys() | _STEPS or not known["L"] > 0:
        return None
    if "F_0" in needed and not known["F_0"] > 0:
        return None
    values = dict(known)
    for name, factor in zip(("eta_u", "eta_v"), fractions[1:], strict=True):
        lows = [
            _value(c.right, values, 1, bits)
            for c in part.conditions
            if c.relation == ">=" and str(c.left) == name
        ]
        least = max(lows, default=fmpq(1, 4))  # free: from a quarter to four
        values[name] = least * rational(rounded(factor, bits))
    fixed, tops = [], []
    for condition in part.conditions:
        names = {symbol.name for symbol in sp.sympify(condition.left, strict=True).free_symbols}
        if names == {"gamma"} and condition.relation == "==":
            fixed.append(_exact(condition.right, values))
        elif condition.relation == "<=" and names & _STEPS:
            tops.append(_largest(condition, values, bits))
    if None in fixed:
        return None
    gamma = min((x for x in tops if x is not None), default=2 / (known["K"] * known["L"]))
    if fixed:
        gamma = fixed[0]
    elif fractions[0] < 1:
        gamma = gamma * rational(rounded(fractions[0], bits))
    return gamma, values["eta_u"], values["eta_v"]


def names_in(condition: Condition) -> set[str]:
    """Names of the symbols of both sides."""
    sides = (sp.sympify(side, strict=True) for side in (condition.left, condition.right))
    return {str(symbol.name) for side in sides for symbol in side.free_symbols}


def _exact(expression: sp.Expr, known: dict[str, Any]) -> fmpq | None:
    """The rational value of an expression, or None."""
    try:
        return rational(evaluate(expression, Numbers(known, {}, lambda p, q: fmpq(p, q))))
    except IrrationalError:
        return None


def _value(expression: sp.Expr, known: dict[str, Any], towards: int, bits: int) -> fmpq:
    """The value of an expression; an irrational one is rounded down (-1) or up (1)."""
    found = _exact(expression, known)
    if found is not None:
        return found
    floats = Numbers({name: float(value) for name, value in known.items()}, {})
    near = float(evaluate(expression, floats)) * (1 + 1e-14 * towards)
    return rational(rounded(near, max(bits, 3), towards))


def _largest(condition: Condition, known: dict[str, Any], bits: int) -> fmpq | None:
    """The largest gamma of ``c gamma^p <= right``, rounded down; None if c = 0."""

    def left(gamma: int) -> fmpq:
        inner = {f"gamma_{b}": gamma / known[f"eta_{b}"] for b in ("u", "v")}
        values = known | inner | {"gamma": fmpq(gamma)}
        return rational(evaluate(condition.left, Numbers(values, {}, lambda p, q: fmpq(p, q))))

    one, two = left(1), left(2)
    if one == 0:
        return None
    power = round(log2(float(two / one)))
    if power == 1:
        return _value(condition.right, known, -1, bits) / one
    right = _value(condition.right, known, -1, bits)
    root = float(right / one) ** (1 / power) * (1 - 1e-14)
    return rational(rounded(root, max(bits, 3), -1))
