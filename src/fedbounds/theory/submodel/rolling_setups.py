"""Small runs of rolling masks that judge their claims: few clients, coordinates and sub-models.

Step sizes lie at the edges of the claims' conditions: eta S K L = 1/10 or 1/8, and eta K L = 1.
Where the eigenvalues of a Hessian are no rationals, L is the least of its 52 binary digits.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from fedbounds.theory.language.setups import Number, Objective, Planned, Run, Setup

Masks = tuple[tuple[int, ...], ...]
_EDGES: tuple[Number, ...] = (10, 8)
_HALF = "1/2"


@dataclass(frozen=True)
class Cohort:
    """Clients, where they start, L, and whether F has a minimiser of its own."""

    hessians: Any
    slopes: Any
    start: tuple[Number, ...]
    smoothness: Number
    full: bool = True


_FIRST, _SECOND = ((2, 1), (1, 2)), ((2, -1), (-1, 2))
_TIGHT, EYE = ((5, 4), (4, 5)), ((1, 0), (0, 1))
_CHAIN = ((2, -1, 0), (-1, 2, -1), (0, -1, 2))
_BLOCKS = ((2, 1, 0), (1, 2, 0), (0, 0, 1))
_SQUARE = ((3, 1, 0, 1), (1, 3, 1, 0), (0, 1, 3, 1), (1, 0, 1, 3))
_STEPPED = ((1, 0, 0, _HALF), (0, 2, _HALF, 0), (0, _HALF, 3, 0), (_HALF, 0, 0, 4))
_CROSSED, _ONES = ((1, 2), (2, 1)), ((1, 1), (1, 1))
_TURNED = ((1, 1, 0, 2), (1, 1, 2, 0), (0, 2, 2, 0), (2, 0, 0, 1))
_OF_CHAIN = "3844062731818739/1125899906842624"
_PLANE_SLOPES = ((1, -1), (2, _HALF))

_ONE = Cohort((((1,),),), ((-1,),), (3,), 1)
_LINE = Cohort((((2,),), ((1,),)), ((1,), (-3,)), (2,), 2)
PLANE = Cohort((_FIRST, _SECOND), _PLANE_SLOPES, (1, -1), 3)
COUPLED = Cohort((_TIGHT, _TIGHT), ((-9, -9), (-9, -9)), (0, 0), 9)
ALONE = Cohort((_TIGHT,), ((3, -4),), (0, 0), 9)
_ROUND = Cohort((EYE, ((2, 0), (0, 1))), ((-3, -4), (-3, -4)), (0, 0), 2)
_SADDLE = Cohort((_CROSSED, _CROSSED), ((0, 1), (0, -2)), (1, 1), 3, full=False)
SPACE = Cohort((_CHAIN, _BLOCKS), ((-3, 1, 1), (0, 2, -1)), (0, 1, 2), _OF_CHAIN)
LONELY = Cohort((_CHAIN,), ((-3, 1, 2),), (0, 1, 2), _OF_CHAIN)
CORNERED = Cohort((_SQUARE, _STEPPED), ((1, -2, 0, 3), (-1, 0, 4, 1)), (1, 1, 1, 1), 5)
_FLAT = Cohort((_ONES, _ONES), ((-1, -1), (-1, -1)), (2, 0), 2, full=False)
_THREE = Cohort((EYE, _FIRST, _SECOND), ((1, 0), (0, -2), (2, 1)), (1, 1), 3)
_TWISTED = Cohort((_TURNED,), ((1, 0, -1, 2),), (1, -1, 0, 2),
                  "8672157949788279/2251799813685248", full=False)  # fmt: skip

_WHOLE: Masks = ((1,),)
HALVES: Masks = ((1, 0), (0, 1))
APART: Masks = ((0, 1), (1, 0))
THIRDS: Masks = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
PAIRS: Masks = ((1, 1, 0, 0), (0, 0, 1, 1))
STRIPES: Masks = ((1, 0, 1, 0), (0, 1, 0, 1))
_OUTER: Masks = ((1, 0, 0, 1), (0, 1, 1, 0))
_QUARTERS: Masks = ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1))
# cyclic windows of so many coordinates of 3, and of 4
TWO_OF_3: Masks = ((1, 1, 0), (0, 1, 1), (1, 0, 1))
_TWO_OF_4: Masks = ((1, 1, 0, 0), (0, 1, 1, 0), (0, 0, 1, 1), (1, 0, 0, 1))
THREE_OF_4: Masks = ((1, 1, 1, 0), (0, 1, 1, 1), (1, 0, 1, 1), (1, 1, 0, 1))


@dataclass(frozen=True)
class Shape:
    """A cohort, the sub-models of each client, and how it is run."""

    name: str
    cohort: Cohort
    masks: tuple[Masks, ...]
    local_steps: int = 1
    epochs: int = 1
    noise: Number = 0
    shared: bool = True
    box: Any = None  # its ends
    each_round: bool = False

    @property
    def sub_models(self) -> int:
        """S."""
        return len(self.masks[0])


_NARROW, _QUARTER = ("-1/4", "1/4"), ("-1/2", "1/2")
_QUICK = (
    Shape("halves, noise", PLANE, (HALVES,) * 2, epochs=2, noise=_HALF),
    Shape("halves, own orders, noise", PLANE, (HALVES,) * 2, noise=_HALF, shared=False),
    Shape("windows of two", SPACE, (TWO_OF_3,) * 2, local_steps=2),
    Shape("halves in a box that leaves out the minimiser",
          Cohort(PLANE.hessians, PLANE.slopes, _NARROW[::-1], 3), (HALVES,) * 2, epochs=2,
          box=_NARROW),
    Shape("one client, whole, in a box", _ONE, (_WHOLE,), epochs=3, box=(-3, 3)),
    Shape("saddle", _SADDLE, (HALVES,) * 2, local_steps=2, epochs=2),
)  # fmt: skip
_MORE = (
    Shape("one client, coupled halves, noise", ALONE, (HALVES,), 2, 2, _HALF),
    Shape("halves, three steps", COUPLED, (HALVES,) * 2, 3, 3),
    Shape("rational norms", _ROUND, (HALVES,) * 2, 2, 2),
    Shape("clients start apart", PLANE, (HALVES, APART), 1, 2, _HALF),
    Shape("own orders, three sub-models", SPACE, (THIRDS,) * 2, 2, 1, shared=False),
    Shape("own orders, windows", SPACE, (TWO_OF_3,) * 2, 1, 1, shared=False),
    Shape("one client, windows of three", LONELY, (TWO_OF_3,), 2, 3),
    Shape("four windows of two", CORNERED, (_TWO_OF_4,) * 2, 1, 2),
    Shape("four windows of three", CORNERED, (THREE_OF_4,) * 2, 2, 1),
    Shape("widths that differ", CORNERED, (_TWO_OF_4, THREE_OF_4), 2, 1),
    Shape("own partitions", CORNERED, (PAIRS, STRIPES), 2, 3),
    Shape("own partitions, own orders", CORNERED, (_OUTER, STRIPES), 2, 2, shared=False),
    Shape("three clients, noise", _THREE, (HALVES,) * 3, 1, 1, _HALF),
    Shape("three clients, own orders", _THREE, (HALVES,) * 3, 3, 2, shared=False),
    Shape("whole models, noise", _LINE, (_WHOLE,) * 2, 2, 2, _HALF),
    Shape("whole models, one step", _LINE, (_WHOLE,) * 2, 1, 4),
    Shape("one client, two rounds of the whole", _ONE, (((1,), (1,)),), 1, 2, _HALF),
    Shape("a sub-model of nothing", _LINE, (((1,), (0,)), ((0,), (1,))), 2, 3),
    Shape("flat", _FLAT, (HALVES,) * 2, 2, 3),
    Shape("windows in a box, minimiser outside",
          Cohort(SPACE.hessians, SPACE.slopes, (0, _HALF, _HALF), _OF_CHAIN),
          (TWO_OF_3,) * 2, 1, 2, box=_QUARTER),
    Shape("halves in a wide box, noise", PLANE, (HALVES,) * 2, 1, 2, _HALF, box=(-4, 4)),
    Shape("projected each round", Cohort(PLANE.hessians, PLANE.slopes, _NARROW[::-1], 3),
          (HALVES,) * 2, 2, 2, box=_NARROW, each_round=True),
    Shape("saddle, four sub-models", _TWISTED, (_QUARTERS,), 2, 2),
)  # fmt: skip
_STEEP = (_QUICK[2], _MORE[0], _MORE[2], _MORE[8], _MORE[15])  # with eta K L = 1


def run_of(shape: Shape, divisor: Number | Fraction) -> Run:
    """With eta = 1 / (``divisor`` K L)."""
    cohort = shape.cohort
    eta = 1 / (Fraction(divisor) * shape.local_steps * Fraction(cohort.smoothness))
    data = {"hessians": cohort.hessians, "slopes": cohort.slopes, "noise": shape.noise}
    parameters: dict[str, Any] = {
        **{"sub_models": shape.masks, "orders": 1 if shape.shared else len(shape.masks)},
        **{"K": shape.local_steps, "eta": eta},
    }
    if shape.box is not None:
        parameters["box"] = shape.box
    problem = Objective("quadratics", tuple(data.items()))
    return Run(problem, cohort.start, tuple(parameters.items()), shape.epochs)


def setup_of(shape: Shape, divisor: Number | Fraction) -> Setup:
    """In its view."""
    if shape.box is not None:
        early = ", every round projected" if shape.each_round else ""
        return Setup("submodel", f"epochs in a box{early}", run_of(shape, divisor))
    view = "epochs" if shape.cohort.full else "epochs, F_M alone"
    return Setup("submodel", view, run_of(shape, divisor))


def epoch_of_windows() -> Setup:
    """Two clients, three windows of two coordinates in one order for both."""
    return setup_of(_QUICK[2], 10)


def _planned(
    shapes: tuple[Shape, ...], edges: tuple[Number, ...], *, quick: bool
) -> Iterator[Planned]:
    for shape in shapes:
        for edge in edges:
            divisor = Fraction(edge) * shape.sub_models
            yield Planned(f"{shape.name}, eta S K L = 1/{edge}", setup_of(shape, divisor), quick)


def _steep() -> Iterator[Planned]:
    for at, shape in enumerate(_STEEP):
        yield Planned(f"{shape.name}, eta K L = 1", setup_of(shape, 1), at == 0)


# ---- many epochs

_LONG: tuple[tuple[Shape, int], ...] = (
    (_QUICK[0], 40), (_MORE[0], 400), (_MORE[7], 200), (_MORE[9], 100), (_MORE[10], 300),
    (_QUICK[2], 300), (_MORE[2], 50), (_MORE[6], 1000), (_MORE[13], 200), (_MORE[14], 500),
    (_QUICK[5], 200),
)  # fmt: skip


def _long() -> Iterator[Planned]:
    for at, (shape, epochs) in enumerate(_LONG):
        view = "many epochs" if shape.cohort.full else "many epochs, F_M alone"
        for edge in _EDGES:
            run = run_of(replace(shape, epochs=epochs), Fraction(edge) * shape.sub_models)
            name = f"{shape.name}, eta S K L = 1/{edge}, {epochs} epochs"
            quick = at == 0 and edge == _EDGES[0]
            yield Planned(name, Setup("submodel", view, run), quick, floats=True)


# ---- for proofs: noise in steps of two, identical clients, gaps of gradients

_HALVED = ((1, "-1/2"), ("-1/2", 1))
_NEAR = (_HALF, "-1/2")
_SPLIT = Cohort((_FIRST, _HALVED), _PLANE_SLOPES, _NEAR, 3)
_SKEW = ((2, -1, 0), (-1, 2, _HALF), (0, _HALF, 1))
_WOVEN = Cohort((_BLOCKS, _SKEW), ((1, -1, 1), (2, _HALF, 2)), (*_NEAR, _HALF),
                "3448003961769389/1125899906842624")  # fmt: skip
_ALIKE = Cohort((((2,),), ((2,),)), ((1,), (-3,)), (2,), 2)
_NEAR_FLAT = Cohort(_FLAT.hessians, _FLAT.slopes, _NEAR, 2, full=False)
_BENT = Cohort((_CROSSED, _SECOND), ((1, 0), (-2, 1)), _NEAR, 3)
_TURNED_WINDOWS: Masks = ((1, 0, 1), (1, 1, 0), (0, 1, 1))
_BOTH, _WINDOWS = (HALVES, APART), (TWO_OF_3, _TURNED_WINDOWS)
_PROVED: tuple[tuple[Shape, tuple[Number, ...]], ...] = (
    (Shape("split, full gradients", _SPLIT, _BOTH, 2), (8, 10)),
    (Shape("split in a box, full gradients", _SPLIT, _BOTH, 2, box=_QUARTER), (10, _HALF)),
    (Shape("split, one step, noise", _SPLIT, _BOTH, 1, 1, _HALF), (8,)),
    (Shape("split in a box, one step, noise", _SPLIT, _BOTH, 1, 1, _HALF, box=_QUARTER), (10,)),
    (Shape("one client of the split, noise", Cohort((_FIRST,), ((1, -1),), _NEAR, 3),
           (HALVES,), 2, 1, _HALF), (8, 10)),
    (Shape("split, own orders", _SPLIT, _BOTH, 1, 1, _HALF, shared=False), (8, 10)),
    (Shape("woven windows", _WOVEN, _WINDOWS, 2, 2), (8, 10, "1/3", "1/12")),
    (Shape("woven windows in a box", _WOVEN, _WINDOWS, 2, 1, box=_QUARTER), (8, 10)),
    (Shape("woven windows in a box, own orders", _WOVEN, _WINDOWS, 2, 1, shared=False,
           box=_QUARTER), (10,)),
    (Shape("equal clients, whole models", _ALIKE, (_WHOLE,) * 2, 1, 2, _HALF), (8, 10)),
    (Shape("flat, near", _NEAR_FLAT, _BOTH, 2, 2), (8, 10)),
    (Shape("bent, near", _BENT, _BOTH, 2, 2), (8, 1)),
)  # fmt: skip
# hundreds of outcomes an epoch, of which claims speak, and steps of proofs on those above
_LARGE: tuple[tuple[Shape, tuple[Number, ...]], ...] = (
    (Shape("split, noise", _SPLIT, _BOTH, 2, 1, _HALF), (8, 10)),
    (Shape("split in a box, noise", _SPLIT, _BOTH, 2, 1, _HALF, box=_QUARTER), (10, _HALF)),
)


@dataclass(frozen=True)
class Bounds:
    """Numbers of a box: its diameter, its reach, and G there."""

    diameter: Number
    reach: Number
    gradient: Number


# sqrt(2), and G^2 = 53/4
_OF_SQUARE = Bounds("1.4142135623730951", "0.70710678118654753", "3.6400549446402595")


def _gaps(masks: tuple[Masks, ...], view: str) -> Setup:
    """Clients in proportion to b_i = (1 - q_i) G + L sqrt(q_i (1 - q_i)) W."""
    shape, bounds = Shape("split in a box", _SPLIT, masks, 2, 1, 0, box=_QUARTER), _OF_SQUARE
    run = run_of(shape, 10 * shape.sub_models)
    shares = [Fraction(sum(map(sum, own)), len(own) * len(own[0])) for own in masks]
    spread = tuple(Fraction(1, 2) if q == Fraction(1, 2) else Fraction(0) for q in shares)
    each = tuple(
        (1 - q) * Fraction(bounds.gradient)
        + Fraction(shape.cohort.smoothness) * x * Fraction(bounds.reach)
        for q, x in zip(shares, spread, strict=True)
    )
    more = (*run.parameters, ("spread", spread), ("bounds", each))
    chosen = {"D_dom": bounds.diameter, "W_sup": bounds.reach, "G": bounds.gradient}
    looked_at = Run(run.problem, run.start, more, run.rounds)
    return Setup("submodel", view, looked_at, tuple(chosen.items()))


def _proved() -> Iterator[Planned]:
    for shapes, steps in ((_PROVED, True), (_LARGE, False)):
        for shape, edges in shapes:
            for edge in edges:
                divisor = Fraction(edge) * shape.sub_models
                name = f"{shape.name}, eta S K L = {1 / Fraction(edge)}"
                yield Planned(name, setup_of(shape, divisor), True, steps=steps)
    for told, masks in (("halves", _BOTH), ("halves and the whole", (HALVES, ((1, 1),) * 2))):
        for view in ("gaps of epochs at the start", "gaps of epochs at w*(M)"):
            yield Planned(f"split in a box, {told}, {view}", _gaps(masks, view), True)


def planned() -> Iterator[Planned]:
    """All of them."""
    yield from _planned(_QUICK, _EDGES, quick=True)
    yield from _planned(_MORE, _EDGES, quick=False)
    yield from _steep()
    yield from _long()
    yield from _proved()
