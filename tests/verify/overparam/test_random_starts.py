"""What holds with some probability over the start: laws and counts, and what they may say."""

from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import comb, erf, exp, sqrt

import numpy as np
import pytest
import sympy as sp
from each import each
from flint import arb, fmpq
from scipy.stats import chi2

from fedbounds.errors import FedboundsError
from fedbounds.problems import neural_starts, start_laws
from fedbounds.problems.chances import binomial_tail, largest_chance
from fedbounds.theory.language.registry import claim, events, starts
from fedbounds.theory.language.setups import Objective
from fedbounds.theory.language.starts import PlannedStarts, Starts
from fedbounds.theory.overparam.setups import ONE_LAYER, THREE_LAYERS, WIDE
from fedbounds.theory.overparam.symbols import radius, width
from fedbounds.verify.decide.case import find
from fedbounds.verify.decide.measurement import measure
from fedbounds.verify.decide.part import decide
from fedbounds.verify.judge.judge import judge, judge_reading
from fedbounds.verify.measure.objectives import objective
from fedbounds.verify.setups.starts import starts_case
from fedbounds.vocabulary import Method, Verdict

LEMMA, NEURONS = claim("overparam/lemma-a1"), claim("overparam/eq-64-67")
LEVEL = fmpq(1, 10**6)


def number(x):
    return Fraction(int(x.p), int(x.q))


# ---- counts


def at_most(seen, count, p):
    """P(no more than so many), in fractions."""
    return sum(comb(count, i) * p**i * (1 - p) ** (count - i) for i in range(seen + 1))


@pytest.mark.parametrize(("seen", "count"), [(0, 1), (0, 40), (3, 40), (17, 40), (39, 40)])
def test_a_bound_is_where_so_few_are_as_rare_as_the_level(seen, count):
    top = number(largest_chance(seen, count, LEVEL))
    assert at_most(seen, count, top) <= Fraction(1, 10**6)
    assert at_most(seen, count, top - Fraction(1, 10**9)) > Fraction(1, 10**6)
    assert largest_chance(count, count, LEVEL) == 1


@pytest.mark.parametrize(("count", "p"), [(5, Fraction(1, 3)), (12, Fraction(9, 10))])
def test_tails_are_sums_over_all_outcomes(count, p):
    for above in range(-1, count + 1):
        exactly = 1 - at_most(above, count, p) if above >= 0 else Fraction(1)
        found = binomial_tail(count, arb(fmpq(p.numerator, p.denominator)), above)
        assert found.overlaps(arb(fmpq(exactly.numerator, exactly.denominator)))
        assert float(found.rad()) < 1e-12


def test_the_bound_fails_as_seldom_as_it_says():
    """Of all outcomes of 6 events of chance 1/5: the bound at level 1/10 is below it, by odds."""
    p, level = Fraction(1, 5), fmpq(1, 10)
    failing = Fraction(0)
    for outcome in product((0, 1), repeat=6):
        seen = sum(outcome)
        if number(largest_chance(seen, 6, level)) < p:
            failing += p**seen * (1 - p) ** (6 - seen)
    assert failing <= Fraction(1, 10)


# ---- numbers of starts


@each("network", [ONE_LAYER, WIDE, THREE_LAYERS])
def test_starts_are_what_the_problem_says_of_each(network):
    """In floats and in rationals, of starts in small rationals."""
    problem = objective(network.objective)
    random = np.random.default_rng(1)
    rows = random.integers(-3, 4, (2, problem.shared_dimension)) / 2
    if network is WIDE:
        problem = objective(Objective("deep linear", (*network.objective.data[:3], ("width", 4))))
        rows = rows[:, : problem.shared_dimension]
    found = neural_starts.of_deep_linear(problem, rows)
    for at, row in enumerate(rows):
        exact = np.array([fmpq(int(2 * x), 2) for x in row], dtype=object)
        wanted = problem.numbers(exact)
        for name in ("low_0", "high_0", "R_0"):
            least, most = (own[at] for own in found[name])
            middle = wanted[name]
            assert least <= float(middle.upper)
            assert most >= float(middle.lower)
            assert most - least < 1e-7 * max(1.0, float(found["high_0"][1][at]))


def test_the_loss_and_inner_products_by_hand():
    problem = objective(THREE_LAYERS.objective)
    m, rows = problem.width, np.random.default_rng(2).standard_normal((3, problem.shared_dimension))
    found = neural_starts.of_deep_linear(problem, rows)
    for at, row in enumerate(rows):
        first, last = row[: 2 * m].reshape(m, 2), row[-m:].reshape(1, m)
        inner = row[2 * m : -m].reshape(m, m)
        missed = (last @ inner @ first)[0] / m - 1  # samples are unit vectors, labels are 1
        assert found["R_0"][0][at] <= missed @ missed <= found["R_0"][1][at]
        largest = np.linalg.svd(inner, compute_uv=False)[0] ** 2 / m
        assert found["mid_0"][0][at] <= largest <= found["mid_0"][1][at]


def test_starts_of_a_seed_are_the_first_of_more():
    problem = objective(ONE_LAYER.objective)
    few, many = (
        np.concatenate(list(neural_starts.gaussian_starts(problem, 3, count))) for count in (5, 9)
    )
    np.testing.assert_array_equal(few, many[:5])


# ---- events


def planned(name):
    return next(one for one in starts("overparam") if one.name == name)


SMALL = "1024 starts of two layers, width 30: all"
ENOUGH = "1024 starts of two layers, width 250: all"


def of_counts(one):
    """What the bound says of all of the lemma at once."""
    case = starts_case(one)
    return decide(LEMMA.parts[0], measure(case).numbers, case.method).verdict


def test_counting_shows_what_is_rare_and_refutes_nothing():
    """Half of all starts fail at width 30, and the bound does not call the claim broken."""
    assert of_counts(planned(ENOUGH)) is Verdict.NOT_VIOLATED
    assert of_counts(planned(SMALL)) is Verdict.UNDECIDED


def test_a_bound_above_what_is_asked_decides_nothing():
    """Of 64 starts none fails, which is no proof of less than one in ten."""
    one = planned(ENOUGH)
    short = Starts("overparam", "all", one.starts.problem, 64, one.starts.chosen)
    assert of_counts(PlannedStarts("few", short)) is Verdict.UNDECIDED


@pytest.mark.parametrize("name", [SMALL, ENOUGH])
def test_no_verdict_rests_on_counts_of_what_is_rounded(name):
    """An estimate, and told: how many starts there were, and how many of them failed."""
    (own,) = (
        one
        for one in judge((LEMMA,), starts_case(planned(name))).judgements
        if one.reading == LEMMA.readings[0]
    )
    assert own.deciding.verdict is Verdict.UNDECIDED
    assert "of 1024 starts fail or are not told" in own.deciding.reason
    assert "an estimate: no firm verdict here" in own.deciding.reason


def test_how_many_were_counted_is_told():
    case = starts_case(planned(ENOUGH))
    found = find(case.setup)
    assert case.method is Method.CONFIDENCE
    assert "of 1024 starts fail or are not told, seed 0" in found.family
    top = found.parameters["fail_a1"]
    assert top.contains(0)
    assert float(top.upper()) < 0.02


def test_one_layer_has_nothing_that_could_fail():
    given = Starts("overparam", "spectra", ONE_LAYER.objective, 30, (("chance", "1/10"),))
    assert "0 of 30 starts" in find(given).family


LAW = "starts of ReLU, two samples, 64 neurons, R=1/10: by their law"
COUNTED = "starts of ReLU, two samples, 64 neurons, R=1/10: 128 drawn"


def test_the_law_of_66_is_a_binomial_one():
    found = find(starts_case(planned(LAW)).setup).parameters["fail_66"]
    p = erf(0.1 / sqrt(2))
    one = sum(comb(64, i) * p**i * (1 - p) ** (64 - i) for i in range(26, 65))
    assert float(found.lower()) == pytest.approx(one, rel=1e-9)
    assert float(found.upper()) == pytest.approx(2 * one, rel=1e-9)
    case = starts_case(planned(LAW))
    numbers = measure(case)
    own = judge_reading(NEURONS, NEURONS.readings[2], case, numbers)
    assert own.verdict is Verdict.NOT_VIOLATED
    assert 2 * one < 2 * exp(-6.4)


def test_counted_starts_of_66_overlap_the_law():
    """1.2 of 64 neurons in a hundred thousand times: none is seen; its bound is above the law."""
    law, counted = (
        find(starts_case(planned(name)).setup).parameters["fail_66"] for name in (LAW, COUNTED)
    )
    assert float(counted.upper()) > float(law.upper())
    assert float(counted.upper()) == pytest.approx(1 - 1e-6 ** (1 / 128), rel=1e-6)


def test_neurons_near_a_change_of_sign_are_counted_by_hand():
    problem = objective(planned(COUNTED).starts.problem)
    (rows,) = neural_starts.gaussian_starts(problem, 0, 20)
    low, high = neural_starts.of_relu(problem, rows, fmpq(1, 10))["unsure"]
    for at, row in enumerate(rows):
        near = [0, 0]
        for neuron in row.reshape(64, 2):
            for sample in (0, 1):  # unit vectors
                near[sample] += abs(neuron[sample]) <= 0.1
        assert low[at] == high[at] == max(near) / 64


# ---- (62)

OF_62 = claim("overparam/eq-61-63")


def test_62_is_between_what_moved_neurons_have():
    """H of models within R, neuron by neuron: those outside of Q_i, both samples active."""
    problem, radius = objective(planned(COUNTED).starts.problem), 0.1
    (rows,) = neural_starts.gaussian_starts(problem, 0, 20)
    found = neural_starts.of_relu(problem, rows, fmpq(1, 10))["perp_most"]
    X = np.array([[float(fmpq(x)) for x in row] for row in problem.features.reshape(-1, 2)])
    random = np.random.default_rng(0)

    def perp(start, here, there):
        total = np.zeros((2, 2))
        for i, j in product(range(2), repeat=2):
            for r in range(64):
                if abs(start[r] @ X[i]) <= radius * np.linalg.norm(X[i]):
                    both = here[r] @ X[i] >= 0 and there[r] @ X[j] >= 0
                    total[i, j] += X[i] @ X[j] * both / 64
        return np.linalg.norm(total)

    for at, row in enumerate(rows):
        start = row.reshape(64, 2)
        assert perp(start, start, start) == pytest.approx(found[0][at], rel=1e-6)
        for _ in range(3):
            moves = random.standard_normal((2, 64, 2))
            moves *= radius / np.linalg.norm(moves, axis=2, keepdims=True)
            assert perp(start, *(start + moves)) <= found[1][at]


def test_62_holds_by_the_law_of_66():
    case = starts_case(planned(f"{LAW}, (62)"))
    own = judge_reading(OF_62, OF_62.readings[1], case, measure(case))
    assert own.verdict is Verdict.NOT_VIOLATED
    found = [find(starts_case(planned(name)).setup).parameters for name in (LAW, f"{LAW}, (62)")]
    tops = [
        float(own[name].upper()) for own, name in zip(found, ("fail_66", "fail_62"), strict=True)
    ]
    assert tops[0] == pytest.approx(tops[1], rel=1e-6)
    assert found[1]["fail_62"].lower() <= 0


def test_a_smaller_bound_than_that_of_62_is_not_told_to_hold():
    case = starts_case(planned(f"{LAW}, (62)"))
    wrong = replace(OF_62.parts[1], right=sp.exp(-20 * width * radius))
    assert decide(wrong, measure(case).numbers, case.method).verdict is not Verdict.NOT_VIOLATED


# ---- laws of deep linear networks


@pytest.mark.parametrize(("count", "value"), [(1, 0.3), (2, 5.0), (30, 43.2), (400, 256.0)])
def test_chances_of_squared_lengths(count, value):
    wanted = chi2.sf(value, count)
    assert float(start_laws.chi_square_above(count, arb(value))) == pytest.approx(wanted, rel=1e-9)
    below = start_laws.least_below(count, 1, arb(value))
    assert float(below) == pytest.approx(chi2.cdf(value, count), rel=1e-6, abs=1e-15)


@pytest.mark.parametrize("columns", [2, 5])
@pytest.mark.parametrize("share", [0.3, 0.5, 0.8])
def test_no_share_of_drawn_matrices_is_above_its_bound(columns, share):
    """Of 4000 matrices of 100 rows; in standard errors of a share."""
    random, m, count = np.random.default_rng(3), 100, 4000
    values = np.linalg.svd(random.standard_normal((count, m, columns)), compute_uv=False) ** 2
    for seen, bound in (
        ((values[:, -1] < share * m).mean(), start_laws.least_below(m, columns, arb(share * m))),
        ((values[:, 0] > m / share).mean(), start_laws.largest_above(m, columns, arb(m / share))),
    ):
        assert seen <= float(bound.upper()) + 4 / count**0.5


LAWS = [one for one in starts("overparam") if one.name.startswith("the law of starts of")]


def drawn(of, width, event, count=2000):
    """Of drawn starts of the same network, narrower where it is wide: counted failures, and laws."""
    data = dict(of.objective.data) | {"width": width}
    chosen = (("C_w", 1), ("C_B", 2), ("C_l", 2), ("chance", "1/10"))
    given = Starts("overparam", event, Objective("deep linear", tuple(data.items())), 0, chosen)
    law = find(given).parameters
    counted = find(replace(given, count=count)).family
    name = str(events("overparam")[event].failing)
    failed = int(counted.split(": ")[1].split(" of ")[0])
    return failed / count, float(law[name].lower()), float(law[name].upper())


@each("network, width", [(WIDE, 8), (WIDE, 30), (WIDE, 120), (WIDE, 400), (THREE_LAYERS, 12),
                         (THREE_LAYERS, 48), (ONE_LAYER, 5)])  # fmt: skip
def test_what_is_counted_is_between_what_laws_say(network, width):
    for event in ("all", "spectra", "loss"):
        seen, low, high = drawn(network, width, event)
        error = 4 / 2000**0.5
        assert low - error <= seen <= high + error, (event, low, seen, high)


def test_laws_are_firm_both_ways():
    """The lemma holds for sure of wide networks, and fails for sure with 1 in Omega."""
    verdicts = {}
    for one in LAWS:
        if one.starts.event == "all":
            case = starts_case(one)
            assert case.method is Method.BALLS
            for own in judge((LEMMA,), case).judgements:
                verdicts[one.name, own.deciding.part] = own.verdict
    wide = [v for (name, part), v in verdicts.items() if part == "all" and "30:" not in name]
    assert wide == [Verdict.NOT_VIOLATED] * 4
    narrow = "the law of starts of two layers, width 30: all"
    assert verdicts[narrow, "any constant"] is Verdict.VIOLATED
    assert verdicts[narrow, "all"] is Verdict.OUTSIDE


def test_laws_that_are_not_known_are_not_made_up():
    problem = objective(WIDE.objective)
    assert start_laws.law_of(problem, "low_0", "<=", arb(1), {}) is None
    assert start_laws.law_of(problem, "moved", "<=", arb(1), {}) is None
    assert start_laws.law_of(object(), "low_0", ">=", arb(1), {}) is None


def test_a_bound_without_the_root_of_columns_is_broken_by_what_is_drawn(monkeypatch):
    """Planted: as if a matrix of two columns were one vector."""
    right = start_laws.largest_above
    wrong = lambda rows, columns, value: right(rows, 1, value)  # noqa: E731
    monkeypatch.setattr(start_laws, "largest_above", wrong)
    monkeypatch.setattr(start_laws, "least_below", lambda *_: arb(0))
    seen, _, high = drawn(WIDE, 30, "spectra")
    assert seen > high + 4 / 2000**0.5


# ---- planted errors


def broken_by(wrong, name):
    case = starts_case(planned(name))
    part = next(own for own in NEURONS.parts if own.name == "(66)")
    other = replace(part, right=wrong)
    return decide(other, measure(case).numbers, case.method).verdict


def test_a_bound_that_is_too_small_is_broken_by_the_law_alone():
    """e^(-20 m R) for e^(-m R): the law is above it; counting does not tell."""
    wrong = sp.exp(-20 * width * radius)
    assert broken_by(wrong, LAW) is Verdict.VIOLATED
    assert broken_by(wrong, COUNTED) is Verdict.UNDECIDED


def test_a_network_whose_samples_are_scaled_wrongly_is_seen(monkeypatch):
    """C = m^(-1) for m^(-1/2): losses are others, and starts fail that do not."""
    problem = objective(WIDE.objective)
    (rows,) = neural_starts.gaussian_starts(problem, 0, 4)
    right = neural_starts.of_deep_linear(problem, rows)["R_0"]
    monkeypatch.setattr(type(problem), "square", property(lambda self: self.width**2))
    wrong = neural_starts.of_deep_linear(problem, rows)["R_0"]
    assert (right[1] < wrong[0]).any() or (wrong[1] < right[0]).any()


def test_what_has_no_law_is_told(monkeypatch):
    monkeypatch.setattr(start_laws, "of_layers", lambda *_: None)
    with pytest.raises(FedboundsError, match="starts are to be counted"):
        find(Starts("overparam", "loss", WIDE.objective, 0, (("chance", "1/10"), ("C_B", 2))))
    with pytest.raises(FedboundsError, match="event of overparam"):
        find(Starts("overparam", "none", WIDE.objective, 1))
    assert "loss" in events("overparam")
