"""The list of claims on the terminal: light, no SymPy."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from fedbounds.theory.language.catalogue import Entry
from fedbounds.vocabulary import Kind

from .numbers import count

_PIPED_WIDTH = 160  # columns when the output is not a terminal


def console(stderr: bool = False) -> Console:
    """A console that does not fold tables when its output is piped."""
    terminal = Console(stderr=stderr).is_terminal
    return Console(
        stderr=stderr,
        width=None if terminal else _PIPED_WIDTH,
        highlight=False,
        markup=False,  # paths and formulas have brackets of their own
        emoji=False,
    )


def columns(*names: str) -> Table:
    """An empty table without lines."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in names:
        table.add_column(name, overflow="fold")
    return table


def print_list(entries: Sequence[Entry]) -> None:
    """Ids with kind, source, place and statement."""
    table = columns("claim", "kind", "source", "place", "statement")
    for entry in entries:
        waiting = not entry.module and entry.kind is not Kind.DEFINITION
        note = " (open: not encoded yet)" if waiting else ""
        table.add_row(
            *(
                Text(cell)
                for cell in (
                    entry.id,
                    entry.kind.value,
                    entry.source.value,
                    entry.place,
                    entry.statement + note,
                )
            )
        )
    out = console()
    out.print(table)
    named = sum(1 for entry in entries if entry.kind is Kind.DEFINITION)
    encoded = sum(1 for entry in entries if entry.module)
    besides = f"; {count(named, 'definition')} besides, which are not judged" if named else ""
    out.print(f"\n{count(len(entries) - named, 'claim')}, {encoded} encoded{besides}")
