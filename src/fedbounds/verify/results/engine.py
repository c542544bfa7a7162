"""What a record of a paper is determined by: which files of the package, as one hash."""

import hashlib
from collections.abc import Iterator
from functools import cache
from importlib import resources
from pathlib import Path

import numpy as np

from fedbounds.theory.language.contributed import contributed

from .records import SCHEMA

_SOURCE = (".py", ".toml", ".j2")
# What shows, asks or plants, and never judges: a test sees that nothing else imports it.
TELLING = (
    "__main__.py",
    "examples",
    "laws",
    "second_checker.py",
    "strategies",
    "verify/page",
    "verify/commands",
    "verify/own/laws.py",
    "verify/own/names.py",
    "verify/results/accepted.py",
    "verify/results/audit.py",
    "verify/results/certificates_schema.py",
    "verify/results/document.py",
    "verify/results/results_file.py",
    "verify/results/schema.py",
)


def package() -> Path:
    """The folder of the package."""
    return Path(str(resources.files("fedbounds")))


def files(root: Path, paper: str | None = None) -> Iterator[str]:
    """The files that determine the records of a paper; without a paper, of all papers.

    The engine, without what only shows results, and the paper's own folder; a theory that is
    not of the package has none here.

    Parameters
    ----------
    root : Path
        The folder of the package.

    Yields
    ------
    str
        Paths below it, sorted.
    """
    papers = {path.parent.name for path in root.glob("theory/*/catalogue.toml")}
    others = tuple(f"theory/{name}" for name in papers - ({paper} if paper else papers))
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.suffix in _SOURCE and not _below(name, (*TELLING, *others)):
            yield name


def _below(name: str, places: tuple[str, ...]) -> bool:
    return any(name == place or name.startswith(f"{place}/") for place in places)


def digest(root: Path, paper: str | None = None) -> str:
    """A hash of these files: their names and what they hold."""
    found = hashlib.sha256()
    for name in files(root, paper):
        found.update(f"{name}\n".encode())
        found.update(hashlib.sha256((root / name).read_bytes()).digest())
    return found.hexdigest()


@cache
def source_hash(paper: str | None = None) -> str:
    """`digest` of this package."""
    return digest(package(), paper)


def engine_of(paper: str) -> str:
    """What determines a paper's records beside the claim, the set-up and the seed.

    For a theory of one's own also the text that defines it.
    """
    other = contributed(paper)
    own = "" if other is None else other.source
    everything = (SCHEMA, source_hash(paper), own, np.__version__)
    return hashlib.sha256(repr(everything).encode()).hexdigest()[:8]
