"""Masked objectives in floats: more coordinates, roots that are not rational, other losses."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from fedbounds.problems import FederatedQuadratic, to_rational
from fedbounds.problems.domain import Ball, Box
from fedbounds.problems.logistic_data import federated_logistic
from fedbounds.problems.masked_laws import Bernoulli, Law, Rolling
from fedbounds.problems.pl_composed import ComposedBowls
from fedbounds.problems.ridge_logistic import RidgeLogistic
from fedbounds.problems.sine import sine_bowls
from fedbounds.problems.spectrum import in_rationals

from .objectives_corners import HALF, HIGH, HIGHER, LOW, LOWER, ONE, TINY, windows
from .objectives_setups import Objective, SmoothObjective

Array = Any
_SHARES = [TINY, LOWER, LOW, HALF, HIGH, HIGHER, ONE]


def large_quadratics(seed: int, count: int) -> Iterator[tuple[str, Objective]]:
    """Random quadratics of up to nine coordinates: in rationals, or to be rounded."""
    rng = np.random.default_rng(seed)
    for index in range(count):
        n, d = int(rng.integers(1, 5)), int(rng.integers(2, 10))
        problem, exact = _random_quadratic(rng, n, d), index % 2 == 0
        points = np.round(rng.standard_normal((6, d)) * 4, 3)
        box = Box(-2, 1.5) if d <= 5 and index % 2 else None
        inside = points if box is None else np.clip(points, -2, 1.5)
        if exact:
            problem, inside = to_rational(problem), in_rationals(inside)
        for label, law, other in _laws(rng, n, d, exact=exact):
            yield f"random {index + 1}, {label}", Objective(problem, law, inside, box, other)


def _random_quadratic(rng: np.random.Generator, n: int, d: int) -> FederatedQuadratic:
    """f_i of a few random features each, and a ridge: eigenvalues far apart."""
    features = rng.integers(-3, 4, (n, 3, d)).astype(np.float64)
    hessian = np.swapaxes(features, 1, 2) @ features / 4 + 0.125 * np.eye(d)
    return FederatedQuadratic(hessian, rng.integers(-9, 10, (n, d)) / 4, d)


def _laws(
    rng: np.random.Generator, n: int, d: int, *, exact: bool = False
) -> Iterator[tuple[str, Law, Law]]:
    shares = _SHARES if exact else [k / 32 for k in range(1, 32)]
    p, q = (tuple(shares[k] for k in rng.integers(0, len(shares), n)) for _ in range(2))
    yield "unequal p, p'", Bernoulli(p), Bernoulli(q)
    yield "equal p, p'", Bernoulli((p[0],) * n), Bernoulli((q[0],) * n)
    size, other = (int(x) for x in rng.integers(1, d, 2))
    yield "windows", windows(n, d, size, shift=True), windows(n, d, other)
    yield "windows, M' full", windows(n, d, size), Rolling(np.ones((n, d, d), dtype=int))


def other_losses(seed: int) -> Iterator[tuple[str, SmoothObjective]]:
    """Logistic regression on a ball, sine bowls and composed bowls on R^d."""
    for label, problem, radius in _smooth_problems(seed):
        n, d = problem.clients, problem.shared_dimension
        rng = np.random.default_rng(seed + d)
        points = rng.standard_normal((5, d)) * 2
        ball = None if radius is None else Ball(radius)
        if radius is not None:
            sizes = np.linalg.norm(points, axis=1, keepdims=True)
            points = points * np.minimum(1.0, 0.999 * radius / sizes)
        for masks, law, other in _laws(rng, n, d):
            yield f"{label}, {masks}", SmoothObjective(problem, law, points, ball, other)


def _smooth_problems(seed: int) -> Iterator[tuple[str, Any, float | None]]:
    for n, d, ridge, radius in ((2, 3, 0.25, 1.0), (3, 4, 0.05, 8.0), (1, 6, 0.5, None)):
        loss = federated_logistic(
            clients=n,
            shared_dimension=d,
            personal_dimension=0,
            samples=6,
            heterogeneity=0.8,
            regularisation=0.0,
            seed=seed + d,
        )
        yield f"ridge logistic, radius {radius}", RidgeLogistic(loss, ridge), radius
    for rotated in (False, True):
        bowls = sine_bowls(clients=3, dimension=4, spread=0.5, rotated=rotated, seed=seed)
        yield f"sine bowls{', rotated' if rotated else ''}", bowls, None
    rng = np.random.default_rng(seed)
    matrix, targets = rng.standard_normal((2, 4)), rng.standard_normal((3, 2))
    yield "composed bowls", ComposedBowls(matrix, targets, 0.5, 2.0), None
