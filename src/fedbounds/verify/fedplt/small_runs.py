"""Small runs of FedPLT in exact rationals: few clients, coordinates and local steps.

The eigenvalues of every Hessian are rational, so that L and mu are exact.
"""

from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.algorithms.fedplt_rows import FedPLT
from fedbounds.problems import FederatedQuadratic, Noise, NoiseLaw, Start
from fedbounds.problems.linear import rational

from .kinds import exact
from .setups import Run, View

Rows = Sequence[Sequence[Any]]

ONE, TWO = ((1,),), ((2,),)
UNIT, STEEP = ((1, 0), (0, 1)), ((1, 0), (0, 3))
COUPLED, OTHER = ((2, 1), (1, 2)), ((2, -1), (-1, 2))
CUBE = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
_MOST = 300  # outcomes of a random run


def run(
    hessians: Sequence[Rows],
    slopes: Rows,
    masks: Rows,
    step: Any,
    start: Sequence[Any],
    *,
    tau: int = 1,
    count: int = 1,
    weights: Sequence[Any] = (),
    noise: Any = 0,
    own: Rows | None = None,
    dependent: bool = False,
) -> Run:
    """A run from numbers; the clients' weights are equal if none are given."""
    n, d = len(slopes), len(slopes[0])
    law = Noise(NoiseLaw.RADEMACHER, rational(noise), fmpq(0))
    problem = FederatedQuadratic(exact(hessians), exact(slopes), d, law)
    shared = tuple(rational(w) for w in weights or [1] * n)
    algorithm = FedPLT(masks, shared, tau, rational(step))
    models = None if own is None else exact(own)
    begin = Start(exact(start), np.empty((n, 0), dtype=object))
    return Run(problem, algorithm, begin, count, models, dependent)


def mean_of(own: Rows, weights: Sequence[int]) -> list[fmpq]:
    """sum_k c_k W_k."""
    total = sum(weights)
    return [
        sum((fmpq(w, total) * rational(x) for w, x in zip(weights, column, strict=True)), fmpq(0))
        for column in zip(*own, strict=True)
    ]


def angles(y: Sequence[int], g: Sequence[int]) -> Run:
    """One step: grad F_1 = g at W_1 = W* + y, and the first coordinate is what client 1 trains.

    Lengths are rational for Pythagorean y and g, and W is 1/20 from W_1.
    """
    own = [y[0] - g[0], y[1] - g[1]]  # the minimiser of F_1; that of F_2 is opposite: W* = 0
    slopes = ([-x for x in own], own)
    start = [y[0] + fmpq(3, 100), y[1] + fmpq(4, 100)]
    models = (y, start)
    return run((UNIT, UNIT), slopes, ((1, 0), (1, 1)), fmpq(1, 16), start, own=models)


def ascent(*, count: int = 1, free: bool = False, noise: Any = 0, tau: int = 1) -> Run:
    """Every masked gradient points away from W*, and psi turns their sum towards it, or along.

    Coordinate 1 is trained by client 1 only, who moves it the wrong way; W* = 0.
    """
    slopes = ((-2, 1), (1, fmpq(-1, 2)))
    return run(
        (UNIT, UNIT), slopes, ((1, 1), (0, 1)), fmpq(1, 256), (1, 1), tau=tau, count=count,
        weights=(1, 2), noise=noise, own=((1, 1), (1, 1)) if free else None,
    )  # fmt: skip


def idle(*, count: int = 1, free: bool = False) -> Run:
    """The same with a third coordinate, near W*, that nobody trains."""
    start = (1, 1, fmpq(1, 8))
    return run(
        (CUBE, CUBE), ((-2, 1, 0), (1, fmpq(-1, 2), 0)), ((1, 1, 0), (0, 1, 0)), fmpq(1, 256),
        start, count=count, weights=(1, 2), own=(start, start) if free else None,
    )  # fmt: skip


def away(count: int) -> Run:
    """Masked gradients are aligned all the way, and W moves away from W* = 0."""
    slopes = ((-8, -2), (fmpq(16, 3), fmpq(4, 3)))
    return run(
        (UNIT, UNIT), slopes, ((1, 1), (0, 1)), fmpq(1, 1024), (2, 3), count=count,
        weights=(2, 3),
    )  # fmt: skip


def apart(tau: int, count: int) -> Run:
    """Three clients, each training the one coordinate along which its gradient points."""
    return run(
        (CUBE,) * 3, [[8 * x for x in row] for row in CUBE], CUBE, fmpq(1, 64), (0, 0, 0),
        tau=tau, count=count,
    )  # fmt: skip


def random_run(view: View, random: Random) -> Run:
    """A run of random numbers, with as many rounds as can be enumerated, at most 4."""
    n, d, tau = random.choice((1, 2, 2, 3)), random.choice((1, 2, 2)), random.choice((1, 2, 2, 3))
    hessians = (ONE, TWO) if d == 1 else (UNIT, STEEP, COUPLED, OTHER)
    masks = [_mask(d, random) for _ in range(n)]
    start = [random.randint(-3, 3) * random.choice((1, 1, 6)) for _ in range(d)]
    own = [[x + fmpq(random.randint(-4, 4), 2) for x in start] for _ in range(n)]
    noise = random.choice((0, 0, fmpq(1, 4), 1))
    samples = 2 ** (n * d * (tau if view is View.ROUNDS else 1)) if noise else 1
    counts = [count for count in (1, 2, 3, 4) if samples**count <= _MOST]
    weights = [random.choice((1, 1, 2, 3)) for _ in range(n)]
    average = view is View.FREE and random.random() < 0.75
    return run(
        [random.choice(hessians) for _ in range(n)],
        [[random.randint(-3, 3) for _ in range(d)] for _ in range(n)],
        masks,
        fmpq(1, random.choice((2, 4, 8, 16, 32, 64, 128))),
        mean_of(own, weights) if average else start,
        tau=tau,
        count=1 if view is View.FREE else random.choice(counts or [1]),
        weights=weights,
        noise=noise if counts or view is not View.ROUNDS else 0,
        own=own if view is View.FREE else None,
    )


def _mask(d: int, random: Random) -> list[int]:
    mask = [random.choice((0, 1, 1)) for _ in range(d)]
    return mask if any(mask) else [1] * d


def outcomes(run: Run, view: View) -> int:
    """Samples of all steps that are enumerated."""
    n, d = run.problem.clients, run.problem.shared_dimension
    each = n * d * (run.algorithm.local_steps if view is View.ROUNDS else 1)
    return int(2 ** (each * run.count)) if run.problem.noise.scale_u else 1


def work(run: Run, view: View) -> int:
    """Outcomes, rounds, clients and coordinates, multiplied."""
    size = run.problem.clients * run.problem.shared_dimension
    return outcomes(run, view) * run.count * run.algorithm.local_steps * size
