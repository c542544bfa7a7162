"""Deciding: exact numbers by sign, floats by a margin and never "violated", and which rounds."""

from dataclasses import replace

import numpy as np
import pytest
import sympy as sp
from flint import arb, fmpq
from hypothesis import assume, given
from hypothesis import strategies as st
from kinds import exact, floats, object_array

from fedbounds.theory.language.claims import Part
from fedbounds.theory.language.symbols import G_u, G_v, Max_t, Mean_t, f, m, n, t
from fedbounds.verify.decide.part import decide, rounds_of
from fedbounds.verify.measure.evaluate import Numbers
from fedbounds.vocabulary import Index, Method, Relation, Verdict

AT_MOST = Part(left=G_u(t), right=G_v(t))
EQUAL = replace(AT_MOST, relation=Relation.EQUAL)
BELOW = replace(AT_MOST, relation=Relation.BELOW)
PER_RUN = Part(left=Mean_t(G_u(t)), right=G_v(0), index=Index.RUN)


# ---- exact numbers


whole = st.lists(st.integers(-3, 3), min_size=3, max_size=3)


@given(whole, whole)
def test_rationals_decide_by_sign_in_every_round(left, right):
    assume(any(left) or any(right))  # else it says nothing, tested below
    gaps = [b - a for a, b in zip(left, right, strict=True)]
    found = decide(AT_MOST, exact(left, right), Method.RATIONAL)
    assert found.verdict is (Verdict.VIOLATED if min(gaps) < 0 else Verdict.NOT_VIOLATED)
    assert not found.candidate
    assert found.rounds == 3
    ratios = [
        g / (abs(a) + abs(b)) if g else 0.0 for g, a, b in zip(gaps, left, right, strict=True)
    ]
    assert found.relative_gap == pytest.approx(min(ratios))
    assert fmpq(found.gap) == gaps[found.at]
    assert (fmpq(found.left), fmpq(found.right)) == (left[found.at], right[found.at])
    equal = decide(EQUAL, exact(left, right), Method.RATIONAL)
    assert equal.verdict is (Verdict.VIOLATED if any(gaps) else Verdict.NOT_VIOLATED)


@given(whole, whole)
def test_a_strict_relation_is_broken_by_equality_and_by_zeros(left, right):
    gaps = [b - a for a, b in zip(left, right, strict=True)]
    found = decide(BELOW, exact(left, right), Method.RATIONAL)
    assert found.verdict is (Verdict.VIOLATED if min(gaps) <= 0 else Verdict.NOT_VIOLATED)
    same = replace(BELOW, right=BELOW.left)
    assert decide(same, exact(left, right), Method.RATIONAL).verdict is Verdict.VIOLATED
    near = decide(BELOW, floats(left, right), Method.ENUMERATION).verdict
    assert near is (Verdict.UNDECIDED if min(gaps) <= 0 else Verdict.NOT_VIOLATED)


def test_a_strict_relation_of_roots():
    numbers = exact([1], [1], n=2, m=3)
    strict = [replace(part, relation=Relation.BELOW) for part in (HIDDEN, NESTED)]
    equal, unknown = (decide(part, numbers, Method.RATIONAL).verdict for part in strict)
    assert (equal, unknown) == (Verdict.VIOLATED, Verdict.UNDECIDED)


def test_the_least_rational_counts():
    hair = fmpq(1, 10**60)
    found = decide(AT_MOST, exact([1, 1 + hair], [1, 1]), Method.RATIONAL)
    assert (found.verdict, found.at) == (Verdict.VIOLATED, 1)
    assert found.gap < 0
    assert decide(AT_MOST, exact([1, 1 - hair], [1, 1]), Method.RATIONAL).verdict is (
        Verdict.NOT_VIOLATED
    )
    assert decide(EQUAL, exact([1, 1 - hair], [1, 1]), Method.RATIONAL).verdict is Verdict.VIOLATED


@pytest.mark.parametrize(
    ("left", "right", "note"),
    [
        ([1, 2], [1, 2], "both sides are equal"),
        ([1, 2], [1, 3], "equal in 1 of 2 rounds"),
        ([1, 2], [2, 3], ""),
        ([1, 3], [1, 2], ""),
    ],
)
def test_equality_is_noted_where_nothing_is_broken(left, right, note):
    assert decide(AT_MOST, exact(left, right), Method.RATIONAL).reason == note


def test_sides_of_a_whole_run_are_one_number_each():
    found = decide(PER_RUN, exact([1, 2, 6], [4, 0, 0]), Method.RATIONAL)
    assert (found.verdict, found.at, found.rounds) == (Verdict.NOT_VIOLATED, None, 1)
    assert (found.left, found.right, found.gap) == ("3", "4", "1")


ROOTED = replace(AT_MOST, right=sp.sqrt(n) * G_v(t))


@given(st.integers(2, 50), st.integers(1, 60))
def test_an_irrational_side_is_decided_in_balls(clients, left):
    """left <= sqrt(n), decided without a root by squares."""
    found = decide(ROOTED, exact([left], [1], n=clients), Method.RATIONAL)
    assert (found.verdict is Verdict.VIOLATED) == (left * left > clients)
    assert (found.verdict is Verdict.NOT_VIOLATED) == (left * left <= clients)


def test_precision_rises_until_the_sign_is_decided():
    """A left side that agrees with sqrt(2) to 100 digits, from either side."""
    digits = sp.sqrt(2).evalf(110)
    below = fmpq(int(sp.floor(digits * 10**100)), 10**100)
    assert below * below < 2
    for left, verdict in (
        (below, Verdict.NOT_VIOLATED),
        (below + fmpq(1, 10**100), Verdict.VIOLATED),
    ):
        assert decide(ROOTED, exact([left], [1], n=2), Method.RATIONAL).verdict is verdict


def test_the_working_precision_is_put_back():
    from flint import ctx

    before = ctx.prec
    decide(ROOTED, exact([fmpq(141421356, 10**8)], [1], n=2), Method.RATIONAL)
    assert ctx.prec == before


HIDDEN = Part(left=(sp.sqrt(n) + sp.sqrt(m)) ** 2, right=n + m + 2 * sp.sqrt(n * m))
# a root of a sum of roots is not written as one
NESTED = Part(left=sp.sqrt(n + m + 2 * sp.sqrt(n * m)), right=sp.sqrt(n) + sp.sqrt(m))
RELATIONS = [Relation.AT_MOST, Relation.EQUAL]


@pytest.mark.parametrize("relation", RELATIONS)
@given(sizes=st.tuples(st.integers(1, 60), st.integers(1, 60)))
def test_an_equality_of_irrationals_is_decided(relation, sizes):
    numbers = exact([1], [1], n=sizes[0], m=sizes[1])
    found = decide(replace(HIDDEN, relation=relation), numbers, Method.RATIONAL)
    assert (found.verdict, found.reason) == (Verdict.NOT_VIOLATED, "both sides are equal")
    hair = sp.Rational(1, 10**40)
    for off in (hair, -hair):
        part = replace(HIDDEN, right=HIDDEN.right + off, relation=relation)
        broken = relation is Relation.EQUAL or off < 0
        verdict = Verdict.VIOLATED if broken else Verdict.NOT_VIOLATED
        assert decide(part, numbers, Method.RATIONAL).verdict is verdict


@pytest.mark.parametrize("relation", RELATIONS)
def test_an_equality_of_nested_roots_stays_undecided(relation):
    """Balls that overlap are no evidence that two sides are equal."""
    numbers = exact([1], [1], n=2, m=3)
    found = decide(replace(NESTED, relation=relation), numbers, Method.RATIONAL)
    assert found.verdict is Verdict.UNDECIDED
    assert "not known at the finest precision" in found.reason


def test_an_irrational_bound_on_a_whole_run_is_decided():
    part = replace(PER_RUN, right=sp.sqrt(n) * G_v(0))
    for left, verdict in (([1, 1], Verdict.NOT_VIOLATED), ([1, 2], Verdict.VIOLATED)):
        assert decide(part, exact(left, [1, 1], n=2), Method.RATIONAL).verdict is verdict


def test_long_fractions_are_reported_rounded():
    long = fmpq(10**80 + 1, 3**100)
    found = decide(AT_MOST, exact([long], [2 * long]), Method.RATIONAL)
    assert isinstance(found.left, float)
    assert found.left == pytest.approx(float(long))
    assert decide(AT_MOST, exact([1], [fmpq(22, 7)]), Method.RATIONAL).right == "22/7"


# ---- floats


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=5), st.floats(0, 1))
def test_floats_never_say_violated(gaps, error):
    """A sign that the errors leave is certain: firm above zero, a candidate below."""
    gaps = [(1.0 + g) - 1.0 for g in gaps]
    assume(all(abs(abs(g) - error) > 1e-8 * error for g in gaps))  # radii have 30 bits
    numbers = floats([1.0] * len(gaps), [1.0 + g for g in gaps], error / 2)
    found = decide(AT_MOST, numbers, Method.MOMENTS)
    broken = [g for g in gaps if g < -error]
    known = [g for g in gaps if g >= error]
    assert found.candidate is bool(broken)
    firm = not broken and len(known) == len(gaps)
    assert found.verdict is (Verdict.NOT_VIOLATED if firm else Verdict.UNDECIDED)
    assert found.unresolved == len(gaps) - len(known) - len(broken)


@pytest.mark.parametrize(
    ("gap", "verdict", "candidate"),
    [
        (1e-3, Verdict.NOT_VIOLATED, False),
        (1.01e-12, Verdict.NOT_VIOLATED, False),
        (0.99e-12, Verdict.UNDECIDED, False),
        (0.0, Verdict.UNDECIDED, False),
        (-0.99e-12, Verdict.UNDECIDED, False),
        (-1.01e-12, Verdict.UNDECIDED, True),
        (-1e-3, Verdict.UNDECIDED, True),
    ],
)
@pytest.mark.parametrize("method", [Method.MOMENTS, Method.ENUMERATION])
def test_a_gap_within_what_rounding_may_have_done_has_no_sign(gap, verdict, candidate, method):
    numbers = floats([1.0, 1.0], [2.0, 1.0 + gap], 0.5e-12)
    found = decide(AT_MOST, numbers, method)
    assert (found.verdict, found.candidate, found.at) == (verdict, candidate, 1)
    assert bool(found.reason) == (verdict is Verdict.UNDECIDED)
    open_ = verdict is Verdict.UNDECIDED and not candidate
    assert (found.unresolved, found.since) == ((1, 1) if open_ else (0, None))


def test_floats_without_a_bound_of_their_rounding_decide_nothing():
    """Planted: a bound that was lost on the way. A wide gap is none of less doubt."""
    whole = floats([1.0], [2.0])
    assert decide(AT_MOST, whole, Method.MOMENTS).verdict is Verdict.NOT_VIOLATED
    for lost in ("G_u", "G_v"):
        bare = replace(whole, errors={x: y for x, y in whole.errors.items() if x != lost})
        found = decide(AT_MOST, bare, Method.MOMENTS)
        assert (found.verdict, found.candidate) == (Verdict.UNDECIDED, False)
        assert f"no bound is known of what rounding did to {lost}" in found.reason


LATE = [2.0**-40 * 0.5**at for at in range(60)]


@pytest.mark.parametrize("side", [1, -1])
def test_a_late_round_that_is_off_by_a_little_is_caught_or_counted(side):
    """Planted: one side of the last round is off by 1e-9, far below all rounds before."""
    right = [x * 2 for x in LATE[:-1]] + [LATE[-1] * (1 + side * 1e-9)]
    for relative, known in ((1e-10, True), (1e-8, False)):
        error = np.array(LATE) * relative
        found = decide(AT_MOST, floats(LATE, right, error), Method.MOMENTS)
        if known:
            held = side > 0
            assert found.verdict is (Verdict.NOT_VIOLATED if held else Verdict.UNDECIDED)
            assert (found.candidate, found.unresolved, found.at) == (not held, 0, 59)
        else:
            assert (found.verdict, found.candidate) == (Verdict.UNDECIDED, False)
            assert (found.unresolved, found.since) == (1, 59)
            assert "in 1 of 60 cases, first at t = 59; the others hold" in found.reason


def test_rounds_below_their_rounding_are_not_examined_and_counted():
    left, right = [1.0, 1e-10, 1e-27, 1e-30], [2.0, 2e-10, 1e-28, 1e-31]
    found = decide(AT_MOST, floats(left, right, 1e-26), Method.MOMENTS)
    assert (found.verdict, found.rounds) == (Verdict.UNDECIDED, 2)
    assert (found.unresolved, found.since) == (2, 2)
    assert decide(AT_MOST, floats(left, right, 1e-40), Method.MOMENTS).candidate


@pytest.mark.parametrize("gap", [1e-3, -1e-3])
def test_an_identity_is_off_in_either_direction(gap):
    found = decide(EQUAL, floats([1.0], [1.0 + gap]), Method.MOMENTS)
    assert found.candidate
    found = decide(EQUAL, floats([1.0], [1.0], 1e-16), Method.MOMENTS)
    assert (found.verdict, found.candidate, found.equal) == (Verdict.UNDECIDED, False, 1)


def test_the_errors_of_a_product_are_those_of_its_factors():
    """Planted: an error of the product of both errors, 1e-12, would pass what is broken."""
    part = replace(AT_MOST, left=G_u(t) * G_v(t), right=1 + 1 / n)
    numbers = floats([1.0], [1.0], 1e-6, n=1e6)
    assert decide(part, numbers, Method.MOMENTS).verdict is Verdict.UNDECIDED
    clear = floats([1.0], [1.0], 1e-7, n=1e6)
    assert decide(part, clear, Method.MOMENTS).verdict is Verdict.NOT_VIOLATED


def test_the_errors_of_two_rounds_do_not_cancel():
    """Planted: in f(t) - f(t + 1) the errors are as large as each other."""
    part = Part(left=G_u(t), right=(f(t) - f(t + 1)) / n)
    series = {"f": np.array([4.0, 2.0]), "G_u": np.array([1.0, 1.0])}
    for error, verdict in ((1.0, Verdict.UNDECIDED), (0.4, Verdict.NOT_VIOLATED)):
        errors = {"f": np.full(2, error), "G_u": np.zeros(2)}
        numbers = Numbers({"T": 1.0, "n": 1.0}, series, errors=errors)
        assert decide(part, numbers, Method.MOMENTS).verdict is verdict


def test_rounding_of_a_constant_counts():
    part = replace(AT_MOST, right=n * G_v(t))
    numbers = floats([1.0], [1.0], n=1.0 + 1e-12)
    assert decide(part, numbers, Method.MOMENTS).verdict is Verdict.NOT_VIOLATED
    rounded = replace(numbers, errors=dict(numbers.errors) | {"n": 2e-12})
    assert decide(part, rounded, Method.MOMENTS).verdict is Verdict.UNDECIDED


def test_terms_that_cancel_keep_their_errors():
    """1 + 1e12 - 1e12 is off by rounding only, although left and right are of size one."""
    part = replace(AT_MOST, left=G_u(t) - f(t), right=G_v(t) - f(t))
    numbers = floats([1.0 + 1e-3], [1.0])
    series = dict(numbers.series) | {"f": np.array([1e12])}
    errors = dict(numbers.errors) | {"f": np.array([1e-2])}
    assert not decide(
        part, replace(numbers, series=series, errors=errors), Method.MOMENTS
    ).candidate


def test_small_early_rounds_of_a_growing_run_are_examined():
    """Rounding is relative to what came before a round, not to what comes after."""
    left, right = [2.0, 1e30], [1.0, 2e30]
    assert decide(AT_MOST, floats(left, right), Method.MOMENTS).candidate


@pytest.mark.parametrize(
    ("ball", "verdict"),
    [
        (arb(0), Verdict.NOT_APPLICABLE),
        (arb(0, 1e-30), Verdict.NOT_APPLICABLE),
        (arb(0, 1e-6), Verdict.UNDECIDED),
    ],
)
def test_what_a_wide_ball_leaves_open_is_not_known_to_vanish(ball, verdict):
    numbers = exact([0], [0])
    numbers = replace(numbers, series=numbers.series | {"G_u": object_array([ball])})
    found = decide(AT_MOST, numbers, Method.BALLS)
    assert found.verdict is verdict
    if verdict is Verdict.NOT_APPLICABLE:  # and whether it is known is told
        assert ("or within 1e-15 of it" in found.reason) is bool(ball.rad() > 0)
    absent = replace(AT_MOST, left=(n - m) * G_u(t))  # what is multiplied by 0 is 0
    numbers = replace(numbers, constants=numbers.constants | {"n": fmpq(2), "m": fmpq(2)})
    assert decide(absent, numbers, Method.BALLS).verdict is Verdict.NOT_APPLICABLE


@pytest.mark.parametrize("to", [fmpq, arb])
def test_what_is_too_small_for_float64_is_judged(to):
    tiny = to(fmpq(1, 10**400))
    method = Method.RATIONAL if to is fmpq else Method.BALLS
    for left, right, verdict in (
        (2 * tiny, tiny, Verdict.VIOLATED),
        (tiny, 2 * tiny, Verdict.NOT_VIOLATED),
        (tiny - tiny, to(0), Verdict.NOT_APPLICABLE),
    ):
        numbers = exact([0], [0])
        series = {"G_u": object_array([left]), "G_v": object_array([right])}
        numbers = replace(numbers, series=numbers.series | series)
        assert decide(AT_MOST, numbers, method).verdict is verdict


def test_nothing_but_zeros_says_nothing():
    """0 <= 0 in every round is no evidence for a claim, in floats and in rationals alike."""
    for numbers, method in (
        (floats([0.0, 0.0], [0.0, 0.0]), Method.MOMENTS),
        (exact([0, 0], [0, 0]), Method.RATIONAL),
    ):
        found = decide(AT_MOST, numbers, method)
        assert found.verdict is Verdict.NOT_APPLICABLE
        assert "zero" in found.reason


# ---- tightness and the trivial bound


def ratio(part, numbers):
    return decide(part, numbers, Method.MOMENTS).tightness


def test_tightness_is_the_largest_ratio_of_non_negative_sides():
    numbers = floats([1.0, 3.0, 0.0], [4.0, 4.0, 1.0])
    assert ratio(AT_MOST, numbers) == 0.75
    assert ratio(replace(AT_MOST, right=G_v(t) - f(0)), _with_f(numbers, 1.0)) is None


def _with_f(numbers, value):
    series = dict(numbers.series) | {"f": np.full(4, value)}
    return replace(numbers, series=series, errors=dict(numbers.errors) | {"f": np.zeros(4)})


def test_a_ratio_is_told_with_what_rounding_may_have_done():
    own = np.array([0.0, 0.5, 0.0])
    numbers = floats([1.0, 2.0, 1.0], [4.0, 4.0, 4.0], own)
    assert ratio(AT_MOST, numbers) == pytest.approx(1.5 / 4.5, rel=1e-8)  # more than 1 / 4
    assert ratio(AT_MOST, floats([1.0, 2.0, 1.0], [4.0, 4.0, 4.0], own * 1e-12)) == 0.5
    dips = [1.0, -1e-9, 1.0]
    assert ratio(AT_MOST, floats(dips, [4.0, 4.0, 4.0], own * 1e-8)) == 0.25
    assert ratio(AT_MOST, floats(dips, [4.0, 4.0, 4.0])) is None


def test_a_ratio_of_late_rounds_is_told():
    """In rationals no round is too small to count."""
    left, right = [1, fmpq(3, 10**40)], [4, fmpq(4, 10**40)]
    assert decide(AT_MOST, exact(left, right), Method.RATIONAL).tightness == 0.75


def test_exact_and_float_judgements_report_the_same_tightness():
    left, right = [1, 3, 0], [4, 5, 1]
    assert decide(AT_MOST, exact(left, right), Method.RATIONAL).tightness == pytest.approx(
        decide(AT_MOST, floats(left, right), Method.MOMENTS).tightness, rel=1e-15
    )


@pytest.mark.parametrize(("level", "beats"), [(5.0, True), (4.0, False), (1.0, False)])
def test_beating_the_trivial_bound_means_lying_below_it(level, beats):
    part = replace(PER_RUN, trivial=Max_t(f(t)))
    numbers = _with_f(floats([1.0, 1.0], [4.0, 4.0]), level)
    assert decide(part, numbers, Method.MOMENTS).beats_trivial is beats
    assert decide(PER_RUN, numbers, Method.MOMENTS).beats_trivial is None


# ---- which rounds, and diverged runs


def test_rounds_start_where_the_part_does_and_stop_at_the_horizon():
    numbers = floats([1.0] * 4, [2.0] * 4)
    assert rounds_of(AT_MOST, numbers) == range(4)
    assert rounds_of(replace(AT_MOST, first_round=1), numbers) == range(1, 4)
    assert rounds_of(AT_MOST, numbers, last=2) == range(2)
    assert rounds_of(PER_RUN, numbers) is None


def test_a_part_that_speaks_of_no_round_does_not_apply():
    found = decide(replace(AT_MOST, first_round=1), floats([1.0], [2.0]), Method.MOMENTS)
    assert found.verdict is Verdict.NOT_APPLICABLE


def test_a_diverged_run_is_judged_up_to_its_last_finite_round():
    """Series end before the round that is not finite; f(t+1) - f(t) needs the round after t."""
    series = {"f": np.array([1.0, 3.0, 9.0]), "G_u": np.zeros(3), "G_v": np.ones(3)}
    errors = {name: np.zeros(3) for name in series}
    numbers = Numbers({"T": 10.0}, series, errors=errors)
    part = Part(left=f(t + 1) - f(t), right=3 * f(t))
    found = decide(part, numbers, Method.MOMENTS, diverged_at=3)
    # rounds 0 and 1 hold, and 2 to 9 were not seen
    assert (found.verdict, found.rounds) == (Verdict.UNDECIDED, 2)
    assert (found.unresolved, found.since, found.candidate) == (8, 2, False)
    assert found.reason.endswith("diverged at round 3")
    broken = decide(replace(part, right=f(t)), numbers, Method.MOMENTS, diverged_at=3)
    assert broken.candidate
    whole_run = decide(PER_RUN, numbers, Method.MOMENTS, diverged_at=3)
    assert whole_run.verdict is Verdict.DIVERGED
    assert "round 3" in whole_run.reason
    at_once = decide(part, numbers, Method.MOMENTS, diverged_at=1)
    assert at_once.verdict is Verdict.DIVERGED


# ---- what was not measured


NAN = float("nan")


@pytest.mark.parametrize("method", [Method.MOMENTS, Method.ENUMERATION, Method.RATIONAL])
def test_a_round_that_was_not_measured_is_left_out_and_counted(method):
    """A NaN is no violation, no overflow and no candidate."""
    kind = exact if method is Method.RATIONAL else floats
    full = decide(AT_MOST, kind([1, 2], [3, 3]), method)
    for left, right in (([1, 2, 3], [3, 3, 0]), ([9, 1, 2], [0, 3, 3])):
        numbers = kind(left, right)
        at = 2 if right[2] == 0 else 0
        numbers.series["G_v"][at] = NAN
        found = decide(AT_MOST, numbers, method)
        assert full.verdict is Verdict.NOT_VIOLATED
        assert (found.verdict, found.candidate, found.rounds) == (Verdict.UNDECIDED, False, 2)
        assert (found.unresolved, found.since) == (1, at)
        assert "G_v not measured: 1 of 3 rounds left out" in found.reason
        assert found.tightness == pytest.approx(2 / 3)


@pytest.mark.parametrize("method", [Method.MOMENTS, Method.RATIONAL])
def test_what_was_never_measured_does_not_apply(method):
    kind = exact if method is Method.RATIONAL else floats
    numbers = kind([1, 2], [3, 3])
    numbers.series["G_u"][:] = NAN
    for part in (AT_MOST, PER_RUN, replace(PER_RUN, left=Max_t(G_u(t)) + G_v(0))):
        found = decide(part, numbers, method)
        assert (found.verdict, found.candidate) == (Verdict.NOT_APPLICABLE, False)
        assert "G_u not measured" in found.reason


def test_a_sum_over_a_run_needs_every_round():
    numbers = floats([1, 2, 3], [9, 9, 9])
    numbers.series["G_u"][2] = NAN
    assert decide(PER_RUN, numbers, Method.MOMENTS).verdict is Verdict.NOT_APPLICABLE


def test_an_overflow_is_not_taken_for_a_missing_round():
    found = decide(AT_MOST, floats([1.0, np.inf], [2.0, np.inf]), Method.ENUMERATION)
    assert (found.verdict, found.candidate) == (Verdict.UNDECIDED, True)
    assert "overflows" in found.reason
