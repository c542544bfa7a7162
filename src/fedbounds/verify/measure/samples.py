"""Replicas of a run in floats, in chunks: an estimate, and never the last word.

Where `participants` shows that it is the same, rounds are computed for those who take part, and
draws are made for them alone. What depends on a round's start alone is measured on these states,
whatever else is asked for. Only if it is, a round is run for all clients too, from the same state
and with the same draws of participants; those of the absent come of a stream of their own.

A stream of random numbers per chunk of replicas, named by the seed, what is run and the number of
the chunk, so that a replica depends on nothing else: not on what is asked of it, on memory or on
threads.
"""

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp

from fedbounds.problems import to_namespace

from .clients import Clients
from .contract import Parameters, State, drawn_by, one_step, started, stepped
from .participants import Slotted
from .random import Random, answered
from .rows import Alike, Pattern, carrying, space_of, start_of
from .slots import Slots
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
    spaces : sequence of Alike
        Of rounds 0, ..., T - 1; of round T only the start is looked at, where it is there.
    pattern : Pattern
    kept : dict
        What was measured, by what determines it.
    starts : sequence of Alike or None
        Of rounds 0, ..., T, what depends on no draw; None: it is in ``spaces``.
    """

    subject: Subject
    spaces: Sequence[Alike]
    pattern: Pattern
    kept: dict[Any, Any] = field(default_factory=dict)
    starts: Sequence[Alike] | None = None

    def of(self, node: sp.Expr, rounds: slice) -> Sequence[Alike]:
        """The rounds on which products are measured; what is in both is the same."""
        if self.starts is None:
            return self.spaces[rounds]
        there = (
            isinstance(self.spaces, Later) and self.spaces.ran and rounds.stop <= len(self.spaces)
        )
        alone = self.pattern.is_of_the_past(node) and not there
        return (self.starts if alone else self.spaces)[rounds]


@dataclass(frozen=True, eq=False)
class Later(Sequence[Alike]):
    """Rounds that are run when one is asked for.

    Attributes
    ----------
    make : function
        Runs them.
    """

    make: Callable[[], Sequence[Alike]]

    @cached_property
    def _made(self) -> Sequence[Alike]:
        return self.make()

    @property
    def ran(self) -> bool:
        """Whether they were run."""
        return "_made" in self.__dict__

    def __getitem__(self, at: Any) -> Any:
        """Of one round, or of some."""
        return self._made[at]

    def __len__(self) -> int:
        return len(self._made)


def stream(seed: int, key: int, chunk: int) -> np.random.Generator:
    """The random numbers of a chunk of replicas of what the key says."""
    return np.random.Generator(np.random.SFC64(np.random.SeedSequence([seed, key, chunk])))


def replicas(
    subject: Subject,
    pattern: Pattern,
    random: np.random.Generator,
    xp: Any = np,
    count: int = CHUNK,
    slotted: Slotted | None = None,
) -> Rows:
    """Some replicas; draws are made on the host, whatever array library runs them.

    Parameters
    ----------
    slotted : Slotted or None
        What computing for participants alone needs; None: all clients compute.
    """

    def answer(source: Source) -> Array:
        rows = source.sample(random, count)
        kind = np.int64 if source.selects else np.float64
        return xp.asarray(rows.astype(kind, copy=False).reshape(count, *source.shape))

    draws = Random(answer)
    problem = subject.problem
    if xp is not np:
        problem = Clients(to_namespace(problem.objective, xp), xp)
    start = xp.asarray(np.repeat(subject.start[None, :], count, axis=0))
    state: State = started(subject.algorithm, problem, start, draws, subject.parameters())
    if slotted is not None:
        return _Gathered(subject, pattern, slotted, problem, count).rows(state, random)
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


@dataclass(frozen=True, eq=False)
class _Gathered:
    """Rounds of participants.

    Attributes
    ----------
    subject : Subject
    pattern : Pattern
    slotted : Slotted
    problem : Clients
        Where it runs.
    count : int
        Rows.
    """

    subject: Subject
    pattern: Pattern
    slotted: Slotted
    problem: Clients
    count: int

    def rows(self, state: State, random: np.random.Generator) -> Rows:
        """From a state, with draws of this stream."""
        (absent,), again, states = random.spawn(1), deepcopy(random), [_on_host(state)]
        for at in range(self.subject.rounds):
            present, answers = self.slotted.draw(random, self.count)
            slots = Slots(self.problem.objective, self.problem.xp, present=present)
            p = self.subject.parameters(at)
            there = self._moved(answers)
            state = self.slotted.step(self.subject.algorithm, slots, p, state, there)
            states.append(_on_host(state))
        starts = Later(lambda: self._starts(states))
        spaces = Later(lambda: self._of_all(states, again, absent))
        return Rows(self.subject, spaces, self.pattern, starts=starts)

    def _starts(self, states: Sequence[State]) -> tuple[Alike, ...]:
        return tuple(start_of(self.subject, self.problem, self.pattern, one) for one in states)

    def _of_all(
        self, states: Sequence[State], random: np.random.Generator, absent: np.random.Generator
    ) -> tuple[Alike, ...]:
        """The same rounds of all clients."""
        subject, spaces = self.subject, []
        for at in range(subject.rounds):
            p, (present, own) = subject.parameters(at), self.slotted.draw(random, self.count)
            every = self._moved(self.slotted.completed(present, own, absent))
            drawn = self._drawn(p, every)
            state = {name: self.problem.xp.asarray(array) for name, array in states[at].items()}
            _, shown = one_step(subject.algorithm, self.problem, p, state, drawn)
            draws = self.pattern.space.draws
            spaces.append(space_of(subject, states[at], states[at + 1], _on_host(shown), draws))
        return tuple(spaces)

    def _drawn(self, p: Parameters, answers: Sequence[Array]) -> State:
        """What ``draw`` makes of answers for all clients."""

        def draw(random: Random) -> State:
            return drawn_by(self.subject.algorithm, random, self.problem, p)

        return answered(draw, self.slotted.sources, answers)

    def _moved(self, answers: Sequence[Array]) -> list[Array]:
        return [self.problem.xp.asarray(own) for own in answers]


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
