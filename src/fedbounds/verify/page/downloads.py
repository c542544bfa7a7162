"""The files of a result folder that the index links to."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fedbounds.verify.page.exports.render import render
from fedbounds.verify.page.exports.rows import results as result_rows

from .addresses import CERTIFICATES
from .numbers import count

Record = dict[str, Any]

TABLE = "claims.csv"  # is written with the site; the others are those of a run


@dataclass(frozen=True)
class Download:
    """A file beside the index, what it holds, and its size in bytes."""

    name: str
    holds: str
    size: int


def downloads(document: Record, folder: Path | None, table: str) -> list[Download]:
    """The table of claims, and what of the run lies in the folder."""
    return [
        Download(TABLE, "a row per claim and reading", len(table.encode())),
        *(_in_folder(document, folder) if folder is not None else ()),
    ]


def _in_folder(document: Record, folder: Path) -> Iterator[Download]:
    from fedbounds.verify.results.store import records_file

    from .summary import papers

    told = {
        "results.json": "all that this site tells, but for its records",
        CERTIFICATES: "every certificate, for a check without fedbounds",
        **{
            records_file(key): f"records of {key}, a line each, compressed"
            for key in papers(document)
        },
    }
    for name, holds in told.items():
        if (folder / name).is_file():
            yield Download(name, holds, (folder / name).stat().st_size)


def claims_csv(document: Record) -> str:
    """A row per claim and reading; a claim without a reading has one row."""
    return render(result_rows(document), "csv")


def scripts_told(document: Record) -> str:
    """How many witnesses have a script."""
    return count(len({row["witness"] for row in document["results"] if row["witness"]}), "script")
