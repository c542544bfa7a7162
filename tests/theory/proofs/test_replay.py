"""Books of proofs: citations, what is inherited, the status of a claim, certificates as data."""

import json
from dataclasses import replace

import pytest
from small_book import DEFINITIONS, SQUARE, definitions, empty_book, lemma

from fedbounds.errors import FedboundsError
from fedbounds.facts import Fact
from fedbounds.theory.checker.__main__ import main
from fedbounds.theory.checker.check import check
from fedbounds.theory.checker.data import Certificate, Step
from fedbounds.theory.checker.errors import Refused
from fedbounds.theory.checker.files import book_data, step_data, step_of, theory_data, theory_of
from fedbounds.theory.checker.recheck import refusals
from fedbounds.theory.language.symbols import G_u, K, L, gamma, n, t
from fedbounds.theory.personalization.lemmas import LEMMA_32
from fedbounds.theory.personalization.proofs.scopes import FEDAVG, au, hu
from fedbounds.theory.personalization.symbols import E, T_1u
from fedbounds.theory.proof.language import cite, fact, square
from fedbounds.theory.proof.replay import Local, marked_false, replay
from fedbounds.theory.proof.status import proof_of
from fedbounds.theory.proof.vectors import given, past, sq
from fedbounds.vocabulary import ProofStatus

BOUND = -K * gamma / 2 * G_u(t) + L**2 * gamma / n * E(t)
SMOOTH = [Fact.SMOOTH]
STEP = LEMMA_32.part("u").conditions


def status(steps):
    return {step.written.id: step.local for step in steps if step.local is not Local.GIVEN}


def chain(uses=None, **more):
    """Lemma 3.2's first part, and a weaker inequality that rests on it."""
    book = lemma(definitions(empty_book()), uses, **more)
    book.line("weaker", T_1u(t), "<=", L**2 * gamma / n * E(t), ["lem-3.2:u"], assumptions=SMOOTH,
              conditions=STEP, vectors=False)  # fmt: skip
    return book


# ---- citations


def test_a_proved_chain_has_certificates_that_the_checker_accepts():
    steps = replay(chain())
    assert status(steps) == {"lem-3.2:u": Local.PROVED, "weaker": Local.PROVED}
    assert all(step.inherited and not step.reason for step in steps)


def test_an_unknown_citation_names_the_nearest_step():
    book = lemma(definitions(empty_book()), ["def T_1v"])
    with pytest.raises(FedboundsError, match=r"unknown step .*'def T_1v'.*nearest.*def T_1u"):
        replay(book)


def test_a_later_citation_is_an_error():
    book = definitions(empty_book())
    book.line(
        "early",
        T_1u(t),
        "<=",
        BOUND,
        ["lem-3.2:u"],
        assumptions=SMOOTH,
        conditions=STEP,
        vectors=False,
    )
    lemma(book)
    with pytest.raises(FedboundsError, match=r"'early' cites 'lem-3\.2:u', which comes later"):
        replay(book)


def test_a_circular_chain_is_shown():
    book = definitions(empty_book())
    sides = T_1u(t), "<=", BOUND
    for name, other in (("one", "two"), ("two", "three"), ("three", "one")):
        book.line(name, *sides, [other], vectors=False)
    with pytest.raises(FedboundsError, match=r"circular chain: one <- two <- three <- one"):
        replay(book)


def test_a_step_cannot_cite_itself():
    book = empty_book()
    book.line("own", T_1u(t), "<=", BOUND, ["own"], vectors=False)
    with pytest.raises(FedboundsError, match="'own' cites itself"):
        replay(book)


def test_a_step_is_written_once_per_source():
    book = lemma(definitions(empty_book()))
    with pytest.raises(FedboundsError, match="written twice"):
        lemma(book)
    lemma(book, source="ours")


def test_an_unknown_part_names_those_there_are():
    with pytest.raises(FedboundsError, match=r"part of lem-3\.2 'w'"):
        empty_book().prove("lem-3.2", "w")


def test_an_undeclared_vector_refuses_the_step():
    other = given(au, past) + hu.func("zz", "z")
    steps = replay(lemma(definitions(empty_book()), [*DEFINITIONS, square(other)]))
    assert "undeclared" in steps[-1].reason


# ---- what is inherited


def test_a_failed_step_does_not_stop_later_ones_but_marks_them():
    first, last = replay(chain([*DEFINITIONS, SQUARE]))[-2:]  # smoothness dropped
    assert first.local is not Local.PROVED
    assert (last.local, last.inherited, last.missing) == (Local.PROVED, False, ("lem-3.2:u",))


def test_our_proof_mends_what_rests_on_it_and_the_papers_failure_stays_named():
    book = lemma(definitions(empty_book()), [*DEFINITIONS, SQUARE])
    lemma(book, source="ours")
    book.line("weaker", T_1u(t), "<=", L**2 * gamma / n * E(t), ["lem-3.2:u"], assumptions=SMOOTH,
              conditions=STEP, vectors=False)  # fmt: skip
    last = replay(book)[-1]
    assert last.inherited
    assert last.failed == ("lem-3.2:u",)


def test_steps_marked_false_keep_their_reason():
    steps = replay(chain([*DEFINITIONS, SQUARE]))
    marked = marked_false(steps, {"lem-3.2:u"})
    assert status(marked)["lem-3.2:u"] is Local.FALSE
    assert marked[-2].reason == steps[-2].reason


def test_a_proved_step_is_not_marked_false():
    steps = replay(chain())
    assert status(steps)["lem-3.2:u"] is Local.PROVED
    assert status(marked_false(steps, {"lem-3.2:u"})) == status(steps)


# ---- the status of a claim


def test_a_part_needs_a_step_for_every_algorithm_of_its_claim():
    one_part = replace(LEMMA_32, parts=(LEMMA_32.part("u"),), algorithms=("A",))
    steps = [of_algorithm(step, "A") for step in replay(chain())]
    assert proof_of(one_part, steps).status is ProofStatus.PROVED
    both = replace(one_part, algorithms=("A", "B"))
    assert proof_of(both, steps).open == ("part u",)
    own = replace(both, parts=(replace(one_part.parts[0], algorithm="A"),))
    assert proof_of(own, steps).status is ProofStatus.PROVED


def of_algorithm(step, name):
    statement = replace(step.written.statement, algorithm=name)
    return replace(step, written=replace(step.written, statement=statement))


def both_parts(**more):
    book = lemma(definitions(empty_book()), **more)
    book.prove("lem-3.2", "v", [])
    return replay(book)


def test_a_claim_is_open_while_a_part_has_no_step_and_has_a_gap_where_one_rests_on_nothing():
    found = proof_of(LEMMA_32, both_parts())
    assert (found.status, found.failed) == (ProofStatus.GAP, ("lem-3.2:v",))
    found = proof_of(LEMMA_32, replay(chain()))
    assert (found.status, found.open) == (ProofStatus.OPEN, ("part v",))


def test_a_claim_with_every_part_proved_is_proved():
    one_part = replace(LEMMA_32, parts=LEMMA_32.parts[:1])
    assert proof_of(one_part, replay(chain())).status is ProofStatus.PROVED


def test_a_claim_whose_step_fails_has_a_gap_unless_ours_proves_it():
    one_part = replace(LEMMA_32, parts=LEMMA_32.parts[:1])
    broken = marked_false(replay(chain([*DEFINITIONS, SQUARE])), {"lem-3.2:u"})
    found = proof_of(one_part, broken)
    assert (found.status, found.failed) == (ProofStatus.GAP, ("lem-3.2:u",))
    book = lemma(definitions(empty_book()), [*DEFINITIONS, SQUARE])
    lemma(book, source="ours")
    found = proof_of(one_part, replay(book))
    assert (found.status, found.ours) == (ProofStatus.PROVED_OTHERWISE, ("lem-3.2:u",))


def test_a_failed_inner_line_leaves_the_part_proved_otherwise():
    one_part = replace(LEMMA_32, parts=LEMMA_32.parts[:1])
    book = chain()
    book.line("inner", sq(hu - au), "<=", 0, [], scope=FEDAVG, claim="lem-3.2")
    assert proof_of(one_part, replay(book)).status is ProofStatus.PROVED_OTHERWISE


# ---- certificates as data


def data_of(book):
    steps = [step_data(step.step) for step in replay(book) if step.certificate]
    return json.loads(json.dumps(book_data(book.theory, steps)))


def test_certificates_survive_a_round_trip():
    book = chain()
    for found in replay(book):
        assert step_of(json.loads(json.dumps(step_data(found.step)))) == found.step
    assert theory_of(json.loads(json.dumps(theory_data(book.theory)))) == book.theory


def test_the_program_accepts_what_was_proved_and_refuses_what_was_changed(tmp_path, capsys):
    data = data_of(chain())
    assert refusals(data) == {}
    path = tmp_path / "proofs.json"
    path.write_text(json.dumps({"personalization": data}))
    assert main([str(path)]) == 0
    data["steps"][3]["statement"]["right"] = "0"
    path.write_text(json.dumps({"personalization": data}))
    assert main([str(path)]) == 1
    assert "lem-3.2:u" in capsys.readouterr().out


@pytest.mark.parametrize("change", [
    {"premises": ()},
    {"squares": ()},
    {"rule": "trust me"},
    {"scope": ""},
])  # fmt: skip
def test_a_changed_certificate_is_refused(change):
    book = chain()
    steps = replay(book)
    earlier = {s.written.id: s.written.statement for s in steps}
    step = steps[3].step
    check(book.theory, step, earlier)
    with pytest.raises(Refused):
        check(book.theory, Step(step.id, step.statement, replace(step.certificate, **change)),
              earlier)  # fmt: skip


def test_a_given_statement_needs_an_origin():
    step = replay(chain())[0].step
    with pytest.raises(Refused, match="origin"):
        check(chain().theory, replace(step, certificate=Certificate("given")), {})


def test_citing_at_another_round_than_claimed_is_refused():
    book = definitions(empty_book())
    lemma(book)
    book.line("shifted", T_1u(t + 1), "<=", BOUND.subs(t, t + 1),
              [cite("lem-3.2:u", at={t: t + 1})], assumptions=SMOOTH, conditions=STEP, vectors=False)  # fmt: skip
    assert "not claimed at round" in replay(book)[-1].reason


def test_an_assumption_that_a_premise_makes_must_be_made():
    book = definitions(empty_book())
    book.line("free", T_1u(t), "<=", BOUND, [*DEFINITIONS, fact("smooth", hu, au), SQUARE],
              scope=FEDAVG, vectors=False)  # fmt: skip
    assert "assumes smooth" in replay(book)[-1].reason
