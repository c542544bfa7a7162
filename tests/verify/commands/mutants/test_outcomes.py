"""What becomes of a mutant, from what its proof and set-ups say, and from its original."""

from dataclasses import replace

import pytest

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.registry import claim
from fedbounds.verify.commands.mutants import measured
from fedbounds.verify.commands.mutants import rows as made
from fedbounds.verify.commands.mutants.measured import Asked, Seen, survey
from fedbounds.verify.commands.mutants.proved import Word
from fedbounds.verify.commands.mutants.rows import Outcome, Subject, row, rows, subjects
from fedbounds.verify.judge.plan import quick_cases


@pytest.fixture(scope="module")
def subject() -> Subject:
    every = subjects("fedplt", [claim("fedplt/A2.1")])
    return next(one for one in every if one.part.name == "a")


def test_a_bound_halved_is_caught_by_both_and_a_doubled_one_is_weaker(subject: Subject) -> None:
    wanted = [m for m in subject.mutants if (m.operator, m.place) == ("constant", "right")]
    found = rows("fedplt", [replace(subject, mutants=tuple(wanted))], quick_cases("fedplt")[:60])
    outcomes = {x.mutant.change: x.outcome for x in found}
    assert {Outcome.BOTH, Outcome.WEAKER} <= set(outcomes.values()), outcomes


@pytest.mark.parametrize(
    ("word", "broken", "outcome"),
    [
        (Word.BROKEN, "a set-up", Outcome.BOTH),
        (Word.BROKEN, "", Outcome.PROOF),
        (Word.OPEN, "a set-up", Outcome.MEASUREMENT),
        (Word.OPEN, "", Outcome.MISSED),
        (Word.PROVED, "", Outcome.PROVED),
        (Word.PROVED, "a set-up", Outcome.CONFLICT),
    ],
)
def test_proof_and_measurement_make_an_outcome(
    monkeypatch: pytest.MonkeyPatch, subject: Subject, word: Word, broken: str, outcome: Outcome
) -> None:
    monkeypatch.setattr(made, "tried", lambda *_: word)
    mutant = subject.mutants[0]
    seen = {subject.part: Seen(held=3), mutant.part: Seen(broken, 2)}
    assert row(subject, mutant, "", seen).outcome is outcome


@pytest.mark.parametrize("proved", [True, False])
def test_nothing_is_caught_where_the_original_is_broken(subject: Subject, proved: bool) -> None:
    one = subject if proved else replace(subject, proof=None)
    mutant = one.mutants[0]
    seen = {one.part: Seen("a set-up"), mutant.part: Seen("a set-up")}
    expected = Outcome.CONFLICT if proved else Outcome.REFUTED
    assert row(one, mutant, "", seen).outcome is expected


def test_a_set_up_that_cannot_be_measured_is_counted_and_the_others_are_looked_at(
    monkeypatch: pytest.MonkeyPatch, subject: Subject
) -> None:
    """Past its own edge a file's constant may be negative: one such run ended the table."""
    plan = [case for case in quick_cases("fedplt") if "one step" in case.name][:3]
    plain = measured.measure

    def refuses_one(case):  # type: ignore[no-untyped-def]
        if case is plan[1]:
            raise FedboundsError("the constant 'rate' is -1 on a run; expected a number >= 0")
        return plain(case)

    asked = [Asked(subject.claim, subject.part, ())]
    every = survey(asked, plan)[subject.part]
    monkeypatch.setattr(measured, "measure", refuses_one)
    found = survey(asked, plan)[subject.part]
    assert (found.others["not measured"], found.held) == (1, every.held - 1)
