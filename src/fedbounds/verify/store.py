"""A folder of JSON files, one per record, written atomically as they finish.

A record's name is a hash of everything that determines it, so that an interrupted run resumes, a
changed claim or source is judged anew, and nothing already computed is lost.
"""

import hashlib
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import sympy as sp

from fedbounds.border import fit, load
from fedbounds.errors import FedboundsError
from fedbounds.theory.claims import Claim, Reading, read

from .audit import audit
from .device import Device
from .files import file_of, inside, make_folder, write_text
from .records import DIGEST, SCHEMA, is_sealed, sealed
from .shapes import DOCUMENT, RECORD

_DELETE = "delete it to compute it again"
_AGAIN = "run `fedbounds verify` again"


@cache
def source_hash() -> str:
    """A hash of the package's own source and templates; the page only shows records."""
    digest = hashlib.sha256()
    root = Path(str(resources.files("fedbounds")))
    for path in sorted(root.rglob("*")):
        if path.suffix in (".py", ".toml", ".j2") and "page" not in path.parts:
            digest.update(path.relative_to(root).as_posix().encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()


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
            [a.value for a in p.assumptions],
            None if p.trivial is None else sp.srepr(p.trivial),
        )
        for p in read(claim, reading)
    ]
    weights = [(w.claim, w.part, sp.srepr(w.weight)) for w in claim.proof_weights]
    return repr((claim.id, reading.name, parts, weights))


def record_key(claim_text: str, instance_print: str, seed: int, device: Device = Device.CPU) -> str:
    """Name of a record: a hash of all that determines it.

    Parameters
    ----------
    claim_text : str
        From `claim_text`.
    instance_print : str
        The instance's `fedbounds.verify.measurement.fingerprint`.
    """
    everything = (
        SCHEMA,
        source_hash(),
        np.__version__,
        claim_text,
        instance_print,
        seed,
        device.value,
    )
    return hashlib.sha256(repr(everything).encode()).hexdigest()[:24]


class Store:
    """A result folder.

    Raises
    ------
    FedboundsError
        If the folder cannot be made or written, or a link in it leads out of it.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.records = inside(folder, "records")
        self.witnesses = inside(folder, "witnesses")
        try:
            for path in (self.records, self.witnesses):
                make_folder(path)
        except FedboundsError as error:
            raise FedboundsError(f"{error}; choose another folder with --out") from error

    def file(self, name: str) -> Path:
        """A file of the folder, to be written.

        Raises
        ------
        FedboundsError
            If it cannot be written, or a link leads out of the folder.
        """
        return file_of(self.folder, name)

    def has(self, key: str) -> bool:
        """Whether a record is there."""
        return (self.records / f"{key}.json").exists()

    def load(self, key: str) -> dict[str, Any] | None:
        """A finished record, or None; a corrupt or edited file is an error that names it."""
        path = self.records / f"{key}.json"
        if not path.exists():
            return None
        data, raw = load(path, _DELETE)
        fit(path, data, RECORD, _DELETE)
        return _unsealed(path, data, raw, _DELETE)

    def save(self, key: str, data: dict[str, Any]) -> None:
        """Write a record, whole or not at all."""
        write_text(self.file(f"records/{key}.json"), sealed(data))

    def save_witness(self, name: str, script: str) -> str:
        """Write a witness script; returns its path relative to the folder."""
        path = self.file(f"witnesses/{name}.py")
        write_text(path, script)
        return path.relative_to(self.folder).as_posix()


def read_document(path: Path) -> dict[str, Any]:
    """Read a results document.

    Raises
    ------
    FedboundsError
        If it is none, is of another schema, was edited, or says of a claim what does not follow
        from its records.
    """
    data, raw = load(path, _AGAIN)
    schema = data.get("schema")
    if type(schema) is int and schema != SCHEMA and 0 <= schema < 1000:
        raise FedboundsError(
            f"{str(path)!r} has schema {schema}; expected {SCHEMA}: "
            "compare results of one version, or run `fedbounds verify` again"
        )
    if "left_out" in data:
        raise FedboundsError(
            f"{str(path)!r} is of a page without room for its records; "
            "expected results.json of the result folder"
        )
    fit(path, data, DOCUMENT, _AGAIN)
    try:
        audit(data)
    except FedboundsError as error:
        raise FedboundsError(f"{str(path)!r} was edited: {error}; {_AGAIN}") from error
    return _unsealed(path, data, raw, _AGAIN)


def _unsealed(path: Path, data: dict[str, Any], raw: bytes, mend: str) -> dict[str, Any]:
    """The data without their digest."""
    if not is_sealed(data.pop(DIGEST), raw):
        raise FedboundsError(f"results file {str(path)!r} was edited after it was written; {mend}")
    return data
