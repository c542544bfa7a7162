"""Coupled runs: set-ups, and the data sets that they compare."""

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.algorithms.random_masks import RandomMasks
from fedbounds.algorithms.rolling_masks import RollingMasks
from fedbounds.errors import require
from fedbounds.problems.sampled_regression import Loss, SampledRegression

Array = Any
Masked = RandomMasks | RollingMasks


@dataclass(frozen=True, eq=False)
class SampleLaw:
    """D_i, the law of one sample of a client, on finitely many samples; all rational.

    Attributes
    ----------
    features : array, shape (m, d)
    targets, chances : arrays, shape (m,)
    """

    features: Array
    targets: Array
    chances: Array

    def __post_init__(self) -> None:
        total = sum(self.chances, fmpq(0))
        require(total == 1, "sum of the chances of the samples", total, "1")
        require(min(self.chances) >= 0, "least chance of a sample", min(self.chances), "at least 0")


@dataclass(frozen=True, eq=False)
class CoupledPair:
    """Two runs on one data set and on that with one sample changed.

    Attributes
    ----------
    problem : SampledRegression
        In rationals.
    client, sample : int
        i and j of the changed sample.
    feature, target : array, shape (d,), and rational
        The new sample z'.
    algorithm : RandomMasks or RollingMasks
        With no domain, or a box.
    start : array, shape (d,)
    rounds : int
        R.
    """

    problem: SampledRegression
    client: int
    sample: int
    feature: Array
    target: Any
    algorithm: Masked
    start: Array
    rounds: int


@dataclass(frozen=True, eq=False)
class CoupledLaw:
    """Runs on all data sets that laws of samples give, and on each with one sample redrawn.

    Attributes
    ----------
    laws : tuple of n SampleLaw
    samples : int
        n_s.
    loss, algorithm, start, rounds
        As of a pair.
    """

    laws: tuple[SampleLaw, ...]
    samples: int
    loss: Loss
    algorithm: Masked
    start: Array
    rounds: int


@dataclass(frozen=True)
class Pair:
    """Data sets ``base`` and ``other``, by number, which differ in one sample at most."""

    base: int
    other: int
    client: int
    sample: int
    chance: fmpq


@dataclass(frozen=True, eq=False)
class DataSets:
    """Data sets with their chances; pairs, whose chances add up to 1 for each (i, j)."""

    problems: tuple[SampledRegression, ...]
    chances: tuple[fmpq, ...]
    pairs: tuple[Pair, ...]

    @property
    def changed(self) -> tuple[tuple[int, int], ...]:
        """Every (i, j) that is changed."""
        return tuple(dict.fromkeys((pair.client, pair.sample) for pair in self.pairs))

    def of(self, place: tuple[int, int]) -> list[Pair]:
        """The pairs that differ in sample j of client i."""
        return [pair for pair in self.pairs if (pair.client, pair.sample) == place]


def data_sets(setup: CoupledPair | CoupledLaw) -> DataSets:
    """What a set-up compares."""
    if isinstance(setup, CoupledLaw):
        return drawn(setup.laws, setup.samples, setup.loss)
    problem, place = setup.problem, (setup.client, setup.sample)
    features, targets = problem.features.copy(), problem.targets.copy()
    features[place], targets[place] = setup.feature, setup.target
    other = SampledRegression(features, targets, problem.loss)
    one = fmpq(1)
    return DataSets((problem, other), (one, one * 0), (Pair(0, 1, *place, one),))


def drawn(laws: tuple[SampleLaw, ...], samples: int, loss: Loss) -> DataSets:
    """All data sets of n_s independent samples per client, and every sample redrawn."""
    kinds = [range(len(law.targets)) for law in laws for _ in range(samples)]
    owners = [i for i in range(len(laws)) for _ in range(samples)]
    every = list(product(*kinds))
    number = {drawn: at for at, drawn in enumerate(every)}
    chances = [_chance(laws, owners, drawn) for drawn in every]
    pairs = [
        Pair(
            at,
            number[(*picked[:place], fresh, *picked[place + 1 :])],
            *divmod(place, samples),
            chances[at] * laws[owner].chances[fresh],
        )
        for at, picked in enumerate(every)
        for place, owner in enumerate(owners)
        for fresh in kinds[place]
    ]
    problems = [_problem(laws, samples, loss, picked) for picked in every]
    return DataSets(tuple(problems), tuple(chances), tuple(pairs))


def _chance(laws: tuple[SampleLaw, ...], owners: list[int], picked: tuple[int, ...]) -> fmpq:
    found = fmpq(1)
    for owner, kind in zip(owners, picked, strict=True):
        found *= laws[owner].chances[kind]
    return found


def _problem(
    laws: tuple[SampleLaw, ...], samples: int, loss: Loss, picked: tuple[int, ...]
) -> SampledRegression:
    own = np.array(picked).reshape(len(laws), samples)
    pairs = list(zip(laws, own, strict=True))
    return SampledRegression(
        np.stack([law.features[kinds] for law, kinds in pairs]),
        np.stack([law.targets[kinds] for law, kinds in pairs]),
        loss,
    )
