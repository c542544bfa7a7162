"""Which of two instances that break a claim is shown: the fairer one, then the smaller one."""

from collections.abc import Iterable, Set
from itertools import islice
from typing import Any

from flint import fmpq

from fedbounds.theory.language.registry import glossary

from ..decide.case import constants_of, parameters_of
from ..decide.judgement import Judgement
from ..decide.measurement import measure
from ..measure.evaluate import Numbers

LOOKS = 8  # violations that are looked at for a fair one
_STEPS = ("eta", "gamma")  # of one local step, or the effective one
_FEW = 4  # rounds that a reader follows


def fairest(broken: Iterable[Judgement]) -> Judgement | None:
    """The first violation that is fair, in the order given; without one, the least unfair."""
    seen: list[tuple[tuple[bool, bool], int, Judgement]] = []
    for judgement in islice(broken, LOOKS):
        seen.append((unfairness(judgement), len(seen), judgement))
        if not any(seen[-1][0]):
            break
    return min(seen, key=lambda one: one[:2])[2] if seen else None


def unfairness(judgement: Judgement) -> tuple[bool, bool]:
    """Whether a step is longer than 1/L, which nobody takes; whether the run says little.

    It does if it starts at a minimiser; a run of many rounds is no better than that. Where no
    smoothness is known of the set-up, steps are compared with 1.
    """
    instance = judgement.instance
    constants = {name.value: row.value for name, row in constants_of(instance).items()}
    parameters = parameters_of(instance)
    smooth = constants.get("L") or 1
    steps = [parameters.get(name, 0) for name in _STEPS]
    if not isinstance(smooth, fmpq | int):  # of what is followed in balls it may be a float
        steps, smooth = list(map(float, steps)), float(smooth)
    long = any(float(step * smooth) > 1 for step in steps)
    many = parameters.get("T", 0) > _FEW
    left = glossary(judgement.claim.entry.paper).left
    return long, bool(many) or _starts_at_rest(measure(instance).numbers, left)


def _starts_at_rest(numbers: Numbers, left: Set[str]) -> bool:
    series = numbers.series
    first: list[Any] = [series[name][..., 0] for name in left & series.keys()]
    return any(bool((own == 0).all()) for own in first)
