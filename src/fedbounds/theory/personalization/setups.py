"""Small runs of both algorithms that judge their claims, and show the steps of proofs."""

from collections.abc import Iterator
from fractions import Fraction

from fedbounds.theory.language.setups import Planned, PlannedLadder, Setup

from . import (
    choices,
    participants,
    run_ladders,
    setups_cosines,
    setups_logistic,
    setups_scaffold,
)
from .small_runs import CURVATURES, SIZES, proved, run_of, schedules


def _planned() -> Iterator[Planned]:
    for of in CURVATURES:
        for size in SIZES:
            for name, gamma, outer in schedules(of, size, Fraction(1, 32)):
                setup = Setup("personalization", "rounds", run_of(of, size, gamma, outer))
                told = f"{of.name}, {size.told}, {name}"
                yield Planned(told, setup, quick=True, steps=False)


def _proved() -> Iterator[Planned]:
    for told, run, each in proved():
        for view in ("rounds", "one client"):
            setup = Setup("personalization", view, run)
            yield Planned(f"{told}, {view}", setup, quick=True, judged=False)
        for k, one in enumerate(each):
            for view in ("one local step", *(("the first local step",) if k == 0 else ())):
                setup = Setup("personalization", view, one)
                yield Planned(f"{told}, {view}, k = {k}", setup, quick=True, judged=False)


PLANNED: tuple[Planned, ...] = (
    *_planned(),
    *_proved(),
    *setups_scaffold.PLANNED,
    *setups_cosines.PLANNED,
    *setups_logistic.PLANNED,
    *participants.PLANNED,
)
CHOICES = choices.PLANNED
LADDERS: tuple[PlannedLadder, ...] = tuple(run_ladders.planned())
