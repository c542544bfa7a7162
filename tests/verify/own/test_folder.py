"""A user's folder is a paper: each paper of the package is judged alike as a folder of a user."""

import json
from itertools import islice
from pathlib import Path

import pytest
from own_folders import dummy_folder, paper_as_folder

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.catalogue import PAPERS, entry
from fedbounds.theory.language.registry import (
    besides,
    choices,
    displayed,
    encoded_claims,
    examined,
    ladders,
    rungs,
    setups,
    sides,
    sought,
    views,
)
from fedbounds.theory.proof.library import book_of, has_book
from fedbounds.theory.proof.replay import replay
from fedbounds.verify.commands.command_line import status
from fedbounds.verify.decide.case import Case
from fedbounds.verify.judge.judge import judge
from fedbounds.verify.judge.plan import quick_cases
from fedbounds.verify.own.load import load
from fedbounds.verify.results.records import record
from fedbounds.verify.setups.instance_file import from_data, to_data
from fedbounds.verify.setups.stored import stored
from fedbounds.vocabulary import Method

KINDS = (besides, choices, displayed, examined, ladders, rungs, setups, sides, sought, views)


@pytest.fixture(scope="module", params=PAPERS)
def pair(request, tmp_path_factory):
    """A paper, and the key of its copy that is loaded as a user's folder."""
    (own,) = load(paper_as_folder(request.param, tmp_path_factory.mktemp("own")))
    return request.param, own


def exact_cases(theory):
    every = quick_cases(theory)
    return islice((case for case in every if case.method is Method.RATIONAL), 0, 48, 12)


def told(theory, paper):
    claims = encoded_claims(theory)
    rows = [
        record(one, "") for case in exact_cases(theory) for one in judge(claims, case).judgements
    ]
    return json.dumps(rows, sort_keys=True).replace(f'"{theory}/', f'"{paper}/')


def test_a_folder_has_all_that_a_paper_has(pair):
    paper, own = pair
    assert len(encoded_claims(paper)) == len(encoded_claims(own))
    for kind in KINDS:
        assert len(kind(paper)) == len(kind(own)), kind
    assert has_book(own)


def test_a_folder_is_judged_as_the_paper_is(pair):
    paper, own = pair
    assert told(own, paper) == told(paper, paper)


def test_proofs_of_a_folder_are_replayed_as_those_of_the_paper(pair):
    def steps(theory):
        book = book_of(theory)
        found = replay(type(book)(**{**vars(book), "steps": book.steps[:25]}))
        return [(one.written.id, one.local, one.inherited) for one in found]

    paper, own = pair
    assert steps(own) == steps(paper)


def test_set_ups_of_a_folder_are_stored_and_read_again(pair):
    _, own = pair
    for case in exact_cases(own):
        data = json.loads(json.dumps(to_data(case)))
        again = from_data(data)
        assert isinstance(again, Case)
        assert to_data(again) == to_data(case)


# ---- the smallest one


@pytest.fixture
def dummy(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return dummy_folder(tmp_path)


def call(capsys, *arguments):
    code = status([str(one) for one in arguments])
    out = capsys.readouterr()
    return code, out.out, out.err


def test_a_folder_is_verified_by_its_path(dummy, capsys):
    code, out, err = call(capsys, "verify", "dummy", "--quick", "--workers", "1", "--out", "out")
    assert code == 0, err
    results = json.loads(Path("out/results.json").read_text())
    assert {name: row["standing"] for name, row in results["claims"].items()} == {
        "dummy/expansion": "confirmed",
        "dummy/stride": "tested",
        "dummy/nearer": "refuted",
    }
    assert "left 19/144, right 1/9" in out
    code, out, _ = call(capsys, "search", "dummy::nearer", "--replay", "out")
    assert code == 0
    assert "  violated" in out
    code, out, _ = call(capsys, "show", "./dummy::nearer")
    assert "reach_after(t) <= reach(t)" in out
    code, out, _ = call(capsys, "prove", "dummy/")
    assert "1 proof, 1 step: 1 proved" in out


def test_a_changed_folder_is_read_anew(dummy):
    load(dummy)
    assert entry("dummy/stride").place == "(2)"
    first = views("dummy")["rounds"]
    file = Path(dummy) / "catalogue.toml"
    file.write_text(file.read_text().replace('place = "(2)"', 'place = "(9)"'))
    load(dummy)
    assert entry("dummy/stride").place == "(9)"
    assert views("dummy")["rounds"] is not first


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("catalogue.toml", 'key = "dummy"', 'key = "fedplt"', "key 'fedplt'"),
        ("catalogue.toml", "[paper]", "[paper", "no catalogue of claims"),
        ("catalogue.toml", 'id = "dummy/stride"', 'id = "other/stride"', "other/stride"),
        ("catalogue.toml", 'kind = "identity"', 'kind = "word"', "'word'"),
        ("catalogue.toml", 'title = "Descent along a mean"', "", "title"),
        ("claims.py", "_ABOUT = ", "_ABOUT = 1 / 0, ", "claims.py:"),
        ("claims.py", "CLAIMS = (", "CLAIMS = (()[", "claims.py:"),
        ("claims.py", '"dummy/nearer"', '"dummy/nearby"', "nearby"),
        ("views.py", "VIEWS = {", "VIEWS_ = {", "VIEWS"),
        ("setups.py", '"rounds", _RUN', '"round", _RUN', "set-up 'two clients, two rounds'"),
        ("setups.py", '(("eta", "1/2"),)', "()", "parameters"),
        ("glossary.py", "GLOSSARY = ", "NAMES_OF_ALL = ", "glossary.py has no GLOSSARY"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_folder_is_one_line_with_its_place(dummy, file, old, new, said):
    place = Path(dummy) / file
    text = place.read_text()
    assert old in text
    place.write_text(text.replace(old, new))
    with pytest.raises(FedboundsError) as error:
        load(dummy)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_a_stored_set_up_of_a_folder_that_is_not_loaded_is_refused(dummy, tmp_path):
    with pytest.raises(FedboundsError, match="not loaded"):
        stored().read({"type": "x", "fields": {"theory": "nowhere"}}, "instance.setup")
