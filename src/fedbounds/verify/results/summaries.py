"""Standings of claims on instances of one's own: proofs replayed, nothing written to disk."""

from collections.abc import Iterable, Sequence
from typing import Any

from fedbounds.theory.language.claims import Claim

from ..decide.case import Case
from ..judge.judge import judge
from ..judge.proofs import prove, with_measurements
from ..judge.summary import summarise
from .records import record

Record = dict[str, Any]


def summaries(claims: Sequence[Claim], subjects: Iterable[Case]) -> list[Record]:
    """Judge claims on instances, cases or ladders, and sum up each claim as a run does.

    Returns
    -------
    list of dict
        As under "claims" of a results document: standing, statement, the proof's status, readings
        with their counts. No witness is sought.
    """
    rows = [record(found, "") for one in subjects for found in judge(claims, one).judgements]
    proofs = with_measurements(prove([claim.id for claim in claims]), rows, {})
    return [
        summarise(claim.entry, [row for row in rows if row["claim"] == claim.id], {}, proofs)
        for claim in claims
    ]
