"""Smooth functions whose curvature varies, with constants that are known: runs are in balls.

log cosh y has slope tanh y and curvature 1 - tanh^2 y, in (0, 1]; with y^2/8 it is strongly convex.
y^2 + 3 sin^2 y is not convex, has curvature 2 + 6 cos 2y, in [-4, 8], and is PL with 1/32 (Karimi,
Nutini, Schmidt, Linear convergence of gradient and proximal-gradient methods under the
Polyak-Lojasiewicz condition, 2016).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.facts import Constant, Fact

from .bent import SMOOTH
from .families import Pair, exact_entries
from .objective import objective

Array = Any
Shape = Callable[[Array], tuple[Array, Array]]
_QUARTER = fmpq(1, 4)


def curved() -> tuple[Pair, ...]:
    """log cosh of one and of two clients, a strongly convex one, and one that is PL alone."""
    convex = (*SMOOTH, Fact.CONVEX)
    strong = {Constant.STRONG_CONVEXITY: _QUARTER, Constant.PL: _QUARTER}
    return (
        _pair(_soft, (1,), 1, 2, convex),
        _pair(_soft, (1, fmpq(1, 2)), 1, 2, convex, noise=fmpq(1, 2)),
        _pair(_strong, (1,), fmpq(5, 4), 3, (*convex, Fact.STRONGLY_CONVEX, Fact.PL), strong),
        _pair(_rippled, (1,), 8, 2, (*SMOOTH, Fact.PL), {Constant.PL: fmpq(1, 32)}),
    )


def _pair(
    shape: Shape,
    scales: Sequence[Any],
    smoothness: Any,
    start: int,
    facts: Sequence[Fact],
    constants: Mapping[Constant, fmpq] | None = None,
    noise: Any = 0,
) -> Pair:
    """f_i(x) = s_i h(x) in one dimension; all have their least value 0 at 0.

    Of several, the slopes of h are at most 1.
    """
    sizes = exact_entries([[x] for x in scales])[None]
    mean = sizes.sum() / len(scales)
    apart = ((sizes - mean) ** 2).sum() / len(scales)
    given = objective(
        clients=len(scales),
        dimension=1,
        gradient=partial(_gradient, shape, sizes),
        value=partial(_value, shape, sizes),
        constants={
            Constant.SMOOTHNESS: (smoothness * max(sizes.reshape(-1)), "exact"),
            Constant.DISSIMILARITY: (apart, "exact"),
            **{name: (value, "exact") for name, value in (constants or {}).items()},
        },
        assumptions=[*facts, *([] if noise else [Fact.NOISELESS])],
        infimum=(0, "exact"),
        minimiser=([0], "exact"),
        noise=noise,
    )
    return replace(given, told="curved functions"), exact_entries([start])


def _gradient(shape: Shape, sizes: Array, models: Array) -> Array:
    return _like(sizes, models) * shape(models)[0]


def _value(shape: Shape, sizes: Array, models: Array) -> Array:
    return (_like(sizes, models) * shape(models)[1]).sum(axis=2)


def _like(numbers: Array, models: Array) -> Array:
    """In floats, where models are."""
    return numbers if models.dtype == object else numbers.astype(np.float64)


def _soft(y: Array) -> tuple[Array, Array]:
    return np.tanh(y), np.log((np.exp(y) + np.exp(-y)) / 2)


def _strong(y: Array) -> tuple[Array, Array]:
    slope, height = _soft(y)
    return slope + y / 4, height + y**2 / 8


def _rippled(y: Array) -> tuple[Array, Array]:
    return 2 * y + 6 * np.sin(y) * np.cos(y), y**2 + 3 * np.sin(y) ** 2
