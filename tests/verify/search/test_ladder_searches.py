"""Ladders are searched as runs are: clients of unlike curvatures show what planned ones do not."""

import pytest

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.claims import read
from fedbounds.theory.language.registry import claim, ladders
from fedbounds.verify.decide.measurement import measure
from fedbounds.verify.judge.judge import judge_reading
from fedbounds.verify.measure.objectives import exact
from fedbounds.verify.results import run
from fedbounds.verify.search import tightest as search
from fedbounds.verify.search.explore import Exploration, again, explore
from fedbounds.verify.search.seeking import spaces
from fedbounds.verify.search.tightest import tightest
from fedbounds.verify.search.witness import explain, find_witness
from fedbounds.verify.setups.instance_file import from_data, to_data
from fedbounds.vocabulary import Verdict

FIGURE = claim("personalization/fig-1d")


def explored(part, budgets):
    one = Exploration(spaces(FIGURE, part), budgets, 0)
    explore([one])
    return one.seen


LEVEL = next(x for x in FIGURE.readings if "Theorem 3.11" in x.name)


@pytest.mark.parametrize("reading", [FIGURE.readings[0], LEVEL], ids=["by a tenth", "the level"])
def test_a_search_finds_what_no_planned_ladder_shows(reading):
    best = tightest([(FIGURE, {reading: 40})], 0)[0][reading]
    assert best.outcome.verdict is Verdict.VIOLATED
    assert best.instance.setup not in [one.ladder for one in ladders("personalization")]
    stored = from_data(to_data(best.instance))
    judged = judge_reading(FIGURE, reading, stored, measure(stored))
    assert judged.verdict is Verdict.VIOLATED
    shown = explain(judged)
    assert shown.script, shown.no_script
    assert "right = " in shown.script


def test_a_violation_that_no_file_may_hold_is_one(monkeypatch):
    monkeypatch.setattr(search, "is_kept", lambda case: False)
    best = search.tightest([(FIGURE, {LEVEL: 40})], 0)[0][LEVEL]
    assert best.outcome.verdict is Verdict.VIOLATED
    monkeypatch.setattr(run, "from_data", refuse)
    assert run._of_file(search.as_summary(best)["data"]) is None


def refuse(data):
    raise FedboundsError("it would cost too much")


def test_its_steps_are_those_of_the_theorems():
    """Of every ladder that is looked at: one gamma, within Theorem 3.11 at the largest K."""
    part = read(FIGURE, FIGURE.readings[0])[0]
    seen = explored(part, {(part,): 30})
    assert len(seen) >= 12
    for one in seen:
        case = again(one, [part])
        smoothness = measure(case).numbers.constants["L"]
        rungs = [dict(setup.run.parameters) for setup in case.setup.setups]
        n, largest = len(dict(case.setup.setups[0].run.problem.data)["slopes"]), rungs[-1]["K"]
        assert [own["K"] for own in rungs] == [2**at for at in range(len(rungs))]
        for own in rungs:
            u, v = (exact(own[x]) for x in ("eta_u", "eta_v"))
            gamma = exact(own["gamma_u"]) * u
            assert gamma == exact(own["gamma_v"]) * v == exact(rungs[0]["gamma_u"]) * u
            assert gamma * 84 * largest * smoothness <= 1
            assert u**2 >= own["cohort"]
            assert v**2 * own["cohort"] >= n


def test_nothing_is_sought_beyond_the_closest_that_there_is():
    part = read(FIGURE, FIGURE.readings[0])[0]
    seen = explored(part, {(part,): 100})
    assert min(one.gaps.get(part, 1) for one in seen) == -1
    assert len(seen) == 40  # one in each of many shapes, and no steps from there


def test_a_witness_of_a_ladder_is_sought_where_none_is_planned():
    found = find_witness(FIGURE, FIGURE.readings[0], examples=10, budget=20)
    assert found is not None
    assert found.script
