"""What a file of certificates says of its theorems: from which givens, and what is not proved."""

import json
from dataclasses import replace

import pytest
from checker_theory import THEORY, cite, claim

from fedbounds.theory.checker.__main__ import main
from fedbounds.theory.checker.data import Certificate, Step
from fedbounds.theory.checker.errors import Refused
from fedbounds.theory.checker.files import book_data, step_data
from fedbounds.theory.checker.recheck import recheck

ABSURD = Step("asm absurd", claim("1 <= 0"), Certificate("given", origin="nowhere"))
DEFINED = Step("def A", claim("A(t) == x"), Certificate("given", origin="(1)"))
FROM_ABSURD = Step(
    "thm", claim("f(t) <= A(t)"), Certificate("combine", premises=(cite("asm absurd"),))
)
LEMMA = Step("lem", claim("f(t) <= A(t)", assumptions=("smooth",)), Certificate("combine"))
FROM_LEMMA = Step(
    "thm",
    claim("f(t) <= 2*A(t)", assumptions=("smooth",)),
    Certificate("combine", premises=(cite("lem"),)),
)
FROM_DEFINITION = Step(
    "thm", claim("A(t) <= 2*x"), Certificate("combine", premises=(cite("def A"),))
)


def claim_of(step):
    """A given of a paper is no claim; one of a user's file is."""
    return "" if step.certificate.rule == "given" else "p/" + step.id


def book(*steps, unproved=()):
    rows = [step_data(step) | {"claim": claim_of(step)} for step in steps]
    for row in rows:
        if row["id"] in unproved:
            row["certificate"] = None
    return json.loads(json.dumps(book_data(THEORY, rows)))


def last(*steps, **more):
    return recheck(book(*steps, **more))[-1]


def said(tmp_path, capsys, *steps, **more):
    path = tmp_path / "proofs.json"
    path.write_text(json.dumps({"p": book(*steps, **more)}))
    status = main([str(path)])
    return status, capsys.readouterr().out


def test_a_theorem_that_cites_an_unproved_step_is_not_proved(tmp_path, capsys):
    assert last(LEMMA, FROM_LEMMA, unproved=("lem",)).missing == ("lem",)
    _, out = said(tmp_path, capsys, LEMMA, FROM_LEMMA, unproved=("lem",))
    assert "p/thm, thm: rests on what is not proved: lem" in out
    assert "0 proved from definitions" in out


def test_a_false_given_is_named(tmp_path, capsys):
    absurd = replace(
        FROM_ABSURD, certificate=Certificate("combine", premises=(cite("asm absurd", "1"),))
    )
    assert last(ABSURD, absurd).givens == ("asm absurd",)
    status, out = said(tmp_path, capsys, ABSURD, replace(absurd, statement=claim("0 <= x")))
    assert status == 0
    assert "p/thm, thm: proved from givens: asm absurd" in out
    assert "0 proved from definitions and assumptions alone, 1 from givens" in out


def test_a_given_that_is_a_claim_defines_nothing():
    """A user's quantity is what the file measures, whatever a given says that it stands for."""
    data = book(DEFINED, FROM_DEFINITION)
    assert recheck(data)[-1].givens == ()
    data["steps"][0]["claim"] = "me/A"
    assert "def A" in recheck(data)[-1].givens


def test_a_definition_is_no_given(tmp_path, capsys):
    assert last(DEFINED, FROM_DEFINITION).givens == ()
    _, out = said(tmp_path, capsys, DEFINED, FROM_DEFINITION)
    assert "1 proved from definitions and assumptions alone" in out


@pytest.mark.parametrize(
    "statement",
    [
        claim("A(t) <= x"),  # an inequality
        claim("A(t) == A(0) + x"),  # in terms of itself
        claim("2*A(t) == x"),
        claim("A(t) == x", "x <= 1"),  # under a condition
        claim("A(t) == x", assumptions=("smooth",)),
    ],
)
def test_what_supposes_something_is_a_given(statement):
    given = replace(DEFINED, statement=statement)
    assert recheck(book(given))[0].givens == ("def A",)


def test_a_name_that_was_spoken_of_is_not_defined_again():
    again = replace(DEFINED, id="def A again", statement=claim("A(t) == 2*x"))
    assert [one.givens for one in recheck(book(DEFINED, again))] == [(), ("def A again",)]


def test_assumptions_are_told(tmp_path, capsys):
    lemma = replace(LEMMA, certificate=Certificate("given", origin="(2)"))
    _, out = said(tmp_path, capsys, lemma, FROM_LEMMA)
    assert "proved from givens: sign of A, lem; assumes smooth" in out


@pytest.mark.parametrize("place", ["symbols", "quantities", "always", "per_client"])
def test_an_edited_theory_is_refused(place, tmp_path, capsys):
    data = book(DEFINED)
    edits = {"symbols": {"x": "integer"}, "quantities": {"f": True}}
    if place in edits:
        data["theory"][place] |= edits[place]
    else:
        data["theory"][place] = []
    with pytest.raises(Refused, match="edited"):
        recheck(data)
    path = tmp_path / "proofs.json"
    path.write_text(json.dumps({"p": data}))
    assert main([str(path)]) == 2
    assert "edited" in capsys.readouterr().out


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"p": 1}', '{"p": {}}', '{"p": {"hash": "", "theory": [], "steps": 1}}',
             "[" * 100_000]
)  # fmt: skip
def test_what_is_no_file_of_certificates_is_one_line(text, tmp_path, capsys):
    path = tmp_path / "proofs.json"
    path.write_text(text)
    assert main([str(path)]) == 2
    assert len(capsys.readouterr().out.splitlines()) == 1


def test_without_a_file_it_says_what_to_type(capsys):
    assert main([]) == 2
    assert "proofs.json" in capsys.readouterr().out
