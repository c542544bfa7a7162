"""What a user types to name claims: an id, a paper, or a file or folder of one's own."""

import os
import shlex
from collections.abc import Iterator
from pathlib import Path

from fedbounds.errors import FedboundsError, unknown_name
from fedbounds.theory.language.catalogue import CATALOGUE, PAPERS, Entry, entry, paper, select
from fedbounds.theory.language.contributed import contributed, installed

from . import examples

_SUFFIX = ".py"
_INSIDE = "::"


def entries_named(names: tuple[str, ...]) -> tuple[Entry, ...]:
    """Entries of the named papers, claims and files; all papers if none is named.

    A file is run as Python, here and nowhere else, and once however often it is named.

    Raises
    ------
    FedboundsError
        If there is no such paper, claim or file, or two files have the same key.
    """
    names = tuple(one for name in names for one in _each(_text(name)))
    files = tuple(name for name in names if _is_file(name))
    others = tuple(name for name in names if name not in files)
    found = (*(select(others) if others or not files else ()), *_of_files(files))
    return tuple({entry.id: entry for entry in found}.values())


def _text(name: object) -> str:
    """A name as it is typed; from Python a file may be given as a path."""
    found = os.fspath(name) if isinstance(name, os.PathLike) else name
    if not isinstance(found, str):
        raise FedboundsError(f"{name!r} names no claims; expected text, or a path of a file")
    return found


def _each(name: str) -> tuple[str, ...]:
    """The names of all examples where "examples" is typed, and no folder of that name is one."""
    every = name == examples.ALL and not _is_file(name)
    return tuple(examples.EXAMPLE + one for one in examples.names()) if every else (name,)


def named_alone(names: tuple[str, ...], entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
    """Those among the entries that were named by themselves, not with their paper or file."""
    return tuple(entry for entry in entries if not _spellings(entry).isdisjoint(names))


def _spellings(entry: Entry) -> set[str]:
    """What names a claim and nothing else."""
    other = contributed(entry.paper)
    file = "" if other is None else other.file
    short = entry.id.partition("/")[2]
    return {entry.id, f"{file}{_INSIDE}{short}", f"{file}{_INSIDE}{entry.id}"}


def spelled(entry: Entry) -> str:
    """What to type for a claim, safe to paste: its id, or its file and its name in there."""
    other = contributed(entry.paper)
    if other is None or not other.file:
        return shlex.quote(entry.id)
    return shlex.quote(f"{other.file}{_INSIDE}{entry.id.partition('/')[2]}")


def entry_named(name: str) -> Entry:
    """The entry of a claim: "personalization/thm-3.7", "FILE.py::rate", or FILE.py with one claim.

    Raises
    ------
    FedboundsError
        If there is no such claim, or the file has several.
    """
    if not _is_file(name) and "/" in name:
        return entry(name)
    found = entries_named((name,))
    if len(found) != 1:
        known = ", ".join(x.id.partition("/")[2] for x in found[:6])
        raise FedboundsError(
            f"{name!r} has {len(found)} claims; expected one, such as {name}{_INSIDE}NAME ({known})"
            if _is_file(name)
            else f"{name!r} is a paper of {len(found)} claims; expected one, such as {found[0].id}"
        )
    return found[0]


def _is_file(name: str) -> bool:
    """Whether it names a file, or a folder with a catalogue of claims."""
    path = name.partition(_INSIDE)[0]
    if path.endswith(_SUFFIX) or path.startswith(examples.EXAMPLE):
        return True
    return path not in (*PAPERS, *installed()) and (Path(path) / CATALOGUE).is_file()


def _of_files(names: tuple[str, ...]) -> Iterator[Entry]:
    loaded: dict[Path, tuple[str, ...]] = {}
    owners: dict[str, str] = {}
    for name in names:
        path, _, wanted = name.partition(_INSIDE)
        file = examples.file_of(path).resolve()
        if file not in loaded:
            from .load import load  # which needs SymPy

            loaded[file] = load(path)
            for key in loaded[file]:
                if owners.setdefault(key, path) != path:
                    raise FedboundsError(
                        f"{owners[key]} and {path} have the same key {key!r}; change one of them"
                    )
        entries = [found for key in loaded[file] for found in paper(key).entries]
        yield from _chosen(path, wanted, entries)


def _chosen(path: str, wanted: str, entries: list[Entry]) -> list[Entry]:
    chosen = [found for found in entries if wanted in ("", found.id.partition("/")[2], found.id)]
    if not chosen:
        short = [found.id.partition("/")[2] for found in entries]
        raise unknown_name(f"claim of {path}", wanted, short)
    return chosen
