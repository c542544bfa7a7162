"""Proofs in one line each: the cell of a claim in the table, and the steps that fail."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from . import steps
from .numbers import NONE

Record = dict[str, Any]


def status_cell(proofs: Mapping[str, Record], claim_id: str, headline: str) -> str:
    """The cell of the table of claims: "proved, 3/3", "gap, 2/5"."""
    if claim_id not in proofs:
        return NONE
    row = proofs[claim_id]
    own = [s for s in row["steps"] if s["source"] != steps.OURS]
    own = [s for s in own if s["reading"] in ("", headline)]
    held = sum(map(steps.holds, own))
    return f"{row['status']}, {held}/{len(own)}" if own else str(row["status"])


@dataclass(frozen=True)
class Failing:
    """A failing step in one line."""

    claim: Record
    step: str
    place: str
    alternative: str
    local: str
    survives: str


def failing(document: Record) -> list[Failing]:
    """Failing steps in the order of the proofs, those of headline readings first."""
    proofs, claims = document["proofs"], document["claims"]
    found = []
    for claim_id, row in steps.claims_of(proofs).items():
        for step in steps.failing(row) if claim_id in claims else ():
            words = [one.words for one in steps.survivors(claim_id, step, proofs)]
            survives = "; ".join(words) or "nothing is proved in its place"
            claim = claims[claim_id]
            place = step["place"] or claim["place"]
            reading = steps.alternative(row, step)
            found.append(Failing(claim, step["id"], place, reading, step["local"], survives))
    return sorted(found, key=lambda one: (one.alternative != "", steps.FAILS.index(one.local)))
