"""The claims of a run and what rests on what, as a drawing: nodes by standing, edges by use."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fedbounds.theory.language import catalogue
from fedbounds.vocabulary import Standing

from .addresses import Addresses
from .layering import NODE, Layout, layout
from .standings import NOT_JUDGED, letter, slug, word_of
from .summary import short_id

Record = dict[str, Any]

_LETTER = 7.3  # width of a character of a label
_BADGE = 21.0
_BETWEEN = 30.0  # columns
_MARGIN = 6.0
_BOX = 12.0  # half the height of a box


@dataclass(frozen=True)
class Node:
    """A claim's box: its left upper corner and size, and what it is to a reader."""

    id: str
    label: str
    said: str
    tip: str
    link: str
    letter: str
    slug: str
    x: float
    y: float
    width: float
    height: float
    arrow: str


@dataclass(frozen=True)
class Edge:
    """A curve from a claim to one that rests on it."""

    start: str
    end: str
    path: str


@dataclass(frozen=True)
class Graph:
    """The drawing, its legend as (slug, letter, word, count), and the same as a table."""

    width: float
    height: float
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    legend: tuple[tuple[str, str, str, int], ...]
    table: tuple[tuple[Node, str, tuple[str, ...]], ...]
    left_out: int


def uses_of(claim: Record) -> tuple[str, ...]:
    """What a claim rests on: as its document says, or else as the catalogue does."""
    if "uses" in claim:
        return tuple(claim["uses"])
    found = catalogue.known(claim["id"])
    return () if found is None else found.uses


def linked(claims: Mapping[str, Record]) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Of each claim, those that it rests on directly, and those that rest on it."""
    uses = {name: [u for u in uses_of(claim) if u in claims] for name, claim in claims.items()}
    users: dict[str, list[str]] = {name: [] for name in claims}
    for name, premises in uses.items():
        for premise in premises:
            users[premise].append(name)
    return uses, users


def graph(every: Sequence[Record]) -> Graph | None:
    """The graph of those of some claims that have an edge; None if none has."""
    claims = {claim["id"]: claim for claim in every}
    addresses = Addresses(claims)
    uses, users = linked(claims)
    drawn = {name: uses[name] for name in claims if uses[name] or users[name]}
    if not drawn:
        return None
    short = len({name.partition("/")[0] for name in claims}) == 1
    labels = {name: short_id(name) if short else name for name in drawn}
    found = layout(drawn)
    places = _places(found, labels)
    nodes = tuple(
        _node(
            claims[name],
            labels[name],
            addresses.from_index(name),
            bool(uses[name]),
            places[name, found.column[name]],
        )
        for name in drawn
    )
    return Graph(
        width=max(node.x + node.width for node in nodes) + _MARGIN,
        height=max(found.heights.values()) + NODE + 2 * _MARGIN,
        nodes=nodes,
        edges=tuple(
            Edge(start, end, _path([places[item] for item in route]))
            for (start, end), route in found.routes.items()
        ),
        legend=_legend([claims[name] for name in drawn]),
        table=tuple((node, word_of(claims[node.id]), tuple(uses[node.id])) for node in nodes),
        left_out=len(claims) - len(drawn),
    )


Place = tuple[float, float, float]  # left, right, height of the centre


def _places(found: Layout, labels: Mapping[str, str]) -> dict[tuple[str, int], Place]:
    """Every item across its column; a column is as wide as its longest label."""
    places, left = {}, _MARGIN
    for items in found.columns:
        own = [labels[name] for name, at in items if found.column[name] == at]
        right = left + _BADGE + 6 + _LETTER * max(map(len, own))
        for item in items:
            places[item] = (left, right, found.heights[item] + _MARGIN)
        left = right + _BETWEEN
    return places


def _node(claim: Record, label: str, link: str, rests: bool, place: Place) -> Node:
    left, right, centre = place
    word = word_of(claim)
    return Node(
        id=claim["id"],
        label=label,
        said=f"{claim['id']}, {claim['kind']}, {word}",
        tip=f"{claim['place']}: {word}. {claim['text']}",
        link=link,
        letter=letter(word),
        slug=slug(word),
        x=round(left, 1),
        y=round(centre - _BOX, 1),
        width=round(right - left, 1),
        height=2 * _BOX,
        arrow=f"M{left - 6:.1f} {centre - 3:.1f}l6 3l-6 3z" if rests else "",
    )


def _path(stops: Sequence[Place]) -> str:
    """From the right of the first stop, straight through the lanes, to the left of the last."""
    _, x, y = stops[0]
    path = f"M{x:.1f} {y:.1f}"
    for left, right, height in stops[1:]:
        middle = (x + left) / 2
        path += f"C{middle:.1f} {y:.1f} {middle:.1f} {height:.1f} {left:.1f} {height:.1f}"
        x, y = right, height
        path += f"H{right:.1f}"
    return path[: path.rindex("H")]


def _legend(claims: Sequence[Record]) -> tuple[tuple[str, str, str, int], ...]:
    counted = Counter(word_of(claim) for claim in claims)
    words = [*(word.value for word in Standing), NOT_JUDGED]
    return tuple((slug(word), letter(word), word, counted[word]) for word in words if counted[word])
