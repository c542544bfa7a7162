"""Files that the page carries inside itself, as data: links."""

import gzip
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from fedbounds.verify.page.exports.render import render
from fedbounds.verify.page.exports.rows import results as result_rows

from .scripts import witness_script

Record = dict[str, Any]


@dataclass(frozen=True)
class Download:
    """A file: its name, what it holds, its size in bytes and the link that is the file."""

    name: str
    holds: str
    size: int
    link: str


@dataclass(frozen=True)
class Results:
    """The results as files; each is made once, for pages of any size."""

    document: Record

    @cached_property
    def plain(self) -> bytes:
        """The document with all records, as ``--json`` writes it."""
        return self._file(self.document)

    @cached_property
    def packed(self) -> bytes:
        """The same, compressed."""
        return _pack(self.plain)

    @cached_property
    def bare(self) -> bytes:
        """Without the records, compressed."""
        left_out = {"results": len(self.document["results"])}
        return _pack(self._file(self.document | {"results": [], "left_out": left_out}))

    def _file(self, data: Record) -> bytes:
        from fedbounds.verify.results.records import sealed

        return sealed(data).encode()


def downloads(results: Results, folder: Path | None, room: int) -> tuple[Download, ...]:
    """The results as far as they fit, a table of claims, and every witness script at hand."""
    return (
        results_file(results, room),
        claims_file(results.document, room),
        *_scripts(results.document["results"], folder),
    )


def _download(name: str, holds: str, kind: str, data: bytes) -> Download:
    link = f"data:{kind};base64,{b64encode(data).decode('ascii')}"
    return Download(name, holds, len(data), link)


def results_file(results: Results, room: int) -> Download:
    """The most complete form of the results that fits: plain, compressed, or without records."""
    records = len(results.document["results"])
    if _fits(results.plain, room // 4):
        holds = f"all {records} records"
        return _download("results.json", holds, "application/json", results.plain)
    holds, packed = f"all {records} records, compressed", results.packed
    if not _fits(packed, room):
        holds = f"without its {records} records, which the result folder holds; compressed"
        packed = results.bare
    return _download("results.json.gz", holds, "application/gzip", packed)


def claims_file(document: Record, room: int) -> Download:
    """The table of claims, compressed where it is large for the room there is."""
    plain, holds = claims_csv(document), "a row per claim and reading"
    if _fits(plain, room // 8):
        return _download("claims.csv", holds, "text/csv", plain)
    return _download("claims.csv.gz", f"{holds}, compressed", "application/gzip", _pack(plain))


def _pack(data: bytes) -> bytes:
    """Compressed without the time, so that the same data give the same bytes."""
    return gzip.compress(data, 6, mtime=0)


def _fits(data: bytes, room: int) -> bool:
    """Whether it fits in base 64, four characters for three bytes."""
    return 4 * len(data) <= 3 * room


def claims_csv(document: Record) -> bytes:
    """A row per claim and reading; a claim without a reading has one row."""
    return render(result_rows(document), "csv").encode()


def _scripts(records: Sequence[Record], folder: Path | None) -> list[Download]:
    paths = dict.fromkeys(row["witness"] for row in records if row["witness"])
    scripts = ((path, witness_script(folder, path)) for path in paths)
    return [
        _download(
            Path(path).name,
            "violates a claim, in exact numbers; runs without fedbounds",
            "text/x-python",
            script.encode(),
        )
        for path, script in scripts
        if script
    ]
