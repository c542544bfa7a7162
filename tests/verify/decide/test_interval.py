"""The sampling rule keeps its word where a plain t-interval does not, and never refutes.

"Not violated" is a one-sided statement: the mean gap is at least zero. The interval is measured at
a large nominal level on data with a known mean, whose rare large losses a sample easily misses,
over fixed seeds; failures are compared with a binomial quantile.
"""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

from fedbounds.theory.language.claims import Part
from fedbounds.theory.language.symbols import G_u, G_v, Mean_t, f, t
from fedbounds.verify.decide import interval
from fedbounds.verify.decide.interval import (
    FIRST_LOOK,
    LEVEL,
    Sums,
    half_width,
    look_level,
    sums_of,
)
from fedbounds.verify.decide.part import decide_sampled, gap_width
from fedbounds.verify.measure.evaluate import Numbers
from fedbounds.vocabulary import Index, Relation, Verdict

LARGE = 0.05  # a level that can be measured
REPETITIONS = 4000
# failures that a method of error LARGE exceeds with probability 1e-6
ALLOWED = stats.binom.ppf(1 - 1e-6, REPETITIONS, LARGE)


# ---- data with known means: the gap loses its rare large values when they are not sampled

CUT = 12.0  # chi-square(1) conditioned on lying below


def chi_square(rng, size):
    values = rng.standard_normal(size) ** 2
    while (over := values > CUT).any():
        values[over] = rng.standard_normal(int(over.sum())) ** 2
    return -values


def _chi_square_mean():
    law = stats.chi2(1)
    # E X 1{X <= c} for chi-square(1) is the distribution function of chi-square(3)
    return -stats.chi2(3).cdf(CUT) / law.cdf(CUT)


def rare(rng, size):
    return -(rng.random(size) < 0.01).astype(float)


def constant(rng, size):
    return np.full(size, -1.5)


def signs(rng, size):
    return rng.choice([-1.0, 1.0], size)


# name: (sampler, mean, width of the range)
DATA = {
    "chi-square(1), cut": (chi_square, _chi_square_mean(), CUT),
    "an event of probability 0.01": (rare, -0.01, 1.0),
    "constants": (constant, -1.5, 0.0),
    "signs": (signs, 0.0, 2.0),
}


def overshoots(name, replicas, half):
    """In how many repetitions the lower limit exceeds the true mean."""
    sampler, mean, width = DATA[name]
    rng = np.random.default_rng(len(name) + replicas)
    sums = sums_of(sampler(rng, (replicas, REPETITIONS)))
    lower = sums.total / sums.count - half(sums, width)
    return int((lower > mean + 1e-12).sum())


def ours(sums, width):
    # one statement per repetition: undo the division of the level among simultaneous ones
    return half_width(sums, width, LARGE * np.size(sums.total))


def plain_t(sums, _):
    variance = (sums.squares - sums.total**2 / sums.count) / (sums.count - 1)
    error = np.sqrt(np.maximum(variance, 0.0) / sums.count)
    return error * stats.t(sums.count - 1).ppf(1 - LARGE)


@pytest.mark.parametrize("name", DATA)
@pytest.mark.parametrize("replicas", [16, 64, 256])
def test_the_interval_fails_no_more_often_than_it_says(name, replicas):
    assert overshoots(name, replicas, ours) <= ALLOWED


@pytest.mark.parametrize("replicas", [16, 64])
@pytest.mark.parametrize("name", ["chi-square(1), cut", "an event of probability 0.01"])
def test_a_plain_t_interval_would_be_caught(name, replicas):
    assert overshoots(name, replicas, plain_t) > ALLOWED


def test_the_interval_fails_sometimes_so_the_test_can_fail():
    """A quarter of its half-width is not enough on signs: the count above is not idle."""
    assert overshoots("signs", 256, lambda sums, w: ours(sums, w) / 4) > ALLOWED
    assert overshoots("signs", 256, lambda sums, w: ours(sums, w) / 2) > 0


def test_without_its_range_term_the_interval_misses_rare_events():
    assert overshoots("an event of probability 0.01", 64, lambda s, _: ours(s, 0.0)) > ALLOWED


def test_means_that_are_judged_together_fail_together_at_the_level():
    """Ten means at once: any failure counts."""
    rng = np.random.default_rng(1)
    failed = 0
    for _ in range(1000):
        sums = sums_of(rare(rng, (64, 10)))
        lower = sums.total / sums.count - half_width(sums, 1.0, LARGE)
        failed += bool((lower > -0.01).any())
    assert failed <= stats.binom.ppf(1 - 1e-6, 1000, LARGE)


def test_looking_again_and_again_costs_no_more_than_the_level(monkeypatch):
    """Three looks at growing samples, stopping at the first that would decide."""
    monkeypatch.setattr(interval, "LEVEL", 2 * LARGE)
    rng = np.random.default_rng(2)
    failed = np.zeros(REPETITIONS, dtype=bool)
    sums = None
    for look, more in enumerate((32, 32, 64)):
        found = sums_of(chi_square(rng, (more, REPETITIONS)))
        sums = found if sums is None else sums + found
        half = half_width(sums, CUT, look_level(look) * REPETITIONS)
        failed |= sums.total / sums.count - half > DATA["chi-square(1), cut"][1]
    assert failed.sum() <= stats.binom.ppf(1 - 1e-6, REPETITIONS, 2 * LARGE)


# ---- the formula and its bookkeeping


def test_looks_share_the_level():
    levels = [look_level(j) for j in range(60)]
    assert all(a > b > 0 for a, b in pairwise(levels))
    assert sum(levels) <= LEVEL
    assert sum(levels) == pytest.approx(LEVEL)


def test_simultaneous_means_share_the_level_equally():
    rng = np.random.default_rng(3)
    values = rng.random((50, 4))
    together = half_width(sums_of(values), 1.0, 0.02)
    alone = [half_width(sums_of(values[:, j]), 1.0, 0.005) for j in range(4)]
    np.testing.assert_allclose(together, alone, rtol=1e-15)


def test_the_half_width_is_the_empirical_bernstein_bound():
    """Maurer and Pontil 2009, Theorem 4, by hand on eight numbers."""
    values = np.array([0.0, 1.0, 0.0, 0.5, 0.25, 1.0, 0.0, 0.75])
    log = np.log(2 / 0.01)
    expected = np.sqrt(2 * values.var(ddof=1) * log / 8) + 7 * 1.0 * log / (3 * 7)
    assert half_width(sums_of(values), 1.0, 0.01) == pytest.approx(expected, rel=1e-14)


def test_constants_leave_the_range_term_only():
    sums = sums_of(np.full(1000, 0.1))  # 1000 x 0.1^2 rounds: the variance is clipped at zero
    expected = 7 * 3.0 * np.log(2 / 0.01) / (3 * 999)
    assert half_width(sums, 3.0, 0.01) == pytest.approx(expected, rel=1e-6)


def test_the_half_width_shrinks_with_replicas_and_grows_with_confidence():
    rng = np.random.default_rng(4)
    values = signs(rng, 4096)
    halves = [half_width(sums_of(values[:count]), 2.0, 0.01) for count in (64, 256, 1024, 4096)]
    assert halves == sorted(halves, reverse=True)
    assert half_width(sums_of(values), 2.0, 1e-9) > half_width(sums_of(values), 2.0, 1e-3)
    assert half_width(sums_of(values), 8.0, 0.01) > half_width(sums_of(values), 2.0, 0.01)


def test_sums_of_chunks_add_up_in_order_to_the_sums_of_all():
    rng = np.random.default_rng(5)
    whole = rng.integers(-8, 9, (12, 3)).astype(float)  # integers: sums are exact
    chunks = [sums_of(part) for part in np.split(whole, [3, 4, 9])]
    total = sum(chunks[1:], start=chunks[0])
    assert total.count == 12
    np.testing.assert_array_equal(total.total, whole.sum(axis=0))
    np.testing.assert_array_equal(total.squares, (whole**2).sum(axis=0))
    reals = [sums_of(part) for part in np.split(rng.standard_normal((9, 2)), 3)]
    left_first = (reals[0] + reals[1]) + reals[2]
    again = (reals[0] + reals[1]) + reals[2]
    np.testing.assert_array_equal(left_first.total, again.total)


# ---- verdicts on samples

PART = Part(left=G_u(t), right=G_v(t))


def sampled(gaps, reach=1.0, look=0, part=PART):
    """The verdict on gaps of shape (replicas, rounds) whose two terms are at most ``reach``."""
    gaps = np.asarray(gaps, dtype=float)
    rounds = range(gaps.shape[1])
    constants = {"T": float(gaps.shape[1])}
    means = {"G_u": np.ones(gaps.shape[1]), "G_v": 1 + gaps.mean(axis=0)}
    bound = None
    if reach is not None:
        size = np.full(gaps.shape[1], reach)
        bound = Numbers(constants, {"G_u": size, "G_v": size})
    return decide_sampled(part, sums_of(gaps), bound, Numbers(constants, means), rounds, look)


@pytest.mark.parametrize("gap", [-1e-12, -0.5, -1e6])
@pytest.mark.parametrize("reach", [1.0, None])
def test_samples_never_refute(gap, reach):
    found = sampled(np.full((4096, 2), gap), reach)
    assert found.verdict is Verdict.UNDECIDED
    assert not found.candidate
    assert "never refutes" in found.reason
    assert found.gap == pytest.approx(gap)


def test_one_negative_round_is_enough_to_stay_undecided():
    gaps = np.full((100_000, 3), 0.9)
    gaps[:, 1] = -0.9
    found = sampled(gaps)
    assert (found.verdict, found.at) == (Verdict.UNDECIDED, 1)


def test_a_clear_gap_in_a_small_range_is_not_violated():
    found = sampled(np.full((4096, 2), 0.5), reach=1.0)
    assert found.verdict is Verdict.NOT_VIOLATED
    assert (found.replicas, found.level) == (4096, LEVEL)


IDENTITY = replace(PART, relation=Relation.EQUAL)


def test_samples_never_show_an_equality():
    clear = sampled(np.full((4096, 2), 0.5), reach=1.0, part=IDENTITY)
    assert clear.verdict is Verdict.UNDECIDED
    assert "not 0" in clear.reason
    assert "never refutes" in clear.reason
    signs = np.tile([[1.0, -1.0], [-1.0, 1.0]], (2048, 1))
    around = sampled(signs, reach=1.0, part=IDENTITY)
    assert around.verdict is Verdict.UNDECIDED
    assert "shows no equality" in around.reason


def test_the_largest_distance_from_equality_is_reported_whatever_its_sign():
    found = sampled([[0.1, 0.9, -0.2]] * 4096, part=IDENTITY)
    assert found.at == 1
    assert found.relative_gap < 0


def test_a_range_that_is_not_certified_leaves_it_undecided():
    found = sampled(np.full((100_000, 2), 0.5), reach=None)
    assert found.verdict is Verdict.UNDECIDED
    assert found.reason == "no violation seen in 100000 replicas"


def test_a_range_that_is_too_wide_leaves_it_undecided():
    gaps = np.full((4096, 2), 0.5)
    wide = 0.5 * 3 * 4095 / (7 * 4 * np.log(2 * 2 / look_level(0)))
    assert sampled(gaps, reach=0.99 * wide).verdict is Verdict.NOT_VIOLATED
    assert sampled(gaps, reach=1.01 * wide).verdict is Verdict.UNDECIDED


def test_a_later_look_needs_more():
    gaps = np.full((4096, 2), 0.5)
    wide = 0.5 * 3 * 4095 / (7 * 4 * np.log(2 * 2 / look_level(0)))
    assert sampled(gaps, reach=0.99 * wide, look=3).verdict is Verdict.UNDECIDED


def test_rare_losses_do_not_pass_for_no_losses():
    """gap = 0.001 - an event of probability 0.002: the mean is negative, most samples show none."""
    rng = np.random.default_rng(6)
    fooled, clean = 0, 0
    for _ in range(200):
        gaps = 0.001 - (rng.random((FIRST_LOOK, 1)) < 0.002).astype(float)
        fooled += sampled(gaps, reach=0.5).verdict is Verdict.NOT_VIOLATED
        clean += not (gaps < 0).any()
    assert clean > 10  # a t-interval has no width there and would say "not violated"
    assert fooled == 0


def test_the_width_covers_both_signs_of_every_measured_term():
    reach = Numbers({"T": 2.0}, {name: np.array([2.0, 3.0, 5.0]) for name in ("f", "G_u", "G_v")})
    part = Part(left=f(t + 1) - f(t), right=2 * G_u(t) - G_v(t) + 100)
    expected = [2 * (3 + 2 + 2 * 2 + 2), 2 * (5 + 3 + 2 * 3 + 3)]
    np.testing.assert_allclose(gap_width(part, reach, range(2)), expected)


def test_the_width_covers_terms_that_cancel_inside_a_mean():
    """|G_u| and |G_v| at most 1: the mean of their difference ranges over [-1, 1] at least."""
    reach = Numbers({"T": 2.0}, {"G_u": np.ones(3), "G_v": np.ones(3)})
    part = Part(left=Mean_t(G_u(t) - G_v(t)), right=0 * t, index=Index.RUN)
    assert gap_width(part, reach, None) >= 2.0


def test_sums_hold_what_they_are_given():
    sums = Sums(2, np.array([3.0]), np.array([5.0]))
    assert (sums + sums).count == 4
    assert (sums + sums).squares[0] == 10.0
