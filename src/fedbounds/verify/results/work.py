"""What a process of a run does: judge a batch of instances and make their records."""

from collections.abc import Mapping, Sequence
from typing import Any

from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.language.registry import claim as claim_of
from fedbounds.theory.language.registry import encoded
from fedbounds.vocabulary import Method, Verdict

from ..decide.case import Case
from ..decide.judgement import Judgement
from ..decide.measurement import Measurement
from ..decide.shares import Share, regime_of, shares_of, told_shares
from ..judge.curve import curve_of
from ..judge.judge import judge
from ..judge.ladder_record import ladder_of
from ..judge.settled import Finding, settle
from ..measure.device import Device
from ..search.leads import Lead
from ..search.tightest import Best, as_summary, tightest
from .records import no_instance, record
from .store import Journal

Record = dict[str, Any]
Asked = tuple[tuple[str, str, int], ...]  # readings by name: the record's key, evaluations
Keys = list[tuple[str, str]]  # of claims on an instance: the claim's id and the record's key
Batch = tuple[tuple[str, ...], tuple[tuple[Case, Keys], ...], int, Device, Journal]


def findings_of(claim_id: str) -> list[Finding]:
    """Findings about a claim that needs no plan of runs."""
    return list(settle(encoded(entry(claim_id))))


def searched(
    asked: Sequence[tuple[str, Asked]], seed: int, leads: Mapping[str, tuple[Lead, ...]]
) -> list[list[Record | None]]:
    """Records of the tightest instances that searches find for claims, of each reading asked.

    ``leads``: by claim id, what breaks steps of its proof. None of a reading without an inequality
    that can be searched.
    """
    claims = [claim_of(claim_id) for claim_id, _ in asked]
    named = [{reading.name: reading for reading in claim.readings} for claim in claims]
    budgets = [
        {readings[name]: budget for name, _, budget in own}
        for readings, (_, own) in zip(named, asked, strict=True)
    ]
    every = tightest(list(zip(claims, budgets, strict=True)), seed, leads)
    return [
        _found_rows(claim_id, own, {reading.name: best for reading, best in found.items()})
        for (claim_id, own), found in zip(asked, every, strict=True)
    ]


def _found_rows(
    claim_id: str, asked: Asked, found: Mapping[str, Best | None]
) -> list[Record | None]:
    rows: list[Record | None] = []
    for name, key, budget in asked:
        best = found.get(name)
        if best is not None:
            rows.append(record(best.judgement, key) | {"best": as_summary(best)})
        elif name in found:
            rows.append(no_instance(claim_id, name, key, budget))
        else:
            rows.append(None)
    return rows


def judged_records(batch: Batch, threads: int) -> list[list[Record]]:
    """Records of every claim and reading on each instance of a batch.

    Parameters
    ----------
    batch : tuple
        Claim ids, pairs of an instance and its records' keys, seed, device, and where the records
        are written as they are finished.
    threads : int
        For sampling.
    """
    ids, work, seed, device, journal = batch
    claims = tuple(claim_of(claim_id) for claim_id in ids)
    found = []
    for instance, keys in work:
        judged = judge(claims, instance, seed=seed, workers=threads, device=device)
        pairs = zip(judged.judgements, keys, strict=True)
        rows = [
            _record(judgement, key, judged.measurement) | ladder_of(judgement)
            for judgement, (_, key) in pairs
        ]
        journal.add(rows)
        found.append(rows)
    return found


def _record(judgement: Judgement, key: str, measured: Measurement) -> Record:
    headline = judgement.reading is judgement.claim.readings[0]
    survived = judgement.verdict is Verdict.NOT_VIOLATED
    if not (headline and survived):
        return record(judgement, key)
    row = record(judgement, key, _slack(judgement, measured))
    if judgement.claim.regimes:
        row["regime"] = regime_of(judgement.claim, measured.numbers)
    curve = curve_of(judgement, measured.numbers)
    return row if curve is None else row | {"curve": curve}


def _slack(judgement: Judgement, measured: Measurement) -> tuple[Share, ...]:
    """Shares of the losses, where the claim has a decomposition and expectations are in float64."""
    claim, case = judgement.claim, judgement.instance
    if claim.proof_weights and case.method is Method.MOMENTS:
        return told_shares(claim, measured.numbers)
    return shares_of(case.setup, judgement, measured.numbers)
