"""The findings of the page: every refuted reading with its witnesses."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fedbounds.vocabulary import StatementStatus, Verdict

from .formulas import ClaimView, PartView
from .numbers import exact
from .scripts import witness_script
from .summary import SIZES, sizes

Record = dict[str, Any]


@dataclass(frozen=True)
class WitnessView:
    """A violated record: sizes, both sides, premises, and its script if there is one."""

    instance: str
    sizes: str
    part: str
    round: int | None
    relation: str
    left: str
    right: str
    gap: str
    numbers: tuple[tuple[str, str], ...]
    premises: tuple[Record, ...]
    path: str
    script: str
    key: str


@dataclass(frozen=True)
class Finding:
    """A refuted reading: the reading, its witnesses, and what became of the headline reading."""

    claim: Record
    reading: Record
    headline: bool
    headline_name: str
    headline_statement: str
    headline_instances: int
    parts: tuple[PartView, ...]
    violated: int
    witnesses: tuple[WitnessView, ...]
    worst: WitnessView | None


def findings(
    claims: Sequence[Record],
    records: dict[str, list[Record]],
    views: dict[str, ClaimView],
    folder: Path | None,
) -> list[Finding]:
    """Refuted headline readings first, then refuted alternative readings."""
    found = [
        _finding(claim, reading, records.get(claim["id"], []), views[claim["id"]], folder)
        for claim in claims
        for reading in claim["readings"]
        if reading["statement"] == StatementStatus.REFUTED
    ]
    return sorted(found, key=lambda finding: not finding.headline)


def _finding(
    claim: Record, reading: Record, records: list[Record], view: ClaimView, folder: Path | None
) -> Finding:
    headline = claim["readings"][0]
    parts = view.readings.get(reading["name"], ())
    own = [row for row in records if row["reading"] == reading["name"]]
    broken = [row for row in own if row["verdict"] == Verdict.VIOLATED]
    small = [row for row in broken if row["witness"]]
    worst = max(broken, key=lambda row: (abs(row["relative_gap"] or 0.0), row["key"]), default=None)
    return Finding(
        claim=claim,
        reading=reading,
        headline=reading is headline,
        headline_name=headline["name"],
        headline_statement=headline["statement"],
        headline_instances=headline["coverage"]["instances"],
        parts=parts,
        violated=len(broken),
        witnesses=tuple(_witness(row, parts, folder) for row in small),
        worst=None if worst is None or small else _witness(worst, parts, folder),
    )


def _witness(row: Record, parts: tuple[PartView, ...], folder: Path | None) -> WitnessView:
    part = next((p for p in parts if p.name == row["at"]["part"]), None)
    conditions = dict(part.conditions) if part else {}
    constants = {name: value["value"] for name, value in row["constants"].items()}
    numbers = {**row["parameters"], **constants}
    return WitnessView(
        instance=row["problem"]["instance"],
        sizes=sizes(row),
        part=row["at"]["part"],
        round=row["at"]["round"],
        relation=part.relation if part else "",
        left=exact(row["left"]),
        right=exact(row["right"]),
        gap=exact(row["gap"]),
        numbers=tuple((name, exact(v)) for name, v in numbers.items() if name not in SIZES),
        premises=tuple(
            premise | {"formula": conditions.get(premise["condition"])}
            for premise in row.get("premises", ())
        ),
        path=row["witness"] or "",
        script=witness_script(folder, row["witness"]),
        key=row["key"],
    )
