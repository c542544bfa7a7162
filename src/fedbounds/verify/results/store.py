"""A result folder: the records of each paper in one file, and witness scripts.

Records are written as they finish, by each process into a file of its own, and packed into their
papers' files at the end, in an order that does not depend on processes. A record's key is a hash of
everything that determines it, so that an interrupted run resumes, a changed claim or engine is
judged anew, and nothing already computed is lost.
"""

import hashlib
import os
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sympy as sp

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.claims import Claim, Reading, read

from ..measure.device import Device
from . import packs
from .engine import engine_of
from .files import (
    PART,
    WITNESSES,
    append_bytes,
    delete,
    file_of,
    inside,
    locked,
    make_folder,
    write_bytes,
    write_text,
)
from .packs import Kept, blocks, packed

Record = dict[str, Any]

RECORDS = "records"
_ENDING = ".jsonl.gz"
_UNFINISHED = ".unfinished-"


def claim_text(claim: Claim, reading: Reading) -> str:
    """Everything of a claim under a reading that a verdict depends on."""
    parts = [
        (
            p.name,
            sp.srepr(p.left),
            p.relation.value,
            sp.srepr(p.right),
            p.index.value,
            p.first_round,
            [str(c) for c in p.conditions],
            list(map(str, p.assumptions)),
            None if p.trivial is None else sp.srepr(p.trivial),
        )
        for p in read(claim, reading)
    ]
    weights = [(w.claim, w.part, sp.srepr(w.weight)) for w in claim.proof_weights]
    return repr((claim.id, reading.name, parts, weights))


def record_key(
    engine: str, claim_text: str, instance_print: str, seed: int, device: Device = Device.CPU
) -> str:
    """Key of a record: the engine, and a hash of all else that determines it.

    Parameters
    ----------
    engine : str
        `fedbounds.verify.results.engine.engine_of` the claim's paper.
    claim_text : str
        From `claim_text`.
    instance_print : str
        The instance's `fedbounds.verify.decide.measurement.fingerprint`.
    """
    everything = (claim_text, instance_print, seed, device.value)
    return f"{engine}-{hashlib.sha256(repr(everything).encode()).hexdigest()[:24]}"


def paper_of(claim_id: str) -> str:
    """The paper, or theory, of a claim."""
    return claim_id.partition("/")[0]


def records_file(paper: str) -> str:
    """The file of a paper's records, in a result folder."""
    return f"{RECORDS}/{paper}{_ENDING}"


@dataclass(frozen=True)
class Journal:
    """Where the processes of a run write records as they finish, before they are packed."""

    folder: Path
    run: str

    def add(self, rows: Sequence[Record]) -> None:
        """Write records; those of one call are found again together, or not at all."""
        self._append(Kept({row["key"]: row for row in rows}))

    def add_note(self, paper: str, key: str, value: Any) -> None:
        """Write what else was found for a paper."""
        self._append(Kept(notes={f"{paper}/{key}": value}))

    def _append(self, kept: Kept) -> None:
        name = f"{RECORDS}/{_UNFINISHED}{self.run}-{os.getpid()}{_ENDING}"
        append_bytes(file_of(self.folder, name), packed(blocks(kept)))


class Store:
    """A result folder.

    Raises
    ------
    FedboundsError
        If the folder cannot be made or written, or a link in it leads out of it.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.records = inside(folder, RECORDS)
        self.witnesses = inside(folder, WITNESSES)
        try:
            for path in (self.records, self.witnesses):
                make_folder(path)
        except FedboundsError as error:
            raise FedboundsError(f"{error}; choose another folder with --out") from error
        self.journal = Journal(folder, secrets.token_hex(4))
        self._kept: dict[str, Kept] = {}
        self._unpacked: set[str] = set()  # papers with more than their files hold

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the folder for one run; what an interrupted one left is packed first.

        To be asked before any work, since files that cannot be written are refused.

        Raises
        ------
        FedboundsError
            If another run holds it, or a file of records in it cannot be read or written, was
            edited, or is a link that leads out.
        """
        with locked(self.records) as alone:
            if not alone:
                raise FedboundsError(
                    f"another run writes into {str(self.folder)!r}; "
                    "wait for its end, or choose another folder with --out"
                )
            for path in self.records.iterdir():
                self.file(f"{RECORDS}/{path.name}")
            self._recover()
            yield

    def file(self, name: str) -> Path:
        """A file of the folder, to be written.

        Raises
        ------
        FedboundsError
            If it cannot be written, or a link leads out of the folder.
        """
        return file_of(self.folder, name)

    def load(self, claim_id: str, key: str) -> Record | None:
        """A finished record of a claim, or None; a corrupt or edited file is an error."""
        return self._of(paper_of(claim_id)).records.get(key)

    def knows(self, claim_id: str, key: str) -> bool:
        """Whether there is a record of a claim, or it is known that there is none to be found."""
        kept = self._of(paper_of(claim_id))
        return key in kept.records or key in kept.notes

    def note(self, paper: str, key: str) -> Any:
        """What else was found for a paper under a key, or None."""
        return self._of(paper).notes.get(key)

    def save(self, rows: Sequence[Record]) -> None:
        """Write records."""
        self.journal.add(rows)
        self.keep(rows)

    def save_found(self, claim_id: str, key: str, row: Record | None) -> None:
        """Write the record that a search found; as a note, if it has no instance, or is none."""
        if row is None or not row["parts"]:
            self.save_note(paper_of(claim_id), key, row)
        else:
            self.save([row])

    def found(self, claim_id: str, key: str) -> Record | None:
        """What was written so."""
        return self.load(claim_id, key) or self.note(paper_of(claim_id), key)

    def save_note(self, paper: str, key: str, value: Any) -> None:
        """Write what else was found for a paper."""
        self.journal.add_note(paper, key, value)
        self._of(paper).notes[key] = value
        self._unpacked.add(paper)

    def keep(self, rows: Sequence[Record]) -> None:
        """Take in records that another process of this run has written."""
        for row in rows:
            paper = paper_of(row["claim"])
            self._of(paper).records[row["key"]] = row
            self._unpacked.add(paper)

    def pack(self) -> None:
        """Put all that was written into the files of its papers; without news, change nothing."""
        for paper in sorted(self._unpacked):
            write_bytes(self.file(records_file(paper)), packed(blocks(self._of(paper))))
        self._unpacked.clear()
        for path in self._unfinished():
            delete(path)

    def forget(self) -> None:
        """Drop the records of other engines than today's from the papers of this run."""
        for paper, kept in self._kept.items():
            fresh = kept.of_engine(engine_of(paper))
            if fresh != kept:
                self._kept[paper] = fresh
                self._unpacked.add(paper)
        self.pack()

    def save_witness(self, name: str, script: str) -> str:
        """Write a witness script; returns its path relative to the folder."""
        path = self.file(f"{WITNESSES}/{name}.py")
        write_text(path, script)
        return path.relative_to(self.folder).as_posix()

    def _of(self, paper: str) -> Kept:
        """What is kept of a paper; its file is read once."""
        if paper not in self._kept:
            self._kept[paper] = kept_in(self.folder, paper)
        return self._kept[paper]

    def _unfinished(self) -> list[Path]:
        return sorted(self.records.glob(f"{_UNFINISHED}*{_ENDING}"))

    def _recover(self) -> None:
        """Take in what an interrupted run wrote, and put away what it did not."""
        for path in self.records.glob(f".*{PART}"):
            delete(path)
        found = Kept()
        for path in self._unfinished():
            name = path.relative_to(self.folder).as_posix()
            for block in packs.read(inside(self.folder, name), whole=False):
                found.add(block)
        self.keep(list(found.records.values()))
        for name, value in found.notes.items():
            paper, _, key = name.partition("/")
            self._of(paper).notes[key] = value
            self._unpacked.add(paper)
        self.pack()


def kept_in(folder: Path, paper: str, mend: str = packs.AGAIN) -> Kept:
    """What the file of a paper in a result folder holds; nothing if there is none.

    Raises
    ------
    FedboundsError
        If it cannot be read, holds something else, was edited, or a link leads out of the folder.
    """
    kept = Kept()
    path = inside(folder, records_file(paper))
    if os.path.lexists(path):
        for block in packs.read(path, whole=True, mend=mend):
            kept.add(block)
    return kept
