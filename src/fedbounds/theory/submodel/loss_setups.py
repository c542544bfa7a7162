"""Masked objectives of other losses: logistic ones, some on balls; sine and composed bowls."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import islice
from math import sqrt
from typing import Any

from fedbounds.theory.language.drawn import Chance, Drawn
from fedbounds.theory.language.setups import Number, Objective, Planned, Run, Setup, numbers

from .point_setups import Law, windows

_SHARES = tuple(Fraction(k, 32) for k in range(1, 32))
_GRID = 64  # data are multiples of its inverse
_POINTS, _SAMPLES, _ALL = 5, 6, 24
_VIEWS = {"keep": "other losses, random masks", "sub_models": "other losses, rolling masks"}
# clients, coordinates, mu, and the radius of the domain
_LOGISTIC: tuple[tuple[int, int, Number, Number | None], ...] = (
    (2, 3, "1/4", "1/2"),
    (3, 4, "3/64", 8),
    (1, 6, "1/2", None),
)


def other_losses(chance: Chance, count: int) -> Iterator[Planned]:
    """So many of all, with equal and unequal p and windows."""
    yield from islice(_every(chance), None, None, _ALL // count)


def _every(chance: Chance) -> Iterator[Planned]:
    for label, problem, (n, d), radius in _problems(chance):
        points = [_inside(row, radius) for row in chance.normal((_POINTS, d))]
        for masks, law, other in laws(chance, n, d):
            name = f"{label}, {masks}, n={n} d={d}"
            yield Planned(name, setup_of(problem, law, other, points, radius))


def setup_of(
    problem: Objective, law: Law, other: Law, points: Any, radius: Number | None = None
) -> Setup:
    """Two laws of masks of one kind at points of R^d, or of a ball round 0."""
    values = numbers(points)
    parameters = {"points": values, law.kind: law.values, f"{other.kind}_2": other.values}
    if radius is not None:
        parameters["box"] = radius
    run = Run(problem, values[0], tuple(parameters.items()), len(values))
    view = _VIEWS[law.kind]
    return Setup("submodel", view if radius is None else f"{view} in a ball", run)


def _problems(
    chance: Chance,
) -> Iterator[tuple[str, Objective, tuple[int, int], Number | None]]:
    for n, d, ridge, radius in _LOGISTIC:
        data = {"features": _samples(chance, n, d), "ridge": ridge}
        problem = Objective("logistic", tuple(data.items()))
        yield f"ridge logistic, radius {radius}", problem, (n, d), radius
    for rotated in (False, True):
        label = f"sine bowls{', rotated' if rotated else ''}"
        yield label, _bowls(chance, 3, 4, rotated=rotated), (3, 4), None
    matrix, targets = (_on_grid(chance.normal(shape)) for shape in ((2, 4), (3, 2)))
    data = {"matrix": matrix, "targets": targets, "curvature": "1/2", "bend": 2}
    yield "composed bowls", Objective("composed bowls", tuple(data.items())), (3, 4), None


def _samples(chance: Chance, n: int, d: int) -> Any:
    """Features of every client round a point of its own, on one side of a plane through 0."""
    plane, found = chance.normal(d), []
    for own in chance.normal((n, d)):
        rows = [
            [x + y for x, y in zip(row, own, strict=True)] for row in chance.normal((_SAMPLES, d))
        ]
        sides = [
            sum(x * y for x, y in zip(row, plane, strict=True)) + chance.normal(()) for row in rows
        ]
        found.append(
            [[x if side > 0 else -x for x in row] for row, side in zip(rows, sides, strict=True)]
        )
    return _on_grid(found)


def _bowls(chance: Chance, n: int, d: int, *, rotated: bool) -> Objective:
    """Weights from 1/2 to 1, alike for all clients; a rotation is a reflection."""
    v = chance.integers(1, 4, d) if rotated else [0] * d
    size = sum(x * x for x in v) or 1
    rotation = [[int(i == j) - Fraction(2 * v[i] * v[j], size) for j in range(d)] for i in range(d)]
    weights = [1, *(Fraction(x, _GRID) for x in chance.integers(_GRID // 2, _GRID, d - 1))]
    common = chance.integers(_GRID // 2, 2 * _GRID, d)
    own = chance.integers(-_GRID // 2, _GRID // 2, (n, d))
    centres = [[Fraction(x + y, _GRID) for x, y in zip(common, row, strict=True)] for row in own]
    data = {"rotation": rotation, "weights": [weights] * n, "centres": centres}
    return Objective("sine bowls", tuple(data.items()))


def _on_grid(given: Any) -> Any:
    """Nested floats as rationals."""
    if isinstance(given, list):
        return [_on_grid(x) for x in given]
    return Fraction(round(given * _GRID), _GRID)


def _inside(row: list[float], radius: Number | None) -> list[Fraction]:
    """A point of about that direction in the domain, no coordinate of which is 0."""
    size = 2 * sqrt(sum(x * x for x in row))
    scale = 2.0 if radius is None else 2 * min(1.0, 0.999 * float(Fraction(radius)) / size)
    return [Fraction(int(x * scale * _GRID) or 1, _GRID) for x in row]


def laws(
    chance: Chance, n: int, d: int, shares: tuple[Any, ...] = _SHARES
) -> Iterator[tuple[str, Law, Law]]:
    """Pairs of laws, of chances among these."""
    p, q = (tuple(shares[k] for k in chance.integers(0, len(shares), n)) for _ in range(2))
    yield "unequal p, p'", Law("keep", p), Law("keep", q)
    yield "equal p, p'", Law("keep", p[:1] * n), Law("keep", q[:1] * n)
    size, other = chance.integers(1, d, 2)
    own = windows(n, d, size, shift=True)
    yield "windows", Law("sub_models", own), Law("sub_models", windows(n, d, other))
    full = (((1,) * d,) * d,) * n
    yield "windows, M' full", Law("sub_models", windows(n, d, size)), Law("sub_models", full)


DRAWN = Drawn(other_losses, 8, _ALL, _ALL)
