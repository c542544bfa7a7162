"""Step sizes at the edge of claims' own conditions, where a claim is most exposed, in rationals."""

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import product
from math import ceil, floor
from typing import Any

import sympy as sp
from flint import fmpq

from fedbounds.theory.language.claims import Claim, Condition, read
from fedbounds.theory.language.registry import encoded_claims
from fedbounds.theory.language.setups import Number, Objective, numbers

from ..decide.conditions import holds
from ..measure import objectives
from ..measure.evaluate import Numbers, evaluate
from ..measure.objectives import exact, exact_array

Completed = Callable[[Mapping[str, Any]], Mapping[str, Any]]
_NEAR = Fraction(1, 10**6)  # relative: how far inside the conditions numbers may be


def edges(
    theory: str,
    algorithm: str,
    objective: Objective,
    start: Any,
    counts: Mapping[str, int],
    completed: Completed,
) -> Iterator[tuple[str, dict[str, Number]]]:
    """Those of every claim about an algorithm that a problem can meet, once each.

    Parameters
    ----------
    counts : mapping from name to number
        Such as how many clients take part.
    completed : function
        All parameters, of those that a schedule says.
    """
    found = objectives.objective(objective)
    known = objectives.values(found, exact_array(start)) | {x: fmpq(y) for x, y in counts.items()}
    floats = {name: float(value) for name, value in known.items()}
    seen: set[tuple[tuple[str, Number], ...]] = set()
    admitting = _Admitting()
    for claim in encoded_claims(theory):
        for number, schedule in enumerate(claim.schedules if algorithm in claim.algorithms else ()):
            steps = _inside(claim, schedule, known, floats, completed, admitting)
            if steps is not None and (key := tuple(steps.items())) not in seen:
                seen.add(key)
                yield claim.id.partition("/")[2] + (f".{number + 1}" if number else ""), steps


class _Admitting:
    """Readings and parts of a claim whose conditions hold: for m = n alone, say.

    Claims share schedules and conditions: each condition is looked at once at the same numbers.
    """

    def __init__(self) -> None:
        self._known: dict[Any, dict[Condition, bool]] = {}

    def __call__(self, claim: Claim, values: Mapping[str, Any]) -> frozenset[tuple[str, str]]:
        """With numbers of parameters and constants."""
        known = self._known.setdefault(tuple(sorted(values.items())), {})
        exact_ones = any(isinstance(x, fmpq) for x in values.values())
        numbers = (
            Numbers(values, {}, lambda p, q: fmpq(p, q)) if exact_ones else Numbers(values, {})
        )

        def admits(condition: Condition) -> bool:
            if condition not in known:
                known[condition] = holds(condition, numbers)
            return known[condition]

        return frozenset(
            (reading.name, part.name)
            for reading in claim.readings
            for part in read(claim, reading)
            if part.conditions and all(map(admits, part.conditions))
        )


def _inside(
    claim: Claim,
    schedule: Mapping[str, sp.Expr],
    known: Mapping[str, Any],
    floats: Mapping[str, float],
    completed: Completed,
    admitting: _Admitting,
) -> dict[str, Number] | None:
    """A schedule's numbers, rounded such that conditions hold; None if they cannot."""
    needed = {symbol.name for side in schedule.values() for symbol in side.free_symbols}
    if not needed <= floats.keys():
        return None
    value = {x: float(evaluate(side, Numbers(floats, {}))) for x, side in schedule.items()}
    positive = all(x > 0 for x in value.values())
    wanted = admitting(claim, {**floats, **completed(value)}) if positive else frozenset()
    if not wanted:
        return None
    every = [
        dict(zip(value, own, strict=True)) for own in product(*(_near(x) for x in value.values()))
    ]
    for own in every:
        rationals = {x: exact(y) for x, y in own.items()}
        if wanted <= admitting(claim, {**known, **completed(rationals)}):
            return own
    # conditions that no rational number meets, such as prescribed steps: in floats they hold to
    # rounding
    return {x: numbers(Fraction(y)) for x, y in value.items()}


def _near(value: float) -> list[Number]:
    """The nearest small fraction, if it is that number; else numbers below and above it."""
    simple = Fraction(value).limit_denominator(10_000)
    if abs(float(simple) - value) <= 2.0**-50 * abs(value):
        return [numbers(simple)]
    real = Fraction(value)
    return [
        numbers(simplest(real * (1 - _NEAR), real)),
        numbers(simplest(real, real * (1 + _NEAR))),
    ]


def simplest(low: Fraction, high: Fraction) -> Fraction:
    """The fraction of least denominator between two positive ones, by continued fractions."""
    whole = ceil(low)
    if whole <= high:
        return Fraction(whole)
    base = floor(low)
    return base + 1 / simplest(1 / (high - base), 1 / (low - base))
