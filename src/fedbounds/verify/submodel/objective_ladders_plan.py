"""Which ladders in p judge how masked objectives depend on it."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.problems import FederatedQuadratic
from fedbounds.problems.domain import Box
from fedbounds.problems.masked_laws import Bernoulli

from .objectives_corners import HALF, HIGH, HIGHER, LOW, LOWER, ONE, coupled, exact, quadratic
from .objectives_setups import Rungs, TrilinearRungs
from .objectives_trilinear import trilinear

GRID = (LOWER, LOW, HALF, HIGH, HIGHER, ONE, ONE)
Ladder = tuple[str, Rungs | TrilinearRungs]


def equal_laws(n: int) -> tuple[Bernoulli, ...]:
    """All clients alike."""
    return tuple(Bernoulli((p,) * n) for p in GRID)


def _unequal(n: int) -> Iterator[tuple[str, tuple[Bernoulli, ...]]]:
    """One client's p grows alone, or all in proportion."""
    rest = (fmpq(3, 5),) * (n - 1)
    yield "one p grows", tuple(Bernoulli((p, *rest)) for p in GRID)
    share = tuple(fmpq(1, k + 1) for k in range(n))
    yield "all p grow", tuple(Bernoulli(tuple(p * s for s in share)) for p in GRID)


def labelled_samples() -> Iterator[tuple[str, int, FederatedQuadratic]]:
    """Samples per client, and the samples' quadratics."""
    ten = fmpq(1, 10)
    yield "one sample, aligned features", 1, quadratic([coupled(2, 9 * ten)], [[1, 1]])
    yield "three equal features", 1, quadratic([coupled(3, 1, ten)], [[1, 1, 1]])
    signs = [coupled(2, 9 * ten), coupled(2, -9 * ten)]
    yield "couplings that differ", 1, quadratic(signs, [[3, 4], [4, -3]])
    apart = [coupled(2, HALF), coupled(2, HALF)]
    yield "slopes that differ", 1, quadratic(apart, [[3, 4], [-1, 2]])
    yield "clients alike", 1, quadratic(apart, [[3, 4], [3, 4]])
    fitted = [exact([[2, -1], [-1, 2]]), coupled(2, 0)]
    yield "deviations that full models cancel", 1, quadratic(fitted, [[0, 0], [0, 0]])
    yield "two samples, slopes", 2, quadratic([coupled(2, 0)] * 2, [[3, 3], [-1, 1]])
    ones = [exact([[2, -1], [-1, 2]]), exact([[2, 1], [1, 2]])]
    yield "two samples that one w fits", 2, quadratic(ones, [[1, 1], [3, 3]])
    four = [*signs, coupled(2, 0), coupled(2, HALF)]
    yield "two clients of two samples", 2, quadratic(four, [[1, 0], [0, 2], [-1, 1], [3, 1]])


def _domains(d: int) -> Iterator[tuple[str, Box | None]]:
    yield "R^d", None
    yield "box around 0", Box((-2,) * d, (fmpq(3, 2),) * d)
    yield "box near 1", Box((fmpq(9, 10),) * d, (fmpq(11, 10),) * d)


def ladders() -> Iterator[Ladder]:
    """Every ladder: all samples with equal and unequal p, on R^d and on boxes."""
    for label, each, samples in labelled_samples():
        d, n = samples.shared_dimension, samples.clients // each
        point = exact(np.ones(d, dtype=int))
        kinds = [("equal p", equal_laws(n)), *(_unequal(n) if n > 1 else ())]
        for how, laws in kinds:
            for room, box in _domains(d):
                yield f"{label}, {how}, {room}", Rungs(samples, each, laws, point, box)
    points = ((fmpq(1, 4), fmpq(7, 8)), (HALF, fmpq(27, 32)), (ONE, ONE))
    yield "trilinear", bent(points)


def bent(points: tuple[tuple[Any, Any], ...]) -> TrilinearRungs:
    """A trilinear objective with minimisers s 1 at every p of the pairs (p, s)."""
    keep, least = zip(*points, strict=True)
    return TrilinearRungs(trilinear(points), max(least) * fmpq(9, 8), keep, least)


def random_ladders(seed: int, count: int) -> Iterator[Ladder]:
    """Small random strongly convex clients of one to three coordinates."""
    rng = np.random.default_rng(seed)
    for index in range(count):
        n, d, each = int(rng.integers(1, 4)), int(rng.integers(2, 4)), int(rng.integers(1, 3))
        features = rng.integers(-3, 4, (n * each, 2, d))
        hessian = np.swapaxes(features, 1, 2) @ features + np.eye(d, dtype=int)
        samples = quadratic(list(hessian), list(rng.integers(-4, 5, (n * each, d))))
        box = None if index % 2 else Box((-2,) * d, (2,) * d)
        point = exact(rng.integers(-2, 3, d))
        kinds = [("equal p", equal_laws(n)), *(_unequal(n) if n > 1 else ())]
        for how, laws in kinds:
            yield f"random {index + 1}, {how}", Rungs(samples, each, laws, point, box)
