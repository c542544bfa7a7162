"""A claim's line: refusals are counted with their reasons, and coverage needs no m or T."""

import pytest

from fedbounds.theory.language.catalogue import entry
from fedbounds.verify.judge.standing import coverage
from fedbounds.verify.judge.summary import summarise
from fedbounds.vocabulary import Standing, StatementStatus, Verdict

UNLIKE = {"b^2": {"value": "1"}}  # of which the lemma speaks
LEMMA = entry("personalization/lem-3.4")


def row(verdict, reason="", reading="as printed", **changed):
    number = {"tightness": None, "relative_gap": None, "beats_trivial": None}
    number |= {"rounds": 1, "equal": 0, "idle": 0, "reason": reason}
    part = {"part": "", "verdict": verdict.value, "relation": "<=", "candidate": False} | number
    return {
        "claim": LEMMA.id, "reading": reading, "verdict": verdict.value, "reason": reason,
        "parts": [part], "parameters": {"n": 3, "m": 2, "T": 4}, "constants": {},
        "evidence": {"method": "exact moments"},
    } | changed  # fmt: skip


def test_refused_records_are_counted_by_reason_without_their_numbers():
    found = summarise(
        LEMMA,
        [
            row(Verdict.NOT_VIOLATED, constants=UNLIKE),
            row(Verdict.OUTSIDE, "gamma <= 1/(32*K*L) fails: 0.5 against 0.03"),
            row(Verdict.OUTSIDE, "gamma <= 1/(32*K*L) fails: 0.7 against 0.03"),
            row(Verdict.OUTSIDE, "m == n fails: 2 against 3"),
            row(Verdict.NOT_APPLICABLE, "speaks of no round of this run"),
        ],
        {},
    )
    assert found["readings"][0]["refused"] == {
        "not applicable: speaks of no round of this run": 1,
        "outside conditions: gamma <= 1/(32*K*L) fails": 2,
        "outside conditions: m == n fails": 1,
    }
    assert found["readings"][0]["coverage"]["instances"] == 1
    assert found["standing"] == Standing.TESTED


def test_only_refusals_leave_a_claim_open():
    found = summarise(LEMMA, [row(Verdict.OUTSIDE, "m == n fails: 2 against 3")], {})
    assert found["statement"] == StatementStatus.UNTESTED
    assert found["standing"] == Standing.OPEN
    assert sum(found["readings"][0]["refused"].values()) == 1


def test_records_of_another_claim_do_not_count():
    other = row(Verdict.VIOLATED) | {"claim": "personalization/lem-3.5"}
    found = summarise(LEMMA, [row(Verdict.NOT_VIOLATED), other], {})
    assert found["statement"] == StatementStatus.SURVIVED


def test_what_a_definition_is_not_judged_by():
    found = summarise(entry("personalization/prob-1.1"), [], {})
    assert (found["standing"], found["statement"]) == (None, None)
    assert found["reason"]


@pytest.mark.parametrize("missing", ["m", "T", "K", "gamma"])
def test_coverage_does_without_any_parameter(missing):
    """A ladder in m has no single m; a point of a sum has K and j only."""
    parameters = {"n": 2, "m": 2, "K": 1, "T": 1, "gamma": 0.5}
    found = coverage([row(Verdict.NOT_VIOLATED, parameters={
        name: value for name, value in parameters.items() if name != missing
    })])  # fmt: skip
    assert found["instances"] == 1
    assert missing not in found["ranges"]
    assert found["ranges"].keys() == parameters.keys() - {missing, "gamma"}
    gone = {"m": {"m=n"}, "T": {"T=1"}, "K": {"K=1", "T=1"}, "gamma": set()}
    assert set(found["corners"]) == {"m=n", "n=2", "K=1", "T=1"} - gone[missing]


def test_coverage_of_nothing_but_dimensions_is_empty():
    found = coverage([row(Verdict.NOT_VIOLATED, parameters={"d_u": 1, "gamma": None})])
    assert (found["ranges"], found["corners"]) == ({}, [])
