"""The certificates of a result folder, checked once more before they go to a reader."""

from dataclasses import dataclass
from pathlib import Path

from fedbounds.border import anything, fit, load
from fedbounds.errors import FedboundsError
from fedbounds.theory.checker.errors import Refused
from fedbounds.theory.checker.recheck import recheck
from fedbounds.verify.page.addresses import CERTIFICATES
from fedbounds.verify.results.files import inside

_AGAIN = "run `fedbounds prove` again"


@dataclass(frozen=True)
class Certificates:
    """A file of certificates, all of which the checker accepts.

    Attributes
    ----------
    raw : bytes
    counted : dict
        How many of each paper.
    """

    raw: bytes
    counted: dict[str, int]


def certificates(folder: Path) -> Certificates | None:
    """Those of a result folder; None if it has none.

    Raises
    ------
    FedboundsError
        If the file cannot be read, or the checker refuses something in it.
    """
    path = inside(folder, CERTIFICATES)
    if not path.is_file():
        return None
    books, raw = load(path, _AGAIN)
    fit(path, books, anything, _AGAIN)
    try:
        counted = {key: _count(book) for key, book in books.items()}
    except Refused as error:
        raise FedboundsError(f"{str(path)!r}: {error}; {_AGAIN}") from error
    return Certificates(raw, counted)


def _count(book: object) -> int:
    if not isinstance(book, dict):
        raise Refused("no file of certificates: expected a book of proofs per paper")
    for one in recheck(book):
        if one.refused:
            raise Refused(f"the certificate of {one.id} is refused: {one.refused}")
    return sum(1 for row in book["steps"] if row["certificate"] is not None)
