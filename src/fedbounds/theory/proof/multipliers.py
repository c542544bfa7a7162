"""Multipliers that a search found, kept so that replay need not search again.

They are hints and nothing else: a certificate that is filled in with them is accepted by the
checker or by nobody, and where it is not accepted the search goes on as if nothing were kept. A
theory keeps them in ``proofs/multipliers.toml``, a line for each step, named by all that the step
is made of. ``python -m fedbounds.theory.proof.keep`` writes these lines.
"""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from hashlib import sha256
from importlib import import_module
from pathlib import Path

from fedbounds.errors import FedboundsError
from fedbounds.theory.checker.data import Certificate, Premise, Square, Statement
from fedbounds.theory.checker.needs import every_part
from fedbounds.theory.checker.recheck import cited
from fedbounds.theory.language.catalogue import keys, package_of

from .search import UNKNOWN

FILE = "multipliers.toml"
_LETTERS = 16  # of a hash; should two steps share it, the checker tells them apart

Times = tuple[str, ...]  # one multiplier for every branch, or one for all
Kept = Mapping[str, tuple[Times, ...]]


def kept_by(theory: str) -> Kept:
    """What a theory keeps, by its key; nothing if it has no file, or is no theory.

    Raises
    ------
    FedboundsError
        If its file is none.
    """
    package = package_of(theory) if theory in keys() else ""
    return _in_package(package) if package else {}


@cache
def _in_package(package: str) -> Kept:
    file = file_of(package)
    if not file.is_file():
        return {}
    try:
        rows = tomllib.loads(file.read_text(encoding="utf-8"))
        return {name: tuple(map(_times, row)) for name, row in rows.items()}
    except (ValueError, TypeError) as error:
        raise FedboundsError(f"{file} has no multipliers: {error}") from error


def file_of(package: str, name: str = FILE) -> Path:
    """Where the theory in a package keeps its multipliers, or what else is kept of its proofs."""
    (folder,) = import_module(package).__path__
    return Path(folder) / "proofs" / name


def _times(texts: object) -> Times:
    if not isinstance(texts, list) or not texts or not all(isinstance(x, str) for x in texts):
        raise TypeError(f"{texts!r:.80}; expected texts, one or one for each branch")
    return tuple(texts)


def name_of(
    step: str, statement: Statement, draft: Certificate, earlier: Mapping[str, Statement]
) -> str:
    """A step's name with a hash of what it says, what it uses, and what the cited steps say."""
    made_of = statement, draft, [earlier.get(name) for name in cited(draft)]
    return f"{step} {sha256(repr(made_of).encode()).hexdigest()[:_LETTERS]}"


def lacks(draft: Certificate) -> int:
    """How many multipliers are not known yet, those of an induction's base among them."""
    return sum(map(_waits, _entries(draft)))


def taken(draft: Certificate, certificate: Certificate) -> tuple[Times, ...]:
    """The multipliers that a draft lacks, from a certificate that has every entry of it."""
    both = zip(_entries(draft), _entries(certificate), strict=True)
    return tuple(own.times for asked, own in both if _waits(asked))


def filled(draft: Certificate, times: Sequence[Times]) -> Certificate:
    """The draft with these multipliers, as many as it lacks."""
    return _filled(draft, iter(times))


def _filled(draft: Certificate, times: Iterator[Times]) -> Certificate:
    """In the order of `_entries`."""
    premises = tuple(replace(p, times=next(times)) if _waits(p) else p for p in draft.premises)
    squares = tuple(replace(s, times=next(times)) if _waits(s) else s for s in draft.squares)
    base = None if draft.base is None else _filled(draft.base, times)
    return replace(draft, premises=premises, squares=squares, base=base)


def _entries(certificate: Certificate) -> Iterator[Premise | Square]:
    for part in every_part(certificate):
        yield from part.premises
        yield from part.squares


def _waits(entry: Premise | Square) -> bool:
    return entry.times[0].startswith(UNKNOWN)
