"""Which long runs and limits judge the claims about rolling masks.

Step sizes lie at the edge of the claims' conditions: eta S K L = 1/10 or 1/8, and eta K L = 1.
"""

from collections.abc import Iterator

from fedbounds.algorithms.rolling_masks import RollingMasks
from fedbounds.problems.masked_laws import Rolling
from fedbounds.vocabulary import Method

from ..case import Case
from ..profile import Profile
from .frame import Frame
from .rolling_long import RollingLong
from .rolling_plan_ends import limits
from .rolling_shapes import (
    ALONE,
    APART,
    CORNERED,
    COUPLED,
    CROSSED,
    FLAT,
    LINE,
    LONELY,
    ONE,
    OUTER,
    PARTS,
    PLANE,
    ROUND,
    SADDLE,
    SPACE,
    THREE,
    WHOLE,
    WINDOWS,
    Shape,
    box,
    built,
)

_EDGES = (10, 8)
_HALVES, _THIRDS = PARTS[2, 2], PARTS[3, 3]
_QUICK = (
    Shape("halves, noise", PLANE, (_HALVES,) * 2, epochs=2, noise=True),
    Shape("halves, own orders, noise", PLANE, (_HALVES,) * 2, noise=True, shared=False),
    Shape("windows of two", SPACE, (WINDOWS[3, 2],) * 2, local_steps=2),
    Shape("halves in a box that leaves out the minimiser", PLANE, (_HALVES,) * 2, epochs=2,
          domain=box((-1, 4), (1, 4))),
    Shape("one client, whole, in a box", ONE, (WHOLE[1],), epochs=3, domain=box(-3, 3)),
    Shape("saddle", SADDLE, (_HALVES,) * 2, local_steps=2, epochs=2),
)  # fmt: skip
_MORE = (
    Shape("one client, coupled halves, noise", ALONE, (_HALVES,), 2, 2, noise=True),
    Shape("halves, three steps", COUPLED, (_HALVES,) * 2, 3, 3),
    Shape("rational norms", ROUND, (_HALVES,) * 2, 2, 2),
    Shape("clients start apart", PLANE, (_HALVES, APART), 1, 2, noise=True),
    Shape("own orders, three sub-models", SPACE, (_THIRDS,) * 2, 2, 1, shared=False),
    Shape("own orders, windows", SPACE, (WINDOWS[3, 2],) * 2, 1, 1, shared=False),
    Shape("one client, windows of three", LONELY, (WINDOWS[3, 2],), 2, 3),
    Shape("four windows of two", CORNERED, (WINDOWS[4, 2],) * 2, 1, 2),
    Shape("four windows of three", CORNERED, (WINDOWS[4, 3],) * 2, 2, 1),
    Shape("widths that differ", CORNERED, (WINDOWS[4, 2], WINDOWS[4, 3]), 2, 1),
    Shape("own partitions", CORNERED, (PARTS[4, 2], CROSSED), 2, 3),
    Shape("own partitions, own orders", CORNERED, (OUTER, CROSSED), 2, 2, shared=False),
    Shape("three clients, noise", THREE, (_HALVES,) * 3, 1, 1, noise=True),
    Shape("three clients, own orders", THREE, (_HALVES,) * 3, 3, 2, shared=False),
    Shape("whole models, noise", LINE, (WHOLE[1],) * 2, 2, 2, noise=True),
    Shape("whole models, one step", LINE, (WHOLE[1],) * 2, 1, 4),
    Shape("one client, two rounds of the whole", ONE, (((1,), (1,)),), 1, 2, noise=True),
    Shape("a sub-model of nothing", LINE, (((1,), (0,)), ((0,), (1,))), 2, 3),
    Shape("flat", FLAT, (_HALVES,) * 2, 2, 3),
    Shape("windows in a box, minimiser outside", SPACE, (WINDOWS[3, 2],) * 2, 1, 2,
          domain=box((-1, 2), (1, 2))),
    Shape("halves in a wide box, noise", PLANE, (_HALVES,) * 2, 1, 2, True, domain=box(-4, 4)),
    Shape("projected each round", PLANE, (_HALVES,) * 2, 2, 2,
          domain=box((-1, 4), (1, 4)), each_round=True),
    Shape("saddle, four sub-models", (
        [[[1.0, 1.0, 0.0, 2.0], [1.0, 1.0, 2.0, 0.0], [0.0, 2.0, 2.0, 0.0], [2.0, 0.0, 0.0, 1.0]]],
        [[1.0, 0.0, -1.0, 2.0]], [1.0, -1.0, 0.0, 2.0]), (PARTS[4, 4],), 2, 2),
)  # fmt: skip
_STEEP = (_QUICK[2], _MORE[0], _MORE[2], _MORE[8], _MORE[15])  # with eta K L = 1
_LONG_QUICK = ((_QUICK[0], 40),)
_LONG = (
    (_MORE[0], 400), (_MORE[7], 200), (_MORE[9], 100), (_MORE[10], 300), (_QUICK[2], 300),
    (_MORE[2], 50), (_MORE[6], 1000), (_MORE[13], 200), (_MORE[14], 500), (_QUICK[5], 200),
)  # fmt: skip


def cases(profile: Profile, seed: int) -> Iterator[Case]:
    """Every long run and limit of a profile."""
    quick = profile is Profile.QUICK
    for shape, epochs in _LONG_QUICK if quick else (*_LONG_QUICK, *_LONG):
        for edge in _EDGES[:1] if quick else _EDGES:
            yield _long(shape, epochs, edge)
    yield from limits(quick)


def _algorithm(shape: Shape, divisor: int) -> RollingMasks:
    """With eta = 1/(divisor K L)."""
    problem, _ = built(shape)
    frame = Frame(problem, Rolling(shape.masks), shape.domain)
    step = 1 / (divisor * shape.local_steps * frame.smoothness.value)
    return RollingMasks(
        shape.masks, shape.local_steps, step, shape.shared, shape.each_round, shape.domain
    )


def _long(shape: Shape, epochs: int, edge: int) -> Case:
    problem, start = built(shape)
    setup = RollingLong(problem, _algorithm(shape, edge * shape.sub_models), start, epochs)
    name = f"{shape.name}, eta S K L = 1/{edge}, {epochs} epochs"
    return Case(name, "rolling masks", setup, Method.MOMENTS, epochs * 10_000)
