"""Means over replicas, in floats: an estimate with its standard error, and never the last word.

A stream of random numbers per chunk of replicas, named by the seed and what is run, so that a mean
depends on nothing else; sums of chunks combine in order.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from math import ceil
from operator import add
from typing import Any

import numpy as np

from .contract import State, drawn_by, started, stepped
from .functions import OfState, values_of
from .random import Random
from .sources import Source
from .subject import Subject

Array = Any
CHUNK = 128  # replicas that share a stream


@dataclass(frozen=True, eq=False)
class Sampled:
    """Means over replicas, round by round.

    Attributes
    ----------
    means, errors : mapping from name to array
        Of rounds 0, ..., T; the standard error of each mean.
    replicas : int
    """

    means: Mapping[str, Array]
    errors: Mapping[str, Array]
    replicas: int


def sample(
    subject: Subject, functions: Mapping[str, OfState], *, replicas: int, seed: int, key: str
) -> Sampled:
    """Means of functions of the state.

    Parameters
    ----------
    subject : Subject
        In floats.
    replicas : int
        Rounded up to whole chunks.
    key : str
        What is run: with the seed it determines every number.
    """
    chunks = ceil(replicas / CHUNK)
    sums: list[tuple[Array, Array]] = []
    for chunk in range(chunks):
        values = _chunk(subject, functions, np.random.default_rng([seed, chunk, *key.encode()]))
        sums.append((values.sum(axis=0), (values * values).sum(axis=0)))
    total, squares = (reduce(add, each) for each in zip(*sums, strict=True))
    count = chunks * CHUNK
    mean = total / count
    spread = np.maximum(squares / count - mean * mean, 0.0)
    error = np.sqrt(spread / (count - 1))
    return Sampled(
        dict(zip(functions, mean, strict=True)), dict(zip(functions, error, strict=True)), count
    )


def _chunk(
    subject: Subject, functions: Mapping[str, OfState], random: np.random.Generator
) -> Array:
    """Every function in every round, shape (replicas, functions, T + 1)."""

    def answer(source: Source) -> Array:
        rows = source.sample(random, CHUNK)
        kind = np.int64 if source.selects else np.float64
        return rows.astype(kind).reshape(CHUNK, *source.shape)

    problem, algorithm, draws = subject.problem, subject.algorithm, Random(answer)
    start = np.repeat(subject.start[None, :], CHUNK, axis=0)
    state: State = started(algorithm, problem, start, draws, subject.parameters())
    every = np.empty((CHUNK, len(functions), subject.rounds + 1))
    for t in range(subject.rounds + 1):
        p = subject.parameters(t)
        for at, (name, function) in enumerate(functions.items()):
            every[:, at, t] = values_of(function, subject, p, state, name)
        if t < subject.rounds:
            drawn = drawn_by(algorithm, draws, problem, p)
            state, _ = stepped(algorithm, problem, p, state, drawn)
    return every
