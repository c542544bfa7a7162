"""`fedbounds prove`, what measurement adds to proofs, and proved steps that a run breaks."""

import json
from dataclasses import replace
from fractions import Fraction

import pytest
from own_files import SMALL, own_file
from small_book import definitions, empty_book, lemma

from fedbounds.errors import ConflictError, FedboundsError
from fedbounds.theory.checker.__main__ import main as recheck
from fedbounds.theory.language.catalogue import entry, paper
from fedbounds.theory.language.claims import AS_PRINTED, Claim, Reading, read
from fedbounds.theory.language.registry import claim, encoded
from fedbounds.theory.personalization.lemmas import LEMMA_32, LEMMA_A2
from fedbounds.theory.proof.library import derived, replayed
from fedbounds.theory.proof.replay import Local, inherit, replay
from fedbounds.verify.commands import prove as prove_run
from fedbounds.verify.commands.command_line import status
from fedbounds.verify.judge import severity as severity_module
from fedbounds.verify.judge.proofs import NOTHING_PROVED, proof_rows, with_measurements
from fedbounds.verify.judge.seen import evaluated
from fedbounds.verify.judge.severity import severity
from fedbounds.verify.judge.summary import summarise
from fedbounds.verify.page.premise_tables import premises_of
from fedbounds.vocabulary import ProofStatus, Relation, Severity, Standing, Verdict

PAPER = "personalization"


@pytest.fixture(scope="module")
def proofs(quick_proofs):
    return quick_proofs(PAPER)


def record(claim_id, part, verdict=Verdict.VIOLATED):
    row = {"part": part, "verdict": verdict.value, "candidate": False}
    return {"claim": claim_id, "reading": AS_PRINTED.name, "parts": [row]}


# ---- the command


def test_prove_writes_certificates_that_the_program_accepts(tmp_path, capsys):
    assert status(["prove", f"{PAPER}/lem-3.2", "--out", str(tmp_path), "--premises"]) == 0
    told = capsys.readouterr().out
    assert "lem-3.2" in told
    assert "premises dropped in turn" in told
    path = tmp_path / "proofs.json"
    assert recheck([str(path)]) == 0
    data = json.loads(path.read_text())
    steps = data[PAPER]["steps"]
    (at,) = [at for at, step in enumerate(steps) if step["id"] == "lem-3.2:u"]
    del steps[at + 1 :]  # accepted as they are, and none of them is cited before
    path.write_text(json.dumps(data))
    assert recheck([str(path)]) == 0
    step = steps[at]
    step["statement"]["right"] = step["statement"]["right"].replace("L**2", "L**2/2")
    path.write_text(json.dumps(data))
    assert recheck([str(path)]) == 1


def test_prove_of_a_false_claim_measures_it_and_shows_its_script(tmp_path, capsys, one_process):
    assert status(["prove", f"{PAPER}/lem-4.3-geo", "--out", str(tmp_path)]) == 0
    told = capsys.readouterr().out
    assert "false" in told
    assert "script: witnesses/" in told


def test_show_prints_the_chain_and_the_derived_constants(tmp_path, capsys):
    assert status(["show", f"{PAPER}/thm-3.7", "--out", str(tmp_path)]) == 0
    told = capsys.readouterr().out
    assert "thm-3.7-desc:rewritten" in told
    assert "derived from one round" in told
    assert all(row.ratio <= 1 for rows in derived(f"{PAPER}/thm-3.7").values() for row in rows)


def test_show_prints_how_small_a_corrections_constant_can_be(tmp_path, capsys):
    assert status(["show", f"{PAPER}/lem-4.3-geo/corrected", "--out", str(tmp_path)]) == 0
    told = capsys.readouterr().out
    assert "smallest constant of its family that is proved: 4/3" in told
    assert "numbers against 85/64: K = 2" in told


def test_numbers_are_shown_against_a_step_without_a_needed_condition():
    (drift,) = [n for n in premises_of([entry(f"{PAPER}/eq-3.4")])
                if n.step == "eq-3.4:drift factor" and "gamma <=" in n.premise]  # fmt: skip
    assert drift.needed
    numbers = {name: Fraction(value) for name, value in drift.numbers}
    assert numbers["left"] > numbers["right"]
    assert 32 * numbers["L"] * numbers["K"] * numbers["gamma"] > 1


# ---- measurement and proof together


def test_an_unproved_part_that_an_instance_breaks_is_false(proofs):
    found = with_measurements(proofs, [record(f"{PAPER}/lem-A.2", "")], {})
    before = {s.written.id: s.local for s in proofs.steps[PAPER]}
    after = {s.written.id: s.local for s in found.steps[PAPER]}
    assert before["lem-A.2"] is Local.DOES_NOT_FOLLOW
    assert {k for k in after if after[k] is not before[k]} == {"lem-A.2"}
    assert after["lem-A.2"] is Local.FALSE


def test_a_proved_part_is_not_made_false_but_a_conflict(proofs):
    rows = [record(f"{PAPER}/lem-3.2", "u")]
    found = with_measurements(proofs, rows, {})
    local = {s.written.id: s.local for s in found.steps[PAPER]}
    assert local["lem-3.2:u"] is Local.PROVED
    full = {
        "reason": "", "evidence": {"method": "exact rationals"}, "parameters": {},
        "constants": {}, "verdict": Verdict.VIOLATED.value, "key": "key",
        "problem": {"instance": "an instance"},
    }  # fmt: skip
    part = {
        "part": "u", "relation": "<=", "verdict": Verdict.VIOLATED.value, "candidate": False,
        "rounds": 1, "equal": 0, "idle": 0, "round": 0, "tightness": None, "beats_trivial": None, "relative_gap": -1.0, "gap": -1.0, "reason": "",
    }  # fmt: skip
    row = rows[0] | full | {"parts": [part]}
    assert summarise(LEMMA_32.entry, [row], {}, proofs)["standing"] == Standing.CONFLICT
    assert summarise(LEMMA_32.entry, [row], {}, NOTHING_PROVED)["standing"] == Standing.REFUTED


def test_rows_name_what_a_step_uses_and_show_corrections(proofs):
    rows = proof_rows(proofs, [LEMMA_32, LEMMA_A2])
    assert rows[LEMMA_32.id]["status"] == ProofStatus.PROVED
    (step,) = [s for s in rows[LEMMA_32.id]["steps"] if s["id"] == "lem-3.2:u"]
    assert any(use["kind"] == "fact" and use["name"].startswith("smooth") for use in step["by"])
    assert "lem-A.2/corrected" in [s["id"] for s in rows[LEMMA_A2.id]["steps"]]
    assert rows[PAPER]["status"] is None


# ---- severity


def test_a_proved_reading_with_another_relation_is_a_typo(proofs):
    assert severity(LEMMA_A2, proofs) == Severity.TYPO
    assert severity(LEMMA_A2, NOTHING_PROVED) is None
    assert severity(LEMMA_32, proofs) is None  # it is proved


@pytest.mark.parametrize(
    ("change", "grade"),
    [
        ({}, Severity.TYPO),
        ({"relation": Relation.EQUAL}, Severity.TYPO),
        ({"factor": 2}, Severity.CONSTANT),
        ({"conditions": ()}, Severity.CONDITION),
        ({"assumptions": ()}, Severity.CONDITION),
    ],
)
def test_a_change_is_graded(change, grade):
    part = LEMMA_32.part("u")
    factor = change.pop("factor", 1)
    other = replace(part, right=part.right * factor, **change)
    assert severity_module._change(part, other) is grade


def test_a_new_term_is_graded_as_a_rate():
    part = LEMMA_32.part("u")
    other = replace(part, right=part.right + claim(f"{PAPER}/lem-3.4").part("").right)
    assert severity_module._change(part, other) is Severity.RATE


# ---- proved steps on the running algorithm


def test_proved_steps_are_evaluated_and_hold(proofs):
    assert proofs.steps[PAPER] == replayed(PAPER)
    seen = proofs.seen[PAPER]
    assert len(seen) > 200
    assert seen["lem-3.2:u"].instances > 4
    assert {"thm-3.7", "eq-A.2: client"} <= seen.keys()  # of a run, and of one client


@pytest.mark.parametrize("factor", [0, -1])
def test_a_wrong_step_that_claims_to_be_proved_is_a_conflict(factor):
    steps = replay(lemma(definitions(empty_book())))
    last = steps[-1]
    wrong = replace(last, written=replace(last.written, right=last.written.right * factor - 1))
    with pytest.raises(ConflictError, match=r"lem-3\.2:u"):
        evaluated([*steps[:-1], wrong], PAPER)
    unproved = inherit([*steps[:-1], replace(wrong, local=Local.OPEN, certificate=None)])
    assert evaluated(unproved, PAPER)["lem-3.2:u"].least < 0


def test_readings_and_parts_of_a_proof_are_those_of_the_claim(proofs):
    for step in proofs.steps[PAPER]:
        if step.written.reading and entry(step.written.claim).source != "ours":
            found = claim(step.written.claim)
            reading = next(r for r in found.readings if r.name == step.written.reading)
            assert isinstance(reading, Reading)
            (part,) = [p for p in read(found, reading) if p.name == step.written.part]
            assert (part.left, part.right) == (step.written.left, step.written.right)


def test_verify_leaves_certificates_beside_the_results(tmp_path, capsys):
    path = own_file(
        tmp_path, body='me.claim("a", "D_W(t) <= 2*D_W(t)", uses=["conditions"])', problems=SMALL
    )
    assert (
        status(["verify", path, "--quick", "--workers", "1", "--out", str(tmp_path / "results")])
        == 0
    )
    capsys.readouterr()
    assert recheck([str(tmp_path / "results" / "proofs.json")]) == 0
    assert "me/a, a: proved" in capsys.readouterr().out


# ---- claims named by themselves


@pytest.fixture
def nothing_replayed(monkeypatch):
    monkeypatch.setattr(
        "fedbounds.theory.proof.library.Replays", lambda _: pytest.fail("a book was replayed")
    )
    monkeypatch.setattr(prove_run, "prove_entries", lambda *_: pytest.fail("work was begun"))


@pytest.mark.parametrize(
    "names",
    [["eq-4.7"], ["prob-1.1"], ["asm-2.1"], ["eq-4.7", "lem-3.2", "asm-2.1"]],
    ids=["no steps", "a definition", "an assumption", "among others"],
)
def test_a_claim_without_a_proof_is_refused_before_any_work(
    names, nothing_replayed, tmp_path, capsys
):
    ids = [f"{PAPER}/{name}" for name in names]
    assert status(["prove", *ids, "--out", str(tmp_path / "out")]) == 2
    err = capsys.readouterr().err
    assert "no proof" in err
    assert err.count("\n") == 1
    assert [name for name in ids if name in err] == [x for x in ids if x != LEMMA_32.id]
    assert not (tmp_path / "out").exists()


def test_every_claim_with_a_row_of_its_own_has_a_proof(proofs):
    entries = paper(PAPER).entries
    claims = [found for e in entries if e.module and isinstance(found := encoded(e), Claim)]
    rows = proof_rows(proofs, claims)
    lacking = [claim.id for claim in claims if claim.id not in rows]
    assert lacking
    prove_run.require_proofs([entry(name) for name in rows if name != PAPER])
    for name in lacking:
        with pytest.raises(FedboundsError, match=f"{name} has no proof"):
            prove_run.require_proofs([entry(name)])
