"""One archive of a result folder for authors and reviewers, which can be checked without us."""

from pathlib import Path
from typing import Any

from fedbounds.errors import FedboundsError
from fedbounds.verify.page.addresses import CERTIFICATES
from fedbounds.verify.page.incomplete import complete
from fedbounds.verify.results.files import RESULTS, inside
from fedbounds.verify.results.results_file import files_of_records

from ..render import render
from .certificates import Certificates, certificates
from .correspondence import correspondence, correspondence_text
from .instructions import licence_text, read_me
from .witnesses import refuted_readings, scripts

Record = dict[str, Any]


def artifact(document: Record, folder: Path) -> dict[str, bytes]:
    """The files of an archive by their names.

    Parameters
    ----------
    document : dict
        As `fedbounds.verify.results.results_file.read_document` reads it, which checks it.
    folder : Path
        The result folder that it was read from.

    Raises
    ------
    FedboundsError
        If a script, a certificate or a file of records is not there or not as it should be.
    """
    records = files_of_records(folder / RESULTS)
    taken = {name: _held(folder, name) for name in (RESULTS, *records, *scripts(document))}
    proofs = certificates(folder)
    if proofs is not None:
        taken[CERTIFICATES] = proofs.raw
    with complete():
        told = _told(document, proofs, apart=bool(records))
    return taken | {name: text.encode() for name, text in told.items()}


def _told(document: Record, proofs: Certificates | None, *, apart: bool) -> dict[str, str]:
    """What is made for the reader; the folder has the rest."""
    claims, refuted = correspondence(document), refuted_readings(document)
    told = {
        "README.txt": read_me(document, proofs, apart=apart),
        "correspondence.csv": render(claims, "csv"),
        "correspondence.md": correspondence_text(document),
        "witnesses.csv": render(refuted, "csv"),
        "witnesses.md": render(refuted, "md"),
    }
    own = licence_text()
    return told if own is None else told | {"LICENSE": own}


def _held(folder: Path, name: str) -> bytes:
    path = inside(folder, name)
    try:
        return path.read_bytes()
    except OSError as error:
        raise FedboundsError(
            f"cannot read {str(path)!r}, which the results name: {error.strerror}; "
            "keep the folder together, or run `fedbounds verify` again"
        ) from error
