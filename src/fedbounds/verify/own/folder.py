"""Read a user's folder: a paper's in every respect, but for where it lies.

Its modules import each other as ``.symbols``, and are run only where the folder is named on the
command line.
"""

import hashlib
import sys
import traceback
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.catalogue import CATALOGUE, PAPERS, Paper, paper_in
from fedbounds.theory.language.contributed import Contribution, contribute
from fedbounds.theory.language.registry import encoded, setups

from ..setups.found import view_of

_READ = ("*.py", "*.toml")  # what determines the records of its claims


def is_folder(path: str) -> bool:
    """Whether it is a folder with a catalogue of claims."""
    return (Path(path) / CATALOGUE).is_file()


def load_folder(path: str) -> tuple[str, ...]:
    """Make a folder known as a paper is; returns its key.

    Raises
    ------
    FedboundsError
        In one line with the place, whatever is wrong with it.
    """
    folder = Path(path).resolve()
    found = _paper(folder, path)
    text = hashlib.sha256()
    for file in _files(folder):
        text.update(f"{file.relative_to(folder).as_posix()}\n".encode() + file.read_bytes())
    package = f"fedbounds_own_{text.hexdigest()[:12]}"  # another one where a file is another
    _begin(folder, package)
    with_names = _imported(f"{package}.glossary", path)
    names = getattr(with_names, "GLOSSARY", None)
    if names is None:
        raise FedboundsError(f"{path}/glossary.py has no GLOSSARY; expected the names of claims")
    contribute(Contribution(found, {}, None, None, names, text.hexdigest(), path, {}, package))
    for module in sorted({entry.module for entry in found.entries} - {""}):
        _imported(f"{package}.{module}", path)
    for name in ("views", "setups", "proofs.book"):
        if (folder / f"{name.replace('.', '/')}.py").is_file():
            _imported(f"{package}.{name}", path)
    _check(found, path)
    return (found.key,)


def _paper(folder: Path, path: str) -> Paper:
    try:
        found = paper_in(folder)
    except FedboundsError as error:
        raise FedboundsError(f"{path}/{CATALOGUE}: {error}") from error
    except (LookupError, TypeError, ValueError) as error:
        told = f"{type(error).__name__}: {error}"
        raise FedboundsError(f"{path}/{CATALOGUE} is no catalogue of claims: {told}") from error
    if not found.key.isidentifier() or found.key in PAPERS:
        raise FedboundsError(
            f"{path}/{CATALOGUE}: key {found.key!r}; expected letters, digits and _, and none of "
            f"{', '.join(PAPERS)}"
        )
    wrong = [entry.id for entry in found.entries if entry.paper != found.key]
    if wrong:
        raise FedboundsError(
            f"{path}/{CATALOGUE}: the id {wrong[0]!r}; expected one of the form {found.key}/NAME"
        )
    return found


def _files(folder: Path) -> Iterator[Path]:
    return iter(sorted(file for one in _READ for file in folder.rglob(one)))


def _begin(folder: Path, package: str) -> None:
    """Make it a package that can be imported from."""
    if package in sys.modules:
        return
    module = ModuleType(package)
    module.__path__ = [str(folder)]
    sys.modules[package] = module


def _imported(name: str, path: str) -> ModuleType:
    """A module; what it does wrong is told in one line with its place."""
    try:
        return import_module(name)
    except (Exception, SystemExit) as error:
        frames = [f for f in traceback.extract_tb(error.__traceback__) if _is_in(f.filename, path)]
        line = getattr(error, "lineno", None) or (frames[-1].lineno if frames else 1)
        file = getattr(error, "filename", None) if isinstance(error, SyntaxError) else None
        where = file or (frames[-1].filename if frames else f"{path}: {name.partition('.')[2]}")
        told = (
            str(error) if isinstance(error, FedboundsError) else f"{type(error).__name__}: {error}"
        )
        raise FedboundsError(f"{where}:{line}: {told}") from error


def _is_in(file: str, path: str) -> bool:
    return Path(file).is_relative_to(Path(path).resolve())


def _check(found: Paper, path: str) -> None:
    """Raise where a claim of the catalogue is in no module, or a set-up is of no view."""
    for entry in found.entries:
        if entry.module:
            try:
                encoded(entry)
            except KeyError as error:
                raise FedboundsError(
                    f"{path}/{entry.module.replace('.', '/')}.py: CLAIMS has no {entry.id!r}"
                ) from error
    for planned in setups(found.key):
        try:
            view_of(planned.setup)
        except FedboundsError as error:
            raise FedboundsError(f"{path}: set-up {planned.name!r}: {error}") from error
