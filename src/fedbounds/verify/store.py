"""A folder of JSON files, one per record, written atomically as they finish.

A record's name is a hash of everything that determines it, so that an interrupted run resumes, a
changed claim or source is judged anew, and nothing already computed is lost.
"""

import hashlib
import json
from collections.abc import Mapping
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import sympy as sp

from fedbounds.errors import FedboundsError
from fedbounds.theory.claims import Claim, Reading, read

from .device import Device
from .files import file_of, inside, make_folder, write_text
from .records import SCHEMA, dumps


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
        The instance's `fedbounds.verify.measure.fingerprint`.
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
        data = read_json(path)
        told = data.pop(_DIGEST, None)
        found = _checked(path, data, _RECORD)
        if told != _digest(found):
            raise FedboundsError(
                f"results file {str(path)!r} was edited after it was written; "
                "delete it to compute it again"
            )
        return found

    def save(self, key: str, data: dict[str, Any]) -> None:
        """Write a record, whole or not at all."""
        write_text(self.file(f"records/{key}.json"), dumps(data | {_DIGEST: _digest(data)}))

    def save_witness(self, name: str, script: str) -> str:
        """Write a witness script; returns its path relative to the folder."""
        path = self.file(f"witnesses/{name}.py")
        write_text(path, script)
        return path.relative_to(self.folder).as_posix()


_RECORD = {
    "claim": str,
    "reading": str,
    "verdict": str,
    "parts": list,
    "constants": dict,
    "parameters": dict,
    "problem": dict,
    "evidence": dict,
}
_DOCUMENT = {"schema": int, "run": dict, "claims": dict, "results": list}
_DIGEST = "digest"  # of all else in a record's file: it guards against accident, not against intent


def _digest(data: dict[str, Any]) -> str:
    """A hash of a record as it reads back from its file."""
    text = dumps(json.loads(dumps(data)))
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def _checked(path: Path, data: dict[str, Any], shape: Mapping[str, type]) -> dict[str, Any]:
    for name, kind in shape.items():
        if not isinstance(data.get(name), kind):
            raise FedboundsError(
                f"results file {str(path)!r} is corrupt ({name!r} is no {kind.__name__}); "
                "delete it to compute it again"
            )
    return data


def read_document(path: Path) -> dict[str, Any]:
    """Read a results document; an error names the file if it is none."""
    return _checked(path, read_json(path), _DOCUMENT)


def read_json(path: Path) -> dict[str, Any]:
    """Read a results file; anything but a JSON object is an error that names the file."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise FedboundsError(f"no results file {str(path)!r}") from error
    except (OSError, ValueError, RecursionError) as error:
        raise FedboundsError(
            f"results file {str(path)!r} is corrupt ({error}); delete it to compute it again"
        ) from error
    if not isinstance(data, dict):
        raise FedboundsError(
            f"results file {str(path)!r} holds {type(data).__name__}, expected an object; "
            "delete it to compute it again"
        )
    return data
