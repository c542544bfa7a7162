"""Which premises a proof needs, and which constants follow from its one-round inequality."""

from collections.abc import Sequence

from rich.text import Text

from fedbounds.theory.language.catalogue import Entry
from fedbounds.theory.proof.library import book_of, derived, has_book, repaired, replayed
from fedbounds.theory.proof.premises import Need, needs
from fedbounds.theory.proof.refute_vectors import Numbers

from .listing import columns, console


def premises_of(entries: Sequence[Entry]) -> tuple[Need, ...]:
    """Of the proved parts of these claims: what happens without each assumption and condition."""
    found: list[Need] = []
    for paper in dict.fromkeys(entry.paper for entry in entries):
        if has_book(paper):
            book, ids = book_of(paper), {entry.id for entry in entries}
            own = [w.id for w in book.steps if w.claim in ids and w.reading]
            found += needs(book, replayed(paper, own), own)
    return tuple(found)


def print_premises(found: Sequence[Need]) -> None:
    """A line per step and premise; what no step needs first."""
    out = console()
    table = columns("step", "premise", "without it", "where the proof breaks, and why")
    for need in sorted(found, key=lambda need: need.needed):
        told = f"{need.where}: {need.reason}" if need.needed else ""
        if need.numbers is not None:
            told += f"; without it these numbers break the step: {_numbers(need.numbers)}"
        word = "no proof found" if need.needed else "proved: not needed"
        table.add_row(*map(Text, (need.step, need.premise, word, told)))
    out.print(table)
    idle = sum(1 for need in found if not need.needed)
    out.print(f"\n{len(found)} premises dropped in turn: {idle} not needed")


def print_derived(claim_id: str) -> None:
    """Constants that follow from one round and its summation, beside the stated ones."""
    for part, rows in derived(claim_id).items():
        out = console()
        out.print(f"\nderived from one round{', part ' + part if part else ''}:")
        table = columns("term", "derived", "stated", "derived / stated")
        for row in rows:
            cells = (row.name, row.derived, row.stated, f"{float(row.ratio):.4g}")
            table.add_row(*(Text(str(cell)) for cell in cells))
        out.print(table)


def print_repair(claim_id: str) -> None:
    """How small the constant of a correction can be."""
    found = repaired(claim_id)
    if found is None or found.theta is None:
        return
    out = console()
    out.print(f"\nsmallest constant of its family that is proved: {found.theta}")
    if found.numbers is not None:
        told = _numbers(found.numbers)
        out.print(Text(f"numbers against {found.fails}: {told}"), soft_wrap=True)


def _numbers(found: Numbers) -> str:
    return ", ".join(f"{name} = {value}" for name, value in found)
