"""Coupled runs on all data sets: stored values, plain loops in fractions, planted errors."""

import json
from fractions import Fraction as F
from functools import cache
from itertools import product
from pathlib import Path

import pytest
from flint import arb, ctx, fmpq
from kept_words import names
from quick_plans import verdicts as verdicts_of
from stored_setups import alike, read_again

from fedbounds.algorithms import coupled
from fedbounds.errors import FedboundsError
from fedbounds.theory.language.registry import claim, encoded_claims
from fedbounds.theory.submodel.stability_setups import (
    PLANNED,
    Loss,
    Shape,
    setup_of,
    setup_of_pair,
)
from fedbounds.verify.decide.case import Case
from fedbounds.verify.judge.judge import judge
from fedbounds.verify.measure.roots import Roots
from fedbounds.verify.setups.found import find
from fedbounds.vocabulary import Method, Verdict

STORED = Path(__file__).parents[2] / "data" / "submodel_stability_exact.json"
HALF = fmpq(1, 2)
# client: its two possible samples (a, y), equally likely; n = 2, n_s = 1, d = 1, K = 2, R = 2
ROWS = [[(1, 1), (2, -1)], [(1, 2), (-1, 3)]]
KEEP, ETA, START = (F(1, 2), F(3, 4)), F(1, 10), F(2)
POOLS = tuple(tuple(own) for own in ROWS)


def rational(x):
    return F(int(x.p), int(x.q))


def shape_of(**given):
    sizes = {"local_steps": 2, "rounds": 2, "start": (2,), "places": (0,)}
    return Shape("", POOLS, ("1/2", "3/4"), **{**sizes, **given})


# ---- what another program found before this one


def close(found, told):
    top, _, bottom = told.removeprefix("~").partition("/")
    with ctx.workprec(256):
        known = arb(fmpq(int(top), int(bottom or 1))) if "~" not in told else arb(top)
        ball = found.ball() if isinstance(found, Roots) else arb(found)
        return abs(ball - known) <= abs(known) * arb(2) ** -50


def same(found, told):
    """Equal; rounded outwards before, or told in thirty digits, where it is long or no rational."""
    return close(found, told) if isinstance(found, Roots) or "~" in told else str(found) == told


@cache
def values():
    return json.loads(STORED.read_text())


def test_stored_values_are_found_again():
    planned = {one.name: one.setup for one in PLANNED}
    assert planned.keys() == values().keys()
    compared = roots = 0
    for name, wanted in values().items():
        found = find(planned[name])
        numbers = {**found.parameters, **{c.value: x.value for c, x in found.constants.items()}}
        for constant, value in wanted["constants"].items():
            assert same(numbers[constant], value), (name, constant)
            compared += 1
        for quantity, row in wanted["series"].items():
            every = list(zip(found.series[quantity], row, strict=True))
            assert all(same(*pair) for pair in every), (name, quantity)
            compared += len(row)
            roots += sum(isinstance(x, Roots) for x, _ in every)
        holding = names(x for x, proof in found.evidence.items() if proof.holds)
        assert set(wanted["holds"]) <= holding, name
        assert not holding & set(wanted["fails"]), name
    assert compared > 5000
    assert roots > 200


def test_set_ups_are_read_again():
    for one in PLANNED[::7]:
        assert alike(read_again(one.setup, "coupled runs"), one.setup)


# ---- a slow oracle in fractions: one client, one step at a time


def slope(z, w):
    a, y = z
    return a * (a * w - y)


def loss(z, w):
    a, y = z
    return (a * w - y) ** 2 / 2


def one_round(data, w, masks, visit=lambda i, k, y: None):
    total = F(0)
    for i, m in enumerate(masks):
        y = w
        for k in range(2):
            visit(i, k, y)
            y = y - ETA * m * slope(data[i], m * y)
        total += y
    return total / 2


def laws_of_masks():
    for masks in product((0, 1), repeat=2):
        chance = F(1)
        for p, m in zip(KEEP, masks, strict=True):
            chance *= p if m else 1 - p
        yield masks, chance


def run_both(first, second, rounds):
    """The joint law of both runs after some rounds."""
    law = {(START, START): F(1)}
    for _ in range(rounds):
        old, law = law, {}
        for (w, v), chance in old.items():
            for masks, p in laws_of_masks():
                key = one_round(first, w, masks), one_round(second, v, masks)
                law[key] = law.get(key, F(0)) + chance * p
    return law


def pairs():
    """(i, S, S', z', chance) over all data sets and redrawn samples."""
    for data in product(*ROWS):
        for i in range(2):
            for fresh in ROWS[i]:
                other = tuple(fresh if c == i else z for c, z in enumerate(data))
                yield i, data, other, fresh, F(1, 8)


def expected(value, rounds, only=None):
    """The sum over pairs of E value(w, w', S, S', z')."""
    return sum(
        share * chance * value(w, v, data, other, fresh)
        for i, data, other, fresh, share in pairs()
        if only in (None, i)
        for (w, v), chance in run_both(data, other, rounds).items()
    )


@cache
def found(place=0):
    return find(setup_of(shape_of(places=(place,)), "1/10"))


@pytest.mark.parametrize("t", [0, 1, 2])
def test_distances_and_stability_against_plain_loops(t):
    series = found().series
    apart = [expected(lambda w, v, *_: abs(w - v), t, i) for i in range(2)]
    assert rational(series["dl_mean"][t]) == sum(apart) / 2
    assert [rational(found(i).series["dl_w"][t]) for i in range(2)] == apart
    moved = [expected(lambda w, v, s, o, z: abs(loss(z, w) - loss(z, v)), t, i) for i in range(2)]
    assert rational(series["st_max"][t]) == max(moved)
    assert rational(series["st_mean"][t]) == sum(moved) / 2


def population(w):
    return sum(loss(z, w) for own in ROWS for z in own) / 4


@pytest.mark.parametrize("t", [0, 1, 2])
def test_generalization_and_excess_risk_against_plain_loops(t):
    def gap(w, v, data, *_):
        return population(w) - sum(loss(z, w) for z in data) / 2

    def lowest(data):
        best = sum(a * y for a, y in data) / F(sum(a * a for a, _ in data))
        return sum(loss(z, best) for z in data) / 2

    series = found().series
    assert rational(series["gen"][t]) == expected(gap, t) / 2
    risk = expected(lambda w, v, data, *_: population(w) - lowest(data), t) / 2
    assert rational(series["ex_w"][t]) == risk


def pushes(t):
    """G_pair of each client in round t, and the largest masked gradients of the round."""
    sums, most = [F(0), F(0)], {}
    for i, data, other, fresh, share in pairs():
        for (w, v), chance in run_both(data, other, t).items():
            for masks, p in laws_of_masks():
                for run, (own, start) in enumerate(((data, w), (other, v))):

                    def visit(c, k, y, run=run, i=i, weight=share * chance * p, masks=masks,
                              fresh=fresh, data=data):  # fmt: skip
                        if c != i:
                            return
                        for new, z in enumerate((data[i], fresh)):
                            size = weight * abs(masks[i] * slope(z, masks[i] * y))
                            most[i, k, new, run] = most.get((i, k, new, run), F(0)) + size
                            sums[i] += size if new == run else 0

                    one_round(own, start, masks, visit)
    return sums, most


def test_gradients_of_the_changed_sample_against_plain_loops():
    rounds = [pushes(t) for t in range(2)]
    for place in range(2):
        series = found(place).series
        assert [rational(x) for x in series["G_pair"]] == [sums[place] for sums, _ in rounds]
    shown = found()
    assert rational(shown.parameters["G_m"]) == max(max(most.values()) for _, most in rounds)
    assert "p_own" not in shown.parameters  # the clients differ in p


def test_means_over_data_against_plain_loops():
    phi = star = F(0)
    for data in product(*ROWS):
        weight = sum(p * a * a for p, (a, _) in zip(KEEP, data, strict=True)) / 2
        best = sum(p * a * y for p, (a, y) in zip(KEEP, data, strict=True)) / 2 / weight
        phi += weight * (START - best) ** 2 / 2 / 4
        star += (START - best) ** 2 / 4
    shown = found().parameters
    assert rational(shown["Phi"]) == phi
    assert rational(shown["D_opt_0"]) == star
    assert shown["sigma^2"] == 0  # one sample per client


def test_sampling_variance_of_a_shared_feature_is_known():
    """l = (w - y)^2/2 with y = 1 or -1: the variance is 1 where a data set has both."""
    shape = Shape("", (((1, 1), (1, -1)),), ("1/2",), samples=2, rounds=1, start=(2,))
    assert find(setup_of(shape, "1/8")).parameters["sigma^2"] == HALF


def test_no_lipschitz_bound_where_squares_are_unconstrained():
    assert "G" not in found().parameters
    boxed = find(setup_of(shape_of(box=(-1, 1), start=(1,)), "1/10"))
    # the steepest sample at a corner of [-1, 1]: a = -1, y = 3 or a = 2, y = -1
    assert boxed.parameters["G"] == 6


def test_iterates_beyond_the_hull_are_refused():
    with pytest.raises(FedboundsError, match="hull_high"):
        find(setup_of(shape_of(box=(-1, 1), start=(2,)), "1/10"))


def test_data_sets_that_nobody_lists_are_refused():
    shape = Shape("", (((1, 1), (1, -1)),), ("1/2",), samples=12, start=(2,))
    with pytest.raises(
        FedboundsError, match="number of pairs of data sets is 98304; expected at most 4096"
    ):
        find(setup_of(shape, "1/8"))


# ---- verdicts


def verdicts(setup, name, claims=None):
    case = Case("a case", "coupled runs", setup, Method.RATIONAL)
    own = claims or (claim(f"submodel/{name}"),)
    return {o.part: o.verdict for j in judge(own, case).judgements for o in j.outcomes}


def pulled():
    """Huber's gradients are 1 and -1 wherever the runs go: bounds are attained."""
    rows = ((1, 50), (1, 50), (1, -50))
    return setup_of_pair(Shape("", (rows, rows), ("1/2", "3/4"), Loss(0, 1), 2, 2), 1)


def test_the_bounds_are_attained():
    shown = find(pulled())
    assert shown.parameters["G_m"] == HALF  # of a gradient 1 held half the time
    apart = 2 * fmpq(1) * 2 * HALF / (2 * 2)
    assert shown.series["dl_w"].tolist() == [t * apart for t in range(4)]
    assert verdicts(pulled(), "lem-12") == {"": Verdict.NOT_VIOLATED}
    assert verdicts(pulled(), "thm-5")["a"] is Verdict.NOT_VIOLATED


def two_samples(keep="1/2"):
    rows = (((1, 5), (1, -5), (1, "9/2")),)
    return setup_of_pair(Shape("", rows, (keep,), samples=2, rounds=4), "1/2")


def of_the_second(monkeypatch, change):
    """Drive every second run with draws of its own."""
    plain, calls = coupled._round, []

    def drive(problem, p, x, masks, samples, last):
        calls.append(0)
        own = change(masks, samples) if len(calls) % 2 == 0 else (masks, samples)
        return plain(problem, p, x, *own, last)

    monkeypatch.setattr(coupled, "_round", drive)


def test_planted_error_different_masks(monkeypatch):
    assert verdicts(two_samples(), "lem-12") == {"": Verdict.NOT_VIOLATED}
    # p = 1/2: the opposite masks have the same law
    of_the_second(monkeypatch, lambda masks, samples: (1 - masks, samples))
    assert verdicts(two_samples(), "lem-12") == {"": Verdict.VIOLATED}


def test_planted_error_different_indices(monkeypatch):
    assert verdicts(two_samples(1), "lem-12") == {"": Verdict.NOT_VIOLATED}
    of_the_second(monkeypatch, lambda masks, samples: (masks, 1 - samples))
    assert verdicts(two_samples(1), "lem-12") == {"": Verdict.VIOLATED}


def test_planted_error_no_division_by_n(monkeypatch):
    plain = coupled.clients_mean

    def total(w, masks, models, xp):
        return w + (plain(w, masks, models, xp) - w) * models.shape[1]

    monkeypatch.setattr(coupled, "clients_mean", total)
    assert verdicts(pulled(), "lem-12") == {"": Verdict.VIOLATED}
    assert verdicts(pulled(), "thm-5")["a"] is Verdict.VIOLATED


def test_planted_error_a_sample_that_is_redrawn_in_another_place(monkeypatch):
    """Lemma 1 exchanges z and z' in one place."""
    averaged = ("above, averaged", "below, averaged")
    assert verdicts(setup_of(shape_of(), "1/10"), "lem-1")[averaged[0]] is Verdict.NOT_VIOLATED
    plain = coupled._loss_differences
    monkeypatch.setattr(
        coupled, "_loss_differences", lambda *given: plain(*given)[:, :, ::-1, :] / 100
    )
    found = verdicts(setup_of(shape_of(), "1/10"), "lem-1")
    assert Verdict.VIOLATED in {found[name] for name in averaged}


def test_assumptions_that_fail_are_refused():
    case = Case("a case", "coupled runs", setup_of(shape_of(), "1/10"), Method.RATIONAL)
    shown = {
        (j.claim.id, o.part): o
        for j in judge(encoded_claims("submodel"), case).judgements
        for o in j.outcomes
    }
    refused = shown["submodel/thm-5", "a, stability"]
    assert refused.verdict is Verdict.NOT_APPLICABLE
    assert "Lipschitz samples" in refused.reason
    last = shown["submodel/cor-1", "last model"]
    assert last.verdict is Verdict.NOT_APPLICABLE  # strongly convex losses are not Lipschitz on R
    assert set(verdicts(pulled(), "lem-1").values()) == {Verdict.NOT_APPLICABLE}


def test_the_plan_reaches_a_firm_verdict_everywhere_and_refutes_nothing(quick_plan):
    ours = {one.name for one in PLANNED if one.quick and "across" not in one.name}
    claims = {f"submodel/{x}" for x in ("lem-1", "lem-12", "thm-5", "thm-6", "cor-1")}
    rows = [row for row in quick_plan("submodel") if row["problem"]["instance"] in ours]
    assert {row["problem"]["instance"] for row in rows} == ours
    quick = verdicts_of(row for row in rows if row["claim"] in claims)
    firm = {Verdict.VIOLATED, Verdict.NOT_VIOLATED}
    (only,) = {key for key, verdicts in quick.items() if not verdicts & firm}
    # its assumptions exclude each other
    assert (only[0], only[2]) == ("submodel/cor-1", "last model")
    assert not any(Verdict.VIOLATED in verdicts for verdicts in quick.values())
