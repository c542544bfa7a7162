"""Parts and readings of a claim in a file: proved one by one, cited one by one, judged together."""

import re
from pathlib import Path

import pytest
from flint import fmpq
from own_files import cases, judged, loaded, own_file, parameters_of
from result_folders import document_of

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.claims import Reading
from fedbounds.theory.language.registry import claim as claim_of
from fedbounds.theory.proof.library import replayed
from fedbounds.verify.commands.command_line import status
from fedbounds.verify.decide.profile import Profile
from fedbounds.verify.decide.shares import shares_of
from fedbounds.verify.judge.judge import judge
from fedbounds.verify.judge.proofs import Proofs
from fedbounds.verify.own.load import load
from fedbounds.vocabulary import Kind, Verdict

PIECES = {
    "before": "from fedbounds.own import part",
    "problems": "quadratics(clients=(1, 2), dimensions=(1,))",
    "parameters": '{"m": ("n",), "eta": "edges"}',
    "more": "rounds=(2,), horizon=4",
}
INSIDE = 'conditions=["eta <= 1/(2*L)"], assumptions=["strongly convex clients"]'
ROUND = f'me.given("one-round", "D_W(t+1) <= (1 - eta*mu)*D_W(t)", "a lemma", {INSIDE})\n'
TWO = (
    ROUND
    + f"""
me.claim("thm", {{
    "rate": part("D_W(t) <= (1 - eta*mu)**t*D_W(0)", uses=["one-round", "conditions"], by="induction"),
    "last": part("D_W(t) <= 2*(1 - eta*mu)**t*D_W(0)", uses=["thm:rate", "conditions"]),
}}, {INSIDE})
me.claim("after", "D_W(t) <= 3*(1 - eta*mu)**t*D_W(0)", uses=["thm:last", "conditions"], {INSIDE})
"""
)


def standings(folder, body):
    return {name: row["standing"] for name, row in judged(folder, body=body, **PIECES).items()}


def test_parts_are_proved_and_cited_one_by_one(tmp_path):
    assert standings(tmp_path, TWO) == {
        "one-round": "tested",
        "thm": "proved from givens",
        "after": "proved from givens",
    }
    steps = {step.written.id: step for step in replayed("me")}
    assert {"thm:rate", "thm:last", "after"} <= steps.keys()
    assert claim_of("me/after").entry.uses == ("me/thm",)
    assert claim_of("me/thm").entry.uses == ("me/one-round",)  # not itself


def test_one_part_that_is_false_refutes_the_claim_and_what_cites_it_is_not_proved(tmp_path):
    false = TWO.replace("D_W(t) <= 2*(1 - eta*mu)**t*D_W(0)", "2*D_W(t) <= (1 - eta*mu)**t*D_W(0)")
    found = standings(tmp_path, false)
    assert found == {"one-round": "tested", "thm": "refuted", "after": "gap"}
    steps = {step.written.id: step for step in replayed("me")}
    assert steps["thm:rate"].inherited
    assert not steps["thm:last"].inherited


def test_a_part_without_a_proof_keeps_the_claim_from_being_proved(tmp_path):
    body = TWO.replace(', uses=["thm:rate", "conditions"]', "").partition('me.claim("after"')[0]
    assert standings(tmp_path, body) == {"one-round": "tested", "thm": "tested"}


def test_what_a_claim_says_of_all_parts_and_what_a_part_has_of_its_own(tmp_path):
    theory = loaded(
        tmp_path,
        body="""
            me.claim("one", {
                "a": part("D_W(t+1) <= 9*D_W(t)", conditions=["eta <= 1/(4*L)"], first=1),
                "b": "D_W(t+1) <= 8*D_W(t)",
            }, conditions=["eta <= 1/L"], assumptions=["convex clients"])
            me.claim("same", {"a": "n == n", "b": "m == m"})
        """,
        **PIECES | {"problems": "[quadratic([[[2]]], [[1]], [4], 0)]"},
    )
    one, same = (x.claim for x in theory.statements)
    a, b = one.parts
    assert [str(c.right) for c in a.conditions] == ["1/L", "1/(4*L)"]
    assert [str(c.right) for c in b.conditions] == ["1/L"]
    assert a.assumptions == b.assumptions == ("convex clients",)
    assert (a.first_round, b.first_round) == (1, 0)
    assert (one.entry.kind, same.entry.kind) == (Kind.INEQUALITY, Kind.IDENTITY)
    # a step size at the edge of either part is tried
    shares = {parameters_of(x)["eta"] for x in cases(theory, Profile.QUICK, 0)}
    assert shares == {
        2,
        fmpq(1, 2),
        fmpq(1, 4),
        fmpq(1, 8),
        fmpq(1, 16),
    }  # L is 2; "same" has no end


READ = (
    ROUND
    + f"""
me.claim("thm", {{
    "common": part("D_W(t+1) <= D_W(t)", uses=["one-round", "conditions"]),
    "meant": part("D_W(t) <= (1 - eta*mu)**t*D_W(0)", uses=["one-round", "conditions"], by="induction"),
    "harsh": "2*D_W(t) <= (1 - eta*mu)**t*D_W(0)",
}}, readings={{"as meant": ["common", "meant"], "to the letter": ["common", "harsh"]}}, {INSIDE})
"""
)


def test_the_first_reading_is_the_headline_and_each_is_judged(tmp_path):
    path = own_file(tmp_path, body=READ, **PIECES)
    out = tmp_path / "out"
    assert status(["verify", path, "--quick", "--workers", "1", "--out", str(out)]) == 0
    document = document_of(out)
    assert document["claims"]["me/thm"]["standing"] == "proved from givens"
    by_reading = {}
    for record in document["results"]:
        if record["claim"] == "me/thm":
            by_reading.setdefault(record["reading"], []).append(record)
    assert by_reading.keys() == {"as meant", "to the letter"}
    verdicts = {name: {r["verdict"] for r in rows} for name, rows in by_reading.items()}
    assert Verdict.VIOLATED.value in verdicts["to the letter"]
    assert Verdict.VIOLATED.value not in verdicts["as meant"]
    assert {p["part"] for r in by_reading["as meant"] for p in r["parts"]} == {"common", "meant"}


def test_a_headline_that_fails_is_refuted_whatever_the_other_reading_says(tmp_path):
    turned = READ.replace(
        'readings={"as meant": ["common", "meant"], "to the letter": ["common", "harsh"]}',
        'readings={"to the letter": ["common", "harsh"], "as meant": ["common", "meant"]}',
    )
    rows = judged(tmp_path, body=turned, **PIECES)
    assert rows["thm"]["standing"] == "refuted"


def test_a_part_that_readings_share_is_proved_in_each(tmp_path):
    """Planted: a reading whose own part has no proof."""
    loaded(tmp_path, body=READ, **PIECES)
    claim = claim_of("me/thm")
    meant, letter = claim.readings
    proofs = Proofs({"me": replayed("me")}, {}, {}, {})
    assert proofs.proves(claim, meant)
    assert not proofs.proves(claim, letter)
    shared = Reading("shared alone", parts=("common",))
    assert proofs.proves(claim, shared)


def test_slack_is_that_of_the_part_that_decides(tmp_path):
    theory = loaded(tmp_path, body=TWO, **PIECES)
    claim = claim_of("me/thm")
    seen = set()
    for case in cases(theory, Profile.QUICK, 0):
        judged_here = judge([claim], case)
        for found in judged_here.judgements:
            if found.verdict is Verdict.NOT_VIOLATED:
                shares = shares_of(case.setup, found, judged_here.measurement.numbers)
                seen |= {share.name for share in shares}
    assert seen <= {"one-round", "thm:rate", "conditions and dropped terms"}
    assert seen


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ('me.claim("c", {})', "'c' has no parts"),
        ('me.claim("c", {"a b": "n == n"})', "part 'a b' of 'c'; expected letters"),
        ('me.claim("c", {"": "n == n"})', "part '' of 'c'; expected letters"),
        ('me.given("c", {"a": "n == n"}, "why")', "'c' is given in parts"),
        ('me.claim("c", "n == n", readings={"x": ["a"]})', "readings of 'c' are"),
        ('me.claim("c", {"a": "n == n"}, readings={})', "readings of 'c' are {}"),
        ('me.claim("c", {"a": "n == n"}, readings={"x": "a"})', "is the string 'a'"),
        ('me.claim("c", {"a": "n == n"}, readings={"x": []})', "has no parts; expected some"),
        ('me.claim("c", {"a": "n == n"}, readings={"x": ["aa"]})', "unknown part of 'c' 'aa'; the nearest are a"),
        ('me.claim("c", {"a": "n == n", "b": "m == m"}, readings={"x": ["a"]})', "part 'b' of 'c' is in no reading"),
        ('me.claim("c", {"a": "n == n"}, readings={" ": ["a"]})', "name of a reading ' '"),
        ('me.claim("c", {"a": part("n == n", uses=[])})', "the proof of 'c:a' cites nothing"),
        ('me.claim("c", {"a": part("n == n", conditions="n >= 1")})', "conditions is the string"),
        ('me.claim("c", {"a": part("n == n"), "b": part("n == n", uses=["c:a"])})', "'c:b' cites 'c:a', which has no proof"),
        ('me.claim("c", {"b": part("n == n", uses=["c:a"]), "a": "n == n"})', "step cited by 'c:b'"),
        (TWO.replace("thm:last", "thm"), "step cited by 'after': 'thm'"),
        ('me.claim("c", {"a": "n == n", "b": part("n == n", conditions=["eta <= 1/L", "eta >= 2/L"])})',
         "the conditions of me/c:b contradict each other"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_its_line(tmp_path, body, told):
    with pytest.raises(FedboundsError) as caught:
        load(own_file(tmp_path, body=body, **PIECES))
    assert told in str(caught.value)
    assert "mine.py:" in str(caught.value)


def test_the_example_of_the_documentation_is_judged(tmp_path):
    page = (Path(__file__).parents[3] / "docs" / "own_theorem.md").read_text(encoding="utf-8")
    (example,) = (x for x in re.findall(r"```python\n(.+?)```", page, re.S) if "readings=" in x)
    rows = judged(tmp_path, body=example, **PIECES)
    assert rows["theorem"]["standing"] == "proved from givens"
