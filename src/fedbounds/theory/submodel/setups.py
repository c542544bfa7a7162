"""Small runs of random masks that judge their claims: few clients, coordinates and local steps.

Step sizes lie at the edges of the claims' conditions: eta K L = 1/4, 1/8 or 1/10. The eigenvalues
of every Hessian are rational, so that L and mu are exact.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from fedbounds.theory.language.setups import Number, Objective, Planned, Run, Setup

from . import (
    draws,
    gap_setups,
    point_ladders,
    point_setups,
    rolling_end_setups,
    rolling_setups,
    run_ladders,
    side_setups,
    stability_ladders,
    stability_setups,
)

_EDGES = (4, 8, 10)
_HALF, _MOST, _FEW = "1/2", "4/5", "1/5"


@dataclass(frozen=True)
class Cohort:
    """Clients, where they start, L, and whether F has a minimiser of its own."""

    hessians: Any
    slopes: Any
    start: tuple[Number, ...]
    smoothness: int
    full: bool = True


_FIRST, _SECOND = ((2, 1), (1, 2)), ((2, -1), (-1, 2))
_TIGHT, _TWIN = ((5, 4), (4, 5)), ((5, -4), (-4, 5))
_EYE, _ONES, _CROSSED = ((1, 0), (0, 1)), ((1, 1), (1, 1)), ((1, 2), (2, 1))
_BLOCKS = ((2, 1, 0), (1, 2, 0), (0, 0, 1))
_LINE = Cohort((((2,),), ((1,),)), ((1,), (-3,)), (2,), 2)
_APART = Cohort((((1,),), ((1,),)), ((4,), (-4,)), (0,), 1)
_ONE = Cohort((((1,),),), ((-1,),), (3,), 1)
_PLANE = Cohort((_FIRST, _SECOND), ((1, -1), (2, "1/2")), (1, -1), 3)
_IN_SQUARE = Cohort(_PLANE.hessians, _PLANE.slopes, (_HALF, "-1/2"), 3)
_COUPLED = Cohort((_TIGHT, _TIGHT), ((-9, -9), (-9, -9)), (0, 0), 9)
_OPPOSED = Cohort((_TWIN, _EYE), ((2, -2), (-1, 1)), (1, 2), 9)
_FLAT = Cohort((_ONES, _ONES), ((-1, -1), (-1, -1)), (2, 0), 2, full=False)
_SADDLE = Cohort((_CROSSED, _CROSSED), ((0, 0), (0, 0)), (1, 1), 3, full=False)
_THREE = Cohort((((1,),), ((2,),), ((3,),)), ((1,), (0,), (-2,)), (1,), 3)
_SPACE = Cohort((_BLOCKS,), ((-3, -3, 1),), (0, 1, 2), 3)


@dataclass(frozen=True)
class Box:
    """Its ends, and numbers that are at least its diameter, its reach and G there."""

    ends: tuple[Number, Number]
    diameter: Number
    reach: Number
    gradient: Number


@dataclass(frozen=True)
class Shape:
    """Clients, the chances of their masks, local steps, rounds, noise and a box."""

    name: str
    cohort: Cohort
    keep: tuple[Number, ...]
    local_steps: int = 2
    rounds: int = 2
    noise: Number = 0
    box: Box | None = None


# sqrt(2) = 1.41421356237309504..., G^2 = 53/4 and 36^2 2
_SQUARE = Box(("-1/2", "1/2"), "1.4142135623730951", "0.70710678118654753", "3.6400549446402595")
_WIDE = Box((-3, 3), "8.4852813742385703", "4.2426406871192852", "50.911688245431422")
_LONG = Box((-3, 3), 6, 3, 4)
_SHORT = Box(("-1/2", "1/2"), 1, "1/2", "7/2")
_QUICK = (
    Shape("line, noise", _LINE, (_HALF, _HALF), noise=_HALF),
    Shape("plane", _PLANE, (_HALF, _MOST)),
    Shape("plane in a box that leaves out the minimiser", _IN_SQUARE, (_HALF, _MOST), box=_SQUARE),
    Shape("coupled, full masks", _COUPLED, (1, 1), 3),
    Shape("saddle, rare masks", _SADDLE, (_FEW, _FEW)),
    Shape("plane, full masks", _PLANE, (1, 1)),
    Shape("one client in a wide box, full masks", _ONE, (1,), box=_LONG),
)  # fmt: skip
_MORE = (
    Shape("line, rare masks, noise", _LINE, (_FEW, _FEW), noise=_HALF),
    Shape("line, unequal masks, noise, one step", _LINE, (_FEW, 1), 1, 3, _HALF),
    Shape("clients apart", _APART, (_HALF, _HALF), 4, 3),
    Shape("clients apart, full masks, noise", _APART, (1, 1), noise=_HALF),
    Shape("one client, noise", _ONE, (_HALF,), 3, noise=_HALF),
    Shape("one client, one step, one round", _ONE, (_MOST,), 1, 1),
    Shape("coupled, rare masks", _COUPLED, (_FEW, _FEW)),
    Shape("coupled, in a box", _COUPLED, (_HALF, _HALF), box=_WIDE),
    Shape("opposed", _OPPOSED, (_HALF, _HALF), 3),
    Shape("opposed, unequal masks", _OPPOSED, (_FEW, 1)),
    Shape("flat", _FLAT, (_HALF, _MOST)),
    Shape("saddle, unequal masks", _SADDLE, (_FEW, "1/10"), 3),
    Shape("three clients, noise", _THREE, (_HALF, _MOST, 1), 1, noise=_HALF),
    Shape("three clients, four rounds", _THREE, (_HALF, _HALF, _HALF), 1, 4),
    Shape("space", _SPACE, (_MOST,), 3),
    Shape("line in a box, noise", Cohort(_LINE.hessians, _LINE.slopes, (_HALF,), 2),
          (_HALF, _HALF), noise=_HALF, box=_SHORT),
    Shape("line, six rounds", _LINE, (_MOST, _MOST), 2, 6),
)  # fmt: skip
# sqrt(p (1 - p))
_SPREADS: Mapping[Number, Number] = {1: 0, _HALF: _HALF, _MOST: "2/5", _FEW: "2/5"}


def run_of(shape: Shape, edge: Number | Fraction) -> Run:
    """With eta K L = 1 / ``edge``."""
    cohort = shape.cohort
    eta = 1 / (Fraction(edge) * shape.local_steps * cohort.smoothness)
    data = {"hessians": cohort.hessians, "slopes": cohort.slopes, "noise": shape.noise}
    parameters: dict[str, Any] = {"keep": shape.keep, "K": shape.local_steps, "eta": eta}
    if shape.box is not None:
        spread = tuple(_SPREADS[p] for p in shape.keep)
        parameters |= {"box": shape.box.ends, "spread": spread}
    problem = Objective("quadratics", tuple(data.items()))
    return Run(problem, cohort.start, tuple(parameters.items()), shape.rounds)


def setup_of(shape: Shape, edge: Number) -> Setup:
    """In its view."""
    run, box = run_of(shape, edge), shape.box
    if box is None:
        view = "rounds" if shape.cohort.full else "rounds, F_p alone"
        return Setup("submodel", view, run)
    chosen = {"D_dom": box.diameter, "W_sup": box.reach, "G": box.gradient}
    return Setup("submodel", "rounds in a box", run, tuple(chosen.items()))


def _planned(shapes: tuple[Shape, ...], *, quick: bool) -> Iterator[Planned]:
    for shape in shapes:
        for edge in _EDGES:
            yield Planned(f"{shape.name}, eta K L = 1/{edge}", setup_of(shape, edge), quick)


# one client, one coordinate: noise for which eta K = 1/(8L) is sqrt(2 Phi N / (3 L R v))
_AT_ZERO = Cohort(_ONE.hessians, _ONE.slopes, (0,), 1)
_AT_THE_ROOT = (
    Shape("full masks, one round", _AT_ZERO, (1,), 3, 1, 8),
    Shape("full masks, four rounds", _AT_ZERO, (1,), 3, 4, 4),
    Shape("masks", _AT_ZERO, ("61/78",), 3, 1, "183/26"),
)

# ---- for proofs: masks and noise in one round, identical clients, gaps of gradients

_ALIKE = Cohort((((2,),), ((2,),)), ((1,), (-3,)), (2,), 2)
_HALVED = Cohort((_FIRST, (("1", "-1/2"), ("-1/2", "1"))), _PLANE.slopes, (_HALF, "-1/2"), 3)
_FLATTER = Cohort(_FLAT.hessians, _FLAT.slopes, (_HALF, "-1/2"), 2, full=False)
_BENT = Cohort((_CROSSED, _SECOND), ((1, 0), (-2, 1)), (_HALF, "-1/2"), 3)
_PROVED = (
    (Shape("plane, masks and noise", _HALVED, (_HALF, _MOST), 1, 1, _HALF), _EDGES),
    (Shape("one client of the plane, masks and noise",
           Cohort((_FIRST,), ((1, -1),), (_HALF, "-1/2"), 3), (_MOST,), 2, 1, _HALF), _EDGES),
    (Shape("equal clients, full masks", _ALIKE, (1, 1), 2, 2, _HALF), (1, *_EDGES)),
    (Shape("flat, near", _FLATTER, (_HALF, _MOST)), (8, 10)),
    (Shape("one client of a saddle", _BENT, (1, _MOST)), (4, 8)),
    (Shape("plane in a box, a long step", _IN_SQUARE, (_HALF, _MOST), 2, 1, 0, _SQUARE), (1,)),
)  # fmt: skip


_OTHERWISE = (
    (_QUICK[2], 10, "virtual iterates in a box"),
    (_MORE[15], 4, "virtual iterates in a box"),
    (_QUICK[3], 10, "full masks"),
    (_PROVED[2][0], 4, "full masks"),
)


def masked_round(
    *, keep: tuple[Number, ...] = (_HALF, _MOST), rounds: int = 1, boxed: bool = False
) -> Setup:
    """Two coupled clients, eta = 1/20; or in a box, with steps so long that it is left."""
    box = Box((-1, 1), "2.83", "1.42", "5.6") if boxed else None
    shape = Shape("a masked round", _PLANE, keep, 2, rounds, 0, box)
    return setup_of(shape, "1/6" if boxed else "10/3")


def looked_at(shape: Shape, edge: Number, view: str) -> Setup:
    """In another view than its own."""
    own = setup_of(shape, edge)
    return Setup(own.theory, view, own.run, own.chosen)


def _gaps(keep: tuple[Number, ...], view: str) -> Setup:
    """Clients in proportion to b_i = (1 - p_i) G + L sqrt(p_i (1 - p_i)) W."""
    shape = Shape("plane in a box", _IN_SQUARE, keep, 2, 2, 0, _SQUARE)
    setup, box = setup_of(shape, 10), _SQUARE
    bounds = tuple(
        (1 - Fraction(p)) * Fraction(box.gradient)
        + shape.cohort.smoothness * Fraction(_SPREADS[p]) * Fraction(box.reach)
        for p in keep
    )
    run = setup.run
    more = Run(run.problem, run.start, (*run.parameters, ("bounds", bounds)), run.rounds)
    return Setup("submodel", view, more, setup.chosen)


# ---- many rounds: eta K = 2 log_T / (mu pbar R), log_T at least ln R; and eta K L = 1/10

_SAME = Cohort((((1,),), ((1,),)), ((3,), (-1,)), (4,), 1)
_BEND = (("3/2", "1/2"), ("1/2", "3/2"))
_FAR = Cohort((_BEND, _BEND), ((1, -1), (-2, "1/2")), (3, -3), 2)
_MANY: tuple[tuple[Shape, str], ...] = (
    (Shape("", _SAME, (1, 1), 2, 100, _HALF), "4.605177815383"),
    (Shape("", _SAME, (1, 1), 1, 120), "4.787499372177"),
    (Shape("", _SAME, (_HALF, _HALF), 2, 250, _HALF), "5.521468547257"),
    (Shape("", _SAME, (_HALF, 1), 1, 200, "1/4"), "5.298324995943"),
    (Shape("", _FAR, (_HALF, _HALF), 2, 600, "1/4"), "6.396937284611"),
)
_MU = 1  # of both
_QUIET = Shape("equal clients, full masks", _ALIKE, (1, 1), 2, 100)


def tuned(shape: Shape, log: Number, mu: Number, view: str) -> Setup:
    """With eta K = 2 log_T / (mu pbar R)."""
    mean = sum(map(Fraction, shape.keep), Fraction(0)) / len(shape.keep)
    length = 2 * Fraction(log) / (Fraction(mu) * mean * shape.rounds)
    run = run_of(shape, 1 / (length * shape.cohort.smoothness))
    return Setup("submodel", view, run, (("log_T", log),))


def _many() -> Iterator[Planned]:
    for at, (shape, log) in enumerate(_MANY):
        sizes = f"d={len(shape.cohort.start)} K={shape.local_steps} R={shape.rounds}"
        name = f"long run, {sizes} p={', '.join(map(str, shape.keep))}"
        setup = tuned(shape, log, _MU, "many rounds, tuned")
        yield Planned(f"{name}, tuned", setup, at == 0, floats=True)
        edge = looked_at(shape, 10, "many rounds")
        yield Planned(f"{name}, eta K L = 1/10", edge, at == 0, floats=True)


PLANNED: tuple[Planned, ...] = (
    *stability_setups.PLANNED,
    *_planned(_QUICK, quick=True),
    *_planned(_MORE, quick=False),
    *(
        Planned(f"{shape.name}, tuned step at 1/(8L)", setup_of(shape, 8), True)
        for shape in _AT_THE_ROOT
    ),
    *(
        Planned(f"{shape.name}, eta K L = 1/{edge}", setup_of(shape, edge), True)
        for shape, edges in _PROVED
        for edge in edges
    ),
    *(
        Planned(f"{shape.name}, eta K L = 1/{edge}, {view}", looked_at(shape, edge, view), True)
        for shape, edge, view in _OTHERWISE
    ),
    *(
        Planned(f"plane in a box, p_2 = {keep[1]}, {view}", _gaps(keep, view), True)
        for keep in ((_HALF, _MOST), (_HALF, 1))
        for view in ("gaps at the start", "gaps at w*(p)")
    ),
    *_many(),
    Planned(f"{_QUIET.name}, log_T = 5", tuned(_QUIET, 5, 2, "rounds, tuned"), True),
    *rolling_setups.planned(),
    *rolling_end_setups.planned(),
    *draws.planned(),
    *point_setups.corners(),
    *point_setups.proved(),
    *point_ladders.planned(),
)
LADDERS = (*run_ladders.planned(), *stability_ladders.planned())
BESIDES = (*side_setups.planned(), *gap_setups.planned())
