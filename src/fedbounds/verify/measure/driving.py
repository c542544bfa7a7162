"""A step driven on unit states and unit draws, in floats: what it makes of each."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from math import prod, sqrt
from typing import Any

import numpy as np

from .contract import State, drawn_by, one_step
from .enumerated import one_state, sources_of_init, started_from
from .random import Drawn, answered, sampled, sources_of
from .sources import Source
from .subject import Subject
from .twins import is_noise, owner, owners
from .unknowns import Refused

Array = Any
Answers = Mapping[int, Array]  # entries of some sources, by their number, one row per state
MOST_DRIVEN = 1500  # numbers of a state, whose second moments are dense
TRIED = 3  # draws that a map is held against
_CLOSE = 1e-9  # relative: what rounding may do in one round that is driven twice


class Driving:
    """One round of a subject.

    Parameters
    ----------
    subject : Subject
        In floats.

    Raises
    ------
    Refused
        If the state is too large, or more is drawn than noise and one other law.
    """

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.p = subject.parameters()
        self.sources = sources_of(self._draw, exact=False)
        self.clients = int(subject.problem.clients)
        state = one_state(subject)
        self.shapes = {name: tuple(array.shape[1:]) for name, array in state.items()}
        every = {name: (1, *shape) for name, shape in self.shapes.items()}
        self.owners = owners(every, self.clients)
        self.size = len(self.owners)
        if self.size > MOST_DRIVEN:
            raise Refused(f"{self.size} numbers of state; at most {MOST_DRIVEN} are driven")
        laws = [at for at, x in enumerate(self.sources) if x.count != 1 and not is_noise(x)]
        if len(laws) > 1:
            raise Refused("more than one law that is no noise")
        self.law = laws[0] if laws else None

    def _draw(self, random: Any) -> Drawn:
        return drawn_by(self.subject.algorithm, random, self.subject.problem, self.p)

    @cached_property
    def places(self) -> dict[str, slice]:
        """Where fields stand in (1, x)."""
        found, at = {}, 1
        for name, shape in self.shapes.items():
            found[name] = slice(at, at + prod(shape))
            at += prod(shape)
        return found

    @cached_property
    def noises(self) -> list[int]:
        """Numbers of the sources that are noise."""
        return [at for at, x in enumerate(self.sources) if x.count != 1 and is_noise(x)]

    @cached_property
    def entries(self) -> list[int]:
        """The client of every entry of the law."""
        if self.law is None:
            return []
        law = self.sources[self.law]
        return [owner(law, at, self.clients) for at in range(prod(law.shape))]

    # ---- rows

    def run(self, states: Array, answers: Answers) -> tuple[Array, dict[str, Array]]:
        """Next states and what was shown, of states (rows, N); other draws are 0."""
        rows = len(states)
        drawn = answered(self._draw, self.sources, self._every(self.sources, answers, rows))
        moved = {
            name: states[:, place.start - 1 : place.stop - 1].reshape(rows, *self.shapes[name])
            for name, place in self.places.items()
        }
        after, shown = one_step(self.subject.algorithm, self.subject.problem, self.p, moved, drawn)
        return _flat(after), shown

    def drawn(self, answers: Answers) -> Drawn:
        """What ``draw`` makes of one row."""
        return answered(self._draw, self.sources, self._every(self.sources, answers, 1))

    def started(self, answers: Answers, rows: int) -> Array:
        """States before round 0, shape (rows, N)."""
        every = self._every(self.of_init, answers, rows)
        return _flat(
            answered(lambda random: started_from(self.subject, random, rows), self.of_init, every)
        )

    @cached_property
    def of_init(self) -> list[Source]:
        """What ``init`` asks for."""
        return sources_of_init(self.subject)

    @cached_property
    def tried(self) -> list[Array]:
        """Some outcomes of every source, one row each."""
        every = sampled(self.sources, exact=False, rows=TRIED)
        return [x.reshape(TRIED, prod(x.shape[1:])) for x in every]

    @staticmethod
    def _every(sources: Sequence[Source], answers: Answers, rows: int) -> list[Array]:
        return [
            (answers[at] if at in answers else _silent(source, rows)).reshape(rows, *source.shape)
            for at, source in enumerate(sources)
        ]

    def scale(self, number: int) -> float:
        """Standard deviation of noise."""
        return sqrt(float(self.sources[number].moment({0: 2})))

    def weight(self, entry: int | None) -> Any:
        """What is tried of an entry of the law, one row each; 1 if there is none."""
        return 1.0 if entry is None else self.tried[self.law or 0][:, entry, None]

    def present(self, entry: int, rows: int) -> Array:
        """One entry of the law alone."""
        found = np.zeros((rows, len(self.entries)))
        found[:, entry] = 1.0
        return found


def _silent(source: Source, rows: int) -> Array:
    """No noise, nobody present; or the one outcome that there is."""
    size = prod(source.shape)
    row = source.outcomes()[0][0] if source.count == 1 else np.zeros(size)
    return np.broadcast_to(np.array(row, dtype=float), (rows, size))


def _flat(state: State) -> Array:
    return np.concatenate([x.reshape(len(x), prod(x.shape[1:])) for x in state.values()], axis=1)


def near(found: Array, wanted: Array) -> bool:
    """Whether two ways to drive a round agree, but for rounding."""
    return bool(abs(found - wanted).max() <= _CLOSE * (1.0 + abs(wanted).max()))
