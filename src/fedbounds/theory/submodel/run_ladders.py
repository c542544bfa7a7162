"""Ladders of runs of random masks: in the rounds R, the local steps K and the capacity p."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any

import sympy as sp

from fedbounds.theory.setups import Ladder, Number, Objective, PlannedLadder, Run, Setup

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
    parameters = {"keep": keep, "K": steps, "eta": eta}
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
    eta = 1 / (10 * Fraction(cohort.L) * steps)
    setups = []
    for stage in range(1, stages + 1):
        setup = _of(cohort, keep, steps, eta, first * (2**stage - 1), "ends of runs in stages")
        more = (*setup.run.parameters, ("first_stage", first))
        run = Run(setup.run.problem, setup.run.start, more, setup.run.rounds)
        setups.append(Setup(setup.theory, setup.view, run))
    return Ladder("submodel", "over stages", tuple(setups))


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
        for share in (_HALF, 1):
            keep, first = (share,) * len(cohort.slopes), first_stage(cohort, share)
            few, every = (
                over_stages(cohort, keep, steps, first, stages) for stages in (_FEW_STAGES, _STAGES)
            )
            name = f"stages of halved steps, random masks, share {share}, {label}, K={steps}"
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
    eta, n = 1 / (10 * Fraction(cohort.L) * steps), len(cohort.slopes)
    setups = (
        _of(cohort, (share,) * n, steps, eta, rounds, "ends of runs, p alike") for share in shares
    )
    return Ladder("submodel", "over p", tuple(setups))


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


def _capacity_ladders() -> Iterator[PlannedLadder]:
    for at, (label, cohort) in enumerate(_OVER_CAPACITY):
        few = 2 * len(cohort.start)
        for steps in (1,) if cohort.noise else (1, 3):
            for rounds in (few, _ROUNDS):
                for what, shares in (("p", _SHARES), ("the least and the full p", _SHARES[::3])):
                    name = f"ladder in {what}, {label}, K={steps}, R={rounds}"
                    every = over_capacity(cohort, shares, steps, rounds)
                    quick = None
                    if at < _QUICK and steps == 1:
                        quick = over_capacity(cohort, shares, steps, min(rounds, _FEW_ROUNDS))
                    yield PlannedLadder(name, every, quick)


def planned() -> Iterator[PlannedLadder]:
    """Every ladder."""
    yield from _rounds_ladders()
    yield from _stages_ladders()
    yield from _steps_ladders()
    yield from _capacity_ladders()
