"""Limits of rolling masks, with and without a box: what they are started with, and how they roll.

Step sizes: eta S K L = 1/10, inside Theorem 3, or 1/2 and 1, outside.
"""

from collections.abc import Iterator
from fractions import Fraction

from fedbounds.theory.language.setups import Number, Planned, Setup

from .rolling_setups import (
    ALONE,
    APART,
    CORNERED,
    COUPLED,
    EYE,
    HALVES,
    LONELY,
    PAIRS,
    PLANE,
    SPACE,
    STRIPES,
    THIRDS,
    THREE_OF_4,
    TWO_OF_3,
    Cohort,
    Masks,
    Shape,
    run_of,
)

_HALF, _NARROW = "1/2", ("-1/4", "1/4")
_OPPOSED = Cohort((EYE, EYE), ((1, -1), (-1, 1)), (1, 0), 1)
_QUIET = Cohort((EYE, EYE), ((0, 0), (0, 0)), (1, 1), 1)
_STEEP, _GENTLE = ((1, 0, 0), (0, 8, 0), (0, 0, 1)), ((1, 0, 0), (0, 1, 0), (0, 0, 1))
_UNEVEN = Cohort((_STEEP, _GENTLE), ((0, 0, 0), (0, -1, 0)), (0, 0, 0), 8)
_BENT = Cohort((((1, 0, -1), (0, 3, 0), (-1, 0, 2)),), ((1, 1, 1),), (0, 0, 0), 3)
_HELD = Cohort(PLANE.hessians, PLANE.slopes, ("-1/4", 0), 3)
_PULLED = Cohort((((1,),), ((1,),)), ((-6,), (2,)), (1,), 1)
_CORNER = Cohort(COUPLED.hessians, COUPLED.slopes, ("1/4", "1/4"), 9)
_FACED = Cohort(SPACE.hessians, SPACE.slopes, ("3/8", "-3/4", "-1/8"), SPACE.smoothness)
# one bound that the minimiser meets
_FACE = ((-4, -4, -4), ("3/8", 4, 4))
_LEFT_HEAVY: Masks = ((1, 1, 0), (0, 0, 1))
_RIGHT_HEAVY: Masks = ((1, 0, 0), (0, 1, 1))
_OUT_AND_IN: tuple[Masks, ...] = (((1,), (0,)), ((0,), (1,)))

# with the d's of eta = 1/(d S K L)
_Ends = tuple[tuple[Shape, tuple[Number, ...]], ...]
_QUICK: _Ends = (
    (Shape("halves", PLANE, (HALVES,) * 2, noise=_HALF), (10,)),
    (Shape("halves, own orders, pulls apart", _OPPOSED, (HALVES,) * 2, shared=False), (10,)),
    (Shape("own partitions, unlike curvatures", _UNEVEN, (_LEFT_HEAVY, _RIGHT_HEAVY)), (10,)),
    (Shape("windows of two", LONELY, (TWO_OF_3,)), (10,)),
    (Shape("halves in a box, minimiser outside", _HELD, (HALVES,) * 2, box=_NARROW), (10,)),
)
_MORE: _Ends = (
    (Shape("coupled halves", COUPLED, (HALVES,) * 2, 3, noise=_HALF), (10, 1)),
    (Shape("coupled halves, one client", ALONE, (HALVES,), 2, noise=_HALF), (10, 1)),
    (Shape("thirds", SPACE, (THIRDS,) * 2, 2, noise=_HALF), (10, 2)),
    (Shape("halves, own orders, noise", _QUIET, (HALVES,) * 2, noise=_HALF, shared=False), (10, 2)),
    (Shape("halves, own orders", PLANE, (HALVES,) * 2, 2, noise=_HALF, shared=False), (10, 1)),
    (Shape("thirds, own orders", SPACE, (THIRDS,) * 2, shared=False), (10, 1)),
    (Shape("own partitions", CORNERED, (PAIRS, STRIPES), 2), (10, 1)),
    (Shape("own partitions, noise", _UNEVEN, (_LEFT_HEAVY, _RIGHT_HEAVY), noise=_HALF), (10, 2)),
    (Shape("windows of two, bent", _BENT, (TWO_OF_3,)), (10, 2)),
    (Shape("windows of two, two clients", SPACE, (TWO_OF_3,) * 2, 2, noise=_HALF), (10, 1)),
    (Shape("four windows of three", CORNERED, (THREE_OF_4,) * 2), (10, 2)),
    (Shape("one order apart", PLANE, (HALVES, APART), noise=_HALF), (10, 2)),
    (Shape("a corner of a box", _CORNER, (HALVES,) * 2, 2, box=_NARROW), (10,)),
    (Shape("a corner of a box, own orders", _CORNER, (HALVES,) * 2, shared=False, box=_NARROW),
     (10,)),
    (Shape("a face of a box", _FACED, (TWO_OF_3,) * 2, 2, box=_FACE), (10,)),
    (Shape("pushed out and in", _PULLED, _OUT_AND_IN, box=(-1, 1)), (10,)),
    (Shape("pushed out and in, three steps", _PULLED, _OUT_AND_IN, 3, box=(-1, 1)), (10,)),
)  # fmt: skip


def planned() -> Iterator[Planned]:
    """All of them."""
    for shapes, quick in ((_QUICK, True), (_MORE, False)):
        for shape, divisors in shapes:
            for d in divisors:
                name = f"{shape.name}, eta S K L = 1/{d}, as T grows"
                yield Planned(name, _setup(shape, d), quick, steps=False)


def _setup(shape: Shape, divisor: Number) -> Setup:
    view = "as epochs go on" if shape.box is None else "as epochs go on, in a box"
    return Setup("submodel", view, run_of(shape, Fraction(divisor) * shape.sub_models))
