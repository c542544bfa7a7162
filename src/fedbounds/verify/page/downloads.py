"""Files that the page carries inside itself, as data: links."""

import gzip
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fedbounds.verify.exports.render import render
from fedbounds.verify.exports.rows import results

from .scripts import witness_script

Record = dict[str, Any]


@dataclass(frozen=True)
class Download:
    """A file: its name, what it holds, its size in bytes and the link that is the file."""

    name: str
    holds: str
    size: int
    link: str


def downloads(document: Record, folder: Path | None, room: int) -> tuple[Download, ...]:
    """The results as far as they fit, a table of claims, and every witness script at hand."""
    return (
        results_file(document, room),
        claims_file(document, room),
        *_scripts(document["results"], folder),
    )


def _download(name: str, holds: str, kind: str, data: bytes) -> Download:
    link = f"data:{kind};base64,{b64encode(data).decode('ascii')}"
    return Download(name, holds, len(data), link)


def results_file(document: Record, room: int) -> Download:
    """The most complete form of the results that fits: plain, compressed, or without records."""
    from fedbounds.verify.records import dumps

    records = len(document["results"])
    plain = dumps(document).encode()
    if _fits(plain, room // 4):
        return _download("results.json", f"all {records} records", "application/json", plain)
    holds, packed = f"all {records} records, compressed", _pack(plain)
    if not _fits(packed, room):
        holds = (
            f"without its {records} records, which results.json in the result folder holds; "
            "compressed"
        )
        packed = _pack(dumps(document | {"results": [], "left_out": {"results": records}}).encode())
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
    return render(results(document), "csv").encode()


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
