"""Draws without replacement: against every permutation, exact values, and planted errors."""

import json
from dataclasses import replace
from itertools import permutations
from math import log, sqrt
from pathlib import Path

import numpy as np
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from fedbounds.algorithms import draws as algorithms
from fedbounds.errors import FedboundsError
from fedbounds.theory.language.registry import claim
from fedbounds.theory.language.setups import Planned
from fedbounds.theory.submodel.draws import _LOGS, planned, setup_of
from fedbounds.verify.decide.case import find
from fedbounds.verify.judge.judge import judge
from fedbounds.verify.measure.objectives import exact
from fedbounds.verify.setups.plan import case_of
from fedbounds.vocabulary import Verdict

DATA = Path(__file__).parents[2] / "data" / "submodel_draws_exact.json"


def verdicts(setup):
    found = judge((claim("submodel/lem-wor"),), case_of(Planned("draws", replace(setup)), ""))
    return {outcome.part: outcome.verdict for each in found.judgements for outcome in each.outcomes}


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 5)), min_size=2, max_size=6),
    st.integers(1, 6),
    st.sampled_from(sorted(_LOGS, key=str)),
)
def test_draws_against_permutations(rows, m, failure):
    m = min(m, len(rows))
    setup = setup_of(tuple(rows), m, failure)
    shown = find(setup)
    plain = np.array(rows, dtype=float)
    apart = plain - plain.mean(axis=0)
    sums = [apart[list(order[:m])].sum(axis=0) for order in permutations(range(len(rows)))]
    squares = (np.array(sums) ** 2).sum(axis=1)
    assert float(shown.series["Dr_2"][0]) == pytest.approx(squares.mean(), abs=1e-9)
    delta = float(eval(str(failure)))
    edge = sqrt((apart**2).sum(axis=1).max())
    edge *= sqrt(8 * (1 - (m - 1) / len(rows)) * log(2 / delta) / m)
    if abs(np.sqrt(squares) / m - edge).min() > 1e-9:
        outside = (np.sqrt(squares) / m > edge).mean()
        assert float(shown.series["P_out"][0]) == pytest.approx(outside)
    if m < len(rows) and squares.any():
        assert verdicts(setup)["second moment"] is Verdict.NOT_VIOLATED


def test_exact_values_are_those_of_the_earlier_engine():
    setups = {one.name: one.setup for one in planned()}
    kept = json.loads(DATA.read_text())
    assert len(kept) >= 50
    for name, own in kept.items():
        found = find(setups[name])
        numbers = {x.value: y.value for x, y in found.constants.items()} | dict(found.parameters)
        assert {key: str(numbers[key]) for key in own["constants"]} == own["constants"], name
        series = {key: [str(x) for x in found.series[key]] for key in own["series"]}
        assert series == own["series"], name


@pytest.mark.parametrize(("taken", "failure"), [(0, 1), (4, 1)])
def test_more_or_fewer_than_there_are_make_no_sense(taken, failure):
    with pytest.raises(FedboundsError):
        find(setup_of(((1,), (2,), (4,)), taken, failure))


def test_both_numbers_lie_about_the_logarithm():
    for failure, (low, high) in _LOGS.items():
        log_of = (2 / arb(exact(str(failure)))).log()
        assert arb(exact(_plain(low))) < log_of < arb(exact(_plain(high)))


def _plain(decimal):
    whole, _, digits = decimal.partition(".")
    return f"{int(whole + digits)}/{10 ** len(digits)}"


@pytest.mark.parametrize(
    ("name", "value"),
    [("log_low", "0.693147180560"), ("log_high", "0.693147180559"), ("log_high", "0.6")],
)
def test_a_number_on_the_wrong_side_of_the_logarithm_is_an_error(name, value):
    one = setup_of(((3,), (-1,), (0,)), 2, 1)
    chosen = {**dict(one.chosen), name: value}
    with pytest.raises(FedboundsError, match="set-up is"):
        find(replace(one, chosen=tuple(chosen.items())))


def test_an_outcome_between_both_numbers_is_an_error():
    # half of two opposite numbers: a squared mean deviation of 1 against 8 (1/2) log / 1, c = 1
    one = setup_of(((1,), (-1,)), 1, 1)
    chosen = (("log_low", "1/10"), ("log_high", "0.693147180560"))
    with pytest.raises(FedboundsError, match="set-up is"):
        find(replace(one, chosen=chosen))


# ---- a planted error


def test_draws_that_are_not_uniform_break_the_second_moment(monkeypatch):
    setup = setup_of(((3,), (-1,), (0,), (1,)), 2, "1/2")
    assert verdicts(setup)["second moment"] is Verdict.NOT_VIOLATED

    def draw(random, problem, p):
        first = random.participants(problem.clients, 1)
        return {"present": first + first[:, ::-1]}

    planted = replace(algorithms.WITHOUT_REPLACEMENT, draw=draw)
    monkeypatch.setattr(algorithms, "WITHOUT_REPLACEMENT", planted)
    again = replace(setup, run=replace(setup.run))
    assert verdicts(again)["second moment"] is Verdict.VIOLATED
