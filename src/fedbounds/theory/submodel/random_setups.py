"""Masked quadratics of random numbers, at random points: up to nine coordinates."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from fedbounds.theory.language.drawn import Chance, Drawn
from fedbounds.theory.language.setups import Planned, numbers

from . import loss_setups
from .point_ladders import Samples, kinds, named, over_p
from .point_setups import Quadratics, quadratics, setup_of

# of which sqrt(p (1 - p)) is rational; and others
_SHARES = ("1/50", "1/10", "1/5", "1/2", "4/5", "9/10", 1)
_OTHERS = tuple(Fraction(k, 32) for k in range(1, 32))
_BOX = (Fraction(-2), Fraction(3, 2))


def at_points(chance: Chance, count: int) -> Iterator[Planned]:
    """Several pairs of laws each; every other one in a box, where it has few coordinates."""
    for index in range(count):
        n, d = chance.integers(1, 5), chance.integers(2, 10)
        problem = _quadratics(chance, n, d)
        points = [[Fraction(round(x * 4, 3)) for x in row] for row in chance.normal((6, d))]
        boxed = d <= 5 and index % 2
        box = tuple((end,) * d for end in numbers(_BOX)) if boxed else None
        if boxed:
            points = [[min(max(x, _BOX[0]), _BOX[1]) for x in row] for row in points]
        shares = _OTHERS if index % 2 else _SHARES
        for label, law, other in loss_setups.laws(chance, n, d, shares):
            name = f"random {index + 1}, {label}, n={n} d={d}"
            yield Planned(name, setup_of(problem, law, numbers(points), box, other))


def over_chances(chance: Chance, count: int) -> Iterator[Planned]:
    """Ladders in p of small strongly convex clients of one to three coordinates."""
    for index in range(count):
        n, d, each = chance.integers(1, 4), chance.integers(2, 4), chance.integers(1, 3)
        hessians = [_gram(own, 1, 1) for own in chance.integers(-3, 4, (n * each, 2, d))]
        slopes = chance.integers(-4, 5, (n * each, d))
        samples = Samples(quadratics(hessians, slopes), each)
        box = None if index % 2 else ((-2,) * d, (2,) * d)
        point = tuple(chance.integers(-2, 3, d))
        for how, laws in kinds(n):
            yield named(f"random {index + 1}, {how}", over_p(samples, laws, point, box))


def _gram(features: list[list[int]], ridge: Any, scale: Any) -> list[list[Any]]:
    """Of columns, times a number; ``ridge`` is added on the diagonal."""
    columns = list(zip(*features, strict=True))
    return [
        [sum(x * y for x, y in zip(a, b, strict=True)) * scale + ridge * (i == j)
         for j, b in enumerate(columns)]
        for i, a in enumerate(columns)
    ]  # fmt: skip


def _quadratics(chance: Chance, n: int, d: int) -> Quadratics:
    """f_i of a few random features each, and a ridge: eigenvalues far apart."""
    features = chance.integers(-3, 4, (n, 3, d))
    hessians = [_gram(own, Fraction(1, 8), Fraction(1, 4)) for own in features]
    slopes = [[Fraction(x, 4) for x in row] for row in chance.integers(-9, 10, (n, d))]
    return Quadratics(numbers(hessians), numbers(slopes))


DRAWN = (Drawn(at_points, 1, 6, 40), Drawn(over_chances, 1, 6, 40), loss_setups.DRAWN)
