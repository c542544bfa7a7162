"""Masked objectives at points, and over p: where instances are searched."""

from fractions import Fraction
from functools import partial
from itertools import product

from fedbounds.theory.language.setups import Setup
from fedbounds.theory.language.sought import Counts, Seeking, Sought, Steps

from . import assumed
from . import sought_shapes as shapes
from .names import OBJECTIVE, OBJECTIVE_LADDER
from .point_ladders import Laws, Samples, over_p
from .point_setups import Ends, Law, setup_of

_CLIENTS, _DIMENSIONS, _POINTS = (1, 2, 3), (1, 2, 3), (1, 2, 3)
_GROWING = ("1/10", "1/5", "1/2", "4/5", "9/10")


def _sizes(*more: tuple[str, tuple[int, ...]]) -> tuple[Counts, ...]:
    names = ("n", "d", *(name for name, _ in more))
    every = product(_CLIENTS, _DIMENSIONS, *(values for _, values in more))
    return tuple(dict(zip(names, own, strict=True)) for own in every)


def _box(seek: Seeking, d: int) -> Ends:
    low = [10 * shapes.signed(seek) * seek.size("1/100", 1) for _ in range(d)]
    return tuple(map(str, low)), tuple(str(x + seek.size("1/100", 10)) for x in low)


def _inside(seek: Seeking, box: Ends) -> tuple[str, ...]:
    ends = (map(Fraction, own) for own in zip(*box, strict=True))
    return tuple(str(low + seek.share() * (high - low)) for low, high in ends)


def _law(kind: str, seek: Seeking) -> Law:
    counts = seek.counts()
    n, d = counts["n"], counts["d"]
    if kind == "keep":
        return Law("keep", shapes.chances(seek, n))
    count = seek.choice([S for own, S in shapes.COVERING if own == d])
    return Law("sub_models", shapes.sub_models(seek, n, d, count))


def _at_points(kind: str, other: str, boxed: bool, seek: Seeking) -> Setup:
    """Two laws, of which most parts ask for the first alone."""
    counts = seek.counts()
    n, d = counts["n"], counts["d"]
    first, second = _law(kind, seek), _law(other, seek)
    weights = [Fraction(p) for p in first.values] if kind == "keep" else []
    problem = shapes.quadratics(seek, n, d, weights)
    box = _box(seek, d) if boxed else None
    points = [shapes.point(seek, d) if box is None else _inside(seek, box)
              for _ in range(counts["T"])]  # fmt: skip
    return setup_of(problem, first, points, box, second)


def _over_p(boxed: bool, seek: Seeking) -> Setup:
    """Rungs of growing p, full masks at last: claims compare a rung with the next."""
    counts = seek.counts()
    n, d = counts["n"], counts["d"]
    problem = shapes.quadratics(seek, n, d)
    each = 2 if n == 2 and seek.choice((False, True)) else 1
    clients = n // each
    box = _box(seek, d) if boxed else None
    at = shapes.point(seek, d) if box is None else _inside(seek, box)
    return over_p(Samples(problem, each), _laws(seek, clients), at, box)


def _laws(seek: Seeking, n: int) -> Laws:
    """All clients alike, or one alone whose p grows; two rungs below 1."""
    low = seek.choice(range(len(_GROWING) - 1))
    high = low + 1 + seek.choice(range(len(_GROWING) - 1 - low))
    rungs = (_GROWING[low], _GROWING[high], 1, 1)
    alone = n > 1 and assumed.EQUAL_KEEP not in seek.assumptions
    if alone and seek.choice((True, False)):
        return tuple((p, *("3/5",) * (n - 1)) for p in rungs)
    return tuple((p,) * n for p in rungs)


_KINDS = (
    ("random masks at points", "keep", "keep"),
    ("rolling masks at points", "sub_models", "sub_models"),
    ("rolling and random masks at points", "sub_models", "keep"),
)
_AT = _sizes(("T", _POINTS))
_OVER = _sizes(("T", (4,)))
SOUGHT = (
    *(
        Sought(OBJECTIVE[0], _AT, Steps(), partial(_at_points, kind, other, boxed),
               view=f"{view}{' in a box' if boxed else ''}")
        for (view, kind, other), boxed in product(_KINDS, (False, True))
    ),
    *(
        Sought(OBJECTIVE_LADDER[0], _OVER, Steps(), partial(_over_p, boxed),
               view=f"random masks over p{' in a box' if boxed else ''}")
        for boxed in (False, True)
    ),
)  # fmt: skip
