"""What differs between two results documents, which are only ever read as data."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fedbounds.errors import FedboundsError
from fedbounds.verify.page.numbers import to_float
from fedbounds.verify.results.results_file import read_document

from .table import Table, table

Record = dict[str, Any]

RUN, CLAIM, READING, STEP, RECORD = "run", "claim", "reading", "step", "record"
ADDED, REMOVED = "added", "removed"
TOLERANCE = 1e-9

_CLAIM_FIELDS = (
    "standing", "statement", "paper_proof", "severity", "uninformative", "reason",
    "kind", "source", "place", "text",
)  # fmt: skip
_READING_FIELDS = (
    "statement", "standing", "uninformative", "equal_everywhere", "untested", "witness",
)  # fmt: skip
_STEP_FIELDS = ("local", "inherited", "left", "relation", "right", "certificate")
_WITNESS_FIELDS = ("left", "right", "gap", "instance", "parameters")


@dataclass(frozen=True)
class Change:
    """One thing that differs.

    Attributes
    ----------
    what : str
        A setting of the run, a claim, a reading, a step of a proof, or a record.
    claim, reading : str
        Empty where they do not apply.
    item : str
        The step, or the instance of the record.
    field : str
        What differs of it; or that it was added or removed.
    old, new : JSON values
    relative : float or None
        Of two tightnesses their distance, relative to the larger; of relative gaps, which are
        relative already, their distance.
    """

    what: str
    claim: str
    reading: str
    item: str
    field: str
    old: Any
    new: Any
    relative: float | None = None


def read_results(place: Path) -> Record:
    """The results document of a result folder, or of the file itself.

    Raises
    ------
    FedboundsError
        As `read_document`: also for a run of another schema, which cannot be compared.
    """
    return read_document(results_file(place))


def results_file(place: Path) -> Path:
    """The results document of a result folder, or the file itself.

    Raises
    ------
    FedboundsError
        If it is another file.
    """
    if place.is_file() and place.suffix != ".json":
        raise FedboundsError(f"{str(place)!r} is no result folder, and no results.json")
    return place / "results.json" if place.is_dir() else place


def differences(old: Record, new: Record, tolerance: float = TOLERANCE) -> list[Change]:
    """What determines the results first, then claims, readings, steps and records.

    Parameters
    ----------
    old, new : dict
        Results documents.
    tolerance : float
        Tightnesses this near to each other, relative to the larger, count as equal, and so do
        relative gaps this near.

    Raises
    ------
    FedboundsError
        If a document lacks a part of what a run writes.
    """
    try:
        return [
            *_run(old["run"], new["run"]),
            *_claims(old["claims"], new["claims"], tolerance),
            *_steps(old, new),
            *_records(old, new, tolerance),
        ]
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise FedboundsError(
            f"a results document is incomplete ({type(error).__name__}: {error}); "
            "run `fedbounds verify` again"
        ) from error


def shared_settings(old: Record, new: Record) -> list[str]:
    """Settings of the run that are the same in both, in words."""
    one, other = old["run"], new["run"]
    return [f"{k} {v}" for k, v in one.items() if k != "timing" and other.get(k) == v]


def as_table(changes: Sequence[Change]) -> Table:
    """A row per change."""
    names = ("what", "claim", "reading", "item", "field", "old", "new", "relative")
    rows = [[_cell(getattr(change, name)) for name in names] for change in changes]
    return table(names, rows)


def _cell(value: Any) -> Any:
    """Objects and lists of a document as text."""
    return str(value) if isinstance(value, (dict, list)) else value


def _run(old: Record, new: Record) -> Iterator[Change]:
    for name in dict.fromkeys((*old, *new)):
        if name != "timing" and old.get(name) != new.get(name):
            yield Change(RUN, "", "", "", name, old.get(name), new.get(name))


def _claims(
    old: Mapping[str, Record], new: Mapping[str, Record], tolerance: float
) -> Iterator[Change]:
    for key in dict.fromkeys((*old, *new)):
        if key not in old or key not in new:
            yield _presence(CLAIM, (key, "", ""), old.get(key), new.get(key), "standing")
            continue
        for name in _CLAIM_FIELDS:
            yield from _field(CLAIM, (key, "", ""), name, old[key], new[key])
        before, after = ({r["name"]: r for r in side[key]["readings"]} for side in (old, new))
        for reading in dict.fromkeys((*before, *after)):
            place = (key, reading, "")
            if reading not in before or reading not in after:
                one, other = before.get(reading), after.get(reading)
                yield _presence(READING, place, one, other, "statement")
                continue
            for name in _READING_FIELDS:
                yield from _field(READING, place, name, before[reading], after[reading])
            yield from _tightness(READING, place, before[reading], after[reading], tolerance)
            name = "least_relative_gap"  # relative to the terms of the claim already
            gaps = (before[reading][name], after[reading][name])
            yield from _number(READING, place, name, *gaps, tolerance, size=1.0)


def _steps(old: Record, new: Record) -> Iterator[Change]:
    """Of claims that both documents have."""
    for key in _shared(old, new):
        before, after = (_steps_of(side, key) for side in (old, new))
        for name in dict.fromkeys((*before, *after)):
            place = (key, name[1], name[0])
            if name not in before or name not in after:
                yield _presence(STEP, place, before.get(name), after.get(name), "local")
                continue
            for field in _STEP_FIELDS:
                yield from _field(STEP, place, field, before[name], after[name])


def _steps_of(document: Record, key: str) -> dict[tuple[str, str], Record]:
    found = document.get("proofs", {}).get(key, {"steps": []})["steps"]
    return {(step["id"], step["reading"]): step for step in found}


def _records(old: Record, new: Record, tolerance: float) -> Iterator[Change]:
    """Of claims that both documents have."""
    shared = set(_shared(old, new))
    before, after = (_named(side["results"], shared) for side in (old, new))
    for name in dict.fromkeys((*before, *after)):
        if name not in before or name not in after:
            yield _presence(RECORD, name, before.get(name), after.get(name), "verdict")
            continue
        one, other = before[name], after[name]
        yield from _field(RECORD, name, "verdict", one, other)
        yield from _tightness(RECORD, name, one, other, tolerance)
        if "instance" in one or "instance" in other:
            for field in _WITNESS_FIELDS:
                yield from _field(RECORD, name, field, one, other)


def _shared(old: Record, new: Record) -> list[str]:
    return [key for key in old["claims"] if key in new["claims"]]


Place = tuple[str, str, str]  # claim, reading, item


def _named(rows: Sequence[Record], claims: set[str]) -> dict[Place, Record]:
    """Records by what they are about, not by their key, which hashes the whole source too."""
    seen: Counter[Place] = Counter()
    found = {}
    for row in rows:
        if row["claim"] not in claims:
            continue
        if "best" in row:
            item = "tightest by search"
        elif "instance" in row:
            item = "smallest witness"
        else:
            item = f"{row['problem']['instance']}, {row['algorithm']}"
        place = (row["claim"], row["reading"], item)
        seen[place] += 1
        again = f", number {seen[place]}" if seen[place] > 1 else ""
        found[place[0], place[1], item + again] = row
    return found


def _presence(what: str, place: Place, old: Record | None, new: Record | None, told: str) -> Change:
    """Something that only one side has, with what it said."""
    field = ADDED if old is None else REMOVED
    return Change(what, *place, field, old and old[told], new and new[told])


def _field(what: str, place: Place, name: str, old: Record, new: Record) -> Iterator[Change]:
    if old.get(name) != new.get(name):
        yield Change(what, *place, name, old.get(name), new.get(name))


def _tightness(
    what: str, place: Place, old: Record, new: Record, tolerance: float
) -> Iterator[Change]:
    one, other = old["tightness"], new["tightness"]
    size = max((abs(v) for v in (to_float(one), to_float(other)) if v is not None), default=0.0)
    yield from _number(what, place, "tightness", one, other, tolerance, size)


def _number(
    what: str, place: Place, name: str, old: Any, new: Any, tolerance: float, size: float
) -> Iterator[Change]:
    """Two numbers further apart than the tolerance times a size; a missing one differs."""
    one, other = to_float(old), to_float(new)
    if one is None or other is None:
        if old != new:
            yield Change(what, *place, name, old, new)
    elif abs(one - other) > tolerance * size:
        yield Change(what, *place, name, old, new, abs(one - other) / size)
