"""Deciding: exact numbers by sign, floats by a margin and never "violated", diverged runs by round."""

from dataclasses import replace

import numpy as np
import pytest
import sympy as sp
from flint import fmpq
from hypothesis import assume, given
from hypothesis import strategies as st

from fedbounds.algorithms.fedavg_p import with_effective_step
from fedbounds.problems import (
    FederatedQuadratic,
    Noise,
    NoiseLaw,
    Start,
    coupled_cosine,
    federated_quadratic,
    to_rational,
)
from fedbounds.theory.claims import AS_PRINTED, Claim, Condition, Part, read
from fedbounds.theory.registry import claim, encoded_claims
from fedbounds.theory.symbols import (
    B,
    E,
    G_u,
    G_v,
    L,
    Max_t,
    Mean_t,
    T_3u,
    b2,
    f,
    gamma,
    m,
    n,
    t,
)
from fedbounds.verify import decide as decide_module
from fedbounds.verify.conditions import refusal
from fedbounds.verify.decide import MARGIN, decide, margin_of, rounds_of, tightness
from fedbounds.verify.evaluate import Numbers
from fedbounds.verify.instance import Instance
from fedbounds.verify.judge import judge, judge_reading, replay
from fedbounds.verify.measure import measure
from fedbounds.vocabulary import Index, Method, Relation, Verdict

CLAIMS = encoded_claims("personalization")
AT_MOST = Part(left=G_u(t), right=G_v(t))
EQUAL = replace(AT_MOST, relation=Relation.EQUAL)
PER_RUN = Part(left=Mean_t(G_u(t)), right=G_v(0), index=Index.RUN)


def exact(left, right, **constants):
    """G_u = left and G_v = right, per round, in rationals."""
    return Numbers(
        {"T": fmpq(len(left))} | {k: fmpq(v) for k, v in constants.items()},
        {"G_u": rationals(left), "G_v": rationals(right)},
        lambda p, q: fmpq(p, q),
    )


def rationals(values):
    out = np.empty(len(values), dtype=object)
    out[:] = [fmpq(x) for x in values]
    return out


def floats(left, right, **constants):
    series = {"G_u": np.asarray(left, dtype=float), "G_v": np.asarray(right, dtype=float)}
    return Numbers({"T": float(len(series["G_u"]))} | constants, series)


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


def test_an_equality_of_irrationals_stays_undecided():
    """Both sides are equal, which no ball can show."""
    numbers = exact([1], [1], n=2, m=3)
    found = decide(HIDDEN, numbers, Method.RATIONAL)
    assert found.verdict is Verdict.UNDECIDED
    assert "undecided" in found.reason


def test_an_identity_between_irrationals_stays_undecided():
    """Balls that overlap are no evidence that two sides are equal."""
    numbers = exact([1], [1], n=2, m=3)
    found = decide(replace(HIDDEN, relation=Relation.EQUAL), numbers, Method.RATIONAL)
    assert found.verdict is Verdict.UNDECIDED


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


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=5))
def test_floats_never_say_violated(gaps):
    found = decide(AT_MOST, floats([1.0] * len(gaps), [1.0 + g for g in gaps]), Method.MOMENTS)
    assert found.verdict in (Verdict.NOT_VIOLATED, Verdict.UNDECIDED)
    least = min(g / (2 + g) for g in gaps)
    if least < -1e-9:
        assert found.candidate
        assert found.verdict is Verdict.UNDECIDED
    if least > 1e-9:
        assert found.verdict is Verdict.NOT_VIOLATED
        assert not found.candidate


@pytest.mark.parametrize(
    ("gap", "verdict", "candidate"),
    [
        (1e-3, Verdict.NOT_VIOLATED, False),
        (4 * MARGIN, Verdict.NOT_VIOLATED, False),
        (MARGIN / 4, Verdict.UNDECIDED, False),
        (0.0, Verdict.UNDECIDED, False),
        (-MARGIN / 4, Verdict.UNDECIDED, False),
        (-4 * MARGIN, Verdict.UNDECIDED, True),
        (-1e-3, Verdict.UNDECIDED, True),
    ],
)
@pytest.mark.parametrize("method", [Method.MOMENTS, Method.ENUMERATION])
def test_a_gap_within_the_margin_is_equality_to_rounding(gap, verdict, candidate, method):
    found = decide(AT_MOST, floats([1.0, 1.0], [2.0, 1.0 + gap]), method)
    assert (found.verdict, found.candidate, found.at) == (verdict, candidate, 1)
    assert bool(found.reason) == (verdict is Verdict.UNDECIDED)


@pytest.mark.parametrize("gap", [1e-3, -1e-3])
def test_an_identity_is_off_in_either_direction(gap):
    found = decide(EQUAL, floats([1.0], [1.0 + gap]), Method.MOMENTS)
    assert found.candidate
    assert decide(EQUAL, floats([1.0], [1.0]), Method.MOMENTS).verdict is Verdict.UNDECIDED


def test_the_margin_grows_with_rounds_and_outer_steps():
    short = Numbers({"T": 1.0, "eta_u": 1.0, "eta_v": 1.0}, {})
    long = Numbers({"T": 1e4, "eta_u": 1e4, "eta_v": 1.0}, {})
    assert MARGIN < margin_of(short) < 1.01 * MARGIN
    assert margin_of(long) > 10 * MARGIN
    edge = 5 * MARGIN
    series = {"G_u": np.array([1.0]), "G_v": np.array([1.0 - edge])}
    at_one = {"T": 1.0, "eta_u": 1.0, "eta_v": 1.0}
    assert decide(AT_MOST, Numbers(at_one, series), Method.MOMENTS).candidate
    at_long = at_one | {"eta_u": 1e7}  # 1e-15 of it is ten margins
    assert not decide(AT_MOST, Numbers(at_long, series), Method.MOMENTS).candidate


def test_the_gap_is_weighed_against_all_terms_not_against_their_difference():
    """1 + 1e12 - 1e12 is off by rounding only, although left and right are of size one."""
    part = replace(AT_MOST, left=G_u(t) - f(t), right=G_v(t) - f(t))
    numbers = floats([1.0 + 1e-3], [1.0])
    numbers = Numbers(numbers.constants, dict(numbers.series) | {"f": np.array([1e12])})
    assert not decide(part, numbers, Method.MOMENTS).candidate


def test_rounds_far_below_the_largest_are_not_examined():
    left, right = [1.0, 1e-10, 1e-27, 1e-30], [2.0, 2e-10, 1e-28, 1e-31]
    found = decide(AT_MOST, floats(left, right), Method.MOMENTS)
    assert (found.verdict, found.rounds) == (Verdict.NOT_VIOLATED, 2)


def test_small_early_rounds_of_a_growing_run_are_examined():
    """Rounding is relative to what came before a round, not to what comes after."""
    left, right = [2.0, 1e30], [1.0, 2e30]
    assert decide(AT_MOST, floats(left, right), Method.MOMENTS).candidate


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


def test_tightness_is_the_largest_ratio_of_non_negative_sides():
    numbers = floats([1.0, 3.0, 0.0], [4.0, 4.0, 1.0])
    assert tightness(AT_MOST, numbers, range(3)) == 0.75
    assert decide(AT_MOST, numbers, Method.MOMENTS).tightness == 0.75
    assert tightness(replace(AT_MOST, right=G_v(t) - f(0)), _with_f(numbers, 1.0), range(3)) is None


def _with_f(numbers, value):
    return Numbers(numbers.constants, dict(numbers.series) | {"f": np.full(4, value)})


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


BOUNDED = [
    (c, reading)
    for c in CLAIMS
    for reading in c.readings
    if any(part.trivial for part in read(c, reading))
]


@pytest.mark.parametrize(
    ("found", "reading"), BOUNDED, ids=[f"{c.id}, {reading.name}" for c, reading in BOUNDED]
)
def test_the_named_trivial_bound_is_a_bound(found, reading):
    """||grad f||^2 <= 2L (f - inf f), on runs of quadratics, whatever the step size."""
    runs = [quadratic(seed=s, step=x, participants=3) for s, x in ((0, 1e-3), (1, 0.3), (2, 0.9))]
    # all is lost in one block, of curvature L throughout: there the bound is attained
    alike = FederatedQuadratic(np.array([np.eye(2)] * 3), np.zeros((3, 2)), 1)
    slow = with_effective_step(3, 1, 1e-9)
    for u, v in ((1.0, 0.0), (0.0, 1.0)):
        start = Start(np.full(1, u), np.full((3, 1), v))
        runs.append(replace(runs[0], problem=alike, algorithm=slow, start=start))
    for instance in runs:
        numbers = measure(instance).numbers
        for part in read(found, reading):
            trivially = replace(part, right=part.trivial, conditions=())
            assert decide(trivially, numbers, Method.MOMENTS).verdict is Verdict.NOT_VIOLATED


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
    numbers = Numbers({"T": 10.0}, series)
    part = Part(left=f(t + 1) - f(t), right=3 * f(t))
    found = decide(part, numbers, Method.MOMENTS, diverged_at=3)
    assert (found.verdict, found.rounds) == (Verdict.NOT_VIOLATED, 2)
    broken = decide(replace(part, right=f(t)), numbers, Method.MOMENTS, diverged_at=3)
    assert broken.candidate
    whole_run = decide(PER_RUN, numbers, Method.MOMENTS, diverged_at=3)
    assert whole_run.verdict is Verdict.DIVERGED
    assert "round 3" in whole_run.reason
    at_once = decide(part, numbers, Method.MOMENTS, diverged_at=1)
    assert at_once.verdict is Verdict.DIVERGED


def quadratic(*, seed=0, step=0.1, rounds=20, participants=2, scale=0.1, outer=1.0):
    problem = federated_quadratic(
        clients=3, shared_dimension=2, personal_dimension=1, dissimilarity=1.0,
        noise=Noise(NoiseLaw.GAUSSIAN, scale, scale), seed=seed,
    )  # fmt: skip
    rng = np.random.default_rng(seed)
    start = Start(rng.standard_normal(2), rng.standard_normal((3, 1)))
    algorithm = with_effective_step(participants, 2, step, outer, outer)
    return Instance("quadratic", problem, algorithm, rounds, Method.MOMENTS, start)


UNCONDITIONAL = replace(
    claim("personalization/thm-3.7"),
    parts=tuple(replace(p, conditions=()) for p in claim("personalization/thm-3.7").parts),
    readings=(AS_PRINTED,),
    schedules=(),
)


def test_a_run_with_far_too_long_steps_is_reported_with_the_round_it_diverged_in():
    instance = quadratic(step=1e3, rounds=60)
    judged = judge((*CLAIMS, UNCONDITIONAL), instance)
    round_ = judged.measurement.diverged_at
    assert 1 < round_ < 60
    outcomes = {
        (x.claim.id, o.part): o for x in judged.judgements for o in x.outcomes
        if x.reading is x.claim.readings[0] and x.claim is not claim("personalization/thm-3.7")
    }  # fmt: skip
    whole_run = outcomes["personalization/thm-3.7", ""]
    assert whole_run.verdict is Verdict.DIVERGED
    assert whole_run.reason == f"diverged at round {round_}"
    for key in (("personalization/lem-3.2", "u"), ("personalization/lem-3.4", "")):
        partial = outcomes[key]
        assert partial.verdict is Verdict.NOT_VIOLATED
        assert partial.rounds <= round_ - 1
        assert partial.at < round_ - 1


def test_a_theorem_with_conditions_is_outside_before_it_diverges():
    judged = judge((claim("personalization/thm-3.7"),), quadratic(step=1e3, rounds=60))
    assert {x.verdict for x in judged.judgements} == {Verdict.OUTSIDE}


# ---- converged tails


def tail(*, clients, steps, step, coupling=None, dissimilarity=None, size=1.0):
    """A noise-free run of 10,000 rounds with every client taking part."""
    problem = federated_quadratic(
        clients=clients, shared_dimension=2, personal_dimension=1, seed=clients,
        strong_convexity=0.2, coupling=coupling or 0.0, dissimilarity=dissimilarity,
    )  # fmt: skip
    rng = np.random.default_rng(clients)
    start = Start(size * rng.standard_normal(2), size * rng.standard_normal((clients, 1)))
    algorithm = with_effective_step(clients, steps, step)
    return Instance("tail", problem, algorithm, 10_000, Method.MOMENTS, start)


TAILS = {
    "homogeneous": tail(clients=1, steps=3, step=0.1),
    "homogeneous, two clients": replace(
        tail(clients=1, steps=2, step=0.2),
        problem=FederatedQuadratic(
            np.array([[[2.0, 1.0], [1.0, 1.0]]] * 2), np.array([[3.0, -1.0]] * 2), 1
        ),
        start=Start(np.array([7.0]), np.array([[1.0], [1.0]])),
        algorithm=with_effective_step(2, 2, 0.2),
    ),
    "heterogeneous, K = 1": tail(clients=3, steps=1, step=0.5, coupling=0.3),
    "heterogeneous, drifting": tail(clients=3, steps=3, step=0.1, coupling=0.3),
    "heterogeneous slopes": tail(clients=4, steps=2, step=0.2, dissimilarity=1.0),
    "far away": tail(clients=3, steps=1, step=0.5, coupling=0.3, size=1e8),
}


@pytest.mark.parametrize("case", TAILS)
def test_a_converged_tail_is_never_taken_for_a_violation(case):
    judged = judge(CLAIMS, TAILS[case])
    assert judged.measurement.diverged_at is None
    outcomes = [(x.claim.id, x.reading.name, o) for x in judged.judgements for o in x.outcomes]
    for name, reading, outcome in outcomes:
        assert outcome.verdict is not Verdict.VIOLATED, (name, reading)
        assert not outcome.candidate, (name, reading)
    examined = [o.rounds for name, _, o in outcomes if "lem-3" in name and o.rounds]
    assert min(examined) > 50  # rounds were judged, not waved through


def test_the_tails_do_converge_and_their_rounding_would_fool_a_plain_sign_test(monkeypatch):
    """Without a floor the last digits of a converged run look like candidates."""
    instance = TAILS["heterogeneous, K = 1"]
    numbers = measure(instance).numbers
    assert numbers.series["f"][-1] < 1e-26 * numbers.series["f"][0]
    lemmas = [
        part for c in CLAIMS for part in c.parts
        if part.index is Index.ROUND and refusal(part, instance, numbers) is None
    ]  # fmt: skip
    assert not any(decide(part, numbers, Method.MOMENTS).candidate for part in lemmas)
    monkeypatch.setattr(decide_module, "FLOOR", 0.0)
    assert any(decide(part, numbers, Method.MOMENTS).candidate for part in lemmas)


# ---- replays


def integers(entries, slopes, scale, algorithm, rounds):
    """A rational instance in floats: integer quadratics, d_u = d_v = 1."""
    problem = FederatedQuadratic(
        np.array(entries, dtype=float), np.array(slopes, dtype=float), 1,
        Noise(NoiseLaw.RADEMACHER, float(scale), float(scale)),
    )  # fmt: skip
    start = Start(np.ones(1), np.ones((len(entries), 1)))
    return Instance("integers", problem, algorithm, rounds, Method.MOMENTS, start)


TWO = integers(
    [[[1, 0], [0, 1]], [[1, 0], [0, 1]]], [[2, 0], [-2, 1]], 1.0,
    with_effective_step(1, 2, 1 / 64), 3,
)  # fmt: skip


def divided(name, by, part=""):
    """A claim that asks for ``by`` times less."""
    original = claim(f"personalization/{name}")
    parts = tuple(replace(p, right=p.right / by) for p in original.parts if p.name == part)
    return replace(original, parts=parts, readings=(AS_PRINTED,), proof_weights=())


def test_a_float_candidate_is_confirmed_in_rationals():
    wrong = divided("lem-3.4", 10)
    (part,) = wrong.parts
    candidate = decide(part, measure(TWO).numbers, Method.MOMENTS)
    assert candidate.candidate
    assert candidate.verdict is Verdict.UNDECIDED
    confirmed = replay(part, TWO)
    assert confirmed.verdict is Verdict.VIOLATED
    assert float(fmpq(confirmed.gap)) == pytest.approx(candidate.gap, rel=1e-12)
    (judgement,) = judge((wrong,), TWO).judgements
    assert judgement.verdict is Verdict.VIOLATED
    assert judge((claim("personalization/lem-3.4"),), TWO).judgements[0].verdict is (
        Verdict.NOT_VIOLATED
    )


def test_a_rounding_artefact_is_not_confirmed():
    """10^18 L - 10^18 is 0 at L = 1, but swallows what is added before it is subtracted."""
    swallowed = Part(left=n * b2 * G_u(t), right=n * (b2 * (G_u(t) + 10**18 * L) - 10**18 * b2))
    numbers = measure(TWO).numbers
    assert numbers.constants["L"] == 1.0
    assert decide(swallowed, numbers, Method.MOMENTS).candidate
    outcome = replay(swallowed, TWO)
    assert (outcome.verdict, outcome.reason) == (Verdict.NOT_VIOLATED, "both sides are equal")
    planted = Claim(claim("personalization/lem-3.4").entry, "FedAvg-P", (swallowed,))
    assert judge((planted,), TWO).judgements[0].verdict is Verdict.NOT_VIOLATED


def test_a_replay_at_the_edge_of_a_condition_is_moved_inside():
    """gamma = 1/(32LK) in floats may lie outside by rounding; the nudged instance is judged."""
    found = claim("personalization/thm-3.7")
    (part,) = found.parts
    wrong = replace(part, right=part.right / 10**6)
    for smooth in (1.1, 1.3, 1.7):
        hessian = np.array([[[smooth, 0.0], [0.0, 1.0]]] * 2)
        problem = FederatedQuadratic(hessian, np.array([[2.0, 0.0], [-2.0, 1.0]]), 1)
        edge = with_effective_step(1, 2, 1 / (32 * smooth * 2), 1.0, float(np.sqrt(2.0)))
        instance = replace(TWO, problem=problem, algorithm=edge)
        assert replay(wrong, instance).verdict is Verdict.VIOLATED
        outside = replace(instance, algorithm=with_effective_step(1, 2, 1 / 32, 1.0, 2.0))
        assert replay(wrong, outside) is None  # far outside: no nudge helps


def test_no_replay_without_rationals_or_within_reason():
    problem = coupled_cosine(clients=2, shared_dimension=1, personal_dimension=1,
                             noise=Noise(NoiseLaw.RADEMACHER, 0.1, 0.1))  # fmt: skip
    cosine = Instance(
        "cosine", problem, with_effective_step(1, 1, 0.01), 1, Method.ENUMERATION,
        Start(np.ones(1), np.ones((2, 1))),
    )  # fmt: skip
    (part,) = divided("lem-3.4", 10**6).parts
    assert replay(part, cosine) is None
    (judgement,) = judge((divided("lem-3.4", 10**6),), cosine).judgements
    assert judgement.verdict is Verdict.UNDECIDED
    assert judgement.deciding.candidate
    assert replay(part, replace(quadratic(), rounds=10**5)) is None


# ---- every word


def test_every_verdict_is_reached_by_some_instance():
    lemma, theorem = claim("personalization/lem-3.4"), claim("personalization/thm-3.7")
    coupled = replace(
        TWO, problem=replace(TWO.problem, hessian=np.array([[[2.0, 1.0], [1.0, 2.0]]] * 2))
    )
    seen = {
        judge((lemma,), TWO).judgements[0].verdict,
        judge((divided("lem-3.4", 10),), TWO).judgements[0].verdict,
        judge((claim("personalization/lem-3.6"),), TWO).judgements[0].verdict,
        judge((lemma,), coupled).judgements[0].verdict,
        judge((theorem,), quadratic(step=1.0)).judgements[0].verdict,
        judge((UNCONDITIONAL,), quadratic(step=1e3, rounds=60)).judgements[0].verdict,
    }
    assert seen == set(Verdict)


def test_the_gravest_part_decides_a_judgement():
    fine = Part(left=G_u(t), right=2 * G_u(t), name="fine")
    broken = Part(left=2 * G_u(t), right=G_u(t), name="broken")
    worse = Part(left=3 * G_u(t), right=G_u(t), name="worse")
    outside = replace(broken, conditions=(Condition(gamma, ">=", sp.Integer(9)),), name="outside")
    entry = claim("personalization/lem-3.4").entry
    planted = Claim(entry, "FedAvg-P", (fine, broken, outside, worse))
    judgement = judge_reading(planted, AS_PRINTED, TWO, measure(TWO))
    verdicts = [o.verdict for o in judgement.outcomes]
    assert verdicts == [
        Verdict.NOT_VIOLATED, Verdict.VIOLATED, Verdict.OUTSIDE, Verdict.VIOLATED,
    ]  # fmt: skip
    assert judgement.verdict is Verdict.VIOLATED
    assert judgement.deciding.part == "worse"
    survivor = judge_reading(replace(planted, parts=(outside, fine)), AS_PRINTED, TWO, measure(TWO))
    assert survivor.deciding.part == "fine"


def test_float_and_exact_judgements_agree_on_the_same_instance():
    """Every encoded part, on an instance whose floats are exact: no verdict flips."""
    short = replace(TWO, algorithm=with_effective_step(1, 2, 1 / 64, 1.0, 2.0))
    in_rationals = replace(
        short,
        problem=to_rational(short.problem),
        start=to_rational(short.start),
        algorithm=to_rational(short.algorithm),
        method=Method.RATIONAL,
    )
    pairs = zip(
        judge(CLAIMS, short).judgements, judge(CLAIMS, in_rationals).judgements, strict=True
    )
    compared = 0
    for a, b in pairs:
        for x, y in zip(a.outcomes, b.outcomes, strict=True):
            if x.verdict is Verdict.UNDECIDED:
                assert abs(y.relative_gap) <= 1e-10
                continue
            assert x.verdict is y.verdict
            if x.gap is not None:
                compared += 1
                gap = float(fmpq(y.gap)) if isinstance(y.gap, str) else y.gap
                assert x.gap == pytest.approx(gap, rel=1e-8, abs=1e-12)
                assert x.at == y.at or x.relative_gap == pytest.approx(y.relative_gap)
    assert compared >= 6


def test_readings_are_judged_apart():
    summed = [r for r in claim("personalization/thm-3.7").readings if r.substitute]
    assert summed
    judged = judge((claim("personalization/thm-3.7"),), TWO)
    names = [x.reading.name for x in judged.judgements]
    assert names == [r.name for r in claim("personalization/thm-3.7").readings]
    for judgement in judged.judgements:
        parts = read(judgement.claim, judgement.reading)
        assert [o.part for o in judgement.outcomes] == [p.name for p in parts]


def test_a_lemma_with_no_slack_left_is_not_called_broken():
    """Lemma 3.6 (a) is an equality on quadratics: B = n (G_u + b^2), exactly and to rounding."""
    part = claim("personalization/lem-3.6").part("a")
    assert decide(part, measure(TWO).numbers, Method.MOMENTS).verdict is Verdict.UNDECIDED
    outcome = replay(part, TWO)
    assert outcome.verdict is Verdict.NOT_VIOLATED
    tighter = replace(part, right=part.right - b2 / 10**6)
    assert replay(tighter, TWO).verdict is Verdict.VIOLATED


def test_what_is_measured_in_floats_and_in_rationals_is_the_same():
    floats_ = measure(TWO).numbers
    exact_ = measure(
        replace(TWO, problem=to_rational(TWO.problem), start=to_rational(TWO.start),
                algorithm=to_rational(TWO.algorithm), method=Method.RATIONAL)
    ).numbers  # fmt: skip
    for quantity in (B, E, G_u, G_v, T_3u, f):
        name = quantity.__name__
        np.testing.assert_allclose(
            floats_.series[name], exact_.series[name].astype(float), rtol=1e-11, atol=1e-13
        )
    for name in ("L", "b^2", "sigma_u^2", "F_0", "B_0", "gamma", "eta_u"):
        assert floats_.constants[name] == pytest.approx(float(exact_.constants[name]), rel=1e-14)
