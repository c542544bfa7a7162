"""The second checker: one file that runs alone, and answers as the first one does."""

import copy
import json
import random
import shutil
import subprocess
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from certificate_mutants import CHANGES, fresh, mutants
from checker_theory import THEORY, cite, claim

from fedbounds import second_checker
from fedbounds.second_checker import answers
from fedbounds.theory.checker import check
from fedbounds.theory.checker.data import Assignment, Certificate, Premise, Square, Step
from fedbounds.theory.checker.files import book_data, hash_of, step_data
from fedbounds.theory.checker.ratios import Ring
from fedbounds.theory.checker.recheck import multiplied_out, refusals
from fedbounds.theory.proof.library import book_of, certificates
from fedbounds.verify.commands.command_line import status

FILE = Path(second_checker.__file__)
SMALL = ("fedplt", "meerkat", "overparam")
PART = {"submodel": 5, "personalization": 5}  # claims, of papers whose proofs take long
GIVEN = Step("asm A", claim("A(t + 1) <= 2*A(t) + s"), Certificate("given", origin="(1)"))
NORM = Step(
    "asm norm",
    claim("sq(v) <= s", scope="round"),
    Certificate("given", origin="(2)", scope="round"),
)
EVERY = (
    GIVEN,
    Step(
        "lem",
        claim("x*A(t + 1)/(1 + y) <= 2*x*A(t) + x*s + sqrt(s)", "y >= z"),
        Certificate(
            "combine",
            chart=(Assignment("y", "above", "z"), Assignment("x", "split", "L")),
            premises=(replace(cite("asm A"), times=("x/(1 + y)",)),),
        ),
    ),
    Step(
        "young",
        claim("2*ip(u, v) <= sq(u) + sq(v)", scope="round"),
        Certificate("combine", squares=(Square(("1",), "u - v"),), scope="round"),
    ),
    Step(
        "powers",
        claim("0 <= (1 + x)**t"),
        Certificate(
            "induction",
            premises=(Premise("hypothesis", "", ("1 + x",)),),
            variable="t",
            base=Certificate("combine"),
        ),
    ),
    Step(
        "sum",
        claim("Sum_t(A(t)) <= (2**T - 1)*A(0) + (2**(T - 1) - 1)*s*T"),
        Certificate("unroll", premises=(cite("asm A"),), variable="A", origin="2"),
    ),
    NORM,
    Step(
        "root",
        claim("given(sqrt(dot(v, v))) <= sqrt(s)", scope="round"),
        Certificate(
            "root",
            premises=(
                Premise("fact", "mean_norm", ("1/(2*any_d)",), arguments=("v", "any_d")),
                replace(cite("asm norm"), times=("1/(2*any_d)",)),
            ),
            scope="round",
        ),
    ),
    Step(
        "largest",
        claim("x <= Max(x, y)"),
        Certificate("combine", premises=(Premise("fact", "largest", ("1",), ("x", "y")),)),
    ),
)


def plain(data):
    return json.loads(json.dumps(data))


def book(*steps, theory=THEORY):
    return plain(book_data(theory, [step_data(step) | {"claim": ""} for step in steps]))


def refused(data):
    """What the second checker refuses, with the reasons."""
    return {name: why for name, why in answers(data) if why}


def run(*arguments):
    """The file by itself, where nothing of this package can be imported."""
    command = [sys.executable, "-I", "-S", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


@pytest.fixture(scope="module")
def rules():
    """A step of every rule, multiplied out."""
    return plain(multiplied_out(book(*EVERY)))


@cache
def multiplied(paper):
    """The book of a paper, of some in part; the first checker accepts all of it."""
    claims = sorted({row.claim for row in book_of(paper).steps})
    chosen = random.Random(5).sample(claims, PART.get(paper, len(claims)))
    return plain(multiplied_out(certificates(paper, set(chosen))))


# ---- by itself


def test_it_is_a_file_that_needs_nothing_else(tmp_path, rules):
    copied, document = tmp_path / "copied.py", tmp_path / "c.json"
    shutil.copy(FILE, copied)
    document.write_text(json.dumps({"rules": rules}))
    done = run(copied, document)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"'rules': {len(EVERY)} accepted, 0 refused\n"


def test_the_template_of_a_theorem_of_ones_own(tmp_path):
    own, document = tmp_path / "own.py", tmp_path / "c.json"
    assert status(["new", str(own)]) == 0
    assert status(["certificates", str(own), "--out", str(document)]) == 0
    done = run(FILE, document)
    assert done.returncode == 0
    assert "2 accepted, 0 refused" in done.stdout


def test_what_is_refused_is_named_on_a_line(tmp_path, rules):
    data = copy.deepcopy(rules)
    data["steps"][1]["id"] = "l\x1b\u0301m"
    data["steps"][1]["certificate"]["premises"][0]["times"] = ["-x/(1 + y)"]
    document = tmp_path / "c.json"
    document.write_text(json.dumps({"p": data}))
    done = run(FILE, document)
    assert done.returncode == 1
    counts, told = done.stdout.splitlines()
    assert counts == "'p': 7 accepted, 1 refused"
    assert told.startswith("  'l\\x1b\\u0301m': 'an inequality")


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "1", "null", '{"p": 1}', '{"p": {}}', "[" * 10**5, '{"p": {"version": 2}}'],
)
def test_another_file_is_told_in_a_line(tmp_path, text):
    document = tmp_path / "c.json"
    document.write_text(text)
    done = run(FILE, document)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)


def test_no_file_and_no_argument_are_told_in_a_line(tmp_path):
    for arguments in ((), (tmp_path / "none.json",)):
        done = run(FILE, *arguments)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)


@pytest.mark.parametrize(
    "text",
    [
        "(" * 10**4 + "1" + ")" * 10**4,
        "-" * 10**4 + "1",
        "2**2**2**2**2**2",
        "(1 + x)**9999999",
        "((1 + x + y + z)**99)**99",
        "9" * 10**5,
        "x**(2**99)",
        "+".join(["x"] * 10**5),
        "__import__(open)",
        "x if x else x",
        "(lambda x: x)(1)",
        "f(*x)",
    ],
)
def test_a_hostile_text_is_refused_soon(rules, text):
    data = copy.deepcopy(rules)
    data["steps"][1]["certificate"]["premises"][0]["times"] = [text]
    assert set(refused(data)) == {"lem"}


def test_vectors_that_double_are_refused_soon(rules):
    data = copy.deepcopy(rules)
    scope = data["theory"]["scopes"]["round"]
    scope["derived"] += [[f"dd{i}", f"dd{i - 1} + dd{i - 1}" if i else "v"] for i in range(60)]
    scope["derived"] += [["loop", "loop"]]
    data["hash"] = hash_of(data["theory"])
    for vector in ("dd59", "loop"):
        data["steps"][2]["certificate"]["squares"][0]["vector"] = vector
        assert set(refused(data)) == {"young"}


def test_an_edited_theory_and_another_version_refuse_the_book(rules):
    for change in ({"version": 3}, {"version": True}, {"hash": "0"}, {"theory": {}}):
        assert len(refused(rules | change)) == len(EVERY)


# ---- beside the first


def places(value, path=()):
    """Every text, number and truth of what is multiplied out."""
    if isinstance(value, dict | list):
        every = value.items() if isinstance(value, dict) else enumerate(value)
        for name, inside in every:
            yield from places(inside, (*path, name))
    else:
        yield path


def test_a_changed_identity_is_refused(rules):
    for number, row in enumerate(rules["steps"]):
        for path in places(row["expanded"]):
            data = copy.deepcopy(rules)
            where = data["steps"][number]["expanded"]
            for name in path[:-1]:
                where = where[name]
            old = where[path[-1]]
            where[path[-1]] = not old if type(old) is bool else f"{old} + 1*s"
            if path[-2:-1] != ("factors",):  # of factors that are read nowhere more is no matter
                assert set(refused(data)) == {row["id"]}, path


@pytest.mark.parametrize(
    "paper", [*SMALL, *(pytest.param(paper, marks=pytest.mark.slow) for paper in PART)]
)
def test_both_accept_every_step_of_a_paper(paper):
    found = list(answers(multiplied(paper)))
    assert not [one for one in found if one[1]]
    rows = [row for row in multiplied(paper)["steps"] if row["certificate"] is not None]
    assert len(found) == len(rows) > 20
    assert {"combine", "given"} <= {row["certificate"]["rule"] for row in rows}


def disagreements(found):
    """Mutants of which the checkers say different things."""
    for one in found:
        data = fresh(one.book)
        both = bool(refusals(data).get(one.step)), bool(refused(data).get(one.step))
        if both[0] is not both[1]:
            yield one.kind, one.step, both


@pytest.mark.slow
def test_both_answer_alike_on_mutants():
    small = {paper: multiplied(paper) for paper in SMALL}
    assert not list(disagreements(mutants(small, 20 * len(CHANGES), 11)))


NEGATIVE = Step(
    "it",
    claim("-A(t + 1) <= -2*A(t) - s"),
    Certificate("combine", premises=(replace(cite("asm A"), times=("-1",)),)),
)
CONDITION = Step(
    "it",
    claim("sqrt(x) <= sqrt(y)"),
    Certificate("combine", premises=(Premise("fact", "root_grows", ("1",), ("x", "y")),)),
)
FACTOR = Step("it", claim("0 <= (x - y)**2/(x - y)/(x - y)"), Certificate("combine"))


def no_sign(monkeypatch):
    monkeypatch.setattr(check, "_refuse_sign", lambda *_: None)


def no_condition(monkeypatch):
    monkeypatch.setattr(check, "implied", lambda *_: True)


def no_zero(monkeypatch):
    monkeypatch.setattr(Ring, "sign", lambda self, one: 0 if one.is_zero() else 1)


@pytest.mark.parametrize(
    ("step", "plant", "why"),
    [
        (NEGATIVE, no_sign, "times what may be negative"),
        (CONDITION, no_condition, "a condition of what is cited is not implied"),
        (FACTOR, no_zero, "a factor that may vanish"),
    ],
    ids=["the sign of a multiplier", "a condition", "a factor"],
)
def test_an_unsound_rule_of_the_first_is_caught(monkeypatch, step, plant, why):
    assert "it" in refusals(book(GIVEN, step))
    plant(monkeypatch)
    data = plain(multiplied_out(book(GIVEN, step)))
    assert refusals(data) == {}
    assert why in refused(data)["it"]
