"""Whole contests: who needs fewer rounds, and what is never said."""

from dataclasses import replace

import numpy as np
import pytest

from fedbounds.errors import FedboundsError
from fedbounds.verify.commands.contest import contest as module
from fedbounds.verify.commands.contest.contenders import common_error, contender, weights
from fedbounds.verify.commands.contest.contest import NOBODY, TIE, UNDECIDED, contest, fewest
from fedbounds.verify.commands.contest.field import Family, Shape
from fedbounds.verify.commands.contest.passage import Ending
from fedbounds.verify.commands.contest.plan import Plan, Steps
from fedbounds.verify.commands.contest.sampled import Interval

BOTH = (contender("FedAvg-P"), contender("Scaffold-P"))


def _plan(family=Family.QUADRATIC, **changed):
    base = Plan(
        shape=Shape(family, clients=4),
        spreads=(1.0,),
        steps=(2,),
        participants=(2,),
        eps=0.05,
        mode=Steps.OPTIMAL,
        step=None,
        limit=200_000,
        replicas=64,
    )
    return replace(base, **changed)


def test_no_theorem_is_beaten_by_its_own_algorithm():
    """Measured rounds are at most the promised ones: at T the error is at most the bound."""
    rows = contest(BOTH, _plan(spreads=(0.0, 1.0, 10.0), steps=(1, 3), participants=(1, 4)))
    assert len(rows) == 12
    for row in rows:
        for one in row.results:
            assert one.passage.reached is not None
            assert one.passage.reached <= one.promise.rounds


def test_control_variates_pay_where_few_take_part_and_clients_differ():
    row, same = contest(BOTH, _plan(spreads=(100.0,), participants=(1, 4), mode=Steps.TUNED))
    assert row.measured == row.predicted == "Scaffold-P"
    # everyone takes part and curvature is shared: the corrections cancel, round by round
    assert same.measured == TIE
    assert same.results[0].passage == same.results[1].passage


def test_a_tuned_step_is_the_best_of_the_grid():
    (tuned,) = contest(BOTH, _plan(mode=Steps.TUNED))
    for factor in (0.5, 1.0, 2.0):
        for at, best in enumerate(tuned.results):
            plan = _plan(mode=Steps.EQUAL, step=best.step * factor)
            (row,) = contest(BOTH, plan)
            reached = row.results[at].passage.reached
            assert reached is None or reached >= best.passage.reached
            assert factor != 1.0 or reached == best.passage.reached


def test_what_nobody_reaches_has_no_winner():
    (row,) = contest(BOTH, _plan(limit=3))
    assert {one.passage.ending for one in row.results} == {Ending.LIMIT}
    assert row.measured == NOBODY


def test_equal_steps_are_equal_and_may_have_no_promise():
    (row,) = contest(BOTH, _plan(mode=Steps.EQUAL, step=0.5))
    assert [one.step for one in row.results] == [0.5, 0.5]
    assert all(one.promise.rounds is None and "fails" in one.promise.why for one in row.results)
    (row,) = contest(BOTH, _plan(mode=Steps.EQUAL))
    first, second = row.results
    assert first.step == second.step
    assert not first.promise.why.startswith("gamma")


def test_sampled_contests_name_a_winner_only_with_an_interval():
    plan = _plan(
        Family.COSINE, spreads=(20.0,), participants=(1, 4), steps=(1,), mode=Steps.TUNED,
        eps=0.3, limit=60,
    )  # fmt: skip
    first, same = contest(BOTH, plan)
    assert first.measured == "Scaffold-P"
    assert first.intervals["FedAvg-P"].high < 0
    # one algorithm in two forms, for m = n and K = 1: no winner can be announced
    assert same.measured == UNDECIDED
    assert same.results[0].passage == same.results[1].passage


def test_an_interval_around_zero_is_undecided(monkeypatch):
    plan = _plan(
        Family.COSINE, spreads=(20.0,), participants=(1,), steps=(1,), mode=Steps.TUNED,
        eps=0.3, limit=60,
    )  # fmt: skip
    monkeypatch.setattr(module, "log_ratio", lambda *a: Interval(-1.0, -0.5, 0.1, a[2]))
    (row,) = contest(BOTH, plan)
    assert row.measured == UNDECIDED
    assert row.results[1].passage.reached is not None


def test_nothing_is_announced_against_a_run_that_diverged(monkeypatch):
    plan = _plan(
        Family.COSINE, spreads=(20.0,), participants=(1,), steps=(1,), mode=Steps.TUNED,
        eps=0.3, limit=60,
    )  # fmt: skip
    whole = module.log_ratio
    monkeypatch.setattr(module, "log_ratio", lambda a, b, *rest: whole(a, b * np.inf, *rest))
    (row,) = contest(BOTH, plan)
    assert row.measured == UNDECIDED
    assert row.intervals == {}


def test_the_level_is_shared_out_over_cells(monkeypatch):
    levels = []
    monkeypatch.setattr(
        module, "log_ratio", lambda a, b, t, level: levels.append(level) or Interval(0, 0, 0, t)
    )
    contest(
        BOTH,
        _plan(Family.COSINE, spreads=(1.0, 2.0), steps=(1,), mode=Steps.TUNED, eps=1.0, limit=40),
    )
    assert set(levels) == {module.LEVEL / 2}


@pytest.mark.parametrize(
    ("rounds", "name"),
    [
        ({"a": 3, "b": 4}, "a"),
        ({"a": None, "b": 4}, "b"),
        ({"a": 4, "b": 4}, TIE),
        ({"a": None, "b": None}, NOBODY),
        ({"a": 4, "b": 4, "c": 3}, "c"),
    ],
)
def test_fewest(rounds, name):
    assert fewest(rounds) == name


def test_the_error_is_what_the_theorems_bound():
    error = common_error(BOTH)
    assert weights(error, {"n": 8.0, "m": 2.0}) == {"G_u": 1.0, "G_v": 0.25}
    with pytest.raises(FedboundsError, match="expected a mean over rounds"):
        weights(error.args[0], {"n": 8.0, "m": 2.0})
    with pytest.raises(FedboundsError, match="not measured"):
        weights(error.func(error.args[0] + 1), {"n": 8.0, "m": 2.0})


def test_theorems_about_different_errors_are_not_compared():
    part = BOTH[1].part
    other = replace(part, left=part.left * 2)
    changed = replace(BOTH[1], claim=replace(BOTH[1].claim, parts=(other,)))
    with pytest.raises(
        FedboundsError, match=r"about different errors: .*thm-3.7 bounds Mean_t.*thm-4.5 2\*Mean_t"
    ):
        contest((BOTH[0], changed), _plan())
