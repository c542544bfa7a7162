"""What Coq says of the exported steps, as Markdown."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .book import Book, book_of, comment, general, reasons
from .planted import Planted, planted
from .run import ACCEPTED, Verdict, prepared, refused, verdicts

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
    """

    book: Book
    digest: str
    lemmas: list[Verdict]
    theorems: list[Verdict]
    planted: list[Planted]
    refused: list[str]


def counted(key: str, data: Mapping[str, Any], folder: Path, seed: int, wanted: int) -> Counted:
    """A book before Coq: its lemmas, its theorems, and false lemmas made of them."""
    book = book_of(key, data)
    lemmas, theorems = verdicts(book)
    accepted = {one.name for one in lemmas if one.verdict == ACCEPTED}
    true = [one for one in book.lemmas if one.name in accepted]
    false = [one for one in planted(book, seed, wanted) if _of(one) in accepted]
    prepared(folder, book)
    found: list[str] = []
    for at in range(0, len(false), _SESSION):
        found += refused(folder, book, false[at : at + _SESSION], true[:2])
    return Counted(book, str(data["hash"])[:16], lemmas, theorems, false, found)


def _of(row: Planted) -> str:
    return row.lemma.name.partition("_")[2]


def general_digest() -> str:
    """Of the lemmas that all papers share."""
    return hashlib.sha256(general().encode()).hexdigest()[:16]


def text(command: str, version: str, every: Sequence[Counted]) -> str:
    """The table: counts, what is withheld and why, what is not accepted, and the theorems."""
    return "\n".join(_lines(command, version, every)) + "\n"


def _lines(command: str, version: str, every: Sequence[Counted]) -> Iterator[str]:
    yield "# What Coq says of the proved steps"
    yield ""
    yield f"`{command}`, {version}, general lemmas `{general_digest()}`"
    yield ""
    yield "| paper | theory | proved | exported | accepted | refused | out of time | withheld |"
    yield "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |"
    for one in every:
        number = Counter(row.verdict for row in one.lemmas)
        cells = (
            one.book.key, f"`{one.digest}`", one.book.proved, len(one.lemmas), number[ACCEPTED],
            number["refused"], number["out of time"], len(one.book.withheld),
        )  # fmt: skip
        yield f"| {' | '.join(map(str, cells))} |"
    total = Counter(row.verdict for one in every for row in one.lemmas)
    proved = sum(one.book.proved for one in every)
    yield (
        f"| all | | {proved} | {sum(len(one.lemmas) for one in every)} | {total[ACCEPTED]} "
        f"| {total['refused']} | {total['out of time']} "
        f"| {sum(len(one.book.withheld) for one in every)} |"
    )
    yield ""
    yield f"Accepted: {100 * total[ACCEPTED] / max(proved, 1):.1f} % of all proved steps."
    yield ""
    yield "## Withheld"
    yield ""
    yield "| paper | reason | steps |"
    yield "| --- | --- | ---: |"
    for one in every:
        for why, number_ in reasons(one.book):
            yield f"| {one.book.key} | {_cell(why)} | {number_} |"
    yield ""
    yield "## Not accepted"
    yield ""
    bad = [(one.book.key, row) for one in every for row in one.lemmas if row.verdict != ACCEPTED]
    yield from (f"- {key}: {_cell(row.step)}: {row.verdict}" for key, row in bad)
    yield from [] if bad else ["none"]
    yield ""
    yield "## False lemmas"
    yield ""
    yield "| paper | false lemmas | refused |"
    yield "| --- | ---: | ---: |"
    for one in every:
        yield f"| {one.book.key} | {len(one.planted)} | {len(one.refused)} |"
    yield (
        f"| all | {sum(len(one.planted) for one in every)} "
        f"| {sum(len(one.refused) for one in every)} |"
    )
    yield ""
    yield "## Theorems"
    yield ""
    yield "Claims of which every step, down to what is given, is a lemma."
    yield ""
    for one in every:
        for row in one.theorems:
            yield f"- {one.book.key}: {_cell(row.step)}: {row.verdict}"


def _cell(value: str) -> str:
    return comment(value).replace("|", "\\|")
