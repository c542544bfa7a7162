"""Rational numbers that satisfy linear inequalities and break another."""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

CONSTANT = ""
Line = Mapping[str, Any]  # name to coefficient, Fraction or float; "" to the constant
LARGEST = 100  # of a number that is looked for
_ROUNDINGS = (1, 12, 1000, 10**6)  # largest denominators, in the order in which they are tried
_GAP = 1e-6


@dataclass(frozen=True)
class Premise:
    """A line that is not negative, or zero."""

    line: Line
    equality: bool


@dataclass(frozen=True)
class Solved:
    """A solution of a linear programme in floats, with the marginal cost of every premise."""

    least: float
    values: dict[str, float]
    prices: list[float]
    cap: float


def value(line: Line, values: Mapping[str, Fraction]) -> Fraction:
    """The value of a line."""
    total = Fraction(line.get(CONSTANT, 0))
    for name, coefficient in line.items():
        if name != CONSTANT:
            total += coefficient * values[name]
    return total


def scale(line: Line) -> Fraction:
    """The largest coefficient."""
    return max((abs(c) for c in line.values()), default=Fraction(0)) or Fraction(1)


def least(
    gap: Line, premises: Sequence[Premise], signed: Set[str], bounded: Mapping[str, float]
) -> Solved | None:
    """The least gap within the bounds; ``bounded`` names weigh in a common bound."""
    names = sorted({n for line in (gap, *(p.line for p in premises)) for n in line} - {CONSTANT})
    return _programme(gap, premises, names, signed, bounded, [])


def interior(
    gap: Line,
    premises: Sequence[Premise],
    signed: Set[str],
    bounded: Mapping[str, float],
    most: float,
) -> Solved | None:
    """Values with a gap of at most ``most``, far from equality in the premises."""
    names = sorted({n for line in (gap, *(p.line for p in premises)) for n in line} - {CONSTANT})
    loose, slacks = list[Premise](), []
    for number, premise in enumerate(premises):
        if premise.equality:
            loose.append(premise)
            continue
        slack = f"slack {number}"
        slacks.append(slack)
        loose.append(Premise({**premise.line, slack: -scale(premise.line)}, False))
    limit = {**{n: -c for n, c in gap.items()}}
    limit[CONSTANT] = limit.get(CONSTANT, Fraction(0)) + Fraction(most)
    loose.append(Premise(limit, False))
    target = {slack: Fraction(-1) for slack in slacks}
    return _programme(target, loose, [*names, *slacks], signed, bounded, slacks)


def _programme(
    target: Line,
    premises: Sequence[Premise],
    names: Sequence[str],
    signed: Set[str],
    bounded: Mapping[str, float],
    slacks: Sequence[str],
) -> Solved | None:
    from scipy.optimize import linprog  # slow to import: a quarter of what starting takes

    if not names:
        return None
    position = {name: j for j, name in enumerate(names)}

    def row(line: Line, size: Fraction) -> Any:
        found = np.zeros(len(names))
        for name, coefficient in line.items():
            if name != CONSTANT:
                found[position[name]] = coefficient / size
        return found

    sizes = [scale(p.line) for p in premises]
    constants = [float(p.line.get(CONSTANT, 0) / s) for p, s in zip(premises, sizes, strict=True)]
    rows = [row(p.line, s) for p, s in zip(premises, sizes, strict=True)]
    equal = [j for j, p in enumerate(premises) if p.equality]
    above = [j for j, p in enumerate(premises) if not p.equality]
    upper = [-rows[j] for j in above]
    cap = [bounded.get(name, 0.0) for name in names]
    size = scale(target)
    found = linprog(
        row(target, size),
        A_ub=np.array([*upper, cap]),
        b_ub=np.array([*(constants[j] for j in above), LARGEST]),
        A_eq=np.array([rows[j] for j in equal]) if equal else None,
        b_eq=np.array([-constants[j] for j in equal]) if equal else None,
        bounds=[
            (0, 1) if name in slacks else (-LARGEST if name in signed else 0, LARGEST)
            for name in names
        ],
        method="highs",
    )
    if not found.success:
        return None
    prices = [0.0] * len(premises)
    for number, j in enumerate(above):
        prices[j] = -found.ineqlin.marginals[number] * float(size / sizes[j])
    for number, j in enumerate(equal):
        prices[j] = found.eqlin.marginals[number] * float(size / sizes[j])
    least_ = found.fun * float(size) + float(target.get(CONSTANT, 0))
    values = dict(zip(names, map(float, found.x), strict=True))
    return Solved(least_, values, prices, found.ineqlin.marginals[len(above)] * float(size))


def breaking(
    gap: Line, premises: Sequence[Premise], signed: Set[str]
) -> dict[str, Fraction] | None:
    """Exact values with a negative gap that satisfy the premises; None if none were found."""
    names = sorted({n for line in (gap, *(p.line for p in premises)) for n in line} - {CONSTANT})
    if not names:
        return {} if _breaks(gap, premises, signed, {}) else None
    found = least(gap, premises, signed, {})
    if found is None or found.least > -_GAP * float(scale(gap)):
        return None
    for solution in _two(found, gap, premises, signed):
        largest = max(1.0, *map(abs, solution.values.values()))
        for denominator, size in product(_ROUNDINGS, (largest, 1.0)):
            near = {name: x / size for name, x in solution.values.items()}
            values = _rounded(premises, near, names, denominator)
            if values is not None and _breaks(gap, premises, signed, values):
                return values
    return None


def _two(
    found: Solved, gap: Line, premises: Sequence[Premise], signed: Set[str]
) -> Iterator[Solved]:
    """A solution, and one that is less extreme."""
    yield found
    inner = interior(gap, premises, signed, {}, found.least / 2)
    if inner is not None:
        yield inner


def _breaks(
    gap: Line, premises: Sequence[Premise], signed: Set[str], values: Mapping[str, Fraction]
) -> bool:
    signs = all(x >= 0 for name, x in values.items() if name not in signed)
    held = all(
        value(p.line, values) == 0 if p.equality else value(p.line, values) >= 0 for p in premises
    )
    return signs and held and value(gap, values) < 0


def _rounded(
    premises: Sequence[Premise],
    values: Mapping[str, float],
    names: Sequence[str],
    denominator: int,
) -> dict[str, Fraction] | None:
    """Rounded values; those that equalities determine follow from the others."""
    pivots: dict[str, dict[str, Fraction]] = {}
    for premise in premises:
        if not premise.equality:
            continue
        line = dict(premise.line)
        for name, own in pivots.items():
            _substitute(line, name, own)
        free = [name for name, c in line.items() if c and name != CONSTANT]
        if not free:
            if line.get(CONSTANT, 0):
                return None
            continue
        # the largest value stands farthest from its bound
        chosen = max(free, key=lambda name: (abs(values[name]), name))
        factor = line.pop(chosen)
        own = {name: -c / factor for name, c in line.items() if c}
        for other in pivots.values():
            _substitute(other, chosen, own)
        pivots[chosen] = own
    found = {
        name: Fraction(values[name]).limit_denominator(denominator)
        for name in names
        if name not in pivots
    }
    return found | {name: value(own, found) for name, own in pivots.items()}


def _substitute(line: dict[str, Fraction], name: str, own: Line) -> None:
    factor = line.pop(name, Fraction(0))
    for other, c in own.items():
        line[other] = line.get(other, Fraction(0)) + factor * c
