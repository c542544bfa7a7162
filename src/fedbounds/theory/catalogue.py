"""The list of every claim of every paper: ids, kinds, sources, places. Light: no SymPy."""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources

from fedbounds.errors import unknown_name
from fedbounds.vocabulary import Kind, Source

PAPERS = ("personalization",)


@dataclass(frozen=True)
class Entry:
    """One line of the catalogue.

    Attributes
    ----------
    id : str
        "paper/name".
    kind, source : Kind, Source
    place : str
        Where in the paper.
    statement : str
        One line in our own words.
    module : str
        Module of the paper's package that encodes it; empty if it is not encoded yet.
    """

    id: str
    kind: Kind
    source: Source
    place: str
    statement: str
    module: str = ""

    @property
    def paper(self) -> str:
        """Key of the paper."""
        return self.id.partition("/")[0]


@dataclass(frozen=True)
class Paper:
    """A paper and its claims in the order of its sheet."""

    key: str
    title: str
    authors: tuple[str, ...]
    entries: tuple[Entry, ...]


@cache
def paper(key: str) -> Paper:
    """The catalogue of one paper; an unknown key is an error that names the nearest."""
    if key not in PAPERS:
        raise unknown_name("paper", key, PAPERS)
    file = resources.files(f"fedbounds.theory.{key}") / "catalogue.toml"
    data = tomllib.loads(file.read_text(encoding="utf-8"))
    entries = tuple(
        Entry(
            id=row["id"],
            kind=Kind(row["kind"]),
            source=Source(row["source"]),
            place=row["place"],
            statement=row["statement"],
            module=row.get("module", ""),
        )
        for row in data["claim"]
    )
    head = data["paper"]
    return Paper(head["key"], head["title"], tuple(head["authors"]), entries)


def entry(claim_id: str) -> Entry:
    """The entry of an id; an unknown id is an error that names the nearest."""
    known = {e.id: e for key in PAPERS for e in paper(key).entries}
    if claim_id not in known:
        raise unknown_name("claim", claim_id, known)
    return known[claim_id]


def select(names: tuple[str, ...]) -> tuple[Entry, ...]:
    """Entries of the named papers and claims, in catalogue order; all papers if none is named."""
    chosen: set[str] = set()
    for name in names or PAPERS:
        if "/" in name:
            chosen.add(entry(name).id)
        else:
            chosen.update(e.id for e in paper(name).entries)
    return tuple(e for key in PAPERS for e in paper(key).entries if e.id in chosen)
