"""Runs on common random numbers, and a paired interval for the ratio of two errors.

In every replica all algorithms meet the same start, participants and noise, so that the mean of a
difference varies less than either mean.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import t as student

from fedbounds.algorithms.fedavg_p import FedAvgP
from fedbounds.algorithms.rules import rules_of
from fedbounds.problems import everyone
from fedbounds.verify.observe import forms, per_replica
from fedbounds.verify.simulate import boundary_features, stream

from .field import Ground
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
    ground: Ground, algorithms: dict[str, FedAvgP], error: Mapping[str, float], draws: Draws
) -> Iterator[dict[str, Array]]:
    """Errors averaged over rounds 0, ..., T - 1 in each replica, for T = 1, 2, ...; endless.

    Parameters
    ----------
    algorithms : dict from label to algorithm
        With the same m and K. A run ends when its label is deleted here.
    error : mapping from quantity name to weight
        The error of one round.
    """
    problem, replicas = ground.problem, draws.replicas
    rng = stream(draws.seed, _KEY, draws.chunk)
    first = next(iter(algorithms.values()))
    # drawn whether or not an algorithm starts with randomness, so that all meet the same rounds
    initial = problem.sample_noise(rng, (first.local_steps, problem.clients * replicas))
    carries = {
        label: rules_of(a).init(problem, a, ground.start, replicas, initial)
        for label, a in algorithms.items()
    }
    totals = {label: np.zeros(replicas) for label in algorithms}
    parts = {
        label: [(form, error[q.value]) for q, form in forms(problem, a).items() if q.value in error]
        for label, a in algorithms.items()
    }
    cohort = everyone(problem.clients, replicas)
    rounds = 0
    while algorithms:
        drawn = rules_of(first).draw(problem, first, rng, replicas, False)
        rounds += 1
        for label, algorithm in algorithms.items():
            features, _ = boundary_features(problem, carries[label], cohort)
            for form, weight in parts[label]:
                totals[label] = totals[label] + per_replica(form, features) * weight
            carries[label] = rules_of(algorithm).step(problem, algorithm, carries[label], drawn)
        yield {label: totals[label] / rounds for label in algorithms}


def race(
    runs: Iterator[dict[str, Array]],
    algorithms: dict[str, FedAvgP],
    names: Mapping[str, str],
    eps: float,
    limit: int,
) -> dict[str, tuple[str, Passage]]:
    """For each name, the label of that name whose mean error is first at most eps, and when.

    Parameters
    ----------
    runs : iterator
        Of `running_errors` of the same ``algorithms``; runs that are settled are deleted there.
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
                    del algorithms[label]
                elif mean <= eps:
                    found.setdefault(names[label], (label, Passage(Ending.REACHED, done)))
            for label in [label for label in algorithms if names[label] in found]:
                del algorithms[label]
            if done >= limit:
                break
    late = {names[label]: (label, Passage(Ending.LIMIT, limit)) for label in algorithms}
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
