"""Every command refuses, before any work, what it could not write, and a device that is not there."""

import io
import os
import stat
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import click
import pytest

import fedbounds
from fedbounds.verify.commands.command_line import cli, status
from fedbounds.verify.commands.options import OutputFile, OutputFolder

CLAIM = "personalization/lem-A.2"
FULL = Path("/dev/full")
# plain text that names no output; a new option is put here, or has one of the types above
NOT_OUTPUT = {
    "alarms": {"names"},
    "audit": {"names"},
    "bound": {"claim_id", "more", "settings", "reading", "part", "to", "grids"},
    "certificates": {"names"},
    "cite": {"names"},
    "compare": {"names", "b2", "heterogeneity", "local_steps", "participants", "over", "given"},
    "diff": {"old", "new"},
    "examples": set(),
    "export": {"names"},
    "list": {"papers"},
    "measure": {"names", "fail_on"},
    "mutants": {"names"},
    "new": {"key"},
    "prove": {"names"},
    "report": {"folder", "referee"},
    "search": {"claim_id", "replay"},
    "selftest": {"only"},
    "sensitivity": {"claim_id"},
    "show": {"claim_id", "out"},  # it reads there
    "symbols": {"papers"},
    "verify": {"names", "fail_on"},
    "worst": {"claim_id", "more", "settings", "part"},
}


def commands():
    context = click.Context(cli)
    return {name: cli.get_command(context, name) for name in cli.list_commands(context)}


def parameters(kind):
    return [
        (name, parameter)
        for name, command in commands().items()
        for parameter in command.params
        if isinstance(parameter.type, kind)
    ]


OUTPUTS = parameters((OutputFile, OutputFolder))
NAMED = [f"{name} {parameter.opts[0]}" for name, parameter in OUTPUTS]


def called(*arguments):
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = status([str(argument) for argument in arguments])
    return code, out.getvalue(), err.getvalue()


def test_every_option_that_takes_text_is_an_output_or_known_to_be_none():
    plain = {name: set() for name in commands()}
    for name, parameter in parameters((click.types.StringParamType, click.types.FuncParamType)):
        plain[name].add(parameter.name)
    assert plain == NOT_OUTPUT
    assert [p for _, p in parameters(click.Path) if not isinstance(p.type, OutputFile | OutputFolder)
            ] == []  # fmt: skip
    assert parameters(click.File) == []


def test_the_outputs_are_those_of_today():
    assert {f"{name} --out" for name in ("verify", "measure", "prove", "sensitivity")} < {*NAMED}
    assert {"bound --csv", "compare --figure", "worst --certificate", "search --save"} < {*NAMED}
    assert {"report --figures", "new file"} < {*NAMED}


@pytest.fixture
def no_work(monkeypatch):
    """Whatever a command does with its arguments fails the test."""
    for command in commands().values():
        monkeypatch.setattr(command, "callback", lambda **_: pytest.fail("work was begun"))


def bad(folder, parameter):
    """What the parameter must refuse."""
    (folder / "file").write_text("old")
    (folder / "folder").mkdir()
    (folder / "loop").symlink_to("loop")
    if isinstance(parameter.type, OutputFolder):
        return ["file", "file/x", "file/x/y", "loop"]
    ends = parameter.type.suffixes[:1] or [""]
    names = [
        f"{name}{end}" for name in ("missing/x", "file/x", "folder-x", "loop-x") for end in ends
    ]
    (folder / names[2]).mkdir()
    (folder / names[3]).symlink_to(names[3])
    return names


@pytest.mark.parametrize(("name", "parameter"), OUTPUTS, ids=NAMED)
def test_an_output_that_cannot_be_written_is_refused_before_any_work(
    name, parameter, tmp_path, no_work
):
    for wrong in bad(tmp_path, parameter):
        option = parameter.opts[0]
        given = [CLAIM, option] if option.startswith("-") else []
        code, out, err = called(name, *given, tmp_path / wrong)
        assert (code, out) == (2, "")
        assert err.startswith("fedbounds: ")
        assert err.count("\n") == 1
        assert "cannot write" in err
        assert str(tmp_path / wrong) in err
        assert (option if given else "FILE") in err
    assert (tmp_path / "file").read_text() == "old"


@pytest.mark.parametrize(
    "name", [name for name, p in parameters(click.Choice) if p.name == "device"]
)
def test_a_device_that_is_not_there_is_refused_before_any_work(name, no_work, monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    code, _, err = called(name, CLAIM, "--device", "cuda")
    assert code == 2
    assert "--device" in err
    assert "CuPy is not installed" in err
    assert err.count("\n") == 1


def test_the_device_option_is_there():
    assert {name for name, p in parameters(click.Choice) if p.name == "device"} == {
        "verify", "measure"
    }  # fmt: skip


# ---- the same through whole commands


BOUND = ("bound", "submodel/thm-5", "--part", "b")
GRID = (*BOUND, "--grid", "K=1:3")


def numbers():
    values = {"n": 10, "n_s": 5, "L": 1, "sigma2": 1, "B2": 1, "nu2": 1, "Phi": 1, "eta": "1/50"}
    return [x for name, value in values.items() for x in ("--set", f"{name}={value}")]


@pytest.mark.skipif(not FULL.exists(), reason="a device of Linux")
def test_a_device_is_written_to_and_its_errors_are_told():
    arguments = (*GRID, *numbers(), "--set", "t=3", "--csv")
    assert called(*arguments, os.devnull)[::2] == (0, "")
    code, _, err = called(*arguments, FULL)
    assert (code, err) == (2, "fedbounds: cannot write '/dev/full': No space left on device\n")
    for path in (Path(os.devnull), FULL):
        assert stat.S_ISCHR(path.stat().st_mode)


def test_a_link_stays_and_its_target_is_written(tmp_path):
    link = tmp_path / "link.csv"
    link.symlink_to("target.csv")
    assert called(*GRID, *numbers(), "--set", "t=3", "--csv", link)[0] == 0
    assert link.is_symlink()
    assert len((tmp_path / "target.csv").read_text().splitlines()) == 4


def test_a_link_in_a_result_folder_that_leads_out_is_refused_before_any_work(tmp_path, monkeypatch):
    monkeypatch.setattr(
        "fedbounds.verify.results.run.run", lambda *_: pytest.fail("work was begun")
    )
    monkeypatch.setattr(
        "fedbounds.verify.commands.prove.prove_entries", lambda *_: pytest.fail("work was begun")
    )
    secret = tmp_path / "secret"
    secret.write_text("mine")
    for command, name in (
        ("verify", "results.json"),
        ("verify", "index.html"),
        ("measure", "records"),
        ("prove", "proofs.json"),
        ("report", "index.html"),
    ):
        folder = tmp_path / f"{command}-{name}"
        folder.mkdir()
        (folder / name).symlink_to(secret)
        where = [folder] if command == "report" else [CLAIM, "--out", folder]
        if command == "report":
            monkeypatch.setattr("fedbounds.verify.results.results_file.read_document", lambda _: {})
        code, _, err = called(command, *where)
        assert code == 2
        assert f"'{name}' leads out of" in err
        assert err.count("\n") == 1
    assert secret.read_text() == "mine"


@pytest.mark.skipif(not FULL.exists(), reason="a device of Linux")
@pytest.mark.parametrize(
    "arguments", [["list"], ["--help"], [*GRID, *numbers(), "--set", "t=3"]], ids=str
)
def test_the_program_tells_in_one_line_that_its_output_is_full(arguments):
    """Also where Python holds text back, and would write it as it ends."""
    with FULL.open("w") as full:
        done = program(arguments, stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 2
    assert done.stderr == "fedbounds: standard output: No space left on device\n"


def test_a_reader_that_has_left_is_no_error():
    out, into = os.pipe()
    os.close(out)
    done = program(["list"], stdout=into, stderr=subprocess.PIPE)
    os.close(into)
    assert (done.returncode, done.stderr) == (1, "")


def program(arguments, **streams):
    """The program as a process of its own."""
    code = f"from fedbounds.verify.commands.command_line import main; main({arguments!r})"
    path = str(Path(fedbounds.__path__[0]).parent)
    return subprocess.run(
        [sys.executable, "-c", code], text=True, env=os.environ | {"PYTHONPATH": path}, **streams
    )
