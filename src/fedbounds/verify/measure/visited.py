"""Rounds that go through an order: what is known given the set of turns taken, not each order.

Given the set V of turns that were taken, their order is uniform: the last one is uniform in V, and
what came before it is the law given V without it. So 2^S sets stand for S! orders. A stage is
given its turn and no more of the order; that different turns use different draws, the polynomials
of the stages show. With an order for each of several owners, V is a set for each.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from math import comb, prod
from typing import Any

import numpy as np
from flint import fmpq, fmpq_mat

from fedbounds.algorithms.traced import Stages

from .contract import Parameters, State, called, check_rows
from .random import Drawn
from .sources import Permutation, Source
from .subject import Subject
from .unknowns import Refused, Variables

Array = Any
Turns = tuple[int, ...]  # of each owner of an order
Sets = tuple[frozenset[int], ...]  # of the turns that were taken, likewise
MOST_PRODUCTS = 1_500_000_000  # of entries, when the maps of all sets are multiplied


@dataclass(frozen=True)
class Place:
    """An index that an order has at a place: it can be put somewhere, and nothing else."""

    owner: int
    at: int

    def _refused(self, *_: object) -> Any:
        raise Refused("it looks at an order before the turns are taken")

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __index__ = __int__ = _refused
    __lt__ = __gt__ = __le__ = __ge__ = __bool__ = __float__ = __mod__ = __floordiv__ = _refused
    __neg__ = __abs__ = __truediv__ = __rtruediv__ = __pow__ = _refused


@dataclass(frozen=True, eq=False)
class Visits:
    """The stages of a round, from a state of unknowns.

    Attributes
    ----------
    length : int
        S, of an order.
    after : mapping from turns to state
        After a stage; turns of all owners.
    """

    length: int
    after: Mapping[Turns, State]

    @property
    def owners(self) -> int:
        """Of orders."""
        return len(next(iter(self.after)))


def orders_in(sources: Sequence[Source]) -> list[int]:
    """Which sources are orders.

    Raises
    ------
    Refused
        If others select, or orders differ in length.
    """
    found = [n for n, source in enumerate(sources) if isinstance(source, Permutation)]
    if any(source.selects and n not in found for n, source in enumerate(sources)):
        raise Refused("a stage would select by more than its turn")
    if len({sources[n].count for n in found}) != 1:
        raise Refused("there is no order, or orders of several lengths")
    return found


def places(source: Source, owner: int) -> Array:
    """An order whose indices can be put somewhere, and nothing else."""
    found = np.empty((1, *source.shape), dtype=object)
    found[0, :] = [Place(owner, at) for at in range(found.shape[1])]
    return found


def visits(
    subject: Subject, stages: Stages, p: Parameters, before: State, drawn: Drawn, named: Variables
) -> Visits:
    """Every stage, for every choice of turns.

    Raises
    ------
    Refused
        If a stage has more of the order than its turn, or two turns use the same draws.
    """
    order = drawn[stages.order]
    owners, length = _owners(order, stages.order), int(order.shape[-1])
    for name, array in drawn.items():
        entries = array.reshape(-1).tolist() if name != stages.order else []
        if any(isinstance(entry, Place) for entry in entries):
            raise Refused(f"{name!r} depends on the order too")
    transitions = sum((comb(length, s) * s) ** owners for s in range(1, length + 1))
    size = (named.entries + 1) * (named.entries + 2) // 2
    if transitions * size**3 > MOST_PRODUCTS:
        raise Refused(
            f"{transitions} ways to take a turn after a set of turns, each a matrix of {size} rows"
        )
    turns = list(product(range(length), repeat=owners))
    after = {own: _stage(subject, stages, p, before, drawn, own) for own in turns}
    _check_apart(named, after)
    return Visits(length, after)


def _owners(order: Array, name: str) -> int:
    """How many orders there are; raise unless a stage's turns are the orders' entries there."""
    columns = np.moveaxis(np.asarray(order, dtype=object), -1, 0)
    found = set()
    for at, column in enumerate(columns):
        for entry in column.reshape(-1):
            if not isinstance(entry, Place) or entry.at != at:
                raise Refused(f"{name!r} has at its end something else than an order's indices")
            found.add(entry.owner)
    if found != set(range(len(found))):
        raise Refused(f"an order is not used in {name!r}")
    return len(found)


def _stage(
    subject: Subject, stages: Stages, p: Parameters, before: State, drawn: Drawn, turns: Turns
) -> State:
    column = drawn[stages.order][..., 0]
    turn = np.array([turns[entry.owner] for entry in column.reshape(-1)], dtype=np.int64)
    own = {**drawn, stages.order: turn.reshape(column.shape)}
    after = called(stages.stage, subject.problem, p, before, own)
    check_rows(after, 1, stages.stage, "stage")
    return {name: after[name] for name in before}


def _check_apart(named: Variables, after: Mapping[Turns, State]) -> None:
    """Raise unless draws of a stage are those of one owner's turn: no other stage has them."""
    users: dict[tuple[int, int], list[Turns]] = {}
    for turns, state in after.items():
        for key in _draws(named, state):
            users.setdefault(key, []).append(turns)
    for (number, _), own in users.items():
        if not any(len({turns[owner] for turns in own}) == 1 for owner in range(len(own[0]))):
            raise Refused(f"stages of different turns share draws of {named.sources[number].name}")


def _draws(named: Variables, state: State) -> set[tuple[int, int]]:
    """Entries of sources that occur; of a source whose entries depend on each other, all are 0."""
    used = np.zeros(named.ends, dtype=bool)
    for array in state.values():
        for entry in array.reshape(-1):
            degrees = getattr(getattr(entry, "polynomial", None), "degrees", None)
            if degrees is not None:
                used |= np.array(degrees()[: named.ends]) > 0
    found = set()
    for number, (start, source) in enumerate(zip(named.starts, named.sources, strict=True)):
        for at in np.flatnonzero(used[start : start + prod(source.shape)]):
            found.add((number, int(at) if source.independent else 0))
    return found


# ---- maps of moments


def through_sets(length: int, owners: int, maps: Mapping[Turns, fmpq_mat]) -> fmpq_mat:
    """The map of a whole round from those of its stages: the mean over all orders."""
    size = next(iter(maps.values())).nrows()
    none = tuple(frozenset[int]() for _ in range(owners))
    known = {none: fmpq_mat(size, size, [int(i == j) for i in range(size) for j in range(size)])}
    for s in range(1, length + 1):
        sets = [frozenset(own) for own in combinations(range(length), s)]
        known = {every: _mean(every, known, maps) for every in product(sets, repeat=owners)}
    (found,) = known.values()
    return found


def _mean(every: Sets, known: Mapping[Sets, fmpq_mat], maps: Mapping[Turns, fmpq_mat]) -> fmpq_mat:
    """Over the turns that may have been the last."""
    turns = list(product(*every))
    total: Any = None
    for own in turns:
        before = tuple(taken - {turn} for taken, turn in zip(every, own, strict=True))
        found = maps[own] * known[before]
        total = found if total is None else total + found
    mean: fmpq_mat = total * fmpq(1, len(turns))
    return mean
