"""The list of every claim of every paper: ids, kinds, sources, places. Light: no SymPy."""

import tomllib
from dataclasses import dataclass
from functools import cache
from graphlib import CycleError, TopologicalSorter
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any

from fedbounds.errors import FedboundsError, unknown_name
from fedbounds.vocabulary import Kind, Source

from .contributed import contributed, installed
from .contributed import keys as contributed_keys

_THEORY = "fedbounds.theory"
CATALOGUE = "catalogue.toml"  # a folder of `theory` that has one is a paper
PAPERS = tuple(
    sorted(
        place.name
        for place in resources.files(_THEORY).iterdir()
        if place.is_dir() and (place / CATALOGUE).is_file()
    )
)


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
    uses : tuple of str
        Ids of the claims that the paper's proof of it rests on directly.
    note : str
        What is printed otherwise, or not at all, and how it is read; empty if nothing is.
    """

    id: str
    kind: Kind
    source: Source
    place: str
    statement: str
    module: str = ""
    uses: tuple[str, ...] = ()
    note: str = ""

    @property
    def paper(self) -> str:
        """Key of the paper."""
        return self.id.partition("/")[0]


@dataclass(frozen=True)
class Paper:
    """A paper and its claims in the order of its sheet.

    ``first`` is the id of a claim to look at first; empty if the paper names none. ``words`` says
    what the words and letters of the statements stand for.
    """

    key: str
    title: str
    authors: tuple[str, ...]
    entries: tuple[Entry, ...]
    first: str = ""
    words: str = ""


def paper(key: str) -> Paper:
    """The catalogue of one paper; an unknown key is an error that names the nearest.

    The claims of its sheet come first, then ours: what is true instead, or sharper.
    """
    if key in PAPERS:
        return _of_the_package(key)
    found = contributed(key)
    if found is None:
        raise unknown_name("paper", key, keys())
    return found.paper


def first_claim() -> str:
    """Id of a claim to look at first, of the papers of this package."""
    every = [_of_the_package(key) for key in PAPERS]
    return next((one.first for one in every if one.first), every[0].entries[0].id)


def keys() -> tuple[str, ...]:
    """Keys of the papers of this package, then of what users and other packages contribute."""
    for key in contributed_keys():
        if key in PAPERS:  # a paper's verdicts never come from elsewhere
            raise FedboundsError(f"an installed package contributes {key!r}, the key of a paper")
    return (*PAPERS, *contributed_keys())


def package_of(key: str) -> str:
    """The package whose modules are what a theory's folder has; empty if it has no folder.

    Raises
    ------
    FedboundsError
        If there is no such theory.
    """
    found = contributed(paper(key).key)
    return f"{_THEORY}.{key}" if found is None else found.package


@cache
def _of_the_package(key: str) -> Paper:
    return paper_in(resources.files(f"{_THEORY}.{key}"))


def paper_in(folder: Traversable) -> Paper:
    """What the catalogue in a folder says.

    Raises
    ------
    FedboundsError
        If a claim uses one that is not there.
    KeyError, ValueError
        If it lacks something, or has a word that is none.
    """
    data = _table(folder, CATALOGUE)
    entries = tuple(
        Entry(
            id=row["id"],
            kind=Kind(row["kind"]),
            source=Source(row["source"]),
            place=row["place"],
            statement=row["statement"],
            module=row.get("module", ""),
            uses=tuple(row.get("uses", ())),
            note=row.get("note", ""),
        )
        for row in (*data["claim"], *_table(folder, "ours.toml").get("claim", ()))
    )
    check_uses(entries)
    head = data["paper"]
    return Paper(
        key=head["key"],
        title=head["title"],
        authors=tuple(head["authors"]),
        entries=entries,
        first=head.get("first", ""),
        words=head.get("words", ""),
    )


def _table(folder: Traversable, name: str) -> dict[str, Any]:
    file = folder / name
    return tomllib.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}


def check_uses(entries: tuple[Entry, ...]) -> None:
    """Refuse a name that is no claim of the paper, and a claim that rests on itself."""
    uses = {e.id: e.uses for e in entries}
    for claim_id, names in uses.items():
        for name in names:
            if name not in uses:
                raise unknown_name(f"claim used by {claim_id}", name, uses)
    try:
        TopologicalSorter(uses).prepare()
    except CycleError as error:
        raise FedboundsError(
            "uses run in a circle: " + " -> ".join(reversed(error.args[1]))
        ) from error


def entry(claim_id: str) -> Entry:
    """The entry of an id; an unknown id is an error that names the nearest."""
    found = known(claim_id)
    if found is not None:
        return found
    told = unknown_name("claim", claim_id, [e.id for key in keys() for e in paper(key).entries])
    if claim_id.partition("/")[0] in keys():
        raise told
    raise FedboundsError(f"{told}; a claim of your own is named by its file: FILE.py::NAME")


def known(claim_id: str) -> Entry | None:
    """The entry of an id, if there is one."""
    key = claim_id.partition("/")[0]
    every = paper(key).entries if key in keys() else ()
    return next((e for e in every if e.id == claim_id), None)


def select(names: tuple[str, ...]) -> tuple[Entry, ...]:
    """Entries of the named papers and claims, in catalogue order; all papers if none is named."""
    chosen: set[str] = set()
    for name in names or (*PAPERS, *installed()):
        if "/" in name:
            chosen.add(entry(name).id)
        else:
            chosen.update(e.id for e in paper(name).entries)
    return tuple(e for key in keys() for e in paper(key).entries if e.id in chosen)
