"""Which statement of a paper is which claim: where it stands, what encodes it, how it differs."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from fedbounds.theory.language.catalogue import CATALOGUE, PAPERS, Entry, known, package_of
from fedbounds.theory.language.claims import AS_PRINTED
from fedbounds.verify.page.addresses import Addresses
from fedbounds.verify.page.standings import word_of
from fedbounds.verify.page.summary import in_order, titles, typed

from ..escape import markdown_text
from ..render import render
from ..table import Table, table

Record = dict[str, Any]

_COLUMNS = (
    "paper", "place", "page", "claim", "kind", "standing", "paper_proof", "severity", "source",
    "read_otherwise_than_printed", "readings", "file", "witnesses", "site", "statement",
)  # fmt: skip
_DATA = ("paper", "page", "kind", "paper_proof", "severity", "site", "statement")
_PAGE = re.compile(r"\b(?:p|pp|pages?)\.?\s*(\d+(?:\s*[-\u2013]\s*\d+)?)", re.I)


def correspondence(document: Record, *keys: str) -> Table:
    """A row for each claim of a results document, in the paper's order.

    Parameters
    ----------
    document : dict
    keys : str
        Of papers; all if none is given.
    """
    claims = [c for c in in_order(document) if not keys or c["id"].partition("/")[0] in keys]
    addresses = Addresses(document["claims"])
    return table(_COLUMNS, [_row(claim, addresses) for claim in claims], data=_DATA)


def correspondence_text(document: Record) -> str:
    """The same as Markdown, a table for each paper."""
    return "\n".join(_sections(document))


def _sections(document: Record) -> Iterator[str]:
    for key, title, authors in titles(document):
        named = f"{title} ({authors})" if authors else title
        yield f"# {key}: {markdown_text(named)}\n\n{render(correspondence(document, key), 'md')}"


def _row(claim: Record, addresses: Addresses) -> Sequence[Any]:
    entry = known(claim["id"])
    told = _PAGE.search(claim["place"])
    return (
        claim["id"].partition("/")[0],
        claim["place"],
        told and told[1],
        claim["id"],
        claim["kind"],
        word_of(claim),
        claim["paper_proof"],
        claim["severity"],
        claim["source"],
        entry and entry.note,
        list(_readings(claim)),
        file_of_claim(claim, entry),
        [reading["witness"] for reading in claim["readings"] if reading["witness"]],
        addresses.from_folder(claim["id"]),
        claim["text"],
    )


def _readings(claim: Record) -> Iterator[str]:
    """All of them with what is said of each, where that differs; else what is not as printed."""
    differ = claim.get("readings_differ", False)
    for reading in claim["readings"] if differ else claim["readings"][:1]:
        name = f"{reading['name']} ({reading['ambiguity']})".removesuffix(" ()")
        if differ:
            yield f"{name}: {reading.get('standing', reading['statement'])}"
        elif reading["name"] != AS_PRINTED.name:
            yield name


def file_of_claim(claim: Record, entry: Entry | None) -> str:
    """The file that encodes a claim, in the repository or the user's; empty if it is not known."""
    own, inside, _ = typed(claim).partition("::")
    if inside:
        return own
    if entry is None:
        return ""
    package = package_of(entry.paper).replace(".", "/")
    module = entry.module.replace(".", "/")
    top = "src/" if entry.paper in PAPERS else ""
    return f"{top}{package}/{f'{module}.py' if module else CATALOGUE}"
