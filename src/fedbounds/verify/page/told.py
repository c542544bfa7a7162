"""Findings in one sentence each, and a tile per paper: what the index tells first."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fedbounds.vocabulary import Severity, Source

from .numbers import count, number
from .overview import DOUBTFUL, broken, by_standing, doubtful, fails, instead, rank
from .summary import is_refuted, titles

Record = dict[str, Any]
Records = Mapping[str, list[Record]]

_WORST = 3  # findings on a tile
_SAYS = {  # a statement is told in our words, wherever it is from
    Source.VERBATIM: "says",
    Source.RESTORED: "says, as restored by us",
    Source.RECONSTRUCTED: "is missing, and our own text in its place says",
    Source.OURS: "is ours, and says",
}

_CHANGES = {
    Severity.TYPO: "the relation",
    Severity.CONSTANT: "a constant",
    Severity.CONDITION: "a condition",
    Severity.RATE: "the rate",
}


@dataclass(frozen=True)
class Told:
    """A claim in doubt: what is printed, what fails, what holds instead, and how grave it is."""

    claim: Record
    says: str
    fails: str
    instead: str
    grave: str


@dataclass(frozen=True)
class Tile:
    """A paper in short: how many claims have which standing, and the worst of them."""

    key: str
    title: str
    authors: str
    judged: str
    standings: tuple[tuple[str, int], ...]
    worst: tuple[Told, ...]
    more: int


def tiles(document: Record, judged: Sequence[Record], records: Records) -> list[Tile]:
    """A tile of each paper of which a claim was judged."""
    found = []
    for key, title, authors in titles(document):
        own = [claim for claim in judged if claim["id"].partition("/")[0] == key]
        bad = doubtful(own)
        if own:
            worst = tuple(told_of(document, claim, records) for claim in bad[:_WORST])
            found.append(
                Tile(
                    key,
                    title,
                    authors,
                    count(len(own), "claim"),
                    tuple(by_standing(own)),
                    worst,
                    len(bad) - len(worst),
                )
            )
    return found


def in_doubt(document: Record, judged: Sequence[Record], records: Records) -> list[Told]:
    """Every claim that is refuted or in doubt: main results first, then the gravest."""
    return [told_of(document, claim, records) for claim in doubtful(judged)]


def refuted_elsewhere(judged: Sequence[Record], records: Records) -> list[Told]:
    """Claims that are not in doubt, but of which another reading is refuted."""
    found = []
    for claim in sorted(judged, key=rank):
        if claim["standing"] not in DOUBTFUL:
            own = records.get(claim["id"], [])
            found += [_elsewhere(claim, r, own) for r in claim["readings"][1:] if is_refuted(r)]
    return found


def told_of(document: Record, claim: Record, records: Records) -> Told:
    """A claim in one sentence; of one that is not in doubt nothing fails."""
    says, grave = _SAYS.get(claim["source"], "says"), claim["severity"]
    if claim["standing"] not in DOUBTFUL:
        return Told(claim, says, "", "", "")
    return Told(
        claim,
        says,
        fails(document, claim, records.get(claim["id"], ()), _decimal),
        instead(document, claim),
        _CHANGES[Severity(grave)] if grave else "",
    )


def _elsewhere(claim: Record, reading: Record, own: Sequence[Record]) -> Told:
    named = f" ({reading['ambiguity']})" if reading["ambiguity"] else ""
    return Told(
        claim,
        _SAYS.get(claim["source"], "says"),
        f"read “{reading['name']}”{named}: {broken(reading, own, _decimal)}",
        f"in the headline reading it is {claim['standing']}",
        "",
    )


def _decimal(value: Any) -> str:
    return number(value, 4)
