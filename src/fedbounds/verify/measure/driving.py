"""A step driven on unit states and unit draws, in floats: what it makes of each."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import pairwise
from math import prod, sqrt
from typing import Any

import numpy as np

from .contract import Parameters, State, drawn_by, one_step
from .crossed import Crossed
from .enumerated import one_state, sources_of_init, started_from
from .random import Drawn, answered, sampled, sources_of
from .rounded import Rounded
from .sources import Source
from .subject import Subject
from .twins import POINT, SLOPE, Form, Valuing, form_of, is_noise, owner, owners, valued
from .unknowns import Refused

Array = Any
Answers = Mapping[int, Array]  # entries of some sources, by their number, one row per state
MOST_DRIVEN = 1500  # numbers of a state, whose second moments are dense
STATE = ""  # the next state, among vectors
TRIED = 3  # draws that a map is held against
_CLOSE = 1e-9  # relative: what rounding may do in one round that is driven twice
_MOST_ENTRIES = 400_000  # of the models of one call: what a cache holds
_MOST_CROSSED = 4_000_000  # of the states of one call after rounds with every presence


@dataclass(frozen=True, eq=False)
class Rows:
    """Inputs of rounds, one row each.

    Attributes
    ----------
    states : array, shape (rows, N)
    answers : mapping from number of a source to array
        Of those that are not silent.
    """

    states: Array
    answers: Answers = field(default_factory=dict)


class Driving:
    """One round of a subject.

    Parameters
    ----------
    subject : Subject
        In floats.

    Raises
    ------
    Refused
        If the state is too large, more is drawn than noise and one other law, or the step of a
        small twin has not the form that is driven.
    """

    def __init__(self, subject: Subject) -> None:
        if subject.changing:
            raise Refused("parameters change from round to round; one map is driven")
        self.subject = subject
        self.problem = Valuing(subject.problem.objective, subject.problem.xp)
        self.p = subject.parameters()
        self.sources = sources_of(self._draw, exact=False)
        self.clients = int(subject.problem.clients)
        self.shapes = {name: tuple(x.shape[1:]) for name, x in one_state(subject).items()}
        self.size = sum(map(prod, self.shapes.values()))
        if self.size > MOST_DRIVEN:
            raise Refused(f"{self.size} numbers of state; at most {MOST_DRIVEN} are driven")
        laws = [at for at, x in enumerate(self.sources) if x.count != 1 and not is_noise(x)]
        if len(laws) > 1:
            raise Refused("more than one law that is no noise")
        self.law = laws[0] if laws else None

    @cached_property
    def form(self) -> Form:
        """What a small exact twin shows."""
        return form_of(self.subject)

    @cached_property
    def owners(self) -> list[int | None]:
        """The client of every entry of the state."""
        return owners({x: (1, *own) for x, own in self.shapes.items()}, self.clients)

    @cached_property
    def columns(self) -> Array:
        """Entries of the state that are shared or a client's, in one order for all; by client."""
        met = [
            [at for at, x in enumerate(self.owners) if x in (None, client)]
            for client in range(self.clients)
        ]
        return np.array(met, dtype=int)

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

    @cached_property
    def inner(self) -> list[tuple[int, int]]:
        """Every noise of a client: its source, and its number there."""
        return [(at, j) for at in self.noises for j in range(prod(self.sources[at].shape[1:]))]

    # ---- rows

    def run(
        self, every: Sequence[Rows], asked: AbstractSet[str]
    ) -> list[tuple[Array, dict[str, Array]]]:
        """Next states and those vectors that are asked for, of every input; other draws are 0."""
        if not every:
            return []
        counts = [len(rows.states) for rows in every]
        ends = np.cumsum([0, *counts])
        numbers = {at for rows in every for at in rows.answers}
        answers = {at: np.concatenate([self._given(at, rows) for rows in every]) for at in numbers}
        states, most = np.concatenate([rows.states for rows in every]), self._most_rows
        each = [
            self._called(
                states[a : a + most], {x: y[a : a + most] for x, y in answers.items()}, asked
            )
            for a in range(0, len(states), most)
        ]
        after = np.concatenate([x for x, _ in each])
        shown = {name: np.concatenate([x[name] for _, x in each]) for name in each[0][1]}
        return [
            (after[a:b], {name: x[a:b] for name, x in shown.items()}) for a, b in pairwise(ends)
        ]

    @cached_property
    def _most_rows(self) -> int:
        inner = [prod(self.sources[at].shape) for at in self.noises]
        return max(16, _MOST_ENTRIES // max([self.size, *inner]))

    def crossed(self, rows: Rows, asked: AbstractSet[str]) -> tuple[Array, dict[str, Array]]:
        """Of every input with nobody, and with each entry of the law alone.

        Next states, shape (1 + entries, rows, N), and vectors, whose first axis is 1 where presence
        is not in them.
        """
        count, most = len(rows.states), 1 + len(self.entries)
        presents = {self.law: np.eye(most, most - 1, -1)} if self.law is not None else {}
        step = max(1, min(self._most_rows, _MOST_CROSSED // (most * max(1, self.size))))
        every = []
        for a in range(0, count, step):
            states = rows.states[a : a + step]
            counts = most, len(states)
            own = {at: Crossed(x[a : a + step][None], counts) for at, x in rows.answers.items()}
            own |= {at: Crossed(x[:, None], counts) for at, x in presents.items()}
            own |= {
                at: Crossed(_silent(x, 1)[None], counts)
                for at, x in enumerate(self.sources)
                if at not in own
            }
            drawn = self._answered(self._draw, own, most * len(states))
            after, shown = self._stepped(self.problem, self.p, Crossed(states[None], counts), drawn)
            seen = {x: _apart(y, counts) for x, y in shown.items() if x in asked}
            every.append((np.broadcast_to(_apart(after, counts), (*counts, self.size)), seen))
        found = np.concatenate([x for x, _ in every], axis=1)
        return found, {
            name: np.concatenate([x[name] for _, x in every], axis=1) for name in every[0][1]
        }

    def _given(self, at: int, rows: Rows) -> Array:
        found = rows.answers.get(at)
        count = len(rows.states)
        return (_silent(self.sources[at], count) if found is None else found).reshape(count, -1)

    def _called(
        self, states: Array, answers: Answers, asked: AbstractSet[str]
    ) -> tuple[Array, dict[str, Array]]:
        drawn = self._answered(self._draw, answers, len(states))
        after, shown = self._stepped(self.problem, self.p, states, drawn)
        return after, {x: y for x, y in shown.items() if x in asked}

    def _answered(self, draw: Any, answers: Answers, rows: int) -> Drawn:
        every = [
            (answers[at] if at in answers else _silent(x, rows)).reshape(rows, *x.shape)
            for at, x in enumerate(self.sources)
        ]
        return answered(draw, self.sources, every)

    def _stepped(
        self, problem: Valuing, p: Any, states: Any, drawn: Drawn
    ) -> tuple[Any, dict[str, Any]]:
        moved = self._fields(states)
        problem.asked.clear()
        after, shown = one_step(self.subject.algorithm, problem, p, moved, drawn)
        return _flat(self.projected(after)), valued(problem, shown)

    def projected(self, state: State) -> State:
        """With the fields that are means of others as these means.

        All states of a run are so, and only what rounding did is not: it would stay, or grow.
        """
        xp = self.subject.problem.xp
        means = {x: xp.sum(state[y], axis=1) / self.clients for x, y in self.means}
        return {**state, **means}

    @cached_property
    def means(self) -> tuple[tuple[str, str], ...]:
        """Fields of the state, and those of which they are the mean; see `twins`."""
        fits = {x: (self.clients, *shape) for x, shape in self.shapes.items()}
        return tuple((x, y) for x, y in self.form.means if self.shapes[y] == fits[x])

    def check_means(self, states: Array, answers: Answers) -> None:
        """Hold what a twin shows of means against the step of the large run.

        Raises
        ------
        Refused
            If after a round from such states one is no mean.
        """
        state = self.projected(self._fields(states))
        drawn = self._answered(self._draw, answers, len(states))
        after, _ = one_step(self.subject.algorithm, self.problem, self.p, state, drawn)
        for name, mean in self.projected(after).items():
            if not near(after[name], mean):
                raise Refused(f"state[{name!r}] of the large run is no mean, as a twin's is")

    def _fields(self, states: Any) -> State:
        return {
            name: states[:, x.start - 1 : x.stop - 1].reshape(states.shape[0], *self.shapes[name])
            for name, x in self.places.items()
        }

    def drawn(self, answers: Answers) -> Drawn:
        """What ``draw`` makes of one row."""
        return self._answered(self._draw, answers, 1)

    def wrong(self, centre: Array, root: float) -> tuple[dict[str, Array], dict[str, Array]]:
        """What rounding did to responses, in three rows, by vector; `STATE` is the next state.

        And entries of which nothing was rounded, and which are 0 at the origin, whoever is present.

        In the square mean over draws: to the response to the centre; to those to unit states, the
        root of the sum of their squares, and likewise to those to noises.

        Bounds of `rounded` are affine in presence, as no product has two factors with it: those of
        L runs with one entry of the law each add up to w(1) + (L - 1) w(0), w(0) of nobody and w(1)
        of everybody. ``root`` is at least sqrt(E s_l^2). A part is a difference of four runs, other
        responses of two.

        Bounds are also sums and products of sizes, never negative: what the sum of some inputs adds
        to w(0) is at least what these add one by one, together. So a row is the sum of a group of
        inputs, and where each of g has a bound w(0) + c_j, and w(0) + sum_j c_j <= W, the root of
        the sum of squares is at most W + (sqrt(g) - 1) w(0). Parts are driven for the entries of
        all clients at once, and their sum over clients is bounded: no root of these.
        """
        states, noises, counts = self._groups()
        first, zero, *each = range(len(states))
        states[first] = abs(centre)
        count, clients = len(self.entries), self.clients
        presents = np.repeat([0.0, 1.0], len(states))
        bounds = self._bounds(np.tile(states, (2, 1)), np.tile(noises, 2), presents[:, None])
        noisy = noises[each] >= 0
        spare = np.sqrt(counts) - 1
        found, exact = {}, {}
        for name, both in bounds.items():
            own, origin = both.wrong, both.size[[zero, len(states) + zero]]
            exact[name] = ~(own.any(axis=0) | origin.any(axis=0))
            absent, present = own[: len(states)], own[len(states) :]
            z, w = absent[zero], present[zero]
            x, y = absent[each], present[each]
            more = spare.reshape(-1, *[1] * (x.ndim - 1))
            several = y + (count - 1) * x + w + (count - 1) * z  # L runs, each less its own origin
            none = 2 * (w + (count - 1) * z)  # of them, whatever the input
            if not count:
                several, none = y + (2 * clients - 1) * w, 2 * clients * w
            alone = x + z + more * 2 * z
            parts = _root(several + count * (x + z), ~noisy)  # each client's own at once
            other = _root(several + more * none, noisy)
            mixed = name == STATE or name in self.form.mixed
            weight = root * mixed if count else 0.0
            every = present[first] + (2 * count - 1) * absent[first]
            constant = absent[first] + weight * every
            noise = _root(alone, noisy) * (name != STATE)
            noise = noise + other * (root if count else 1.0) * mixed
            found[name] = np.stack([constant, _root(alone, ~noisy) + weight * parts, noise])
        return found, exact

    def _groups(self) -> tuple[Array, Array, Array]:
        """Inputs: states, the first two for the centre and none; the group of noises that is in one
        if any, or -1; and how many inputs are in every one from the third on.

        A state's entry is with that of all other clients, as it is driven; a noise with those of
        its last axis.
        """
        own = [np.unique(entries) for entries in self.columns.T]
        noises = len(self._noise_groups)
        states = np.zeros((2 + len(own) + noises, self.size))
        for row, entries in enumerate(own, 2):
            states[row, entries] = 1.0
        which = np.concatenate([np.full(2 + len(own), -1), np.arange(noises)])
        counts = [*map(len, own), *map(len, self._noise_groups)]
        return states, which, np.array(counts, dtype=float)

    @cached_property
    def _noise_groups(self) -> list[list[int]]:
        """Noises of a client that are one group: those along the last axis of a source."""
        found: dict[Any, list[int]] = {}
        for at, (number, j) in enumerate(self.inner):
            shape = self.sources[number].shape[1:]
            found.setdefault((number, j // (shape[-1] if shape else 1)), []).append(at)
        return list(found.values())

    def _bounds(self, states: Array, groups: Array, presents: Array) -> dict[str, Rounded]:
        """What rounding did in some rows: sizes of states, groups of noises, and who is present.

        Presence is told by entry of the law, or once for all.
        """
        units = self.units(None)
        every = []
        for at, x in enumerate(self.sources):
            size = abs(_silent(x, len(states))).copy()
            if at == self.law:
                size[:] = presents
            if at in units:
                summed = [units[at][[1 + j for j in own]].sum(axis=0) for own in self._noise_groups]
                own = np.stack([units[at][0], *summed])[groups + 1]
                size = own.reshape(len(states), -1)
            every.append(Rounded(size, size * 0).reshape(len(states), *x.shape))

        def draw(random: Any) -> Drawn:
            return drawn_by(self.subject.algorithm, random, problem, p)

        problem = self._rounded
        values = {x: _told(y) for x, y in self.p.items()}
        p = Parameters(values, values.pop("t"))
        drawn = answered(draw, self.sources, every)
        after, shown = self._stepped(problem, p, Rounded(states, states * 0), drawn)
        asked = self.subject.shown.vectors
        kept = {x: y for x, y in shown.items() if isinstance(y, Rounded) and plain(x) in asked}
        return {STATE: after, **kept}

    @cached_property
    def _rounded(self) -> Valuing:
        """The problem, its data rounded."""
        objective = self.subject.problem.objective
        own = {x.name: getattr(objective, x.name) for x in fields(objective)}
        moved = {x: Rounded.known(y) for x, y in own.items() if isinstance(y, np.ndarray)}
        return Valuing(replace(objective, **moved), self.subject.problem.xp)

    def wrong_start(self) -> Array:
        """To a state before round 0, with no draws, and with at most one unit of each client."""
        ones = [np.ones((2, *x.shape)) for x in self.of_init]
        for own, source in zip(ones, self.of_init, strict=True):
            own[0] = own[0] if source.count == 1 else 0.0
        start = Rounded.known(self.subject.start)
        subject = replace(self.subject, problem=self._rounded, start=start)
        answers = [Rounded(x, x * 0) for x in ones]
        state = answered(lambda random: started_from(subject, random, 2), self.of_init, answers)
        return _flat(state).wrong

    def started(self, answers: Answers, rows: int, start: Array | None = None) -> Array:
        """States before round 0, shape (rows, N); from another start than the run's, if given."""
        subject = self.subject if start is None else replace(self.subject, start=start)
        every = [
            (answers[at] if at in answers else _silent(x, rows)).reshape(rows, *x.shape)
            for at, x in enumerate(self.of_init)
        ]
        return _flat(
            answered(lambda random: started_from(subject, random, rows), self.of_init, every)
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

    def scale(self, number: int) -> float:
        """Standard deviation of noise."""
        return sqrt(float(self.sources[number].moment({0: 2})))

    def present(self, entry: int, rows: int) -> Answers:
        """One entry of the law alone."""
        assert self.law is not None
        found = np.zeros((rows, len(self.entries)))
        found[:, entry] = 1.0
        return {self.law: found}

    def units(self, client: int | None) -> Answers:
        """None, then every noise of a client alone; of all clients at once for None."""
        found, at = {}, 1
        for number in self.noises:
            count = prod(self.sources[number].shape[1:])
            unit = np.zeros((len(self.inner) + 1, self.clients, count))
            own = slice(None) if client is None else client
            for j in range(count):
                unit[at + j, own, j] = self.scale(number)
            found[number], at = unit, at + count
        return found


def plain(name: str) -> str:
    """The vector of which a value has two factors."""
    return name.removesuffix(POINT).removesuffix(SLOPE)


def _apart(array: Any, counts: tuple[int, int]) -> Array:
    """Rows with nobody and with every presence, or of either alike; by inputs."""
    if not isinstance(array, Crossed):
        return np.asarray(array).reshape(*counts, *array.shape[1:])
    shape = array.data.shape
    return np.broadcast_to(array.data, (shape[0], counts[1], *shape[2:]))


def _root(rows: Array, chosen: Array) -> Array:
    """Of the sum of squares of some."""
    return np.sqrt((rows[chosen] ** 2).sum(axis=0))


def _silent(source: Source, rows: int) -> Array:
    """No noise, nobody present; or the one outcome that there is."""
    size = prod(source.shape)
    row = source.outcomes()[0][0] if source.count == 1 else np.zeros(size)
    return np.broadcast_to(np.array(row, dtype=float), (rows, size))


def _told(value: Any) -> Any:
    """A parameter: counts as they are."""
    return Rounded.known(value) if isinstance(value, float) else value


def _flat(state: State) -> Array:
    every = [x.reshape(x.shape[0], prod(x.shape[1:])) for x in state.values()]
    return np.concatenate(every, axis=1)


def near(found: Array, wanted: Array, lost: float = 0.0) -> bool:
    """Whether two ways to drive a round agree, but for rounding."""
    far = abs(found - wanted).max(initial=0.0)
    return bool(far <= (_CLOSE + lost) * (1.0 + abs(wanted).max(initial=0.0)))
