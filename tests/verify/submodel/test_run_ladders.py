"""Ladders of runs of random masks: values of another program, plain recursions, planted errors."""

import json
from fractions import Fraction as F
from functools import cache
from itertools import product
from pathlib import Path

import pytest
from flint import arb, fmpq
from stored_setups import alike, read_again

from fedbounds.algorithms import sub_models
from fedbounds.errors import FedboundsError
from fedbounds.theory.language.registry import claim, ladders
from fedbounds.theory.language.setups import Ladder, Run, Setup
from fedbounds.theory.submodel.names import CAPACITY_LADDERS, STEPS_LADDER
from fedbounds.theory.submodel.run_ladders import (
    Cohort,
    log_between,
    over_capacity,
    over_rounds,
    over_stages,
    over_steps,
    over_windows,
)
from fedbounds.verify.decide.case import find, ladder_shown, without_floats
from fedbounds.verify.judge.judge import judge
from fedbounds.verify.setups import found as of_setups
from fedbounds.verify.setups.plan import ladder_case
from fedbounds.verify.setups.rungs import LadderInFloats
from fedbounds.vocabulary import Method, Verdict

STORED = Path(__file__).parents[2] / "data" / "submodel_run_ladders_exact.json"
HALF = "1/2"
LINE = Cohort((((1,),), ((1,),)), ((3,), (-1,)), (4,), HALF, L=1)
HESSIAN = ((("3/2", HALF), (HALF, "3/2")), ((2, 0), (0, 1)))
SLOPES = ((1, -1), (-2, HALF))
PLANE = Cohort(HESSIAN, SLOPES, (0, 0))
KEEP = (HALF, "4/5")


@pytest.fixture(autouse=True)
def _anew():
    of_setups.followed.cache_clear()
    yield
    of_setups.followed.cache_clear()


def fraction(x):
    return F(int(x.p), int(x.q))


@cache
def values():
    """What another program found of these ladders, before this one."""
    return json.loads(STORED.read_text())


def test_stored_values_are_found_again():
    planned = {one.name: one for one in ladders("submodel")}
    compared = 0
    for name, wanted in values().items():
        one = planned[name]
        found = find(LadderInFloats(one.ladder) if one.floats else one.ladder)
        for constant, value in wanted["constants"].items():
            if constant not in {c.value for c in found.constants}:
                assert str(found.parameters[constant]) == value, (name, constant)
        assert found.series.keys() == wanted["series"].keys(), name
        for quantity, row in wanted["series"].items():
            if one.floats:
                errors = found.errors.get(quantity, [0] * len(row))
                both = zip(found.series[quantity], row, errors, strict=True)
                assert all(abs(a - b) <= e + 1e-15 * abs(b) for a, b, e in both), (name, quantity)
                sizes = zip(errors, row, strict=True)
                assert all(e < 1e-9 * abs(x) for e, x in sizes), (name, quantity)
            else:
                assert [str(x) for x in found.series[quantity]] == row, (name, quantity)
            compared += len(row)
    assert compared > 200


# ---- R grows


def test_logarithms_are_enclosed():
    for rounds in (3, 100, 4096):
        below, above = log_between(rounds)
        low, high = (fmpq(x.numerator, x.denominator) for x in (below, above))
        assert arb(low) < arb(rounds).log() < arb(high)
        assert above - below <= F(1, 2**16)


def test_distances_over_rounds_are_those_of_a_plain_recursion():
    rounds, p, steps = 64, F(1, 2), 2
    found = find(over_rounds(LINE, (HALF, HALF), steps, (rounds, 128)))
    # f_i = w^2/2 + h_i w: eta K = 2 l / (pbar R), l just above ln R
    eta = 2 * log_between(rounds)[1] / (p * rounds * steps)
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
    assert found.parameters["R_least"] == rounds
    assert arb(found.series["ln2_r"][0]) < arb(rounds).log() ** 2 / rounds


def with_rung(ladder, **changes):
    """The ladder whose last rung has other parameters."""
    last = ladder.setups[-1]
    own = {**dict(last.run.parameters), **changes}
    run = Run(last.run.problem, last.run.start, tuple(own.items()), last.run.rounds)
    setups = (*ladder.setups[:-1], Setup(last.theory, last.view, run, last.chosen))
    return Ladder(ladder.theory, ladder.rungs, setups)


def test_rungs_are_what_they_are_said_to_be():
    tuned = over_rounds(LINE, (HALF, HALF), 1, (64, 128))
    with pytest.raises(FedboundsError, match="set-up is .*eta"):
        find(with_rung(tuned, eta="1/1000"))
    with pytest.raises(FedboundsError, match=r"what rung 1 has unlike the first is \['K', 'eta'"):
        find(with_rung(tuned, K=2))
    with pytest.raises(FedboundsError, match="R is 128, 64; expected growing"):
        find(Ladder("submodel", "over R", tuned.setups[::-1]))
    with pytest.raises(FedboundsError, match="ladder of submodel 'over S'"):
        find(Ladder("submodel", "over S", tuned.setups))
    with pytest.raises(FedboundsError, match="rungs is 1"):
        find(Ladder("submodel", "over R", tuned.setups[:1]))


# ---- in stages


def test_losses_of_stages_are_those_of_a_plain_recursion():
    quiet = Cohort(LINE.hessians, LINE.slopes, LINE.start, L=1)
    found = find(over_stages(quiet, (HALF, HALF), 1, 3, 3)).series
    mean, square, seen = F(5), F(25), []  # of v = w + 1; F(w) - F(w*) = v^2/2
    for stage in range(3):
        eta = F(1, 10 * 2**stage)
        for _ in range(3 * 2**stage):
            after_mean = after_square = F(0)
            for masks in product((0, 1), repeat=2):
                a = 1 - eta * F(sum(masks), 2)
                b = eta * F(sum(m * c for m, c in zip(masks, (-2, 2), strict=True)), 2)
                after_mean += (a * mean + b) / 4
                after_square += (a * a * square + 2 * a * b * mean + b * b) / 4
            mean, square = after_mean, after_square
        seen.append(square / 2)
    assert [fraction(x) for x in found["F_r"]] == seen
    assert list(found["R_r"]) == [3, 9, 21]


def random_part(first):
    case = ladder_case("one", over_stages(LINE, (HALF, HALF), 1, first, 2), floats=True)
    (judged, *_) = judge((claim("submodel/claim-rate"),), case).judgements
    return next(outcome.verdict for outcome in judged.outcomes if outcome.part == "random")


def test_a_first_stage_that_is_too_short_is_outside():
    assert random_part(56) is Verdict.NOT_VIOLATED
    assert random_part(55) is Verdict.OUTSIDE


# ---- K grows


def leading(keep):
    """tr(H N)/2 by hand: H the Hessian of F_p, N the covariance of the mean masked gradient."""
    p = [F(x) for x in keep]
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
    found = find(over_steps(PLANE, KEEP, (1, 2, 3, 5)))
    assert [fraction(x) for x in found.series["G_lead"]] == [leading(KEEP)] * 4
    assert "eta" not in found.parameters  # it tends to 0


def test_noise_is_refused():
    with pytest.raises(FedboundsError, match="set-up is .*sigma"):
        find(over_steps(LINE, (HALF, HALF), (1, 2)))


def test_without_a_minimiser_nothing_is_measured_and_why_is_told():
    saddle = Cohort((((-1,),), ((3,),)), ((0,), (1,)), (0,))
    found = find(over_steps(saddle, (1, "1/10"), (1, 2)))
    assert not found.series
    assert "definite" in found.missing["G_lead"]


def test_where_rounds_move_away_there_is_no_leading_error(monkeypatch):
    right = sub_models.clients_mean
    monkeypatch.setattr(sub_models, "clients_mean", lambda w, *others: 2 * w - right(w, *others))
    found = find(over_steps(PLANE, KEEP, (1, 2)))
    assert "not shown to contract" in found.undefined["G_lead"]


# ---- the capacity grows


def test_full_capacity_of_random_and_of_rolling_masks_is_local_sgd():
    w = [F(0), F(0)]
    for _ in range(8):
        ends = []
        for A, h in zip(HESSIAN, SLOPES, strict=True):
            y = list(w)
            for _ in range(2):
                g = [sum(F(a) * x for a, x in zip(r, y, strict=True)) + F(b)
                     for r, b in zip(A, h, strict=True)]  # fmt: skip
                y = [x - s / 40 for x, s in zip(y, g, strict=True)]
            ends.append(y)
        w = [(a + b) / 2 for a, b in zip(*ends, strict=True)]

    def value(w):
        return sum(
            F(A[j][k]) * w[j] * w[k] / 4 for A in HESSIAN for j in range(2) for k in range(2)
        ) + sum(F(h[j]) * w[j] / 2 for h in SLOPES for j in range(2))

    # 1/2 sum A = [7/4 1/4; 1/4 5/4], 1/2 sum h = (-1/2, -1/4)
    best = [F(5, 4) / 2 - F(1, 4) / 4, F(7, 4) / 4 - F(1, 4) / 2]
    best = [x / (F(35, 16) - F(1, 16)) for x in best]
    for ladder in (over_capacity(PLANE, ("1/4", HALF, 1), 2, 8), over_windows(PLANE, 2, 8)):
        assert fraction(find(ladder).series["L_r"][-1]) == value(w) - value(best)


def test_clients_of_different_capacity_are_refused():
    with pytest.raises(FedboundsError, match="set-up is .*fails"):
        find(with_rung(over_capacity(PLANE, (HALF, 1), 1, 4), keep=(HALF, 1)))


# ---- what is stored, and shown


def test_ladders_are_stored_exactly():
    for ladder, name in (
        (over_capacity(PLANE, (HALF, 1), 1, 4), CAPACITY_LADDERS[0]),
        (over_steps(PLANE, KEEP, (1, 2)), STEPS_LADDER[0]),
    ):
        assert alike(read_again(ladder, name), ladder)


def test_long_ladders_stay_in_floats():
    long = over_rounds(LINE, (HALF, HALF), 1, (64, 65_536))
    assert without_floats(LadderInFloats(long)) is None
    short = over_rounds(LINE, (HALF, HALF), 1, (64, 128))
    assert without_floats(LadderInFloats(short)) == (short, Method.RATIONAL)


def test_the_data_of_ladders():
    rounds = ladder_shown(LadderInFloats(over_rounds(LINE, (HALF, HALF), 2, (256, 512, 1024))))
    assert (rounds["parameter"], rounds["values"]) == ("R", [256, 512, 1024])
    assert set(rounds["series"]) == {"D_r", "A_r", "ln2_r"}
    assert (rounds["fit"]["series"], rounds["fit"]["symbolic"]) == ("D_r", "-1")
    assert -1 < rounds["fit"]["exponent"] < -0.7
    steps = ladder_shown(over_steps(PLANE, KEEP, (1, 2, 4)))
    assert steps["fit"]["symbolic"] == "-1"
    assert steps["fit"]["exponent"] == pytest.approx(0, abs=1e-12)
    full = ladder_shown(over_steps(PLANE, (1, 1), (1, 2, 4)))
    assert full["series"] == {"G_lead": [0, 0, 0]}
    assert full["fit"] is None
    grown = ladder_shown(over_capacity(PLANE, ("1/4", HALF, 1), 2, 8))
    assert (grown["parameter"], grown["values"], grown["fit"]) == ("p", [0.25, 0.5, 1], None)
    assert set(grown["series"]) == {"L_r", "L_lim"}


# ---- planted errors


def test_another_number_of_steps_is_caught(monkeypatch):
    """Rungs that make one step of eta instead of K."""
    right = sub_models.local
    monkeypatch.setattr(
        sub_models, "local", lambda noisy, masks, eta, K, y: right(noisy, masks, eta, 1, y)
    )
    found = find(over_steps(PLANE, KEEP, (1, 2))).series["G_lead"]
    assert fraction(found[0]) == leading(KEEP)
    assert fraction(found[1]) != leading(KEEP)


def test_a_server_that_forgets_a_client_breaks_the_rate(monkeypatch):
    """Runs then settle elsewhere than at w*(p), however small the steps are."""
    right = sub_models.clients_mean
    monkeypatch.setattr(
        sub_models, "clients_mean", lambda w, masks, models, xp: right(w, masks, models[:, :1], xp)
    )
    ladder = over_rounds(LINE, (1, 1), 2, [256 * 2**power for power in range(6)])
    case = ladder_case("planted", ladder, floats=True)
    judged = judge((claim("submodel/claim-rate"),), case)
    told = {outcome.part: outcome.verdict for j in judged.judgements for outcome in j.outcomes}
    assert Verdict.NOT_VIOLATED not in {told["distance"], told["residual"]}
