"""A paper is a folder: another one is judged with no line elsewhere, and any one stands alone."""

import json
import os
import shutil
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest
from dummy_paper import FILES
from filelock import FileLock

import fedbounds
from fedbounds.theory.language.catalogue import PAPERS
from fedbounds.theory.language.registry import views

PACKAGE = Path(fedbounds.__path__[0])
COMMANDS = """
import contextlib, io, json, sys
from fedbounds.verify.commands.command_line import main
told = []
for arguments in json.loads(sys.argv[1]):
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.suppress(SystemExit):
        main(arguments)
    told.append(out.getvalue())
print(json.dumps(told))
"""
# a few cases with all claims, and the first steps of the proofs
JUDGED = """
import json, sys
from dataclasses import replace
from itertools import islice
from fedbounds.theory.proof.library import book_of
from fedbounds.theory.proof.replay import replay
from fedbounds.theory.language.registry import encoded_claims
from fedbounds.verify.judge.curve import curve_of
from fedbounds.verify.judge.judge import judge
from fedbounds.verify.judge.plan import instances
from fedbounds.verify.decide.profile import Profile
from fedbounds.verify.results.records import record
from fedbounds.vocabulary import Method
for paper in json.loads(sys.argv[1]):
    claims = encoded_claims(paper)
    names = frozenset(name for claim in claims for name in claim.algorithms)
    every = instances(claims, Profile.QUICK, 0, names)
    exact = (case for case in every if case.method is Method.RATIONAL)
    found = []
    for case in islice(exact, 0, 60, 10):
        judged = judge(claims, case)
        numbers = judged.measurement.numbers
        found += [record(one, "") | {"curve": curve_of(one, numbers)} for one in judged.judgements]
    book = book_of(paper)
    steps = replay(replace(book, steps=book.steps[:20]))
    told = [(step.written.id, step.local.value, step.inherited) for step in steps]
    print(json.dumps([paper, found, told], sort_keys=True))
"""


def copied(folder):
    """The package in a folder of its own."""
    shutil.copytree(PACKAGE, folder / "fedbounds")
    return folder


def said(folder, script, given, *, fails=False):
    """What a script prints that runs with the package of a folder."""
    own = {"PYTHONPATH": str(folder), "PYTHONHASHSEED": str(len(given))}  # sets in another order
    done = subprocess.run(
        [sys.executable, "-c", script, json.dumps(given)],
        cwd=folder, env=os.environ | own, capture_output=True, text=True,
    )  # fmt: skip
    assert bool(done.returncode) is fails, done.stderr
    return done.stderr if fails else done.stdout


# ---- a fourth paper


VERIFY = ["verify", "dummy", "--quick", "--workers", "1", "--out", "out"]


def standings(folder, *commands):
    """Of the fourth paper's claims, in a folder that has it; and what commands print of it."""
    for name, text in FILES.items():
        place = folder / "fedbounds" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text.lstrip(), "utf-8")
    told = json.loads(said(folder, COMMANDS, commands).splitlines()[-1])
    results = json.loads((folder / "out" / "results.json").read_text())
    return told, {name: row["standing"] for name, row in results["claims"].items()}


def test_a_fourth_paper_is_judged_with_no_line_elsewhere(tmp_path):
    assert len([line for line in FILES["algorithms/dummy.py"].splitlines() if line]) <= 20
    (listed, shown, proved, verified, found, again), standing = standings(
        copied(tmp_path),
        ["list", "dummy"],
        ["show", "dummy/nearer"],
        ["prove", "dummy"],
        VERIFY,
        ["search", "dummy/nearer", "--budget", "40", "--save", "found.json"],
        ["search", "--replay", "found.json"],
    )
    assert "3 claims, 3 encoded" in listed
    assert "reach_after(t) <= reach(t)" in shown
    assert "1 proof, 1 step: 1 proved" in proved
    assert standing == {
        "dummy/expansion": "confirmed",
        "dummy/stride": "tested",
        "dummy/nearer": "refuted",
    }
    assert "left 19/144, right 1/9" in verified
    assert "left 19/144, right 1/9" in found
    assert "tightest by search, 16 evaluations, of which 16 apply: violated" in found
    assert ": violated" in again or "  violated" in again


def test_a_fourth_paper_with_a_wrong_definition_is_not_confirmed(tmp_path, monkeypatch):
    name = "theory/dummy/vectors.py"
    wrong = FILES[name].replace('"stride": sq(after - x)', '"stride": sq(after - xs)')
    assert wrong != FILES[name]
    monkeypatch.setitem(FILES, name, wrong)
    _, standing = standings(copied(tmp_path), VERIFY)
    assert standing["dummy/expansion"] == "refuted"


# ---- a paper by itself


@pytest.fixture(scope="session")
def of_all(quick_plans_at):
    """What is judged of each paper where all are there, once for all processes."""
    quick_plans_at.mkdir(exist_ok=True)
    path = quick_plans_at / "a few cases of each paper"
    with FileLock(f"{path}.lock"):
        if not path.exists():
            path.write_text(said(PACKAGE.parent, JUDGED, PAPERS), "utf-8")
    rows = map(json.loads, path.read_text("utf-8").splitlines())
    return {row[0]: row for row in rows}


def algorithms_of(paper):
    """Modules of the algorithms that a paper's views name."""
    return {view.algorithm.split(".")[0] for view in views(paper).values()}


@pytest.mark.parametrize("paper", PAPERS)
def test_a_paper_is_judged_alike_without_the_others(paper, tmp_path, of_all):
    """And without the algorithms that only they have."""
    folder = copied(tmp_path)
    others = [other for other in PAPERS if other != paper]
    for part, other in product(("theory", "verify"), others):
        shutil.rmtree(folder / "fedbounds" / part / other, ignore_errors=True)
    gone = set().union(*map(algorithms_of, others)) - algorithms_of(paper)
    assert gone
    for name in gone:
        (folder / "fedbounds" / "algorithms" / f"{name}.py").unlink()
    (line,) = said(folder, JUDGED, [paper]).splitlines()
    name, found, steps = json.loads(line)
    assert name == paper
    assert len(found) > 25
    assert len([step for step, *_ in steps if not step.startswith("sign of ")]) == 20
    assert [name, found, steps] == of_all[paper]


def test_an_engine_that_knows_a_paper_is_seen(tmp_path):
    folder = copied(tmp_path)
    shutil.rmtree(folder / "fedbounds" / "theory" / "fedplt")
    judge = folder / "fedbounds" / "verify" / "judge" / "judge.py"
    judge.write_text(f"{judge.read_text()}\n\nfrom fedbounds.theory.fedplt import masks\n")
    assert "No module named 'fedbounds.theory.fedplt'" in said(folder, JUDGED, [], fails=True)
