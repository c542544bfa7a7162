"""Run a plan: judge every instance, keep every record, sum up every claim."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from fedbounds.errors import ConflictError
from fedbounds.theory.catalogue import Entry
from fedbounds.theory.claims import Claim, Reading
from fedbounds.theory.registry import encoded, encoded_claims
from fedbounds.vocabulary import Kind, Method, ProofStatus, Standing, StatementStatus, Verdict

from .device import Device, namespace
from .instance import Instance
from .instance_file import to_data
from .judge import Judgement, concerned, judge
from .measure import Measurement, fingerprint
from .plan import Profile, instances
from .records import record
from .shares import Share, shares
from .standing import standing, status_of
from .store import Store, claim_text, record_key
from .witness import find_witness

Record = dict[str, Any]
Texts = dict[tuple[str, str], str]  # by claim id and reading name
Progress = Callable[[str, int, int], None]  # what is under way, how many done, of how many


@dataclass(frozen=True)
class Settings:
    """What a run is determined by, and how many threads it may use."""

    profile: Profile = Profile.DEFAULT
    seed: int = 0
    workers: int = 2
    device: Device = Device.CPU


@dataclass(frozen=True)
class Results:
    """Everything a run found.

    Attributes
    ----------
    claims : list of summaries, in catalogue order
    records : list of records, in the order of the plan
    """

    claims: list[Record]
    records: list[Record]


def run(
    entries: Sequence[Entry],
    settings: Settings,
    store: Store,
    progress: Progress = lambda message, done, total: None,
) -> Results:
    """Judge the encoded claims among ``entries``; records already in the store are kept.

    Raises
    ------
    ConflictError
        If a claim is both proved and violated.
    """
    namespace(settings.device)  # a missing device is an error before any work
    claims = tuple(encoded(entry) for entry in entries if entry.module)
    texts = {(c.id, reading.name): claim_text(c, reading) for c in claims for reading in c.readings}
    found: list[Record] = []
    suspects: dict[tuple[str, str], list[Instance]] = {}
    # the plan is that of the whole papers, so that a claim gets the same evidence in every run
    papers = dict.fromkeys(entry.paper for entry in entries)
    whole = tuple(claim for paper in papers for claim in encoded_claims(paper))
    plan = [
        instance
        for instance in instances(whole, settings.profile, settings.seed)
        if concerned(claims, instance)
    ]
    for done, instance in enumerate(plan):
        progress(instance.name, done, len(plan))
        for row in _records_of(claims, texts, instance, settings, store):
            found.append(row)
            if _suspect(row):
                suspects.setdefault((row["claim"], row["reading"]), []).append(instance)
    witnesses: dict[tuple[str, str], Record] = {}
    for claim in claims:
        for reading in claim.readings:
            seen = suspects.get((claim.id, reading.name))
            if seen:
                progress(f"smallest witness of {claim.id}", len(plan), len(plan))
                smallest = _witness_record(claim, reading, seen, settings, store)
                if smallest is not None:
                    found.append(smallest)
                    witnesses[claim.id, reading.name] = smallest
    summaries = [summarise(entry, found, witnesses) for entry in entries]
    _refuse_conflicts(summaries)
    return Results(summaries, found)


def _suspect(row: Record) -> bool:
    return any(part["verdict"] == Verdict.VIOLATED or part["candidate"] for part in row["parts"])


def _records_of(
    claims: tuple[Claim, ...], texts: Texts, instance: Instance, settings: Settings, store: Store
) -> Iterator[Record]:
    """Records of an instance from the store, or judged and stored if any is missing."""
    pairs = concerned(claims, instance)
    own = fingerprint(instance)
    keys = [
        record_key(texts[claim.id, reading.name], own, settings.seed, settings.device)
        for claim, reading in pairs
    ]
    kept = [store.load(key) for key in keys]
    if all(row is not None for row in kept):
        yield from (row for row in kept if row is not None)
        return
    judged = judge(
        claims,
        instance,
        seed=settings.seed,
        workers=settings.workers,
        device=settings.device,
    )
    for judgement, key in zip(judged.judgements, keys, strict=True):
        row = record(judgement, key, _slack(judgement, judged.measurement))
        store.save(key, row)
        yield row


def _slack(judgement: Judgement, measured: Measurement) -> tuple[Share, ...]:
    """Shares of the losses, where the claim has a decomposition and expectations are in float64."""
    claim, method = judgement.claim, judgement.instance.method
    printed = judgement.reading is claim.readings[0]
    if not (claim.proof_weights and printed and judgement.verdict is Verdict.NOT_VIOLATED):
        return ()
    if method not in (Method.MOMENTS, Method.ENUMERATION):
        return ()
    return shares(claim, measured.numbers)


def _witness_record(
    claim: Claim, reading: Reading, seen: list[Instance], settings: Settings, store: Store
) -> Record | None:
    """The record of the smallest witness found among small instances and these suspects."""
    text = claim_text(claim, reading)
    keys = [
        record_key(text, fingerprint(suspect), settings.seed, settings.device) for suspect in seen
    ]
    key = "witness-" + hashlib.sha256("".join(keys).encode()).hexdigest()[:24]
    kept = store.load(key)
    if kept is not None and (store.folder / kept["witness"]).is_file():
        return kept
    witness = find_witness(claim, reading, seen)
    if witness is None:
        return None
    name = f"{claim.id}-{reading.ambiguity or 'as-printed'}".replace("/", "-")
    row = record(witness.judgement, key, witness=store.save_witness(name, witness.script)) | {
        "premises": [vars(premise) for premise in witness.premises],
        "instance": to_data(witness.judgement.instance),
    }
    store.save(key, row)
    return row


def summarise(
    entry: Entry, records: Sequence[Record], witnesses: dict[tuple[str, str], Record]
) -> Record:
    """A claim's line: standing from the two axes, and evidence per reading."""
    summary: Record = {
        "id": entry.id,
        "kind": entry.kind.value,
        "source": entry.source.value,
        "place": entry.place,
        "text": entry.statement,
        "paper_proof": ProofStatus.OPEN.value,
        "severity": None,  # graded by the weakest proved correction, and none is proved yet
        "readings": [],
    }
    if entry.kind is Kind.DEFINITION:
        return summary | {"standing": None, "statement": None, "reason": "a definition: not judged"}
    if not entry.module:
        return summary | {
            "standing": Standing.OPEN.value,
            "statement": StatementStatus.UNTESTED.value,
            "reason": "not encoded yet",
        }
    claim = encoded(entry)
    own = [row for row in records if row["claim"] == claim.id]
    readings = [
        _summarise_reading(
            reading,
            [row for row in own if row["reading"] == reading.name],
            witnesses.get((claim.id, reading.name)),
        )
        for reading in claim.readings
    ]
    headline = readings[0]
    return summary | {
        "standing": standing(
            StatementStatus(headline["statement"]), ProofStatus(summary["paper_proof"])
        ).value,
        "statement": headline["statement"],
        "uninformative": headline["uninformative"],
        "readings": readings,
        "readings_differ": len({row["statement"] for row in readings}) > 1,
        "reason": _reason(headline),
    }


def _reason(headline: Record) -> str:
    if headline["statement"] == StatementStatus.UNTESTED and headline["open_candidates"]:
        return f"{headline['open_candidates']} violations in float64 wait for an exact replay"
    if headline["untested"]:
        return f"no firm verdict on part {', '.join(headline['untested'])}"
    return ""


def _summarise_reading(reading: Reading, rows: list[Record], witness: Record | None) -> Record:
    return status_of(reading, rows) | {"witness": None if witness is None else witness["witness"]}


def _refuse_conflicts(summaries: list[Record]) -> None:
    for summary in summaries:
        if summary["standing"] == Standing.CONFLICT.value:
            raise ConflictError(
                f"{summary['id']} is both proved and violated: a bug of fedbounds; please report it"
            )
