"""Ladders of rolling masks against a plain recursion; what all ladders of runs decide, and scripts."""

import re
import subprocess
import sys
from collections import Counter
from fractions import Fraction as F
from functools import cache

import pytest
from flint import fmpq
from stored_setups import alike, read_again

from fedbounds.algorithms.masks import window_masks
from fedbounds.algorithms.rolling_masks import RollingMasks
from fedbounds.errors import FedboundsError
from fedbounds.theory.claims import read
from fedbounds.theory.registry import encoded_claims
from fedbounds.theory.submodel.names import CAPACITY_LADDERS, ROUNDS_LADDERS, STEPS_LADDER
from fedbounds.verify.case import find, ladder_shown
from fedbounds.verify.judge import judge
from fedbounds.verify.measurement import measure
from fedbounds.verify.profile import Profile
from fedbounds.verify.script import script
from fedbounds.verify.setups.plan import planned
from fedbounds.verify.submodel import run_ladders
from fedbounds.verify.submodel.run_ladders_runs import CapacityLadder
from fedbounds.verify.submodel.side_by_side import prepared
from fedbounds.vocabulary import Method, Verdict

HALF = fmpq(1, 2)
LINE, BEGUN = prepared(([[1]], [[1]]), [[3], [-1]], [4], 0.5)
HESSIAN = ([[1.5, 0.5], [0.5, 1.5]], [[2, 0], [0, 1]])
SLOPES = [[1, -1], [-2, 0.5]]
PLANE, PLANE_BEGUN = prepared(HESSIAN, SLOPES, [0, 0], 0.0)
KEEP = (HALF, fmpq(4, 5))


def fraction(x):
    return F(int(x.p), int(x.q))


# ---- the capacity grows


def capacity(rungs=None, rounds=8):
    default = tuple(RollingMasks((window_masks(2, k),) * 2, 2, fmpq(1, 20)) for k in (1, 2))
    return CapacityLadder(PLANE, rungs or default, PLANE_BEGUN, rounds)


def test_full_capacity_is_local_sgd():
    found = find(capacity())
    w = [F(0), F(0)]
    for _ in range(8):
        ends = []
        for A, h in zip(HESSIAN, SLOPES, strict=True):
            y = list(w)
            for _ in range(2):
                g = [sum(F(a) * x for a, x in zip(r, y, strict=True)) + F(b)
                     for r, b in zip(A, h, strict=True)]  # fmt: skip
                y = [x - s / 20 for x, s in zip(y, g, strict=True)]
            ends.append(y)
        w = [(a + b) / 2 for a, b in zip(*ends, strict=True)]

    def value(w):
        return sum(
            F(A[j][k]) * w[j] * w[k] / 4 for A in HESSIAN for j in range(2) for k in range(2)
        ) + sum(F(h[j]) * w[j] / 2 for h in SLOPES for j in range(2))

    # 1/2 sum A = [7/4 1/4; 1/4 5/4], 1/2 sum h = (-1/2, -1/4)
    best = [F(5, 4) / 2 - F(1, 4) / 4, F(7, 4) / 4 - F(1, 4) / 2]
    best = [x / (F(35, 16) - F(1, 16)) for x in best]
    assert fraction(found.series["L_r"][-1]) == value(w) - value(best)


@pytest.mark.parametrize(
    ("rungs", "rounds", "message"),
    [
        (((1, 2, HALF), (1, 2, HALF)), 8, "capacities of the rungs"),
        (((1, 2, HALF), (2, 1, HALF)), 8, "local_steps of a rung"),
        (((1, 2, HALF), (2, 2, fmpq(1))), 8, "inner_step_u of a rung"),
        (((1, 2, HALF), (2, 2, HALF)), 7, "number of epochs"),
    ],
)
def test_rungs_that_differ_in_more_than_the_capacity_are_errors(rungs, rounds, message):
    rolling = tuple(RollingMasks((window_masks(2, w),) * 2, k, eta) for w, k, eta in rungs)
    with pytest.raises(FedboundsError, match=message):
        capacity(rolling, rounds)


# ---- what the plan decides


def cases(profile):
    """Those of old and new set-ups."""
    yield from run_ladders.cases(profile, 0)
    own = {*ROUNDS_LADDERS, *STEPS_LADDER, *CAPACITY_LADDERS}
    yield from (x for x in planned("submodel", "", profile) if x.algorithm_name in own)


@cache
def judged():
    claims = encoded_claims("submodel")
    return [judge(claims, case) for case in cases(Profile.QUICK)]


def seen():
    found = {}
    for each in judged():
        for judgement in each.judgements:
            for outcome in judgement.outcomes:
                found.setdefault((judgement.claim.id[9:], outcome.part), Counter())[
                    outcome.verdict
                ] += 1
    return found


def test_the_quick_plan_decides_every_part():
    broken, held = Verdict.VIOLATED, Verdict.NOT_VIOLATED
    firm = {key: {broken, held} & set(counts) for key, counts in seen().items()}
    assert firm == {
        ("claim-rate", "random"): {held},
        ("claim-rate", "rolling"): {held},
        ("claim-rate", "distance"): {held},
        ("claim-rate", "residual"): {held},
        # of runs of random masks, not of a ladder
        ("claim-K-speedup", "rate, tuned, 1/(8L)"): set(),
        ("claim-K-speedup", "rate, tuned, root"): set(),
        ("claim-K-speedup", "steps"): {broken},
        ("claim-capacity", "limit, ends, full gradients"): {held},
        ("claim-capacity", "limit, ends"): {broken, held},
        ("claim-capacity", "rounds, ends"): {broken, held},
        ("claim-capacity", "rounds"): {broken, held},
        ("claim-capacity", "limit"): {broken, held},
    }


def test_every_broken_part_has_a_script_that_shows_the_same_gap():
    found = {}
    for each in judged():
        for judgement in each.judgements:
            parts = read(judgement.claim, judgement.reading)
            for part, outcome in zip(parts, judgement.outcomes, strict=True):
                key = (judgement.claim.id, part.name, judgement.instance.algorithm_name)
                best = found.get(key)
                if outcome.verdict is Verdict.VIOLATED and (
                    best is None or judgement.instance.work < best[0].instance.work
                ):
                    found[key] = (judgement, part, outcome)
    assert len(found) == 8
    for key, (judgement, part, outcome) in found.items():
        text = script(judgement, part, measure(judgement.instance).numbers)
        shown = subprocess.run(
            [sys.executable, "-I", "-"], input=text, capture_output=True, text=True, check=True
        )
        gap = re.search(r"right - left =? ?(\S+)", shown.stdout)[1]
        assert F(gap) == F(outcome.gap), key


def test_names_of_cases_are_unique():
    names = [case.name for case in cases(Profile.DEFAULT)]
    assert len(set(names)) == len(names)


def test_setups_survive_storage():
    every = (case for case in cases(Profile.QUICK) if case.method is Method.RATIONAL)
    for case in every:
        assert alike(read_again(case.setup, case.algorithm_name), case.setup)


# ---- for a page


def test_the_data_of_ladders():
    grown = ladder_shown(capacity())
    assert (grown["parameter"], grown["values"], grown["fit"]) == ("q", [0.5, 1], None)
    assert set(grown["series"]) == {"L_r", "L_lim"}
    assert ladder_shown(BEGUN) is None
