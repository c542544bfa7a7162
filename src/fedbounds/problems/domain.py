"""Closed convex sets that iterates are projected onto, W of the sub-model paper.

``None`` stands for the whole space wherever a domain is asked for.
"""

from dataclasses import dataclass
from math import isqrt
from typing import Any

import array_api_compat
import numpy as np
from flint import fmpq

from fedbounds.errors import FedboundsError, require, require_finite

from .linear import is_exact, numbers_like, rational

Array = Any
_FINE = 2**64  # certified square roots are within 1 / _FINE


@dataclass(frozen=True)
class Box:
    """{w : lower <= w <= upper}, coordinate by coordinate.

    Attributes
    ----------
    lower, upper : number, or d numbers given as any sequence or array
        Finite; a single number bounds every coordinate.
    """

    lower: Any
    upper: Any

    def __post_init__(self) -> None:
        for name in ("lower", "upper"):
            object.__setattr__(self, name, _bounds(name, getattr(self, name)))
        lengths = {len(bound) for bound in (self.lower, self.upper) if isinstance(bound, tuple)}
        require(len(lengths) <= 1, "lengths of lower and upper bound", lengths, "equal")
        for i, (low, high) in enumerate(self.bounds(max(lengths, default=1))):
            require(
                low <= high, f"lower bound of coordinate {i}", low, f"at most the upper, {high}"
            )

    def bounds(self, dimension: int | None = None) -> list[tuple[fmpq, fmpq]]:
        """Exact lower and upper bounds of d coordinates; d may be left out where a tuple tells."""
        sides = (self.lower, self.upper)
        lengths = [len(side) for side in sides if isinstance(side, tuple)]
        given = lengths[0] if dimension is None and lengths else dimension
        if given is None:
            raise FedboundsError(
                f"dimension of {self} is None; expected d, as its bounds are numbers"
            )
        require(all(n == given for n in lengths), "dimension of the box", lengths, f"{given}")
        full = (side if isinstance(side, tuple) else (side,) * given for side in sides)
        return [(rational(low), rational(high)) for low, high in zip(*full, strict=True)]


@dataclass(frozen=True)
class Ball:
    """{w : ||w|| <= radius}."""

    radius: Any

    def __post_init__(self) -> None:
        require_finite("radius of the ball", self.radius, positive=True)


Domain = Box | Ball | None


def _bounds(name: str, given: Any) -> Any:
    """A number, or a tuple of numbers; finite."""
    listed = np.asarray(given)
    require(listed.ndim <= 1, f"shape of the {name} bound", listed.shape, "() or (d,)")
    numbers = listed.reshape(-1).tolist()
    for number in numbers:
        require(bool(number - number == 0), f"{name} bound", number, "a finite number")
    return tuple(numbers) if listed.ndim else numbers[0]


def project(domain: Domain, w: Array) -> Array:
    """The nearest points of the domain to points ``w`` whose coordinates are on the last axis.

    Raises
    ------
    FedboundsError
        If ``w`` is exact and its projection onto a ball is not rational.
    """
    match domain:
        case None:
            return w
        case Box():
            xp = array_api_compat.array_namespace(w)
            lower, upper = (
                numbers_like(side, w, xp) for side in zip(*domain.bounds(w.shape[-1]), strict=True)
            )
            return xp.where(w < lower, lower, xp.where(w > upper, upper, w))
        case Ball():
            if isinstance(w, np.ndarray) and is_exact(w):
                return _shrunk_exactly(w, rational(domain.radius))
            xp = array_api_compat.array_namespace(w)
            length = xp.sqrt(xp.sum(w * w, axis=-1, keepdims=True))
            radius = float(domain.radius)
            outside = length > radius
            return xp.where(outside, w * (radius / xp.where(outside, length, radius)), w)


def contains(domain: Domain, w: Array) -> bool:
    """Whether every point, coordinates on the last axis, is in the domain; exact, on the host.

    A point with a coordinate that is not finite is in no bounded domain.
    """
    if domain is None:
        return True
    numbers = np.asarray(w.get() if hasattr(w, "get") else w)
    if not is_exact(numbers) and not np.isfinite(numbers).all():
        return False
    rows = [[rational(x) for x in row] for row in numbers.reshape(-1, numbers.shape[-1]).tolist()]
    if isinstance(domain, Ball):
        square = rational(domain.radius) ** 2
        return all(sum((x * x for x in row), fmpq(0)) <= square for row in rows)
    bounds = domain.bounds(numbers.shape[-1])
    return all(low <= x <= high for row in rows for x, (low, high) in zip(row, bounds, strict=True))


def check_inside(domain: Domain, w: Array) -> None:
    """Raise unless a start is in the domain."""
    require(contains(domain, w), "start", w, f"a point of the domain {domain}")


def largest_norm_squared(domain: Box | Ball, dimension: int | None = None) -> fmpq:
    """W^2 = sup ||w||^2 over the domain, exact."""
    if isinstance(domain, Ball):
        return rational(domain.radius) ** 2
    return sum((max(low * low, high * high) for low, high in domain.bounds(dimension)), fmpq(0))


def diameter_squared(domain: Box | Ball, dimension: int | None = None) -> fmpq:
    """D^2 = sup ||w - w'||^2 over the domain, exact."""
    if isinstance(domain, Ball):
        return 4 * rational(domain.radius) ** 2
    return sum(((high - low) ** 2 for low, high in domain.bounds(dimension)), fmpq(0))


def largest_norm(domain: Box | Ball, dimension: int | None = None) -> fmpq:
    """W: exact where rational, else a rational above it by less than 2^-64."""
    return _root_above(largest_norm_squared(domain, dimension))


def diameter(domain: Box | Ball, dimension: int | None = None) -> fmpq:
    """D: exact where rational, else a rational above it by less than 2^-64."""
    return _root_above(diameter_squared(domain, dimension))


def _exact_root(square: fmpq) -> fmpq | None:
    """The square root of a rational, None where it is not rational."""
    top, bottom = isqrt(int(square.p)), isqrt(int(square.q))
    root = fmpq(top, bottom)
    return root if root * root == square else None


def _root_above(square: fmpq) -> fmpq:
    exact = _exact_root(square)
    if exact is not None:
        return exact
    return fmpq(isqrt(int(square.p) * _FINE**2 // int(square.q)) + 1, _FINE)


def _shrunk_exactly(w: Array, radius: fmpq) -> Array:
    found = w.copy().reshape(-1, w.shape[-1])
    for row in found:
        square = sum((x * x for x in row), fmpq(0))
        if square > radius**2:
            length = _exact_root(square)
            if length is None:
                raise FedboundsError(
                    f"projection onto a ball of a point of squared norm {square} is not rational; "
                    "take a box, or floats"
                )
            row[:] = row * (radius / length)
    return found.reshape(w.shape)
