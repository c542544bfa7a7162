"""The papers whose proofs are written, and their replay."""

from collections.abc import Callable, Iterable, Set
from functools import cache
from importlib import import_module
from typing import Any

from fedbounds.theory.checker.data import Certificate, Step
from fedbounds.theory.checker.files import book_data, step_data
from fedbounds.theory.language.catalogue import keys, package_of
from fedbounds.theory.language.contributed import declared
from fedbounds.theory.language.glossary import Glossary
from fedbounds.theory.language.symbols import SHARED

from .derive import Row
from .language import Book
from .repair import Repair, smallest
from .replay import Replayed, Replays


def papers() -> tuple[str, ...]:
    """Keys of the papers that have a book of proofs."""
    return tuple(key for key in keys() if has_book(key))


def has_book(paper: str) -> bool:
    """Whether proofs of that paper, or of that contribution, are written."""
    return _written(paper) is not None


def book_of(paper: str) -> Book:
    """The book of a paper that has one."""
    book = _written(paper)
    assert book is not None
    return book()


def names_of(paper: str) -> Glossary:
    """How a paper's names are written, those of its vectors too; the shared ones of no paper."""
    other = declared(paper)
    if other is not None:
        return other.glossary
    return book_of(paper).glossary if has_book(paper) else SHARED


def _written(paper: str) -> Callable[[], Book] | None:
    other = declared(paper)
    if other is not None:
        return other.book
    if paper not in keys():
        return None
    found: Callable[[], Book] | None = getattr(_module(paper, "book"), "book", None)
    return found


def _module(paper: str, name: str) -> Any:
    """A module of a theory's proofs; None if it has none of that name."""
    return _of_package(package_of(paper), name)


@cache
def _of_package(package: str, name: str) -> Any:
    if not package:
        return None
    path = f"{package}.proofs.{name}"
    try:
        return import_module(path)
    except ModuleNotFoundError as error:
        if error.name is None or not path.startswith(error.name):
            raise
        return None


def replayed(paper: str, names: Iterable[str] | None = None) -> tuple[Replayed, ...]:
    """Steps of a paper's book with their status: all, or these ids and what they may rest on."""
    book = _written(paper)
    if book is None:
        return ()
    replays = _replays(book)
    return replays.every() if names is None else replays.of(names)


@cache
def _replays(book: Callable[[], Book]) -> Replays:
    return Replays(book())


def certificates(paper: str, claims: Set[str]) -> dict[str, Any]:
    """A paper's certificates as plain data, for the checker.

    Parameters
    ----------
    claims : set of str
        Whose steps are wanted, and what these rest on; of all that have any, every step.
    """
    book = book_of(paper)
    proved = {written.claim for written in book.steps} - {""}
    own = [written.id for written in book.steps if written.claim in claims]
    steps = []
    for found in replayed(paper, None if proved <= claims else own):
        certificate = found.certificate or Certificate("none")
        row = step_data(Step(found.written.id, found.written.statement, certificate))
        row["claim"] = found.written.claim
        steps.append(row if found.certificate else row | {"certificate": None})
    return book_data(book.theory, steps)


def derived(claim_id: str) -> dict[str, tuple[Row, ...]]:
    """Constants derived from one round beside the stated ones, by part of the claim."""
    paper, _, name = claim_id.partition("/")
    found = _module(paper, "derivations")
    if found is None:
        return {}
    return {r.claim[1]: found.rows(r) for r in found.ROUTES if r.claim[0] == name}


def repaired(claim_id: str) -> Repair | None:
    """The smallest constant of a correction's family, and numbers against a smaller one."""
    paper, _, name = claim_id.partition("/")
    found = _module(paper, "repairs")
    families = {} if found is None else found.families()
    return smallest(book_of(paper), name, families[name]) if name in families else None
