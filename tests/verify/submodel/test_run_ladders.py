"""Ladders of runs: rungs against plain recursions, planned cases, scripts, and planted errors."""

import subprocess
import sys
from collections import Counter
from fractions import Fraction as F
from functools import cache
from itertools import product

import pytest
from flint import arb, fmpq
from stored_setups import alike, read_again

from fedbounds.algorithms.masks import window_masks
from fedbounds.algorithms.random_masks import RandomMasks
from fedbounds.algorithms.rolling_masks import RollingMasks
from fedbounds.errors import FedboundsError
from fedbounds.problems.masked_laws import Bernoulli
from fedbounds.problems.masked_quadratic import masked_quadratic
from fedbounds.theory.claims import read
from fedbounds.theory.registry import claim, encoded_claims
from fedbounds.verify.case import Case, find, ladder_shown
from fedbounds.verify.judge import judge
from fedbounds.verify.measurement import measure
from fedbounds.verify.profile import Profile
from fedbounds.verify.script import script
from fedbounds.verify.submodel import run_ladders, run_ladders_runs
from fedbounds.verify.submodel.limits import expected, limit, moment_map
from fedbounds.verify.submodel.moments_forms import squared_gradient_of
from fedbounds.verify.submodel.run_ladders_runs import (
    CapacityLadder,
    RoundsLadder,
    StepsLadder,
    log_between,
)
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


# ---- R grows


def test_logarithms_are_enclosed():
    for rounds in (3, 100, 4096):
        below, above = log_between(rounds)
        assert arb(below) < arb(rounds).log() < arb(above)
        assert above - below <= fmpq(1, 2**16)


def test_distances_over_rounds_are_those_of_a_plain_recursion():
    rounds, p, steps = 256, F(1, 2), 2
    found = find(RoundsLadder(LINE, (HALF, HALF), steps, BEGUN, (rounds, 512)))
    # f_i = w^2/2 + h_i w: eta K = 2 l / (pbar R), l just above ln R
    eta = 2 * fraction(log_between(rounds)[1]) / (p * rounds * steps)
    rest, noise = (1 - eta) ** steps, sum((1 - eta) ** (2 * k) for k in range(steps)) * eta**2 / 4
    mean, square = F(5), F(25)  # of v = w - w*(p), w*(p) = -1
    for _ in range(rounds):
        after_mean = after_square = F(0)
        for masks in product((0, 1), repeat=2):
            # a client's v becomes rest v + (1 - rest) c, c = -1 - h_i + 2 for its own minimiser
            a = F(sum(rest if m else 1 for m in masks)) / 2
            b = F(sum(m * (1 - rest) * c for m, c in zip(masks, (-2, 2), strict=True))) / 2
            after_mean += (a * mean + b) / 4
            after_square += (a * a * square + 2 * a * b * mean + b * b + sum(masks) * noise / 4) / 4
        mean, square = after_mean, after_square
    assert fraction(found.series["D_r"][0]) == square
    # F(w) - F(w*(p)) = v^2/2 here, as both minimisers agree
    assert fraction(found.series["A_r"][0]) == square / 2
    assert found.parameters["D_opt_0"] == 25
    assert arb(found.series["ln2_r"][0]) < arb(rounds).log() ** 2 / rounds


def test_steps_beyond_the_condition_are_an_error():
    with pytest.raises(FedboundsError, match=r"eta K at R = 64.*at most 1/\(10 L\)"):
        RoundsLadder(LINE, (HALF, HALF), 1, BEGUN, (64, 512))
    with pytest.raises(FedboundsError, match="rounds R"):
        RoundsLadder(LINE, (HALF, HALF), 1, BEGUN, (512, 256))


# ---- K grows


def leading(keep):
    """tr(H N)/2 by hand: H the Hessian of F_p, N the covariance of the mean masked gradient."""
    p = [fraction(x) for x in keep]
    mean = [[sum(q * (q if j != k else 1) * F(A[j][k]) for q, A in zip(p, HESSIAN, strict=True)) / 2
             for k in range(2)] for j in range(2)]  # fmt: skip
    slope = [sum(q * F(h[j]) for q, h in zip(p, SLOPES, strict=True)) / 2 for j in range(2)]
    det = mean[0][0] * mean[1][1] - mean[0][1] ** 2
    best = [
        (-slope[0] * mean[1][1] + slope[1] * mean[0][1]) / det,
        (-slope[1] * mean[0][0] + slope[0] * mean[0][1]) / det,
    ]
    total = F(0)
    for q, A, h in zip(p, HESSIAN, SLOPES, strict=True):
        law = []
        for m in product((0, 1), repeat=2):
            g = [m[j] * (sum(F(A[j][k]) * m[k] * best[k] for k in range(2)) + F(h[j]))
                 for j in range(2)]  # fmt: skip
            law.append((q ** sum(m) * (1 - q) ** (2 - sum(m)), g))
        centre = [sum(c * g[j] for c, g in law) for j in range(2)]
        for j, k in product(range(2), repeat=2):
            total += mean[j][k] * (sum(c * g[j] * g[k] for c, g in law) - centre[j] * centre[k]) / 4
    return total / 2


def test_leading_errors_are_those_by_hand_whatever_k_is():
    found = find(StepsLadder(PLANE, KEEP, (1, 2, 3, 5))).series["G_lead"]
    assert [fraction(x) for x in found] == [leading(KEEP)] * 4


def test_leading_errors_are_limits_of_stationary_ones():
    form = squared_gradient_of(masked_quadratic(PLANE, Bernoulli(KEEP)))
    exact = find(StepsLadder(PLANE, KEEP, (3,))).series["G_lead"][0]
    errors = []
    for x in (fmpq(1, 100), fmpq(1, 200), fmpq(1, 400)):
        last = limit(moment_map(PLANE, RandomMasks(KEEP, 3, x / 3), PLANE_BEGUN))
        errors.append(float(expected(last, form) / x - exact))
    assert errors[0] / errors[1] == pytest.approx(2, rel=0.05)
    assert errors[1] / errors[2] == pytest.approx(2, rel=0.05)


def test_noise_is_refused():
    with pytest.raises(FedboundsError, match="sigma = 0"):
        StepsLadder(LINE, (HALF, HALF), (1, 2))


# ---- the capacity grows


def capacity(rungs=None, rounds=8):
    default = tuple(RandomMasks((fmpq(k, 4),) * 2, 2, fmpq(1, 20)) for k in (1, 2, 4))
    return CapacityLadder(PLANE, rungs or default, PLANE_BEGUN, rounds)


def test_full_capacity_is_local_sgd_whichever_masks():
    rolling = tuple(RollingMasks((window_masks(2, k),) * 2, 2, fmpq(1, 20)) for k in (1, 2))
    random, rolled = find(capacity()), find(capacity(rolling))
    for name in ("L_r", "L_lim"):
        assert random.series[name][-1] == rolled.series[name][-1]
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
    assert fraction(random.series["L_r"][-1]) == value(w) - value(best)


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


def test_clients_of_different_capacity_are_an_error():
    with pytest.raises(FedboundsError, match="capacities of the clients"):
        capacity((RandomMasks((HALF, fmpq(1)), 1, HALF),))


# ---- what the plan decides


@cache
def judged():
    claims = encoded_claims("submodel")
    return [judge(claims, case) for case in run_ladders.cases(Profile.QUICK, 0)]


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
        gap = shown.stdout.split("right - left =")[1].split()[0]
        assert F(gap) == F(outcome.gap), key


def test_names_of_cases_are_unique():
    names = [case.name for case in run_ladders.cases(Profile.DEFAULT, 0)]
    assert len(set(names)) == len(names)


def test_setups_survive_storage():
    for case in run_ladders.cases(Profile.QUICK, 0):
        assert alike(read_again(case.setup, case.algorithm_name), case.setup)


# ---- for a page


def test_the_data_of_ladders():
    rounds = ladder_shown(RoundsLadder(LINE, (HALF, HALF), 2, BEGUN, (256, 512, 1024)))
    assert (rounds["parameter"], rounds["values"]) == ("R", [256, 512, 1024])
    assert set(rounds["series"]) == {"D_r", "A_r", "ln2_r"}
    assert (rounds["fit"]["series"], rounds["fit"]["symbolic"]) == ("D_r", "-1")
    assert -1 < rounds["fit"]["exponent"] < -0.7
    steps = ladder_shown(StepsLadder(PLANE, KEEP, (1, 2, 4)))
    assert steps["fit"]["symbolic"] == "-1"
    assert steps["fit"]["exponent"] == pytest.approx(0, abs=1e-12)
    full = ladder_shown(StepsLadder(PLANE, (fmpq(1), fmpq(1)), (1, 2, 4)))
    assert full["series"]["G_lead"] == [0, 0, 0]
    assert full["fit"] is None
    grown = ladder_shown(capacity())
    assert (grown["parameter"], grown["values"], grown["fit"]) == ("p", [0.25, 0.5, 1], None)
    assert set(grown["series"]) == {"L_r", "L_lim"}
    assert ladder_shown(BEGUN) is None


# ---- planted errors


def test_another_number_of_steps_is_caught(monkeypatch):
    """Rungs that make one step of eta instead of K."""
    monkeypatch.setattr(
        run_ladders_runs, "RandomMasks", lambda keep, steps, step: RandomMasks(keep, 1, step)
    )
    found = find(StepsLadder(PLANE, KEEP, (1, 2))).series["G_lead"]
    assert fraction(found[0]) == leading(KEEP)
    assert fraction(found[1]) != leading(KEEP)


def test_steps_that_do_not_shrink_with_r_break_the_rate(monkeypatch):
    given = RoundsLadder(LINE, (HALF, HALF), 2, BEGUN, (10**8, 10**9))
    monkeypatch.setattr(RoundsLadder, "step", lambda self, rounds: fmpq(1, 20))
    # so late every run is at its limit
    monkeypatch.setattr(run_ladders_runs, "after_many", lambda moves, times: limit(moves))
    case = Case("planted", "random masks ladder in R", given, Method.RATIONAL)
    found = judge((claim("submodel/claim-rate"),), case)
    told = {outcome.part: outcome.verdict for j in found.judgements for outcome in j.outcomes}
    assert {told["distance"], told["residual"]} == {Verdict.VIOLATED}
