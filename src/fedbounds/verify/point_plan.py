"""Choices of parameters that judge claims about a bound or a sum, in exact rationals."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from flint import fmpq

from .instance import Point

_LARGEST_SUM = 24  # local steps K of the geometric sums
_CLIENTS = ((1, 1), (2, 1), (2, 2), (3, 1), (3, 2), (3, 3), (10, 1), (10, 5), (10, 9), (100, 1))


def point_instances(seed: int, count: int, largest_sum: int = _LARGEST_SUM) -> Iterator[Point]:
    """Every (K, j) with j <= K up to a size, and corners and random choices of all constants."""
    for steps in range(1, largest_sum + 1):
        for done in range(1, steps + 1):
            yield _named({"K": steps, "j": done})
    for n, m in _CLIENTS:
        for draw in range(count):
            yield _random(seed + draw, n, m)


def _random(seed: int, n: int, m: int) -> Point:
    rng = np.random.default_rng([seed, n, m])
    values: dict[str, Any] = {
        "n": n,
        "m": m,
        "K": int(rng.integers(1, 20)),
        "T": int(10 ** rng.uniform(0, 5)),
        "L": _fraction(rng),
        "F_0": _fraction(rng),
    }
    # each variance and b^2 is zero now and then: the corners of a bound
    for name in ("b^2", "sigma_u^2", "sigma_v^2"):
        values[name] = _fraction(rng) * int(rng.integers(0, 2))
    return _named(values)


def _named(values: dict[str, Any]) -> Point:
    found = {name: fmpq(value) for name, value in values.items()}
    label = ", ".join(f"{name}={value}" for name, value in found.items())
    return Point(f"parameters {label}", tuple(found.items()))


def _fraction(rng: np.random.Generator) -> fmpq:
    """A positive rational between 1/1000 and 1000."""
    size = rng.uniform(-3, 3)
    return fmpq(max(1, round(8 * 10 ** max(size, 0))), max(1, round(8 * 10 ** max(-size, 0))))
