"""Which files determine a record: the engine and the paper's own theory, and nothing that tells."""

import ast
import shutil
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from fedbounds.theory.language import contributed as contributions
from fedbounds.theory.language.catalogue import PAPERS
from fedbounds.verify.results import engine
from fedbounds.verify.results.engine import TELLING, digest, engine_of, files, package

PAPER, OTHER, OWN = "fedplt", "submodel", "me"


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A copy of the package."""
    root = tmp_path_factory.mktemp("copy") / "fedbounds"
    shutil.copytree(package(), root, ignore=shutil.ignore_patterns("__pycache__"))
    return root


def digests(root):
    return {paper: digest(root, paper) for paper in (PAPER, OTHER, OWN)}


def changed(root, name):
    """The papers whose records another byte of a file changes."""
    path, before = root / name, digests(root)
    text = path.read_bytes()
    path.write_bytes(text + b"\n")
    found = {paper for paper, one in digests(root).items() if one != before[paper]}
    path.write_bytes(text)
    assert digests(root) == before
    return found


def test_a_copy_of_the_package_has_its_digests(tree):
    assert digests(tree) == digests(package())


@pytest.mark.parametrize(
    "name",
    ["verify/page/written.py", "verify/page/templates/index.html.j2", "verify/page/exports/rows.py",
     "verify/commands/__init__.py", "verify/page/referee/words.py", "verify/page/tables.py",
     "verify/commands/command_line.py", "verify/results/audit.py", "laws/base.py"],
)  # fmt: skip
def test_what_only_tells_changes_no_record(tree, name):
    assert changed(tree, name) == set()


@pytest.mark.parametrize(
    "name",
    ["verify/decide/part.py", "verify/judge/judge.py", "verify/results/store.py", "problems/quadratic.py",
     "algorithms/fedplt.py", "theory/language/claims.py", "theory/checker/check.py", "vocabulary.py",
     "verify/own/load.py", "errors.py"],
)  # fmt: skip
def test_the_engine_changes_all_records(tree, name):
    assert changed(tree, name) == {PAPER, OTHER, OWN}


@pytest.mark.parametrize("name", ["theory/{}/catalogue.toml", "theory/{}/proofs/book.py"])
def test_a_papers_theory_changes_its_own_records_alone(tree, name):
    assert changed(tree, name.format(PAPER)) == {PAPER}
    assert changed(tree, name.format(OTHER)) == {OTHER}


def test_a_file_moved_or_added_is_seen_and_one_that_is_no_source_is_not(tree):
    before = digests(tree)
    (tree / "verify" / "notes.txt").write_text("not source")
    assert digests(tree) == before
    path = tree / "verify" / "decide" / "part.py"
    path.rename(tree / "verify" / "decide" / "decided.py")
    moved = digests(tree)
    (tree / "verify" / "decide" / "decided.py").rename(path)
    (tree / "verify" / "more.py").touch()
    added = digests(tree)
    (tree / "verify" / "more.py").unlink()
    assert all(len({found[p] for found in (before, moved, added)}) == 3 for p in before)
    assert digests(tree) == before


def test_every_place_that_tells_is_there():
    """So that a renamed one is not left in the engine in silence."""
    assert [name for name in TELLING if not (package() / name).exists()] == []


@cache  # of a text: most files are those of every paper
def named_in(text):
    """Levels and dotted names of everything that a source imports, at any depth of nesting."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom):
            base = (node.module or "").split(".")
            found += [(node.level, [*base, *own]) for own in ([], *([x.name] for x in node.names))]
        elif isinstance(node, ast.Import):
            found += [(0, alias.name.split(".")) for alias in node.names]
    return found


def imported(path, root):
    """Files of the package that a file imports."""
    place = path.relative_to(root).parent.parts
    for level, names in named_in(path.read_text(encoding="utf-8")):
        above = place[: len(place) - level + 1] if level else ()
        parts = [part for part in (*above, *names) if part]
        inside = parts[parts[:1] == ["fedbounds"] :]
        for name in (Path(*inside).with_suffix(".py"), Path(*inside, "__init__.py")):
            if inside and (root / name).is_file():
                yield name.as_posix()


def leaks(root, paper):
    """Files that determine a paper's records and import one that does not."""
    own = set(files(root, paper))
    return {
        name: found
        for name in own
        if name.endswith(".py") and (found := set(imported(root / name, root)) - own)
    }


@pytest.mark.parametrize("paper", [*PAPERS, OWN])
def test_what_determines_records_imports_nothing_else(paper):
    assert leaks(package(), paper) == {}


def test_an_import_of_what_is_left_out_is_seen(tree):
    path = tree / "verify" / "decide" / "part.py"
    text = path.read_text(encoding="utf-8")
    for line in ("from ..page.written import site", "from fedbounds.verify.page import tables",
                 "def f():\n    import fedbounds.verify.commands.command_line",
                 "from ...theory.submodel.bounds import x",
                 "from fedbounds.theory.submodel import bounds"):  # fmt: skip
        path.write_text(f"{text}\n{line}\n", encoding="utf-8")
        assert "verify/decide/part.py" in leaks(tree, PAPER), line
    path.write_text(text, encoding="utf-8")
    assert "verify/decide/part.py" not in leaks(tree, PAPER)


def test_the_key_of_an_engine_tells_numpy_the_schema_and_an_own_theory(monkeypatch):
    before = engine_of(PAPER)
    assert len(before) == 8
    assert before not in (engine_of(OTHER), engine_of(OWN))
    for owner, name, value in (
        (np, "__version__", "99"),
        (engine, "SCHEMA", 99),
        (engine, "source_hash", lambda paper: "another"),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(owner, name, value)
            assert engine_of(PAPER) != before
    own = engine_of(OWN)
    with monkeypatch.context() as patch:
        theory = contributions.Contribution(None, {}, None, None, None, source="a hash")
        patch.setattr(engine, "contributed", lambda key: theory)
        assert engine_of(OWN) != own
    assert engine_of(PAPER) == before
