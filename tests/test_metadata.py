"""Every dependency states a floor and what it is for; what says which Python agrees.

`.ci/run` installs these floors exactly, in an environment of their own, and runs tests there.
"""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
PROJECT = tomllib.loads(TEXT)["project"]
OURS = re.compile(r"fedbounds\[([\w,]+)\]")  # extras of our own need no floor
NAME = r"([A-Za-z][\w.-]*)(?:\[[\w,-]+\])?"
UNTRIED = {"cuda"}  # needs a GPU


def requirements(text: str) -> list[str]:
    """What a pyproject.toml asks for: at run time, by extras and to build."""
    data = tomllib.loads(text)
    optional = data["project"]["optional-dependencies"].values()
    lists = (data["project"]["dependencies"], *optional, data["build-system"]["requires"])
    return [one for listed in lists for one in listed if not OURS.fullmatch(one)]


def bad(text: str) -> set[str]:
    """Requirements without one floor, without a reason on a line of their own, or named twice."""
    found, names = requirements(text), []
    wrong = set()
    for one in found:
        floor = re.fullmatch(rf"{NAME}>=\d+(\.\d+)+", one)
        if not floor or not re.search(rf'^    "{re.escape(one)}", +# \w', text, re.M):
            wrong.add(one)
        names.append(re.match(NAME, one)[1].lower())
    return wrong | {one for one, name in zip(found, names, strict=True) if names.count(name) > 1}


def test_every_dependency_has_a_floor_and_a_reason() -> None:
    assert len(requirements(TEXT)) > 30
    assert not bad(TEXT), 'expected one line `"name>=version",  # what it is for` per package'


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ('"click>=8.1",  # command line', set()),
        ('"click",  # command line', {"click"}),
        ('"click==8.1",  # command line', {"click==8.1"}),
        ('"click>=8.1,<9",  # command line', {"click>=8.1,<9"}),
        ('"click>=8.1",', {"click>=8.1"}),
        ('"click>=8.1", "rich>=14.3",  # both', {"click>=8.1", "rich>=14.3"}),
        ('"Jinja2>=3.0",  # the page again', {"Jinja2>=3.0", "jinja2>=3.1"}),
    ],
)
def test_a_dependency_without_them_is_seen(line: str, wrong: set[str]) -> None:
    project = '[project]\ndependencies = [\n    "jinja2>=3.1",  # the page\n    %s\n]\n'
    rest = "[project.optional-dependencies]\n[build-system]\nrequires = []\n"
    assert bad(project % line + rest) == wrong


def test_ci_tries_the_floors_of_every_extra() -> None:
    extras = PROJECT["optional-dependencies"]
    named = set(re.findall(r"--extra (\w+)", (ROOT / ".ci" / "run").read_text(encoding="utf-8")))
    inner = {ours[1] for name in named for one in extras[name] if (ours := OURS.fullmatch(one))}
    assert named.union(*(names.split(",") for names in inner)) == set(extras) - UNTRIED


def test_the_oldest_python_is_the_same_wherever_it_is_stated() -> None:
    oldest = PROJECT["requires-python"].removeprefix(">=")
    listed = [line.split(" :: ")[-1] for line in PROJECT["classifiers"] if ":: Python ::" in line]
    versions = [version for version in listed if "." in version]
    assert min(versions, key=lambda version: [*map(int, version.split("."))]) == oldest
    assert f"Python {oldest} or newer" in (ROOT / "README.md").read_text(encoding="utf-8")
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert f"needs Python {oldest} or newer" in makefile
    assert f"sys.version_info < ({oldest.replace('.', ', ')})" in makefile
