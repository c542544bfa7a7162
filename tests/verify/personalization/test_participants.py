"""The mean of the participants' vectors: values of another program, all sets, planted errors."""

import json
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import pytest
from set_ups import vectors_case, vectors_setup

from fedbounds.algorithms import participant_mean
from fedbounds.errors import FedboundsError
from fedbounds.theory.language.registry import claim
from fedbounds.theory.personalization.participants import PLANNED
from fedbounds.theory.proof.library import book_of
from fedbounds.verify.decide.case import find, parameters_of
from fedbounds.verify.judge.judge import judge
from fedbounds.verify.search.witness import find_witness
from fedbounds.verify.setups import steps
from fedbounds.vocabulary import Verdict

KEPT = json.loads(
    (Path(__file__).parents[2] / "data" / "personalization_participants_exact.json").read_text()
)
LEMMA = claim("personalization/lem-A.2")
ROWS = ((1, "1/2"), (-2, 0), (4, -1), (0, 3))


def values(setup):
    """Of round 0, as text."""
    found = find(setup)
    assert not found.undefined
    assert not found.missing
    return {name: str(series[0]) for name, series in found.series.items()}


def test_every_quantity_is_the_rational_that_was_kept():
    planned = {one.name: one.setup for one in PLANNED}
    assert planned.keys() == KEPT.keys()
    assert {name: values(setup) for name, setup in planned.items()} == KEPT


def square(row):
    return sum(x * x for x in row)


def mean(rows):
    return [sum(column) / len(rows) for column in zip(*rows, strict=True)]


@pytest.mark.parametrize("m", [1, 2, 3, 4])
def test_quantities_are_what_all_sets_of_participants_say(m):
    rows = [[Fraction(x) for x in row] for row in ROWS]
    sets = list(combinations(rows, m))
    centre = mean(rows)
    pairs = [
        sum(a * b for a, b in zip(one, other, strict=True))
        for i, one in enumerate(rows)
        for j, other in enumerate(rows)
        if i != j
    ]
    assert {name: Fraction(text) for name, text in values(vectors_setup(ROWS, m)).items()} == {
        "S_2": sum(square(mean(own)) for own in sets) / len(sets),
        "X_2": square(centre),
        "D_2": sum(square([x - y for x, y in zip(row, centre, strict=True)]) for row in rows),
        "O_2": sum(map(square, rows)),
        "N_2": sum(pairs),
    }


def test_another_mean_of_the_server_is_refused(monkeypatch):
    """What the definition says is held against what the algorithm computes."""

    def step(problem, p, state, drawn, see):
        return participant_mean.step(problem, {"m": p["m"] + 1}, state, drawn, see)

    wrong = replace(participant_mean.MEAN, step=step)
    monkeypatch.setattr(participant_mean, "MEAN", wrong)
    with pytest.raises(FedboundsError, match="set-up"):
        find(vectors_setup(ROWS, 2))


def test_proof_steps_are_evaluated_on_vectors():
    book = book_of("personalization")
    written = next(one for one in book.steps if one.id.endswith("lem-A.2: line 1"))
    gaps = [
        steps.least_on(written, on)
        for on in steps.judged_on("personalization")
        if on.setup.view == "participants"
    ]
    assert {gap for gap in gaps if gap is not None} == {0.0}
    assert gaps.count(None) == 1  # a single client


def test_the_witness_is_the_smallest_planned_one_with_a_script():
    cases = [vectors_case(ROWS, 2), vectors_case(((0,), (0,), (1,)), 1)]
    witness = find_witness(LEMMA, LEMMA.readings[0], cases)
    assert parameters_of(witness.judgement.instance)["n"] == 3
    assert "left == right; broken:" in witness.script
    (judgement,) = (
        x for x in judge((LEMMA,), cases[1]).judgements if x.reading.name == "as printed"
    )
    assert judgement.verdict is Verdict.VIOLATED
