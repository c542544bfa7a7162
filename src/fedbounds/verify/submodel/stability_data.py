"""All data sets that laws of samples give."""

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.errors import require
from fedbounds.problems.sampled_regression import Loss, SampledRegression

Array = Any


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
class DataSets:
    """Data sets with their chances."""

    problems: tuple[SampledRegression, ...]
    chances: tuple[fmpq, ...]


def drawn(laws: tuple[SampleLaw, ...], samples: int, loss: Loss) -> DataSets:
    """All data sets of n_s independent samples per client."""
    kinds = [range(len(law.targets)) for law in laws for _ in range(samples)]
    owners = [i for i in range(len(laws)) for _ in range(samples)]
    every = list(product(*kinds))
    chances = [_chance(laws, owners, picked) for picked in every]
    problems = [_problem(laws, samples, loss, picked) for picked in every]
    return DataSets(tuple(problems), tuple(chances))


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
