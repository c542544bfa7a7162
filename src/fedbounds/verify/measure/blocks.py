"""Draws in blocks: where a round adds up over groups of draws, work does not grow with all of them.

With x+ = c(x) + sum_g f_g(x, s_g) and groups s_g that are independent of each other, E x+ adds up
over the groups, and so does the covariance of x+ given x: second moments need the outcomes of one
group at a time, of a client's mask on a block of coupled coordinates, say: 2^6 for each, and not
2^300. That a round adds up so is shown by the step itself, run on `interplay`.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, product
from math import prod
from typing import Any

import numpy as np
from flint import fmpq

from .contract import State
from .interplay import drawn_one, parts_of, state_entry
from .sources import Entries, Normal, Source
from .unknowns import Refused, Unknown, Variables, variables

Array = Any
Flat = list[Any]
Run = Callable[[Sequence[Array], State], tuple[State, Mapping[str, Array]]]
MOST_LISTED = 1024  # outcomes of a group
MOST_ROWS = 4096  # of all groups that are not run at once


@dataclass(frozen=True, eq=False)
class Group:
    """Draws that mix with each other, and with no others.

    Attributes
    ----------
    variables : Variables
        Of the state, and of those of its draws that are not listed.
    rows : sequence of lists
        The entries of the next state that depend on it, for each outcome that is listed; other
        draws are silent.
    chances : sequence of rationals
        Of the outcomes.
    entries : tuple of int
        Which they are.
    """

    variables: Variables
    rows: Sequence[Flat]
    chances: Sequence[fmpq]
    entries: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Blocks:
    """A round that adds up over groups of draws.

    Attributes
    ----------
    silent : list
        The next state where every draw has one of its values.
    groups : tuple of Group
    """

    silent: Flat
    groups: tuple[Group, ...]


@dataclass(frozen=True, eq=False)
class _Unit:
    """An entry of a source that is independent of all others, or a source as a whole."""

    source: int
    entry: int | None


def _units(sources: Sequence[Source]) -> list[_Unit]:
    found = []
    for number, source in enumerate(sources):
        if source.count == 1:
            continue  # no randomness
        if source.selects:
            raise Refused(f"{source.name} selects: what it picks is mixed with all else")
        count = prod(source.shape) if source.independent else 1
        found += [_Unit(number, at if source.independent else None) for at in range(count)]
    return found


def blocks(
    shapes: Mapping[str, tuple[int, ...]],
    sources: Sequence[Source],
    run: Run,
    asked: Collection[str] = (),
) -> tuple[Blocks, Mapping[str, Array]]:
    """A round by its groups of draws, and what it shows that does not depend on any.

    Parameters
    ----------
    run : function (an array for each source, state) -> (next state, what is shown)
    asked : collection of str
        What of that is looked at.

    Raises
    ------
    Refused
        If the step is not affine in the state, what is looked at depends on draws, or a group has
        too many outcomes.
    """
    units = _units(sources)
    after, shown = run(_mixed(sources, units), _mixed_state(shapes))
    hidden = sorted(x for x, array in shown.items() if x in asked and _depends(array))
    if hidden:
        raise Refused(f"{', '.join(hidden)} depends on draws")
    groups = _grouped(_flat(after))
    laws = [_listed(sources, units, draws) for draws, _ in groups]
    named = variables(shapes, ())
    quiet = [quietly(source, 1) for source in sources]
    silent, seen = run(quiet, named.state())
    known = {x: seen[x] for x, array in shown.items() if not _depends(array)}
    batches, found = _batches(groups, laws), list[Group]()
    rows = sum(len(laws[own[0]].outcomes) for own in batches)
    if rows > MOST_ROWS:
        raise Refused(f"{rows} outcomes of all groups of draws that mix with each other")
    for together in batches:
        found += _run(shapes, sources, units, run, [(groups[g], laws[g]) for g in together])
    return Blocks(_flat(silent), tuple(found)), known


# ---- groups


def _mixed(sources: Sequence[Source], units: Sequence[_Unit]) -> list[Array]:
    every = iter([drawn_one(at) for at in range(len(units))])
    found = []
    for source in sources:
        array = _repeated(_quiet(source), 1)[0]
        if source.count == 1:
            pass
        elif source.independent:
            array[:] = [next(every) for _ in range(array.size)]
        else:
            array[:] = [next(every)] * array.size
        found.append(array.reshape(1, *source.shape))
    return found


def _mixed_state(shapes: Mapping[str, tuple[int, ...]]) -> State:
    found = {}
    for name, shape in shapes.items():
        array = np.empty(prod(shape), dtype=object)
        array[:] = [state_entry()] * array.size
        found[name] = array.reshape(shape)
    return found


def _grouped(after: Flat) -> list[tuple[frozenset[int], tuple[int, ...]]]:
    """Draws that mix, each with the entries of the next state in which it occurs."""
    found: list[tuple[frozenset[int], tuple[int, ...]]] = []
    for at, value in enumerate(after):
        for draws, degree in parts_of(value):
            if degree > 1:
                raise Refused("the step is not affine in the state")
            if not draws:
                continue
            same = [own for own in found if own[0] & draws]
            every = draws.union(*(own for own, _ in same))
            entries = {at}.union(*(own for _, own in same))
            found = [own for own in found if own not in same] + [(every, tuple(sorted(entries)))]
    return found


def _depends(array: Array) -> bool:
    every = np.asarray(array, dtype=object).reshape(-1)
    return any(draws for value in every for draws, _ in parts_of(value))


@dataclass(frozen=True, eq=False)
class _Law:
    """Draws of a group: those that are listed, with their outcomes, and those that are not."""

    listed: tuple[int, ...]
    outcomes: list[tuple[tuple[Any, ...], fmpq]]
    free: tuple[int, ...]


def _listed(sources: Sequence[Source], units: Sequence[_Unit], draws: frozenset[int]) -> _Law:
    """Lists what has finitely many outcomes and a mean; other draws stay unknown."""
    listed, free, laws, count = [], [], [], 1
    for at in sorted(draws):
        source, entry = sources[units[at].source], units[at].entry
        if entry is not None and (source.count is None or not source.moment({0: 1})):
            free.append(at)
            continue
        if entry is None:
            if source.count is None or source.count > MOST_LISTED:
                raise Refused(f"{source.name} has too many outcomes to be listed")
            laws.append(source.outcomes())
        else:
            assert isinstance(source, Entries)
            laws.append([((value,), chance) for value, chance in source.values])
        listed.append(at)
        count *= len(laws[-1])
        if count > MOST_LISTED:
            raise Refused(f"more than {MOST_LISTED} outcomes of draws that mix with each other")
    outcomes = [
        (tuple(row for row, _ in own), prod((chance for _, chance in own), start=fmpq(1)))
        for own in product(*laws)
    ]
    return _Law(tuple(listed), outcomes, tuple(free))


def _batches(
    groups: Sequence[tuple[frozenset[int], tuple[int, ...]]], laws: Sequence[_Law]
) -> list[list[int]]:
    """Groups that are run at once: as many outcomes each, and no entry of the state in common."""
    found: list[tuple[int, set[int], list[int]]] = []
    for g, (_, entries) in enumerate(groups):
        count = len(laws[g].outcomes)
        for size, used, own in found:
            if size == count and not used & set(entries):
                used.update(entries)
                own.append(g)
                break
        else:
            found.append((count, set(entries), [g]))
    return [own for _, _, own in found]


# ---- runs


def _quiet(source: Source) -> list[int]:
    """One outcome."""
    if isinstance(source, Entries):
        return [source.values[0][0]] * prod(source.shape)
    return [0] * prod(source.shape) if source.count is None else list(source.outcomes()[0][0])


def _flat(state: State) -> Flat:
    """Entries of a state with one row."""
    return [x for array in state.values() for x in array.reshape(-1).tolist()]


def quietly(source: Source, rows: int) -> Array:
    """One outcome of a source, so many times."""
    return _repeated(_quiet(source), rows).reshape(rows, *source.shape)


def _repeated(row: Sequence[Any], rows: int) -> Array:
    found = np.empty((rows, len(row)), dtype=object)
    found[:] = [fmpq(x) for x in row]
    return found


def _run(
    shapes: Mapping[str, tuple[int, ...]],
    sources: Sequence[Source],
    units: Sequence[_Unit],
    run: Run,
    together: Sequence[tuple[tuple[frozenset[int], tuple[int, ...]], _Law]],
) -> list[Group]:
    """Some groups at once: what each does is read off the entries that it alone changes there."""
    rows = len(together[0][1].outcomes)
    answers = [_repeated(_quiet(source), rows) for source in sources]
    free = [at for _, law in together for at in law.free]
    named = variables(shapes, [_entries(sources[units[at].source], 1) for at in free])
    for block, at in zip(named.answers(), free, strict=True):
        answers[units[at].source][:, units[at].entry] = block.item()
    for _, law in together:
        for row, (values, _) in enumerate(law.outcomes):
            for at, own in zip(law.listed, values, strict=True):
                unit = units[at]
                where = slice(None) if unit.entry is None else slice(unit.entry, unit.entry + 1)
                answers[unit.source][row, where] = [fmpq(x) for x in own]
    before = {name: np.concatenate([x] * rows) for name, x in named.state().items()}
    shaped = [x.reshape(rows, *y.shape) for x, y in zip(answers, sources, strict=True)]
    after, _ = run(shaped, before)
    every = [_flat({name: x[row : row + 1] for name, x in after.items()}) for row in range(rows)]
    found = []
    for (_, entries), law in together:
        alone = variables(shapes, _of_each([sources[units[at].source] for at in law.free]))
        kept = [named.entries + free.index(at) for at in law.free]
        own = [[_within(value, named, alone, kept) for value in map(row.__getitem__, entries)]
               for row in every]  # fmt: skip
        found.append(Group(alone, own, [chance for _, chance in law.outcomes], entries))
    return found


def _of_each(sources: Sequence[Source]) -> list[Source]:
    """One source for entries of one that follow each other."""
    return [_entries(source, len(list(own))) for source, own in groupby(sources)]


def _within(value: Any, named: Variables, alone: Variables, kept: Sequence[int]) -> Any:
    """A polynomial in the unknowns of one group; no others occur."""
    if not isinstance(value, Unknown):
        return value
    size, terms = named.entries, value.polynomial.to_dict().items()
    return Unknown(
        alone.context.from_dict(
            {(*powers[:size], *(powers[at] for at in kept)): factor for powers, factor in terms}
        )
    )


def _entries(source: Source, count: int) -> Source:
    """Some entries of a source of independent ones."""
    assert isinstance(source, Entries | Normal)
    return replace(source, shape=(count,))
