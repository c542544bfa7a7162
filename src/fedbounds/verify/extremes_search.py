"""Counted search for the point of the box where a part's two sides are closest, in float64."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any

import numpy as np
import sympy as sp

from fedbounds.theory.claims import Claim, Part
from fedbounds.theory.symbols import quantities_in
from fedbounds.vocabulary import Quantity

from .conditions import refusal
from .decide import MARGIN, margin_of, rounds_of
from .evaluate import Numbers, evaluate, rounding, scale, terms
from .extremes_space import (
    DIMENSION,
    ETA_U,
    ETA_V,
    GAMMA,
    NOISE_U,
    NOISE_V,
    Shape,
    active,
    corners_first,
    in_floats,
    instance_at,
    shapes,
)
from .instance import Instance
from .measurement import measure
from .start import idle

Array = Any
EQUAL = 1e-7  # relative gaps this small are equality
_SPREAD = 0.4  # share of the budget for one point in each of many shapes
_DRAWS = 20  # of a neighbouring shape
_CLEAR = 1e4  # a gap is looked at where the sides are this many times their rounding
_FLOOR = 1e-12  # of the largest sides so far: smaller ones carry their rounding


@dataclass(frozen=True, eq=False)
class Seen:
    """An evaluated point of a shape's box, and the relative gap of every part there."""

    shape: Shape
    point: Array
    gaps: dict[str, float]


@dataclass(frozen=True)
class Closest:
    """Where a part's sides are closest: (right - left) / sum of the sizes of all terms."""

    gap: float
    left: float
    right: float
    at: int | None


def explore(claim: Claim, parts: list[Part], rng: np.random.Generator, budget: int) -> list[Seen]:
    """Every evaluated point: one in each of many shapes, then steps from the tightest ones."""
    named: frozenset[str] = frozenset().union(*(part.named for part in parts))
    every = shapes(claim, parts[0], named)
    if not every:
        return []
    spread = max(1, int(_SPREAD * budget))
    order = list(corners_first(every, rng))
    seen: list[Seen] = []
    while len(seen) < spread or (len(seen) < budget and not any(s.gaps for s in seen)):
        seen.append(_evaluated(parts, order[len(seen) % len(order)], _random_point(rng)))
    for part, start, steps in _starts(parts, seen, budget - len(seen)):
        seen.extend(_climb(part, parts, start, every, rng, steps))
    return seen


def _starts(parts: list[Part], seen: list[Seen], budget: int) -> Iterator[tuple[Part, Seen, int]]:
    """For every part its tightest point, and its tightest one short of equality."""
    chosen: list[tuple[Part, Seen]] = []
    for part in parts:
        own = sorted((s for s in seen if part.name in s.gaps), key=lambda s: s.gaps[part.name])
        short = [s for s in own if s.gaps[part.name] > EQUAL]
        chosen.extend((part, s) for s in dict.fromkeys((*own[:1], *short[:1])))
    for part, start in chosen:
        yield part, start, budget // len(chosen)


def _random_point(rng: np.random.Generator) -> Array:
    """Uniform, with every third coordinate at an edge; step sizes mostly at theirs."""
    point = rng.uniform(size=DIMENSION)
    at_edge = rng.uniform(size=DIMENSION) < 1 / 3
    point[at_edge] = rng.integers(0, 2, int(at_edge.sum()))
    if rng.uniform() < 2 / 3:
        point[[GAMMA, ETA_U, ETA_V]] = 0.0
    if rng.uniform() < 1 / 3:
        point[[NOISE_U, NOISE_V]] = 0.0
    return point


def _climb(
    part: Part,
    parts: list[Part],
    start: Seen,
    every: list[Shape],
    rng: np.random.Generator,
    steps: int,
) -> Iterator[Seen]:
    """Steps in one or two coordinates, or to a neighbouring shape; kept when not worse."""
    now, width = start, 0.5
    for _ in range(steps):
        shape, point = now.shape, now.point.copy()
        if rng.uniform() < 1 / 3:
            shape = _neighbour(shape, every, rng)
        else:
            coordinates = rng.choice(active(shape), size=int(rng.integers(1, 3)), replace=False)
            moved = point[coordinates] + width * rng.standard_normal(len(coordinates))
            point[coordinates] = np.clip(moved, 0.0, 1.0)
        tried = _evaluated(parts, shape, point)
        yield tried
        better = tried.gaps.get(part.name, np.inf) <= now.gaps[part.name]
        now = tried if better else now
        width = min(1.0, 1.5 * width) if better else max(0.02, 0.85 * width)


def _neighbour(shape: Shape, every: list[Shape], rng: np.random.Generator) -> Shape:
    """An admitted shape that differs in one field; the same one if none is met soon."""
    names = [field.name for field in fields(shape)]
    for _ in range(_DRAWS):
        other = every[int(rng.integers(len(every)))]
        name = names[int(rng.integers(len(names)))]
        found = replace(shape, **{name: getattr(other, name)})
        if found != shape and found in every:
            return found
    return shape


def _evaluated(parts: list[Part], shape: Shape, point: Array) -> Seen:
    instance = instance_at(parts[0], shape, point)
    return Seen(shape, point, {} if instance is None else gaps(parts, in_floats(instance)))


def gaps(parts: Sequence[Part], instance: Instance) -> dict[str, float]:
    """The smallest relative gap of every part that applies, in float64."""
    names: frozenset[str] = frozenset().union(*(part.named for part in parts))
    measured = measure(instance, names)
    found = {}
    for part in parts:
        if measured.diverged_at is None and refusal(part, instance, measured.numbers) is None:
            nearest = closest(part, measured.numbers)
            if nearest is not None:
                found[part.name] = nearest.gap
    return found


def closest(part: Part, numbers: Numbers) -> Closest | None:
    """Over the cases whose sides stand clear of rounding; None if there is none.

    Where the objective stands on both sides, its decrease counts as one term.
    """
    rounds = rounds_of(part, numbers)
    values = [np.atleast_1d(evaluate(term, numbers, rounds)) for term in _terms(part)]
    values = list(np.broadcast_arrays(*values))
    gap, size = np.sum(values, axis=0), np.sum(np.abs(values), axis=0)
    sizes = np.broadcast_to(scale(numbers, rounds, part.left, part.right), size.shape)
    own = np.broadcast_to(rounding(numbers, rounds, part.left, part.right), size.shape)
    margin = margin_of(numbers) if numbers.errors else MARGIN
    clear = size > _CLEAR * (margin * sizes + own)
    clear &= sizes > _FLOOR * np.maximum.accumulate(sizes, axis=-1)
    clear &= ~idle(part, rounds, np.abs(gap) <= EQUAL * size)
    if not clear.any():
        return None
    ratios = np.where(clear, gap / np.where(clear, size, 1.0), np.inf)
    worst = int(np.argmin(ratios))
    column = int(np.unravel_index(worst, ratios.shape)[-1])
    sides = (
        np.broadcast_to(evaluate(s, numbers, rounds), size.shape) for s in (part.left, part.right)
    )
    left, right = (float(side.flat[worst]) for side in sides)
    return Closest(
        float(ratios.flat[worst]), left, right, None if rounds is None else rounds[column]
    )


@cache
def _terms(part: Part) -> tuple[sp.Expr, ...]:
    """The summands of right - left, those of the objective together."""
    signed = [*terms(part.right), *(-term for term in terms(part.left))]
    values = [term for term in signed if Quantity.GAP.value in quantities_in(term)]
    others = [term for term in signed if term not in values]
    return (*others, sp.Add(*values)) if values else tuple(others)


def as_floats(numbers: Numbers) -> Numbers:
    """Exact numbers, each rounded to nearest."""
    return Numbers(
        constants={name: float(value) for name, value in numbers.constants.items()},
        series={name: values.astype(np.float64) for name, values in numbers.series.items()},
    )
