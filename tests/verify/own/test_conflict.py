"""A conflict in one claim of a file, or a claim without a value: the others are judged all the same."""

import json
from pathlib import Path

import pytest
from own_files import own_file
from result_folders import document_of

from fedbounds.verify.commands.command_line import status
from fedbounds.verify.judge import summary as summary_module
from fedbounds.vocabulary import ProofStatus, Standing, StatementStatus

FALSE = 'me.claim("no", "D_W(t+1) <= D_W(t)/100")\nme.claim("also", "D_W(t) <= D_W(0)/200")\n'
TRUE = 'me.claim("yes", "D_W(t) >= 0")\n'
QUICK = ("--quick", "--workers", "1")
ONE = "[quadratic([[[1]], [[3]]], [[1], [-2]], [4])]"  # where any problem will do


@pytest.fixture
def believed(monkeypatch):
    """Whatever is broken is taken to be proved as well."""
    original = summary_module.standing

    def planted(statement, proof, **reached):
        broken = statement is StatementStatus.REFUTED
        return original(statement, ProofStatus.PROVED if broken else proof, **reached)

    monkeypatch.setattr(summary_module, "standing", planted)


def told(capsys, *arguments):
    code = status([str(argument) for argument in arguments])
    found = capsys.readouterr()
    return code, found.out, found.err


def standings(folder):
    document = json.loads((Path(folder) / "results.json").read_text(encoding="utf-8"))
    return {name.partition("/")[2]: claim["standing"] for name, claim in document["claims"].items()}


def test_a_conflict_is_shown_beside_all_other_claims_and_named(tmp_path, capsys, believed):
    file, folder = own_file(tmp_path, body=FALSE + TRUE, problems=ONE), tmp_path / "out"
    code, out, err = told(capsys, "verify", file, *QUICK, "--out", folder, "--fail-on", "tested")
    assert code == 3
    assert err.startswith("fedbounds: conflict: me/no, me/also are both proved and violated")
    assert len(err.strip().splitlines()) == 1
    conflict = Standing.CONFLICT.value
    assert standings(folder) == {"no": conflict, "also": conflict, "yes": "tested"}
    for name, word in standings(folder).items():
        (line,) = [x for x in out.splitlines() if x.startswith(f"me/{name} ")]
        assert word in line
        page = (folder / "claims" / f"claim-me-{name}.html").read_text(encoding="utf-8")
        assert f'Standing: <strong class="{word}">{word}</strong>' in page
    assert conflict in (folder / "index.html").read_text(encoding="utf-8")
    assert str(folder / "results.json") in out


@pytest.mark.parametrize("form", ["csv", "json"])
def test_the_rows_are_printed_before_the_conflict_is_told(tmp_path, capsys, believed, form):
    file = own_file(tmp_path, body=FALSE + TRUE, problems=ONE)
    arguments = (*QUICK, "--out", tmp_path / "out", "--format", form)
    code, out, err = told(capsys, "measure", file, *arguments)
    assert code == 3
    assert all(f"me/{name}" in out for name in ("no", "also", "yes"))
    assert err.splitlines()[-1].startswith("fedbounds: conflict: me/no, me/also")


def test_prove_shows_the_steps_before_the_conflict_is_told(tmp_path, capsys, believed):
    given = 'me.given("round", "D_W(t+1) <= D_W(t)/100", "one round")\n'
    rate = 'me.claim("rate", "D_W(t+1) <= D_W(t)/50", uses=["round"])\n'
    file, folder = own_file(tmp_path, body=given + rate + TRUE, problems=ONE), tmp_path / "out"
    code, out, err = told(capsys, "prove", file, "--steps", "--out", folder)
    assert code == 3
    assert err.startswith("fedbounds: conflict: me/round is both")
    assert "rate" in out
    assert (folder / "proofs.json").exists()


# ---- claims without a value on some run

NO_VALUE = {
    "1/0": '"D_W(t) <= 1/b2"',
    "1/0 in a round": '"D_W(t) <= D_W(0)/t"',
    "1/0 of a quantity": '"1/D_W(t) >= 0"',
    "1/0 in a mean": '"Mean_t(1/D_W(t)) >= 0"',
    "0**-1": '"D_W(t) <= 9 + 0**(T - 2)"',
    "a root": '"D_W(t) <= 9 + sqrt(L - 2*mu)"',
    "a root of a quantity": '"D_W(t) <= 9 + (D_W(t) - D_W(0))**(1/3)"',
    "1/0 in a condition": '"D_W(t) <= 9", conditions=["eta <= 1/b2"]',
    "a root in a condition": '"D_W(t) <= 9", conditions=["eta <= sqrt(L - 2*mu)"]',
}


@pytest.mark.parametrize("claim", NO_VALUE.values(), ids=NO_VALUE)
def test_a_claim_without_a_value_on_a_run_says_nothing_there(tmp_path, capsys, claim):
    file, folder = own_file(tmp_path, body=f'{TRUE}me.claim("a", {claim})'), tmp_path / "out"
    code, _, err = told(capsys, "measure", file, *QUICK, "--out", folder)
    assert (code, err) == (0, "")
    assert standings(folder)["yes"] == "tested"
    document = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    (reading,) = document["claims"]["me/a"]["readings"]
    said = ("no value here", "the formula divides by", "what it divides by")
    reasons = [reason for reason in reading["refused"] if any(x in reason for x in said)]
    assert len(reasons) == 1  # one sentence, counted
    assert reasons[0].startswith("not applicable: ")
    assert standings(folder)["a"] in ("open", "tested", "refuted")


def test_a_run_that_leaves_the_floats_leaves_the_other_runs(tmp_path, capsys):
    body = TRUE + 'me.claim("a", "D_W(t) <= D_W(0)")'
    more = "rounds=(1, 2), horizon=12"
    file = own_file(tmp_path, step='return {"x": state["x"] * 10**40}', more=more, body=body)
    folder = tmp_path / "out"
    code, _, err = told(capsys, "measure", file, *QUICK, "--out", folder)
    assert (code, err) == (0, "")
    assert standings(folder) == {"yes": "tested", "a": "refuted"}
    document = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    (reading,) = document["claims"]["me/yes"]["readings"]
    assert set(reading["counts"]) <= {"diverged", "not violated", "not applicable"}
    assert set(reading["refused"]) <= {"not applicable: says nothing here: every term is zero"}
    assert reading["counts"]["not violated"] > 0


LATER = {
    "many outcomes": 'random.signs(12 if p["t"] else 1)',
    "too many to be listed": 'random.signs(40 if p["t"] else 1)',
    "infinitely many": 'random.normal(1) if p["t"] else random.signs(1)',
    "too many to select with": 'random.index(5000 if p["t"] else 2)',
}
HALVED = 'return {"x": state["x"] / 2}'
SQUARED = 'return {"x": state["x"] ** 2 / 2}'


@pytest.mark.parametrize("later", LATER)
@pytest.mark.parametrize("step", [HALVED, SQUARED], ids=["affine", "not affine"])
def test_what_no_method_measures_is_counted_with_its_reasons(tmp_path, capsys, later, step):
    more = "rounds=(1, 2), horizon=3"
    draw = f'return {{"s": {LATER[later]}}}'
    file = own_file(tmp_path, draw=draw, step=step, more=more, body=TRUE)
    folder = tmp_path / "out"
    code, out, err = told(capsys, "measure", file, *QUICK, "--out", folder)
    assert (code, err) == (0, "")
    document = document_of(folder)
    verdicts = {}
    for row in document["results"]:
        verdicts.setdefault(row["parameters"]["T"], set()).add(row["verdict"])
    (reading,) = document["claims"]["me/yes"]["readings"]
    told_of = [line for line in out.splitlines() if line.startswith("not measured: ")]
    if step is HALVED and "select" not in later:
        assert verdicts == {1: {"not violated"}, 2: {"not violated"}, 3: {"not violated"}}
        assert not told_of
        return
    assert verdicts == {1: {"not violated"}, 2: {"undecided"}, 3: {"undecided"}}
    left = [row for row in document["results"] if row["parameters"]["T"] > 1]
    assert reading["counts"]["undecided"] == len(left)
    assert reading["coverage"]["ranges"]["T"] == [1, 1]  # they were not examined
    (line,) = told_of
    assert line.startswith(f"not measured: {len(left)} planned instances")
    for row in left:
        assert row["reason"].startswith("not measured: ")
        assert "outcomes" in row["reason"]
        assert "select" in later or "not affine in the state" in row["reason"]
        assert str(tmp_path) not in row["reason"]


@pytest.mark.parametrize("value", ["1/b2", "1/(m - 1)"])
def test_a_parameter_without_a_value_is_told_with_its_line(tmp_path, capsys, value):
    file = own_file(tmp_path, parameters=f'{{"m": (1,), "eta": ("{value}",)}}')
    code, _, err = told(capsys, "measure", file, *QUICK, "--out", tmp_path / "out")
    assert code == 2
    assert err.startswith(f"fedbounds: {file}:")
    assert "parameter 'eta'" in err
    assert "division by zero" in err
    assert len(err.strip().splitlines()) == 1
