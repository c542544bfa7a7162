"""A file of certificates, re-checked: what was tampered with is refused."""

import json
from dataclasses import replace

import pytest
from checker_theory import THEORY, cite, claim, fact

from fedbounds.theory.checker.__main__ import main
from fedbounds.theory.checker.data import Absent, Assignment, Certificate, Square, Step
from fedbounds.theory.checker.errors import Refused
from fedbounds.theory.checker.files import book_data, step_data, step_of, theory_of
from fedbounds.theory.checker.recheck import refusals

FULL = replace(THEORY, absent=(Absent("d", ("x",), (("y", "==", "1"),), ("smooth",)),))
GIVEN = Step("a", claim("f(t) <= A(t)", "x <= 1"), Certificate("given", origin="(1)"))
WEAKER = Step(
    "b",
    claim("x*f(t) <= A(t)", "x <= 1"),
    Certificate("combine", (Assignment("x", "below", "1"),), (cite("a", "x"),)),
)
VECTORS = Step(
    "c",
    claim("sq(Y) <= sigma2", assumptions=("unbiased noise of bounded variance",), scope="round"),
    Certificate("combine", (), (fact("variance", "Y"),), (Square(("0",), "u"),), "round"),
)
STEPS = (GIVEN, WEAKER, VECTORS)
OPEN = {"rule": None}


def data(*steps):
    rows = [step_data(step) for step in steps or STEPS]
    return json.loads(json.dumps(book_data(FULL, rows)))


def test_data_are_read_back():
    assert theory_of(data()["theory"]) == FULL
    assert tuple(step_of(row) for row in data()["steps"]) == STEPS


def test_what_is_proved_is_accepted():
    assert refusals(data()) == {}


@pytest.mark.parametrize(
    ("step", "path", "value"),
    [
        (1, ("statement", "right"), "A(t)/2"),
        (1, ("statement", "relation"), "=="),
        (1, ("statement", "relation"), "<"),
        (1, ("statement", "conditions"), []),
        (1, ("certificate", "chart"), []),
        (1, ("certificate", "premises", 0, "times"), ["1"]),
        (1, ("certificate", "premises", 0, "times"), []),
        (1, ("certificate", "premises", 0, "name"), "b"),  # itself
        (1, ("certificate", "premises", 0, "name"), "c"),  # a later one
        (1, ("certificate", "premises", 0, "over"), "t"),
        (1, ("certificate", "premises", 0, "at"), [["x", "0"]]),
        (0, ("statement", "right"), "2*A(t)"),
        (0, ("certificate", "origin"), ""),
        (2, ("statement", "assumptions"), []),
        (2, ("statement", "scope"), "alike"),
        (2, ("certificate", "squares", 0, "times"), ["-1"]),
        (2, ("certificate", "premises", 0, "arguments"), ["u"]),
    ],
)
def test_what_was_changed_is_refused(step, path, value):
    changed = data()
    place = changed["steps"][step]
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    assert refusals(changed)


def test_a_step_does_not_rest_on_itself():
    itself = replace(WEAKER, certificate=Certificate("combine", premises=(cite("b"),)))
    rows = data(GIVEN, WEAKER, itself)
    rows["steps"][1]["certificate"] = None  # written down, and not proved
    assert set(refusals(rows)) == {"b"}


def test_a_name_has_one_statement():
    stronger = replace(GIVEN, statement=claim("f(t) <= 0"))
    assert set(refusals(data(GIVEN, stronger, WEAKER))) == {"a"}


def test_what_is_no_step_is_refused():
    row = data()["steps"][0]
    for changed in ({"id": "a"}, row | {"statement": {"left": "0"}}, row | {"certificate": OPEN}):
        with pytest.raises(Refused):
            step_of(changed)


def test_the_exit_status(tmp_path, capsys):
    path = tmp_path / "proofs.json"
    path.write_text(json.dumps({"paper": data()}))
    assert main([str(path)]) == 0
    assert capsys.readouterr().out.endswith("3 certificates, 0 refused\n")
    path.write_text(json.dumps({"paper": data(replace(WEAKER, id="z"))}))
    assert main([str(path)]) == 1
    assert "z: refused: 'a' is no earlier step" in capsys.readouterr().out
