"""Stages of halved step sizes: plain recursions, the rate itself, storage, and planted errors."""

from dataclasses import replace
from fractions import Fraction as F
from itertools import permutations, product

import pytest
from flint import fmpq
from stored_setups import alike, read_again

from fedbounds.algorithms.masks import partition_masks
from fedbounds.algorithms.rolling_masks import RollingMasks
from fedbounds.errors import FedboundsError
from fedbounds.problems.domain import Box
from fedbounds.theory.registry import claim
from fedbounds.theory.submodel.names import ROUNDS_LADDERS
from fedbounds.verify.case import Case, find, ladder_shown
from fedbounds.verify.evaluate import evaluate
from fedbounds.verify.judge import judge
from fedbounds.verify.measurement import measure
from fedbounds.verify.submodel import staged_ladders
from fedbounds.verify.submodel.side_by_side import prepared
from fedbounds.verify.submodel.staged_ladders import StagedLadder
from fedbounds.vocabulary import Method, Verdict

HALF = fmpq(1, 2)
LINE, BEGUN = prepared(([[1]], [[1]]), [[3], [-1]], [4], 0.0)
PLANE, PLANE_BEGUN = prepared(([[1, 0], [0, 1]],) * 2, [[3, -1], [-1, 3]], [2, 2], 0.0)
HALVES = (partition_masks(2, 2),) * 2
STEP = fmpq(1, 10)


def rolling_ladder(first=56, stages=3):
    return StagedLadder(PLANE, RollingMasks(HALVES, 1, STEP / 2), PLANE_BEGUN, first, stages)


def judged(setup):
    case = Case("one", ROUNDS_LADDERS[1], setup, Method.RATIONAL)
    found = judge((claim("submodel/claim-rate"),), case).judgements[0]
    return {outcome.part: outcome.verdict for outcome in found.outcomes}


def fraction(x):
    return F(int(x.p), int(x.q))


def test_losses_of_rolling_masks_are_those_of_every_order():
    found = find(rolling_ladder(first=1, stages=2)).series
    ends = [(F(1), [F(2), F(2)])]
    seen = []
    for stage in range(2):
        eta = F(1, 20 * 2**stage)
        for _ in range(2**stage):
            after = []
            for (p, w), order in product(ends, permutations(range(2))):
                v = list(w)
                for j in order:  # both clients train coordinate j, whose mean slope is 1
                    v[j] -= eta * (v[j] + 1)
                after.append((p / 2, v))
            ends = after
        seen.append(sum(p * sum((x + 1) ** 2 for x in w) / 2 for p, w in ends))
    assert [fraction(x) for x in found["F_r"]] == seen
    assert list(found["R_r"]) == [2, 6]


def test_rolling_masks_are_judged_at_every_stage():
    assert judged(rolling_ladder())["rolling"] is Verdict.NOT_VIOLATED
    assert judged(rolling_ladder())["random"] is Verdict.NOT_APPLICABLE


def test_a_first_stage_that_is_too_short_is_outside():
    assert judged(rolling_ladder(first=55))["rolling"] is Verdict.OUTSIDE


def test_a_loss_that_stays_breaks_the_rate_at_the_last_stage_alone(monkeypatch):
    """The last rung of a ladder is judged too: nothing follows it."""
    part = claim("submodel/claim-rate").part("rolling")
    case = Case("one", ROUNDS_LADDERS[1], rolling_ladder(stages=2), Method.RATIONAL)
    first, last = evaluate(part.right, measure(case).numbers, range(2))
    assert last < first
    original = staged_ladders.value_of

    def worse(problem, *, above):
        form = original(problem, above=above)
        return replace(form, constant=form.constant + last)

    monkeypatch.setattr(staged_ladders, "value_of", worse)
    assert find(rolling_ladder(stages=2)).series["F_r"][0] < first
    assert judged(rolling_ladder(stages=2))["rolling"] is Verdict.VIOLATED


def test_what_cannot_be_staged_is_an_error():
    with pytest.raises(FedboundsError, match="first stage"):
        rolling_ladder(first=0)
    with pytest.raises(FedboundsError, match="stages"):
        rolling_ladder(stages=1)
    boxed = RollingMasks(HALVES, 1, STEP, domain=Box(-1, 1))
    with pytest.raises(FedboundsError, match="domain"):
        StagedLadder(PLANE, boxed, PLANE_BEGUN, 4, 2)


def test_setups_survive_storage():
    assert alike(read_again(rolling_ladder(), ROUNDS_LADDERS[1]), rolling_ladder())


def test_the_data_of_stages():
    shown = ladder_shown(rolling_ladder(first=3, stages=3))
    assert (shown["parameter"], shown["values"]) == ("R", [6, 18, 42])
    assert set(shown["series"]) == {"F_r"}
