"""What the standing of a claim does not cover: its other readings that are refuted, by name."""

from typing import Any

from fedbounds.vocabulary import StatementStatus

Record = dict[str, Any]


def limits(claim: Record) -> str:
    """The refuted readings after the first, in words; empty if there is none."""
    names = [
        reading["name"]
        for reading in claim["readings"][1:]
        if reading["statement"] == StatementStatus.REFUTED
    ]
    return f"refuted in another reading: {'; '.join(names)}" if names else ""
