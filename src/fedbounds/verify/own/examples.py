"""Theorems of the literature that come with the package, as files that a user may copy."""

import ast
import re
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from fedbounds.errors import unknown_name

EXAMPLE = "example:"  # what is typed before a name
ALL = "examples"


@dataclass(frozen=True)
class Example:
    """What an example's file says of itself.

    Attributes
    ----------
    name : str
    about : str
        A line.
    reference : str
        Where the theorem is printed.
    """

    name: str
    about: str
    reference: str


def names() -> tuple[str, ...]:
    """Of all examples, in alphabetical order."""
    return tuple(sorted(path.stem for path in _folder().glob("[!_]*.py")))


def file_of(path: str) -> Path:
    """The file that is named, or that of an example.

    Raises
    ------
    FedboundsError
        If there is no such example.
    """
    if not path.startswith(EXAMPLE):
        return Path(path)
    name = path.removeprefix(EXAMPLE)
    if name not in names():
        raise unknown_name("example", name, names())
    return _folder() / f"{name}.py"


def described(name: str) -> Example:
    """What it says of itself; it is read, not run."""
    tree = ast.parse(file_of(EXAMPLE + name).read_text(encoding="utf-8"))
    text = ast.get_docstring(tree) or ""
    found = re.search(r"Reference: (.*?)(?:\n\w[\w ]*: |\Z)", text, re.DOTALL)
    return Example(name, text.partition("\n")[0], " ".join((found[1] if found else "").split()))


def _folder() -> Path:
    return Path(str(resources.files("fedbounds"))) / "examples"
