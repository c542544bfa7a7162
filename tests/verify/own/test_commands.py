"""The commands on a user's file: names, errors, records, processes, and results without the file."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from own_files import own_file
from result_folders import stored, witness_file

from fedbounds.theory.proof.library import replayed
from fedbounds.theory.proof.replay import Local
from fedbounds.verify.commands.command_line import status
from fedbounds.verify.own.load import load
from fedbounds.verify.own.names import entries_named, named_alone

FALSE = 'me.claim("no", "D_W(t+1) <= D_W(t)/100")\nme.claim("yes", "D_W(t) >= 0")'
QUICK = ("--quick", "--workers", "1")
ONE = "[quadratic([[[1]], [[3]]], [[1], [-2]], [4])]"  # where any problem will do


def told(capsys, *arguments):
    """Exit status, standard output and standard error of a command."""
    code = status(list(arguments))
    found = capsys.readouterr()
    return code, found.out, found.err


def results(folder):
    return json.loads((Path(folder) / "results.json").read_text(encoding="utf-8"))


@pytest.fixture
def several_processes(monkeypatch):
    """However few the instances are, each is handed over by itself."""
    monkeypatch.setattr("fedbounds.verify.results.run._SMALL_PLAN", 1)
    monkeypatch.setattr("fedbounds.verify.results.run._BATCH", 1)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("x = (\n", ":1: '(' was never closed"),
        ("import nonexistent_module\n", ":1: ModuleNotFoundError"),
        ("import sys\nsys.exit(7)\n", ":2: SystemExit: 7"),
        ("\n\n1 / 0\n", ":3: ZeroDivisionError"),
        ("def f():\n    return 1 / 0\n\nf()\n", ":2: ZeroDivisionError"),
        ("from fedbounds.own import theory\ntheory('me', 5)\n", ":2: algorithm is int"),
        ("from fedbounds.own import nothing\n", ":1: ImportError"),
        ("from fedbounds.own import quadratics\nquadratics(clients=(7,))\n", ":2: clients n is 7"),
        ("\x00", "source code string cannot contain null bytes"),
        ("x = 1\n", " declares no theory; add"),
    ],
)
def test_a_file_that_does_not_run_is_told_in_a_line_with_its_place(tmp_path, capsys, text, line):
    path = tmp_path / "bad.py"
    path.write_text(text, encoding="utf-8")
    code, _, error = told(capsys, "verify", str(path), *QUICK, "--out", str(tmp_path / "out"))
    assert code == 2
    assert error.startswith(f"fedbounds: {path}"), error
    assert line in error
    assert len(error.strip().splitlines()) <= 2
    assert not (tmp_path / "out" / "results.json").exists()


BAD = {
    "an unknown symbol": ({"body": 'me.claim("a", "D_X(t) <= 1")'}, "the nearest are D_W"),
    "a step that samples": (
        {"before": "import random", "step": "return {'x': state['x'] * random.random()}"},
        "it samples",
    ),
    "a wrong shape": ({"step": 'return {"x": state["x"][:, 0]}'}, "expected the shape"),
    "a changed input": ({"step": 'state["x"] *= 2\nreturn state'}, "changes its argument"),
    "a proof of nothing": ({"body": 'me.claim("a", "D_W(t) >= 0", uses=[])'}, "cites nothing"),
    "a contradiction": (
        {"body": 'me.claim("a", "D_W(t) >= 0", conditions=["eta <= 1/L", "eta >= 2/L"])'},
        "contradict each other",
    ),
    "no claim": ({"body": ""}, "has no claim"),
    "two of one name": (
        {"body": 'me.claim("a", "D_W(t) >= 0")\nme.claim("a", "D_W(t) >= 0")'},
        "declared twice",
    ),
    "the key of a paper": ({"key": "submodel"}, "none of fedplt"),
    "floats in an exact run": ({"step": 'return {"x": 0.5 * state["x"]}'}, "write x / 2"),
    "a failure on one problem only": (
        {"step": 'return {"x": state["x"] * {2: 1}[problem.clients]}'},
        "KeyError: 1",
    ),
    "a quantity that fails": (
        {"body": 'me.quantity("Z", "z", lambda p, s: s["y"])\nme.claim("a", "Z(t) >= 0")'},
        "KeyError: 'y'",
    ),
    "a negative square": (
        {"body": 'me.quantity("Z", "z", lambda p, s: s["x"][:, 0])\nme.claim("a", "Z(t) <= 9")'},
        "expected signed=True",
    ),
}


@pytest.mark.parametrize("how", BAD)
def test_a_wrong_theory_is_told_in_a_line_with_its_place(tmp_path, capsys, how):
    pieces, said = BAD[how]
    path = own_file(tmp_path, **pieces)
    code, _, error = told(capsys, "verify", path, *QUICK, "--out", str(tmp_path / "out"))
    assert code == 2
    assert error.startswith(f"fedbounds: {path}:"), error
    assert said in error
    assert len(error.strip().splitlines()) <= 2


def test_names_of_files_and_claims(tmp_path, capsys, monkeypatch):
    (tmp_path / "sub").mkdir()
    own_file(tmp_path, body=FALSE)
    own_file(tmp_path / "sub", name="other.py", key="you", body='you.claim("a", "D_W(t) >= 0")')
    monkeypatch.chdir(tmp_path)

    def ids(*names):
        code, out, error = told(capsys, "list", *names, "--format", "json")
        assert code == 0, error
        return [row["claim"] for row in json.loads(out)]

    assert ids("mine.py") == ids(str(tmp_path / "mine.py")) == ["me/no", "me/yes"]
    assert ids("sub/other.py", "mine.py") == ["you/a", "me/no", "me/yes"]
    assert ids("mine.py::yes") == ids("./mine.py::me/yes") == ["me/yes"]
    assert ids("mine.py", "mine.py::yes", "mine.py") == ["me/no", "me/yes"]
    assert ids("mine.py::yes", "personalization/thm-3.7") == ["personalization/thm-3.7", "me/yes"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("list", "mine.py::noo"), "unknown claim of mine.py 'noo'; the nearest are no"),
        (("list", "none.py"), "cannot read 'none.py': No such file"),
        (("list", "folder.py"), "cannot read 'folder.py': Is a directory"),
        (("show", "mine.py"), "'mine.py' has 2 claims; expected one, such as mine.py::NAME (no, yes)"),
        (("show", "you/a"), "a claim of your own is named by its file: FILE.py::NAME"),
        (("list", "mine.py", "same.py"), "mine.py and same.py have the same key 'me'"),
        (("verify", "--laws", "fedplt"), "--laws"),
    ],
)  # fmt: skip
def test_names_that_are_not_there(tmp_path, capsys, monkeypatch, arguments, said):
    own_file(tmp_path, body=FALSE)
    own_file(tmp_path, name="same.py")
    (tmp_path / "folder.py").mkdir()
    monkeypatch.chdir(tmp_path)
    code, _, error = told(capsys, *arguments)
    assert code == 2
    assert said in error
    assert len(error.strip().splitlines()) == 1


def test_a_second_run_takes_its_records_and_a_changed_file_does_not(tmp_path, capsys, monkeypatch):
    out = str(tmp_path / "out")
    path = own_file(tmp_path, body=FALSE, problems=ONE)
    assert told(capsys, "verify", path, *QUICK, "--out", out)[0] == 0
    first = results(out)
    records = stored(out).keys()

    from fedbounds.verify.results import work

    def never(*_, **__):
        raise AssertionError("judged again")

    with monkeypatch.context() as patched:
        patched.setattr(work, "judge", never)
        assert told(capsys, "verify", path, *QUICK, "--out", out)[0] == 0
        assert results(out)["claims"] == first["claims"]
        # the same claims on another algorithm
        step = 'return {"x": state["x"] * 0 + problem.minimiser}'
        own_file(tmp_path, body=FALSE, problems=ONE, step=step)
        with pytest.raises(AssertionError, match="judged again"):
            status(["verify", path, *QUICK, "--out", out])
    assert told(capsys, "verify", path, *QUICK, "--out", out)[0] == 0
    assert results(out)["claims"]["me/no"]["standing"] == "tested"
    assert first["claims"]["me/no"]["standing"] == "refuted"
    assert records
    assert not records & stored(out).keys()  # of another theory, which is forgotten
    assert os.listdir(tmp_path / "out" / "records") == ["me.jsonl.gz"]


def test_processes_read_the_file_and_find_the_same(tmp_path, capsys, several_processes):
    path = own_file(tmp_path, body=FALSE, problems=ONE)
    found = []
    for workers in ("1", "2"):
        out = str(tmp_path / f"out-{workers}")
        code, _, error = told(capsys, "verify", path, "--quick", "--workers", workers, "--out", out)
        assert code == 0, error
        found.append(results(out))
    assert found[0]["claims"] == found[1]["claims"]


def test_an_error_in_another_process_is_the_same_line(tmp_path, capsys, several_processes):
    step = 'return {"x": state["x"] * {2: 1}[problem.clients]}'
    path = own_file(tmp_path, step=step)
    code, _, error = told(
        capsys, "verify", path, "--quick", "--workers", "2", "--out", str(tmp_path / "out")
    )
    assert code == 2
    assert error.startswith(f"fedbounds: {path}:9: in step: KeyError")
    assert len(error.strip().splitlines()) == 1


def test_a_witness_record_is_judged_again_where_its_file_is_named(tmp_path, capsys):
    out = tmp_path / "out"
    path = own_file(tmp_path, body=FALSE, problems=ONE)
    assert told(capsys, "verify", path, *QUICK, "--out", str(out))[0] == 0
    record = witness_file(out)
    code, shown, error = told(capsys, "search", f"{path}::no", "--replay", str(record))
    assert code == 0, error
    assert "violated" in shown


@pytest.fixture
def judged_file(tmp_path, capsys):
    """Results of a file that is then exchanged for one that must not be run."""
    path = own_file(tmp_path, body=FALSE, problems=ONE)
    out = tmp_path / "out"
    assert told(capsys, "verify", path, *QUICK, "--out", str(out))[0] == 0
    trap = tmp_path / "run"
    Path(path).write_text(f"open({str(trap)!r}, 'w')\n", encoding="utf-8")
    yield path, out
    assert not trap.exists()


ALONE = """
import contextlib, io, json, sys
from fedbounds.verify.commands.command_line import status
told = []
for arguments in json.loads(sys.argv[1]):
    error = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(error):
        told.append((status(arguments), error.getvalue()))
print(json.dumps(told))
"""


def alone(*commands, cwd):
    """Statuses and errors of commands in a process of its own, which knows no theory."""
    done = subprocess.run(
        [sys.executable, "-c", ALONE, json.dumps(commands)],
        capture_output=True, text=True, cwd=cwd, check=True,
    )  # fmt: skip
    return json.loads(done.stdout)


def test_results_are_data_and_never_run_the_file(judged_file, tmp_path):
    _, out = judged_file
    page = out / "index.html"
    page.unlink()
    replay = ("search", "--replay", str(witness_file(out).relative_to(tmp_path)))
    show = ("show", "me/no", "--out", str(out))
    *read, replayed, shown = alone(
        ("report", str(out)), ("diff", str(out), str(out)), replay, show, cwd=tmp_path
    )
    assert [code for code, _ in read] == [0, 0], read
    assert "me/no" in page.read_text(encoding="utf-8")
    for code, error in (replayed, shown):
        assert code == 2
        assert error.startswith("fedbounds: ")
        assert "file" in error
        assert len(error.strip().splitlines()) == 1, error


def test_the_witness_of_a_run_prints_its_gap(tmp_path, capsys):
    out = tmp_path / "out"
    path = own_file(tmp_path, body=FALSE, problems=ONE)
    assert told(capsys, "verify", path, *QUICK, "--out", str(out))[0] == 0
    (reading,) = results(out)["claims"]["me/no"]["readings"]
    script = out / reading["witness"]
    done = subprocess.run([sys.executable, "-I", str(script)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    code, shown, _ = told(capsys, "show", f"{path}::no", "--witness", "--out", str(out))
    assert code == 0
    assert shown.strip() == script.read_text(encoding="utf-8").strip()


def test_the_template_is_a_theory_whose_claim_follows_from_what_it_is_given(tmp_path, capsys):
    path = tmp_path / "mine.py"
    assert told(capsys, "new", str(path))[0] == 0
    assert load(str(path)) == ("me",)
    assert [(s.written.id, s.local) for s in replayed("me")] == [
        ("asm round", Local.GIVEN),
        ("rate", Local.PROVED),
    ]
    code, _, error = told(capsys, "new", str(path))
    assert (code, "exists" in error) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("new", "mine"), "try mine.py"),
        (("new", "mine.py", "--key", "fedplt"), "not a paper's"),
        (("new", "mine.py", "--key", "a b"), "expected a name"),
        (("new", "nowhere/mine.py"), "cannot write"),
    ],
)
def test_templates_that_cannot_be_written(tmp_path, capsys, monkeypatch, arguments, said):
    monkeypatch.chdir(tmp_path)
    code, _, error = told(capsys, *arguments)
    assert code == 2
    assert said in error
    assert not list(tmp_path.iterdir())


PAPER = "personalization"
LEMMA = f"{PAPER}/lem-3.2"


def test_only_claims_named_by_themselves_must_have_a_proof(tmp_path):
    one = own_file(tmp_path, name="one.py", key="one", body='one.claim("a", "D_W(t) >= 0")')
    two = own_file(tmp_path, name="two.py", key="two", body='two.claim("a", "D_W(t) >= 0")')
    for names, alone in (
        ((one, two, PAPER), []),
        ((f"{one}::a", two), ["one/a"]),
        ((f"{one}::one/a", LEMMA), [LEMMA, "one/a"]),
    ):
        found = named_alone(names, entries_named(names))
        assert [row.id for row in found] == alone


def test_a_claim_of_a_file_without_a_proof_is_refused_and_the_whole_file_is_not(tmp_path, capsys):
    given = 'me.given("round", "D_W(t+1) <= 9*D_W(t)", "one round")\n'
    rate = 'me.claim("rate", "D_W(t+1) <= 10*D_W(t)", uses=["round"])\n'
    file = own_file(tmp_path, body=given + rate + 'me.claim("bare", "D_W(t) >= 0")', problems=ONE)
    out = ("--out", str(tmp_path / "out"))
    for name in ("bare", "round"):
        code, _, error = told(capsys, "prove", f"{file}::{name}", *out)
        assert code == 2
        assert error == (
            f"fedbounds: me/{name} has no proof: there is nothing to replay; "
            "`fedbounds show CLAIM` tells what is known\n"
        )
    assert told(capsys, "prove", f"{file}::rate", *out)[0] == 0
    assert told(capsys, "prove", file, *out)[0] == 0
