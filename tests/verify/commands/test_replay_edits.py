"""`search --replay` of files that a stranger edited: an answer or a line, and never a false one."""

import copy
import json
from functools import cache
from random import Random

import pytest
from edits import every_edit, some_edits
from own_files import own_file
from stored_documents import documents

from fedbounds.verify.commands.command_line import status
from fedbounds.verify.setups import stored_work as work

SUM = ("setup", "fields", "values", "tuple")
EDITS = 16  # of each kind of file
_documents = cache(documents)


def replayed(folder, capsys, document, *claim):
    """Exit status, output and errors; ``document`` is data or JSON text."""
    text = document if isinstance(document, str) else json.dumps(document)
    path = folder / "replay.json"
    path.write_text(text, encoding="utf-8")
    code = status(["search", *claim, "--replay", str(path)])
    said = capsys.readouterr()
    assert len(said.err.splitlines()) <= 3
    assert code in (0, 2), said.err
    assert (code == 0) == (said.err == ""), said.err
    assert "Traceback" not in said.err
    return code, said.out, said.err


def edited(name, path, value):
    """A copy of a document with one field of its instance set."""
    document = copy.deepcopy(_documents()[name])
    place = document["instance"]
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return document


def refused(tmp_path, capsys, document, *words):
    code, out, err = replayed(tmp_path, capsys, document)
    assert (code, out) == (2, "")
    assert "replay.json" in err
    assert [word for word in words if word not in err] == []


@pytest.fixture(autouse=True)
def _small_work(monkeypatch):
    """So that an edit that is still allowed is judged quickly."""
    monkeypatch.setattr(work, "MOST_WORK", 1e7)


@pytest.mark.parametrize("part", range(4))
def test_no_edit_ends_in_more_than_a_line(part, tmp_path, capsys):
    names = sorted(_documents())[part::4]
    answered = 0
    for name in names:
        document = _documents()[name]
        assert replayed(tmp_path, capsys, document)[0] == 0, name
        for edit in some_edits(document, Random(name), EDITS):
            code, _, _ = replayed(tmp_path, capsys, edit.text)
            answered += code == 0
        assert [path.name for path in tmp_path.iterdir()] == ["replay.json"], name
    assert answered > 0


def test_every_edit_of_a_small_file(tmp_path, capsys):
    for edit in every_edit(_documents()["sum"]):
        replayed(tmp_path, capsys, edit.text)


def test_no_edit_of_a_users_run_ends_in_more_than_a_line(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    claim = own_file(tmp_path) + "::a"
    assert status(["search", claim, "--save", "saved.json"]) == 0
    document = json.loads((tmp_path / "saved.json").read_text("utf-8"))
    assert replayed(tmp_path, capsys, document, claim)[0] == 0
    for edit in some_edits(document, Random(0), EDITS):
        replayed(tmp_path, capsys, edit.text, claim)
    assert not (tmp_path / "ran").exists()


# ---- by name

SETUP = ("setup", "fields")
FIRST_RUNG = (*SETUP, "setups", "tuple", 0, "fields", "run", "fields")
LAST_RUNG = (*SETUP, "setups", "tuple", -1, "fields", "run", "fields")
IN_K = "FedAvg-P ladder in K, Ladder"
PARAMETERS = (*SETUP, "run", "fields", "parameters", "tuple")
FEDAVG = "FedAvg-P, rounds"
RANDOM, FEDPLT = "random masks, rounds", "FedPLT, rounds"
ROLLING = "rolling masks, epochs"
MANY = "FedPLT, many rounds, steps that decay"
ONE_CLIENT = "FedPLT, one step of one client"
LIMIT = "rolling masks, as epochs go on"
COUPLED = "coupled runs, all data sets"


@pytest.mark.parametrize(
    "setup",
    [
        {"type": "os:system", "fields": {"command": "touch ran"}},
        {"type": "fedbounds.verify.results.store:Store", "fields": {"folder": "ran"}},
        {"type": "fedbounds.verify.decide.case:Case", "fields": {}},
        {"enum": "fedbounds.vocabulary:Method", "value": "__import__('os').mkdir('ran')"},
        "__import__('os').mkdir('ran')",
        {"type": "fedbounds.problems.noise:Noise", "fields": {}},
    ],
)
def test_no_class_is_made_by_its_name(setup, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    document = edited(RANDOM, ("setup",), setup)
    refused(tmp_path, capsys, document, "instance.setup", "the type of a set-up")
    assert [path.name for path in tmp_path.iterdir()] == ["replay.json"]


ENDLESS = [
    (FEDAVG, (*SETUP, "run", "fields", "rounds")),
    (FEDAVG, (*PARAMETERS, 1, "tuple", 1)),
    ("Scaffold-P, Scaffold-P, rounds", (*PARAMETERS, 1, "tuple", 1)),
    (IN_K, (*FIRST_RUNG, "parameters", "tuple", 1, "tuple", 1)),
    (RANDOM, (*SETUP, "run", "fields", "rounds")),
    (RANDOM, (*PARAMETERS, 1, "tuple", 1)),
    (FEDPLT, (*SETUP, "run", "fields", "rounds")),
    (COUPLED, (*SETUP, "run", "fields", "rounds")),
    (ROLLING, (*SETUP, "run", "fields", "rounds")),
    ("coupled runs ladder in p, Ladder", (*LAST_RUNG, "rounds")),
    ("random masks against full models, Beside", (*LAST_RUNG, "rounds")),
    ("random masks ladder in K, Ladder", (*LAST_RUNG, "parameters", "tuple", 1, "tuple", 1)),
    ("random masks ladder in p, Ladder", (*LAST_RUNG, "rounds")),
    ("rolling masks ladder in q, Ladder", (*LAST_RUNG, "rounds")),
    ("rolling against random masks, Beside", (*LAST_RUNG, "rounds")),
]


@pytest.mark.parametrize(("name", "path"), ENDLESS, ids=[f"{n}: {p[-1]}" for n, p in ENDLESS])
def test_a_count_that_never_ends_is_refused_before_it_is_run(name, path, tmp_path, capsys):
    for count, words in ((10**9, "an integer, at least"), (10**6, "would cost about")):
        document = edited(name, path, count)
        refused(tmp_path, capsys, document, "instance", words)


def test_a_sum_of_a_million_terms_is_refused(tmp_path, capsys):
    document = edited("sum", (*SUM, 0, "tuple", 1), "1000000")
    refused(tmp_path, capsys, document, "would cost about", "K = 1000000", "expected at most")


# what a file says, and what it is
FALSE = {
    "the algorithm of another set-up": (
        "rolling against random masks, Beside",
        ("algorithm",),
        "rolling against static masks",
        ["rolling against random masks"],
    ),
    "the algorithm of another ladder": (
        "random masks ladder in p, Ladder",
        ("algorithm",),
        "rolling masks ladder in q",
        ["random masks ladder in p"],
    ),
    "the parameter of a ladder": (
        IN_K,
        (*SETUP, "rungs"),
        "FedAvg-P over m",
        ["K", "expected cohort"],
    ),
    "rungs that differ in more": (
        IN_K,
        (*LAST_RUNG, "parameters", "tuple", 4, "tuple", 1),
        7,
        ["eta_u", "expected K"],
    ),
    "a step that is not gamma": (
        "FedAvg-P ladder in m, Ladder",
        (*FIRST_RUNG, "parameters", "tuple", 5, "tuple", 1),
        3,
        ["eta_v"],
    ),
    "an algorithm that is not tuned": (
        "FedAvg-P to Scaffold-P ladder in algorithm at equal steady state, Ladder",
        (*FIRST_RUNG, "parameters", "tuple", 2, "tuple", 1),
        "1/9999",
        ["gamma"],
    ),
    "a theory that nobody has": (
        RANDOM,
        (*SETUP, "theory"),
        "nobody",
        ["setup.theory"],
    ),
    "more rounds than are repeated": (
        MANY,
        (*SETUP, "run", "fields", "rounds"),
        401,
        ["rounds T", "at most 400"],
    ),
    "a rule of what is not known": (
        MANY,
        (*PARAMETERS, 3, "tuple", 1),
        "1/(y*(t+1))",
        ["eta", "names y"],
    ),
    "a rule that is none": (MANY, (*PARAMETERS, 3, "tuple", 1), "1/(z*(t+", ["no expression"]),
    "a view of another theory": (RANDOM, (*SETUP, "view"), "recursion", ["view of submodel"]),
    "a probability": (RANDOM, (*PARAMETERS, 0, "tuple", 1, "tuple", 0), 2, ["keep", "<= 1"]),
    "a mask": (
        FEDPLT,
        (*PARAMETERS, 0, "tuple", 1, "tuple", 0, "tuple", 0),
        2,
        ["at most 1"],
    ),
    "more participants than clients": (
        "bound",
        (*SUM, 1, "tuple", 1),
        "1000",
        ["values.m", "at most n"],
    ),
    "a client that is not there": (
        ONE_CLIENT,
        (*SETUP, "chosen", "tuple", -1, "tuple", 1),
        -1,
        ["chosen.k", "at least 0"],
    ),
    "a negative step": (
        LIMIT,
        (*PARAMETERS, 3, "tuple", 1),
        "-1/8",
        ["parameters.eta", "> 0"],
    ),
    "a start of another dimension": (
        LIMIT,
        (*SETUP, "run", "fields", "start"),
        {"tuple": [1, 2, 3]},
        ["run.start", "3 entries"],
    ),
    "steps from free vectors": (
        ONE_CLIENT,
        (*SETUP, "run", "fields", "rounds"),
        4,
        ["free vectors"],
    ),
}


@pytest.mark.parametrize("what", FALSE)
def test_nothing_false_is_believed(what, tmp_path, capsys):
    name, path, value, words = FALSE[what]
    refused(tmp_path, capsys, edited(name, path, value), *words)


@pytest.mark.parametrize(
    "name",
    [
        IN_K,
        "FedAvg-P ladder in gamma, Ladder",
        "Scaffold-P ladder in b^2, Ladder",
        "FedAvg-P to Scaffold-P ladder in algorithm, Ladder",
    ],
)
def test_claims_count_the_rungs_of_a_ladder_in_their_order(name, tmp_path, capsys):
    document = copy.deepcopy(_documents()[name])
    document["instance"]["setup"]["fields"]["setups"]["tuple"].reverse()
    refused(tmp_path, capsys, document, "expected")


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("coupled runs ladder in p, Ladder", "setups"),
        ("random masks ladder in p, Ladder", "setups"),
        ("random masks ladder in K, Ladder", "setups"),
        ("rolling masks ladder in q, Ladder", "setups"),
    ],
)
def test_other_ladders_grow(name, key, tmp_path, capsys):
    document = copy.deepcopy(_documents()[name])
    document["instance"]["setup"]["fields"][key]["tuple"].reverse()
    refused(tmp_path, capsys, document, "growing")


def test_data_sets_that_nobody_lists_are_refused(tmp_path, capsys):
    document = copy.deepcopy(_documents()[COUPLED])
    run = document["instance"]["setup"]["fields"]["run"]["fields"]
    run["rounds"] = 1
    for pair in run["parameters"]["tuple"]:
        pair["tuple"][1] = {"n_s": 11, "K": 1}.get(pair["tuple"][0], pair["tuple"][1])
    refused(tmp_path, capsys, document, "number of pairs of data sets")


def test_a_negative_constant_breaks_nothing(tmp_path, capsys):
    document = edited(MANY, (*SETUP, "chosen", "tuple", 1, "tuple", 1), {"rational": "-1000"})
    document["claim"] = "fedplt/decaying-step-base"
    _, out, _ = replayed(tmp_path, capsys, document)
    assert "outside conditions: B_step = -" in out


def test_a_stored_verdict_is_computed_again(tmp_path, capsys):
    name = "participant mean, participants"
    one = {**_documents()[name], "verdict": "violated", "gap": "-1", "tightness": 9.0}
    two = {**one, "verdict": "not violated", "gap": "1", "tightness": None, "parts": "x"}
    assert replayed(tmp_path, capsys, one)[1] == replayed(tmp_path, capsys, two)[1]


def test_numbers_beyond_floats_are_judged_exactly(tmp_path, capsys):
    document = edited(FEDAVG, (*SETUP, "run", "fields", "rounds"), 12)
    run = document["instance"]["setup"]["fields"]["run"]["fields"]
    for pair in run["parameters"]["tuple"]:
        outer = {"eta_u": 2, "eta_v": 2}
        beyond = dict.fromkeys(("gamma_u", "gamma_v"), "1" + "0" * 59)
        pair["tuple"][1] = (outer | beyond).get(pair["tuple"][0], pair["tuple"][1])
    code, out, _ = replayed(tmp_path, capsys, document)
    assert code == 0
    assert "not violated: both sides are equal" in out
