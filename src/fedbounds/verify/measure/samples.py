"""Replicas of a run in floats, in chunks: an estimate, and never the last word.

A stream of random numbers per chunk of replicas, named by the seed, what is run and the number of
the chunk, so that a replica depends on nothing else: not on what is asked of it, on memory or on
threads.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fedbounds.problems import to_namespace

from .clients import Clients
from .contract import State, drawn_by, one_step, started, stepped
from .random import Random
from .rows import Alike, Pattern, carrying, space_of
from .sources import Source
from .subject import Subject

Array = Any
CHUNK = 128  # replicas that share a stream


@dataclass(frozen=True, eq=False)
class Rows:
    """Rounds whose rows are outcomes.

    Attributes
    ----------
    subject : Subject
        In floats.
    spaces : tuple of Alike
        Of rounds 0, ..., T; of round T only the start is looked at.
    pattern : Pattern
    kept : dict
        What was measured, by what determines it.
    """

    subject: Subject
    spaces: Sequence[Alike]
    pattern: Pattern
    kept: dict[Any, Any] = field(default_factory=dict)


def stream(seed: int, key: int, chunk: int) -> np.random.Generator:
    """The random numbers of a chunk of replicas of what the key says."""
    return np.random.Generator(np.random.SFC64(np.random.SeedSequence([seed, key, chunk])))


def replicas(
    subject: Subject,
    pattern: Pattern,
    random: np.random.Generator,
    xp: Any = np,
    count: int = CHUNK,
) -> Rows:
    """Some replicas; draws are made on the host, whatever array library runs them."""

    def answer(source: Source) -> Array:
        rows = source.sample(random, count)
        kind = np.int64 if source.selects else np.float64
        return xp.asarray(rows.astype(kind).reshape(count, *source.shape))

    draws = Random(answer)
    problem = subject.problem
    if xp is not np:
        problem = Clients(to_namespace(problem.objective, xp), xp)
    start = xp.asarray(np.repeat(subject.start[None, :], count, axis=0))
    state: State = started(subject.algorithm, problem, start, draws, subject.parameters())
    spaces = []
    for at in range(subject.rounds + 1):
        p = subject.parameters(at)
        drawn = drawn_by(subject.algorithm, draws, problem, p)
        step = one_step if at else stepped  # rows that mix show in a round
        after, shown = step(subject.algorithm, problem, p, state, drawn)
        before, behind, seen = map(_on_host, (state, after, shown))
        spaces.append(space_of(subject, before, behind, seen, pattern.space.draws))
        state = after
    return Rows(subject, tuple(spaces), pattern)


def patterned(subject: Subject) -> Pattern:
    """A round of the subject whose entries carry on what they depend."""
    start = np.repeat(subject.start[None, :], 1, axis=0)
    first = Random(lambda source: np.zeros((1, *source.shape), int if source.selects else float))
    state = started(subject.algorithm, subject.problem, start, first, subject.parameters())
    return carrying(subject, state)


def _on_host(arrays: Mapping[str, Array]) -> dict[str, Array]:
    return {
        name: np.asarray(array.get() if hasattr(array, "get") else array)
        for name, array in arrays.items()
    }
