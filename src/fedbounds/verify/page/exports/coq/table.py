"""What Coq says of the exported steps, as Markdown and as data."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ....results.accepted import WITHHELD, digest_of
from .book import Book, book_of, comment, general, reasons
from .planted import Planted, planted
from .run import ACCEPTED, LATE, REFUSED, Verdict, prepared, refused, verdicts

_SESSION = 25  # false lemmas that one session of Coq tries


@dataclass(frozen=True)
class Counted:
    """What Coq says of a paper.

    Attributes
    ----------
    digest : str
        Of the theory.
    lemmas, theorems : list of Verdict
    planted : list of Planted
        False lemmas.
    refused : list of str
        Names of those that Coq refuses.
    digests : dict
        Of every step's statement and certificate.
    """

    book: Book
    digest: str
    lemmas: list[Verdict]
    theorems: list[Verdict]
    planted: list[Planted]
    refused: list[str]
    digests: dict[str, str]


def counted(
    key: str, data: Mapping[str, Any], folder: Path, seed: int, wanted: int, jobs: int = 2
) -> Counted:
    """A book before Coq: its lemmas, its theorems, and false lemmas made of them."""
    book = book_of(key, data)
    lemmas, theorems = verdicts(book, jobs)
    accepted = {one.name for one in lemmas if one.verdict == ACCEPTED}
    true = [one for one in book.lemmas if one.name in accepted]
    false = [one for one in planted(book, seed, wanted) if _of(one) in accepted]
    prepared(folder, book)
    found: list[str] = []
    for at in range(0, len(false), _SESSION):
        found += refused(folder, book, false[at : at + _SESSION], true[:2])
    digests = {row["id"]: digest_of(row) for row in data["steps"] if row["certificate"]}
    return Counted(book, data["hash"], lemmas, theorems, false, found, digests)


def _of(row: Planted) -> str:
    return row.lemma.name.partition("_")[2]


def general_digest() -> str:
    """Of the lemmas that all papers share."""
    return hashlib.sha256("".join(general().values()).encode()).hexdigest()[:16]


def as_data(version: str, found: Counted) -> dict[str, Any]:
    """What Coq says of every step, as the folder of a paper's proofs holds it: `judge.accepted`."""
    said = {one: f"{WITHHELD}: {why}" for one, why in found.book.withheld}
    said |= {row.step: row.verdict for row in found.lemmas}
    return {
        "coq": version,
        "theory": found.digest,
        "general": general_digest(),
        "steps": {step: [found.digests[step], said[step]] for step in sorted(said)},
    }


def text(command: str, version: str, found: Counted) -> str:
    """The table: counts, what is withheld and why, what is not accepted, and the theorems."""
    return "\n".join(_lines(command, version, found)) + "\n"


def _lines(command: str, version: str, found: Counted) -> Iterator[str]:
    book, number = found.book, Counter(row.verdict for row in found.lemmas)
    yield f"# What Coq says of the proved steps of {book.key}"
    yield ""
    digests = f"theory `{found.digest[:16]}`, general lemmas `{general_digest()}`"
    yield f"`{command}`, {version}, {digests}"
    yield ""
    yield "| proved | exported | accepted | refused | out of time | withheld |"
    yield "| ---: | ---: | ---: | ---: | ---: | ---: |"
    cells = (
        book.proved, len(found.lemmas), number[ACCEPTED], number[REFUSED], number[LATE],
        len(book.withheld),
    )  # fmt: skip
    yield f"| {' | '.join(map(str, cells))} |"
    yield ""
    yield f"Of {len(found.planted)} false lemmas Coq refuses {len(found.refused)}."
    yield ""
    yield "## Withheld"
    yield ""
    yield from (f"- {number_}: {_cell(why)}" for why, number_ in reasons(book))
    yield from [] if book.withheld else ["none"]
    yield ""
    yield "## Not accepted"
    yield ""
    bad = [row for row in found.lemmas if row.verdict != ACCEPTED]
    yield from (f"- {_cell(row.step)}: {row.verdict}" for row in bad)
    yield from [] if bad else ["none"]
    yield ""
    yield "## Theorems"
    yield ""
    yield "Claims of which every step, down to what is given, is a lemma that Coq accepts."
    yield ""
    yield from (f"- {_cell(row.step)}: {row.verdict}" for row in found.theorems)
    yield from [] if found.theorems else ["none"]


def _cell(value: str) -> str:
    return comment(value).replace("|", "\\|")
