"""Ladders of runs of random and rolling masks: in the rounds R, the steps K and the capacity."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import ceil
from typing import Any

import sympy as sp

from fedbounds.theory.language.setups import Ladder, Number, Objective, PlannedLadder, Run, Setup

from .point_setups import Masks, windows

_HALF = "1/2"
Row = tuple[Number, ...]
_PLACES = 2**16  # binary places kept of logarithms


@dataclass(frozen=True)
class Cohort:
    """Clients x' A_i x / 2 + h_i' x, a start, noise of +-scale; their curvatures."""

    hessians: Any
    slopes: Any
    start: tuple[Number, ...]
    noise: Number = 0
    mu: Number = 1
    L: Number = 2

    def problem(self) -> Objective:
        """As data."""
        data = {"hessians": self.hessians, "slopes": self.slopes, "noise": self.noise}
        return Objective("quadratics", tuple(data.items()))


_ONE = ((1,),)
_STEEP = ((2, 0), (0, 1))
_PLANE = (("3/2", _HALF), (_HALF, "3/2"))
_LINE_APART = Cohort((_ONE, _ONE), ((3,), (-1,)), (4,))
_LINE_NOISE = Cohort((_ONE, _ONE), ((3,), (-1,)), (4,), _HALF)
_PLANE_NOISE = Cohort((_PLANE, _PLANE), ((1, -1), (-2, _HALF)), (3, -3), "1/4")
_PLANE_APART = Cohort((_PLANE, _STEEP), ((1, -1), (-2, _HALF)), (3, -3))
_ALONE = Cohort((_PLANE,), ((1, -2),), (0, 0))
_EYE = ((1, 0), (0, 1))
_TIGHT = ((1, "3/4"), ("3/4", 1))
_CHAIN = ((2, 1, 0), (1, 3, 1), (0, 1, 2))
_ALL_PAIRS = ((2, 1, 1), (1, 2, 1), (1, 1, 2))
# couplings to neighbours and to the opposite that cancel at (1, 1, 1, 1)
_RING = ((5, 1, -2, 1), (1, 5, 1, -2), (-2, 1, 5, 1), (1, -2, 1, 5))
_SLOPES = Cohort((_EYE, _EYE), ((3, -1), (-1, 3)), (2, 2), L=1)
_ALIGNED = Cohort((_TIGHT, _TIGHT), ((-3, 0), (1, -2)), (0, 0), 0, "1/4", "7/4")
_ALIGNED_NOISE = Cohort((_TIGHT, _TIGHT), ((-3, 0), (1, -2)), (0, 0), _HALF, "1/4", "7/4")


def _of(cohort: Cohort, keep: Row, steps: int, eta: Any, rounds: int,
        view: str, chosen: Any = ()) -> Setup:  # fmt: skip
    return _with(cohort, {"keep": keep, "K": steps, "eta": eta}, rounds, view, chosen)


def _rolling(cohort: Cohort, masks: Masks, steps: int, eta: Any, epochs: int, view: str,
             **more: Any) -> Setup:  # fmt: skip
    """One order for all clients."""
    own = {"sub_models": masks, "orders": 1, "K": steps, "eta": eta, **more}
    return _with(cohort, own, epochs, view)


def _with(cohort: Cohort, parameters: Any, rounds: int, view: str, chosen: Any = ()) -> Setup:
    run = Run(cohort.problem(), cohort.start, tuple(parameters.items()), rounds)
    return Setup("submodel", view, run, chosen)


# ---- in R


def log_between(rounds: int) -> tuple[Fraction, Fraction]:
    """Rationals of few digits below and above ln R."""
    floor = int(sp.floor(sp.log(rounds) * _PLACES))
    return Fraction(floor, _PLACES), Fraction(floor + 1, _PLACES)


def over_rounds(cohort: Cohort, keep: Row, steps: int, rounds: Any) -> Ladder:
    """With eta K = 2 l / (mu pbar R) on every rung, l a rational just above ln R."""
    mean = sum(map(Fraction, keep), Fraction(0)) / len(keep)
    setups = []
    for R in rounds:
        low, high = log_between(R)
        eta = 2 * high / (Fraction(cohort.mu) * mean * R * steps)
        chosen = (("log_R", high), ("log_low", low))
        setups.append(_of(cohort, keep, steps, eta, R, "ends of runs, tuned", chosen))
    return Ladder("submodel", "over R", tuple(setups))


_OVER_ROUNDS: tuple[tuple[str, Cohort, Row, int, int], ...] = (
    ("clients apart, noise", _LINE_NOISE, (_HALF, _HALF), 2, 256),
    ("full masks, noise", _LINE_NOISE, (1, 1), 2, 128),
    ("full masks, no noise", _LINE_APART, (1, 1), 1, 128),
    ("unequal masks, noise", _LINE_NOISE, (_HALF, 1), 2, 256),
    ("coupled coordinates, noise", _PLANE_NOISE, (_HALF, _HALF), 1, 1024),
)


def _rounds_ladders() -> Iterator[PlannedLadder]:
    for at, (label, cohort, keep, steps, first) in enumerate(_OVER_ROUNDS):
        name = f"ladder in R from {first}, {label}, K={steps}"
        counts = (4, 4 if steps == 1 else 6)
        few, every = (
            over_rounds(cohort, keep, steps, [first * 2**power for power in range(count)])
            for count in counts
        )
        yield PlannedLadder(name, every, None if at else few, floats=True)


# ---- in R, as one run of stages: a rung is the end of one

_STAGES, _FEW_STAGES = 5, 3


def over_stages(cohort: Cohort, keep: Row, steps: int, first: int, stages: int) -> Ladder:
    """Step sizes halve from stage to stage, whose lengths double; at first eta K L = 1/10."""
    own = {"keep": keep, "K": steps, "eta": _edge(cohort, steps), "first_stage": first}
    lengths = (first * (2**stage - 1) for stage in range(1, stages + 1))
    setups = (_with(cohort, own, length, "ends of runs in stages") for length in lengths)
    return Ladder("submodel", "over stages", tuple(setups))


def over_stages_of_epochs(
    cohort: Cohort, masks: Masks, steps: int, first: int, stages: int
) -> Ladder:
    """The same of epochs; at first eta S K L = 1/10."""
    eta = _edge(cohort, steps) / len(masks[0])
    lengths = (first * (2**stage - 1) for stage in range(1, stages + 1))
    setups = (
        _rolling(cohort, masks, steps, eta, length, "ends of epochs in stages", first_stage=first)
        for length in lengths
    )
    return Ladder("submodel", "over stages of epochs", tuple(setups))


def _edge(cohort: Cohort, steps: int) -> Fraction:
    """eta with eta K L = 1/10."""
    return 1 / (10 * Fraction(cohort.L) * steps)


def first_stage(cohort: Cohort, share: Number) -> int:
    """Just long enough: 7/5 of the contraction eta K mu p / 2 at eta K L = 1/10."""
    contraction = Fraction(cohort.mu) * Fraction(share) / (20 * Fraction(cohort.L))
    return ceil(Fraction(7, 5) / contraction)


_OVER_STAGES = (
    ("clients apart, noise", _PLANE_NOISE, 1),
    ("clients apart", _PLANE_APART, 1),
    ("slopes differ, no coupling, two steps", _SLOPES, 2),
    ("aligned features, noise", _ALIGNED_NOISE, 1),
)


def _stages_ladders() -> Iterator[PlannedLadder]:
    for at, (label, cohort, steps) in enumerate(_OVER_STAGES):
        kinds: list[tuple[str, Number, Callable[[int, int], Ladder]]] = []
        for share in (_HALF, 1):
            keep = (share,) * len(cohort.slopes)
            kinds.append(("random", share, partial(over_stages, cohort, keep, steps)))
        halves = (((1, 0), (0, 1)),) * len(cohort.slopes)
        kinds.append(("rolling", _HALF, partial(over_stages_of_epochs, cohort, halves, steps)))
        for kind, share, ladder in kinds:
            first = first_stage(cohort, share)
            few, every = (ladder(first, stages) for stages in (_FEW_STAGES, _STAGES))
            name = f"stages of halved steps, {kind} masks, share {share}, {label}, K={steps}"
            yield PlannedLadder(name, every, None if at else few, floats=True)


# ---- in K


def over_steps(cohort: Cohort, keep: Row, steps: Any) -> Ladder:
    """Whatever eta is: it tends to 0."""
    setups = (_of(cohort, keep, K, "1/16", 1, "ends of runs, full gradients") for K in steps)
    return Ladder("submodel", "over K", tuple(setups))


_OVER_STEPS: tuple[tuple[str, Cohort, Row], ...] = (
    ("clients apart", _LINE_APART, (_HALF, _HALF)),
    ("unequal masks", _PLANE_APART, (_HALF, "4/5")),
    ("one client, coupled coordinates", _ALONE, (_HALF,)),
    ("full models", _PLANE_APART, (1, 1)),
)


def _steps_ladders() -> Iterator[PlannedLadder]:
    for at, (label, cohort, keep) in enumerate(_OVER_STEPS):
        name = f"ladder in K, {label}"
        few = None if at else over_steps(cohort, keep, (1, 2, 4))
        yield PlannedLadder(name, over_steps(cohort, keep, (1, 2, 4, 8)), few)


# ---- in p


def over_capacity(cohort: Cohort, shares: Any, steps: int, rounds: int) -> Ladder:
    """eta K L = 1/10, for every p."""
    eta, n = _edge(cohort, steps), len(cohort.slopes)
    setups = (
        _of(cohort, (share,) * n, steps, eta, rounds, "ends of runs, p alike") for share in shares
    )
    return Ladder("submodel", "over p", tuple(setups))


def over_windows(cohort: Cohort, steps: int, rounds: int, widths: Any = ()) -> Ladder:
    """The same for cyclic windows of every width: q of a width w is w/d."""
    n, d, eta = len(cohort.slopes), len(cohort.start), _edge(cohort, steps)
    setups = (
        _rolling(cohort, windows(n, d, width), steps, eta, rounds // d, "ends of epochs, q alike")
        for width in widths or range(1, d + 1)
    )
    return Ladder("submodel", "over q", tuple(setups))


_SHARES = ("1/4", _HALF, "3/4", 1)
_OVER_CAPACITY = (
    ("slopes differ, no coupling", _SLOPES),
    ("aligned features, slopes differ", _ALIGNED),
    ("noise around a shared minimiser", Cohort((_TIGHT,), ((0, 0),), (1, 1), 1, "1/4", "7/4")),
    ("start along the slow direction", Cohort((_TIGHT,), ((0, 0),), (1, -1), 0, "1/4", "7/4")),
    ("aligned features, noise", _ALIGNED_NOISE),
    ("clients apart, Hessians differ", _PLANE_APART),
    ("a chain", Cohort((_CHAIN, _CHAIN), ((1, 0, 2), (-1, 2, 0)), (1, 1, 1), L=4)),
    ("three equal features", Cohort((_ALL_PAIRS,), ((-4, -4, -4),), (0, 0, 0), L=4)),
    ("couplings that cancel", Cohort((_RING,), ((-5, -5, -5, -5),), (2, 0, 2, 0), L=7)),
)
_FEW_ROUNDS, _ROUNDS, _QUICK = 60, 120, 4
_RING_OF_6 = (
    (5, 1, 0, -2, 0, 1), (1, 5, 1, 0, -2, 0), (0, 1, 5, 1, 0, -2),
    (-2, 0, 1, 5, 1, 0), (0, -2, 0, 1, 5, 1), (1, 0, -2, 0, 1, 5),
)  # fmt: skip
_RING_OF_8 = (
    (5, 1, 0, 0, -2, 0, 0, 1), (1, 5, 1, 0, 0, -2, 0, 0), (0, 1, 5, 1, 0, 0, -2, 0),
    (0, 0, 1, 5, 1, 0, 0, -2), (-2, 0, 0, 1, 5, 1, 0, 0), (0, -2, 0, 0, 1, 5, 1, 0),
    (0, 0, -2, 0, 0, 1, 5, 1), (1, 0, 0, -2, 0, 0, 1, 5),
)  # fmt: skip
# six and eight sub-models, in 720 and 40,320 orders; the other clients pull the other way
_MANY_SUB_MODELS = (
    ("a ring of six", Cohort((_RING_OF_6,), ((-5,) * 6,), (2, 0) * 3, L=9)),
    ("a ring of six, clients apart",
     Cohort((_RING_OF_6,) * 2, ((3, -1) * 3, (-1, 3) * 3), (1,) * 6, L=9)),
    ("a ring of six, noise", Cohort((_RING_OF_6,), ((0,) * 6,), (1, 1, -1) * 2, 1, L=9)),
    ("a ring of eight", Cohort((_RING_OF_8,), ((-5,) * 8,), (2, 0) * 4, L=9)),
)  # fmt: skip


def _capacity_ladders() -> Iterator[PlannedLadder]:
    for at, (label, cohort) in enumerate(_OVER_CAPACITY):
        least = 2 * len(cohort.start)
        for steps in (1,) if cohort.noise else (1, 3):
            for rounds in (least, _ROUNDS):
                for what, ladder in (
                    ("p", partial(over_capacity, cohort, _SHARES, steps)),
                    (
                        "the least and the full p",
                        partial(over_capacity, cohort, _SHARES[::3], steps),
                    ),
                    ("q", partial(over_windows, cohort, steps)),
                ):
                    few = at < _QUICK and steps == 1
                    quick = ladder(min(rounds, _FEW_ROUNDS)) if few else None
                    name = f"ladder in {what}, {label}, K={steps}, R={rounds}"
                    yield PlannedLadder(name, ladder(rounds), quick)


def _ladders_of_many() -> Iterator[PlannedLadder]:
    for label, cohort in _MANY_SUB_MODELS:
        for rounds in (2 * len(cohort.start), _ROUNDS):
            name = f"ladder in q, {label}, K=1, R={rounds}"
            yield PlannedLadder(name, over_windows(cohort, 1, rounds), None)


def planned() -> Iterator[PlannedLadder]:
    """Every ladder."""
    yield from _rounds_ladders()
    yield from _stages_ladders()
    yield from _steps_ladders()
    yield from _capacity_ladders()
    yield from _ladders_of_many()
