"""Certificates as a published format: multiplied out, described on one page, with a schema."""

import copy
import json
import re
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest
from certificate_mutants import CHANGES, fresh, mutants
from checker_theory import THEORY, cite, claim

from fedbounds.theory.checker.__main__ import main
from fedbounds.theory.checker.data import Absent, Assignment, Certificate, Premise, Square, Step
from fedbounds.theory.checker.errors import Refused
from fedbounds.theory.checker.facts import FACTS
from fedbounds.theory.checker.files import VERSION, book_data, step_data
from fedbounds.theory.checker.names import RESERVED, SIGNS
from fedbounds.theory.checker.recheck import multiplied_out, recheck, refusals
from fedbounds.theory.checker.text import parsed
from fedbounds.theory.language.catalogue import keys
from fedbounds.theory.proof.library import book_of, certificates, has_book
from fedbounds.verify.results import certificates_schema
from fedbounds.verify.results.certificates_schema import published, schema
from fedbounds.verify.results.engine import package

PAGE = (Path(__file__).parents[3] / "docs" / "certificates.md").read_text(encoding="utf-8")
GIVEN = Step("asm A", claim("A(t + 1) <= 2*A(t) + s"), Certificate("given", origin="(1)"))
COMBINED = Step(
    "lem",
    claim("x*A(t + 1)/(1 + y) <= 2*x*A(t) + x*s + sqrt(s)", "y >= z"),
    Certificate(
        "combine",
        chart=(Assignment("y", "above", "z"), Assignment("x", "split", "L")),
        premises=(replace(cite("asm A"), times=("x/(1 + y)",)),),
    ),
)
SQUARED = Step(
    "young",
    claim("2*ip(u, v) <= sq(u) + sq(v)", scope="round"),
    Certificate("combine", squares=(Square(("1",), "u - v"),), scope="round"),
)
BY_INDUCTION = Step(
    "powers",
    claim("0 <= (1 + x)**t"),
    Certificate(
        "induction",
        premises=(Premise("hypothesis", "", ("1 + x",)),),
        variable="t",
        base=Certificate("combine"),
    ),
)
UNROLLED = Step(
    "sum",
    claim("Sum_t(A(t)) <= (2**T - 1)*A(0) + (2**(T - 1) - 1)*s*T"),
    Certificate("unroll", premises=(cite("asm A"),), variable="A", origin="2"),
)
NORM = Step(
    "asm norm",
    claim("sq(v) <= s", scope="round"),
    Certificate("given", origin="(2)", scope="round"),
)
ROOT = Step(
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
)
EVERY = (GIVEN, COMBINED, SQUARED, BY_INDUCTION, UNROLLED, NORM, ROOT)


def book(*steps):
    rows = [step_data(step) | {"claim": ""} for step in steps]
    return json.loads(json.dumps(book_data(THEORY, rows)))


@pytest.fixture(scope="module")
def whole():
    """A step of every rule, multiplied out, read from text."""
    found = multiplied_out(book(*EVERY))
    return json.loads(json.dumps(found, sort_keys=True))


@pytest.fixture(scope="module")
def fedplt():
    data = certificates("fedplt", {written.claim for written in book_of("fedplt").steps})
    return json.loads(json.dumps(multiplied_out(data), sort_keys=True))


def test_what_is_multiplied_out_is_accepted_again(whole):
    assert refusals(whole) == {}
    assert all("expanded" in row for row in whole["steps"])
    assert multiplied_out(whole) == whole
    bare = whole | {"steps": [{k: r[k] for k in r if k != "expanded"} for r in whole["steps"]]}
    assert multiplied_out(bare) == whole


def test_the_identity_is_written_branch_by_branch(whole):
    first, second = whole["steps"][1]["expanded"]["branches"]
    assert first["parameters"]["y"] == "1*y_ + 1*z"
    assert first["parameters"]["x"] == "1*L + 1*x_"
    assert second["parameters"]["x"] == ["1*L", "_d0"]
    assert first["factors"] == ["1*y_ + 1*z + 1"]
    assert first["premises"][0]["times"] == {"": ["1*L + 1*x_", "_d0"]}
    assert first["variables"] == [{"is": "sqrt", "of": ["1*s"], "positive": False}]
    assert "_v0" in json.dumps(first["remainder"])


def test_an_unrolling_of_a_statement_in_vectors_is_in_their_scope():
    told = replace(UNROLLED, statement=replace(UNROLLED.statement, scope="round"))
    assert "is proved in ''" in refusals(book(GIVEN, told))["sum"]


def test_a_given_in_the_vectors_of_another_algorithm_is_refused():
    given = Certificate("given", origin="(1)", scope="twice")
    told = Step("asm", claim("A(t) <= s"), given)
    assert "another algorithm" in refusals(book(told))["asm"]


def test_a_vector_of_weight_zero_is_none_in_a_norm():
    mean = replace(
        NORM, id="m", statement=claim("0 <= given(sqrt(dot(v + 0*u, v + 0*u)))", scope="round")
    )
    assert refusals(book(replace(mean, certificate=Certificate("combine", scope="round")))) == {}


def places(value, path=()):
    """Every polynomial of what is multiplied out."""
    if isinstance(value, str):
        yield path
    elif isinstance(value, dict | list):
        every = value.items() if isinstance(value, dict) else enumerate(value)
        for name, inside in every:
            yield from places(inside, (*path, name))


def test_a_changed_identity_is_refused(whole):
    for number, row in enumerate(whole["steps"]):
        for path in places(row["expanded"]):
            data = copy.deepcopy(whole)
            where = data["steps"][number]["expanded"]
            for name in path[:-1]:
                where = where[name]
            where[path[-1]] += " + 1*s"
            assert set(refusals(data)) == {row["id"]}, path


def test_a_certificate_without_its_own_identity_is_refused(whole):
    data = copy.deepcopy(whole)
    data["steps"][1]["certificate"]["premises"][0]["times"] = ["x/(2 + 2*y)"]
    assert "multiplied out" in refusals(data)["lem"] or "negative" in refusals(data)["lem"]


@pytest.mark.parametrize("version", [None, 1, VERSION + 1, float(VERSION), "2"])
def test_another_version_is_refused_in_plain_words(whole, tmp_path, capsys, version):
    data = whole | {"version": version}
    if version is None:
        del data["version"]
    with pytest.raises(Refused, match="write the file anew with `fedbounds prove`"):
        recheck(data)
    path = tmp_path / "old.json"
    path.write_text(json.dumps({"p": data}))
    assert main([str(path)]) == 2
    assert "of the format" in capsys.readouterr().out


@pytest.mark.parametrize("zero", ["0", "(0)/(1)", "0*x", "x - x", "((0) / (1 + x))"])
def test_a_citation_whose_multiplier_is_zero_however_written_is_refused(zero):
    idle = Step(
        "idle",
        claim("0 <= s"),
        Certificate("combine", premises=(replace(cite("asm A"), times=(zero,)),)),
    )
    assert "its multiplier is zero" in refusals(book(GIVEN, idle))["idle"]


@pytest.mark.parametrize(
    "text",
    [
        *("1_0", "0x1", "07", "1.5", "1j", "True", "'x'", "x # y", "x\n", "\u0445", ""),
        *("(x, y)", "x if y else x", "x and y", "not x", "+x", "x//2", "x.y", "x[0]"),
        *("f(*x)", "f(a=x)"),
    ],
)
def test_only_the_grammar_of_the_page_is_read(text):
    with pytest.raises(Refused, match="cannot read"):
        parsed(text)


def test_the_published_schema_is_made_of_the_dataclasses():
    path = package() / "verify" / "certificates.schema.json"
    assert path.read_text(encoding="utf-8") == published(), (
        "write it again: python -m fedbounds.verify.results.certificates_schema "
        "> src/fedbounds/verify/certificates.schema.json"
    )
    jsonschema.Draft202012Validator.check_schema(schema())


def wrong(data):
    return [e.message for e in jsonschema.Draft202012Validator(schema()).iter_errors({"p": data})]


def test_documents_fit_the_schema(whole, fedplt):
    assert wrong(whole) == []
    assert wrong(book(*EVERY)) == []
    assert wrong(fedplt) == []


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data.update(version=1),
        lambda data: data.update(hash="0"),
        lambda data: data.pop("theory"),
        lambda data: data["theory"]["symbols"].update(x="real"),
        lambda data: data["steps"][1]["statement"].update(relation="<"),
        lambda data: data["steps"][1]["statement"].update(first=2),
        lambda data: data["steps"][1]["certificate"].update(rule="guess"),
        lambda data: data["steps"][1]["certificate"]["chart"][0].update(kind="near"),
        lambda data: data["steps"][1]["certificate"]["premises"][0].update(kind="rumour"),
        lambda data: data["steps"][1]["expanded"]["branches"][0].pop("remainder"),
        lambda data: data["steps"][1]["expanded"]["branches"][0]["gap"].update({"": "x + 1"}),
        lambda data: data["steps"][1]["expanded"]["branches"][0]["gap"].update({"": ["1", "x"]}),
    ],
)
def test_a_planted_error_does_not_fit(whole, change):
    data = copy.deepcopy(whole)
    change(data)
    assert wrong(data)


def test_the_example_of_the_page_is_a_real_one():
    (text,) = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
    shown = json.loads(text)
    found = multiplied_out(book(GIVEN, COMBINED))["steps"][1]["expanded"]["branches"][1]
    assert shown == found


def rows(heading):
    """What the first column of a section's table names."""
    section = PAGE.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
    return set(re.findall(r"^\| `(\w+)`", section, re.MULTILINE))


def test_the_tables_of_the_page_are_the_closed_lists():
    assert rows("Facts") == set(FACTS)
    assert rows("Charts") == {*certificates_schema.ASSIGNMENTS, "after"}
    rules = PAGE.split("## Rules\n", 1)[1].split("\n## ", 1)[0]
    assert set(re.findall(r"^### (\w+)$", rules, re.MULTILINE)) == set(certificates_schema.RULES)
    kinds = PAGE.split("## Premises\n", 1)[1].split("\n### ", 1)[0]
    told = re.findall(r"^\*\*`(\w+)`\*\*:", kinds, re.MULTILINE)
    assert set(told) == set(certificates_schema.PREMISES)
    named = set(re.findall(r"`([^`\s]+)`", PAGE))
    assert {*certificates_schema.VARIABLES, *certificates_schema.RELATIONS} <= named
    assert {*SIGNS, *RESERVED} <= named
    assert set(filter(None, certificates_schema.OVER)) <= named


def test_the_page_has_a_row_for_each_field_of_what_is_multiplied_out():
    every = schema()["$defs"]["Branch"]["anyOf"]
    fields = {name for one in every for name in one["properties"]}
    section = PAGE.split("## What is multiplied out\n", 1)[1].split("\n## ", 1)[0]
    cells = re.findall(r"^\| ([^|]*) \|", section, re.MULTILINE)
    assert fields == set(re.findall(r"`(\w+)`", " ".join(cells)))


@pytest.mark.parametrize("paper", [paper for paper in keys() if has_book(paper)])
def test_what_occurs_in_a_book_is_on_the_page(paper):
    for written in book_of(paper).steps:
        assert written.rule in certificates_schema.RULES
        assert {one.kind for one in written.chart} <= rows("Charts")
        for use in (*written.uses, *written.base):
            if isinstance(use, Premise):
                assert use.kind in certificates_schema.PREMISES
                assert use.over in certificates_schema.OVER
                assert use.kind != "fact" or use.name in rows("Facts")


def test_mutants_are_seeded_and_of_every_kind(fedplt):
    books = {"fedplt": fedplt}
    found = list(mutants(books, 6 * len(CHANGES), 3))
    assert found == list(mutants(books, 6 * len(CHANGES), 3))
    kinds = [kind for kind in CHANGES if kind != "square"]  # of which one paper may have none
    assert {one.kind for one in found} >= set(kinds)
    refused = {"as it was": 0, "anew": 0}
    for one in found:
        old, new = (answer(data, one.step) for data in (one.book, fresh(one.book)))
        assert not (new and not old), "a true identity is no reason to refuse"
        refused["as it was"] += bool(old)
        refused["anew"] += bool(new)
    assert len(found) > refused["as it was"] >= refused["anew"] > len(found) / 4


def answer(data, name):
    return {one.id: one.refused for one in recheck(data)}[name]


@pytest.mark.parametrize("text", ["A(t,)", "(A)(t)", "Max(x, y,)"])
def test_calls_are_written_as_the_grammar_of_the_page_says(text):
    with pytest.raises(Refused, match="cannot read"):
        parsed(text)


def test_the_largest_of_one_is_no_call():
    assert "Max" in refusals(book(combined(claim("0 <= Max(x)"))))["it"]


@pytest.mark.parametrize("name", ["0 x", "0 0 x", "0 squared 0", "0 0 squared x", "0  0"])
def test_a_condition_is_named_as_the_page_says(name):
    it = combined(claim("x*m <= x*n"), Premise("condition", name, ("x",)))
    assert "there is no condition" in refusals(book(it))["it"]


def test_an_index_is_replaced_once():
    at = (("t", "0"), ("t", "t - 1"))
    premise = replace(cite("asm A"), at=at)
    told = combined(claim("A(t) <= 2*A(t - 1) + s", first=1), premise)
    assert "two rounds" in refusals(book(GIVEN, told))["it"]
    once = combined(told.statement, replace(premise, at=at[1:]))
    assert refusals(book(GIVEN, once)) == {}


def test_a_martingale_may_depend_on_nothing_else():
    noise = replace(THEORY.scopes["round"], atoms=(("Y", ("i", "k")),), derived=(), values=())
    theory = replace(THEORY, scopes={"alone": replace(noise, noises=(), gradients=(), centred=())})
    fact = Premise("fact", "martingale", ("1",), arguments=("Y", "ik"))
    assumed = "unbiased noise of bounded variance"
    told = claim("sq(given(Y)) == sq(Y)/(n*K)", scope="alone", assumptions=(assumed,))
    it = Step("it", told, Certificate("combine", premises=(fact,), scope="alone"))
    rows = [step_data(it) | {"claim": ""}]
    assert refusals(json.loads(json.dumps(book_data(theory, rows)))) == {}


def test_a_count_is_not_chosen_where_a_block_is_absent():
    block = Absent("s", ("x", "j"), ())
    theory = replace(THEORY, symbols=THEORY.symbols | {"j": "integer"}, absent=(block,))
    for name, refused in (("x", False), ("j", True)):
        chart = (Assignment(name, "equal", "1/(1 + L)"),)
        it = Step("it", claim("0 <= y", "s == 0"), Certificate("combine", chart=chart))
        rows = [step_data(it) | {"claim": ""}]
        assert bool(refusals(json.loads(json.dumps(book_data(theory, rows))))) is refused


def combined(statement, *premises):
    return Step("it", statement, Certificate("combine", premises=premises))
