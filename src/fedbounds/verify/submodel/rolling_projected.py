"""Limits of rolling masks with projection onto a box, without noise, where they can be certified.

Two ways. The states that a start leads to are finitely many, and one order takes them all to the
same state. Or every order leaves a face of the box invariant: coordinates that are pushed against
their bound stay there, the others move as if they were free.
"""

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.errors import FedboundsError
from fedbounds.problems.linear import solve

from .rolling_limits import Affine, joined, stationary

Array = Any
State = tuple[fmpq, ...]
_MOST_STATES = 24


@dataclass(frozen=True, eq=False)
class Bounds:
    """A box, in the coordinates of the maps."""

    lower: Array
    upper: Array

    def project(self, x: Array) -> Array:
        """The nearest point of the box."""
        return np.where(x < self.lower, self.lower, np.where(x > self.upper, self.upper, x))


def projected_limit(orders: list[list[Affine]], box: Bounds, best: Array, start: Array) -> fmpq:
    """lim E ||x - best||^2 at starts of epochs, in a uniform one of these orders each time.

    Parameters
    ----------
    orders : lists of maps, each followed by a projection
        An epoch that is projected once is a list of one map.

    Raises
    ------
    FedboundsError
        If neither way certifies a limit.
    """
    found = _finite_limit(orders, box, best, start)
    if found is None:
        found = _face_limit(orders, box, best, start)
    if found is None:
        raise FedboundsError("no certificate of a limit; expected few states or a face that stays")
    return found


def run(order: list[Affine], box: Bounds, x: Array) -> Array:
    """The end of an epoch."""
    for each in order:
        x = box.project(each.matrix @ x + each.shift)
    return x


def _finite_limit(
    orders: list[list[Affine]], box: Bounds, best: Array, start: Array
) -> fmpq | None:
    """From the stationary law of a finite chain, if one order takes all its states to one."""
    reached = _closure(orders, box, start)
    if reached is None:
        return None
    states = list(reached)
    ends = [{reached[x][o] for x in states} for o in range(len(orders))]
    common = [next(iter(end)) for end in ends if len(end) == 1]
    if not common:
        return None
    # only what a common end leads to comes back for ever
    again = _closure(orders, box, np.array(common[0], dtype=object))
    assert again is not None
    recurrent = list(again)
    size = len(recurrent)
    flow = np.full((size, size), fmpq(0), dtype=object)
    for column, x in enumerate(recurrent):
        for end in again[x]:
            flow[recurrent.index(end), column] += fmpq(1, len(orders))
    left = flow - np.array([[fmpq(int(a == b)) for a in range(size)] for b in range(size)])
    left[0] = fmpq(1)  # one equation is the sum of the others; the law adds up to 1
    right = np.array([[fmpq(int(row == 0))] for row in range(size)], dtype=object)
    law = solve(left, right)
    assert law is not None
    apart = np.array(recurrent, dtype=object) - best
    found: fmpq = (law[:, 0] * (apart * apart).sum(axis=1)).sum()
    return found


def _closure(
    orders: list[list[Affine]], box: Bounds, start: Array
) -> dict[State, list[State]] | None:
    """All states that a start leads to and where each order takes them; None if too many."""
    found: dict[State, list[State]] = {}
    waiting = [tuple(start)]
    while waiting:
        x = waiting.pop()
        if x in found:
            continue
        if len(found) == _MOST_STATES:
            return None
        found[x] = [tuple(run(order, box, np.array(x, dtype=object))) for order in orders]
        waiting += found[x]
    return found


def _face_limit(orders: list[list[Affine]], box: Bounds, best: Array, start: Array) -> fmpq | None:
    """From the free coordinates on a face that has the start and that no map leaves."""
    d = len(best)
    for sides in product((0, -1, 1), repeat=d):
        held = np.flatnonzero(sides)
        free = np.flatnonzero(np.array(sides) == 0)
        at = np.where(np.array(sides) < 0, box.lower, box.upper)
        inside = bool((box.project(start) == start).all() and (start[held] == at[held]).all())
        if len(free) == 0 or not inside or not _stays(orders, box, sides):
            continue
        chance = fmpq(1, len(orders))
        maps = [
            joined([_restricted(each, free, held, at) for each in order], chance)
            for order in orders
        ]
        try:
            found = stationary(maps)
        except FedboundsError:
            continue
        apart = (at - best)[held]
        return found.distance(best[free]) + (apart @ apart if len(held) else fmpq(0))
    return None


def _stays(orders: list[list[Affine]], box: Bounds, sides: tuple[int, ...]) -> bool:
    """Whether every map takes every vertex of a face beyond its sides and inside the others."""
    ends = [
        (low,) if side < 0 else (high,) if side > 0 else (low, high)
        for side, low, high in zip(sides, box.lower, box.upper, strict=True)
    ]
    corners = [np.array(corner, dtype=object) for corner in product(*ends)]
    return all(
        _leads(each.matrix @ corner + each.shift, box, sides)
        for order in orders
        for each in order
        for corner in corners
    )


def _leads(x: Array, box: Bounds, sides: tuple[int, ...]) -> bool:
    return all(
        a <= low if side < 0 else a >= high if side > 0 else low <= a <= high
        for a, side, low, high in zip(x, sides, box.lower, box.upper, strict=True)
    )


def _restricted(each: Affine, free: Array, held: Array, at: Array) -> Affine:
    """The map of the free coordinates, the others held where they are."""
    pulled = each.matrix[np.ix_(free, held)] @ at[held] if len(held) else fmpq(0)
    cut = np.ix_(free, free)
    return Affine(each.matrix[cut], each.shift[free] + pulled, each.noise[cut], each.chance)
