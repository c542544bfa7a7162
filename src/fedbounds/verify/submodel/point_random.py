"""Masked quadratics of random numbers, at random points: up to nine coordinates."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from fedbounds.theory.setups import Planned, numbers
from fedbounds.theory.submodel.point_ladders import Samples, kinds, named, over_p
from fedbounds.theory.submodel.point_setups import Law, Quadratics, quadratics, setup_of, windows

from ..case import Case
from ..profile import Profile
from ..setups.plan import case_of

Array = Any
_COUNT = {Profile.QUICK: 1, Profile.DEFAULT: 6, Profile.THOROUGH: 40}
# of which sqrt(p (1 - p)) is rational; and others
_SHARES = ("1/50", "1/10", "1/5", "1/2", "4/5", "9/10", 1)
_OTHERS = tuple(Fraction(k, 32) for k in range(1, 32))


def random_cases(profile: Profile, seed: int) -> Iterator[Case]:
    """Several pairs of laws each; every other one in a box, where it has few coordinates."""
    rng = np.random.default_rng(seed)
    for index in range(_COUNT[profile]):
        n, d = int(rng.integers(1, 5)), int(rng.integers(2, 10))
        problem = _quadratics(rng, n, d)
        points = np.round(rng.standard_normal((6, d)) * 4, 3)
        box = ((-2,) * d, ("3/2",) * d) if d <= 5 and index % 2 else None
        inside = _exact(points if box is None else np.clip(points, -2, 1.5))
        shares = _OTHERS if index % 2 else _SHARES
        for label, law, other in _laws(rng, n, d, shares):
            name = f"random {index + 1}, {label}, n={n} d={d}"
            yield case_of(Planned(name, setup_of(problem, law, inside, box, other)), "")


def random_ladders(profile: Profile, seed: int) -> Iterator[Case]:
    """Small strongly convex clients of one to three coordinates, over p."""
    rng = np.random.default_rng(seed)
    for index in range(_COUNT[profile]):
        n, d, each = int(rng.integers(1, 4)), int(rng.integers(2, 4)), int(rng.integers(1, 3))
        features = rng.integers(-3, 4, (n * each, 2, d))
        hessians = np.swapaxes(features, 1, 2) @ features + np.eye(d, dtype=int)
        slopes = rng.integers(-4, 5, (n * each, d))
        samples = Samples(quadratics(hessians.tolist(), slopes.tolist()), each)
        box = None if index % 2 else ((-2,) * d, (2,) * d)
        point = tuple(rng.integers(-2, 3, d).tolist())
        for how, laws in kinds(n):
            setup = over_p(samples, laws, point, box)
            yield case_of(named(f"random {index + 1}, {how}", setup), "")


def _exact(floats: Array) -> Any:
    return numbers([[Fraction(float(x)) for x in row] for row in floats])


def _quadratics(rng: np.random.Generator, n: int, d: int) -> Quadratics:
    """f_i of a few random features each, and a ridge: eigenvalues far apart."""
    features = rng.integers(-3, 4, (n, 3, d)).astype(np.float64)
    hessians = np.swapaxes(features, 1, 2) @ features / 4 + 0.125 * np.eye(d)
    return Quadratics(tuple(map(_exact, hessians)), _exact(rng.integers(-9, 10, (n, d)) / 4))


def _laws(
    rng: np.random.Generator, n: int, d: int, shares: tuple[Any, ...]
) -> Iterator[tuple[str, Law, Law]]:
    p, q = (tuple(shares[k] for k in rng.integers(0, len(shares), n)) for _ in range(2))
    yield "unequal p, p'", Law("keep", p), Law("keep", q)
    yield "equal p, p'", Law("keep", p[:1] * n), Law("keep", q[:1] * n)
    size, other = (int(x) for x in rng.integers(1, d, 2))
    own = windows(n, d, size, shift=True)
    yield "windows", Law("sub_models", own), Law("sub_models", windows(n, d, other))
    full = (((1,) * d,) * d,) * n
    yield "windows, M' full", Law("sub_models", windows(n, d, size)), Law("sub_models", full)
