"""Errors in what is stored: files that were cut or edited, and records of what has changed since.

Files are written to a temporary folder and read by what reads them in a run.
"""

import json
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zlib import compressobj

from fedbounds.errors import FedboundsError
from fedbounds.theory.catalogue import entry
from fedbounds.theory.checker.files import book_data, step_data
from fedbounds.theory.checker.recheck import refusals
from fedbounds.theory.claims import AS_PRINTED, Claim
from fedbounds.theory.registry import claim
from fedbounds.theory.symbols import b2
from fedbounds.vocabulary import Standing, Verdict

from ..document import Timing, document
from ..files import write_bytes, write_text
from ..instance_file import from_data, to_data
from ..judge import judge_reading
from ..measurement import fingerprint, measure
from ..packs import GZIP, Kept, blocks, packed, read
from ..page import render
from ..records import SCHEMA, dumps, record, sealed
from ..results_file import read_document
from ..run import Results, Settings
from ..store import Store, claim_text, record_key, records_file
from ..summary import summarise
from .instances import balanced, verdict_said
from .planted import ErrorKind, Planted, Said
from .proof_errors import PROVED, REFUSED, certificate_of

LEMMA = "personalization/lem-3.6"
RECORDS = records_file("personalization")
READ, KEPT, ANEW = "read", "kept", "computed anew"
Record = dict[str, Any]


def halved(found: Claim) -> Claim:
    """The lemma with half of b^2, which `balanced` violates."""
    parts = (
        replace(p, right=p.right.subs(b2, b2 / 2)) if p.name == "a" else p for p in found.parts
    )
    return replace(found, parts=tuple(parts))


def lemma_record() -> Record:
    """The record of the lemma, halved, on one instance: violated, with the instance's numbers."""
    instance, found = balanced(), halved(claim(LEMMA))
    judgement = judge_reading(found, AS_PRINTED, instance, measure(instance))
    return record(judgement, "selftest") | {"instance": to_data(instance)}


# ---- files


def document_text() -> str:
    """The file of a results document: the lemma, halved, and its one record."""
    row = lemma_record()
    results = Results([summarise(entry(LEMMA), [row], {}) | {"displays": []}], [row])
    return sealed(document(results, Settings(), Timing(0.0)))


def standing_edited(text: str) -> str:
    """The file with another standing of the lemma and a digest that fits."""
    data = json.loads(text)
    data["claims"][LEMMA]["standing"] = Standing.TESTED.value
    return sealed(data)


def document_read(text: str) -> Said:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "results.json"
        write_text(path, text)
        try:
            found = read_document(path)
        except FedboundsError as error:
            return Said(REFUSED, str(error).replace(folder, "..."))
    return Said(READ, f"{len(found['results'])} record")


def _saved(folder: Path, key: str, row: Record) -> None:
    """As a run leaves a record."""
    store = Store(folder)
    store.keep([row | {"key": key}])
    store.pack()


def record_text() -> str:
    """The block of a record's file as the store writes it."""
    return sealed(blocks(Kept({"selftest": lemma_record()}))[0])


def record_read(text: str) -> Said:
    with TemporaryDirectory() as folder:
        store = Store(Path(folder))
        stream = compressobj(wbits=GZIP)
        write_bytes(store.file(RECORDS), stream.compress(text.encode()) + stream.flush())
        return _loaded(store)


def record_file() -> bytes:
    """The file of a record."""
    return packed(blocks(Kept({"selftest": lemma_record()})))


def unfinished_read(data: bytes) -> Said:
    """What is read of a file that a process did not finish."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "unfinished.jsonl.gz"
        write_bytes(path, data)
        found = [row for block in read(path, whole=False) for row in block["records"]]
    return Said(READ if found else REFUSED, f"{len(found)} records")


def _loaded(store: Store) -> Said:
    try:
        found = store.load(LEMMA, "selftest")
    except FedboundsError as error:
        return Said(REFUSED, str(error).replace(str(store.folder), "..."))
    assert found is not None
    return Said(READ, f"verdict: {found['verdict']}")


def verdict_edited(text: str) -> str:
    """The block with another verdict, and its digest as it was."""
    data = json.loads(text)
    data["records"][0]["verdict"] = Verdict.NOT_VIOLATED.value
    return dumps(data)


def saved_and_loaded(row: Record) -> Said:
    """A record as the store gives it back."""
    with TemporaryDirectory() as folder:
        _saved(Path(folder), "selftest", row)
        return _loaded(Store(Path(folder)))


def without_parts(row: Record) -> Record:
    return {name: value for name, value in row.items() if name != "parts"}


def written(row: Record) -> Said:
    try:
        text = dumps(row)
    except ValueError as error:
        return Said(REFUSED, str(error))
    return Said("written", f"{len(text)} characters")


def empty_document() -> Record:
    """The results document of a run of no claims."""
    return document(Results([], []), Settings(), Timing(0.0))


def shown(data: Record) -> Said:
    """Whether a page is made of a results document."""
    try:
        text = render(data)
    except FedboundsError as error:
        return Said(REFUSED, str(error))
    return Said("shown", f"a page of {len(text.splitlines())} lines")


def certificates() -> Record:
    """Lemma 3.2 of a file of proofs, with all that comes before as given."""
    own, step = certificate_of("personalization", "lem-3.2:u")
    given = [
        {"id": name, "statement": step_data(replace(step, statement=s))["statement"],
         "certificate": None}
        for name, s in own.earlier.items()
    ]  # fmt: skip
    return book_data(own.theory, [*given, step_data(step)])


def smaller_bound(data: Record) -> Record:
    """The file's lemma with half its constant, and its certificate as it was."""
    *given, last = data["steps"]
    statement = last["statement"] | {"right": last["statement"]["right"].replace("/n", "/(2*n)")}
    return data | {"steps": [*given, last | {"statement": statement}]}


def certificates_checked(data: Record) -> Said:
    refused = refusals(data)
    if refused:
        return Said(REFUSED, "; ".join(f"{name}: {why}" for name, why in refused.items()))
    return Said(PROVED, "1 certificate checked from the file")


# ---- records of something else


def stored(given: tuple[Claim, str]) -> Said:
    """Whether a run of this claim, by this engine, keeps the stored record."""
    found, source = given
    instance = balanced()
    with TemporaryDirectory() as folder:
        _saved(Path(folder), _key(claim(LEMMA), "unchanged", instance), lemma_record())
        kept = Store(Path(folder)).knows(LEMMA, _key(found, source, instance))
    said = "the name of the record is " + ("the same" if kept else "another")
    return Said(KEPT if kept else ANEW, said)


def _key(found: Claim, source: str, instance: Any) -> str:
    return record_key(source, claim_text(found, AS_PRINTED), fingerprint(instance), 0)


def witness_replayed(row: Record) -> Said:
    """The verdict on a witness's numbers, whatever verdict stands beside them."""
    instance = from_data(row["instance"])
    judgement = judge_reading(halved(claim(LEMMA)), AS_PRINTED, instance, measure(instance))
    return verdict_said(judgement.deciding)


def alike_clients(row: Record) -> Record:
    """The witness's numbers edited: clients alike, nothing to violate; its verdict stands."""
    linear = [["1", "0"], ["1", "0"]]
    return row | {"instance": row["instance"] | {"linear": linear}}


# ---- the table

_KIND = ErrorKind.STORAGE

PLANTED = (
    Planted(
        "truncated-results", _KIND, "results.json is cut in half", "results.json",
        "refused when read", document_text, lambda text: text[: len(text) // 2], document_read,
        READ, REFUSED,
    ),
    Planted(
        "edited-standing", _KIND, "a standing of results.json is edited by hand, its digest too",
        "standing of lem-3.6", "computed again from the records", document_text, standing_edited,
        document_read, READ, REFUSED,
    ),
    Planted(
        "lost-field", _KIND, "a record has lost its parts", "record of lem-3.6",
        "refused when read", lemma_record, without_parts, saved_and_loaded, READ, REFUSED,
    ),
    Planted(
        "edited-verdict", _KIND, "the verdict of a record is edited by hand", "record of lem-3.6",
        "refused by its digest", record_text, verdict_edited, record_read, READ, REFUSED,
    ),
    Planted(
        "half-a-record", _KIND, "a process was killed in the middle of writing a record",
        "record of lem-3.6", "not read, and computed again", record_file,
        lambda data: data[: len(data) // 2], unfinished_read, READ, REFUSED,
    ),
    Planted(
        "not-a-number", _KIND, "the gap of a record is not a number", "record of lem-3.6",
        "refused when written", lemma_record, lambda row: row | {"gap": float("nan")}, written,
        "written", REFUSED,
    ),
    Planted(
        "other-schema", _KIND, "results.json is of another version", "results.json",
        "no page is made of it", empty_document, lambda data: data | {"schema": SCHEMA + 1},
        shown, "shown", REFUSED,
    ),
    Planted(
        "edited-certificate", _KIND, "a statement of proofs.json is edited: half its constant",
        "certificate of lem-3.2", "refused when rechecked", certificates, smaller_bound,
        certificates_checked, PROVED, REFUSED,
    ),
    Planted(
        "edited-witness", _KIND, "a witness's numbers are edited, its verdict is not",
        "witness against lem-3.6 with b^2 halved", "judged again by its numbers", lemma_record,
        alike_clients, witness_replayed, Verdict.VIOLATED.value, Verdict.NOT_VIOLATED.value,
    ),
    Planted(
        "changed-claim", _KIND, "a claim has changed since its record was written", "lem-3.6",
        "another name of the record", lambda: (claim(LEMMA), "unchanged"),
        lambda given: (halved(given[0]), given[1]), stored, KEPT, ANEW,
    ),
    Planted(
        "changed-source", _KIND, "the engine has changed since the record was written",
        "lem-3.6", "another name of the record", lambda: (claim(LEMMA), "unchanged"),
        lambda given: (given[0], "changed"), stored, KEPT, ANEW,
    ),
)  # fmt: skip
