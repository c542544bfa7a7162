"""Limits as epochs go on: which of them judge the claims."""

from collections.abc import Iterator

from fedbounds.algorithms.rolling_masks import RollingMasks
from fedbounds.problems.masked_laws import Rolling
from fedbounds.vocabulary import Method

from ..case import Case
from ..profile import Profile
from .frame import Frame
from .rolling_ends import RollingLimit
from .rolling_shapes import (
    ALONE,
    APART,
    BENT,
    CORNER,
    CORNERED,
    COUPLED,
    CROSSED,
    FACE,
    FACED,
    HELD,
    LEFT_HEAVY,
    LONELY,
    OPPOSED,
    PARTS,
    PLANE,
    PULLED,
    QUIET,
    RIGHT_HEAVY,
    SPACE,
    UNEVEN,
    WINDOWS,
    Shape,
    box,
    built,
)

_HALVES = PARTS[2, 2]
_SMALL = box((-1, 4), (1, 4))
# with the d's of eta = 1/(d S K L)
_Ends = tuple[tuple[Shape, tuple[int, ...]], ...]
_QUICK: _Ends = (
    (Shape("halves", PLANE, (_HALVES,) * 2, noise=True), (10,)),
    (Shape("halves, own orders, pulls apart", OPPOSED, (_HALVES,) * 2, shared=False), (10,)),
    (Shape("own partitions, unlike curvatures", UNEVEN, (LEFT_HEAVY, RIGHT_HEAVY)), (10,)),
    (Shape("windows of two", LONELY, (WINDOWS[3, 2],)), (10,)),
    (Shape("halves in a box, minimiser outside", HELD, (_HALVES,) * 2, domain=_SMALL), (10,)),
)
_MORE: _Ends = (
    (Shape("coupled halves", COUPLED, (_HALVES,) * 2, 3, noise=True), (10, 1)),
    (Shape("coupled halves, one client", ALONE, (_HALVES,), 2, noise=True), (10, 1)),
    (Shape("thirds", SPACE, (PARTS[3, 3],) * 2, 2, noise=True), (10, 2)),
    (Shape("halves, own orders, noise", QUIET, (_HALVES,) * 2, noise=True, shared=False), (10, 2)),
    (Shape("halves, own orders", PLANE, (_HALVES,) * 2, 2, noise=True, shared=False), (10, 1)),
    (Shape("thirds, own orders", SPACE, (PARTS[3, 3],) * 2, 1, shared=False), (10, 1)),
    (Shape("own partitions", CORNERED, (PARTS[4, 2], CROSSED), 2), (10, 1)),
    (Shape("own partitions, noise", UNEVEN, (LEFT_HEAVY, RIGHT_HEAVY), noise=True), (10, 2)),
    (Shape("windows of two, bent", BENT, (WINDOWS[3, 2],)), (10, 2)),
    (Shape("windows of two, two clients", SPACE, (WINDOWS[3, 2],) * 2, 2, noise=True), (10, 1)),
    (Shape("four windows of three", CORNERED, (WINDOWS[4, 3],) * 2, 1), (10, 2)),
    (Shape("one order apart", PLANE, (_HALVES, APART), noise=True), (10, 2)),
    (Shape("a corner of a box", CORNER, (_HALVES,) * 2, 2, domain=_SMALL), (10,)),
    (Shape("a corner of a box, own orders", CORNER, (_HALVES,) * 2, domain=_SMALL,
           shared=False), (10,)),
    (Shape("a face of a box", FACED, (WINDOWS[3, 2],) * 2, 2, domain=FACE), (10,)),
    (Shape("pushed out and in", PULLED, (((1,), (0,)), ((0,), (1,))), domain=box(-1, 1)), (10,)),
    (Shape("pushed out and in, three steps", PULLED, (((1,), (0,)), ((0,), (1,))), 3,
           domain=box(-1, 1)), (10,)),
)  # fmt: skip


def cases(profile: Profile, seed: int) -> Iterator[Case]:
    """Limits of shuffled, fixed and drawn sub-models, and of ways to project."""
    for shape, divisors in _QUICK if profile is Profile.QUICK else (*_QUICK, *_MORE):
        for divisor in divisors:
            yield _limit(shape, divisor)


def _limit(shape: Shape, divisor: int) -> Case:
    problem, start = built(shape)
    frame = Frame(problem, Rolling(shape.masks), shape.domain)
    step = 1 / (divisor * shape.sub_models * shape.local_steps * frame.smoothness.value)
    algorithm = RollingMasks(
        shape.masks, shape.local_steps, step, shape.shared, domain=shape.domain
    )
    d = problem.shared_dimension
    return Case(
        f"{shape.name}, eta S K L = 1/{divisor}, as T grows",
        "rolling masks",
        RollingLimit(problem, algorithm, start),
        Method.RATIONAL,
        (problem.clients * d**4 + shape.local_steps) * shape.sub_models,
    )
