"""A record in words: its sizes, its place in a run, its instance."""

from collections.abc import Iterable
from typing import Any

from fedbounds.vocabulary import Method

Record = dict[str, Any]

SIZES = ("n", "m", "K", "T")
_WITHOUT_INSTANCES = (Method.EXPONENTS, Method.CONSTANTS, Method.DESCRIPTION)


def is_witness(row: Record) -> bool:
    """Whether a record is a smallest violation; some have an exact instance but no script."""
    return bool(row["witness"] or row.get("instance"))


def by_claim(rows: Iterable[Record]) -> dict[str, list[Record]]:
    """Records of each claim, in their order."""
    found: dict[str, list[Record]] = {}
    for row in rows:
        found.setdefault(row["claim"], []).append(row)
    return found


def planned_instances(rows: Iterable[Record]) -> int:
    """How many instances of the plan were judged; bounds and descriptions have none."""
    return len(
        {
            row["problem"]["instance"]
            for row in rows
            if not is_witness(row) and row["evidence"]["method"] not in _WITHOUT_INSTANCES
        }
    )


def sizes(row: Record) -> str:
    """Sizes of a record's instance: "n = 3, m = 1, T = 1"; a ladder is measured at its limit."""
    found = row["parameters"]
    names = [name for name in SIZES if name in found and not (name == "T" and is_ladder(row))]
    return ", ".join(f"{name} = {found[name]}" for name in names)


def is_ladder(row: Record) -> bool:
    """Whether a record is about instances that differ in one parameter."""
    return str(row["problem"]["family"]).endswith("ladder")


def instance_name(row: Record) -> str:
    """The instance of a record; its part, where that already says all of it."""
    name, part = str(row["problem"]["instance"]), row["at"]["part"]
    return part if part and name == f"{part}, {part}" else name


def place(row: Record) -> str:
    """Where in the run: "round t = 1, client i = 0, step k = 1"; clients count from 0."""
    names = {
        "round": "rung t" if is_ladder(row) else "round t",
        "client": "client i",
        "step": "step k",
    }
    at = row["at"]
    return ", ".join(
        f"{name} = {at[key]}" for key, name in names.items() if at.get(key) is not None
    )
