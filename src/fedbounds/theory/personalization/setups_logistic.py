"""Runs of both algorithms on logistic losses that judge claims."""

from collections.abc import Iterator

from fedbounds.theory.language.setups import Planned, Setup

from . import small_logistic as logistic
from .small_logistic import Steps
from .views_logistic import OF

_QUICK, _SCAFFOLD = (3, 2), "Scaffold-P, "  # how many of the sizes


def _planned(of: str, at: int, runs: Iterator[Steps]) -> Iterator[Planned]:
    for steps in runs:
        given = (("F_0", str(steps.gap)),)
        setup = Setup("personalization", f"{OF}{of}rounds", steps.run, given)
        size = steps.size
        told = f"{of}logistic, n={size.n} m={size.m} K={size.K} T={size.T}, {steps.name}"
        yield Planned(told, setup, quick=at < _QUICK[bool(of)], steps=False)


def _every() -> Iterator[Planned]:
    for at, size in enumerate(logistic.SIZES):
        yield from _planned("", at, logistic.fedavg(size))
    for at, size in enumerate(logistic.SCAFFOLD_SIZES):
        yield from _planned(_SCAFFOLD, at, logistic.scaffold(size))


PLANNED: tuple[Planned, ...] = tuple(_every())
