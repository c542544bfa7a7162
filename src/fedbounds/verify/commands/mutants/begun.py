"""A table that is begun: what claims have finished is kept, and an interrupted one goes on."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from fedbounds.errors import FedboundsError

from ...results.files import delete, file_of, make_folder, write_text
from .table import Line, Table, from_text, to_text

_SUFFIX = ".begun"  # not that of a table, which counts


@dataclass(eq=False)
class Begun:
    """Lines of the claims that are finished, in a file beside the tables.

    Attributes
    ----------
    path : Path or None
        None where nothing is written.
    table : Table
        With the lines so far.
    """

    path: Path | None
    table: Table

    def has(self, claim_id: str) -> bool:
        """Whether a claim is finished; one without mutants never is."""
        name = claim_id.partition("/")[2]
        return any(line.claim == name for line in self.table.lines)

    def add(self, lines: Sequence[Line]) -> None:
        """Take in the lines of claims, and write all."""
        self.table = replace(self.table, lines=(*self.table.lines, *lines))
        if self.path is not None:
            write_text(self.path, to_text(self.table))

    def done(self) -> None:
        """The table itself is written, which takes its place."""
        if self.path is not None:
            delete(self.path)


def begun(out: Path | None, paper: str, empty: Table) -> Begun:
    """What is there of a table; nothing, if it is of another command, theory or program."""
    if out is None:
        return Begun(None, empty)
    make_folder(out)
    path = file_of(out, f"{paper}{_SUFFIX}")
    try:
        found = from_text(path.read_text("utf-8"))
    except (OSError, UnicodeError, ValueError, FedboundsError):
        return Begun(path, empty)
    same = replace(found, lines=()) == empty
    return Begun(path, found if same else empty)
