"""Whether a round may be computed for those alone who take part.

It is shown, not declared. On small exact twins of the subject the round is run on unknowns twice:
for all clients, and on `Slots`, whose places are the participants'. For every cohort the next state
must be the same polynomial in the state and the draws; the fields of the absent then stay as they
are. One round of the subject itself, in floats from a point in general position, is compared too.
Else all clients compute. Draws are asked for in the same calls: who takes part is one of them,
without replacement, and those with an axis of clients are independent from client to client.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.algorithms.traced import Algorithm
from fedbounds.errors import FedboundsError
from fedbounds.theory.language.setups import Shown

from .contract import Parameters, State, different, drawn_by, one_step, started, stepped
from .random import Random, answered, outcomes
from .rows import sources_in
from .slots import Slots
from .sources import Copies, Participants, Source
from .stacked import plain
from .subject import Subject, as_parameter
from .twins import twin_of
from .unknowns import Refused, variables

Array = Any
_ROWS = 8  # of the round in floats
_TWINS = (3, 4)  # clients: with the number of clients an axis of them grows


@dataclass(frozen=True, eq=False)
class Slotted:
    """What is known of a subject whose rounds may be computed for participants alone.

    Attributes
    ----------
    sources : tuple of Source
        What a round asks for.
    chooses : int
        The number of the call that tells who takes part.
    apart : tuple of bool
        Of every call, whether its first axis is that of clients.
    fields : frozenset of str
        Of the state, those whose axis after rows is that of clients.
    """

    sources: tuple[Source, ...]
    chooses: int
    apart: tuple[bool, ...]
    fields: frozenset[str]

    def draw(self, random: np.random.Generator, rows: int) -> tuple[Array, list[Array]]:
        """Who takes part, shape (rows, n); and every answer, of participants alone."""
        present, answers = np.empty(0), list[Array]()
        for at, (source, apart) in enumerate(zip(self.sources, self.apart, strict=True)):
            own = _of_some(source, self._participants) if apart and at != self.chooses else source
            found = own.sample(random, rows).reshape(rows, *own.shape)
            if at == self.chooses:
                present = found != 0
                found = found[present].reshape(rows, -1)
            answers.append(found)
        return present, answers

    def completed(
        self, present: Array, answers: Sequence[Array], random: np.random.Generator
    ) -> list[Array]:
        """The same answers of all clients; those of the absent are drawn here."""
        rows, n = present.shape
        found = []
        for at, (source, apart, own) in enumerate(
            zip(self.sources, self.apart, answers, strict=True)
        ):
            if at == self.chooses:
                found.append(present.astype(own.dtype))
            elif apart:
                absent = _of_some(source, n - self._participants).sample(random, rows)
                whole = np.empty((rows, *source.shape), dtype=own.dtype)
                whole[present] = own.reshape(-1, *source.shape[1:])
                whole[~present] = absent.reshape(-1, *source.shape[1:])
                found.append(whole)
            else:
                found.append(own)
        return found

    @property
    def _participants(self) -> int:
        chosen = self.sources[self.chooses]
        assert isinstance(chosen, Participants)
        return chosen.m

    def gathered(self, slots: Slots, answers: Sequence[Array]) -> list[Array]:
        """Of answers for all clients those of participants."""
        every = zip(self.apart, answers, strict=True)
        return [slots.gather(own) if apart else own for apart, own in every]

    def step(
        self,
        algorithm: Algorithm,
        slots: Slots,
        p: Parameters,
        state: State,
        answers: Sequence[Array],
    ) -> State:
        """The next state, of all clients; answers are of participants."""

        def draw(random: Random) -> State:
            return drawn_by(algorithm, random, slots, p)

        drawn = answered(draw, self.sources, answers)
        own = {x: slots.gather(y) if x in self.fields else y for x, y in state.items()}
        after, _ = one_step(algorithm, slots.unseen, p, own, drawn)
        return {
            x: slots.scatter(y, after[x]) if x in self.fields else plain(after[x])
            for x, y in state.items()
        }


def _of_some(source: Source, count: int) -> Source:
    """The same for so many clients."""
    if isinstance(source, Copies):
        return replace(source, times=(count, *source.times[1:]))
    return replace(source, shape=(count, *source.shape[1:]))  # type: ignore[type-var]


def slotted(subject: Subject) -> Slotted:
    """What a subject's rounds need to be computed for participants alone.

    Raises
    ------
    Refused
        If they are not known to be the same; the message says why.
    """
    try:
        return _slotted(subject)
    except FedboundsError as error:
        raise Refused(str(error)) from error


def _slotted(subject: Subject) -> Slotted:
    sources, n = sources_in(subject, 0), int(subject.problem.clients)
    chosen = [x for x in sources if isinstance(x, Participants)]
    if len(chosen) != 1 or chosen[0].clients != n:
        raise Refused("no call tells who takes part, of equally many clients in every round")
    if chosen[0].m == n:
        raise Refused("all clients take part")
    if any(source.selects for source in sources):
        raise Refused("draws select")
    noise = getattr(subject.problem.objective, "noise", None)
    silent = not getattr(noise, "scale_u", 0), not getattr(noise, "scale_v", 0)
    counts = tuple(
        (name, _small(as_parameter(value, exact=True), at))
        for at, (name, value) in enumerate({**subject.values, **_at_first(subject)}.items())
    )
    blocks = min(int(subject.problem.dimension), 2), min(subject.problem.personal_dimension, 1)
    known = _of_twins(subject.algorithm, counts, blocks, silent)
    if isinstance(known, Refused):
        raise known
    if [_kind(x) for x in sources] != [_kind(x) for x in known.sources]:
        raise Refused("a smaller run makes other calls of draw")
    if any(own and x.shape[0] != n for x, own in zip(sources, known.apart, strict=True)):
        raise Refused("an axis of clients has another length than there are clients")
    found = replace(known, sources=tuple(sources))
    _check_floats(subject, found)
    return found


def _kind(source: Source) -> tuple[Any, ...]:
    """What calls have in common that differ in size, and in the law of independent entries."""
    called = None if source.independent else type(source)
    return called, source.count == 1, len(source.shape)


def _at_first(subject: Subject) -> dict[str, Any]:
    return {name: own(0) for name, own in subject.changing.items()}


def _small(value: Any, at: int) -> Any:
    """A parameter of the twins: counts as small as may be, other numbers all different."""
    if isinstance(value, np.ndarray):
        raise Refused("a parameter is a list")
    return min(int(value), 2) if isinstance(value, int) else fmpq(1, 4 + at)


@lru_cache(maxsize=64)
def _of_twins(
    algorithm: Algorithm,
    counts: tuple[tuple[str, Any], ...],
    blocks: tuple[int, int],
    silent: tuple[bool, bool],
) -> Slotted | Refused:
    try:
        few, more = (twin_of(algorithm, counts, (n, *blocks), silent, Shown()) for n in _TWINS)
        found = _axes(few, more)
        for twin, sources in ((few, found.sources), (more, tuple(sources_in(more, 0)))):
            _check_twin(twin, replace(found, sources=sources))
        return found
    except Refused as error:
        return error
    except FedboundsError as error:
        return Refused(str(error))


def _axes(few: Subject, more: Subject) -> Slotted:
    """Which axes grow with the number of clients."""
    sources, others = sources_in(few, 0), sources_in(more, 0)
    if len(sources) != len(others):
        raise Refused("how many calls draw makes depends on the number of clients")
    both = zip(sources, others, strict=True)
    apart = tuple(_grows(x.name, x.shape, y.shape, 0) for x, y in both)
    at = next((at for at, x in enumerate(sources) if isinstance(x, Participants)), -1)
    if at < 0:
        raise Refused("a smaller run does not tell who takes part")
    for number, (source, own) in enumerate(zip(sources, apart, strict=True)):
        if own and number != at and not (source.independent or isinstance(source, Copies)):
            raise Refused(f"{source.name} is not independent from client to client")
    one, other = (_begun(x, lambda source: _zeros(source)) for x in (few, more))
    fields = {x for x, y in one.items() if _grows(f"state[{x!r}]", y.shape, other[x].shape, 1)}
    return Slotted(tuple(sources), at, apart, frozenset(fields))


def _grows(name: str, few: tuple[int, ...], more: tuple[int, ...], axis: int) -> bool:
    """Whether an axis is that of clients; no other may be."""
    if few == more:
        return False
    wanted = list(few)
    if len(few) <= axis or wanted[axis] != _TWINS[0]:
        raise Refused(f"{name} of shape {few} has no axis of clients, and depends on their number")
    wanted[axis] = _TWINS[1]
    if tuple(wanted) != more:
        raise Refused(f"{name} of shape {few} has another axis that depends on their number")
    return True


def _zeros(source: Source) -> Array:
    return np.full((1, *source.shape), fmpq(0), dtype=object)


def _begun(subject: Subject, answer: Any, rows: int = 1) -> State:
    start = np.concatenate([subject.start[None, :]] * rows)
    p = subject.parameters()
    return started(subject.algorithm, subject.problem, start, Random(answer), p)


def _check_twin(twin: Subject, known: Slotted) -> None:
    """Every cohort is a row; the state and the other draws are unknown."""
    begun = _begun(twin, _zeros)
    silent = [source.count == 1 for source in known.sources]
    free = [
        source for at, source in enumerate(known.sources) if at != known.chooses and not silent[at]
    ]
    named = variables({name: array.shape for name, array in begun.items()}, free)
    (present,) = outcomes([known.sources[known.chooses]], exact=True).answers
    rows, unknown, answers = len(present), iter(named.answers()), []
    for at, source in enumerate(known.sources):
        if at == known.chooses:
            answers.append(present)
        else:
            own = outcomes([source], exact=True).answers[0] if silent[at] else next(unknown)
            answers.append(np.concatenate([own] * rows))
    state = {name: np.concatenate([array] * rows) for name, array in named.state().items()}
    _compare(twin, known, state, answers, present != 0)


def _check_floats(subject: Subject, known: Slotted) -> None:
    """From a point in general position, with draws of all clients."""
    random = np.random.default_rng(0)

    def sample(source: Source) -> Array:
        return source.sample(random, _ROWS).reshape(_ROWS, *source.shape)

    begun = _begun(subject, sample, _ROWS)
    state = {name: array + random.standard_normal(array.shape) for name, array in begun.items()}
    answers = [sample(source) for source in known.sources]
    after = _compare(subject, known, state, answers, answers[known.chooses] != 0)
    if not all(np.isfinite(array).all() for array in after.values()):
        raise Refused("a round in floats overflows")


def _compare(
    subject: Subject, known: Slotted, state: State, answers: Sequence[Array], present: Array
) -> Mapping[str, Array]:
    """The next state; it is the same for all clients and for participants.

    Raises
    ------
    Refused
        If it is not.
    """
    p = subject.parameters()
    drawn = answered(
        lambda random: drawn_by(subject.algorithm, random, subject.problem, p),
        known.sources, answers,
    )  # fmt: skip
    after, _ = stepped(subject.algorithm, subject.problem, p, state, drawn)
    slots = Slots(subject.problem.objective, subject.problem.xp, present=present)
    own = known.step(subject.algorithm, slots, p, state, known.gathered(slots, answers))
    if p.asked_round:
        raise Refused("the step asks for the round")
    name = different(after, own)
    if name is not None:
        raise Refused(f"state[{name!r}] is another one if participants alone compute")
    return after
