"""Step sizes inside a part's own conditions, at their edges where asked; in rationals."""

from collections.abc import Mapping, Sequence
from math import frexp, log2
from typing import Any

import numpy as np
import sympy as sp
from flint import arb, fmpq

from fedbounds.errors import FedboundsError
from fedbounds.problems.linear import rational
from fedbounds.theory.language.claims import Condition, Part
from fedbounds.theory.language.sought import Steps

from ..measure.evaluate import IrrationalError, Numbers, UndefinedError, evaluate, in_balls

Known = dict[str, Any]  # rationals, or balls that hold a number, by symbol name


class NoStepsError(FedboundsError):
    """The conditions leave no rational step sizes, or name what is not known."""


def rounded(number: float, bits: int, towards: int = 0) -> float:
    """To so many significant binary digits: to nearest, down (-1) or up (1)."""
    exponent = frexp(number)[1] - bits
    scaled = float(number) / 2.0**exponent
    whole = {-1: np.floor(scaled), 0: np.round(scaled), 1: np.ceil(scaled)}[towards]
    return float(whole) * 2.0**exponent


def steps_inside(
    part: Part, steps: Steps, known: Known, factors: Mapping[str, fmpq], bits: int
) -> dict[str, fmpq]:
    """Rational values of all that ``steps`` names, inside the part's conditions.

    Parameters
    ----------
    known : dict
        Constants and counts by symbol name, in rationals or balls.
    factors : mapping from name to rational
        Of what has a least value, how many times that, 1 or more; of what has a largest one, how
        much of that, 1 or less. What is missing is at its edge.
    bits : int
        Significant binary digits of what is irrational.

    Raises
    ------
    NoStepsError
        If a condition names something unknown, fixes a step size at an irrational number, or is
        not met by any.
    """
    chosen = {*steps.least, *steps.largest, *steps.derived}
    conditions = tuple(c for c in part.conditions if not names_in(c) & steps.told)
    found = _Found(conditions, steps, dict(known), bits)
    needed = set[str]().union(*(names_in(c) for c in conditions))
    if not needed <= known.keys() | chosen:
        raise NoStepsError(f"no value for {', '.join(sorted(needed - known.keys() - chosen))}")
    try:
        for name, free in steps.least.items():
            found.rise(name, free, factors.get(name, fmpq(1)))
        for name, free in steps.largest.items():
            found.fall(name, free, factors.get(name, fmpq(1)))
        values = found.values | {x: found.exactly(y) for x, y in steps.derived.items()}
    except (ZeroDivisionError, UndefinedError, IrrationalError) as error:
        raise NoStepsError(f"the conditions leave no step sizes here: {error}") from error
    return {name: values[name] for name in values if name in chosen}


class _Found:
    """What is known so far, with the steps that were chosen."""

    def __init__(
        self, conditions: Sequence[Condition], steps: Steps, values: Known, bits: int
    ) -> None:
        self.conditions, self.steps, self.values, self.bits = conditions, steps, values, bits

    def rise(self, name: str, free: sp.Expr, factor: fmpq) -> None:
        """Choose what has a least value."""
        own = [c for c in self.conditions if str(c.left) == name]
        fixed = [c for c in own if c.relation == "=="]
        if fixed:
            self.values[name] = self.exactly(fixed[0].right)
            return
        lows = [self._near(c.right, 1) for c in own if c.relation == ">="]
        self.values[name] = max(lows, default=self.exactly(free)) * factor

    def fall(self, name: str, free: sp.Expr, factor: fmpq) -> None:
        """Choose what has a largest value."""
        fixed, tops = [], []
        for condition in self.conditions:
            names = _names(condition.left)
            if names == {name} and condition.relation == "==":
                fixed.append(self.exactly(condition.right))
            elif condition.relation == "<=" and names & {name, *self.steps.derived}:
                tops.append(self._largest(name, condition))
        if fixed:
            self.values[name] = fixed[0]
            return
        top = min((x for x in tops if x is not None), default=None)
        self.values[name] = (self.exactly(free) if top is None else top) * factor

    def exactly(self, expression: sp.Expr) -> fmpq:
        """The rational value of an expression."""
        return _exactly(expression, self.values)

    def _near(self, expression: sp.Expr, towards: int) -> fmpq:
        """The value of an expression; an irrational one is rounded down (-1) or up (1)."""
        try:
            return self.exactly(expression)
        except IrrationalError:
            pass
        found = arb(evaluate(expression, in_balls(_rationals(self.values))))
        end = float(found.upper() if towards > 0 else found.lower()) * (1 + 1e-14 * towards)
        return rational(rounded(end, max(self.bits, 3), towards))

    def _largest(self, name: str, condition: Condition) -> fmpq | None:
        """The largest x of ``c x^p <= right``, rounded down; None if c = 0."""

        def left(x: int) -> fmpq:
            values = self.values | {name: fmpq(x)}
            for other, follows in self.steps.derived.items():
                values[other] = _exactly(follows, values)
            return _exactly(condition.left, values)

        one, two = left(1), left(2)
        if one == 0:
            return None
        right = self._near(condition.right, -1)
        power = round(log2(float(two / one)))
        if power == 1:
            return right / one
        root = float(right / one) ** (1 / power) * (1 - 1e-14)
        return rational(rounded(root, max(self.bits, 3), -1))


def _exactly(expression: sp.Expr, values: Known) -> fmpq:
    found = evaluate(expression, _rationals(values))
    if isinstance(found, arb):
        raise IrrationalError(f"{expression} is known to within a ball alone")
    return rational(found)


def _rationals(values: Known) -> Numbers:
    return Numbers(values, {}, lambda p, q: fmpq(p, q))


def names_in(condition: Condition) -> set[str]:
    """Names of the symbols of both sides."""
    return _names(condition.left) | _names(condition.right)


def _names(side: Any) -> set[str]:
    return {str(symbol.name) for symbol in sp.sympify(side, strict=True).free_symbols}
