"""Every dependency states a floor and what it is for; what says which Python, version or paper agrees.

`.ci/run` installs these floors exactly, in an environment of their own, and runs tests there.
"""

import re
import tomllib
from pathlib import Path

import pytest

import fedbounds
from fedbounds.theory.language.catalogue import PAPERS, paper

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


def test_the_version_is_the_same_wherever_it_is_stated() -> None:
    version = fedbounds.__version__
    assert PROJECT["version"] == version
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\n## [{version}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def cited(text: str) -> dict[str, list[str]]:
    """The references of a CITATION.cff: titles, and their authors' names."""
    _, _, references = text.partition("\nreferences:\n")
    found = {}
    for one in references.split("\n  - type: "):
        title = re.search(r"^    title: (.+)$", one, re.M)
        names = re.findall(r"- family-names: (.+)\n +given-names: (.+)", one)
        assert title is not None
        found[title[1]] = [f"{given} {family}" for family, given in names]
    return found


def test_every_paper_is_cited_as_the_catalogue_has_it() -> None:
    found = cited((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert found == {paper(key).title: list(paper(key).authors) for key in PAPERS}


def test_the_workflow_tries_the_oldest_python_and_has_no_rights() -> None:
    workflow = (ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8")
    (listed,) = re.findall(r"^ +python: \[(.+)\]$", workflow, re.M)
    assert listed.split(", ")[0].strip('"') == PROJECT["requires-python"].removeprefix(">=")
    assert "\npermissions:\n  contents: read\n" in workflow
    assert "write" not in workflow
    assert "secrets" not in workflow


def test_what_is_at_the_top_is_in_the_source_distribution() -> None:
    included = tomllib.loads(TEXT)["tool"]["hatch"]["build"]["targets"]["sdist"]["only-include"]
    always = {"README.md", "LICENSE", "pyproject.toml"}  # hatchling takes these by itself
    here = {path.name for path in ROOT.iterdir() if not path.is_symlink()}
    assert set(included) | always <= here
    assert {path.name for path in ROOT.glob("*.*") if path.suffix in {".md", ".cff", ".yml"}} <= (
        set(included) | always
    )
