"""Small runs of Scaffold-P that judge its claims, and show the steps of proofs."""

from collections.abc import Iterator
from fractions import Fraction

from fedbounds.theory.language.setups import Planned, Run, Setup

from .small_runs import CURVATURES, SIZES, Size, proved, run_of, schedules

_MOST = 4  # clients times local steps in a quick plan
# of few outcomes: what fails there is shown by all of them
_SILENT = (Size(2, 1, 2, 2, 0),)


def _setup(view: str, run: Run) -> Setup:
    return Setup("personalization", f"Scaffold-P, {view}", run)


def _planned() -> Iterator[Planned]:
    for of in CURVATURES:
        for size in (*SIZES, *_SILENT):
            # m / n is a rational below min(m / n^(2/3), 1)
            for name, gamma, outer in schedules(of, size, Fraction(size.m, 72 * size.n)):
                setup = _setup("rounds", run_of(of, size, gamma, outer))
                told = f"Scaffold-P, {of.name}, {size.told}, {name}"
                yield Planned(told, setup, quick=size.n * size.K <= _MOST, steps=False)


def _proved() -> Iterator[Planned]:
    for told, run, each in proved():
        first = ("the first round",) if run.rounds == 1 else ()
        for view in ("rounds", "one client", "one memory", *first):
            name = f"Scaffold-P, {told}, {view}"
            yield Planned(name, _setup(view, run), quick=True, judged=False)
        for k, one in enumerate(each):
            first = ("the first local step",) if k == 0 else ()
            for view in ("one local step", "one local step and all memories", *first):
                name = f"Scaffold-P, {told}, {view}, k = {k}"
                yield Planned(name, _setup(view, one), quick=True, judged=False)


PLANNED: tuple[Planned, ...] = (*_planned(), *_proved())
