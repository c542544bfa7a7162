"""What fails on the page of a claim: parts of a refuted reading, its witnesses, what survives."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fedbounds.vocabulary import Verdict

from .formulas import ClaimView, PartView
from .numbers import exact, listed
from .rows import SIZES, instance_name, is_witness, place, sizes
from .runs import LadderView, ladder_view
from .scripts import script_link
from .summary import VERDICTS

Record = dict[str, Any]

_LARGEST_INSTANCE = 4000  # characters of an instance that is printed


@dataclass(frozen=True)
class WitnessView:
    """A violated record: sizes, both sides, premises, and where its script is if there is one.

    Attributes
    ----------
    small : bool
        Whether it is a smallest violation in exact numbers; else the largest one of the plan.
    where : str
        Round, client and local step.
    told : str
        Of two algorithms that differ, on which draws; else empty.
    instance : str
        The exact instance as JSON; empty if there is none, or a very large one.
    """

    small: bool
    name: str
    sizes: str
    part: str
    where: str
    relation: str
    left: str
    right: str
    gap: str
    reason: str
    told: str
    numbers: tuple[tuple[str, str], ...]
    premises: tuple[Record, ...]
    ladder: LadderView | None
    path: str
    script: str  # a link
    instance: str
    key: str


@dataclass(frozen=True)
class PartCount:
    """One part of a reading: its formula if there is one, its verdicts, why it breaks in words."""

    name: str
    view: PartView | None
    verdicts: str
    reason: str


@dataclass(frozen=True)
class RefutedReading:
    """A refuted reading: parts that break, that hold, that no record decides; the witnesses."""

    violated: int
    examined: int
    broken: tuple[PartCount, ...]
    held: tuple[PartCount, ...]
    unsure: tuple[PartCount, ...]
    witnesses: tuple[WitnessView, ...]


def refuted_reading(
    reading: Record, records: Sequence[Record], view: ClaimView, folder: Path | None
) -> RefutedReading:
    """What breaks of a refuted reading, by the records of its claim."""
    parts = view.readings.get(reading["name"], ())
    own = [row for row in records if row["reading"] == reading["name"]]
    rows = [row for row in own if row["verdict"] == Verdict.VIOLATED]
    small = [row for row in rows if is_witness(row)]
    sided = [row for row in rows if row["left"] is not None]  # a reason stands by its part
    sided.sort(key=lambda row: (abs(row["relative_gap"] or 0.0), row["key"]))
    apart = [row for row in rows if row.get("difference")]  # from the smallest sizes on
    shown = small or apart[:1] or sided[-1:]
    return RefutedReading(
        len(rows),
        reading["coverage"]["instances"],
        *_by_part(own, parts),
        tuple(_witness(row, parts, folder) for row in shown),
    )


Parts = tuple[PartCount, ...]


def _by_part(rows: Sequence[Record], views: Sequence[PartView]) -> tuple[Parts, Parts, Parts]:
    """Parts that some record violates, those that only pass, those without a firm verdict."""
    counted: dict[str, Counter[str]] = {view.name: Counter() for view in views}
    for row in rows:
        for part in row["parts"]:
            counted.setdefault(part["part"], Counter())[part["verdict"]] += 1
    by_name = {view.name: view for view in views}
    reasons = {
        part["part"]: part["reason"]
        for row in rows
        for part in row["parts"]
        if part["verdict"] == Verdict.VIOLATED and part["gap"] is None
    }
    found: tuple[list[PartCount], ...] = ([], [], [])
    for name, told in counted.items():
        group = 0 if told[Verdict.VIOLATED] else 1 if told[Verdict.NOT_VIOLATED] else 2
        found[group].append(_count(name, by_name.get(name), told, reasons.get(name, "")))
    broken, held, unsure = map(tuple, found)
    return broken, held, unsure


def _count(name: str, view: PartView | None, told: Counter[str], reason: str) -> PartCount:
    words = [f"{verdict} in {told[verdict]}" for verdict in VERDICTS if told[verdict]]
    return PartCount(name, view, listed(words) if words else "never examined", reason)


def _witness(row: Record, parts: tuple[PartView, ...], folder: Path | None) -> WitnessView:
    part = next((p for p in parts if p.name == row["at"]["part"]), None)
    conditions = dict(part.conditions) if part else {}
    constants = {name: value["value"] for name, value in row["constants"].items()}
    numbers = {**row["parameters"], **constants}
    exactly = row.get("instance") or row.get("difference")
    instance = json.dumps(exactly, ensure_ascii=False, sort_keys=True) if exactly else ""
    apart = row.get("difference")
    return WitnessView(
        small=is_witness(row) or bool(apart),
        name=instance_name(row),
        sizes=sizes(row),
        part=row["at"]["part"],
        where=place(row),
        relation=part.relation if part else "",
        left="" if row["left"] is None else exact(row["left"]),
        right="" if row["right"] is None else exact(row["right"]),
        gap="" if row["gap"] is None else exact(row["gap"]),
        reason=row["reason"],
        told=f"{apart['restriction']}: {apart['where']}" if apart else "",
        numbers=tuple((name, exact(v)) for name, v in sorted(numbers.items()) if name not in SIZES),
        premises=tuple(
            premise | {"formula": conditions.get(premise["condition"])}
            for premise in row.get("premises", ())
        ),
        ladder=ladder_view(row["claim"], row) if row.get("ladder") else None,
        path=row["witness"] or "",
        script=script_link(folder, row["witness"]),
        instance=instance if len(instance) <= _LARGEST_INSTANCE else "",
        key=row["key"],
    )
