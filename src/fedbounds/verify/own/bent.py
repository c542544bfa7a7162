"""Smooth functions that are no quadratics, with exact runs: their gradients are affine in pieces.

Huber's function is the worst convex one of many theorems; its cousin bends down between two of its
pieces.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.facts import Constant, Fact

from .families import Pair, exact_entries
from .objective import objective

Array = Any
_HALF = fmpq(1, 2)
SMOOTH = (  # what smooth functions without a domain say
    Fact.SMOOTH, Fact.NOISE, Fact.DISSIMILARITY, Fact.BOUNDED_BELOW, Fact.UNCONSTRAINED,
    Fact.UNBIASED, Fact.BOUNDED_VARIANCE, Fact.INDEPENDENT,
)  # fmt: skip
_SCALES = (fmpq(1, 100), fmpq(1), fmpq(100))
_STARTS = (7, 3, 5)  # 2 T + 1, where T steps of 1/L on Huber's function gain least


def bent() -> tuple[Pair, ...]:
    """Huber functions of one and of two clients, and non-convex ones; L from 1/100 to 100."""
    return tuple(_every())


def _every() -> Iterator[Pair]:
    convex = (*SMOOTH, Fact.CONVEX)
    for scale, start in zip(_SCALES, _STARTS, strict=True):
        yield _pair(_huber, [[scale]], [[0]], [start], convex)
    yield _pair(_huber, [[fmpq(1), fmpq(1, 100)]], [[0, 0]], [5, 40], convex)
    for noise in (fmpq(0), _HALF):
        yield _pair(_huber, [[fmpq(1)]] * 2, [[_HALF], [-_HALF]], [6], convex, noise)
    for scale, at, size in ((fmpq(1), fmpq(7, 4), 0), (fmpq(100), fmpq(5, 4), 1)):
        yield _pair(_wavy, [[scale]], [[0]], [at], SMOOTH, size)


def _pair(
    shape: Callable[[Array], tuple[Array, Array]],
    scales: Sequence[Sequence[fmpq]],
    centres: Sequence[Sequence[Any]],
    start: Sequence[Any],
    facts: Sequence[Fact],
    noise: Any = 0,
) -> Pair:
    """f_i(x) = sum over coordinates of s_ij h(x_j - c_ij), whose clients' minima mirror each other.

    At 0, where the mean has its minimum, |c| <= 1/2 is in the middle piece.
    """
    size, middle = exact_entries(scales)[None], exact_entries(centres)[None]
    least = (size * middle**2).sum() / (2 * len(scales))
    apart = ((size * middle) ** 2).sum() / len(scales)
    given = objective(
        clients=len(scales),
        dimension=len(start),
        gradient=partial(_gradient, shape, size, middle),
        value=partial(_value, shape, size, middle),
        constants={
            Constant.SMOOTHNESS: (max(size.reshape(-1)), "exact"),
            Constant.DISSIMILARITY: (apart, "exact"),
        },
        assumptions=[*facts, *([] if noise else [Fact.NOISELESS])],
        infimum=(least, "exact"),
        minimiser=([0] * len(start), "exact"),
        noise=noise,
    )
    return replace(given, told="functions in pieces"), exact_entries(start)


def _gradient(shape: Any, size: Array, middle: Array, models: Array) -> Array:
    slope, _ = shape(models - _like(middle, models))
    return _like(size, models) * slope


def _value(shape: Any, size: Array, middle: Array, models: Array) -> Array:
    _, height = shape(models - _like(middle, models))
    return (_like(size, models) * height).sum(axis=2)


def _like(numbers: Array, models: Array) -> Array:
    """In floats, where models are."""
    return numbers if models.dtype == object else numbers.astype(np.float64)


def _huber(y: Array) -> tuple[Array, Array]:
    """Slope and height of y^2/2 up to 1, of |y| - 1/2 from there on."""
    slope = (abs(y + 1) - abs(y - 1)) / 2
    return slope, slope * (y - slope / 2)


def _wavy(y: Array) -> tuple[Array, Array]:
    """Slopes rise up to 1, fall up to 3/2, and rise again from 2 on; the same on both sides."""
    found = [_half_of_wavy(y), _half_of_wavy(-y)]
    return found[0][0] - found[1][0], found[0][1] + found[1][1]


def _half_of_wavy(y: Array) -> tuple[Array, Array]:
    rises, falls = _ramp(y, 0, 1), _ramp(y, 1, fmpq(3, 2))
    last = (y - 2 + abs(y - 2)) / 2
    return rises[0] - falls[0] + last, rises[1] - falls[1] + last**2 / 2


def _ramp(y: Array, first: Any, last: Any) -> tuple[Array, Array]:
    """0 up to the first, then y less that, constant from the last one on; and its integral."""
    if y.dtype != object:
        first, last = float(first), float(last)
    slope = (abs(y - first) - abs(y - last) + (last - first)) / 2
    beyond = (y - last + abs(y - last)) / 2
    return slope, slope**2 / 2 + (last - first) * beyond
