"""Masked objectives of other losses, in floats."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from fedbounds.problems.domain import Ball
from fedbounds.problems.logistic_data import federated_logistic
from fedbounds.problems.masked_laws import Bernoulli, Law, Rolling
from fedbounds.problems.pl_composed import ComposedBowls
from fedbounds.problems.ridge_logistic import RidgeLogistic
from fedbounds.problems.sine import sine_bowls

from .objectives_corners import windows
from .objectives_setups import SmoothObjective

Array = Any


def _laws(rng: np.random.Generator, n: int, d: int) -> Iterator[tuple[str, Law, Law]]:
    shares = [k / 32 for k in range(1, 32)]
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
