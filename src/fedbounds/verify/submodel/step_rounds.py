"""Long runs of random masks as the proofs speak of them: numbers, and no vectors."""

from collections.abc import Iterator

import numpy as np

from fedbounds.theory.submodel.bounds import RANDOM_FLOOR
from fedbounds.theory.submodel.names import RANDOM
from fedbounds.theory.submodel.random_convex import SHRINKS

from ..case import find
from ..evaluate import Numbers
from ..evaluate import evaluate as number
from .random_long import LongRandomRun
from .step_spaces import Shown, StepCase, shown, space


def long_cases(name: str, setup: LongRandomRun) -> Iterator[StepCase]:
    """The ends of a run and the round in the middle, without vectors."""
    seen = with_excess(shown(find(setup)))
    for t in (0, setup.rounds // 2, setup.rounds - 1):
        there = space(("past",), (np.ones(1),), {"one": np.ones((1, 1))}, seen.series, t=t)
        yield StepCase(
            f"{name}, round {t}", RANDOM, frozenset({""}), there, seen.values, seen.assumptions
        )


def with_excess(seen: Shown) -> Shown:
    """The same with the distance's excess over its floor, where there is a floor."""
    if "mu" not in seen.values or "p_mean" not in seen.values:
        return seen
    numbers = Numbers(seen.values, {})
    floor, shrinks = (float(number(x, numbers)) for x in (RANDOM_FLOOR, SHRINKS))
    if not shrinks < 1:
        return seen
    distance = seen.series["D_opt"]
    excess = (distance - floor) / (1 - shrinks) ** np.arange(len(distance))
    return Shown(seen.values, {**seen.series, "Z_ex": excess}, seen.assumptions)
