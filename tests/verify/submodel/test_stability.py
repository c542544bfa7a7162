"""Coupled runs in full: quantities against plain loops, constants, planned runs, planted errors."""

from dataclasses import replace
from fractions import Fraction as F
from functools import cache
from itertools import product

import numpy as np
import pytest
from flint import arb, fmpq

from fedbounds.algorithms import submodel_parts
from fedbounds.algorithms.random_masks import RandomMasks
from fedbounds.errors import FedboundsError
from fedbounds.problems.domain import Box
from fedbounds.problems.masked_laws import Bernoulli
from fedbounds.problems.sampled_regression import Loss, SampledRegression
from fedbounds.problems.spectrum import in_rationals
from fedbounds.theory.claims import read
from fedbounds.theory.registry import claim, encoded_claims
from fedbounds.verify.case import Case, find
from fedbounds.verify.judge import judge
from fedbounds.verify.profile import Profile
from fedbounds.verify.submodel import stability, stability_runs
from fedbounds.verify.submodel.stability_data import CoupledLaw, CoupledPair, SampleLaw, data_sets
from fedbounds.verify.submodel.stability_huber import breakpoints, masked_infimum
from fedbounds.verify.submodel.stability_quantities import mean_root
from fedbounds.verify.submodel.stability_runs import joint_run
from fedbounds.vocabulary import Method, Verdict

HALF = fmpq(1, 2)
# client: its two possible samples (a, y), equally likely; n = 2, n_s = 1, d = 1, K = 2, R = 2
ROWS = [[(1, 1), (2, -1)], [(1, 2), (-1, 3)]]
KEEP, ETA, START = (F(1, 2), F(3, 4)), F(1, 10), F(2)


def exact(numbers):
    return in_rationals(np.array(numbers, dtype=float))


def law_of(rows):
    table = exact(rows)
    chances = np.full(len(rows), fmpq(1, len(rows)), dtype=object)
    return SampleLaw(table[:, :-1], table[:, -1], chances)


def rational(x):
    return F(int(x.p), int(x.q))


def coupled(rounds=2, samples=1, domain=None):
    keep = tuple(fmpq(p.numerator, p.denominator) for p in KEEP)
    algorithm = RandomMasks(keep, 2, fmpq(1, 10), domain)
    start = exact([2]) if domain is None else exact([1])
    return CoupledLaw(tuple(map(law_of, ROWS)), samples, Loss(), algorithm, start, rounds)


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
def found():
    return find(coupled())


@pytest.mark.parametrize("t", [0, 1, 2])
def test_distances_and_stability_against_plain_loops(t):
    series = found().series
    apart = [expected(lambda w, v, *_: abs(w - v), t, i) for i in range(2)]
    assert rational(series["dl_mean"][t]) == sum(apart) / 2
    final = [expected(lambda w, v, *_: abs(w - v), 2, i) for i in range(2)]
    assert rational(series["dl_w"][t]) == apart[final.index(max(final))]
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
    final = [expected(lambda w, v, *_: abs(w - v), 2, i) for i in range(2)]
    farthest = final.index(max(final))
    shown = found()
    assert [rational(x) for x in shown.series["G_pair"]] == [sums[farthest] for sums, _ in rounds]
    assert rational(shown.parameters["G_m"]) == max(max(most.values()) for _, most in rounds)
    assert "p_own" not in shown.parameters  # the clients differ in p


def test_two_samples_are_drawn_with_equal_chances():
    """n_s = 2, one client, full masks, one step: E w^1 is that of the mean gradient."""
    problem = SampledRegression(exact([[[1], [3]]]), exact([[1, -1]]))
    run = joint_run((problem,), RandomMasks((fmpq(1),), 1, fmpq(1, 10)), exact([2]), 1)
    points = sorted(rational(x) for x in run.states[1].points[0][:, 0])
    assert points == sorted(F(2) - F(1, 10) * slope(z, F(2)) for z in ((1, 1), (3, -1)))
    assert set(map(rational, run.states[1].chance)) == {F(1, 2)}


# ---- constants


def test_means_over_data_against_plain_loops():
    shown = find(coupled())
    keep = [F(1, 2), F(3, 4)]
    phi = star = F(0)
    for data in product(*ROWS):
        weight = sum(p * a * a for p, (a, _) in zip(keep, data, strict=True)) / 2
        best = sum(p * a * y for p, (a, y) in zip(keep, data, strict=True)) / 2 / weight
        phi += weight * (START - best) ** 2 / 2 / 4
        star += (START - best) ** 2 / 4
    assert rational(shown.parameters["Phi"]) == phi
    assert rational(shown.parameters["D_opt_0"]) == star
    assert shown.parameters["sigma^2"] == 0  # one sample per client


def test_sampling_variance_of_a_shared_feature_is_known():
    """l = (w - y)^2/2 with y = 1 or -1: the variance is 1 where a data set has both."""
    setup = coupled(rounds=1, samples=2)
    one = replace(
        setup, laws=(law_of([(1, 1), (1, -1)]),), algorithm=RandomMasks((HALF,), 1, fmpq(1, 8))
    )
    assert find(one).parameters["sigma^2"] == HALF


def test_infimum_and_suprema_of_huber_on_the_line():
    features, targets = exact([[[1]], [[-2]]]), exact([[3], [4]])
    problem = SampledRegression(features, targets, Loss(threshold=fmpq(1)))
    law = Bernoulli((HALF, fmpq(3, 4)))
    assert breakpoints(problem) == [fmpq(-5, 2), fmpq(-3, 2), fmpq(2), fmpq(4)]
    grid = [F(n, 64) for n in range(-400, 400)]

    def masked(w):
        huber = lambda r: r * r / 2 if abs(r) <= 1 else abs(r) - F(1, 2)  # noqa: E731
        values = [(p, a * w - y, -y) for p, a, y in ((F(1, 2), 1, 3), (F(3, 4), -2, 4))]
        return sum(p * huber(r) + (1 - p) * huber(F(o)) for p, r, o in values) / 2

    low = rational(masked_infimum(problem, law))
    assert low <= min(map(masked, grid)) <= low + F(1, 100)


def test_no_lipschitz_bound_where_squares_are_unconstrained():
    shown = find(coupled())
    assert "G" not in shown.parameters
    boxed = find(coupled(domain=Box(-1, 1)))
    # the steepest sample at a corner of [-1, 1]: a = -1, y = 3 or a = 2, y = -1
    assert boxed.parameters["G"] == 6


def test_roots_are_exact_or_enclosed():
    chances = np.array([HALF, HALF], dtype=object)
    assert mean_root(chances, np.array([fmpq(9), fmpq(16)], dtype=object)) == fmpq(7, 2)
    ball = mean_root(chances, np.array([fmpq(2), fmpq(2)], dtype=object))
    assert isinstance(ball, arb)
    assert ball**2 > fmpq(19999, 10000)
    assert ball**2 < fmpq(20001, 10000)


# ---- verdicts


def case_of(setup):
    return Case("a case", "coupled runs", setup, Method.RATIONAL)


def verdicts(setup, name, claims=None):
    own = claims or (claim(f"submodel/{name}"),)
    return {o.part: o.verdict for j in judge(own, case_of(setup)).judgements for o in j.outcomes}


def pulled(samples=2):
    """Huber's gradients are 1 and -1 wherever the runs go: bounds are attained."""
    rows = [[50] * samples] * 2
    problem = SampledRegression(exact(np.ones((2, samples, 1))), exact(rows), Loss(threshold=1))
    algorithm = RandomMasks((HALF, fmpq(3, 4)), 2, fmpq(1))
    return CoupledPair(problem, 0, 0, exact([1]), fmpq(-50), algorithm, exact([0]), 3)


def test_the_bounds_are_attained():
    shown = find(pulled())
    assert shown.parameters["G_m"] == HALF  # of a gradient 1 held half the time
    apart = 2 * fmpq(1) * 2 * HALF / (2 * 2)
    assert shown.series["dl_w"].tolist() == [t * apart for t in range(4)]
    assert verdicts(pulled(), "lem-12") == {"": Verdict.NOT_VIOLATED}
    assert verdicts(pulled(), "thm-5")["a"] is Verdict.NOT_VIOLATED


def outcomes_after(monkeypatch, change):
    """Drive every second run with draws of its own."""
    plain, calls = stability_runs._drive, []

    def drive(problem, algorithm, points, drawn, r):
        calls.append(r)
        return plain(problem, algorithm, points, change(drawn) if len(calls) % 2 == 0 else drawn, r)

    monkeypatch.setattr(stability_runs, "_drive", drive)


def two_samples():
    problem = SampledRegression(exact([[[1], [1]]]), exact([[5, -5]]))
    algorithm = RandomMasks((HALF,), 1, fmpq(1, 2))
    return CoupledPair(problem, 0, 0, exact([1]), fmpq(9, 2), algorithm, exact([0]), 4)


def test_planted_error_different_masks(monkeypatch):
    assert verdicts(two_samples(), "lem-12") == {"": Verdict.NOT_VIOLATED}
    # p = 1/2: the opposite masks have the same law
    outcomes_after(monkeypatch, lambda drawn: replace(drawn, masks=~drawn.masks))
    assert verdicts(two_samples(), "lem-12") == {"": Verdict.VIOLATED}


def test_planted_error_different_indices(monkeypatch):
    full = replace(two_samples(), algorithm=RandomMasks((fmpq(1),), 1, fmpq(1, 2)))
    assert verdicts(full, "lem-12") == {"": Verdict.NOT_VIOLATED}
    outcomes_after(monkeypatch, lambda drawn: replace(drawn, indices=1 - drawn.indices))
    assert verdicts(full, "lem-12") == {"": Verdict.VIOLATED}


def test_planted_error_no_division_by_n(monkeypatch):
    plain = submodel_parts.clients_mean

    def total(carry, drawn, reached):
        n = len(drawn.masks)
        return carry.u + (plain(carry, drawn, reached) - carry.u) * n

    monkeypatch.setattr(submodel_parts, "clients_mean", total)
    assert verdicts(pulled(), "lem-12") == {"": Verdict.VIOLATED}
    assert verdicts(pulled(), "thm-5")["a"] is Verdict.VIOLATED


def test_planted_error_samples_that_are_not_redrawn_from_their_law(monkeypatch):
    """Lemma 1 exchanges z and z': chances of the new sample must be those of the old."""
    sets = data_sets(coupled())
    assert sum((pair.chance for pair in sets.of((0, 0))), fmpq(0)) == 1
    swapped = {(p.base, p.other): p.chance for p in sets.of((1, 0))}
    assert all(swapped[other, base] == chance for (base, other), chance in swapped.items())
    with pytest.raises(FedboundsError, match="sum of the chances"):
        SampleLaw(exact([[1]]), exact([1]), np.array([HALF], dtype=object))


def test_assumptions_that_fail_are_refused():
    shown = {
        (j.claim.id, o.part): o
        for j in judge(encoded_claims("submodel"), case_of(coupled())).judgements
        for o in j.outcomes
    }
    refused = shown["submodel/thm-5", "a, stability"]
    assert refused.verdict is Verdict.NOT_APPLICABLE
    assert "Lipschitz samples" in refused.reason
    last = shown["submodel/cor-1", "last model"]
    assert last.verdict is Verdict.NOT_APPLICABLE  # strongly convex losses are not Lipschitz on R
    pair = verdicts(pulled(), "lem-1")
    assert set(pair.values()) == {Verdict.NOT_APPLICABLE}


def test_too_many_outcomes_are_refused():
    with pytest.raises(FedboundsError, match="number of outcomes of round 1"):
        joint_run(data_sets(coupled()).problems, coupled().algorithm, exact([2]), 2, 20)


@cache
def quick():
    """Verdicts of the quick plan by claim, reading and part."""
    tally = {}
    claims = encoded_claims("submodel")
    for case in stability.cases(Profile.QUICK, 0):
        for j in judge(claims, case).judgements:
            for part, outcome in zip(read(j.claim, j.reading), j.outcomes, strict=True):
                key = j.claim.id.removeprefix("submodel/"), j.reading.name, part.name
                tally.setdefault(key, set()).add(outcome.verdict)
    return tally


REFUTED = {
    ("claim-stability", "least p against largest, after R rounds", "rounds, ends"),
    ("claim-stability", "least p against largest, as R grows", "limit, ends"),
    ("claim-stability", "harsher: any two p, after R rounds", "rounds"),
    ("claim-stability", "harsher: any two p, as R grows", "limit"),
    ("claim-gap", "harsher: at equal rounds, no scalar module", "rounds"),
    ("claim-gap", "harsher: at equal training loss, no module", "loss"),
}


def test_the_plan_reaches_a_firm_verdict_everywhere():
    firm = {Verdict.VIOLATED, Verdict.NOT_VIOLATED}
    missing = {key for key, verdicts in quick().items() if not verdicts & firm}
    (only,) = missing
    assert (only[0], only[2]) == ("cor-1", "last model")  # its assumptions exclude each other


def test_what_the_plan_refutes():
    assert {key for key, verdicts in quick().items() if Verdict.VIOLATED in verdicts} == REFUTED
