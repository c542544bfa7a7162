"""Rounds of a run whose rows each stand for one outcome of everything random.

A row may be a replica in floats, or numbers of which a range is known. Means are over indices
alone; what a definition takes a mean of over draws is no number of a row, and is refused. On what
each vector depends is found out on numbers that carry it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import sympy as sp

from fedbounds.errors import FedboundsError

from .clients import Clients, on_host
from .contract import State, drawn_by, one_step, shown_first
from .depending import depending, found_in
from .random import Random, sources_of
from .reading import reading, with_derived
from .sources import Source
from .spaces import PAST, Computed, Listed, vector
from .spaces import field as entries_of
from .subject import Subject, fields
from .unknowns import Refused

Array = Any
Answer = Callable[[Source], Array]


class NoRowError(FedboundsError):
    """A mean over draws: no row has it."""


@dataclass(frozen=True, eq=False)
class Alike(Listed):
    """Vectors of a round; only rows, which stand for the past and all draws, and indices are axes.

    Where entries carry what they depend on, means over it are refused.

    Attributes
    ----------
    draws : mapping from source to calls of ``draw``
    """

    draws: Mapping[str, frozenset[int]] = field(default_factory=dict)

    def mean(self, array: Array, kept: tuple[str, ...]) -> Array:
        """Over indices.

        Raises
        ------
        NoRowError
            If entries are known to depend on something else that a mean is taken over.
        """
        over = {PAST, *self.draws} - set(kept)
        on = found_in(array) if array.dtype == object else frozenset()
        for source in sorted(over):
            if on & ({PAST} if source == PAST else self.draws[source]):
                raise NoRowError(f"it is a mean over {source}, which no replica has")
        return super().mean(array, (*kept, *over))


def space_of(
    subject: Subject,
    before: State,
    after: State,
    shown: Mapping[str, Array],
    draws: Mapping[str, frozenset[int]],
) -> Alike:
    """What a round showed."""
    read = reading(subject, {**fields(before, after), **shown})
    names = (PAST, *subject.shown.draws)
    inner = (slice(None), *[None] * (len(names) - 1))
    vectors, factors = (
        {name: array[inner] for name, array in own.items()} for own in (read.vectors, read.factors)
    )
    one = np.ones(1)
    weights = (*[one] * len(names), *(np.asarray(x, dtype=float) for x in read.weights))
    found = Alike(
        subject.shown.sources, weights, vectors, factors, tuple(subject.shown.indices), draws
    )
    whole: Alike = with_derived(subject, found)
    return whole


def start_of(subject: Subject, problem: Clients, pattern: "Pattern", state: State) -> Alike:
    """What depends on the state of a round's start alone; a step shows it if it is asked for.

    Parameters
    ----------
    problem : Clients
        Where the step runs.
    state : dict of arrays
        On the host.
    """
    shown, space, known = subject.shown, pattern.space, dict[str, Array](state)
    named = {**shown.vectors, **shown.factors}
    inner = (slice(None), *[None] * len(shown.draws))

    def read(name: str) -> Array:
        if name not in known:
            names = frozenset(pattern.of_the_past(named.keys() - state.keys()))
            known.update(_at_start(subject, problem, state, names))
        only = replace(shown, vectors={name: named[name]}, factors={})
        return reading(replace(subject, shown=only), known).vectors[name][inner]

    vectors, factors = (
        Computed(pattern.of_the_past(own), read) for own in (shown.vectors, shown.factors)
    )
    found = Alike(space.sources, space.weights, vectors, factors, space.indices, space.draws)
    whole: Alike = with_derived(subject, found)
    return whole


def _at_start(
    subject: Subject, problem: Clients, state: State, names: frozenset[str]
) -> dict[str, Array]:
    """What a step shows before it uses draws: they are 0."""
    p, rows = subject.parameters(), len(next(iter(state.values())))
    xp = problem.xp

    def answer(source: Source) -> Array:
        kind = xp.int64 if source.selects else xp.float64
        return xp.broadcast_to(xp.zeros((1, *source.shape), dtype=kind), (rows, *source.shape))

    moved = {name: xp.asarray(array) for name, array in state.items()}
    drawn = drawn_by(subject.algorithm, Random(answer), problem, p)
    found = shown_first(subject.algorithm, problem, p, moved, drawn, names)
    return {name: on_host(array) for name, array in found.items()}


def by_row(node: sp.Expr, space: Alike, values: Mapping[str, Any]) -> Array:
    """sq(x), ip(x, y) or a mean of a number of every outcome, of every row."""
    everything = (PAST, *space.draws)
    if node.func.__name__ == "given":
        inner = np.asarray(entries_of(node.args[0], space, values, exact=False))
    elif node.func.__name__ in ("sq", "ip"):
        sides = [vector(argument, space, values) for argument in node.args]
        inner = (sides[0] * sides[-1]).sum(axis=-1, keepdims=True)
    else:
        raise NoRowError(f"{node} is no mean over replicas")
    return np.asarray(space.mean(inner, everything)).reshape(-1)


def calls_of(subject: Subject, drawn: Mapping[str, Array]) -> dict[str, frozenset[int]]:
    """Which calls each random object of a theory is made of; arrays carry what they depend on.

    Raises
    ------
    FedboundsError
        If two random objects share a call.
    """
    found: dict[str, frozenset[int]] = {}
    for source, names in subject.shown.draws.items():
        own = frozenset().union(*(found_in(drawn[name]) for name in names))
        for other, calls in found.items():
            if calls & own:
                raise FedboundsError(f"{source!r} and {other!r} share a call of draw")
        found[source] = own
    return found


@dataclass(frozen=True, eq=False)
class Pattern:
    """A round whose entries carry on what they depend, and what was found out with it."""

    space: Alike
    _known: dict[Any, NoRowError | None] = field(default_factory=dict)
    _past: dict[str, bool] = field(default_factory=dict)

    def check(self, node: sp.Expr, values: Mapping[str, Any]) -> None:
        """Raise unless a row has it."""
        if node not in self._known:
            try:
                by_row(node, self.space, values)
                self._known[node] = None
            except NoRowError as error:
                self._known[node] = error
        found = self._known[node]
        if found is not None:
            raise found

    def is_of_the_past(self, node: sp.Expr) -> bool:
        """Whether its vectors, and what multiplies them, depend on no draw."""
        names = {symbol.name for symbol in node.free_symbols} & set(self.space.vectors)
        names |= {own.func.__name__ for own in node.atoms(sp.Function)} & set(self.space.factors)
        return self.of_the_past(names) == names

    def of_the_past(self, names: Iterable[str]) -> set[str]:
        """Those of some vectors, and of what multiplies them, that are there and need no draw."""
        found = set()
        for name in names:
            if name not in self._past:
                vectors, factors = self.space.vectors, self.space.factors
                array = vectors[name] if name in vectors else factors.get(name)
                self._past[name] = array is not None and found_in(array) <= {PAST}
            if self._past[name]:
                found.add(name)
        return found


def carrying(subject: Subject, state: State) -> Pattern:
    """A round whose entries carry on what they depend; of a state whose values do not matter.

    Raises
    ------
    Refused
        If the step compares what depends on draws, or selects with it.
    """
    p = subject.parameters()
    before = {name: depending(array[:1].shape, PAST) for name, array in state.items()}
    made: list[int] = []

    def answer(source: Source) -> Array:
        if source.selects:
            raise Refused(f"{source.name} selects: on what it depends is not carried")
        made.append(len(made))
        on = made[-1:] if source.count != 1 else []
        return depending((1, *source.shape), *on)

    drawn = drawn_by(subject.algorithm, Random(answer), subject.problem, p)
    after, shown = one_step(subject.algorithm, subject.problem, p, before, drawn)
    return Pattern(space_of(subject, before, after, shown, calls_of(subject, drawn)))


def sources_in(subject: Subject, at: int) -> Sequence[Source]:
    """What a round asks for."""
    p = subject.parameters(at)
    return sources_of(
        lambda random: drawn_by(subject.algorithm, random, subject.problem, p), subject.exact
    )
