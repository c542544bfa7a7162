"""Runs on common random numbers, and a paired interval for the ratio of two errors.

In every replica all algorithms meet the same start, participants and noise, so that the mean of a
difference varies less than either mean.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np
import sympy as sp
from scipy.stats import t as student

from fedbounds.verify.measure.contract import drawn_by, one_step, started
from fedbounds.verify.measure.evaluate import Numbers, evaluate
from fedbounds.verify.measure.expressions import without_products
from fedbounds.verify.measure.random import Random
from fedbounds.verify.measure.reading import reading, with_derived
from fedbounds.verify.measure.sources import Source
from fedbounds.verify.measure.spaces import PAST, Listed, vector
from fedbounds.verify.measure.subject import Subject

from .passage import Ending, Passage

Array = Any
_KEY = 0  # of the stream of draws: all cells share it


@dataclass(frozen=True)
class Draws:
    """Which draws a run meets: ``replicas`` of them from one stream."""

    replicas: int
    seed: int
    chunk: int


@dataclass(frozen=True)
class Interval:
    """An interval for log(E first / E second), errors after ``rounds`` rounds."""

    low: float
    middle: float
    high: float
    rounds: int


def running_errors(
    subjects: dict[str, Subject], errors: Mapping[str, sp.Expr], draws: Draws
) -> Iterator[dict[str, Array]]:
    """Errors averaged over rounds 0, ..., T - 1 in each replica, for T = 1, 2, ...; endless.

    Parameters
    ----------
    subjects : dict from label to subject
        In floats. A run ends when its label is deleted here.
    errors : mapping from label to expression
        The error of a round's start, by its definition.
    """
    common = _Common(draws)
    states = {
        label: started(
            one.algorithm, one.problem, _rows(one, draws), common.random(), one.parameters()
        )
        for label, one in subjects.items()
    }
    totals = {label: np.zeros(draws.replicas) for label in subjects}
    rounds = 0
    while subjects:
        rounds += 1
        common.next_round()
        for label, one in subjects.items():
            p = one.parameters()
            drawn = drawn_by(one.algorithm, common.random(), one.problem, p)
            after, shown = one_step(one.algorithm, one.problem, p, states[label], drawn)
            totals[label] = totals[label] + per_row(one, {**states[label], **shown}, errors[label])
            states[label] = after
        yield {label: totals[label] / rounds for label in subjects}


class _Common:
    """Draws of a round: what is asked for in the same place and of the same law is the same."""

    def __init__(self, draws: Draws) -> None:
        self._draws, self._stream = draws, np.random.default_rng([draws.seed, _KEY, draws.chunk])
        self._made: dict[tuple[int, Source], Array] = {}

    def next_round(self) -> None:
        """Forget what was drawn."""
        self._made.clear()

    def random(self) -> Random:
        """What an algorithm asks from the first place on."""
        places = count()

        def answer(source: Source) -> Array:
            key = next(places), source
            if key not in self._made:
                rows = source.sample(self._stream, self._draws.replicas)
                kind = np.int64 if source.selects else np.float64
                self._made[key] = rows.astype(kind).reshape(self._draws.replicas, *source.shape)
            return self._made[key]

        return Random(answer)


def _rows(subject: Subject, draws: Draws) -> Array:
    return np.repeat(subject.start[None, :], draws.replicas, axis=0)


def per_row(subject: Subject, arrays: Mapping[str, Array], error: sp.Expr) -> Array:
    """A combination of sq and ip of what a round shows, in each row; means over indices taken."""
    read, silent = reading(subject, arrays), (1,) * len(subject.shown.draws)
    vectors, factors = (
        {name: x.reshape(len(x), *silent, *x.shape[1:]) for name, x in own.items()}
        for own in (read.vectors, read.factors)
    )
    count_of = len(next(iter(vectors.values())))
    weights = (np.full(count_of, 1 / count_of), *(np.ones(1) for _ in silent), *read.weights)
    space = Listed(subject.shown.sources, weights, vectors, factors, tuple(subject.shown.indices))
    space = with_derived(subject, space)
    plain, nodes = without_products(sp.expand(error))
    series = {}
    for name, node in nodes:
        sides = [vector(argument, space, {}) for argument in node.args]
        inner = (sides[0] * sides[-1]).sum(axis=-1, keepdims=True)
        series[name] = np.broadcast_to(space.mean(inner, (PAST,)).reshape(-1), (count_of,))
    found: Array = evaluate(plain, Numbers({}, series), range(count_of))
    return found


def race(
    runs: Iterator[dict[str, Array]],
    subjects: dict[str, Subject],
    names: Mapping[str, str],
    eps: float,
    limit: int,
) -> dict[str, tuple[str, Passage]]:
    """For each name, the label of that name whose mean error is first at most eps, and when.

    Parameters
    ----------
    runs : iterator
        Of `running_errors` of the same ``subjects``; runs that are settled are deleted there.
    names : mapping from label to name
        The step sizes of one algorithm are labels of one name.
    """
    found: dict[str, tuple[str, Passage]] = {}
    diverged: dict[str, tuple[str, Passage]] = {}
    with np.errstate(over="ignore", invalid="ignore"):  # a diverging run tells by its mean
        for done, errors in enumerate(runs, start=1):
            for label, values in errors.items():
                mean = values.mean()
                if not np.isfinite(mean):
                    diverged[names[label]] = label, Passage(Ending.DIVERGED, done)
                    del subjects[label]
                elif mean <= eps:
                    found.setdefault(names[label], (label, Passage(Ending.REACHED, done)))
            for label in [label for label in subjects if names[label] in found]:
                del subjects[label]
            if done >= limit:
                break
    late = {names[label]: (label, Passage(Ending.LIMIT, limit)) for label in subjects}
    return diverged | late | found


def errors_after(runs: Iterator[dict[str, Array]], rounds: int) -> dict[str, Array]:
    """Errors in each replica after so many rounds."""
    with np.errstate(over="ignore", invalid="ignore"):
        for done, errors in enumerate(runs, start=1):
            if done == rounds:
                return errors
    raise AssertionError("runs ended before")


def log_ratio(first: Array, second: Array, rounds: int, level: float) -> Interval:
    """The interval at confidence 1 - ``level``, paired by replica.

    Student's, by the delta method: approximate, for means of many replicas. Its ends are not finite
    where a run has diverged.
    """
    with np.errstate(all="ignore"):
        above, below = float(first.mean()), float(second.mean())
        middle = float(np.log(np.divide(above, below)))
        influence = first / above - second / below
        deviation = float(influence.std(ddof=1)) / np.sqrt(len(first))
    half = float(student.ppf(1 - level / 2, len(first) - 1) * deviation)
    return Interval(middle - half, middle, middle + half, rounds)
