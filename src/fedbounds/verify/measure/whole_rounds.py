"""The map of moments of a whole round: from its outcomes, its stages, or its groups of draws."""

from collections.abc import Mapping, Sequence
from itertools import combinations_with_replacement

from flint import fmpq, fmpq_mat

from .blocks import Blocks, Group
from .round_maps import (
    MOST_STATE,
    ByParameter,
    BySource,
    Form,
    Line,
    Pair,
    Rows,
    add_mean,
    add_product,
    by_source,
    check_state,
    flat,
    outcomes_of,
    pair_map,
    pairs,
    without_zeros,
)
from .unknowns import Refused, Variables
from .unrolled import Unrolling
from .visited import Visits, through_sets

MOST_IN_BLOCKS = 2 * MOST_STATE  # where what a round does is kept by groups
MOST_TERMS = 4_000_000


def round_maps(trace: Unrolling, centre: Sequence[fmpq] = ()) -> dict[Pair, ByParameter]:
    """Moments after a round as linear functions of those before.

    Raises
    ------
    Refused
        If the step is not affine in the state, or the state is too large.
    """
    named, by = trace.variables, trace.by
    if isinstance(by, Blocks):
        if named.entries > MOST_IN_BLOCKS - 1:
            raise Refused(f"{named.entries} numbers of state; at most {MOST_IN_BLOCKS - 1}")
        return {pair: {(): form} if form else {} for pair, form in _added(named, by, centre)}
    check_state(named)
    if isinstance(by, Visits):
        return _through(named, by, centre)
    rows = listed_rows(trace, centre)
    return {pair: pair_map(named, rows, pair, centre) for pair in pairs(named)}


def listed_rows(trace: Unrolling, centre: Sequence[fmpq] = ()) -> Rows:
    """Every entry of the next state, per outcome that is listed.

    Raises
    ------
    Refused
        If the step is not affine in the state, or outcomes are not listed.
    """
    chances = trace.listed.chances
    rows = [
        flat({name: array[row : row + 1] for name, array in trace.after.items()})
        for row in range(len(chances))
    ]
    return outcomes_of(trace.variables, rows, chances, centre)


def _through(named: Variables, visits: Visits, centre: Sequence[fmpq]) -> dict[Pair, ByParameter]:
    """Of a round that goes through an order: by the sets of turns that were taken."""
    every = pairs(named)
    place = {pair: at for at, pair in enumerate(every)}
    maps = {}
    for turns, state in visits.after.items():
        own = outcomes_of(named, [flat(state)], [fmpq(1)], centre)
        matrix = fmpq_mat(len(every), len(every))
        for pair in every:
            for other, factor in pair_map(named, own, pair, centre).get((), {}).items():
                matrix[place[pair], place[other]] = factor
        maps[turns] = matrix
    rows = through_sets(visits.length, visits.owners, maps).table()
    found: dict[Pair, ByParameter] = {}
    for pair, row in zip(every, rows, strict=True):
        form = {other: factor for other, factor in zip(every, row, strict=True) if factor}
        found[pair] = {(): form} if form else {}
    return found


# ---- groups of draws: means add up, and covariances given the state


def _added(named: Variables, blocks: Blocks, centre: Sequence[fmpq]) -> list[tuple[Pair, Form]]:
    """Each pair with the linear function of the moments that it is after a round."""
    silent = [_line(by_source(named, value, centre)) for value in blocks.silent]
    means = [dict(line) for line in silent]
    for at, shift in enumerate(centre):
        means[at][0] = means[at].get(0, fmpq(0)) - shift
    spread: dict[Pair, Form] = {}
    for group in blocks.groups:
        for at, line in _spreads(group, centre, spread).items():
            _more(means[at], line, 1)
            _more(means[at], silent[at], -1)
    means = [{column: factor for column, factor in line.items() if factor} for line in means]
    found: list[tuple[Pair, Form]] = [((0, 0), {(0, 0): fmpq(1)})]
    found += [((0, at + 1), {(0, j): x for j, x in line.items()}) for at, line in enumerate(means)]
    terms = 0
    for a, b in combinations_with_replacement(range(len(means)), 2):
        form = spread.get((a, b), {})
        _outer(form, means[a], means[b], 1)
        terms += len(form)
        if terms > MOST_TERMS:
            raise Refused(f"moments after a round have more than {MOST_TERMS} terms")
        found.append(((a + 1, b + 1), {pair: x for pair, x in form.items() if x}))
    return sorted(found, key=lambda own: own[0])


def _spreads(group: Group, centre: Sequence[fmpq], spread: dict[Pair, Form]) -> dict[int, Line]:
    """Adds the covariances of the entries of a group; returned are their means."""
    named, size = group.variables, len(group.entries)
    mean: list[ByParameter] = [{} for _ in range(size)]
    second: dict[Pair, ByParameter] = {}
    for row, chance in zip(group.rows, group.chances, strict=True):
        every: list[BySource] = [by_source(named, value, centre) for value in row]
        for a in range(size):
            add_mean(named, every[a], chance, mean[a])
        for a, b in combinations_with_replacement(range(size), 2):
            add_product(named, every[a], every[b], chance, second.setdefault((a, b), {}))
    lines = [{j: x for (_, j), x in own.get((), {}).items()} for own in mean]
    for (a, b), forms in second.items():
        form = spread.setdefault((group.entries[a], group.entries[b]), {})
        for pair, factor in without_zeros(forms).get((), {}).items():
            form[pair] = form.get(pair, fmpq(0)) + factor
        _outer(form, lines[a], lines[b], -1)
    return dict(zip(group.entries, lines, strict=True))


def _line(own: BySource) -> Line:
    """Of a number that no draw occurs in."""
    return dict(own.get((), {}).get((), {}))


def _more(line: Line, more: Mapping[int, fmpq], times: int) -> None:
    for column, factor in more.items():
        line[column] = line.get(column, fmpq(0)) + times * factor


def _outer(form: Form, one: Line, other: Line, times: int) -> None:
    """Adds the product of two linear functions of (1, x)."""
    for i, x in one.items():
        for j, y in other.items():
            pair = min(i, j), max(i, j)
            form[pair] = form.get(pair, fmpq(0)) + times * (x * y)
