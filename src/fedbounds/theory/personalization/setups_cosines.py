"""Runs of both algorithms on coupled cosines that judge claims, and show the steps of proofs."""

from collections.abc import Iterator
from fractions import Fraction

from fedbounds.theory.language.setups import Planned, Run, Setup

from . import small_cosines as cosines
from .small_cosines import Edge, Noisy
from .small_runs import schedules
from .views_cosines import OF

_SCAFFOLD = "Scaffold-P, "


def _setup(view: str, run: Run) -> Setup:
    return Setup("personalization", OF + view, run)


def _judged(of: str, sizes: tuple[Noisy, ...], edges: tuple[Edge, ...]) -> Iterator[Planned]:
    """Of the algorithm whose views have this in front of their names."""
    for own in (cosines.COSINES, cosines.STEEP):
        for one in sizes:
            # m / n is a rational below min(m / n^(2/3), 1)
            short = Fraction(one.size.m, 72 * one.size.n) if of else Fraction(1, 32)
            for name, gamma, outer in schedules(own, one.size, short):
                setup = _setup(f"{of}rounds", cosines.run_of(own, one, gamma, outer))
                told = f"{of}{own.name}, {one.told}, {name}"
                yield Planned(told, setup, quick=own is cosines.COSINES, steps=False)
    for edge in edges:
        told = f"{of}{edge.of.name}, {edge.noisy.told}, prescribed steps"
        yield Planned(told, _setup(f"{of}rounds", edge.run), quick=True, steps=False)


def _proved() -> Iterator[Planned]:
    for told, run, each in cosines.proved(*cosines.PROVED):
        for view in ("rounds", "one client"):
            yield _for_proofs(told, view, run)
        for k, one in enumerate(each):
            for view in ("one local step", *(("the first local step",) if k == 0 else ())):
                yield _for_proofs(f"{told}, k = {k}", view, one)
    for told, run, each in cosines.proved(*cosines.SCAFFOLD_PROVED):
        first = ("the first round",) if run.rounds == 1 else ()
        for view in ("rounds", "one client", "one memory", *first):
            yield _for_proofs(told, _SCAFFOLD + view, run)
        for k, one in enumerate(each):
            first = ("the first local step",) if k == 0 else ()
            for view in ("one local step", "one local step and all memories", *first):
                yield _for_proofs(f"{told}, k = {k}", _SCAFFOLD + view, one)


def _for_proofs(told: str, view: str, run: Run) -> Planned:
    return Planned(f"{told}, {view}", _setup(view, run), quick=True, judged=False)


PLANNED: tuple[Planned, ...] = (
    *_judged("", cosines.SIZES, cosines.EDGES),
    *_judged(_SCAFFOLD, cosines.SCAFFOLD_SIZES, cosines.SCAFFOLD_EDGES),
    *_proved(),
)
