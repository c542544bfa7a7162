"""``results.json``: what a run says of its claims, and which records it rests on.

In a result folder the records lie beside it, each once; a document for itself holds them.
"""

from pathlib import Path
from typing import Any

from fedbounds.border import fit, load
from fedbounds.errors import FedboundsError

from .audit import audit
from .files import inside
from .records import DIGEST, SCHEMA, is_sealed
from .shapes import DOCUMENT
from .store import kept_in, paper_of, records_file

Record = dict[str, Any]

_AGAIN = "run `fedbounds verify` again"


def beside(document: Record) -> Record:
    """The document of a result folder: the keys of its records in their place."""
    rest = {name: value for name, value in document.items() if name != "results"}
    return rest | {"records": [row["key"] for row in document["results"]]}


def timed_as_before(document: Record, path: Path) -> Record:
    """The document, with the timing of a file that says the same of the same records.

    So a run that judges nothing anew changes no byte.
    """
    try:
        old, _ = load(path, _AGAIN)
        timing = old["run"]["timing"]
        old.pop(DIGEST)
    except (FedboundsError, LookupError, TypeError):  # there is none, or one of another kind
        return document
    again = document | {"run": document["run"] | {"timing": timing}}
    return again if beside(again) == old else document


def standings_at(path: Path) -> dict[str, str]:
    """Standings by claim, of a results document that may be there; nothing is checked."""
    try:
        old, _ = load(path, _AGAIN)
        return {name: claim["standing"] for name, claim in old["claims"].items()}
    except (FedboundsError, LookupError, TypeError, AttributeError):
        return {}


def read_document(path: Path) -> Record:
    """Read a results document, with its records.

    Raises
    ------
    FedboundsError
        If it is none, is of another schema, was edited, lacks records, or says of a claim what
        does not follow from its records.
    """
    data, raw = load(path, _AGAIN)
    schema = data.get("schema")
    if type(schema) is int and schema != SCHEMA and 0 <= schema < 1000:
        raise FedboundsError(
            f"{str(path)!r} has schema {schema}; expected {SCHEMA}: "
            "compare results of one version, or run `fedbounds verify` again"
        )
    fit(path, data, DOCUMENT, _AGAIN)
    told = data.pop(DIGEST)
    data = with_records(path, data)
    try:
        audit(data)
    except FedboundsError as error:
        raise FedboundsError(f"{str(path)!r} was edited: {error}; {_AGAIN}") from error
    if not is_sealed(told, raw):
        raise FedboundsError(
            f"results file {str(path)!r} was edited after it was written; {_AGAIN}"
        )
    return data


def with_records(path: Path, data: Record) -> Record:
    """The document with its records, wherever they are kept.

    Raises
    ------
    FedboundsError
        If a record is not there, or was edited.
    """
    if "records" not in data:
        return data
    rest = {name: value for name, value in data.items() if name != "records"}
    return rest | {"results": _records(path, data["claims"], data["records"])}


def files_of_records(path: Path) -> list[str]:
    """Names of the files beside a document that hold its records; none if it holds them itself.

    Raises
    ------
    FedboundsError
        If it cannot be read, or a link leads out of its folder.
    """
    data, _ = load(path, _AGAIN)
    names = map(records_file, dict.fromkeys(map(paper_of, data["claims"])))
    return [name for name in names if "records" in data and inside(path.parent, name).is_file()]


def _records(path: Path, claims: Record, keys: list[str]) -> list[Record]:
    """The records of these keys, from the files beside the document."""
    found: Record = {}
    wanted = set(keys)
    for paper in dict.fromkeys(map(paper_of, claims)):
        kept = kept_in(path.parent, paper, _AGAIN).records
        found |= {key: row for key, row in kept.items() if key in wanted}
    missing = [key for key in keys if key not in found]
    if missing:
        files = ", ".join(records_file(paper) for paper in dict.fromkeys(map(paper_of, claims)))
        raise FedboundsError(
            f"{str(path)!r} rests on {len(missing)} records that are not beside it "
            f"(expected in {files}; the first is {missing[0]}): "
            f"keep the folder together, or {_AGAIN}"
        )
    return [found[key] for key in keys]
