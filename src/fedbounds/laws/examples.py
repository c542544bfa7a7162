"""The inputs on which laws are tried: few, fixed, small, and the simplest first.

The first input that breaks a law becomes its counterexample, so single ones among zeros come
before arrays of quarters. Everything is float64, or `fractions.Fraction` in object arrays.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import Any

import numpy as np

from fedbounds.errors import require

from .base import Law, LawBroken

Array = Any
Participants = tuple[int, ...]
Gradient = Callable[[int, Array], Array]

MOST_SETS = 10_000
_RICH = 3  # arrays of quarters after those with a single one
_SHAPE = Law("shapes", "results and points have the shapes of what was put in")


def numbers(integers: Any, denominator: int, *, exact: bool) -> Array:
    """``integers / denominator`` as floats, or as fractions in an object array."""
    whole = np.asarray(integers)
    if not exact:
        return whole / float(denominator)
    out = np.empty(whole.shape, dtype=object)
    out.reshape(-1)[:] = [Fraction(int(x), denominator) for x in whole.flat]
    return out


def number(numerator: int, denominator: int, *, exact: bool) -> Any:
    """A float or a fraction."""
    return Fraction(numerator, denominator) if exact else numerator / denominator


def arrays(shape: tuple[int, ...], *, exact: bool) -> Iterator[Array]:
    """A one among zeros at each place of the first column, then arrays of quarters."""
    for place in np.ndindex(shape[:-1]):
        single = np.zeros(shape, dtype=int)
        single[(*place, 0)] = 1
        yield numbers(single, 1, exact=exact)
    rng = np.random.default_rng(0)
    for _ in range(_RICH):
        yield numbers(rng.integers(-12, 13, shape), 4, exact=exact)


def check_counts(n: int, m: int, dimension: int) -> None:
    """Raise unless 1 <= m <= n, d >= 1, and the sets can be listed."""
    require(n >= 1, "clients n", n, "at least 1")
    require(1 <= m <= n, "participants m", m, f"between 1 and n = {n}")
    require(dimension >= 1, "dimension", dimension, "at least 1")
    require(comb(n, m) <= MOST_SETS, "number of sets", comb(n, m), f"at most {MOST_SETS}")


def sets_of(n: int, m: int) -> list[Participants]:
    """All sets of m out of n clients, as increasing tuples."""
    return list(combinations(range(n), m))


def shaped(result: Any, like: Array, where: Mapping[str, object]) -> Array:
    """The result as an array; a broken law if its shape is not that of ``like``."""
    found, expected = np.asarray(result), np.shape(like)
    if found.shape != expected:
        seen = f"the result has shape {found.shape}, expected {expected}"
        raise LawBroken(_SHAPE, found.shape, expected, where, seen)
    return found


@dataclass(frozen=True, eq=False)
class Quadratics:
    """Clients f_i(y) = y' H_i y / 2 + c_i' y, with ``hessians`` (n, d, d) and ``slopes`` (n, d)."""

    hessians: Array
    slopes: Array

    def gradient(self, client: int, y: Array) -> Array:
        """H_i y + c_i; a broken law where y has another shape than (d,)."""
        expected = self.slopes[0].shape
        if np.shape(y) != expected:
            given = np.shape(y)
            seen = f"gradient({client}, y) was asked with y of shape {given}, not {expected}"
            raise LawBroken(_SHAPE, given, expected, {"client": client}, seen)
        return self.hessians[client] @ y + self.slopes[client]

    def mean_gradient(self, y: Array) -> Array:
        """Gradient of the average objective."""
        n = len(self.slopes)
        return sum(self.gradient(i, y) for i in range(n)) / n

    def shown(self) -> dict[str, object]:
        """The problem by name, for a counterexample."""
        return {"hessians": self.hessians, "slopes": self.slopes}


def quadratics(n: int, dimension: int, *, shared_hessian: bool, exact: bool) -> Quadratics:
    """Strongly convex clients with whole numbers: tridiagonal Hessians and slopes 1, -2, 3, ..."""
    base = 2 * np.eye(dimension, dtype=int)
    base += np.eye(dimension, k=1, dtype=int) + np.eye(dimension, k=-1, dtype=int)
    growth = [0 if shared_hessian else i for i in range(n)]
    hessians = np.stack([base + i * np.eye(dimension, dtype=int) for i in growth])
    sizes = np.arange(1, n * dimension + 1).reshape(n, dimension)
    slopes = np.where(sizes % 2 == 1, sizes, -sizes)
    return Quadratics(numbers(hessians, 1, exact=exact), numbers(slopes, 1, exact=exact))


def minimiser(clients: Quadratics) -> Array:
    """Where the mean gradient is zero, by elimination; exact for fractions."""
    matrix, right = clients.hessians.mean(axis=0), -clients.slopes.mean(axis=0)
    rows = np.concatenate([matrix, right[:, None]], axis=1)
    size = len(right)
    for pivot in range(size):  # positive definite: no pivot is zero
        rows[pivot] = rows[pivot] / rows[pivot, pivot]
        for other in range(size):
            if other != pivot:
                rows[other] = rows[other] - rows[other, pivot] * rows[pivot]
    return rows[:, -1]
