"""Every command ends with a status that tells what happened and, on bad input, a line that helps."""

import io
import json
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest
from each import each
from hypothesis import given, settings
from hypothesis import strategies as st
from result_folders import document_of, files_of, stored, witness_file, write_lines
from set_ups import vectors_case

import fedbounds
from fedbounds.errors import ConflictError, FedboundsError
from fedbounds.theory.language.catalogue import PAPERS, entry, paper, select
from fedbounds.theory.language.claims import Claim
from fedbounds.theory.language.registry import encoded
from fedbounds.theory.proof import library, repair
from fedbounds.verify.commands import command_line
from fedbounds.verify.commands.command_line import status
from fedbounds.verify.commands.prove import Proved
from fedbounds.verify.results import accepted
from fedbounds.verify.results import run as run_module
from fedbounds.verify.results.records import sealed
from fedbounds.verify.results.results_file import read_document
from fedbounds.verify.results.run import Results
from fedbounds.verify.results.store import Store
from fedbounds.vocabulary import Standing

CLAIM = "personalization/lem-A.2"
COMMANDS = ("list", "show", "prove", "verify", "measure", "report", "search")
SOURCE = str(Path(fedbounds.__path__[0]).parent)


def call(*arguments):
    """Status, output and error output of a command; an exception that escapes fails the test."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = status([str(argument) for argument in arguments])
    return SimpleNamespace(code=code, out=out.getvalue(), err=err.getvalue())


def refused(*arguments, names=()):
    """The message of a command that is bad input: one or two lines that name things."""
    found = call(*arguments)
    assert found.code == 2, found
    lines = found.err.strip().splitlines()
    assert 1 <= len(lines) <= 2
    assert lines[0].startswith("fedbounds: ")
    assert "Traceback" not in found.err + found.out
    assert [name for name in names if str(name) not in found.err] == []
    return found.err


@pytest.fixture
def one_instance(monkeypatch):
    """A plan of one instance, quick to judge."""
    monkeypatch.setattr(run_module, "instances", lambda *_: iter([vectors_case()]))


@pytest.fixture
def no_page(monkeypatch):
    """Commands without the page."""
    monkeypatch.setattr(command_line, "_make_page", lambda data, folder: folder / "index.html")


@pytest.fixture
def judged(tmp_path, one_instance):
    """A result folder of lemma A.2."""
    assert call("measure", CLAIM, "--out", tmp_path).code == 0
    return tmp_path


# ---- help and listings


def test_without_a_command_five_are_suggested_and_each_of_them_exists():
    found = call()
    assert found.code == 0
    tried = [line.split() for line in found.out.splitlines() if line.startswith("  fedbounds")]
    assert len(tried) == 5
    assert all(name in command_line.cli.commands for _, name, *_ in tried)


def test_help_names_every_command():
    found = call("--help")
    assert found.code == 0
    assert all(name in found.out for name in COMMANDS)
    assert set(command_line.cli.commands) == set(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(name):
    found = call(name, "--help")
    assert (found.code, found.err) == (0, "")
    assert found.out.startswith("Usage: fedbounds")


def test_the_version_is_the_packages():
    assert fedbounds.__version__ in call("--version").out


def test_the_list_holds_every_claim_with_kind_source_and_place():
    found = call("list")
    assert found.code == 0
    for key in PAPERS:
        for row in paper(key).entries:
            (line,) = [x for x in found.out.splitlines() if x.startswith(f"{row.id} ")]
            assert row.kind.value in line
            assert row.source.value in line
            assert row.place.split()[0] in line
    assert call("list", *PAPERS).out == found.out


@pytest.fixture
def coarse(monkeypatch):
    """The smallest constants of corrections, sought in few steps; no other checker is asked."""
    few = partial(library.smallest, resolution=repair.HIGHEST)
    monkeypatch.setattr(library, "smallest", few)
    monkeypatch.setattr(accepted, "answers_of", lambda paper, claims: {})


@each("claim_id", lambda: [e.id for e in select(()) if e.module])
def test_an_encoded_claim_is_shown_with_formulas(claim_id, tmp_path, coarse):
    found = call("show", claim_id, "--out", tmp_path)
    assert (found.code, found.err) == (0, "")
    assert claim_id in found.out
    assert "not judged yet" in found.out
    latex = call("show", claim_id, "--latex", "--out", tmp_path)
    assert latex.code == 0
    claim = encoded(entry(claim_id))
    if isinstance(claim, Claim):
        assert all(f"reading: {reading.name}" in found.out for reading in claim.readings)
        assert "\\" in latex.out
    else:  # no formula of its own: what it is about is named
        assert len(found.out.splitlines()) >= 5


def test_a_claim_that_is_only_listed_is_shown_as_such(tmp_path):
    waiting = next(e for e in select(()) if not e.module)
    found = call("show", waiting.id, "--out", tmp_path)
    assert found.code == 0
    assert waiting.statement.split()[0] in found.out


# ---- names that do not exist


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        (("show", "personalization/lem-3.77"), ("claim", "'personalization/lem-3.77'", "lem-3.")),
        (("show", "personalisation/lem-3.4"), ("'personalisation/lem-3.4'", "personalization/")),
        (("verify", "personalization/thm37"), ("'personalization/thm37'", "thm-3.7")),
        (("verify", "personalisation"), ("paper", "'personalisation'", "personalization")),
        (("measure", "nothing/like-it"), ("'nothing/like-it'",)),
        (("list", "persona"), ("paper", "'persona'", "personalization")),
        (("search", "personalization/lem-A.3x"), ("claim", "personalization/lem-A.")),
        (("verify", CLAIM, "--fail-on", "refutd"), ("standing", "'refutd'", "refuted")),
        (("no-such-command",), ("no-such-command",)),
        (("verify", "--no-such-option"), ("--no-such-option",)),
        (("verify", "--seed", "-1"), ("-1", "0")),
        (("verify", "--seed", "one"), ("one", "seed")),
        (("verify", "--workers", "0"), ("0", "workers")),
        (("verify", "--device", "abacus"), ("abacus", "cpu")),
        (("search", CLAIM, "--examples", "0"), ("examples",)),
        (("search",), ("CLAIM", "--replay")),
        (("show",), ("CLAIM",)),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_bad_input_is_named_with_what_is_allowed(arguments, names, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    refused(*arguments, names=names)
    assert list(tmp_path.iterdir()) == []  # refused before anything is written


def test_a_definition_cannot_be_searched():
    listed = next(e for e in select(()) if not e.module)
    refused("search", listed.id, names=(listed.id,))


@pytest.mark.parametrize("name", ["asm-2.1", "sc-fedavg", "rem-3.10", "exp-setup"])
def test_a_claim_without_formulas_for_runs_cannot_be_searched(name):
    refused("search", f"personalization/{name}", names=(f"personalization/{name}",))


def test_quick_and_thorough_exclude_each_other(tmp_path):
    refused("verify", CLAIM, "--quick", "--thorough", "--out", tmp_path / "x",
            names=("--quick", "--thorough"))  # fmt: skip
    assert not (tmp_path / "x").exists()


def test_what_there_is_to_try_names_a_claim_that_has_a_witness():
    found = call()
    assert (found.code, found.err) == (0, "")
    commands = [line.split()[1:] for line in found.out.splitlines()[1:]]
    assert [command[0] for command in commands] == ["list", "show", "verify", "prove", "search"]
    assert entry(commands[1][1]) == entry(commands[4][1])
    assert entry(commands[1][1]).paper == commands[2][1] in PAPERS


TOKENS = st.sampled_from([
    *COMMANDS, "personalization", CLAIM, "personalization/lem-3.4", "nonsense", "nonsense/x", "",
    "--quick", "--thorough", "--seed", "7", "-1", "--out", "--json", "--workers", "--latex",
    "--witness", "--fail-on", "refuted", "--replay", "--examples", "--help", "--", "é\u2028\0",
])  # fmt: skip


@settings(max_examples=150)
@given(st.lists(TOKENS, max_size=5))
def test_no_arguments_whatever_bring_a_traceback(arguments):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run_module, "run", lambda *_: Results([], []))
        patch.setattr(command_line, "_write", lambda *_: None)
        patch.setattr("fedbounds.verify.commands.prove.prove_entries", lambda *_: Proved({}, []))
        patch.setattr("fedbounds.verify.results.store.Store.__init__", lambda self, folder: None)
        patch.setattr(
            "fedbounds.verify.results.store.Store.file", lambda self, name: Path(os.devnull)
        )
        patch.setattr("fedbounds.verify.commands.hunt.find_witness", lambda *_, **__: None)
        patch.setattr(command_line, "_make_page", lambda *_: Path("index.html"))
        patch.chdir(Path(__file__).parent)
        found = call(*arguments)
    assert found.code in (0, 2)
    assert "Traceback" not in found.err
    if found.code == 2:
        assert found.err.startswith("fedbounds: ")
        assert len(found.err.rstrip("\n").split("\n")) <= 2


# ---- statuses


@pytest.mark.parametrize(
    ("error", "code", "word"),
    [
        (ConflictError("paper/claim is both proved and violated"), 3, "conflict"),
        (KeyboardInterrupt(), 130, "interrupted"),
    ],
)
def test_conflict_and_interruption_have_statuses_of_their_own(
    error, code, word, tmp_path, monkeypatch
):
    def fail(*_):
        raise error

    monkeypatch.setattr(run_module, "run", fail)
    found = call("measure", CLAIM, "--quick", "--out", tmp_path)
    assert found.code == code
    assert word in found.err
    assert len(found.err.strip().splitlines()) == 1
    assert not (tmp_path / "results.json").exists()


def test_a_refutation_fails_the_command_only_when_asked(judged):
    measured = ("measure", CLAIM, "--out", judged)
    assert call(*measured).code == 0
    (standing,) = {c["standing"] for c in json.loads((judged / "results.json").read_text())[
        "claims"].values()}  # fmt: skip
    others = [word.value for word in Standing if word != standing]
    assert call(*measured, "--fail-on", standing).code == 1
    assert call(*measured, "--fail-on", others[0], "--fail-on", standing).code == 1
    assert call(*measured, *(x for word in others for x in ("--fail-on", word))).code == 0


def test_the_program_leaves_with_the_status():
    with pytest.raises(SystemExit) as left, redirect_stderr(io.StringIO()):
        command_line.main(["show", "nonsense/x"])
    assert left.value.code == 2


# ---- verify and measure


def test_results_are_written_and_pointed_at(judged):
    data = json.loads((judged / "results.json").read_text())
    assert list(data["claims"]) == [CLAIM]
    assert data["records"]
    assert {"schema", "digest", "run", "claims", "records", "proofs"} == data.keys()


def test_findings_come_first(tmp_path, one_instance):
    found = call("measure", CLAIM, "--out", tmp_path)
    first = found.out.splitlines()[0]
    assert CLAIM in first
    assert "refuted" in first
    assert str(tmp_path / "results.json") in found.out
    assert "witnesses/" in found.out


@pytest.mark.parametrize("name", ["plain", "with space", "a[b]c", "[/x]", "ünï"])
def test_paths_are_printed_as_they_are(name, tmp_path, one_instance, no_page):
    found = call("verify", CLAIM, "--out", tmp_path / name)
    assert found.code == 0
    assert f"results: {tmp_path / name / 'results.json'}" in found.out
    assert f"page: {tmp_path / name / 'index.html'}" in found.out


def test_a_second_copy_is_written_where_asked(tmp_path, one_instance):
    target = tmp_path / "copy.json"
    call("measure", CLAIM, "--out", tmp_path / "out", "--json", target)
    assert read_document(target) == document_of(tmp_path / "out")


def test_the_same_command_again_gives_the_same_bytes(judged):
    first = (judged / "results.json").read_bytes()
    call("measure", CLAIM, "--out", judged)
    assert (judged / "results.json").read_bytes() == first


def test_the_same_command_elsewhere_gives_the_same_document_but_for_timing(judged, tmp_path):
    call("measure", CLAIM, "--out", tmp_path / "elsewhere")
    first, second = document_of(judged), document_of(tmp_path / "elsewhere")
    for data in (first, second):
        del data["run"]["timing"]
    assert first == second
    for path in files_of(judged):
        assert path.read_bytes() == (tmp_path / "elsewhere" / "records" / path.name).read_bytes()


def test_a_folder_that_cannot_be_written_is_refused_before_any_work(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(run_module, "run", lambda *_: pytest.fail("work was begun"))
    refused("measure", CLAIM, "--out", tmp_path / "file" / "out", names=("file/out", "--out"))


def test_a_document_that_cannot_be_written_is_named(tmp_path, one_instance):
    target = tmp_path / "nowhere" / "x.json"
    refused("measure", CLAIM, "--out", tmp_path / "out", "--json", target, names=(target,))


def test_a_disk_that_fills_up_is_named(tmp_path, one_instance, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    refused("measure", CLAIM, "--out", tmp_path, names=(tmp_path, "No space left"))


def test_a_page_that_cannot_be_written_is_named(tmp_path, one_instance):
    (tmp_path / "index.html").mkdir()
    refused("verify", CLAIM, "--out", tmp_path, names=("index.html",))


def test_pages_of_claims_that_cannot_be_written_are_refused_before_any_work(tmp_path, monkeypatch):
    monkeypatch.setattr(run_module, "run", lambda *_: pytest.fail("work was begun"))
    (tmp_path / "claims").write_text("a file")
    refused("verify", CLAIM, "--out", tmp_path, names=("claims",))


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"parts": null}'])
def test_a_corrupt_record_is_named(judged, text):
    (path,) = files_of(judged)
    write_lines(path, [text])
    refused("measure", CLAIM, "--out", judged, names=(path.name,))


# ---- what reads a result folder


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "{}", '{"claims": 3}', '{"claims": {}}'])
def test_a_corrupt_result_file_is_named_by_report(judged, text):
    (judged / "results.json").write_text(text)
    refused("report", judged, names=("results",))


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "{}", '{"claims": 3}'])
def test_a_corrupt_result_file_is_named_by_show(judged, text):
    (judged / "results.json").write_text(text)
    refused("show", CLAIM, "--out", judged, names=("results.json",))


def test_a_folder_without_results_is_named(tmp_path):
    refused("report", tmp_path, names=(tmp_path / "results.json",))
    refused("report", tmp_path / "nowhere", names=("nowhere",))


def test_show_reports_the_last_standing(judged):
    data = json.loads((judged / "results.json").read_text())
    found = call("show", CLAIM, "--out", judged)
    assert data["claims"][CLAIM]["standing"] in found.out
    assert "not judged yet" not in found.out
    other = call("show", "personalization/lem-3.4", "--out", judged)
    assert "not judged yet" in other.out


def test_show_prints_the_witness_script_to_run(judged, tmp_path):
    found = call("show", CLAIM, "--witness", "--out", judged)
    assert found.code == 0
    done = subprocess.run(
        [sys.executable, "-I", "-c", found.out], capture_output=True, text=True, check=True
    )
    assert "broken: True" in done.stdout


def test_a_witness_without_a_script_says_why_and_what_judges_it_again(tmp_path, capsys):
    own, folder = entry("meerkat/thm-2.2-explicit"), tmp_path / "out"
    kept = {"claim": own.id, "reading": "one", "no_script": "1000 rounds are too many"}
    other = {"claim": "meerkat/eq-6", "reading": "two", "no_script": "another"}
    told = r"reading 'one': 1000 rounds are too many; .*--replay .*out"
    with pytest.raises(FedboundsError, match=told) as error:
        command_line._print_witness(own, None, [other, kept], folder)
    assert "another" not in str(error.value)
    with pytest.raises(FedboundsError, match="has no witness"):
        command_line._print_witness(own, None, [other], folder)
    on = {"claim": own.id, "reading": "bowls", "verdict": "violated"}
    on |= {"problem": {"instance": "sine bowls, n = 2"}}
    with pytest.raises(FedboundsError, match=r"no file holds .*sine bowls.* verify meerkat/thm-2"):
        command_line._print_witness(own, None, [on, other], folder)
    folder.mkdir()
    (folder / "two.py").write_text("print(2)")
    summary = {"readings": [{"witness": None}, {"witness": "two.py"}]}
    command_line._print_witness(own, summary, [other, kept, on], folder)
    found = capsys.readouterr()
    assert found.out == "print(2)\n"
    assert "reading 'one': 1000 rounds" in found.err
    assert "no file holds what breaks the reading 'bowls'" in found.err


def test_a_claim_without_a_witness_is_named(judged, tmp_path):
    refused("show", "personalization/lem-3.4", "--witness", "--out", judged,
            names=("lem-3.4", judged))  # fmt: skip
    refused("show", CLAIM, "--witness", "--out", tmp_path / "none", names=(CLAIM, "none"))


def test_a_lost_witness_script_is_named(judged):
    (script,) = (judged / "witnesses").iterdir()
    script.unlink()
    refused("show", CLAIM, "--witness", "--out", judged, names=(script.name,))


@pytest.mark.parametrize("how", ["above", "absolute", "link", "no name"])
def test_a_witness_outside_the_folder_is_not_shown(judged, tmp_path, how):
    secret = tmp_path.parent / "secret.txt"
    secret.write_text("the secret")
    (judged / "witnesses" / "link.py").symlink_to(secret)
    names = {
        "above": "../secret.txt",
        "absolute": str(secret),
        "link": "witnesses/link.py",
        "no name": "\0",
    }
    why = "leads out of" if how == "link" else "expected a script in the folder"
    path = judged / "results.json"
    data = json.loads(path.read_text())
    for reading in data["claims"][CLAIM]["readings"]:
        reading["witness"] = names[how]
    path.write_text(sealed(data))
    told = refused("show", CLAIM, "--witness", "--out", judged, names=(why, judged))
    assert "the secret" not in told


def test_files_of_a_run_have_the_rights_of_every_other(tmp_path, one_instance):
    before = os.umask(0o027)
    try:
        assert call("verify", CLAIM, "--out", tmp_path / "out").code == 0
    finally:
        os.umask(before)
    found = {path: path.stat().st_mode & 0o777 for path in (tmp_path / "out").rglob("*")}
    assert {path.name for path in found} > {"results.json", "index.html"}
    assert {mode for path, mode in found.items() if path.is_file()} == {0o640}
    assert {mode for path, mode in found.items() if path.is_dir()} == {0o750}


# ---- search and replay


def test_search_prints_a_script_that_shows_the_gap(tmp_path):
    found = call("search", CLAIM, "--examples", "100")
    assert (found.code, found.err) == (0, "")
    assert "violated" in found.out
    start, stop = found.out.index('"""'), found.out.index("broken:", found.out.index("print("))
    script = found.out[start : found.out.index("\n", stop)]
    done = subprocess.run(
        [sys.executable, "-I", "-c", script], capture_output=True, text=True, check=True
    )
    assert "broken: True" in done.stdout
    assert "planned instances" in found.out  # the weaker reading


def test_a_stored_witness_is_judged_again(judged):
    path = witness_file(judged)
    stored = json.loads(path.read_text())
    for arguments in ((CLAIM, "--replay", path), ("--replay", path), (CLAIM, "--replay", judged)):
        found = call("search", *arguments)
        assert (found.code, found.err) == (0, "")
        assert f"gap {stored['gap']}" in found.out
        assert "violated" in found.out


def test_a_replay_of_a_folder_needs_a_claim_with_a_witness_in_it(judged, tmp_path):
    refused("search", "--replay", judged, names=("needs a CLAIM", judged))
    other = "personalization/lem-3.4"
    refused("search", other, "--replay", judged, names=(f"no witness of {other}", judged))
    (tmp_path / "empty").mkdir()
    refused("search", CLAIM, "--replay", tmp_path / "empty", names=("no results file",))


def run(stored):
    """The fields of the run in a stored witness."""
    return stored["instance"]["setup"]["fields"]["run"]["fields"]


def test_a_replay_judges_the_numbers_in_the_file(judged):
    """All clients take part: both sides are equal, and the replay says so."""
    path = witness_file(judged)
    stored = json.loads(path.read_text())
    run(stored)["parameters"] = {"tuple": [{"tuple": ["m", 3]}]}
    path.write_text(json.dumps(stored))
    found = call("search", CLAIM, "--replay", path)
    assert "both sides are equal" in found.out
    assert "reading: as printed\n  not violated" in found.out


@pytest.mark.parametrize(
    ("change", "names"),
    [
        (lambda data: data.pop("instance"), ("holds no exact instance",)),
        (lambda data: run(data).pop("problem"), ("'problem'",)),
        (
            lambda data: run(data).update(parameters={"tuple": [{"tuple": ["m", 9]}]}),
            ("parameters.m", "9", "at most n ="),
        ),
        (lambda data: run(data).update(start={"tuple": ["1/0"]}), ("start", "1/0")),
        (lambda data: run(data).update(start={"tuple": []}), ("start",)),
        (lambda data: data.update(instance=3), ("family",)),
    ],
    ids=["no instance", "no problem", "m > n", "1/0", "empty", "no object"],
)
def test_a_record_that_holds_no_valid_instance_is_refused(judged, change, names):
    path = witness_file(judged)
    data = json.loads(path.read_text())
    change(data)
    path.write_text(json.dumps(data))
    refused("search", CLAIM, "--replay", path, names=names)


def test_a_replay_of_another_algorithms_instance_is_refused(judged):
    refused("search", "personalization/lem-3.4", "--replay", witness_file(judged),
            names=("lem-3.4", "FedAvg-P", "participant mean"))  # fmt: skip


def test_a_record_that_names_no_claim_is_refused(judged):
    path = witness_file(judged)
    data = json.loads(path.read_text())
    for wrong in ("paper/no-such", None):
        data["claim"] = wrong
        path.write_text(json.dumps(data))
        refused("search", "--replay", path, names=("claim",))


@pytest.mark.parametrize("text", ["", "{", "[]", "not json"])
def test_a_replay_of_a_corrupt_file_names_it(tmp_path, text):
    path = tmp_path / "w.json"
    path.write_text(text)
    refused("search", CLAIM, "--replay", path, names=("w.json",))
    refused("search", CLAIM, "--replay", tmp_path / "no.json", names=("no.json",))


# ---- as a program


def program(*arguments, then="", **options):
    """A fresh interpreter runs a command; then whatever follows."""
    code = f"from fedbounds.verify.commands.command_line import status\ncode = status({list(arguments)!r})\n"
    return subprocess.run(
        [sys.executable, "-c", code + (then or "raise SystemExit(code)")],
        capture_output=True, text=True, env=os.environ | {"PYTHONPATH": SOURCE}, **options,
    )  # fmt: skip


HEAVY = ("numpy", "scipy", "sympy", "matplotlib", "flint", "hypothesis", "jinja2")


@pytest.mark.parametrize(
    "arguments", [(), ("--help",), ("verify", "--help"), ("list",), ("list", "personalization"),
                  ("show", "nonsense/x")],
    ids=" ".join,
)  # fmt: skip
def test_light_commands_import_nothing_heavy(arguments):
    found = program(
        *arguments,
        then=f"import sys; print([m for m in {HEAVY} if m in sys.modules], file=sys.stderr)",
    )
    assert found.returncode == 0
    assert found.stderr.splitlines()[-1] == "[]"


def test_a_module_that_is_imported_would_be_seen():
    found = program("bound", CLAIM, then="import sys; print('sympy' in sys.modules)")
    assert found.stdout.splitlines()[-1] == "True"


def test_bad_input_leaves_with_status_2_and_no_traceback():
    found = program("verify", "personalization/thm-3.8")
    assert found.returncode == 2
    assert found.stdout == ""
    assert len(found.stderr.splitlines()) == 1
    assert "thm-3." in found.stderr


def test_verify_from_start_to_end(tmp_path, monkeypatch):
    """The real quick plan of one claim: table, document, records, page, witness; then replayed."""
    monkeypatch.chdir(tmp_path)
    found = call("verify", CLAIM, "--quick")
    assert (found.code, found.err) == (0, "")
    folder = tmp_path / "results"
    data = json.loads((folder / "results.json").read_text())
    assert data["run"]["profile"] == "quick"
    assert data["claims"][CLAIM]["readings"]
    page = (folder / "index.html").read_text(encoding="utf-8")
    assert CLAIM in page
    assert CLAIM in found.out
    data = document_of(folder)
    assert stored(folder).keys() == {row["key"] for row in data["results"]}
    again = call("report", folder)
    assert again.code == 0
    assert (folder / "index.html").read_text(encoding="utf-8") == page
    assert call("search", "--replay", witness_file(folder)).code == 0
    before = files_of_all(folder)
    assert program("verify", CLAIM, "--quick", cwd=tmp_path).returncode == 0
    assert files_of_all(folder) == before  # nothing was judged anew
    # without a page, what is said of the one that is there
    words = "results/index.html is of a run before; `fedbounds report "
    assert words in call("measure", CLAIM, "--quick").out
    assert words not in found.out
    assert (folder / "index.html").read_text(encoding="utf-8") == page
    (folder / "index.html").unlink()
    assert words not in call("measure", CLAIM, "--quick").out


def files_of_all(folder):
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_the_json_option_writes_a_document_that_stands_alone(judged, tmp_path):
    path = tmp_path / "alone.json"
    assert call("measure", CLAIM, "--out", judged, "--json", path).code == 0
    alone = tmp_path / "elsewhere" / "other.json"
    alone.parent.mkdir()
    path.rename(alone)
    assert read_document(alone) == document_of(judged)
    assert call("diff", alone, judged).code == 0


def test_the_store_is_where_the_records_are(judged):
    assert files_of(judged) == [Store(judged).records / "personalization.jsonl.gz"]
    keys = json.loads((judged / "results.json").read_text())["records"]
    assert stored(judged).keys() == set(keys)


def test_the_package_is_the_command():
    done = subprocess.run(
        [sys.executable, "-m", "fedbounds", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout == f"fedbounds, version {fedbounds.__version__}\n"
