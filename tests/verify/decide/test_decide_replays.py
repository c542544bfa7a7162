"""Replays in rationals confirm or settle what floats suspect; every verdict is reached."""

from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
import sympy as sp
from flint import fmpq
from personal_cases import alike, case, coupled, quadratics, run, sizes

from fedbounds.theory.fedplt.long_runs import own_minimisers
from fedbounds.theory.fedplt.long_runs import planned as planned_long
from fedbounds.theory.language.claims import AS_PRINTED, Claim, Condition, Index, Part, read
from fedbounds.theory.language.registry import claim, encoded_claims, setups
from fedbounds.theory.language.symbols import D_W, B, G_u, G_v, L, b2, f, gamma, n, t
from fedbounds.theory.personalization.symbols import E, T_3u
from fedbounds.theory.proof.vectors import sq
from fedbounds.verify.decide import conditions
from fedbounds.verify.decide.measurement import Measurement, measure
from fedbounds.verify.decide.part import decide
from fedbounds.verify.judge import judge as judging
from fedbounds.verify.judge.judge import Replays, judge, judge_reading
from fedbounds.verify.judge.plan import quick_cases
from fedbounds.verify.setups.plan import case_of
from fedbounds.vocabulary import Method, Verdict

CLAIMS = encoded_claims("personalization")


def quadratic(step, rounds=20):
    problem = alike(noise="1/10", law="gaussian")
    return case(run(problem, sizes(2, 2, step), rounds))


UNCONDITIONAL = replace(
    claim("personalization/thm-3.7"),
    parts=tuple(replace(p, conditions=()) for p in claim("personalization/thm-3.7").parts),
    readings=(AS_PRINTED,),
    schedules=(),
)


# ---- replays


def replay(part, instance):
    return Replays(instance).judge(part)


FLAT = quadratics([((1, 0), (0, 1))] * 2, [(2, 0), (-2, 1)], noise=1)


def two(gamma="1/64", outer=(1, 1), *, floats=True, problem=FLAT, rounds=3):
    """Two clients of whole numbers, one at a time, two local steps."""
    return case(run(problem, sizes(1, 2, gamma, *outer), rounds), floats=floats)


TWO = two()


def divided(name, by, part=""):
    """A claim that asks for ``by`` times less."""
    original = claim(f"personalization/{name}")
    parts = tuple(replace(p, right=p.right / by) for p in original.parts if p.name == part)
    return replace(original, parts=parts, readings=(AS_PRINTED,), proof_weights=())


def test_a_replay_is_given_the_part_as_encoded(monkeypatch):
    """Not with its products of vectors already measured in floats."""
    part = Part(sq(G_u(t)), sp.Integer(1), index=Index.ROUND)
    for module in (judging, conditions):
        monkeypatch.setattr(module, "products_of", lambda subject: lambda node: np.full(3, 2.0))
    seen, numbers = [], measure(TWO).numbers
    measured = Measurement(replace(numbers, errors={"product_0": np.zeros(3)}))
    outcome = judging.judge_part(part, TWO, measured, SimpleNamespace(judge=seen.append))
    assert outcome.candidate
    assert seen == [part]


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


def test_a_rounding_artefact_is_no_candidate():
    """10^18 L - 10^18 is 0 at L = 1, but swallows what is added before it is subtracted."""
    swallowed = Part(left=n * b2 * G_u(t), right=n * (b2 * (G_u(t) + 10**18 * L) - 10**18 * b2))
    numbers = measure(TWO).numbers
    assert numbers.constants["L"] == 1.0
    seen = decide(swallowed, numbers, Method.MOMENTS)
    assert (seen.verdict, seen.candidate, seen.unresolved) == (Verdict.UNDECIDED, False, 2)
    outcome = replay(swallowed, TWO)
    assert (outcome.verdict, outcome.reason) == (Verdict.NOT_VIOLATED, "both sides are equal")


@pytest.mark.parametrize("off", [-1, 1])
def test_floats_at_the_edge_of_a_condition_are_judged_by_where_exact_numbers_are(off):
    """gamma = 1/(32LK) to 2^-60: floats take both for inside, a verdict has the one that is."""
    found = claim("personalization/thm-3.7")
    wrong = replace(found.parts[0], right=found.parts[0].right / 10**6)
    planted = replace(found, parts=(wrong,), readings=(AS_PRINTED,), proof_weights=())
    edge = Fraction(1, 32 * 2) * (1 + Fraction(off, 2**60))
    (outcome,) = judge((planted,), two(edge, (2, 2))).judgements[0].outcomes
    assert outcome.candidate is (off > 0)
    assert outcome.verdict is (Verdict.UNDECIDED if off > 0 else Verdict.VIOLATED)
    assert (replay(wrong, two(edge, (2, 2))) is None) == (off > 0)


def test_no_replay_without_rationals_or_within_reason():
    planned = next(one for one in setups("personalization") if one.name.startswith("cosines"))
    cosine = case_of(planned, "")
    assert cosine.method is Method.BALLS
    (part,) = divided("lem-3.4", 10**6).parts
    assert replay(part, cosine) is None
    assert replay(part, TWO).verdict is Verdict.VIOLATED
    assert replay(part, two(rounds=10**5)) is None


# ---- every word


def test_every_verdict_is_reached_by_some_instance():
    lemma, theorem = claim("personalization/lem-3.4"), claim("personalization/thm-3.7")
    seen = {
        judge((lemma,), TWO).judgements[0].verdict,
        judge((divided("lem-3.4", 10),), TWO).judgements[0].verdict,
        judge((claim("personalization/lem-3.6"),), TWO).judgements[0].verdict,
        judge((lemma,), two(problem=coupled(2))).judgements[0].verdict,
        judge((theorem,), quadratic(1)).judgements[0].verdict,
        judge((UNCONDITIONAL,), quadratic(1000, 60)).judgements[0].verdict,
    }
    assert seen == set(Verdict)


def test_the_gravest_part_decides_a_judgement():
    fine = Part(left=G_u(t), right=2 * G_u(t), name="fine")
    broken = Part(left=2 * G_u(t), right=G_u(t), name="broken")
    worse = Part(left=3 * G_u(t), right=G_u(t), name="worse")
    outside = replace(broken, conditions=(Condition(gamma, ">=", sp.Integer(9)),), name="outside")
    entry = claim("personalization/lem-3.4").entry
    planted = Claim(entry, ("FedAvg-P",), (fine, broken, outside, worse))
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
    short, exact = (two(outer=(1, 2), floats=floats) for floats in (True, False))
    pairs = zip(judge(CLAIMS, short).judgements, judge(CLAIMS, exact).judgements, strict=True)
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
    floats_, exact_ = measure(TWO).numbers, measure(two(floats=False)).numbers
    for quantity in (B, E, G_u, G_v, T_3u, f):
        name = quantity.__name__
        np.testing.assert_allclose(
            floats_.series[name], exact_.series[name].astype(float), rtol=1e-11, atol=1e-13
        )
    for name in ("L", "b^2", "sigma_u^2", "F_0", "B_0", "gamma", "eta_u"):
        assert floats_.constants[name] == pytest.approx(float(exact_.constants[name]), rel=1e-14)


def test_a_step_that_meets_its_condition_up_to_rounding_is_judged_up_to_rounding():
    """Planted: an irrational step is prescribed; its float is 1e-17 from where the sides are equal."""
    cases = [
        one for one in quick_cases("personalization")
        if one.method is Method.MOMENTS and one.name.endswith("edge of thm-3.11")
    ]  # fmt: skip
    found = claim("personalization/thm-3.11-fin")
    (part,) = (x for x in read(found, AS_PRINTED) if x.name == "step size")
    near = 0
    for one in cases:
        numbers = measure(one).numbers
        if conditions.refusal(part, one, numbers) is None:
            outcome = decide(part, numbers, Method.MOMENTS)
            if abs(outcome.relative_gap) < conditions.EQUALITY:
                near += 1
                assert (outcome.verdict, outcome.candidate) == (Verdict.UNDECIDED, False)
            else:
                assert outcome.verdict is Verdict.NOT_VIOLATED
    assert near > 2


# ---- long runs


def late(quantity, first, rounds):
    """A claim that holds in the first rounds alone: what decays stays above what it is there."""
    part = Part(quantity.subs(t, first), quantity, index=Index.ROUND)
    assert first < rounds
    return part


def test_what_floats_suspect_after_thousands_of_rounds_is_confirmed_in_balls():
    """Rationals grow with every round; balls do not."""
    planned = two("1/4096", rounds=20_000)
    part = late(f(t), 10, 20_000)
    outcome = judging.judge_part(part, planned, measure(planned), Replays(planned))
    assert (outcome.verdict, outcome.replayed) == (Verdict.VIOLATED, "balls")


def test_a_long_run_of_many_rounds_is_confirmed_in_rationals():
    run_ = own_minimisers(1_500, noise="1/2", tau=1, eta="1/512")
    planned = case_of(planned_long("late", run_, floats=True), "")
    assert planned.method is Method.MOMENTS
    part = late(D_W(t), 10, 1_500)
    outcome = judging.judge_part(part, planned, measure(planned), Replays(planned))
    assert (outcome.verdict, outcome.replayed) == (Verdict.VIOLATED, "exact rationals")
