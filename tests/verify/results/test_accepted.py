"""Who accepts a proved step is asked of each: our checker, the second one, and Coq's table."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from fedbounds import second_checker
from fedbounds.theory.language.catalogue import select
from fedbounds.theory.proof.library import certificates, papers
from fedbounds.verify.commands.command_line import cli
from fedbounds.verify.page.steps import accepted_by
from fedbounds.verify.results import accepted
from fedbounds.verify.results.accepted import answers_of, digest_of, kept_answers, with_answers
from fedbounds.verify.results.store import Store

PAPER = "fedplt"
CLAIM = "fedplt/A2.4"


def own_steps(claim=CLAIM):
    steps = certificates(PAPER, {claim})["steps"]
    own = (row for row in steps if row["claim"] == claim and row["certificate"])
    return [row for row in own if row["certificate"]["rule"] != "given"]


def table(**changes):
    data = certificates(PAPER, {CLAIM})
    steps = {row["id"]: [digest_of(row), accepted.ACCEPTED] for row in own_steps()}
    return {"coq": "Coq", "theory": data["hash"], "general": "", "steps": steps} | changes


def test_every_proved_step_of_a_claim_is_answered_for(monkeypatch):
    monkeypatch.setattr(accepted, "_table", lambda paper: table())
    found = answers_of(PAPER, {CLAIM})
    assert found.keys() == {row["id"] for row in own_steps()} != set()
    assert {said["second"] for said in found.values()} == {accepted.ACCEPTED}
    assert {said["coq"] for said in found.values()} == {accepted.ACCEPTED}


def test_what_coq_said_of_another_theory_or_another_certificate_counts_for_nothing(monkeypatch):
    first, *rest = [row["id"] for row in own_steps()]
    edited = table()
    edited["steps"][first][0] = "0" * 16
    monkeypatch.setattr(accepted, "_table", lambda paper: edited)
    found = answers_of(PAPER, {CLAIM})
    assert found[first]["coq"] == accepted.NOT_ASKED
    assert all(found[x]["coq"] == accepted.ACCEPTED for x in rest)
    monkeypatch.setattr(accepted, "_table", lambda paper: table(theory="0" * 64))
    assert {x["coq"] for x in answers_of(PAPER, {CLAIM}).values()} == {accepted.NOT_ASKED}


def test_a_refusal_of_the_second_checker_is_told(monkeypatch):
    answers = second_checker.answers
    monkeypatch.setattr(
        second_checker, "answers", lambda book: ((name, "planted") for name, _ in answers(book))
    )
    found = answers_of(PAPER, {CLAIM})
    assert {said["second"] for said in found.values()} == {"refused: planted"}
    told = accepted_by({"id": name, "accepted": said} for name, said in found.items())
    assert f"second checker: {len(found)} refused: planted" in told


def test_a_step_that_fails_is_not_accepted_with_another_of_its_id():
    """The paper's step is false; ours, of the same id, is proved."""
    paper, ours = (
        {"id": "A2.2-part1:d", "claim": "fedplt/A2.2-part1", "local": local}
        for local in ("does not follow", "proved")
    )
    rows = {"fedplt/A2.2-part1": {"steps": [paper, ours]}}
    found = with_answers(rows, answers_of)["fedplt/A2.2-part1"]["steps"]
    assert found[0] == paper
    assert found[1]["accepted"]["second"] == accepted.ACCEPTED


def test_of_two_certificates_of_one_id_the_one_not_accepted_is_told(monkeypatch):
    answers = second_checker.answers

    def first_refused(book):
        seen = set()
        for name, _ in answers(book):
            yield name, "" if name in seen else "planted"
            seen.add(name)

    monkeypatch.setattr(second_checker, "answers", first_refused)
    said = answers_of("personalization", {"personalization/lem-4.4-young"})
    assert said["lem-4.4-young:v"]["second"] == "refused: planted"


def test_steps_that_are_not_proved_have_no_answers():
    rows = {CLAIM: {"steps": [{"id": x, "claim": CLAIM, "local": "proved"} for x in ("a", "b")]}}
    said = {"second": "accepted", "coq": "withheld: a fact"}
    found = with_answers(rows, lambda paper, claims: {"a": said})
    assert found[CLAIM]["steps"][1] == {"id": "b", "claim": CLAIM, "local": "proved"}
    told = accepted_by(found[CLAIM]["steps"])
    assert told == (
        "accepted by: first checker (1 of 1 step), second checker (1), Coq (0); "
        "Coq: 1 withheld: a fact"
    )
    assert accepted_by(found[CLAIM]["steps"][1:]) == ""


def test_answers_are_kept_and_asked_again_of_another_checker(tmp_path, monkeypatch):
    store = Store(tmp_path)
    with store.writing():
        found = kept_answers(store)(PAPER, {CLAIM})
    monkeypatch.setattr(second_checker, "answers", None)  # is not asked again
    with store.writing():
        assert kept_answers(store)(PAPER, {CLAIM}) == found
    monkeypatch.setattr(accepted, "_table", lambda paper: table(coq="another"))
    with store.writing(), pytest.raises(TypeError):
        kept_answers(store)(PAPER, {CLAIM})


@pytest.mark.parametrize("command", ["show", "audit"])
def test_commands_say_by_whom(command, tmp_path):
    done = CliRunner().invoke(
        cli, [command, CLAIM, *(["--out", str(tmp_path)] if command == "show" else [])]
    )
    assert done.exit_code == 0
    number = len(own_steps())
    assert f"accepted by: first checker ({number} of {number} step" in done.output
    assert f"second checker ({number})" in done.output


@pytest.mark.parametrize("paper", papers())
def test_the_table_of_coq_is_of_todays_theory(paper):
    """Else it is to be made again: `fedbounds export coq PAPER --table DIR`."""
    found = accepted._table(paper)
    counts = (
        Path(__file__).parents[3].joinpath("benchmarks", "coq", f"{paper}.md").read_text("utf-8")
    )
    data = certificates(paper, {entry.id for entry in select((paper,))})
    assert found["theory"] == data["hash"]
    digests = {r["id"]: digest_of(r) for r in data["steps"] if r["certificate"]}
    known = {name: digest for name, (digest, _) in found["steps"].items()}
    assert known == {name: digests[name] for name in known}
    # and the committed page of counts is of the same run
    proved = [r for r in data["steps"] if r["certificate"] and r["certificate"]["rule"] != "given"]
    said = [found["steps"][row["id"]][1] for row in proved]  # some have two certificates
    withheld = sum(one.startswith("withheld: ") for one in said)
    row = (len(said), len(said) - withheld, said.count("accepted"), said.count("refused"))
    row += (said.count("out of time"),)
    assert f"| {' | '.join(map(str, (*row, withheld)))} |" in counts
