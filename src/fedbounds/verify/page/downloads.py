"""Files that the page carries inside itself, as data: links."""

import csv
import gzip
import io
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fedbounds.vocabulary import Verdict

from .scripts import witness_script
from .summary import in_order, judged_claims

Record = dict[str, Any]

_HEADLINE = (
    "claim", "kind", "source", "place", "standing", "statement", "paper_proof", "severity",
)  # fmt: skip
_READING = ("reading", "ambiguity", "headline", "reading_statement", "tightness", "power")
_AFTER = ("least_relative_gap", "tightness_by_search", "uninformative", "instances")


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
    verdicts = [verdict.value for verdict in Verdict]
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow([*_HEADLINE, *_READING, *_AFTER, *verdicts, "text"])
    judged = {claim["id"]: claim for claim in judged_claims(document)}
    for claim in in_order(document):
        head = [claim["id"], *(_cell(claim[name]) for name in _HEADLINE[1:])]
        if claim["id"] not in judged:
            blank = [""] * (len(_READING) + len(_AFTER) + len(verdicts))
            table.writerow([*head, *blank, claim["text"]])
            continue
        best = (judged[claim["id"]]["best"] or {}).get("tightness")
        for at, reading in enumerate(judged[claim["id"]]["readings"]):
            own = [
                reading["name"],
                reading["ambiguity"],
                "yes" if at == 0 else "no",
                reading["statement"],
                *(_cell(reading[name]) for name in ("tightness", "power", "least_relative_gap")),
                _cell(best if at == 0 else None),
                _cell(reading["uninformative"]),
                reading["coverage"]["instances"],
                *(reading["counts"].get(verdict, 0) for verdict in verdicts),
            ]
            table.writerow([*head, *own, claim["text"]])
    return text.getvalue().encode()


def _cell(value: Any) -> Any:
    words = {None: "", True: "yes", False: "no"}
    return words[value] if value is None or isinstance(value, bool) else value


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
