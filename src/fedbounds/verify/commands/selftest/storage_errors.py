"""Errors in what is stored: files that were cut or edited, and records of what has changed since.

Files are written to a temporary folder and read by what reads them in a run.
"""

import json
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zlib import compressobj

from fedbounds.errors import FedboundsError
from fedbounds.theory.checker.files import book_data, step_data
from fedbounds.theory.checker.recheck import refusals
from fedbounds.theory.language.catalogue import PAPERS, entry
from fedbounds.theory.language.claims import AS_PRINTED, Claim
from fedbounds.theory.language.planted import Stated, WrongClaim
from fedbounds.theory.language.registry import claim, planted, planted_claims
from fedbounds.theory.language.setups import Setup
from fedbounds.vocabulary import Standing, Verdict

from ...decide.measurement import fingerprint, measure
from ...judge.judge import judge_reading
from ...judge.summary import summarise
from ...page.written import site
from ...results.document import Timing, document
from ...results.files import write_bytes, write_text
from ...results.packs import GZIP, Kept, blocks, packed, read
from ...results.records import SCHEMA, dumps, record, sealed
from ...results.results_file import read_document
from ...results.run import Results, Settings
from ...results.store import Store, claim_text, record_key, records_file
from ...setups.instance_file import from_data, to_data
from .claim_errors import subject_of, with_error
from .planted import ErrorKind, Planted, Said
from .proof_errors import PROVED, REFUSED, certificate_of
from .said import verdict_said

READ, KEPT, ANEW = "read", "kept", "computed anew"
Record = dict[str, Any]


@dataclass(frozen=True)
class Example:
    """An error that a theory plants in a claim, with what is stored of it."""

    paper: str
    wrong: WrongClaim

    @property
    def claim(self) -> str:
        """Its id."""
        return f"{self.paper}/{self.wrong.claim}"

    @property
    def records(self) -> str:
        """The file of the theory's records."""
        return records_file(self.paper)

    def mistaken(self) -> Claim:
        """The claim with the error."""
        return with_error(self.paper, self.wrong)

    def data(self, setup: Setup | None = None) -> Record:
        """The numbers of the set-up that violates it, or of another."""
        return to_data(subject_of(setup or self.wrong.setup))

    def record(self) -> Record:
        """The record of the claim with the error on one set-up: violated, with its numbers."""
        case = subject_of(self.wrong.setup)
        judgement = judge_reading(self.mistaken(), AS_PRINTED, case, measure(case))
        return record(judgement, "selftest") | {"instance": self.data()}

    def harmless(self, row: Record) -> Record:
        """The record with the numbers of a set-up that violates nothing; its verdict stands."""
        return row | {"instance": self.data(self.wrong.harmless)}

    def document(self) -> str:
        """The file of a results document: the claim with the error, and its one record."""
        row = self.record()
        results = Results([summarise(entry(self.claim), [row], {}) | {"displays": []}], [row])
        return sealed(document(results, Settings(), Timing(0.0)))

    def standing_edited(self, text: str) -> str:
        """The file with another standing of the claim and a digest that fits."""
        data = json.loads(text)
        data["claims"][self.claim]["standing"] = Standing.TESTED.value
        return sealed(data)

    def block(self) -> str:
        """The block of a record's file as the store writes it."""
        return sealed(blocks(Kept({"selftest": self.record()}))[0])

    def file(self) -> bytes:
        """The file of a record."""
        return packed(blocks(Kept({"selftest": self.record()})))

    def block_read(self, text: str) -> Said:
        with TemporaryDirectory() as folder:
            store = Store(Path(folder))
            stream = compressobj(wbits=GZIP)
            write_bytes(store.file(self.records), stream.compress(text.encode()) + stream.flush())
            return self._loaded(store)

    def saved_and_loaded(self, row: Record) -> Said:
        """A record as the store gives it back."""
        with TemporaryDirectory() as folder:
            _saved(Path(folder), "selftest", row)
            return self._loaded(Store(Path(folder)))

    def _loaded(self, store: Store) -> Said:
        try:
            found = store.load(self.claim, "selftest")
        except FedboundsError as error:
            return Said(REFUSED, str(error).replace(str(store.folder), "..."))
        assert found is not None
        return Said(READ, f"verdict: {found['verdict']}")

    def stored(self, given: tuple[Claim, str]) -> Said:
        """Whether a run of this claim, by this engine, keeps the stored record."""
        case = subject_of(self.wrong.setup)
        with TemporaryDirectory() as folder:
            name = _key(claim(self.claim), "unchanged", case)
            _saved(Path(folder), name, self.record())
            kept = Store(Path(folder)).knows(self.claim, _key(*given, case))
        said = "the name of the record is " + ("the same" if kept else "another")
        return Said(KEPT if kept else ANEW, said)

    def replayed(self, row: Record) -> Said:
        """The verdict on a witness's numbers, whatever verdict stands beside them."""
        given = from_data(row["instance"])
        judgement = judge_reading(self.mistaken(), AS_PRINTED, given, measure(given))
        return verdict_said(judgement.deciding)


# ---- files


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


def unfinished_read(data: bytes) -> Said:
    """What is read of a file that a process did not finish."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "unfinished.jsonl.gz"
        write_bytes(path, data)
        found = [row for block in read(path, whole=False) for row in block["records"]]
    return Said(READ if found else REFUSED, f"{len(found)} records")


def verdict_edited(text: str) -> str:
    """The block with another verdict, and its digest as it was."""
    data = json.loads(text)
    data["records"][0]["verdict"] = Verdict.NOT_VIOLATED.value
    return dumps(data)


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
    """Whether a site is made of a results document."""
    try:
        files = site(data)
    except FedboundsError as error:
        return Said(REFUSED, str(error))
    return Said("shown", f"a site of {len(files)} files")


@dataclass(frozen=True)
class Proved:
    """A step of a theory, and a right side that does not follow."""

    paper: str
    step: str
    wrong: str

    def file(self) -> Record:
        """A file of proofs with the step, and all that comes before as given."""
        own, step = certificate_of(self.paper, self.step)
        given = [
            {"id": name, "statement": step_data(replace(step, statement=s))["statement"],
             "certificate": None}
            for name, s in own.earlier.items()
        ]  # fmt: skip
        return book_data(own.theory, [*given, step_data(step)])

    def edited(self, data: Record) -> Record:
        """The file with the other right side, and the certificate as it was."""
        *given, last = data["steps"]
        statement = last["statement"] | {"right": self.wrong}
        return data | {"steps": [*given, last | {"statement": statement}]}


def certificates_checked(data: Record) -> Said:
    refused = refusals(data)
    if refused:
        return Said(REFUSED, "; ".join(f"{name}: {why}" for name, why in refused.items()))
    return Said(PROVED, "1 certificate checked from the file")


def _key(found: Claim, source: str, case: Any) -> str:
    return record_key(source, claim_text(found, AS_PRINTED), fingerprint(case), 0)


# ---- the table

_KIND = ErrorKind.STORAGE


def _of_example(of: Example) -> tuple[Planted, ...]:
    told, records = of.wrong.claim, f"record of {of.wrong.claim}"
    return (
        Planted(
            "truncated-results", _KIND, "results.json is cut in half", "results.json",
            "refused when read", of.document, lambda text: text[: len(text) // 2], document_read,
            READ, REFUSED,
        ),
        Planted(
            "edited-standing", _KIND,
            "a standing of results.json is edited by hand, its digest too", f"standing of {told}",
            "computed again from the records", of.document, of.standing_edited, document_read,
            READ, REFUSED,
        ),
        Planted(
            "lost-field", _KIND, "a record has lost its parts", records, "refused when read",
            of.record, without_parts, of.saved_and_loaded, READ, REFUSED,
        ),
        Planted(
            "edited-verdict", _KIND, "the verdict of a record is edited by hand", records,
            "refused by its digest", of.block, verdict_edited, of.block_read, READ, REFUSED,
        ),
        Planted(
            "half-a-record", _KIND, "a process was killed in the middle of writing a record",
            records, "not read, and computed again", of.file,
            lambda data: data[: len(data) // 2], unfinished_read, READ, REFUSED,
        ),
        Planted(
            "not-a-number", _KIND, "the gap of a record is not a number", records,
            "refused when written", of.record, lambda row: row | {"gap": float("nan")}, written,
            "written", REFUSED,
        ),
        Planted(
            "edited-witness", _KIND, "a witness's numbers are edited, its verdict is not",
            f"witness against {told}: {of.wrong.error}", "judged again by its numbers", of.record,
            of.harmless, of.replayed, Verdict.VIOLATED.value, Verdict.NOT_VIOLATED.value,
        ),
        Planted(
            "changed-claim", _KIND, "a claim has changed since its record was written", told,
            "another name of the record", lambda: (claim(of.claim), "unchanged"),
            lambda given: (of.mistaken(), given[1]), of.stored, KEPT, ANEW,
        ),
        Planted(
            "changed-source", _KIND, "the engine has changed since the record was written", told,
            "another name of the record", lambda: (claim(of.claim), "unchanged"),
            lambda given: (given[0], "changed"), of.stored, KEPT, ANEW,
        ),
    )  # fmt: skip


def _of_proof(of: Proved) -> Planted:
    return Planted(
        "edited-certificate", _KIND, "a statement of proofs.json is edited, its certificate is not",
        f"certificate of {of.step}", "refused when rechecked", of.file, of.edited,
        certificates_checked, PROVED, REFUSED,
    )  # fmt: skip


_EXAMPLES = (Example(x, own) for x in PAPERS for own in planted_claims(x) if own.harmless)
_PROOFS = (
    Proved(x, own.step, own.change.right)
    for x in PAPERS
    for own in planted(x)
    if isinstance(own.change, Stated) and own.change.right
)
PLANTED = (
    *(error for one in islice(_EXAMPLES, 1) for error in _of_example(one)),
    Planted(
        "other-schema", _KIND, "results.json is of another version", "results.json",
        "no page is made of it", empty_document, lambda data: data | {"schema": SCHEMA + 1},
        shown, "shown", REFUSED,
    ),
    *map(_of_proof, islice(_PROOFS, 1)),
)  # fmt: skip
