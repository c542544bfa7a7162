"""What shows that a reading is refuted: a script of its own, or the record and who judges it."""

import shlex
from collections.abc import Sequence
from typing import Any

from fedbounds.verify.page.overview import broken
from fedbounds.verify.page.rows import by_claim
from fedbounds.verify.page.standings import word_of
from fedbounds.verify.page.summary import in_order, is_refuted, typed, verify_again
from fedbounds.vocabulary import Verdict

from ..table import Table, table

Record = dict[str, Any]

AGAIN = "again"  # the folder of a second run, beside what the archive holds
_COLUMNS = (
    "place", "claim", "standing", "reading", "ambiguity", "what_breaks_it", "to_see_it",
    "no_script",
)  # fmt: skip
_DATA = ("ambiguity",)


def scripts(document: Record) -> list[str]:
    """Every script that a results document names: of readings, of records, of steps of proofs."""
    rows = [
        *(reading for claim in document["claims"].values() for reading in claim["readings"]),
        *document["results"],
        *(step for proof in document["proofs"].values() for step in proof["steps"]),
    ]
    return sorted({row["witness"] for row in rows if row["witness"]})


def refuted_readings(document: Record) -> Table:
    """A row for each refuted reading, with the command that shows it in the unpacked archive."""
    records = by_claim(document["results"])
    rows = [
        _row(document, claim, reading, records.get(claim["id"], ()))
        for claim in in_order(document)
        for reading in claim["readings"]
        if is_refuted(reading)
    ]
    return table(_COLUMNS, rows, data=_DATA)


def _row(
    document: Record, claim: Record, reading: Record, records: Sequence[Record]
) -> Sequence[Any]:
    said = reading["name"], Verdict.VIOLATED
    own = [row for row in records if (row["reading"], row["verdict"]) == said]
    replayed = any("instance" in row or "difference" in row for row in own)
    return (
        claim["place"],
        claim["id"],
        word_of(claim),
        reading["name"],
        reading["ambiguity"],
        broken(reading, records),
        _command(document, claim, reading["witness"], replayed),
        None if reading["witness"] else next(filter(None, map(_no_script, own)), None),
    )


def _no_script(row: Record) -> str:
    return str(row.get("no_script", ""))


def _command(document: Record, claim: Record, script: str | None, replayed: bool) -> str:
    if script:
        return shlex.join(["python", script])
    if replayed:
        return shlex.join(["fedbounds", "search", typed(claim), "--replay", "."])
    return f"{verify_again([typed(claim)], document)} --out {AGAIN}"
