"""Records of the smallest exact witnesses, for every reading that looks broken."""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from fedbounds.theory.language.claims import Claim
from fedbounds.theory.language.contributed import declared
from fedbounds.theory.language.registry import claim as claim_of
from fedbounds.theory.language.setting import readings_of

from ..decide.case import Case
from ..decide.measurement import fingerprint
from ..measure.device import Device
from ..search.witness import find_witness
from ..setups.instance_file import to_data
from .engine import engine_of
from .records import record
from .store import Store, claim_text, record_key

_OF_FILES = {"examples": 60, "budget": 25, "searches": 1}
Record = dict[str, Any]
Suspects = dict[tuple[str, str], list[Case]]  # by claim id and reading name
Map = Callable[..., Iterator[Any]]


@dataclass(frozen=True, eq=False)
class Broken:
    """A reading that looks broken, and where."""

    claim: str
    reading: str
    key: str
    suspects: list[Case]


def witness_records(
    claims: tuple[Claim, ...],
    suspects: Suspects,
    seed: int,
    device: Device,
    store: Store,
    each: Map,
) -> Iterator[Record]:
    """The record of the smallest witness of every case that has one.

    Parameters
    ----------
    each : map or the map of a pool
        Cases are independent of one another.
    """
    cases = [
        Broken(claim.id, reading.name, _key(claim, reading, seen, seed, device), seen)
        for claim in claims
        for reading in claim.readings
        if (seen := suspects.get((claim.id, reading.name)))
    ]
    missing = [case for case in cases if not _is_kept(case, store)]
    fresh = each(seek, missing)
    for case in cases:
        row = store.load(case.claim, case.key)
        if case in missing:
            row, script = next(fresh) or (None, None)
            if row is not None and script is not None:
                row["witness"] = store.save_witness(_name(case), script)
            store.save_found(case.claim, case.key, row)
        if row is not None:
            yield row


def seek(case: Broken) -> tuple[Record, str | None] | None:
    """A witness's record and script; None if none is found."""
    claim = claim_of(case.claim)
    reading = next(r for r in claim.readings if r.name == case.reading)
    # a file's first verdict is to come soon; `search` looks as far as for a paper
    limits: dict[str, int] = {} if declared(claim.entry.paper) is None else _OF_FILES
    witness = find_witness(claim, reading, case.suspects, **limits)
    if witness is None:
        return None
    row = record(witness.judgement, case.key) | {
        "premises": [vars(premise) for premise in witness.premises],
        "instance": to_data(witness.judgement.instance),
        "no_script": witness.no_script,
    }
    return row, witness.script


def _is_kept(case: Broken, store: Store) -> bool:
    """Whether it is known what a search finds, and its script is still there."""
    row = store.load(case.claim, case.key)
    if row is not None and row["witness"] and not (store.folder / row["witness"]).is_file():
        return False
    return store.knows(case.claim, case.key)


def _key(claim: Claim, reading: Any, seen: list[Case], seed: int, device: Device) -> str:
    engine, text = engine_of(claim.entry.paper), claim_text(claim, reading)
    keys = [record_key(engine, text, fingerprint(suspect), seed, device) for suspect in seen]
    return f"{engine}-witness-{hashlib.sha256(''.join(keys).encode()).hexdigest()[:24]}"


def _name(case: Broken) -> str:
    claim = claim_of(case.claim)
    every = enumerate(readings_of(claim))
    at, reading = next((i, r) for i, r in every if r.name == case.reading)
    return witness_name(
        case.claim, reading.ambiguity or (f"reading-{at + 1}" if at else "as-printed")
    )


def witness_name(claim_id: str, label: str) -> str:
    """A file name for the script of a reading."""
    words = "".join(c if c.isalnum() or c in "-." else "-" for c in label)
    return f"{claim_id}-{words}".replace("/", "-")
