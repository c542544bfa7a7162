"""Small quadratics, masks, boxes and points that are made to break claims about masked objectives.

sqrt(p (1 - p)) is rational for every keep probability.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

from fedbounds.theory.language.setups import Number, Objective, Planned, Run, Setup, numbers

Row = tuple[Number, ...]
Masks = tuple[tuple[tuple[int, ...], ...], ...]
_HALF, _LOW, _HIGH = "1/2", "1/5", "4/5"
_LOWER, _HIGHER, _TINY = "1/10", "9/10", "1/50"


@dataclass(frozen=True)
class Quadratics:
    """1/2 w'A_i w + h_i'w of every client."""

    hessians: tuple[tuple[Row, ...], ...]
    slopes: tuple[Row, ...]

    @property
    def shape(self) -> tuple[int, int]:
        """Clients and coordinates."""
        return len(self.slopes), len(self.slopes[0])


@dataclass(frozen=True)
class Law:
    """A law of masks by its parameter, ``keep`` or ``sub_models``."""

    kind: str
    values: Any


def quadratics(hessians: Any, slopes: Any) -> Quadratics:
    """From matrices A_i and vectors b_i."""
    return Quadratics(numbers(hessians), numbers([[-Fraction(x) for x in own] for own in slopes]))


def coupled(d: int, between: Any, ridge: Any = 0) -> tuple[Row, ...]:
    """1 + ridge on the diagonal, the same number everywhere else."""
    own = 1 + Fraction(ridge)
    rows = [[own if row == column else between for column in range(d)] for row in range(d)]
    found: tuple[Row, ...] = numbers(rows)
    return found


_SIGNS = (coupled(2, "9/10"), coupled(2, "-9/10"))
_CHAIN = ((2, 1, 0), (1, 2, 1), (0, 1, 2))
_TRIPLED = ((6, 3, 0), (3, 6, 3), (0, 3, 6))
_FIVE = coupled(5, _HALF)
_ALL = {
    "one coordinate": quadratics((((2,),),), ((3,),)),
    "one coordinate, far apart": quadratics((((1,),), ((4,),)), ((6,), (-4,))),
    "one coordinate, concave client": quadratics((((-1,),), ((3,),)), ((1,), (1,))),
    "round": quadratics((((2, 0), (0, 2)),), ((6, 8),)),
    "diagonal, ill-conditioned": quadratics((((1, 0), (0, 100)),), ((3, 400),)),
    "aligned coupling": quadratics((coupled(2, "9/10"),), ((1, 1),)),
    "coupling, flat direction": quadratics((coupled(2, "9/10"),), ((1, -1),)),
    "coupling, w* on an axis": quadratics((coupled(2, "3/5"),), ((5, 3),)),
    "coupling, w* = 0": quadratics((coupled(2, "3/5"),), ((0, 0),)),
    "couplings that cancel": quadratics(_SIGNS, ((3, 4), (4, -3))),
    "indefinite": quadratics((((1, 2), (2, 1)), ((4, 0), (0, 4))), ((3, 4), (0, 5))),
    "singular": quadratics((((1, 1), (1, 1)),), ((2, 2),)),
    "singular clients": quadratics((((1, 1), (1, 1)), ((1, -1), (-1, 1))), ((2, 2), (0, 0))),
    "slopes that masks weigh": quadratics((coupled(2, _HALF), coupled(2, 0)), ((12, 16), (-3, -4))),
    "slopes that cancel": quadratics((coupled(2, 0), coupled(2, 0)), ((3, 4), (-3, -4))),
    "three equal features": quadratics((coupled(3, 1, "1/10"),), ((1, 1, 1),)),
    "four equal features": quadratics((coupled(4, 1, "1/10"),), ((1, 1, 1, 1),)),
    "features, own couplings": quadratics(
        (coupled(4, 1, "1/10"), coupled(4, "-1/4"), coupled(4, 0)),
        ((1, 1, 1, 1), (2, -4, 5, 2), (1, 0, 0, 0)),
    ),
    "chain": quadratics((_CHAIN, _TRIPLED), ((1, 2, 2), (-2, 3, 6))),
    # the second has its 2 on the other diagonal
    "five coordinates": quadratics(
        (_FIVE, coupled(5, 1, 1)[::-1]), ((1, 2, 0, -2, 4), (0, 3, 4, 0, 0))
    ),
}


# ---- masks


def _equal(chance: str | int, n: int) -> Law:
    return Law("keep", (chance,) * n)


def windows(n: int, d: int, size: int, *, shift: bool = False) -> Masks:
    """Cyclic windows of `size` coordinates, each client's begun one further where shifted."""
    return tuple(
        tuple(tuple(int((j - s - i * shift) % d < size) for j in range(d)) for s in range(d))
        for i in range(n)
    )


def _rolling(masks: Any) -> Law:
    return Law("sub_models", masks)


def laws(n: int, d: int) -> Iterator[tuple[str, Law, Law | None]]:
    """Pairs of laws for n clients and d coordinates."""
    rest, full = n - 1, (1,) * d
    yield "p=1/2, p'=1", _equal(_HALF, n), _equal(1, n)
    yield "p=1/50, p'=1/10", _equal(_TINY, n), _equal(_LOWER, n)
    yield "p=9/10, p'=4/5", _equal(_HIGHER, n), _equal(_HIGH, n)
    if n > 1:
        low, high = (_LOW,) * rest + (_HIGH,), (_HIGH,) + (_LOW,) * rest
        yield "unequal p, p'", Law("keep", low), Law("keep", high)
        some, other = (1,) + (_LOWER,) * rest, (_HALF,) * rest + (1,)
        yield "some p=1", Law("keep", some), Law("keep", other)
    if d > 1:
        parts, shifted = windows(n, d, 1), windows(n, d, 1, shift=True)
        yield "partition, M' shifted by client", _rolling(parts), _rolling(shifted)
        wide = windows(n, d, d - 1, shift=True)
        yield "windows of d-1, M' full", _rolling(wide), _rolling(((full,) * d,) * n)
        yield "partition, Bernoulli", _rolling(parts), _equal(_HALF, n)
        nested = tuple((tuple(int(j <= i) for j in range(d)),) for i in range(n))
        yield "nested static", _rolling(nested), _rolling(((full,),) * n)
        every = tuple((full, tuple(int(j % 2 == i % 2) for j in range(d))) for i in range(n))
        yield "uneven coverage", _rolling(every), None
    if d == 4:
        halves = ((1, 1, 0, 0), (0, 0, 1, 1))
        turned = (halves[1], halves[0])
        yield "halves, M' in the other order", _rolling((halves,) * n), _rolling((turned,) * n)
        two, own = windows(n, 4, 2), windows(n, 4, 2, shift=True)
        yield "cyclic windows of 2", _rolling(two), _rolling(own)


# ---- points and boxes

Ends = tuple[Row, Row]


def _points(d: int) -> tuple[Row, ...]:
    """Axes, diagonals and points far away; pairs that differ by them."""
    axes = [tuple(int(j == k) for j in range(d)) for k in range(d)]
    turns = (tuple((-1) ** j for j in range(d)), (1,) * d)
    far = tuple(1000 * (3 + j) for j in range(d))
    rows = [row for w in (*axes, *turns, far) for row in (w, tuple(2 * x for x in w))]
    return (*rows, (far[0] + 1, *far[1:]))


def _vertices(ends: Ends) -> tuple[Row, ...]:
    """The vertices of a box and a point inside."""
    low, high = ([Fraction(x) for x in side] for side in ends)
    both = list(zip(low, high, strict=True))
    corner = [row[::-1] for row in product(*both[::-1])]
    inside = [(a + 3 * b) / 4 for a, b in both]
    found: tuple[Row, ...] = numbers([*corner, inside])
    return found


def _boxes(d: int) -> Iterator[tuple[str, Ends]]:
    sides = (3, 4, 12, 84)[:d]  # of norm 3, 5, 13 or 85
    if d <= 4:
        yield "wide box", (tuple(-x for x in sides), sides)
    yield "box that cuts w* off", (("-1/4",) * d, ("1/4",) * d)
    yield "box away from 0", ((_HALF,) * d, ("3/2",) * d)
    yield "point", ((1,) * d, (1,) * d)


# ---- set-ups

_VIEWS = {
    ("keep", "keep"): "random masks at points",
    ("keep", ""): "random masks at points",
    ("sub_models", "sub_models"): "rolling masks at points",
    ("sub_models", ""): "rolling masks at points",
    ("sub_models", "keep"): "rolling and random masks at points",
}


def setup_of(
    problem: Quadratics,
    law: Law,
    points: Any,
    box: Ends | None = None,
    other: Law | None = None,
    view: str = "",
) -> Setup:
    """Masks of one law, or of two, at points; the view is that of the laws if none is named."""
    data = {"hessians": problem.hessians, "slopes": problem.slopes}
    parameters: dict[str, Any] = {"points": points, law.kind: law.values}
    if other is not None:
        parameters[f"{other.kind}_2"] = other.values
    if box is not None:
        parameters["box"] = box
    run = Run(
        Objective("quadratics", tuple(data.items())),
        points[0],
        tuple(parameters.items()),
        len(points),
    )
    seen = view or _VIEWS[law.kind, "" if other is None else other.kind]
    return Setup("submodel", seen if box is None else f"{seen} in a box", run)


def corners() -> Iterator[Planned]:
    """Every problem with every pair of laws, on boxes with every other; a quick plan has half."""
    for number, (label, problem) in enumerate(_ALL.items()):
        n, d = problem.shape
        points, zero = _points(d), ((0,) * d,)
        full = setup_of(problem, _equal(1, n), zero, None, _equal(_HALF, n))
        yield _planned(f"{label}, p=1, p'=1/2, w=0", full, quick=True)
        for at, (masks, law, other) in enumerate(laws(n, d)):
            few, name = (number + at) % 2 == 0, f"{label}, {masks}"
            yield _planned(name, setup_of(problem, law, points, None, other), quick=few)
            own = setup_of(problem, law, zero, None, other)
            yield _planned(f"{name}, w=0", own, quick=few and not at % 3)
            for place, (room, box) in enumerate(_boxes(d)):
                some = few and (at + place) % 3 == 0
                if d <= 4 and (some or (at + place) % 2 == 0):
                    boxed = setup_of(problem, law, _vertices(box), box, other)
                    yield _planned(f"{name}, {room}", boxed, quick=some)


def _planned(label: str, setup: Setup, *, quick: bool, steps: bool = False) -> Planned:
    n, d = len(dict(setup.run.problem.data)["slopes"]), len(setup.run.start)
    return Planned(f"{label}, n={n} d={d}", setup, quick, steps=steps)


# ---- for proofs

_FIRST, _SECOND = ((2, 1), (1, 2)), ((1, "-1/2"), ("-1/2", 1))
_PLANE = quadratics((_FIRST, _SECOND), ((-1, 1), (-2, "-1/2")))
_DIAGONAL = quadratics((((2, 0), (0, 2)),) * 2, ((-1, 1), (-2, 0)))
_FLAT = quadratics((((1, 1), (1, 1)),) * 2, ((1, 1), (1, 1)))
_SADDLE = quadratics((((1, 2), (2, 1)), ((2, -1), (-1, 2))), ((-1, 0), (2, -1)))
_SPLIT = (((1, 0), (0, 1)), ((0, 1), (1, 0)))
_UNEVEN = (((1, 0), (1, 1)), ((1, 1), (1, 0)))
_WHOLE = (((1, 1), (1, 1)),) * 2
_SEVERAL = ((1, -2), (_HALF, 3), (0, 0))
_INSIDE = ((_HALF, "-1/2"), ("1/4", _HALF), (0, 0))
_SQUARE = (("-1/2", "-1/2"), (_HALF, _HALF))
Rooms = tuple[tuple[str, tuple[Row, ...], Ends | None], ...]
_ROOMS: Rooms = (("", _SEVERAL, None), (", box", _INSIDE, _SQUARE))
# boxes at whose boundary some of the minimisers lie, and others inside
_EDGES: Rooms = (
    ("below", ((_HALF, "-1/2"), (-1, "3/10")), ((-2, -2), (2, "3/10"))),
    ("above", ((_HALF, 1), (-1, "3/10")), ((-2, "3/10"), (2, 2))),
)
_ALIKE, _APART = _equal(_HALF, 2), Law("keep", (_HALF, _HIGH))
_PROVED: tuple[tuple[str, Quadratics, Law, Law | None], ...] = (
    ("equal p", _PLANE, _ALIKE, _equal(_HIGH, 2)),
    ("unequal p", _PLANE, _APART, _ALIKE),
    ("split", _PLANE, _rolling(_SPLIT), _rolling(_WHOLE)),
    ("uneven", _PLANE, _rolling(_UNEVEN), None),
    ("diagonal, split", _DIAGONAL, _rolling(_SPLIT), None),
    ("diagonal", _DIAGONAL, _ALIKE, _APART),
    ("flat", _FLAT, _ALIKE, _APART),
    ("saddle", _SADDLE, _ALIKE, _APART),
    ("full", _PLANE, _equal(1, 2), _ALIKE),
)
_ALONE = ("equal p", "split", "diagonal, split", "diagonal", "flat", "saddle", "full")


def proved() -> Iterator[Planned]:
    """Points and boxes on which steps of the proofs are evaluated."""
    for label, problem, law, other in _PROVED:
        for room, points, box in _ROOMS:
            setup = setup_of(problem, law, points, box, other)
            yield _planned(f"{label}{room}", setup, quick=True, steps=True)
            if label in _ALONE:
                kind = "random" if law.kind == "keep" else "rolling"
                alone = setup_of(
                    problem, law, points, box, other, f"{kind} masks, each point alone"
                )
                yield _planned(f"{label}, alone{room}", alone, quick=True, steps=True)
    for label, points, box in _EDGES:
        setup = setup_of(_PLANE, _ALIKE, points, box, _equal(_HIGH, 2))
        yield _planned(f"{label} an edge", setup, quick=True, steps=True)
