"""Run a plan: judge every instance, keep every record, sum up every claim."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any

from fedbounds.errors import ConflictError
from fedbounds.theory.catalogue import Entry
from fedbounds.theory.claims import Claim, Reading
from fedbounds.theory.registry import encoded, encoded_claims
from fedbounds.vocabulary import Standing, Verdict

from .device import Device, namespace
from .instance_file import to_data
from .judge import Subject, concerned
from .measure import fingerprint
from .plan import Profile, instances
from .records import record
from .settled import as_record, settle
from .store import Store, claim_text, record_key
from .summary import REFUSED, summarise
from .witness import find_witness
from .work import judged_records

Record = dict[str, Any]
Progress = Callable[[str, int, int], None]  # what is under way, how many done, of how many

_SMALL_PLAN = 60  # instances; for fewer, starting processes costs more than it saves
_BATCH = 8  # instances handed to a process at a time


@dataclass(frozen=True)
class Settings:
    """What a run is determined by, and how many processes it may use."""

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
    records : list of records, in the order of the plan, but for the refused ones, which are
        counted in the summaries
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
    every = tuple(encoded(entry) for entry in entries if entry.module)
    claims = tuple(claim for claim in every if isinstance(claim, Claim))
    found: list[Record] = []
    for claim in every:
        if not isinstance(claim, Claim):
            progress(claim.entry.id, 0, 1)
            found.extend(_settled_records(claim, settings, store))
    suspects: dict[tuple[str, str], list[Subject]] = {}
    plan = _plan(entries, claims, settings)
    for done, (instance, rows) in enumerate(_all_records(claims, plan, settings, store)):
        progress(instance.name, done, len(plan))
        for row in rows:
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
    by_claim: dict[str, list[Record]] = {entry.id: [] for entry in entries}
    for row in found:
        by_claim[row["claim"]].append(row)
    summaries = [summarise(entry, by_claim[entry.id], witnesses) for entry in entries]
    _refuse_conflicts(summaries)
    return Results(summaries, [row for row in found if row["verdict"] not in REFUSED])


def _plan(entries: Sequence[Entry], claims: tuple[Claim, ...], settings: Settings) -> list[Subject]:
    """Instances that concern the claims.

    The plan is that of the whole papers, so that a claim gets the same evidence in every run.
    """
    wanted = frozenset(name for claim in claims for name in claim.algorithms)
    papers = dict.fromkeys(entry.paper for entry in entries)
    whole = tuple(claim for paper in papers for claim in encoded_claims(paper))
    planned = instances(whole, settings.profile, settings.seed, wanted)
    return [instance for instance in planned if concerned(claims, instance)]


def _all_records(
    claims: tuple[Claim, ...], plan: list[Subject], settings: Settings, store: Store
) -> Iterator[tuple[Subject, list[Record]]]:
    """Records of every instance in the order of the plan, from the store or judged and stored."""
    texts = {(c.id, r.name): claim_text(c, r) for c in claims for r in c.readings}
    ids = tuple(claim.id for claim in claims)
    keys = [_keys(claims, texts, instance, settings) for instance in plan]
    missing = [
        (instance, own)
        for instance, own in zip(plan, keys, strict=True)
        if not all(store.has(key) for key in own)
    ]
    parallel = settings.workers > 1 and len(missing) >= _SMALL_PLAN
    pool = ProcessPoolExecutor(settings.workers, get_context("spawn")) if parallel else None
    with pool or nullcontext():
        jobs = [(ids, part, settings.seed, settings.device) for part in _batches(missing)]
        threads = 1 if parallel else settings.workers
        done = (pool.map if pool else map)(judged_records, jobs, [threads] * len(jobs))
        fresh = (rows for batch in done for rows in batch)
        waiting = {id(own) for _, own in missing}
        for instance, own in zip(plan, keys, strict=True):
            if id(own) in waiting:
                rows = next(fresh)
                for row in rows:
                    store.save(row["key"], row)
            else:
                rows = [row for row in map(store.load, own) if row is not None]
            yield instance, rows


def _batches(work: list[Any]) -> Iterator[tuple[Any, ...]]:
    for first in range(0, len(work), _BATCH):
        yield tuple(work[first : first + _BATCH])


def _keys(
    claims: tuple[Claim, ...],
    texts: dict[tuple[str, str], str],
    instance: Subject,
    settings: Settings,
) -> list[str]:
    own = fingerprint(instance)
    return [
        record_key(texts[claim.id, reading.name], own, settings.seed, settings.device)
        for claim, reading in concerned(claims, instance)
    ]


def _settled_records(claim: Any, settings: Settings, store: Store) -> Iterator[Record]:
    """Records of a claim that needs no plan of runs."""
    key = record_key(repr(claim), "settled", settings.seed, settings.device)
    first = store.load(f"{key}-0")
    if first is not None:
        kept = [store.load(f"{key}-{number}") for number in range(first["of"])]
        if all(row is not None for row in kept):
            yield from (row for row in kept if row is not None)
            return
    findings = list(settle(claim))
    for number, finding in enumerate(findings):
        row = as_record(claim.entry.id, finding, f"{key}-{number}") | {"of": len(findings)}
        store.save(row["key"], row)
        yield row


def _suspect(row: Record) -> bool:
    return any(part["verdict"] == Verdict.VIOLATED or part["candidate"] for part in row["parts"])


def _witness_record(
    claim: Claim, reading: Reading, seen: list[Subject], settings: Settings, store: Store
) -> Record | None:
    """The record of the smallest witness found among small instances and these suspects."""
    text = claim_text(claim, reading)
    keys = [
        record_key(text, fingerprint(suspect), settings.seed, settings.device) for suspect in seen
    ]
    key = "witness-" + hashlib.sha256("".join(keys).encode()).hexdigest()[:24]
    kept = store.load(key)
    if kept is not None and (not kept["witness"] or (store.folder / kept["witness"]).is_file()):
        return kept
    witness = find_witness(claim, reading, seen)
    if witness is None:
        return None
    name = f"{claim.id}-{reading.ambiguity or 'as-printed'}".replace("/", "-")
    path = None if witness.script is None else store.save_witness(name, witness.script)
    row = record(witness.judgement, key, witness=path) | {
        "premises": [vars(premise) for premise in witness.premises],
        "instance": to_data(witness.judgement.instance),
    }
    store.save(key, row)
    return row


def _refuse_conflicts(summaries: list[Record]) -> None:
    for summary in summaries:
        if summary["standing"] == Standing.CONFLICT.value:
            raise ConflictError(
                f"{summary['id']} is both proved and violated: a bug of fedbounds; please report it"
            )
