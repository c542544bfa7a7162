"""Of which quadratics and masks set-ups are made, among which instances are searched."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from fedbounds.facts import Fact
from fedbounds.theory.language.setups import Number
from fedbounds.theory.language.sought import Seeking

from . import assumed
from .point_setups import Quadratics, Row
from .rolling_setups import APART, HALVES, THIRDS, TWO_OF_3, Masks

Matrix = tuple[tuple[Fraction, ...], ...]
# of which sqrt(p (1 - p)) is rational
_CHANCES: tuple[Number, ...] = ("1/2", 1, "1/50", "1/10", "1/5", "4/5", "9/10")
# sub-models of a client, by coordinates and their number: of uniform coverage, and others
_WHOLE = ((1,) * 3,) * 3
COVERING: dict[tuple[int, int], tuple[Masks, ...]] = {
    (1, 1): (((1,),),),
    (1, 2): (((1,), (0,)), ((0,), (1,)), ((1,), (1,))),
    (2, 1): (((1, 1),),),
    (2, 2): (HALVES, APART, ((1, 1), (0, 0)), ((1, 1), (1, 1))),
    (3, 1): (((1, 1, 1),),),
    (3, 2): (((1, 1, 0), (0, 0, 1)), ((1, 0, 0), (0, 1, 1))),
    (3, 3): (THIRDS, THIRDS[1:] + THIRDS[:1], TWO_OF_3, TWO_OF_3[1:] + TWO_OF_3[:1], _WHOLE),
}
_OTHERS: dict[tuple[int, int], tuple[Masks, ...]] = {
    (2, 1): (((1, 0),),),
    (2, 2): (((1, 0), (1, 1)), ((1, 1), (0, 1))),
    (3, 3): (((1, 0, 0), (1, 1, 0), (1, 1, 1)),),
}


def signed(seek: Seeking) -> Fraction:
    """From -1 to 1; 1 at first."""
    return 1 - 2 * seek.share()


def matrix(seek: Seeking, d: int) -> Matrix:
    """Of eigenvalues up to 1 that are rational: diagonal, or all coordinates alike."""
    if d == 1 or seek.choice((True, False, False)):
        own = [seek.size("1/100", 1) for _ in range(d)]
        return tuple(tuple(own[i] if i == j else Fraction(0) for j in range(d)) for i in range(d))
    apart, along = seek.size("1/100", 1), seek.size("1/100", 1)
    off = (along - apart) / d
    return tuple(tuple(off + apart * (i == j) for j in range(d)) for i in range(d))


def _turned(own: Matrix, signs: Sequence[int]) -> list[list[Fraction]]:
    """With some coordinates the other way round."""
    return [[x * a * b for x, b in zip(row, signs, strict=True)]
            for row, a in zip(own, signs, strict=True)]  # fmt: skip


def hessians(seek: Seeking, n: int, d: int) -> list[Any]:
    """Alike or not; concave ones where nothing asks for convexity."""
    every = _convex(seek, n, d)
    return [_times(own, 1 if _asks_for_convexity(seek) else seek.choice((1, 1, 1, -1)))
            for own in every]  # fmt: skip


def _convex(seek: Seeking, n: int, d: int) -> list[Any]:
    scale = seek.size("1/4", 4)
    alike = n == 1 or seek.choice((True, False))
    first = matrix(seek, d)
    every = [first if alike else matrix(seek, d) for _ in range(n)]
    ways = [seek.choice((1, -1)) if d > 1 else 1 for _ in range(n)]
    return [_times(_turned(own, (*(1,) * (d - 1), way)), scale)
            for own, way in zip(every, ways, strict=True)]  # fmt: skip


def _times(own: Any, factor: Any) -> Any:
    return [[factor * x for x in row] for row in own]


def _asks_for_convexity(seek: Seeking) -> bool:
    return bool({Fact.CONVEX, Fact.STRONGLY_CONVEX} & seek.assumptions)


def with_minimisers(seek: Seeking, n: int, d: int) -> tuple[Quadratics, bool]:
    """Such that full models have one minimiser, and masked ones too.

    Whether clients are to have masks of one law: then all but the first may be concave.
    """
    bent = n > 1 and not _asks_for_convexity(seek) and seek.choice((False, False, True))
    every: Any = _convex(seek, n, d)
    if bent:
        less = -Fraction(1, 2 * n)
        every = [every[0], *(_times(every[0], less) for _ in every[1:])]
    own: Any = slopes(seek, n, d)
    return Quadratics(every, own), bent


def least_curvature(every: Sequence[Any]) -> Fraction:
    """At most the least eigenvalue: of diagonal ones it is that."""
    rows = ((i, row) for own in every for i, row in enumerate(own))
    return min((2 * row[i] - sum(map(abs, row)) for i, row in rows), default=Fraction(0))


def most_curvature(every: Sequence[Any]) -> Fraction:
    """At least the largest eigenvalue."""
    return max(sum(map(abs, row), Fraction(0)) for own in every for row in own)


def slopes(seek: Seeking, n: int, d: int, weights: Sequence[Fraction] = ()) -> list[list[Fraction]]:
    """Alike or not, or none; or, where there are weights, such that their weighted sum is 0."""
    kind = seek.choice(("own", "alike", "none", *(("balanced",) if weights and n > 1 else ())))
    size = seek.size("1/100", 100) if kind != "none" else Fraction(0)
    first = [size * signed(seek) for _ in range(d)]
    every = [first if kind == "alike" or not i else [size * signed(seek) for _ in range(d)]
             for i in range(n)]  # fmt: skip
    if kind != "balanced":
        return every
    rest = [sum((w * x for w, x in zip(weights, own, strict=False)), Fraction(0)) / weights[-1]
            for own in zip(*every[:-1], strict=True)]  # fmt: skip
    return [*every[:-1], [-x for x in rest]]


def quadratics(seek: Seeking, n: int, d: int, weights: Sequence[Fraction] = ()) -> Quadratics:
    """Of every client."""
    own: Any = slopes(seek, n, d, weights)
    every: Any = hessians(seek, n, d)
    return Quadratics(every, own)


def point(seek: Seeking, d: int) -> tuple[Any, ...]:
    """Seldom 0."""
    size = seek.size("1/100", 100) * seek.choice((1, 1, 1, 0))
    return tuple(str(size * signed(seek)) for _ in range(d))


def chance(seek: Seeking) -> Number:
    """A probability to be kept."""
    return seek.choice(_CHANCES)


def chances(seek: Seeking, n: int, *, one: bool = False) -> Row:
    """One for all, or one of each client."""
    first = chance(seek)
    if assumed.UNEQUAL_KEEP in seek.assumptions and n > 1:
        rest = tuple(own for own in _CHANCES if own != first)
        return (first, *(seek.choice(rest) for _ in range(n - 1)))
    alike = one or assumed.EQUAL_KEEP in seek.assumptions or seek.choice((True, False))
    return (first, *(first if alike else chance(seek) for _ in range(n - 1)))


def sub_models(
    seek: Seeking, n: int, d: int, count: int, *, one: bool = False, covering: bool = False
) -> tuple[Masks, ...]:
    """So many of every client."""
    covering = covering or assumed.COVERAGE in seek.assumptions
    free = not covering and seek.choice((False, True))
    options = COVERING[d, count] + (_OTHERS.get((d, count), ()) if free else ())
    alike = one or n == 1 or seek.choice((True, False))
    first = seek.choice(options)
    return tuple(first if alike or not i else seek.choice(options) for i in range(n))
