"""Places of the nodes of an acyclic graph in columns: longest paths, barycentres, even spacing.

A node's column is one past the last of what it rests on; long edges of one node share a lane
through the columns between, so that no edge runs over a node.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from graphlib import TopologicalSorter
from itertools import pairwise

Uses = Mapping[str, Sequence[str]]
Item = tuple[str, int]  # a node in its column, or its lane through a later column

_SWEEPS = 24
NODE, LANE = 17.0, 5.0  # half of the height that a node and a lane take


@dataclass(frozen=True)
class Layout:
    """Column and height of every item, and the items that an edge runs through.

    Attributes
    ----------
    column : dict of str to int
        Of each node.
    columns : tuple of tuple of Item
        From left to right, each from top to bottom.
    heights : dict of Item to float
        Centre of an item, counted from the top.
    routes : dict of (premise, user) to tuple of Item
        From the premise through its lanes to the user.
    """

    column: dict[str, int]
    columns: tuple[tuple[Item, ...], ...]
    heights: dict[Item, float]
    routes: dict[tuple[str, str], tuple[Item, ...]]


def layout(uses: Uses) -> Layout:
    """Place the nodes of ``uses``, which names what each node rests on."""
    column = columns_of(uses)
    routes = {
        (premise, user): (
            *((premise, at) for at in range(column[premise], column[user])),
            (user, column[user]),
        )
        for user in uses
        for premise in uses[user]
    }
    nodes = [(name, column[name]) for name in uses]
    items = dict.fromkeys([*nodes, *(item for route in routes.values() for item in route)])
    links = {link for route in routes.values() for link in pairwise(route)}
    columns = _ordered(_by_column(items), links)
    heights = _heights(columns, links, frozenset(nodes))
    return Layout(column, tuple(map(tuple, columns)), heights, routes)


def columns_of(uses: Uses) -> dict[str, int]:
    """Longest-path layers; a node that rests on nothing stands just before its first user."""
    found: dict[str, int] = {}
    for name in TopologicalSorter(uses).static_order():
        found[name] = 1 + max((found[premise] for premise in uses[name]), default=-1)
    first_user: dict[str, int] = {}
    for user, premises in uses.items():
        for premise in premises:
            first_user[premise] = min(first_user.get(premise, found[user]), found[user])
    return {name: at if uses[name] else first_user.get(name, 1) - 1 for name, at in found.items()}


def _by_column(items: Iterable[Item]) -> list[list[Item]]:
    found: dict[int, list[Item]] = {}
    for item in items:
        found.setdefault(item[1], []).append(item)
    return [found[at] for at in sorted(found)]


Links = set[tuple[Item, Item]]


def _ordered(columns: list[list[Item]], links: Links) -> list[list[Item]]:
    """The order with the fewest crossings of all that barycentre sweeps go through."""
    best, fewest = columns, crossings(columns, links)
    before, after = _neighbours(links)
    for sweep in range(_SWEEPS):
        forward = sweep % 2 == 0
        neighbours, now = (before, []) if forward else (after, [])
        place: dict[Item, float] = {}
        for items in columns if forward else reversed(columns):
            old = {item: float(at) for at, item in enumerate(items)}
            centre = {item: _mean([place[o] for o in neighbours.get(item, ())]) for item in items}
            # an item without neighbours keeps its place
            items = sorted(items, key=lambda i: (old[i] if (c := centre[i]) is None else c, old[i]))
            place |= {item: float(at) for at, item in enumerate(items)}
            now.append(items)
        columns = now if forward else now[::-1]
        if (count := crossings(columns, links)) < fewest:
            best, fewest = columns, count
    return best


def crossings(columns: Sequence[Sequence[Item]], links: Links) -> int:
    """How many pairs of links between neighbouring columns cross."""
    place = {item: at for items in columns for at, item in enumerate(items)}
    by_column: dict[int, list[tuple[int, int]]] = {}
    for start, end in links:
        by_column.setdefault(start[1], []).append((place[start], place[end]))
    return sum(
        (a[0] - b[0]) * (a[1] - b[1]) < 0
        for found in by_column.values()
        for at, a in enumerate(found)
        for b in found[:at]
    )


def _neighbours(links: Links) -> tuple[dict[Item, list[Item]], dict[Item, list[Item]]]:
    before: dict[Item, list[Item]] = {}
    after: dict[Item, list[Item]] = {}
    for start, end in sorted(links):
        before.setdefault(end, []).append(start)
        after.setdefault(start, []).append(end)
    return before, after


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _heights(
    columns: Sequence[Sequence[Item]], links: Links, nodes: frozenset[Item]
) -> dict[Item, float]:
    """Each item near the mean of its neighbours, in its column's order, nothing overlapping."""
    before, after = _neighbours(links)
    near = {item: before.get(item, []) + after.get(item, []) for items in columns for item in items}
    offsets = [_offsets(items, nodes) for items in columns]
    heights = {
        item: at - offset[-1] / 2
        for items, offset in zip(columns, offsets, strict=True)
        for item, at in zip(items, offset, strict=True)
    }
    for sweep in range(_SWEEPS):
        order = range(len(columns))
        for index in order if sweep % 2 == 0 else reversed(order):
            items, offset = columns[index], offsets[index]
            wanted = [_mean([heights[o] for o in near[item]]) for item in items]
            free = [
                (heights[item] if height is None else height) - at
                for item, height, at in zip(items, wanted, offset, strict=True)
            ]
            for item, height, at in zip(items, nearest_increasing(free), offset, strict=True):
                heights[item] = height + at
    top = min(heights[item] - (NODE if item in nodes else LANE) for item in heights)
    return {item: height - top for item, height in heights.items()}


def _offsets(items: Sequence[Item], nodes: frozenset[Item]) -> list[float]:
    """Centres of the items packed from 0 on."""
    half = [NODE if item in nodes else LANE for item in items]
    found = [0.0]
    for one, next_one in pairwise(half):
        found.append(found[-1] + one + next_one)
    return found


def nearest_increasing(values: Sequence[float]) -> list[float]:
    """The non-decreasing sequence nearest in squares, by pooling neighbours out of order."""
    pools: list[tuple[float, int]] = []  # mean and size
    for value in values:
        mean, size = value, 1
        while pools and pools[-1][0] > mean:
            last, count = pools.pop()
            mean, size = (mean * size + last * count) / (size + count), size + count
        pools.append((mean, size))
    return [mean for mean, size in pools for _ in range(size)]
