"""The commands: data alone on standard output, bad input in a line, statuses as promised."""

import csv
import io
import json
from contextlib import redirect_stderr, redirect_stdout
from types import SimpleNamespace

import pytest
from pages import LEMMA, THEOREM, proved_document, readable, write
from set_ups import vectors_case

from fedbounds.theory.language.catalogue import paper
from fedbounds.verify.commands import prove as prove_run
from fedbounds.verify.commands.command_line import status
from fedbounds.verify.judge.proofs import NOTHING_PROVED
from fedbounds.verify.results import run as run_module

CLAIM = "personalization/lem-A.2"
MACHINE = ("csv", "json", "md", "tex")


def call(*arguments):
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = status([str(argument) for argument in arguments])
    return SimpleNamespace(code=code, out=out.getvalue(), err=err.getvalue())


@pytest.fixture
def two_runs(tmp_path):
    old, new = readable(proved_document()), readable(proved_document())
    new["claims"][LEMMA]["severity"] = "typo"
    new["run"]["seed"] = 4
    return write(old, tmp_path / "old"), write(new, tmp_path / "new")


@pytest.fixture
def one_instance(monkeypatch):
    monkeypatch.setattr(run_module, "prove", lambda *_: NOTHING_PROVED)
    monkeypatch.setattr(run_module, "instances", lambda *_: iter([vectors_case()]))


# ---- formats


def test_list_as_data_has_every_claim_once():
    ids = [entry.id for entry in paper("fedplt").entries]
    rows = json.loads(call("list", "fedplt", "--format", "json").out)
    assert [row["claim"] for row in rows] == ids
    found = csv.DictReader(io.StringIO(call("list", "fedplt", "--format", "csv").out))
    assert [row["claim"] for row in found] == ids
    assert call("list", "fedplt", "--format", "table").out == call("list", "fedplt").out


@pytest.mark.parametrize("form", MACHINE)
def test_show_prints_data_alone(form, tmp_path):
    found = call("show", CLAIM, "--format", form, "--out", tmp_path)
    assert (found.code, found.err) == (0, "")
    assert "not judged yet" not in found.out
    assert CLAIM in found.out


def test_measured_rows_are_data_alone_and_paths_are_not(one_instance, tmp_path):
    found = call("measure", CLAIM, "--quick", "--format", "json", "--out", tmp_path)
    assert found.code == 0
    rows = json.loads(found.out)
    document = json.loads((tmp_path / "results.json").read_text())
    told = document["claims"][CLAIM]["readings"]
    assert [row["reading"] for row in rows] == [reading["name"] for reading in told]
    assert [row["tightness"] for row in rows] == [reading["tightness"] for reading in told]
    assert "results.json" in found.err
    shown = json.loads(call("show", CLAIM, "--format", "json", "--out", tmp_path).out)
    assert {row["standing"] for row in shown} == {document["claims"][CLAIM]["standing"]}


def test_proved_rows_have_every_step_once(monkeypatch, tmp_path):
    proofs = proved_document()["proofs"]
    monkeypatch.setattr(prove_run, "prove_entries", lambda *_: prove_run.Proved(proofs, []))
    monkeypatch.setattr(prove_run, "certificate_data", lambda _: {})
    found = call("prove", LEMMA, "--format", "json", "--out", tmp_path)
    assert (found.code, found.err) == (0, f"certificates: {tmp_path / 'proofs.json'}\n")
    told = [row["step"] for row in json.loads(found.out)]
    assert sorted(told) == sorted(step["id"] for row in proofs.values() for step in row["steps"])
    latex = call("prove", LEMMA, "--latex", "--out", tmp_path).out
    assert latex.count(r"\item") == len(told)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("list", "--format", "xml"), "xml"),
        (("show", CLAIM, "--latex", "--format", "csv"), "exclude each other"),
        (("prove", CLAIM, "--steps", "--format", "csv"), "excludes --steps"),
        (("cite", "personalization/thm-3.8x"), "nearest"),
        (("symbols", "fedplot"), "fedplt"),
        (("diff", "nowhere", "nowhere"), "no results file 'nowhere'"),
        (("diff", "a", "b", "--tolerance", "-1"), "tolerance"),
        (("report", "r", "--figure-format", "pdf"), "needs --figures"),
        (("report", "r", "--figures", "f", "--referee", CLAIM), "excludes --figures"),
        (("report", "r", "--latex", "f.tex", "--referee", CLAIM), "excludes --latex"),
        (("report", "r", "--latex", "f.sty"), "'f.sty'"),
        (("report", "nowhere", "--latex", "f.tex"), "no results file 'nowhere"),
    ],
)
def test_bad_input_is_a_line(arguments, says):
    found = call(*arguments)
    assert found.code == 2
    assert says in found.err
    assert len(found.err.strip().splitlines()) == 1
    assert found.out == ""


# ---- diff, cite, symbols, report


def test_diff_tells_what_determines_the_results_first(two_runs):
    found = call("diff", *two_runs)
    assert (found.code, found.err) == (0, "")
    assert found.out.index("seed") < found.out.index(LEMMA) < found.out.index("1 claim: 1 changed")
    assert "profile quick" in found.out
    assert "no result differs" in call("diff", two_runs[0], two_runs[0]).out


@pytest.mark.parametrize("form", MACHINE)
def test_diff_as_data(form, two_runs):
    found = call("diff", *two_runs, "--format", form)
    assert found.code == 0
    assert "typo" in found.out
    if form == "json":
        assert [row["what"] for row in json.loads(found.out)] == ["run", "claim"]


def test_diff_fails_only_where_a_result_differs_and_only_if_asked(two_runs, tmp_path):
    old, new = two_runs
    assert call("diff", old, new).code == 0
    assert call("diff", old, new, "--fail-on-change").code == 1
    assert call("diff", old, old, "--fail-on-change").code == 0
    document = readable(proved_document())
    document["run"]["numpy"] = "9.9"
    write(document, tmp_path)
    assert call("diff", old, tmp_path, "--fail-on-change").code == 0


def test_a_long_list_of_records_is_cut_and_says_so(two_runs):
    old, new = two_runs
    document = readable(proved_document())
    extra = [
        r | {"problem": r["problem"] | {"instance": f"more {at}"}}
        for at in range(40)
        for r in document["results"][:1]
    ]
    document["results"] += extra
    document["claims"][THEOREM]["readings"][0]["counts"]["not violated"] += 40
    write(document, new)
    found = call("diff", old, new)
    assert "and 28 more; `--format csv` has all" in found.out
    assert len(json.loads(call("diff", old, new, "--format", "json").out)) == 40


def test_cite_and_symbols_print():
    found = call("cite", CLAIM)
    assert found.code == 0
    assert found.out.startswith("@misc{personalization,")
    assert "Lemma A.2" in found.out
    assert "@misc{fedbounds," in found.out
    assert call("symbols", "fedplt").out.splitlines()[-1].endswith("LaTeX and claims")


def test_report_writes_figures_beside_the_page_and_the_referee_alone(two_runs, tmp_path):
    old, _ = two_runs
    figures = tmp_path / "figures"
    found = call("report", old, "--figures", figures, "--figure-format", "svg")
    assert found.code == 0
    files = list(figures.iterdir())
    assert f"figures: {len(files)} files" in found.out
    assert {path.suffix for path in files} == {".svg", ".csv"}
    marks = tmp_path / "marks.tex"
    assert f"marks: {marks}\n" in call("report", old, "--latex", marks).out
    assert marks.read_text().count(LEMMA) > 1
    note = call("report", old, "--referee", LEMMA)
    assert note.code == 0
    assert LEMMA in note.out
    assert "page:" not in note.out
    assert call("report", old, "--referee", "toy/none").code == 2
