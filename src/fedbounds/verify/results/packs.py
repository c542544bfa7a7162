"""Records in files: compressed lines of JSON, a block each, that are added as they finish.

A block holds the records of one set-up, which it gives once, or what else was found and is kept by
name; its digest shows an edit. Files are read as data: `gunzip -c FILE | head -1` shows a block.
"""

import json
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fedbounds.border import corrupt, fit, parsed
from fedbounds.errors import FedboundsError

from .records import DIGEST, dumps, is_sealed, sealed
from .shapes import BLOCK, SETUP

Record = dict[str, Any]
AGAIN = "delete it to compute its records again"

GZIP = 31  # what zlib calls a gzip stream; it writes no time
_CHUNK = 1 << 16
_LONGEST = 1 << 26  # bytes of a line: nobody's packed gigabytes are read


@dataclass(frozen=True)
class Kept:
    """What files of records hold.

    Attributes
    ----------
    records : dict by the record's key
    notes : dict by a key
        What else was found.
    """

    records: dict[str, Record] = field(default_factory=dict)
    notes: dict[str, Any] = field(default_factory=dict)

    def add(self, block: Record) -> None:
        """What a block holds."""
        for row in block.get("records", ()):
            self.records[row["key"]] = row | block["setup"]
        self.notes.update(block.get("notes", {}))

    def of_engine(self, engine: str) -> "Kept":
        """Only what keys say that this engine found."""
        start = f"{engine}-"
        return Kept(
            {key: row for key, row in self.records.items() if key.startswith(start)},
            {key: value for key, value in self.notes.items() if key.startswith(start)},
        )


def blocks(kept: Kept) -> list[Record]:
    """What is kept as blocks, in an order of its own: by set-up, then by claim."""
    groups: dict[str, list[Record]] = {}
    for row in kept.records.values():
        groups.setdefault(dumps({name: row[name] for name in SETUP}), []).append(row)
    found: list[Record] = []
    for setup, rows in sorted(groups.items()):
        own = [{name: row[name] for name in row if name not in SETUP} for row in rows]
        own.sort(key=lambda row: (row["claim"], row["reading"], row["key"]))
        found.append({"setup": json.loads(setup), "records": own})
    return [*found, {"notes": kept.notes}] if kept.notes else found


def packed(given: Iterable[Record]) -> bytes:
    """Blocks as bytes of a file, or to be added to one."""
    stream = zlib.compressobj(wbits=GZIP)
    parts = [stream.compress(sealed(block).encode()) for block in given]
    return b"".join(parts) + stream.flush()


def read(path: Path, *, whole: bool, mend: str = AGAIN) -> Iterator[Record]:
    """The blocks of a file of records.

    Parameters
    ----------
    whole : bool
        Whether the file was written at once; else it may end in a block that is not, where the
        process was killed, and which is left out.

    Raises
    ------
    FedboundsError
        If it cannot be read, holds something else, or was edited.
    """
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise FedboundsError(f"cannot read {str(path)!r}: {error.strerror}; {mend}") from error
    try:
        for line in _lines(raw):
            yield _block(path, line, mend)
    except _Torn as error:
        if whole:
            raise corrupt(path, error, mend) from error


class _Torn(Exception):
    """A stream that ends before its end."""


def _lines(raw: bytes) -> Iterator[bytes]:
    """Lines of gzip streams that follow each other; ends in `_Torn` where they are damaged."""
    rest, at = b"", 0
    view = memoryview(raw)
    while at < len(raw):
        stream = zlib.decompressobj(wbits=GZIP)
        while not stream.eof:
            chunk = view[at : at + _CHUNK]
            try:
                text = stream.decompress(chunk)
            except zlib.error as error:
                raise _Torn(f"it is damaged: {error}") from error
            if not chunk:
                raise _Torn("it ends too early")
            at += len(chunk) - len(stream.unused_data)
            *whole, rest = (rest + text).split(b"\n")
            yield from whole
            if len(rest) > _LONGEST:
                raise _Torn(f"a line of it has more than {_LONGEST} bytes")
    if rest:
        raise _Torn("it ends too early")


def _block(path: Path, line: bytes, mend: str) -> Record:
    data = _parsed(path, line, mend)
    fit(path, data, BLOCK, mend)
    if not is_sealed(data.pop(DIGEST), line + b"\n"):
        raise FedboundsError(f"results file {str(path)!r} was edited after it was written; {mend}")
    return data


def _parsed(path: Path, line: bytes, mend: str) -> Record:
    """The object of a line: at once if it is as `dumps` writes it, else with all care."""
    try:
        data = json.loads(line)
        if isinstance(data, dict) and dumps(data).encode() == line + b"\n":
            return data
    except (ValueError, RecursionError):
        pass
    return parsed(path, line, mend)
